"""Count bits with a gated recurrent network: lax.scan over time and vmap over the batch."""

import jax
import jax.numpy as jnp
import numpy as np
import optax
from jax import lax

HIDDEN = 20
BITS = 3
STEPS = 15
OUTPUTS = 4


def glorot(key, shape):
    return jax.random.normal(key, shape) * jnp.sqrt(2.0 / sum(shape))


def init_params(key):
    k = jax.random.split(key, 6)
    return {
        "wx": glorot(k[0], (BITS, 3 * HIDDEN)),
        "wh": glorot(k[1], (HIDDEN, 3 * HIDDEN)),
        "b": jnp.zeros((3 * HIDDEN,)),
        "query": glorot(k[2], (HIDDEN, HIDDEN)),
        "w1": glorot(k[3], (2 * HIDDEN, 16)),
        "b1": jnp.zeros((16,)),
        "w2": glorot(k[4], (16, OUTPUTS)),
        "b2": jnp.zeros((OUTPUTS,)),
    }


def gru(params, h, x):
    gx = jnp.dot(x, params["wx"]) + params["b"]
    gh = jnp.dot(h, params["wh"])
    rx, zx, nx = jnp.split(gx, 3)
    rh, zh, nh = jnp.split(gh, 3)
    r = jax.nn.sigmoid(rx + rh)
    z = jax.nn.sigmoid(zx + zh)
    n = jnp.tanh(nx + r * nh)
    h = (1 - z) * n + z * h
    return h, h


def encode(params, sequence):
    start = jnp.zeros((HIDDEN,))
    last, states = lax.scan(lambda h, x: gru(params, h, x), start, sequence)
    weights = jax.nn.softmax(states @ params["query"] @ last)
    context = jnp.matmul(weights.reshape(1, STEPS), states)
    return jnp.concatenate([jnp.squeeze(context, 0), last])


def predict(params, sequences):
    features = jax.vmap(encode, in_axes=(None, 0))(params, sequences)
    hidden = jax.nn.relu(jnp.dot(features, params["w1"]) + params["b1"])
    return jnp.dot(hidden, params["w2"]) + params["b2"]


def objective(params, sequences, counts):
    predicted = predict(params, sequences)
    return jnp.mean(jnp.square(predicted - counts))


def make_batch(rng, size):
    bits = rng.integers(0, 2, (STEPS, size, BITS)).astype(np.float32)
    bits = np.swapaxes(bits, 0, 1)
    each = bits.sum(axis=1)
    total = each.sum(axis=1).reshape(-1, 1)
    counts = np.concatenate([each, total], axis=1) / STEPS
    return jnp.asarray(bits), jnp.asarray(counts)


def train(steps=6, size=16):
    rng = np.random.default_rng(0)
    params = init_params(jax.random.PRNGKey(0))
    schedule = optax.cosine_decay_schedule(1e-2, steps)
    optimizer = optax.adam(schedule)
    state = optimizer.init(params)

    @jax.jit
    def step(params, state, sequences, counts):
        loss, grads = jax.value_and_grad(objective)(params, sequences, counts)
        updates, state = optimizer.update(grads, state)
        return optax.apply_updates(params, updates), state, loss

    for number in range(steps):
        sequences, counts = make_batch(rng, size)
        params, state, loss = step(params, state, sequences, counts)
        print(f"step {number} loss {float(loss):.4f}")
    return params


if __name__ == "__main__":
    trained = train()
    sequences, counts = make_batch(np.random.default_rng(1), 5)
    error = jnp.abs(predict(trained, sequences) - counts)
    table = np.asarray(error).reshape((5, OUTPUTS))
    print(table.mean(axis=0), jnp.linalg.norm(jnp.ravel(error)))
