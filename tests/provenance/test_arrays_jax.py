"""Functions of JAX on traced arrays."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from array_checks import check

from mlvet.runtime.provenance.arrays import install, uninstall

jax = pytest.importorskip("jax")
jnp = jax.numpy
INPUTS = np.random.default_rng(3).uniform(0.5, 2, 12)


@pytest.fixture(autouse=True)
def replaced() -> Iterator[None]:
    before = jax.config.jax_enable_x64
    jax.config.update("jax_enable_x64", True)
    install()
    yield
    uninstall()
    jax.config.update("jax_enable_x64", before)


def learned(x: Any) -> Any:
    def loss(weight: Any, data: Any) -> Any:
        return ((data * weight).sum() - 1.0) ** 2

    weight = jnp.zeros(12)
    for _ in range(3):
        weight = weight - 0.01 * jax.grad(loss)(weight, jnp.asarray(x))
    return np.asarray(weight)


CASES = {
    "functions": lambda x: np.asarray(jnp.exp(x) * 2.0 + jnp.sin(jnp.asarray(x))),
    "item": lambda x: (jnp.sum(jnp.asarray(x) ** 2).item(), jnp.dot(x[:6], x[6:]).item()),
    "list": lambda x: jnp.array([x[0], x[1] * 2]).tolist(),
    "methods": lambda x: np.asarray(jnp.asarray(x).reshape(3, 4).T.sum(axis=1)[1:]),
    "jit": lambda x: np.asarray(jax.jit(lambda a, b: jnp.tanh(a @ b))(jnp.asarray(x).reshape(3, 4), x[:4])),
    "learned": learned,
}


@pytest.mark.parametrize("name", CASES)
def test_jax(name: str) -> None:
    check(CASES[name], INPUTS)
