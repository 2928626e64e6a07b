"""Initialisers of TensorFlow variables, read from their expressions and held against what TensorFlow draws."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import mlvet
from mlvet.analyses.numerics.assumptions.initialisers import first_elements
from mlvet.ir.graph import Initialiser

KNOWN: dict[str, tuple[Callable[[Any], Any], str]] = {
    "zeros": (lambda tf: tf.zeros([3, 40]), "zeros"),
    "filled": (lambda tf: tf.fill([3, 40], 0.25), "constant"),
    "an array": (lambda tf: tf.constant(np.linspace(-2, 3, 120, dtype=np.float32).reshape(3, 40)), "elements"),
    "truncated": (lambda tf: tf.random.truncated_normal([3, 40], stddev=0.1), "truncated_normal"),
    "normal": (lambda tf: tf.random.normal([3, 40], mean=1.0, stddev=0.2), "normal"),
    "uniform": (lambda tf: tf.random.uniform([3, 40], -0.5, 0.25), "uniform"),
    "scaled from the left": (lambda tf: 0.01 * tf.random.normal([3, 40]), "normal"),
    "divided": (lambda tf: tf.random.normal([3, 40]) / np.float32(7), "normal"),
    "a computed deviation": (lambda tf: tf.random.normal([3, 40], stddev=1.0 / tf.sqrt(3 / 2.0)), "normal"),
    "negated": (lambda tf: -tf.random.uniform([3, 40]), "uniform"),
    "shifted down": (lambda tf: tf.random.uniform([3, 40]) - 0.5, "uniform"),
    "reshaped": (lambda tf: tf.reshape(tf.random.normal([120], stddev=0.3), [3, 40]), "normal"),
    "a sum of two": (lambda tf: tf.random.uniform([3, 40]) + tf.random.uniform([3, 40]), "elements"),
    "a product of two": (lambda tf: tf.random.uniform([3, 40], -2) * tf.random.uniform([3, 40]), "elements"),
    "identity": (lambda tf: tf.eye(5), "elements"),
    "counted": (lambda tf: tf.range(1.0, 5.0), "elements"),
    "integers": (lambda tf: tf.random.uniform([40], 0, 10, dtype=tf.int32), "elements"),
    "glorot": (lambda tf: tf.compat.v1.glorot_uniform_initializer()([3, 40]), "uniform"),
    "he": (lambda tf: tf.compat.v1.variance_scaling_initializer(2.0)([3, 40]), "truncated_normal"),
    "orthogonal": (lambda tf: tf.compat.v1.orthogonal_initializer(2.0)([5, 5]), "elements"),
}
UNKNOWN: dict[str, Callable[[Any], Any]] = {
    "by a random number": lambda tf: 1.0 / tf.random.uniform([3]),
    "of another kind": lambda tf: tf.random.gamma([3], 1.0),
    "of an input": lambda tf: tf.compat.v1.placeholder(tf.float32, [3]) * 2.0,
    "infinite": lambda tf: tf.constant([1.0, float("inf")]),
    "not a number": lambda tf: tf.constant([1.0, float("nan")]),
}


def read(make: Callable[[Any], Any], *, resource: bool, draw: bool = True) -> tuple[Initialiser | None, Any]:
    """The initialiser of one variable as mlvet reads it, and elements that TensorFlow draws."""
    import tensorflow as tf

    with tf.Graph().as_default() as graph:
        variable = tf.compat.v1.Variable(make(tf), name="w", use_resource=resource)
        (parameter,) = mlvet.from_tensorflow(graph).parameters
        if not draw:
            return parameter.initialiser, None
        with tf.compat.v1.Session() as session:
            session.run(variable.initializer)
            return parameter.initialiser, session.run(variable)


@pytest.mark.parametrize("resource", [False, True], ids=["reference", "resource"])
@pytest.mark.parametrize("name", KNOWN)
def test_what_is_drawn_is_in_the_range(name: str, resource: bool) -> None:
    from mlvet.domains import dtypes
    from mlvet.domains.tensors import Tensor

    make, kind = KNOWN[name]
    found, drawn = read(make, resource=resource)
    assert found is not None
    assert found.name == kind
    interval = first_elements(found, Tensor(dtypes.f32, drawn.shape))
    assert interval is not None
    assert interval.low <= drawn.min() + 1e-6
    assert drawn.max() - 1e-6 <= interval.high
    assert interval.width <= 8 * max(drawn.max() - drawn.min(), 1e-9), "far too wide"


@pytest.mark.parametrize("name", UNKNOWN)
def test_what_cannot_be_told_is_not(name: str) -> None:
    assert read(UNKNOWN[name], resource=True, draw=False)[0] is None


@pytest.mark.parametrize("resource", [False, True], ids=["reference", "resource"])
def test_a_variable_can_start_as_another(resource: bool) -> None:
    import tensorflow as tf

    with tf.Graph().as_default() as graph:
        first = tf.compat.v1.Variable(tf.random.truncated_normal([3], stddev=0.5), name="first", use_resource=resource)
        tf.compat.v1.Variable(first * 2.0, name="second", use_resource=resource)
        found = {parameter.name: parameter.initialiser for parameter in mlvet.from_tensorflow(graph).parameters}
    assert found["second"] == Initialiser("truncated_normal", (("mean", 0.0), ("stddev", 1.0)))


def test_a_later_assignment_is_not_the_initialiser() -> None:
    import tensorflow as tf

    with tf.Graph().as_default() as graph:
        variable = tf.compat.v1.Variable(tf.zeros([2]), name="w", use_resource=True)
        tf.compat.v1.assign(variable, [5.0, 6.0], name="later")
        (parameter,) = mlvet.from_tensorflow(graph).parameters
    assert parameter.initialiser == Initialiser("zeros")


def test_an_expression_that_shares_its_parts_is_read_once() -> None:
    def doubled(tf: Any) -> Any:
        value = tf.random.uniform([3])
        for _ in range(30):
            value = value + value
        return value

    found, _ = read(doubled, resource=True, draw=False)
    assert found is not None
    assert dict(found.figures)["high"] == 2.0**30
