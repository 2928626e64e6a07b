"""Safe patterns as ONNX graphs."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from benchmarks.numerics.corpus.case import Case, Input
from benchmarks.numerics.corpus.onnx_form import Sheet, sound, weights

CASES: list[Case] = []
safe = partial(sound, CASES)


@safe("stable softmax", {"x": Input((4, 10), -1000, 1000)})
def stable_softmax(s: Sheet, x: str) -> Any:
    """The largest element is subtracted, so the sum is at least 1."""
    powers = s.Exp(s.Sub(x, s.ReduceMax(x, [-1], keepdims=1)))
    return s.Div(powers, s.ReduceSum(powers, [-1], keepdims=1))


@safe("log-sum-exp", {"x": Input((4, 10), -1000, 1000)})
def log_sum_exp(s: Sheet, x: str) -> Any:
    """max + log sum exp(x - max)."""
    largest = s.ReduceMax(x, [1], keepdims=1)
    total = s.ReduceSum(s.Exp(s.Sub(x, largest)), [1], keepdims=1)
    return s.Add(largest, s.Log(total))


@safe("log-softmax", {"x": Input((3, 7), -1000, 1000)})
def log_softmax(s: Sheet, x: str) -> Any:
    """The operator itself."""
    return s.LogSoftmax(x, axis=-1)


@safe("log-softmax", {"x": Input((3, 7), -1000, 1000)})
def log_softmax_by_hand(s: Sheet, x: str) -> Any:
    """x - max - log sum exp(x - max)."""
    shifted = s.Sub(x, s.ReduceMax(x, [-1], keepdims=1))
    return s.Sub(shifted, s.Log(s.ReduceSum(s.Exp(shifted), [-1], keepdims=1)))


@safe("layer norm", {"x": Input((2, 5, 16), -100, 100)})
def layer_norm(s: Sheet, x: str) -> Any:
    """The mean of d * d is not negative."""
    d = s.Sub(x, s.ReduceMean(x, [-1], keepdims=1))
    variance = s.ReduceMean(s.Mul(d, d), [-1], keepdims=1)
    normal = s.Div(d, s.Sqrt(s.Add(variance, 1e-5)))
    return s.Add(s.Mul(normal, weights(16, seed=1)), weights(16, seed=2))


@safe("unit length", {"x": Input((6, 8), -100, 100)})
def unit_length(s: Sheet, x: str) -> Any:
    """x / sqrt(sum x * x + eps)."""
    return s.Div(x, s.Sqrt(s.Add(s.ReduceSum(s.Mul(x, x), [1], keepdims=1), 1e-6)))


@safe("guarded log", {"x": Input((4, 4), -10, 10)}, guarded=("log",))
def guarded_log(s: Sheet, x: str) -> Any:
    """where(x > 0, log x, 0): what log yields elsewhere is discarded."""
    return s.Where(s.Greater(x, 0.0), s.Log(x, name="log"), 0.0)


@safe("guarded log", {"x": Input((4, 4), -10, 10)})
def doubly_guarded_log(s: Sheet, x: str) -> Any:
    """The operand is replaced where it is not positive, and so is the result."""
    positive = s.Greater(x, 1e-6)
    return s.Where(positive, s.Log(s.Where(positive, x, 1.0)), 0.0)


@safe("bounded quotient", {"x": Input((5, 3), -1000, 1000)})
def bounded_quotient(s: Sheet, x: str) -> Any:
    """x / (x * x + 1)."""
    return s.Div(x, s.Add(s.Mul(x, x), 1.0))


@safe("perfect square", {"x": Input((8, 4), -10, 10)})
def root_of_square(s: Sheet, x: str) -> Any:
    """sqrt(x * x - 2 x + 1): 2 x - 1 is a number of the type, so rounding cannot lead below 0."""
    return s.Sqrt(s.Add(s.Sub(s.Mul(x, x), s.Mul(x, 2.0)), 1.0))


@safe("perfect square", {"x": Input((8, 4), 2, 10)})
def root_of_square_above_two(s: Sheet, x: str) -> Any:
    """The same far from its zero."""
    return s.Sqrt(s.Add(s.Sub(s.Mul(x, x), s.Mul(x, 2.0)), 1.0))


@safe("rectangle", {"center": Input((100, 2), -100, 100), "offset": Input((100, 2), 1, 10)})
def rectangle(s: Sheet, center: str, offset: str) -> Any:
    """The center cancels, so each side is twice the offset [DEBAR 2]."""
    corners = s.Concat(s.Sub(center, offset), s.Add(center, offset), axis=1)
    left, bottom, right, top = s.Split(corners, [1, 1, 1, 1], axis=1, outputs=4)
    return s.Div(1.0, s.Mul(s.Sub(right, left), s.Sub(top, bottom)))


@safe("clipped probability", {"x": Input((3, 6), -500, 500)})
def clipped_probability(s: Sheet, x: str) -> Any:
    """log of a sigmoid between 1e-7 and 1 - 1e-7."""
    p = s.Clip(s.Sigmoid(x), 1e-7, 1 - 1e-7)
    return s.Add(s.Log(p), s.Log(s.Sub(1.0, p)))


@safe("probability and epsilon", {"x": Input((3, 6), -500, 500)})
def probability_and_epsilon(s: Sheet, x: str) -> Any:
    """log(softmax + 1e-8)."""
    return s.Log(s.Add(s.Softmax(x, axis=-1), 1e-8))


@safe("two halves of a number", {"a": Input((4, 5), -1, 1)})
def two_halves(s: Sheet, a: str) -> Any:
    """relu(a) - relu(-a) is a, so the divisor is 1."""
    whole = s.Sub(s.Relu(a), s.Relu(s.Neg(a)))
    return s.Div(a, s.Add(s.Sub(whole, a), 1.0))


@safe("absolute value and one", {"x": Input((4, 5), -1e6, 1e6)})
def softsign_by_hand(s: Sheet, x: str) -> Any:
    """x / (|x| + 1)."""
    return s.Div(x, s.Add(s.Abs(x), 1.0))


@safe("masked attention", {"x": Input((2, 6, 8), -3, 3), "mask": Input((2, 1, 6), 0, 1)})
def masked_attention(s: Sheet, x: str, mask: str) -> Any:
    """-1e9 rather than -inf: a row that is masked throughout still has a softmax."""
    q, k = s.MatMul(x, weights(8, 8, seed=3)), s.MatMul(x, weights(8, 8, seed=4))
    scores = s.Div(s.MatMul(q, s.Transpose(k, perm=[0, 2, 1])), np.sqrt(8.0))
    scores = s.Add(scores, s.Mul(s.Sub(1.0, mask), -1e9))
    return s.MatMul(s.Softmax(scores, axis=-1), x)


@safe("variance and epsilon", {"x": Input((8, 4), -50, 50)})
def variance_and_epsilon(s: Sheet, x: str) -> Any:
    """The inverse root of a mean of squares about a mean over the batch, plus epsilon."""
    mean = s.ReduceMean(x, [0], keepdims=1)
    variance = s.ReduceMean(s.Pow(s.Sub(x, mean), 2.0), [0], keepdims=1)
    return s.Mul(s.Sub(x, mean), s.Reciprocal(s.Sqrt(s.Add(variance, 1e-3))))
