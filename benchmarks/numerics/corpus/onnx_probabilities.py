"""ONNX: probabilities and their logarithms."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from benchmarks.numerics.corpus.case import Case, Input
from benchmarks.numerics.corpus.onnx_form import Sheet, weights
from benchmarks.numerics.corpus.onnx_form import pair as onnx_pair

CASES: list[Case] = []
pair = partial(onnx_pair, CASES)


@pair("log of softmax", {"x": Input((4, 16), 0, 255), "y": Input((4, 5), 0, 1)}, ["log_p"])
def cross_entropy_by_hand(s: Sheet, sound: bool, x: str, y: str) -> Any:
    """An MLP whose softmax underflows to 0 before the logarithm."""
    hidden = s.Relu(s.Gemm(x, weights(16, 8, seed=1, scale=0.2), weights(8, seed=2)))
    logits = s.Gemm(hidden, weights(8, 5, seed=3, scale=0.5), weights(5, seed=4), name="logits")
    logs = s.LogSoftmax(logits, axis=1) if sound else s.Log(s.Softmax(logits, axis=1), name="log_p")
    return s.ReduceMean(s.Neg(s.ReduceSum(s.Mul(y, logs), [1], keepdims=0)), [0], keepdims=0)


@pair("log of softmax", {"image": Input((2, 1, 8, 8), 0, 255), "y": Input((2, 10), 0, 1)}, ["log_y"])
def convolutional_classifier(s: Sheet, sound: bool, image: str, y: str) -> Any:
    """A convolution, pooling and a dense layer before log(y_conv)."""
    maps = s.Relu(s.Conv(image, weights(4, 1, 3, 3, seed=5), weights(4, seed=6), pads=[1, 1, 1, 1]))
    flat = s.Flatten(s.MaxPool(maps, kernel_shape=[2, 2], strides=[2, 2]))
    y_conv = s.Softmax(s.MatMul(flat, weights(64, 10, seed=7, scale=0.3)), axis=-1)
    y_conv = s.Clip(y_conv, 1e-10, 1.0) if sound else y_conv
    return s.Mul(s.ReduceSum(s.Mul(y, s.Log(y_conv, name="log_y")), keepdims=0), -1.0)


@pair("cross entropy of two classes", {"z": Input((6, 1), -200, 200), "y": Input((6, 1), 0, 1)}, ["log_p", "log_q"])
def binary_cross_entropy(s: Sheet, sound: bool, z: str, y: str) -> Any:
    """y log p + (1 - y) log(1 - p), by hand."""
    p = s.Sigmoid(z)
    p = s.Clip(p, 1e-6, 1 - 1e-6) if sound else p
    positive = s.Mul(y, s.Log(p, name="log_p"))
    negative = s.Mul(s.Sub(1.0, y), s.Log(s.Sub(1.0, p), name="log_q"))
    return s.Neg(s.ReduceMean(s.Add(positive, negative), keepdims=0))


@pair("lost epsilon", {"x": Input((3, 8), -50, 50)}, ["log_rest"])
def epsilon_beside_one(s: Sheet, sound: bool, x: str) -> Any:
    """log(1e-10 + 1 - p): in single precision 1e-10 + 1 is 1."""
    p = s.Sigmoid(s.MatMul(x, weights(8, 1, seed=8, scale=0.5)))
    rest = s.Add(s.Sub(1.0, p), 1e-6) if sound else s.Sub(s.Add(s.store(np.ones(1)), 1e-10), p)
    return s.Log(rest, name="log_rest")


@pair("softmax by hand", {"q": Input((2, 6, 8), -20, 20), "k": Input((2, 6, 8), -20, 20), "v": Input((2, 6, 4), -1, 1)},
      ["exp"], follow=["total", "attention"], witness={"q": 20.0, "k": 1.565})  # fmt: skip
def attention_without_maximum(s: Sheet, sound: bool, q: str, k: str, v: str) -> Any:
    """exp of scores that reach a thousand."""
    scores = s.Div(s.MatMul(q, s.Transpose(k, perm=[0, 2, 1])), np.sqrt(8.0))
    if sound:
        scores = s.Sub(scores, s.ReduceMax(scores, [-1], keepdims=1))
    powers = s.Exp(scores, name="exp")
    return s.MatMul(s.Div(powers, s.ReduceSum(powers, [-1], keepdims=1, name="total"), name="attention"), v)


@pair("logarithm of a sum of exponentials", {"x": Input((5, 7), -200, 200)}, ["exp", "log"], follow=["sum"])
def log_sum_exp_by_hand(s: Sheet, sound: bool, x: str) -> Any:
    """Overflows above, and takes the logarithm of 0 below; the sum is a product with ones."""
    ones = s.store(np.ones((7, 1)))
    if not sound:
        return s.Log(s.MatMul(s.Exp(x, name="exp"), ones, name="sum"), name="log")
    largest = s.ReduceMax(x, [1], keepdims=1)
    return s.Add(s.Log(s.MatMul(s.Exp(s.Sub(x, largest)), ones)), largest)


@pair("divergence", {"p": Input((4, 6), 0, 1), "q": Input((4, 6), 0, 1)}, ["ratio", "log"])
def kullback_leibler(s: Sheet, sound: bool, p: str, q: str) -> Any:
    """p log(p / q) with empty bins."""
    if sound:
        p, q = s.Clip(p, 1e-7, 1.0), s.Clip(q, 1e-7, 1.0)
    return s.ReduceSum(s.Mul(p, s.Log(s.Div(p, q, name="ratio"), name="log")), [-1], keepdims=0)


@pair("entropy", {"counts": Input((3, 8), 0, 1000)}, ["share", "log"])
def entropy_of_counts(s: Sheet, sound: bool, counts: str) -> Any:
    """-sum(p log p), where a bin, or all of them, can be empty."""
    total = s.ReduceSum(counts, [1], keepdims=1)
    shares = s.Div(counts, s.Max(total, 1.0) if sound else total, name="share")
    logs = s.Log(s.Add(shares, 1e-8) if sound else shares, name="log")
    return s.Neg(s.ReduceSum(s.Mul(shares, logs), [1], keepdims=0))


@pair("masked softmax", {"scores": Input((2, 4, 4), -10, 10), "mask": Input((2, 4, 4), 0, 1, "bool")}, ["attention"])
def all_masked(s: Sheet, sound: bool, scores: str, mask: str) -> Any:
    """A row whose positions are all masked by -inf."""
    hidden = s.Where(mask, scores, -1e9 if sound else -np.inf)
    return s.Softmax(hidden, axis=-1, name="attention")


@pair("softplus by hand", {"x": Input((3, 5), -150, 150)}, ["exp"])
def log_of_one_plus_exp(s: Sheet, sound: bool, x: str) -> Any:
    """log(1 + e^x); the sound form is max(x, 0) + log(1 + e^-|x|)."""
    if not sound:
        return s.Log(s.Add(s.Exp(x, name="exp"), 1.0))
    return s.Add(s.Relu(x), s.Log(s.Add(s.Exp(s.Neg(s.Abs(x))), 1.0)))


@pair("zero times the logarithm of zero", {"p": Input((4, 8), 0, 1)}, ["log"], guarded=["log", "product"])
def plain_entropy(s: Sheet, sound: bool, p: str) -> Any:
    """p log p at p = 0; the sound form selects 0 there."""
    product = s.Mul(p, s.Log(p, name="log"), name="product")
    if sound:
        product = s.Where(s.Greater(p, 0.0), product, 0.0)
    return s.Neg(s.ReduceSum(product, [1], keepdims=0))
