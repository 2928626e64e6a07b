"""Points of a ball of hyperbolic space."""

import jax
import jax.numpy as jnp


def to_ball(weights, x):
    return jnp.tanh(x @ weights)


def depth(points):
    length = jnp.mean(jnp.abs(points), axis=-1)
    return jnp.arctanh(jnp.minimum(length, 1 - 1e-5))


def loss(weights, x, target):
    return jnp.mean((depth(to_ball(weights, x)) - target) ** 2)


weights = jax.random.normal(jax.random.PRNGKey(0), (16, 2))
step = jax.jit(jax.value_and_grad(loss))
for iteration in range(100):
    x = jax.random.normal(jax.random.PRNGKey(iteration), (128, 16))
    target = jnp.abs(x[:, 0])
    value, gradient = step(weights, x, target)
    weights = weights - 0.01 * gradient
    print(iteration, value)
