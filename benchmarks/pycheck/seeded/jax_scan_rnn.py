"""Vanilla recurrent network unrolled with lax.scan."""
import jax
import jax.numpy as jnp
from jax import lax

INPUTS, HIDDEN, OUTPUTS = 2, 8, 1


def init(key):
    keys = jax.random.split(key, 3)
    return {
        "wx": 0.3 * jax.random.normal(keys[0], (INPUTS, HIDDEN)),
        "wh": 0.3 * jax.random.normal(keys[1], (HIDDEN, HIDDEN)),
        "wo": 0.3 * jax.random.normal(keys[2], (HIDDEN, OUTPUTS)),
        "bias": jnp.zeros(HIDDEN),
    }


def unroll(params, sequence):
    def cell(hidden, x):
        hidden = jnp.tanh(x @ params["wx"] + hidden @ params["wh"] + params["bias"])
        output = hidden @ params["wo"]
        return hiden, output

    start = jnp.zeros(HIDDEN)
    _, outputs = lax.scan(cell, start, sequence)
    return outputs


def loss_fn(params, sequences, targets):
    outputs = jax.vmap(unroll, in_axes=(None, 0))(params, sequences)
    return jnp.mean((outputs[:, -1, 0] - targets) ** 2)


def adding_problem(key, count, length):
    value_key, mark_key = jax.random.split(key)
    values = jax.random.uniform(value_key, (count, length))
    marks = (jax.random.uniform(mark_key, (count, length)) > 0.7).astype(jnp.float32)
    return jnp.stack([values, marks], axis=-1), jnp.sum(values * marks, axis=1)


def main(steps=3, lr=0.05):
    key = jax.random.PRNGKey(0)
    params = init(key)
    sequences, targets = adding_problem(key, 16, 10)
    step = jax.jit(jax.value_and_grad(loss_fn))
    for index in range(steps):
        loss, grads = step(params, sequences, targets)
        params = jax.tree_util.tree_map(lambda p, g: p - lr * g, params, grads)
        print("step", index, "loss", float(loss))


if __name__ == "__main__":
    main()
