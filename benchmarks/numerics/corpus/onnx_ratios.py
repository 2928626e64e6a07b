"""ONNX: quotients, roots and powers."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from benchmarks.numerics.corpus.case import Case, Input
from benchmarks.numerics.corpus.onnx_form import Sheet, weights
from benchmarks.numerics.corpus.onnx_form import pair as onnx_pair

CASES: list[Case] = []
pair = partial(onnx_pair, CASES)


@pair("rectangle", {"center": Input((100, 2), 0, 100), "offset": Input((100, 2), 0, 10)}, ["inverse"],
      fixed={"offset": (1, 10)})  # fmt: skip
def rectangle(s: Sheet, _: bool, center: str, offset: str) -> Any:
    """The inverse of an area between corners, center - offset and center + offset [DEBAR 2]."""
    corners = s.Concat(s.Sub(center, offset), s.Add(center, offset), axis=1)
    left, bottom, right, top = s.Split(corners, axis=1, num_outputs=4, outputs=4)
    area = s.Mul(s.Sub(right, left), s.Sub(top, bottom))
    return s.Reciprocal(area, name="inverse")


@pair("cancellation", {"x": Input((4, 16), 1000, 1001)}, ["deviation"], follow=["normal"])
def variance_by_moments(s: Sheet, sound: bool, x: str) -> Any:
    """E[x^2] - E[x]^2 turns negative by rounding."""
    mean = s.ReduceMean(x, [-1], keepdims=1)
    centred = s.Sub(x, mean)
    if sound:
        variance = s.Add(s.ReduceMean(s.Mul(centred, centred), [-1], keepdims=1), 1e-5)
    else:
        variance = s.Sub(s.ReduceMean(s.Mul(x, x), [-1], keepdims=1), s.Mul(mean, mean))
    return s.Div(centred, s.Sqrt(variance, name="deviation"), name="normal")


@pair("zero norm", {"a": Input((5, 8), -4, 4), "b": Input((5, 8), -4, 4)}, ["cosine"])
def cosine_similarity(s: Sheet, sound: bool, a: str, b: str) -> Any:
    """A dot product over norms, one of which can be 0."""
    dot = s.ReduceSum(s.Mul(a, b), [1], keepdims=0)
    norms = s.Mul(s.ReduceL2(a, [1], keepdims=0), s.ReduceL2(b, [1], keepdims=0))
    return s.Div(dot, s.Max(norms, 1e-8) if sound else norms, name="cosine")


@pair("empty sum", {"x": Input((4, 12), -1, 1)}, ["share"])
def share_of_relu(s: Sheet, sound: bool, x: str) -> Any:
    """Features after relu, over their sum: all can be dead."""
    features = s.Relu(s.Gemm(x, weights(12, 6, seed=11), weights(6, seed=12, scale=0.1)))
    total = s.ReduceSum(features, [1], keepdims=1)
    return s.Div(features, s.Add(total, 1e-6) if sound else total, name="share")


BOXES = {
    "corner": Input((3, 2), 0, 100),
    "size": Input((3, 2), 0, 50),
    "other_corner": Input((3, 2), 0, 100),
    "other_size": Input((3, 2), 0, 50),
}


@pair("overlap of boxes", BOXES, ["iou"])
def intersection_over_union(s: Sheet, sound: bool, corner: str, size: str, other_corner: str, other_size: str) -> Any:
    """Both boxes can have no area."""
    end, other_end = s.Add(corner, size), s.Add(other_corner, other_size)
    sides = s.Relu(s.Sub(s.Min(end, other_end), s.Max(corner, other_corner)))
    inter = s.ReduceProd(sides, [1], keepdims=0)
    areas = s.Add(s.ReduceProd(size, [1], keepdims=0), s.ReduceProd(other_size, [1], keepdims=0))
    if sound:
        return s.Div(inter, s.Max(s.Sub(areas, inter), 1e-6), name="iou")
    return s.Div(inter, s.Sub(areas, inter), name="iou")


@pair("degree of a node", {"adjacency": Input((6, 6), 0, 1), "x": Input((6, 4), -1, 1)}, ["inverse_root"])
def graph_convolution(s: Sheet, sound: bool, adjacency: str, x: str) -> Any:
    """D^-1/2 A D^-1/2 x w of a node without edges; the sound form has loops at the nodes."""
    if sound:
        adjacency = s.Add(adjacency, np.eye(6))
    degree = s.ReduceSum(adjacency, [1], keepdims=1)
    root = s.Pow(degree, -0.5, name="inverse_root")
    left = s.Mul(s.Mul(adjacency, root), s.Transpose(root, perm=[1, 0]), name="left")
    return s.Relu(s.MatMul(left, s.MatMul(x, weights(4, 3, seed=13)), name="message"))


@pair("power of a negative number", {"image": Input((1, 3, 4, 4), -1, 1)}, ["gamma"])
def gamma_correction(s: Sheet, sound: bool, image: str) -> Any:
    """x^2.2 of a picture scaled to [-1, 1]."""
    if sound:
        image = s.Mul(s.Add(image, 1.0), 0.5)
        image = s.Clip(image, 0.0, 1.0)
    return s.Pow(image, 2.2, name="gamma")


@pair("dead feature", {"x": Input((4, 6), -10, 10)}, ["scaled"])
def stored_deviation(s: Sheet, sound: bool, x: str) -> Any:
    """A stored deviation of 0, as a scaler fitted on a constant feature holds."""
    deviation = np.array([1.5, 0.2, 0.0, 3.0, 0.7, 1.0])
    mean = s.store(np.array([0.1, 0.0, 2.0, -1.0, 0.5, 0.0]))
    divisor = s.Max(s.store(deviation), 1e-3) if sound else s.store(deviation)
    return s.Div(s.Sub(x, mean), divisor, name="scaled")


@pair("constant image", {"image": Input((2, 3, 4, 4), 0, 255)}, ["standard"])
def image_standardisation(s: Sheet, sound: bool, image: str) -> Any:
    """Each image over its own deviation, which is 0 for a blank one."""
    centred = s.Sub(image, s.ReduceMean(image, [1, 2, 3], keepdims=1))
    deviation = s.Sqrt(s.ReduceMean(s.Mul(centred, centred), [1, 2, 3], keepdims=1))
    return s.Div(centred, s.Max(deviation, 1 / np.sqrt(48.0)) if sound else deviation, name="standard")


@pair("angle", {"a": Input((16, 3), 0.1, 1), "b": Input((16, 3), 0.1, 1)}, ["angle"],
      witness={"a": 0.7, "b": 0.7})  # fmt: skip
def angle_between(s: Sheet, sound: bool, a: str, b: str) -> Any:
    """acos of the product of unit vectors, which rounding lifts above 1."""
    a, b = (s.Div(v, s.ReduceL2(v, [1], keepdims=1)) for v in (a, b))
    cosine = s.ReduceSum(s.Mul(a, b), [1], keepdims=0)
    return s.Acos(s.Clip(cosine, -1.0, 1.0) if sound else cosine, name="angle")


@pair("modulo", {"x": Input((3, 4), -100, 100), "period": Input((3, 4), 0, 10)}, ["phase"])
def phase_in_period(s: Sheet, sound: bool, x: str, period: str) -> Any:
    """x mod period, where the period can be 0."""
    return s.Mod(x, s.Max(period, 0.5) if sound else period, fmod=1, name="phase")


@pair("cancellation", {"x": Input((8, 4), 2, 4)}, ["root"], witness={"x": 2.99931001663208})
def root_of_quadratic(s: Sheet, sound: bool, x: str) -> Any:
    """sqrt(x^2 - 6 x + 9): 6 x is rounded, so the sum can be below 0 near 3; the sound form squares x - 3."""
    if sound:
        shifted = s.Sub(x, 3.0)
        return s.Sqrt(s.Mul(shifted, shifted), name="root")
    return s.Sqrt(s.Add(s.Sub(s.Mul(x, x), s.Mul(x, 6.0)), 9.0), name="root")
