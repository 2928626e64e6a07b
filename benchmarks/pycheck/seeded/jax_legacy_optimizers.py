"""Least squares with the triple-of-functions optimisers."""
import jax
import jax.numpy as jnp
from jax import random
from jax.experimental import optimizers

STEPS = 5
PENALTY = 1e-3


def design(x, degree):
    return jnp.stack([x**power for power in range(degree + 1)], axis=1)


def objective(theta, features, targets):
    residual = features @ theta - targets
    return jnp.mean(residual**2) + PENALTY * jnp.sum(theta**2)


def curve(key, count):
    x_key, noise_key = random.split(key)
    x = random.uniform(x_key, (count,), minval=-1.0, maxval=1.0)
    return x, 1.0 - 2.0 * x + 3.0 * x**3 + 0.05 * random.normal(noise_key, (count,))


def fit(features, targets, lr):
    opt_init, opt_update, get_params = optimizers.adam(lr)
    state = opt_init(jnp.zeros(features.shape[1]))

    @jax.jit
    def step(index, state):
        grads = jax.grad(objective)(get_params(state), features, targets)
        return opt_update(index, grads, state)

    for index in range(STEPS):
        state = step(index, state)
    return get_params(state)


def main():
    key = random.PRNGKey(11)
    x, y = curve(key, 50)
    for degree in (1, 3):
        theta = fit(design(x, degree), y, lr=0.1)
        print("degree", degree, "objective", float(objective(theta, design(x, degree), y)))


if __name__ == "__main__":
    main()
