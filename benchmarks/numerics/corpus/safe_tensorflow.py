"""Safe patterns as TensorFlow graphs."""

from __future__ import annotations

from functools import partial
from typing import Any

import tensorflow as tf

from benchmarks.numerics.corpus.case import Case, Input
from benchmarks.numerics.corpus.tensorflow_form import sound, variable

CASES: list[Case] = []
safe = partial(sound, CASES)


@safe("stable softmax", {"x": Input((None, 10), -1000, 1000)})
def stable_softmax(x: Any) -> None:
    """The largest element is subtracted, so the sum is at least 1."""
    powers = tf.exp(x - tf.reduce_max(x, axis=-1, keepdims=True))
    tf.divide(powers, tf.reduce_sum(powers, axis=-1, keepdims=True), name="softmax")


@safe("log-sum-exp", {"x": Input((None, 10), -1000, 1000)})
def log_sum_exp(x: Any) -> None:
    """TensorFlow's own composition, with its guard against an infinite maximum."""
    tf.reduce_logsumexp(x, axis=1, name="out")


@safe("layer norm", {"x": Input((4, 8), -100, 100)})
def layer_norm(x: Any) -> None:
    """The mean of d * d is not negative; what comes before is trained."""
    h = tf.matmul(x, variable("w", 8, 6))
    d = h - tf.reduce_mean(h, axis=1, keepdims=True)
    tf.multiply(d, tf.math.rsqrt(tf.reduce_mean(d * d, axis=1, keepdims=True) + 1e-5), name="normal")


@safe("unit length", {"x": Input((4, 8), -100, 100)}, text=True)
def unit_length(x: Any) -> None:
    """x / sqrt(sum x * x + eps)."""
    tf.divide(x, tf.sqrt(tf.reduce_sum(x * x, axis=1, keepdims=True) + 1e-6), name="unit")


@safe("guarded log", {"x": Input((3, 3), -5, 5)}, guarded=("log",), text=True)
def guarded_log(x: Any) -> None:
    """where(x > 0, log x, 0)."""
    tf.where(x > 0.0, tf.math.log(x, name="log"), tf.zeros_like(x), name="out")


@safe("bounded quotient", {"x": Input((None,), -1000, 1000)})
def bounded_quotient(x: Any) -> None:
    """x / (x * x + 1)."""
    tf.divide(x, tf.square(x) + 1.0, name="out")


@safe("perfect square", {"x": Input((None,), -10, 10)})
def root_of_square(x: Any) -> None:
    """sqrt(x * x - 2 x + 1)."""
    tf.sqrt(x * x - 2.0 * x + 1.0, name="out")


@safe("rectangle", {"center": Input((100, 2), 0, 100), "offset": Input((100, 2), 1, 10)})
def rectangle(center: Any, offset: Any) -> None:
    """The center cancels [DEBAR 2]."""
    left, bottom, right, top = tf.split(tf.concat([center - offset, center + offset], 1), 4, axis=1)
    tf.math.reciprocal((right - left) * (top - bottom), name="inverse")


@safe("two halves of a number", {"a": Input((4, 5), -1, 1)})
def two_halves(a: Any) -> None:
    """relu(a) - relu(-a) is a, so the divisor is 1."""
    tf.divide(a, tf.nn.relu(a) - tf.nn.relu(-a) - a + 1.0, name="out")
