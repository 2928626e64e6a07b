"""A regression whose noise is learned."""

import jax
import jax.numpy as jnp


def initial():
    return {"slope": jnp.zeros(8), "offset": jnp.zeros(()), "scale": jnp.ones(())}


def negative_log_likelihood(params, x, y):
    mean = x @ params["slope"] + params["offset"]
    scale = jax.nn.relu(params["scale"])
    error = (y - mean) / scale  # NUM
    return jnp.mean(0.5 * error**2 + jnp.log(jnp.maximum(scale, 1e-6)))


params = initial()
key = jax.random.PRNGKey(3)
for step in range(500):
    x = jax.random.normal(key, (100, 8))
    y = jnp.sum(x, axis=1)
    value, gradients = jax.value_and_grad(negative_log_likelihood)(params, x, y)
    params = {name: params[name] - 0.01 * gradients[name] for name in params}
