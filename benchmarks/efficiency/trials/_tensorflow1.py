"""Programs of the first TensorFlow, run by `compat.v1`; layers that it no longer has are made of their operators."""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import ModuleType, SimpleNamespace
from typing import Any


def first_tensorflow() -> Any:
    """Let `tensorflow` be what it was, and return it."""
    import tensorflow as tf

    old: Any = tf.compat.v1
    old.disable_v2_behavior()
    program = ModuleType("tensorflow")
    vars(program).update(__getattr__=lambda name: getattr(old, name), layers=SimpleNamespace(dense=_dense))
    sys.modules["tensorflow"] = program
    return old


def _dense(
    inputs: Any,
    units: int,
    activation: Callable[[Any], Any] | None = None,
    name: str | None = None,
    reuse: bool | None = None,
) -> Any:
    """A product, a bias and an activation, with variables as `tf.layers.dense` makes them."""
    tf: Any = sys.modules["tensorflow"]
    with tf.variable_scope(name, default_name="dense", reuse=reuse):
        kernel = tf.get_variable("kernel", [int(inputs.shape[-1]), units], initializer=tf.glorot_uniform_initializer())
        bias = tf.get_variable("bias", [units], initializer=tf.zeros_initializer())
        found = tf.nn.bias_add(tf.matmul(inputs, kernel), bias)
        return found if activation is None else activation(found)
