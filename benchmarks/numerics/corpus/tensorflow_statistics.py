"""TensorFlow: means, metrics and physics."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import tensorflow as tf

from benchmarks.numerics.corpus.case import Case, Input
from benchmarks.numerics.corpus.tensorflow_form import pair as tensorflow_pair
from benchmarks.numerics.corpus.tensorflow_form import v1, variable

CASES: list[Case] = []
pair = partial(tensorflow_pair, CASES)


@pair("division by a count", {"x": Input((None, 6), -10, 10), "mask": Input((None, 6), 0, 1)}, ["mean"])
def masked_mean(sound: bool, x: Any, mask: Any) -> None:
    """A mean over what a mask keeps, which can be nothing."""
    count = tf.reduce_sum(mask, axis=1)
    tf.divide(tf.reduce_sum(x * mask, axis=1), tf.maximum(count, 1.0) if sound else count, name="mean")


@pair("zero norm", {"x": Input((4, 8), -1, 1)}, ["unit"])
def unit_rows(sound: bool, x: Any) -> None:
    """A stored projection, then rows of length 1."""
    projected = tf.matmul(x, tf.constant(np.random.default_rng(5).standard_normal((8, 4)), tf.float32))
    if sound:
        tf.math.l2_normalize(projected, axis=1, name="unit")
    else:
        tf.divide(projected, tf.sqrt(tf.reduce_sum(tf.square(projected), axis=1, keepdims=True)), name="unit")


@pair("inverse distance", {"points": Input((5, 2), 0, 1), "sites": Input((5, 2), 0, 1)}, ["weight"],
      follow=["total"], witness={"points": [0.0, 1.1e-19], "sites": 0.0})  # fmt: skip
def inverse_distance_weights(sound: bool, points: Any, sites: Any) -> None:
    """1 / d^2 over its sum, at a site itself."""
    squared = tf.reduce_sum(tf.square(points[:, None, :] - sites[None, :, :]), axis=2)
    weight = tf.math.reciprocal(squared + 1e-4 if sound else squared, name="weight")
    tf.divide(weight, tf.reduce_sum(weight, axis=1, keepdims=True, name="total"), name="share")


COUNT = Input((4,), 0, 100)


@pair("score of a classifier", {"hit": COUNT, "wrong": COUNT, "missed": COUNT},
      ["precision", "recall", "score"], witness={"hit": 0.0, "wrong": 1.0, "missed": 1.0})  # fmt: skip
def f_score(sound: bool, hit: Any, wrong: Any, missed: Any) -> None:
    """2 P R / (P + R), where each quotient can be 0 / 0."""
    small = 1e-6 if sound else 0.0
    precision = tf.divide(hit, hit + wrong + small, name="precision")
    recall = tf.divide(hit, hit + missed + small, name="recall")
    tf.divide(2.0 * precision * recall, precision + recall + small, name="score")


@pair("zero to a negative power", {"count": Input((20,), 0, 1e6)}, ["weight"])
def inverse_frequency(sound: bool, count: Any) -> None:
    """count^-0.75 of a word that never occurs."""
    tf.pow(tf.maximum(count, 1.0) if sound else count, -0.75, name="weight")


@pair("logarithm of an error", {"a": Input((2, 4, 4, 1), 0, 1), "b": Input((2, 4, 4, 1), 0, 1)}, ["inverse"])
def peak_signal_to_noise(sound: bool, a: Any, b: Any) -> None:
    """10 log10(1 / mse) of equal pictures; the sound form subtracts a bounded logarithm."""
    error = tf.reduce_mean(tf.math.squared_difference(a, b), axis=[1, 2, 3])
    if sound:
        tf.multiply(tf.math.log(tf.maximum(error, 1e-10)), -10.0 / np.log(10.0), name="decibel")
    else:
        ratio = tf.divide(1.0, error, name="inverse")
        tf.multiply(tf.math.log(ratio), 10.0 / np.log(10.0), name="decibel")


@pair("angle", {"index": Input((6,), 1, 1.5), "angle": Input((6,), 0, 1.5)}, ["refracted"])
def refraction(sound: bool, index: Any, angle: Any) -> None:
    """asin(n sin a) past total reflection."""
    sine = index * tf.sin(angle)
    tf.asin(tf.clip_by_value(sine, -1.0, 1.0) if sound else sine, name="refracted")


@pair("half-precision overflow", {"gradient": Input((3, 40), -100, 100, "float16")}, ["squares"])
def gradient_norm(sound: bool, gradient: Any) -> None:
    """The global norm of gradients in half precision."""
    if sound:
        gradient = tf.cast(gradient, tf.float32)
    total = tf.reduce_sum(gradient * gradient, name="squares")
    tf.sqrt(total, name="norm")


@pair("cancellation", {"x": Input((3, 20), 500, 501)}, ["deviation"], text=True)
def deviation_by_moments(sound: bool, x: Any) -> None:
    """sqrt(E[x^2] - E[x]^2)."""
    if sound:
        variance = tf.math.reduce_variance(x, axis=1) + 1e-6
    else:
        variance = tf.reduce_mean(tf.square(x), axis=1) - tf.square(tf.reduce_mean(x, axis=1))
    tf.sqrt(variance, name="deviation")


@pair("learned scale", {"x": Input((4, 3), -1, 1)}, ["scaled"])
def division_by_a_variable(sound: bool, x: Any) -> None:
    """A learned temperature that starts at 0; the sound form learns its logarithm."""
    start = variable("temperature", 1, start=v1.zeros_initializer())
    scale = tf.exp(tf.clip_by_value(start, -5.0, 5.0)) if sound else start
    tf.divide(tf.matmul(x, variable("w", 3, 3)), scale, name="scaled")


@pair("division by a count", {"total": Input((5,), -100, 100), "count": Input((5,), 0, 50, "int32")}, ["mean"],
      text=True)  # fmt: skip
def mean_of_neighbours(sound: bool, total: Any, count: Any) -> None:
    """A mean over neighbours, of which a node can have none; the sound form yields 0 for it."""
    divide = tf.math.divide_no_nan if sound else tf.divide
    divide(total, tf.cast(count, tf.float32), name="mean")
