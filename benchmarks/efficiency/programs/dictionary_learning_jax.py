"""Sparse codes over a learned dictionary by iterative shrinkage, written for JAX."""

import argparse
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np


class Problem(NamedTuple):
    dictionary: jax.Array
    signals: jax.Array
    penalty: float


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--scale", type=int, default=1)
    parser.add_argument("--steps", type=int, default=300)
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--save", default="")
    return parser.parse_args()


def make_problem(features, atoms, count, penalty, seed=11):
    first, second, third = jax.random.split(jax.random.key(seed), 3)
    dictionary = jax.random.normal(first, (atoms, features))
    dictionary = dictionary / jnp.linalg.norm(dictionary, axis=1, keepdims=True)
    chosen = jax.random.bernoulli(second, 0.05, (atoms, count))
    codes = chosen * jax.random.normal(third, (atoms, count))
    return Problem(dictionary, dictionary.T @ codes, penalty)


def soft_threshold(values, amount):
    return jnp.sign(values) * jnp.maximum(jnp.abs(values) - amount, 0.0)


@jax.jit
def shrinkage_step(dictionary, signals, codes, rate, penalty):
    direction = dictionary @ (signals - dictionary.T @ codes)
    return soft_threshold(codes + rate * direction, rate * penalty)


@jax.jit
def dictionary_step(dictionary, signals, codes):
    direction = (signals - dictionary.T @ codes) @ codes.T
    moved = dictionary + 1e-3 * direction.T
    return moved / jnp.linalg.norm(moved, axis=1, keepdims=True)


@jax.jit
def objective(dictionary, signals, codes, penalty):
    residual = signals - dictionary.T @ codes
    return 0.5 * jnp.mean(residual**2) + penalty * jnp.mean(jnp.abs(codes))


def infer_codes(problem, steps, rate=0.15):
    dictionary, signals, penalty = problem
    codes = jnp.zeros((dictionary.shape[0], signals.shape[1]))
    for _ in range(steps):
        codes = shrinkage_step(dictionary, signals, codes, rate, penalty)
    return codes


def learn(problem, rounds, steps):
    losses = []
    codes = None
    for _ in range(rounds):
        codes = infer_codes(problem, steps)
        losses.append(objective(*problem[:2], codes, problem.penalty))
        refined = problem.dictionary
        for _ in range(5):
            refined = dictionary_step(refined, problem.signals, codes)
        problem = problem._replace(dictionary=refined)
    return codes, jnp.stack(losses)


def main():
    args = parse_arguments()
    problem = make_problem(features=1200, atoms=300, count=800 * args.scale, penalty=0.02)
    codes, losses = learn(problem, args.rounds, args.steps)
    print("losses", np.asarray(losses), "active", float(jnp.mean(codes != 0)))
    if args.save:
        np.save(args.save, np.asarray(losses))


if __name__ == "__main__":
    main()
