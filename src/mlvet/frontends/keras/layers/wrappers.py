"""Layers around another layer: Bidirectional, TimeDistributed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from mlvet.domains.tensors import unknown
from mlvet.frontends.keras.application import Call, NotLowered, values_in
from mlvet.frontends.keras.config import LayerConfig, layer_config
from mlvet.frontends.keras.layers.recurrent import result_of, run, states_of
from mlvet.frontends.keras.layers.tables import layer
from mlvet.ir.graph import Value


def _inner(call: Call, key: str = "layer") -> LayerConfig:
    raw = call.option(key)
    if not isinstance(raw, Mapping):
        raise NotLowered(key)
    return layer_config(raw)


@layer("TimeDistributed")
def _time_distributed(call: Call) -> Value:
    """The steps join the batch, the layer is applied once, and the steps are parted from the batch again."""
    x = call.x
    call.rank(x)
    inner = call.within("layer", _inner(call))
    rest = call.emit("shape", x, part="rest", start=2)
    joined = call.emit("concat", call.constant("joined", np.asarray([-1], np.int64)), rest, part="joined_shape", axis=0)
    folded = call.emit("reshape", x, joined, part="fold")
    results = call.lowering.layer(inner, [folded], {}, [unknown(inner.path)])
    if len(results) != 1:
        raise NotLowered("several results")
    first = call.emit("shape", x, part="steps", start=0, end=2)
    last = call.emit("shape", results[0], part="result", start=1)
    shape = call.emit("concat", first, last, part="parted_shape", axis=0)
    return call.emit("reshape", results[0], shape)


@layer("Bidirectional")
def _bidirectional(call: Call) -> Value | tuple[Value, ...]:
    forward = _inner(call)
    backward = _inner(call, "backward_layer") if call.option("backward_layer") is not None else None
    if backward is None:
        backward = replace(forward, name=f"backward_{forward.name}")
        forward = replace(forward, name=f"forward_{forward.name}")
    given = call.inputs[1:] or list(values_in(call.kwargs.get("initial_state")))
    half = len(given) // 2
    sides: list[tuple[Call, tuple[Value, ...]]] = []
    for attribute, each, states in (
        ("forward_layer", forward, given[:half]), ("backward_layer", backward, given[half:]),
    ):  # fmt: skip
        inner = Call(call.lowering, call.within(attribute, each), [call.x], {})
        sides.append((inner, run(inner, reverse=attribute == "backward_layer", given=states)))
    ahead, behind = (result_of(inner, outputs) for inner, outputs in sides)
    mode = call.option("merge_mode", "concat")
    merged: tuple[Value, ...]
    if mode is None:
        merged = (ahead, behind)
    elif mode == "concat":
        merged = (call.emit("concat", ahead, behind, axis=-1),)
    elif mode in ("sum", "ave", "mul"):
        total = call.emit("mul" if mode == "mul" else "add", ahead, behind)
        merged = (call.emit("div", total, call.scalar(2, total, "two")) if mode == "ave" else total,)
    else:
        raise NotLowered("merge_mode")
    if sides[0][0].flag("return_state"):
        return (*merged, *(state for inner, outputs in sides for state in states_of(inner, outputs)))
    return merged
