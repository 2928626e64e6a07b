"""Sampling primitives."""
import math


def uniform(rng, low, high):
    return rng.uniform(low, high)


def log_uniform(rng, low, high):
    return math.exp(rng.uniform(math.log(low), math.log(high)))


def integer(rng, low, high):
    return rng.randint(low, high)
