"""Polyak-averaged parameters for a linear model in JAX."""
from typing import NamedTuple

import jax
import jax.numpy as jnp


class Params(NamedTuple):
    weight: jax.Array
    bias: jax.Array


class State(NamedTuple):
    params: Params
    average: Params
    step: int


def init(key, inputs):
    params = Params(jax.random.normal(key, (inputs,)), jnp.zeros(()))
    return State(params=params, average=params, step=0)


def predict(params, x):
    return x @ params.weight + params.bias


@jax.jit
def gradients(params, x, y):
    return jax.grad(lambda p: jnp.mean((predict(p, x) - y) ** 2))(params)


def sgd(params, grads, lr):
    return Params(params.weight - lr * grads.weight, params.bias - lr * grads.bias)


def update(state, x, y, lr=0.05, decay=0.9):
    grads = gradients(state.params, x, y)
    params = sgd(state.params, grads, lr)
    average = jax.tree_map(lambda a, p: decay * a + (1 - decay) * p, state.average, params)
    return State(params, average, state.step + 1)


def gap(state):
    return float(jnp.abs(state.params.weight - state.average.weight).max())


def main():
    key = jax.random.PRNGKey(3)
    x = jax.random.normal(key, (40, 3))
    y = x @ jnp.array([1.0, -1.0, 2.0]) + 0.3
    state = init(key, 3)
    while state.step < 4:
        state = update(state, x, y)
        print("step", state.step, "gap", gap(state))


if __name__ == "__main__":
    main()
