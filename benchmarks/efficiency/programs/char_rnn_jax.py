"""A character-level GRU language model in JAX."""

import argparse
import functools

import jax
import jax.numpy as jnp
import numpy as np


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--scale", type=int, default=1, help="multiplies the length of a sequence")
    parser.add_argument("--steps", type=int, default=10)
    parser.add_argument("--save", default="")
    return parser.parse_args()


def make_codes(length, symbols, seed=4):
    """A sequence of character numbers in which each character makes a few others likely."""
    rng = np.random.default_rng(seed)
    following = rng.integers(0, symbols, (symbols, 3))
    choices = rng.integers(0, 3, length)
    codes = np.zeros(length, dtype=np.int32)
    for i in range(1, length):
        codes[i] = following[codes[i - 1], choices[i]]
    return codes


def windows(codes, batch, length, count):
    size = batch * length
    for start in range(0, count * size, size):
        piece = codes[start : start + size + 1]
        yield piece[:-1].reshape(batch, length), piece[1:].reshape(batch, length)


def frequencies(codes, symbols):
    counts = [0] * symbols
    for code in codes:
        counts[code] = counts[code] + 1
    total = len(codes)
    shares = []
    for count in counts:
        shares.append(count / total)
    return np.array(shares, dtype=np.float32)


def initial_parameters(symbols, hidden, seed=9):
    keys = jax.random.split(jax.random.key(seed), 4)
    return {
        "embedding": 0.1 * jax.random.normal(keys[0], (symbols, hidden)),
        "gates": 0.05 * jax.random.normal(keys[1], (2 * hidden, 2 * hidden)),
        "candidate": 0.05 * jax.random.normal(keys[2], (2 * hidden, hidden)),
        "head": 0.05 * jax.random.normal(keys[3], (hidden, symbols)),
    }


def cell(parameters, state, value):
    gates = jax.nn.sigmoid(jnp.concatenate([value, state], axis=1) @ parameters["gates"])
    keep, reset = jnp.split(gates, 2, axis=1)
    candidate = jnp.tanh(jnp.concatenate([value, reset * state], axis=1) @ parameters["candidate"])
    return keep * state + (1 - keep) * candidate


def run_cells(parameters, values):
    state = jnp.zeros_like(values[:, 0])
    outputs = []
    for t in range(values.shape[1]):
        state = cell(parameters, state, values[:, t])
        outputs.append(state)
    return jnp.stack(outputs, axis=1)


def loss_of(parameters, inputs, targets, prior):
    outputs = run_cells(parameters, parameters["embedding"][inputs])
    logits = outputs @ parameters["head"] + jnp.log(prior + 1e-4)
    chosen = jnp.take_along_axis(jax.nn.log_softmax(logits), targets[..., None], axis=-1)
    return -jnp.mean(chosen)


@functools.partial(jax.jit, donate_argnums=0)
def train_step(parameters, inputs, targets, prior):
    loss, gradients = jax.value_and_grad(loss_of)(parameters, inputs, targets, prior)
    return jax.tree.map(lambda value, slope: value - 0.5 * slope, parameters, gradients), loss


def main():
    args = parse_arguments()
    symbols, batch, length = 40, 16, 16 * args.scale
    codes = make_codes(batch * length * args.steps + 1, symbols)
    prior = jnp.asarray(frequencies(codes, symbols))
    parameters = initial_parameters(symbols, hidden=96)
    losses = []
    for inputs, targets in windows(codes, batch, length, args.steps):
        parameters, loss = train_step(parameters, inputs, targets, prior)
        losses.append(loss)
    result = np.asarray(jnp.stack(losses))
    print("losses", result)
    if args.save:
        np.save(args.save, result)


if __name__ == "__main__":
    main()
