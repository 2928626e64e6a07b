"""TensorFlow: loops, in the form of frames and of functions."""

from __future__ import annotations

from functools import partial
from typing import Any

import tensorflow as tf

from benchmarks.numerics.corpus.case import Case, Input
from benchmarks.numerics.corpus.tensorflow_form import pair as tensorflow_pair
from benchmarks.numerics.corpus.tensorflow_form import v1

CASES: list[Case] = []
pair = partial(tensorflow_pair, CASES)


def _repeat(count: int, start: Any, step: Any) -> Any:
    """A loop of a fixed number of steps, as tf.while_loop builds it."""
    loop = v1.while_loop(lambda i, _: i < count, lambda i, x: (i + 1, step(x)), (tf.constant(0), start), name="loop")
    return loop[1]


@pair("growth in a loop", {"x": Input((3,), 1, 2)}, ["loop/doubled"], frames=True, witness={"x": 2.0})
def repeated_doubling(sound: bool, x: Any) -> None:
    """x = 2 x, 127 times."""

    def step(state: Any) -> Any:
        doubled = tf.multiply(state, 2.0, name="doubled")
        return tf.minimum(doubled, 1e6) if sound else doubled

    tf.identity(_repeat(127, x, step), name="out")


@pair("decay in a loop", {"x": Input((3,), 0.5, 1)}, ["log"], frames=True, text=True)
def repeated_decay(sound: bool, x: Any) -> None:
    """x = 0.1 x, sixty times, then log x."""
    tf.math.log(_repeat(60, x, lambda state: tf.maximum(0.1 * state, 1e-8) if sound else 0.1 * state), name="log")


@pair("iteration of Newton", {"x": Input((4,), 0, 10)}, ["step"], witness={"x": 0.0})
def newton_root(sound: bool, x: Any) -> None:
    """y = (y + x / y) / 2 from y = x, which divides 0 by 0 at once."""

    def step(y: Any) -> Any:
        quotient = tf.divide(x, tf.maximum(y, 1e-3) if sound else y, name="step")
        return 0.5 * (y + quotient)

    tf.identity(_repeat(1, x, step), name="out")


@pair("power iteration", {"x": Input((3, 3), -1, 1)}, ["unit_0"], witness={"x": 0.0})
def power_iteration(sound: bool, x: Any) -> None:
    """v = M v / |M v| of a matrix that can be 0."""

    def step(v: Any) -> Any:
        moved = tf.matmul(x, v)
        norm = tf.sqrt(tf.reduce_sum(moved * moved))
        return tf.divide(moved, tf.maximum(norm, 1e-6) if sound else norm, name="unit")

    tf.identity(_repeat(1, tf.ones([3, 1]), step), name="out")
