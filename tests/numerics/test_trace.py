"""What leads to an operator, through regions as well."""

from __future__ import annotations

import numpy as np

from mlvet.analyses.numerics.telling.trace import Trail
from mlvet.domains import dtypes
from mlvet.domains.intervals import Interval
from mlvet.domains.tensors import Tensor
from mlvet.ir.graph import Constant, Data, Graph, Node, Region, Value


def tensor(name: str) -> Value:
    return Value(name, Tensor(dtypes.f32, (4,)))


X, STATE, SQUARED, OUT, TOTAL = (tensor(name) for name in ("x", "state", "squared", "out", "total"))
AXES = Value("axes", Tensor(dtypes.i64, (1,)))
MUL = Node("mul", "mul", (STATE, STATE), (SQUARED,), {}, source_op="Mul")
LOOP = Node("loop", "loop", (X,), (OUT,), {}, regions=(Region("loop", (STATE,), (MUL,), (SQUARED,)),), source_op="Loop")
SUM = Node("sum", "reduce_sum", (OUT, AXES), (TOTAL,), {}, source_op="ReduceSum")
CONSTANT = Constant(AXES, Data(dtypes.i64, (1,), lambda: np.asarray([0])))
GRAPH = Graph("g", Region("graph", (X,), (LOOP, SUM), (TOTAL,), constants=(CONSTANT,)))
TRAIL = Trail(GRAPH, {X: Interval(0.0, 2.0), STATE: Interval(0.0, 16.0)})


def test_what_enters_a_loop_comes_from_the_loop() -> None:
    assert [(each["value"], each["made_by"], each["op"]) for each in TRAIL.slice(MUL)] == [
        ("x", None, "input"),
        ("state", "loop", "Loop"),
        ("squared", "mul", "Mul"),
    ]
    assert TRAIL.slice(MUL)[1]["interval"] == [0.0, 16.0, False]
    assert TRAIL.origins(MUL) == [X]
    assert TRAIL.leading(MUL) == 2


def test_axes_are_left_out_unless_they_are_to_blame() -> None:
    assert [each["value"] for each in TRAIL.slice(SUM)] == ["x", "out", "total"]
    assert TRAIL.slice(SUM)[-1]["inputs"] == ["out"]
    assert "axes" in [each["value"] for each in TRAIL.slice(SUM, AXES)]
