"""Sentence scores by a compiled JAX function, for sentences of many lengths."""

import argparse

import jax
import jax.numpy as jnp
import numpy as np

LONGEST = 60


def make_sentences(count, seed=1):
    rng = np.random.default_rng(seed)
    return [rng.integers(1, 100, rng.integers(5, LONGEST)) for _ in range(count)]


@jax.jit
def score(table, words):
    values = table[words] * (words > 0)[..., None]
    return jnp.tanh(values.sum(-2)).sum(-1)


def scores(table, sentences):
    padded = np.zeros((len(sentences), LONGEST), np.int64)
    for row, sentence in zip(padded, sentences):
        row[: len(sentence)] = sentence
    return np.asarray(score(table, padded))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--sentences", type=int, default=100)
    parser.add_argument("--save", default="")
    args = parser.parse_args()
    table = jax.random.normal(jax.random.key(0), (100, 32))
    result = scores(table, make_sentences(args.sentences))
    print(f"mean score {result.mean():.4f}")
    if args.save:
        np.save(args.save, result)


if __name__ == "__main__":
    main()
