"""Power iteration in JAX with a compiled multiplication."""

import argparse

import jax
import jax.numpy as jnp
import numpy as np


def make_matrix(size, seed=0):
    factor = jax.random.normal(jax.random.key(seed), (size, size))
    return factor @ factor.T / size


def largest_eigenvalue(matrix, rounds):
    vector = jnp.ones(len(matrix)) / np.sqrt(len(matrix))
    multiply = jax.jit(lambda values: matrix @ values)
    for _ in range(rounds):
        product = multiply(vector)
        vector = product / jnp.linalg.norm(product)
    return vector @ matrix @ vector


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=100)
    parser.add_argument("--save", default="")
    args = parser.parse_args()
    value = largest_eigenvalue(make_matrix(200), args.rounds)
    print(f"largest eigenvalue {value:.5f}")
    if args.save:
        np.save(args.save, np.asarray(value))


if __name__ == "__main__":
    main()
