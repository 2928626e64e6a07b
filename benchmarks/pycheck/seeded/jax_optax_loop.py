"""Logistic regression with optax schedules and a metrics dictionary."""
import jax
import jax.numpy as jnp
import numpy as np
import optax

FEATURES = 5


def make_data(count, seed):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(count, FEATURES)).astype(np.float32)
    y = (x @ np.arange(FEATURES, dtype=np.float32) > 0).astype(np.float32)
    return jnp.asarray(x), jnp.asarray(y)


def init_params(key):
    return {"w": 0.01 * jax.random.normal(key, (FEATURES,)), "b": jnp.zeros(())}


def logits_fn(params, x):
    return x @ params["w"] + params["b"]


def loss_fn(params, x, y):
    return optax.sigmoid_binary_cross_entropy(logits_fn(params, x), y).mean()


def metrics(params, x, y):
    predicted = logits_fn(params, x) > 0
    return {"loss": float(loss_fn(params, x, y)), "accuracy": float((predicted == y).mean())}


def make_step(optimizer):
    def step(params, opt_state, x, y):
        grads = jax.grad(loss_fn)(params, x, y)
        updates, opt_state = optimizer.update(grads, opt_state, params)
        params = optax.apply_update(params, updates)
        return params, opt_state

    return jax.jit(step)


def main(steps=4):
    x, y = make_data(64, seed=0)
    schedule = optax.cosine_decay_schedule(init_value=0.5, decay_steps=steps)
    optimizer = optax.sgd(schedule)
    params = init_params(jax.random.PRNGKey(0))
    opt_state = optimizer.init(params)
    step = make_step(optimizer)
    for index in range(steps):
        params, opt_state = step(params, opt_state, x, y)
        print(index, metrics(params, x, y))


if __name__ == "__main__":
    main()
