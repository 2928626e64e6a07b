"""Softmax regression in JAX on labels that are turned into one-hot rows."""

import argparse

import jax
import jax.numpy as jnp
import numpy as np

CLASSES = 10


def one_hot(labels):
    rows = np.zeros((len(labels), CLASSES), np.float32)
    for i in range(len(labels)):
        rows[i, labels[i]] = 1.0
    return rows


@jax.jit
def step(weights, inputs, targets):
    def loss(weights):
        return -jnp.mean(jnp.sum(jax.nn.log_softmax(inputs @ weights) * targets, axis=1))

    value, slope = jax.value_and_grad(loss)(weights)
    return weights - 0.1 * slope, value


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--batches", type=int, default=200)
    parser.add_argument("--save", default="")
    args = parser.parse_args()
    rng = np.random.default_rng(0)
    pool = rng.standard_normal((50000, 12)).astype(np.float32)
    labels = pool[:, :CLASSES].argmax(1)
    weights = jnp.zeros((12, CLASSES))
    losses = []
    for _ in range(args.batches):
        chosen = rng.integers(0, len(pool), 20000)
        weights, loss = step(weights, pool[chosen], one_hot(labels[chosen]))
        losses.append(loss)
    result = np.asarray(jnp.stack(losses))
    print(f"loss {result[0]:.4f} to {result[-1]:.4f}")
    if args.save:
        np.save(args.save, result)


if __name__ == "__main__":
    main()
