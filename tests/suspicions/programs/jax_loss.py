import jax
import jax.numpy as jnp


def init(key, sizes):
    keys = jax.random.split(key, len(sizes))
    return [
        (jax.random.normal(k, (m, n)) * 0.1, jnp.zeros(n)) for k, m, n in zip(keys, sizes[:-1], sizes[1:], strict=False)
    ]


def predict(params, x):
    for w, b in params[:-1]:
        x = jnp.tanh(x @ w + b)
    w, b = params[-1]
    return x @ w + b


def loss(params, x, y):
    # instead: guess = predict(params, x)[:, 0]
    guess = predict(params, x)
    # told: loss-broadcasts
    return jnp.mean((guess - y) ** 2)


params = init(jax.random.PRNGKey(0), [4, 16, 1])
x, y = jnp.ones((128, 4)), jnp.linspace(0.0, 1.0, 128)
step = jax.jit(jax.value_and_grad(loss))
for _ in range(10):
    value, grads = step(params, x, y)
    params = jax.tree_util.tree_map(lambda p, g: p - 0.1 * g, params, grads)
