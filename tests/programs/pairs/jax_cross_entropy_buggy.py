"""A network of two layers in plain JAX."""

import jax
import jax.numpy as jnp


def initial(key):
    first, second = jax.random.split(key)
    return {
        "w1": jax.random.normal(first, (784, 128)) * 0.05,
        "b1": jnp.zeros(128),
        "w2": jax.random.normal(second, (128, 10)) * 0.05,
        "b2": jnp.zeros(10),
    }


def scores(params, images):
    hidden = jax.nn.relu(images @ params["w1"] + params["b1"])
    return hidden @ params["w2"] + params["b2"]


def loss(params, images, labels):
    probabilities = jax.nn.softmax(scores(params, images))
    likelihood = jnp.log(probabilities)  # NUM
    return -jnp.mean(jnp.sum(labels * likelihood, axis=-1))


@jax.jit
def update(params, images, labels, rate=0.1):
    gradients = jax.grad(loss)(params, images, labels)
    return jax.tree_util.tree_map(lambda p, g: p - rate * g, params, gradients)


key = jax.random.PRNGKey(0)
params = initial(key)
for step in range(100):
    images = jax.random.uniform(key, (64, 784))
    labels = jax.nn.one_hot(jax.random.randint(key, (64,), 0, 10), 10)
    params = update(params, images, labels)
