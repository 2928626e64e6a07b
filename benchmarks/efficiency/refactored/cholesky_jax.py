"""Gaussian-process regression in JAX with a Cholesky factorisation written out by hand."""

import argparse
import math

import jax
import jax.numpy as jnp
import numpy as np

jax.config.update("jax_enable_x64", True)


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--scale", type=int, default=1)
    parser.add_argument("--steps", type=int, default=1, help="length scales to try")
    parser.add_argument("--save", default="")
    return parser.parse_args()


def make_points(count, seed=2):
    first, second = jax.random.split(jax.random.key(seed))
    places = jnp.sort(jax.random.uniform(first, (count,), minval=-3.0, maxval=3.0))
    return places, jnp.sin(2 * places) + 0.1 * jax.random.normal(second, (count,))


def kernel(left, right, length):
    return jnp.exp(-0.5 * ((left[:, None] - right[None, :]) / length) ** 2)


@jax.jit
def factor(matrix):
    rows = jnp.arange(matrix.shape[0])

    def fill(column, lower):
        rest = matrix[:, column] - lower @ lower[column]
        return lower.at[:, column].set(jnp.where(rows >= column, rest / jnp.sqrt(rest[column]), 0.0))

    return jax.lax.fori_loop(0, matrix.shape[0], fill, jnp.zeros_like(matrix))


def posterior_mean(places, values, queries, length, noise=0.1):
    covariance = kernel(places, places, length) + noise * jnp.eye(len(places))
    lower = factor(covariance)
    white = jax.scipy.linalg.solve_triangular(lower, values, lower=True)
    weights = jax.scipy.linalg.solve_triangular(lower.T, white, lower=False)
    return kernel(queries, places, length) @ weights


def main():
    args = parse_arguments()
    places, values = make_points(round(40 * math.sqrt(args.scale)))
    queries = jnp.linspace(-3.0, 3.0, 50)
    means = []
    for trial in range(args.steps):
        length = 0.4 + 0.2 * trial
        means.append(posterior_mean(places, values, queries, length))
        print(f"length scale {length:.1f}: mean at the centre {means[-1][25]:.6f}")
    if args.save:
        np.save(args.save, np.asarray(jnp.stack(means)))


if __name__ == "__main__":
    main()
