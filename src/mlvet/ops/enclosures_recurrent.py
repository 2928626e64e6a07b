"""Enclosures of recurrent layers, from the images of their activations and the number of steps."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from math import inf, isfinite
from typing import Any

from mlvet.domains.dtypes import DType
from mlvet.domains.intervals import Interval
from mlvet.ops.enclosures import (
    SHARE,
    UNIT,
    ZERO,
    Operands,
    Tensors,
    anything,
    bounded,
    count,
    dim_of,
    has_nan,
    internal,
    many,
    one,
    overflows,
    real_of,
    settled,
    size_of,
    symmetric,
    with_nan,
)

DEFAULTS = {"rnn": ("tanh",), "gru": ("sigmoid", "tanh"), "lstm": ("sigmoid", "tanh", "tanh")}
IMAGES = {"tanh": UNIT, "softsign": UNIT, "sigmoid": SHARE, "hardsigmoid": SHARE}
FOLLOWED = 4096
"""Layers of more steps than this whose state grows with each of them may reach anything."""


def _image(name: str) -> Interval | None:
    """The image of an activation with a bounded one, whatever its parameters."""
    return IMAGES.get(name.lower())


def _get(operands: Operands, index: int) -> Interval | None:
    return operands[index] if index < len(operands) else None


def _fed(operands: Operands, tensors: Tensors, parts: tuple[int, int, int], hidden: float, columns: int) -> float:
    """The greatest magnitude that a gate can be fed with, if the hidden state is at most `hidden`."""
    x, w, r = (operands[index] for index in parts)
    assert x is not None
    assert w is not None
    assert r is not None
    features, size = (count(dim_of(tensors[index], columns))[1] for index in parts[1:])
    return features * size_of(x) * size_of(w) + size * hidden * size_of(r)


def _steps(tensors: Tensors, layout: int) -> float:
    return count(dim_of(tensors[0], 1 if layout else 0))[1]


def _layer(
    kind: str,
    operands: Operands,
    tensors: Tensors,
    activations: Sequence[str] | None = None,
    layout: int = 0,
    direction: str = "forward",
    **_: Any,
) -> tuple[Interval, ...]:
    dtype = real_of(tensors[0])
    results = 3 if kind == "lstm" else 2
    unknown = (anything(dtype),) * results
    given = [x for index, x in enumerate(operands) if index != 4]
    if dtype is None or not bounded(*given):
        return unknown
    names = [name.lower() for name in activations or DEFAULTS[kind] * (2 if direction == "bidirectional" else 1)]
    h0, c0 = _get(operands, 5) or ZERO, (_get(operands, 6) if kind == "lstm" else None) or ZERO
    steps, bias = _steps(tensors, layout), 2 * size_of(_get(operands, 3) or ZERO)
    feed = partial(_fed, operands, tensors, (0, 1, 2), columns=2)
    width = len(DEFAULTS[kind])
    groups = [names[at : at + width] for at in range(0, len(names), width)]
    if any(len(group) < width for group in groups):
        return unknown
    kinds = internal(dtype)
    if kind == "rnn":
        found = [_simple(group[0], h0, steps, feed, bias, kinds) for group in groups]
        if None in found:
            return unknown
        hidden = _hull(found)
        cell, peeped = ZERO, 0.0
    else:
        gates = [_image(group[0]) for group in groups]
        images = [_image(name) for group in groups for name in group[1:]]
        if any(gate is not SHARE for gate in gates) or None in images:
            return unknown
        outputs = _hull(images)
        hidden = h0.join(outputs)
        cell = _grown(c0, steps, size_of(outputs)) if kind == "lstm" else ZERO
        peeped = size_of(_get(operands, 7) or ZERO) * size_of(cell) if kind == "lstm" else 0.0
        if kind == "gru":
            hidden = hidden.join(symmetric(size_of(hidden) * (1 + min(4 * steps * kinds.epsilon, 1.0))))
    reach = 2 * (feed(hidden=size_of(hidden)) + bias + peeped)
    nan = has_nan(given) or overflows(reach, kinds) or not isfinite(reach)
    hull = hidden.join(ZERO)
    states = [settled(hull, dtype, image=hull), settled(hidden, dtype, image=hidden)]
    if kind == "lstm":
        states.append(settled(cell, dtype))
    return tuple(with_nan(state, nan) for state in states)


def _hull(images: Sequence[Interval | None]) -> Interval:
    found = ZERO
    for image in images:
        found = found.join(image) if image is not None else found
    return found


def _grown(c0: Interval, steps: float, each: float) -> Interval:
    """A cell that forgets some of itself and takes in at most `each` at every step."""
    return symmetric((size_of(c0) + steps * each) * (1 + min(8 * steps * 2.0**-23, 1.0)))


def _simple(name: str, h0: Interval, steps: float, feed: Any, bias: float, dtype: DType) -> Interval | None:
    """States of a layer without gates; those of relu grow with what they are fed."""
    image = _image(name)
    if image is not None:
        return h0.join(image)
    if name != "relu" or steps > FOLLOWED:
        return None
    size = size_of(h0)
    for _ in range(int(steps)):
        size = max(size, (feed(hidden=size) + bias) * (1 + 2.0**-10))
        if overflows(size, dtype):
            return None
    return Interval(min(h0.low, 0.0), size)


RNN, GRU, LSTM = (many(partial(_layer, kind)) for kind in ("rnn", "gru", "lstm"))


def _reach(operands: Operands, tensors: Tensors, weights: int) -> float:
    """What the gates of a cell are fed with at most; the weights are operands `weights` and the next."""
    h = operands[1]
    assert h is not None
    fed = _fed(operands, tensors, (0, weights, weights + 1), size_of(h), 1)
    return fed + sum(size_of(b) for b in operands[weights + 2 : weights + 4] if b is not None)


def _simple_cell(operands: Operands, tensors: Tensors, dtype: DType, nonlinearity: str = "tanh") -> Interval:
    reach = _reach(operands, tensors, 2)
    nan = overflows(2 * reach, internal(dtype))
    if nonlinearity == "tanh":
        return with_nan(UNIT, nan)
    return with_nan(settled(Interval(0.0, reach * (1 + 2.0**-10)), dtype, image=Interval(0.0, inf)), nan)


def _gated_cell(operands: Operands, tensors: Tensors, dtype: DType) -> Interval:
    h = operands[1]
    assert h is not None
    nan = overflows(2 * _reach(operands, tensors, 2), internal(dtype))
    hull = h.join(UNIT)
    return with_nan(settled(hull, dtype, scale=size_of(hull)), nan)


def _memory_cell(operands: Operands, tensors: Tensors) -> tuple[Interval, ...]:
    dtype = real_of(tensors[0])
    c = operands[2]
    if dtype is None or c is None or not bounded(*operands):
        return anything(dtype), anything(dtype)
    nan = has_nan(operands) or overflows(2 * _reach(operands, tensors, 3), internal(dtype))
    return with_nan(UNIT, nan), with_nan(settled(_grown(c, 1.0, 1.0), dtype), nan)


RNN_CELL, GRU_CELL, LSTM_CELL = one(_simple_cell), one(_gated_cell), many(_memory_cell)
