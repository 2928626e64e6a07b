"""TensorFlow: networks with variables and the losses that people write for them."""

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


def _dense(x: Any, width: int, name: str, deviation: float = 0.1) -> Any:
    with v1.variable_scope(name):
        w = variable("w", int(x.shape[1]), width, start=v1.truncated_normal_initializer(stddev=deviation))
        return tf.nn.bias_add(tf.matmul(x, w), variable("b", width, start=v1.zeros_initializer()))


@pair("log of softmax", {"image": Input((None, 16), 0, 255), "y": Input((None, 10), 0, 1)}, ["log_p"], text=True)
def cross_entropy_of_digits(sound: bool, image: Any, y: Any) -> None:
    """-sum(y log softmax), which fuzzing broke first."""
    logits = _dense(tf.nn.relu(_dense(image, 12, "hidden")), 10, "top")
    if sound:
        loss = tf.nn.softmax_cross_entropy_with_logits(labels=y, logits=logits)
    else:
        loss = -tf.reduce_sum(y * tf.math.log(tf.nn.softmax(logits), name="log_p"), axis=1)
    tf.reduce_mean(loss, name="loss")


@pair("log of softmax", {"image": Input((2, 6, 6, 1), 0, 1), "y": Input((2, 4), 0, 1)}, ["log_y"])
def convolution_and_log(sound: bool, image: Any, y: Any) -> None:
    """log(y_conv) of a small convolutional net with weights of deviation 1."""
    w = variable("w", 3, 3, 1, 4, start=v1.truncated_normal_initializer(stddev=1.0))
    maps = tf.nn.max_pool2d(tf.nn.relu(tf.nn.conv2d(image, w, 1, "SAME")), 2, 2, "VALID")
    y_conv = tf.nn.softmax(_dense(tf.reshape(maps, [2, 36]), 4, "top", 1.0))
    if sound:
        y_conv = tf.clip_by_value(y_conv, 1e-10, 1.0)
    tf.negative(tf.reduce_sum(y * tf.math.log(y_conv, name="log_y")), name="loss")


@pair("log of one minus a probability", {"real": Input((3, 4), -50, 50), "fake": Input((3, 4), -50, 50)},
      ["log_real", "log_fake"])  # fmt: skip
def discriminator(sound: bool, real: Any, fake: Any) -> None:
    """log D(real) + log(1 - D(fake)) of an adversarial net."""
    w = variable("w", 4, 1, start=v1.random_uniform_initializer(-1, 1))
    on_real, on_fake = tf.matmul(real, w), tf.matmul(fake, w)
    if sound:
        loss = tf.nn.softplus(-on_real) + tf.nn.softplus(on_fake)
    else:
        loss = -tf.math.log(tf.sigmoid(on_real), name="log_real") - tf.math.log(
            1 - tf.sigmoid(on_fake), name="log_fake"
        )
    tf.reduce_mean(loss, name="loss")


@pair("lost epsilon", {"x": Input((4, 6), -9, 9), "y": Input((4, 1), 0, 1)}, ["log_rest"])
def epsilon_before_one(sound: bool, x: Any, y: Any) -> None:
    """log(1e-10 + 1 - p), the epsilon lost; log(p + 1e-10) beside it is sound."""
    p = tf.sigmoid(_dense(x, 1, "top", 1.0))
    epsilon = tf.constant(1e-10)
    rest = tf.maximum(1.0 - p, 1e-6) if sound else epsilon + 1.0 - p
    loss = y * tf.math.log(p + 1e-10) + (1 - y) * tf.math.log(rest, name="log_rest")
    tf.reduce_mean(-loss, name="loss")


@pair("root of an exponential", {"x": Input((5, 3), -200, 200)}, ["deviation"], backward=True)
def root_of_clipped_exponential(sound: bool, x: Any) -> None:
    """sqrt(exp(clip(z, -100, 87))): e^-100 is subnormal, so the slope of the root is infinite where that is zero."""
    z = _dense(x, 2, "spread", 1.0)
    if sound:
        deviation = tf.exp(0.5 * tf.clip_by_value(z, -80.0, 80.0), name="deviation")
    else:
        deviation = tf.sqrt(tf.exp(tf.clip_by_value(z, -100.0, 87.0)), name="deviation")
    tf.identity(deviation, name="noise_scale")


@pair("gradient of a norm", {"a": Input((4, 5), -1, 1), "b": Input((4, 5), -1, 1)}, ["distance"], backward=True)
def siamese_distance(sound: bool, a: Any, b: Any) -> None:
    """The distance of two projections that can coincide."""
    w = variable("w", 5, 3)
    squared = tf.reduce_sum(tf.math.squared_difference(tf.matmul(a, w), tf.matmul(b, w)), axis=1)
    distance = tf.sqrt(tf.maximum(squared, 1e-9) if sound else squared, name="distance")
    tf.reduce_mean(tf.nn.relu(1.0 - distance), name="loss")


@pair("inverse root", {"x": Input((6, 4), -5, 5)}, ["inverse_deviation"])
def batch_norm_by_hand(sound: bool, x: Any) -> None:
    """rsqrt of a batch variance without epsilon, then a learned scale."""
    h = tf.matmul(x, variable("w", 4, 3))
    mean, variance = tf.nn.moments(h, axes=[0])
    scale = variable("gamma", 3, start=v1.ones_initializer())
    inverse = tf.math.rsqrt(variance + 1e-3 if sound else variance, name="inverse_deviation")
    tf.nn.relu((h - mean) * inverse * scale, name="out")


@pair("likelihood of a mixture", {"x": Input((3, 2), -1, 1), "y": Input((3, 1), -100, 100)}, ["log"])
def mixture_density(sound: bool, x: Any, y: Any) -> None:
    """log sum pi N(y; mu, 1): far from every mean all densities are 0."""
    pi = tf.nn.softmax(_dense(x, 4, "pi"))
    distance = -0.5 * tf.square(y - _dense(x, 4, "mean"))
    if sound:
        tf.reduce_logsumexp(tf.nn.log_softmax(_dense(x, 4, "logits")) + distance, axis=1, name="likelihood")
    else:
        tf.math.log(tf.reduce_sum(pi * tf.exp(distance), axis=1), name="log")


@pair("ratio of policies", {"new": Input((6,), -150, 0), "old": Input((6,), -150, 0), "gain": Input((6,), -2, 2)},
      ["ratio"], follow=["objective"], witness={"new": 0.0, "old": -88.5, "gain": 2.0})  # fmt: skip
def policy_ratio(sound: bool, new: Any, old: Any, gain: Any) -> None:
    """exp(log pi - log pi_old) of a rare action."""
    difference = new - old
    ratio = tf.exp(tf.clip_by_value(difference, -20.0, 20.0) if sound else difference, name="ratio")
    tf.multiply(ratio, gain, name="objective")


@pair("contrast", {"a": Input((4, 8), -1, 1), "b": Input((4, 8), -1, 1)}, ["exp", "log"], follow=["total", "share"],
      witness={"a": 1.0, "b": 0.5539})  # fmt: skip
def contrastive_loss(sound: bool, a: Any, b: Any) -> None:
    """-log(e^s_ii / sum e^s_ij) at a temperature of 1/20."""
    scores = 20.0 * tf.matmul(a, b, transpose_b=True)
    own = tf.constant(np.eye(4), tf.float32)
    if sound:
        tf.reduce_mean(-tf.reduce_sum(tf.nn.log_softmax(scores) * own, axis=1), name="loss")
    else:
        powers = tf.exp(scores, name="exp")
        share = tf.divide(powers, tf.reduce_sum(powers, axis=1, keepdims=True, name="total"), name="share")
        tf.reduce_mean(-tf.math.log(tf.reduce_sum(share * own, axis=1), name="log"), name="loss")
