"""Pooling over windows and over all of space."""

from __future__ import annotations

from functools import partial

from mlvet.frontends.keras.application import Call, NotLowered
from mlvet.frontends.keras.layers.convolution import SPACE, data_format
from mlvet.frontends.keras.layers.tables import layer
from mlvet.ir.graph import Value


def _pool(call: Call, op: str, space: int) -> Value:
    key = "pool_length" if "pool_length" in call.config else "pool_size"
    size = call.integers(key, space, 2)
    strides = call.integers("strides", space, size)
    padding = call.text("padding", "valid").lower()
    if padding not in ("valid", "same"):
        raise NotLowered("padding")
    return call.emit(
        op, call.x, kernel_shape=size, strides=strides, auto_pad="SAME_UPPER" if padding == "same" else "VALID",
        data_format=data_format(call, space),
    )  # fmt: skip


def _global_pool(call: Call, op: str, space: int) -> Value:
    pooled = call.emit(op, call.x, data_format=data_format(call, space))
    if call.flag("keepdims"):
        return pooled
    first = 1 if call.channels_last else 2
    return call.emit("squeeze", pooled, call.axes(*range(first, first + space)))


for _space in SPACE:
    for _name, _op in (("Max", "max_pool"), ("Average", "average_pool")):
        layer(f"{_name}Pooling{_space}D", f"{_name}Pool{_space}D")(partial(_pool, op=_op, space=_space))
        layer(f"Global{_name}Pooling{_space}D", f"Global{_name}Pool{_space}D")(
            partial(_global_pool, op=f"global_{_op}", space=_space)
        )
