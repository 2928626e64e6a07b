"""ONNX: half precision, bfloat16 and integers."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from benchmarks.numerics.corpus.case import Case, Input
from benchmarks.numerics.corpus.onnx_form import TYPES, Sheet, weights
from benchmarks.numerics.corpus.onnx_form import pair as onnx_pair

CASES: list[Case] = []
pair = partial(onnx_pair, CASES)

LONG = weights(256, 8, seed=22, scale=2.0)


def _wide(s: Sheet, x: str) -> str:
    s.dtype = "float32"
    return str(s.Cast(x, to=TYPES["float32"]))


@pair("half-precision overflow", {"x": Input((2, 3, 16), -1000, 1000, "float16")}, ["square"])
def root_mean_square_norm(s: Sheet, sound: bool, x: str) -> Any:
    """The square of 1000 in half precision."""
    scale = weights(16, seed=21, scale=0.2)
    wide = _wide(s, x) if sound else x
    mean = s.ReduceMean(s.Mul(wide, wide, name="square"), [-1], keepdims=1)
    normal = s.Div(wide, s.Sqrt(s.Add(mean, 1e-3)))
    if sound:
        normal = s.Cast(normal, to=TYPES["float16"])
        s.dtype = "float16"
    return s.Mul(normal, s.store(scale, "float16"))


@pair("half-precision overflow", {"x": Input((4, 256), -200, 200, "float16")}, ["product"], result="float16",
      fixed_result="float32", witness={"x": 200 * np.sign(LONG[:, 0])})  # fmt: skip
def half_product(s: Sheet, sound: bool, x: str) -> Any:
    """A long row times weights of size 2, in half precision."""
    return s.MatMul(_wide(s, x) if sound else x, LONG, name="product")


@pair("half-precision overflow", {"x": Input((2, 8, 8), 0, 200, "float16")}, ["sum"], result="float16",
      fixed_result="float32")  # fmt: skip
def half_sum(s: Sheet, sound: bool, x: str) -> Any:
    """A sum over 512 numbers in half precision, as a tile of ones does it."""
    wide = _wide(s, x) if sound else x
    flat = s.Reshape(s.Concat(wide, wide, wide, wide, wide, wide, wide, wide, axis=1), [2, -1])
    return s.ReduceSum(flat, [1], keepdims=0, name="sum")


@pair("lost epsilon", {"x": Input((5, 8), -10, 10, "float16")}, ["unit"])
def half_epsilon(s: Sheet, sound: bool, x: str) -> Any:
    """1e-8 is 0 in half precision."""
    norm = s.ReduceL2(x, [1], keepdims=1)
    return s.Div(x, s.Add(norm, 1e-3 if sound else 1e-8), name="unit")


@pair("lost epsilon", {"p": Input((4, 4), 0, 1, "bfloat16")}, ["log"], result="bfloat16", fixed_result="float32")
def brain_float_epsilon(s: Sheet, sound: bool, p: str) -> Any:
    """1.001 - p in bfloat16, where 1.001 is 1."""
    rest = s.Sub(s.store(np.full(1, 1.001)), p) if not sound else s.Sub(1.001, _wide(s, p))
    return s.Log(rest, name="log")


@pair("exponential in bfloat16", {"x": Input((3, 6), -100, 100, "bfloat16")}, ["exp"])
def brain_float_exponential(s: Sheet, sound: bool, x: str) -> Any:
    """bfloat16 has the range of single precision and no more."""
    return s.Exp(s.Min(x, 80.0) if sound else x, name="exp")


@pair("exponential in half precision", {"x": Input((2, 5, 5), -30, 30, "float16")}, ["exp"], follow=["sum", "share"])
def half_softmax(s: Sheet, sound: bool, x: str) -> Any:
    """e^11.1 leaves half precision."""
    if sound:
        x = s.Sub(x, s.ReduceMax(x, [2], keepdims=1))
    powers = s.Exp(x, name="exp")
    return s.Div(powers, s.ReduceSum(powers, [2], keepdims=1, name="sum"), name="share")


@pair("float to integer", {"x": Input((8,), -1000, 1000)}, ["quantised"], result="int8")
def quantise(s: Sheet, sound: bool, x: str) -> Any:
    """round(x / scale) as eight bits without a clip."""
    steps = s.Round(s.Div(x, 0.05))
    return s.Cast(s.Clip(steps, -128.0, 127.0) if sound else steps, to=TYPES["int8"], name="quantised")


@pair("float to integer", {"x": Input((4, 2), 0, 1e12)}, ["bucket"], result="int32")
def bucket_of_number(s: Sheet, sound: bool, x: str) -> Any:
    """floor(x / 10) as 32 bits; the sound form counts on a logarithmic scale."""
    steps = s.Floor(s.Log(s.Add(x, 1.0))) if sound else s.Floor(s.Mul(x, 0.1))
    return s.Cast(steps, to=TYPES["int32"], name="bucket")
