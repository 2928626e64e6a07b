"""TensorFlow: the paper's example and its eight unsafe operators, each in a little context [DEBAR table 1]."""

from __future__ import annotations

from functools import partial
from typing import Any

import tensorflow as tf

from benchmarks.numerics.corpus.case import Case, Input
from benchmarks.numerics.corpus.tensorflow_form import pair as tensorflow_pair
from benchmarks.numerics.corpus.tensorflow_form import variable

CASES: list[Case] = []
pair = partial(tensorflow_pair, CASES)


@pair("rectangle", {"center": Input((100, 2), -50, 50), "offset": Input((100, 2), 0, 10)}, ["inverse"],
      fixed={"offset": (1, 10)}, text=True)  # fmt: skip
def rectangle(_: bool, center: Any, offset: Any) -> None:
    """As the paper draws it: corners, split into four sides, and the reciprocal of the area [DEBAR 2]."""
    corners = tf.concat([center - offset, center + offset], axis=1)
    left, bottom, right, top = tf.split(corners, 4, axis=1)
    tf.math.reciprocal((right - left) * (top - bottom), name="inverse")


@pair("exp overflow", {"x": Input((None, 4), -3, 3)}, ["exp"])
def exponential(sound: bool, x: Any) -> None:
    """A rate from a dense layer; weights start in [-20, 20]."""
    w = variable("w", 4, 2, start=tf.compat.v1.random_uniform_initializer(-20, 20))
    rate = tf.matmul(x, w)
    tf.exp(tf.minimum(rate, 50.0) if sound else rate, name="exp")


@pair("expm1 overflow", {"x": Input((3, 4), -1000, 1000)}, ["growth"])
def exponential_less_one(sound: bool, x: Any) -> None:
    """e^x - 1 of a scaled feature."""
    tf.math.expm1(tf.clip_by_value(x * 0.5, -100.0, 80.0) if sound else x * 0.5, name="growth")


@pair("log of zero", {"x": Input((4, 3), 0, 100)}, ["log"], text=True)
def logarithm(sound: bool, x: Any) -> None:
    """The logarithm of counts."""
    tf.math.log(x + 1.0 if sound else x, name="log")


@pair("log1p", {"x": Input((4, 3), -2, 2)}, ["log1p"])
def logarithm_of_one_plus(sound: bool, x: Any) -> None:
    """log(1 + x) below -1."""
    tf.math.log1p(tf.nn.relu(x) if sound else x, name="log1p")


@pair("division by zero", {"a": Input((4, 3), -1, 1), "b": Input((4, 3), -1, 1)}, ["quotient"])
def quotient(sound: bool, a: Any, b: Any) -> None:
    """A ratio of differences; the sound form keeps the sign and stays away from 0."""
    if sound:
        b = tf.where(b < 0.0, tf.minimum(b, -1e-3), tf.maximum(b, 1e-3))
    tf.divide(a, b, name="quotient")


@pair("division by zero", {"x": Input((5,), -10, 10)}, ["inverse"])
def inverse(sound: bool, x: Any) -> None:
    """The inverse of an absolute value."""
    tf.math.reciprocal(tf.abs(x) + 0.1 if sound else tf.abs(x), name="inverse")


@pair("root of a negative number", {"x": Input((2, 3), -4, 4)}, ["root"], text=True)
def square_root(sound: bool, x: Any) -> None:
    """The root of x^2 - 1."""
    squared = tf.square(x) - 1.0
    tf.sqrt(tf.nn.relu(squared) if sound else squared, name="root")


@pair("inverse root", {"x": Input((2, 3), 0, 4)}, ["inverse_root"])
def inverse_square_root(sound: bool, x: Any) -> None:
    """The inverse root of a second moment."""
    tf.math.rsqrt(tf.square(x) + 1e-5 if sound else tf.square(x), name="inverse_root")
