"""How a variable gets its first elements: the distribution that its initialising expression draws from."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from math import isfinite, sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mlvet.frontends.tensorflow.flow import Flow, Port, Step
from mlvet.frontends.tensorflow.tensors import constant
from mlvet.ir.graph import Initialiser

_DEEPEST = 32
_MOST_ELEMENTS = 1_000_000
_SAME_ELEMENTS = frozenset({
    "BroadcastTo", "Cast", "Enter", "ExpandDims", "Identity", "PlaceholderWithDefault", "ReadVariableOp", "Reshape",
    "Reverse", "ReverseV2", "Slice", "Squeeze", "StopGradient", "StridedSlice", "Switch", "Tile",
    "Transpose",
})  # fmt: skip
_IS_INITIALISED = frozenset({"IsVariableInitialized", "VarIsInitializedOp"})
_STANDARD = {
    "TruncatedNormal": "truncated_normal",
    "StatelessTruncatedNormal": "truncated_normal",
    "StatelessTruncatedNormalV2": "truncated_normal",
    "RandomStandardNormal": "normal",
    "StatelessRandomNormal": "normal",
    "StatelessRandomNormalV2": "normal",
    "RandomUniform": "uniform",
    "StatelessRandomUniform": "uniform",
    "StatelessRandomUniformV2": "uniform",
}
_REACH = {"normal": 6.0, "truncated_normal": 2.0}


@dataclass(frozen=True, slots=True)
class Drawn:
    """Numbers from a distribution: `first` and `second` are mean and standard deviation, or the two ends."""

    kind: str
    first: float
    second: float

    @property
    def ends(self) -> tuple[float, float]:
        """The least and greatest number, of a normal distribution those of practice."""
        if self.kind not in _REACH:
            return self.first, self.second
        reach = _REACH[self.kind] * self.second
        return self.first - reach, self.first + reach

    @property
    def number(self) -> float | None:
        return self.first if self.kind == "elements" and self.first == self.second else None

    def moved(self, scale: float, shift: float) -> Drawn:
        """The distribution of scale * x + shift."""
        first = scale * self.first + shift
        if self.kind in _REACH:
            return Drawn(self.kind, first, abs(scale) * self.second)
        second = scale * self.second + shift
        return Drawn(self.kind, min(first, second), max(first, second))


@dataclass(slots=True)
class Reader:
    """Reads the expressions of one graph; `starts` has the expression of every variable, by its node's name."""

    flow: Flow
    starts: Mapping[str, Port]
    _known: dict[Port, Drawn | None] = field(default_factory=dict)

    def initialiser(self, port: Port) -> Initialiser | None:
        """What an expression draws its elements from, None if that is not known."""
        drawn = self.drawn(port, 0)
        if drawn is None or not isfinite(drawn.first) or not isfinite(drawn.second):
            return None
        if (number := drawn.number) is not None:
            named = {0.0: "zeros", 1.0: "ones"}.get(number)
            return Initialiser(named) if named else Initialiser("constant", (("value", number),))
        names = ("mean", "stddev") if drawn.kind in _REACH else ("low", "high")
        return Initialiser(drawn.kind, ((names[0], drawn.first), (names[1], drawn.second)))

    def drawn(self, port: Port, depth: int) -> Drawn | None:
        if depth > _DEEPEST:
            return None
        if port not in self._known:
            self._known[port] = None  # an expression that needs itself
            self._known[port] = self._read(self.flow.steps[port[0]], port, depth + 1)
        return self._known[port]

    def _read(self, step: Step, port: Port, depth: int) -> Drawn | None:
        if step.op == "Const":
            proto = step.attributes.tensor("value")
            data = constant(proto, step.name) if proto is not None else None
            return _extremes(data.load()) if data is not None and data.size <= _MOST_ELEMENTS else None
        if step.name in self.starts and not step.inputs:
            return self.drawn(self.starts[step.name], depth)
        if (kind := _STANDARD.get(step.op)) is not None:
            return Drawn(kind, 0.0, 1.0)
        if step.kind in _SAME_ELEMENTS and step.inputs:
            return self.drawn(step.inputs[0], depth)
        if step.kind == "Merge":
            return self._joined(step.inputs, depth)
        if step.op in ("If", "StatelessIf") and self.flow.steps[step.inputs[0][0]].op in _IS_INITIALISED:
            return self._joined(step.inputs[1:], depth)
        if step.op == "Qr":
            return Drawn("elements", -1.0, 1.0) if port[1] == 0 else None
        if step.op == "Sign":
            return Drawn("elements", -1.0, 1.0)
        if step.op in _OPERANDS:
            places = _OPERANDS[step.op]
            if len(step.inputs) <= max(places):
                return None
            operands = [self.drawn(step.inputs[place], depth) for place in places]
            known = [operand for operand in operands if operand is not None]
            return _RULES[step.op](*known) if len(known) == len(operands) else None
        return None

    def _joined(self, ports: list[Port], depth: int) -> Drawn | None:
        """What comes from one of several expressions."""
        found: Drawn | None = None
        for port in ports:
            drawn = self.drawn(port, depth)
            if drawn is None:
                return None
            found = drawn if found is None or found == drawn else _between(found, drawn)
        return found


def _extremes(array: NDArray[Any]) -> Drawn | None:
    if not array.size or array.dtype.kind not in "iufb":
        return None
    numbers = array.astype(np.float64)
    return Drawn("elements", float(numbers.min()), float(numbers.max()))


def _sum(x: Drawn, y: Drawn) -> Drawn:
    if (number := y.number) is not None:
        return x.moved(1.0, number)
    if (number := x.number) is not None:
        return y.moved(1.0, number)
    return Drawn("elements", x.ends[0] + y.ends[0], x.ends[1] + y.ends[1])


def _product(x: Drawn, y: Drawn) -> Drawn:
    if (number := y.number) is not None:
        return x.moved(number, 0.0)
    if (number := x.number) is not None:
        return y.moved(number, 0.0)
    corners = [a * b for a in x.ends for b in y.ends]
    return Drawn("elements", min(corners), max(corners))


def _quotient(x: Drawn, y: Drawn) -> Drawn | None:
    low, high = y.ends
    if low <= 0 <= high:
        return None
    return _product(x, Drawn("elements", 1 / high, 1 / low))


def _root(x: Drawn) -> Drawn | None:
    low, high = x.ends
    return Drawn("elements", sqrt(low), sqrt(high)) if low >= 0 and isfinite(high) else None


def _between(x: Drawn, y: Drawn) -> Drawn:
    """Everything from the least to the greatest of two."""
    return Drawn("elements", min(x.ends[0], y.ends[0]), max(x.ends[1], y.ends[1]))


def _integers(low: Drawn, high: Drawn) -> Drawn | None:
    first, last = low.number, high.number
    return None if first is None or last is None else Drawn("elements", first, max(first, last - 1))


_RULES: dict[str, Callable[..., Drawn | None]] = {
    "Add": _sum,
    "AddV2": _sum,
    "Sub": lambda x, y: _sum(x, y.moved(-1.0, 0.0)),
    "Neg": lambda x: x.moved(-1.0, 0.0),
    "Mul": _product,
    "RealDiv": _quotient,
    "Div": _quotient,
    "Sqrt": _root,
    "Rsqrt": lambda x: (root := _root(x)) and _quotient(Drawn("elements", 1.0, 1.0), root),
    "Fill": lambda x: x,
    "Range": _between,
    "LinSpace": _between,
    "RandomUniformInt": _integers,
    "StatelessRandomUniformInt": _integers,
    "StatelessRandomUniformIntV2": _integers,
    "MatrixDiag": lambda x: _between(x, Drawn("elements", 0.0, 0.0)),
    "MatrixDiagV2": _between,
    "MatrixDiagV3": _between,
    "MatrixSetDiag": _between,
    "MatrixSetDiagV2": _between,
    "MatrixSetDiagV3": _between,
}
_OPERANDS: dict[str, tuple[int, ...]] = {
    **dict.fromkeys(_RULES, (0, 1)),
    **dict.fromkeys(("Neg", "Sqrt", "Rsqrt", "MatrixDiag"), (0,)),
    **dict.fromkeys(("MatrixDiagV2", "MatrixDiagV3"), (0, 4)),
    **dict.fromkeys(("RandomUniformInt",), (1, 2)),
    "StatelessRandomUniformInt": (2, 3),
    "StatelessRandomUniformIntV2": (4, 5),
    "Fill": (1,),
}
