"""ONNX: loops and scans."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from benchmarks.numerics.corpus.case import Case, Input
from benchmarks.numerics.corpus.onnx_form import Sheet, weights
from benchmarks.numerics.corpus.onnx_form import pair as onnx_pair

CASES: list[Case] = []
pair = partial(onnx_pair, CASES)

COUNTER = {"turn": Input((), dtype="int64"), "go": Input((), dtype="bool")}


def _loop(s: Sheet, count: int, start: str, step: Any) -> Any:
    """`step(body, state)` repeated a fixed number of times."""
    with s.body() as body:
        state = step(body, "state")
        again = body.Identity("go", name="again")
        graph = body.graph("body", {**COUNTER, "state": Input((4,))}, {again: "bool", state: "float32"})
    s.result_dims = [4]
    return s.Loop(s.store(np.array(count)), s.store(np.array(True)), start, body=graph, name="loop")


@pair("growth in a loop", {"x": Input((4,), 0, 2)}, ["squared"], witness={"x": 2.0})
def repeated_square(s: Sheet, sound: bool, x: str) -> Any:
    """x = x * x, seven times."""

    def step(body: Sheet, state: str) -> Any:
        product = body.Mul(state, state, name="squared")
        return body.Min(product, 4.0) if sound else product

    return _loop(s, 7, x, step)


@pair("decay in a loop", {"x": Input((4,), 1, 10)}, ["log"])
def repeated_half(s: Sheet, sound: bool, x: str) -> Any:
    """x = x / 2, two hundred times, then log x."""

    def step(body: Sheet, state: str) -> Any:
        half = body.Div(state, 2.0)
        return body.Max(half, 1e-6) if sound else half

    return s.Log(_loop(s, 200, x, step), name="log")


@pair("product of many", {"x": Input((40, 3), 0, 10)}, ["grown"], witness={"x": [[10.0]] + [[9.0]] * 38 + [[10.0]]},
      follow=[])  # fmt: skip
def scanned_product(s: Sheet, sound: bool, x: str) -> Any:
    """A running product of forty factors; the sound form adds logarithms."""
    with s.body() as body:
        grown = partial(body.Mul, "state", "row", name="grown")
        state = body.Add("state", body.Log(body.Max("row", 1e-6))) if sound else grown()
        shown = body.Identity(state, name="shown")
        row = Input((3,))
        graph = body.graph("body", {"state": row, "row": row}, {state: "float32", shown: "float32"})
    last, every = s.Scan(np.zeros(3) if sound else np.ones(3), x, body=graph, num_scan_inputs=1, outputs=2, name="scan")
    return last, every


@pair("recurrence", {"x": Input((6, 2, 3), -5, 5)}, ["update"], witness={"x": 5.0})
def linear_recurrence(s: Sheet, sound: bool, x: str) -> Any:
    """h = 8 h + W x grows without a limit over a hundred steps; the sound form has a tanh."""
    drive = s.ReduceSum(s.MatMul(x, weights(3, 4, seed=31)), [0, 1], keepdims=0)

    def step(body: Sheet, state: str) -> Any:
        moved = body.Add(body.Mul(state, 8.0, name="update"), body.Identity(drive))
        return body.Tanh(moved) if sound else moved

    return _loop(s, 43, drive, step)
