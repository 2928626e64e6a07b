"""What operators that enclose their own results say of operands that models have."""

from __future__ import annotations

from math import inf
from typing import Any

import pytest

from mlvet.domains.dims import symbol
from mlvet.domains.dtypes import DType, bool_, f16, f32, i64, u8
from mlvet.domains.intervals import Interval
from mlvet.domains.tensors import Tensor, Unranked
from mlvet.ops import REGISTRY
from mlvet.ops.numeric import ByMode, Enclosure

N = symbol("n")


def held(low: float, high: float, *shape: Any, dtype: DType = f32) -> tuple[Interval, Tensor]:
    return Interval(low, high), Tensor(dtype, shape)


def enclosed(name: str, *operands: tuple[Interval, Tensor] | None, **attributes: Any) -> tuple[Interval, ...]:
    kind = REGISTRY[name].numeric
    kind = kind.of(**attributes) if isinstance(kind, ByMode) else kind
    assert isinstance(kind, Enclosure)
    intervals = [None if operand is None else operand[0] for operand in operands]
    return kind.of(intervals, [None if operand is None else operand[1] for operand in operands], **attributes)


def test_a_share_of_bounded_scores_is_positive() -> None:
    (share,) = enclosed("softmax", held(-10, 10, N, 10))
    assert 2e-10 < share.low < 2.3e-10
    assert share.high == 1
    assert not share.nan


@pytest.mark.parametrize("end", [Interval(-inf, 0), Interval(0, inf)])
def test_a_row_of_infinities_has_no_shares(end: Interval) -> None:
    (share,) = enclosed("softmax", (end, Tensor(f32, (N, 10))))
    assert share.nan


def test_log_shares_lie_below_zero_and_above_the_spread_and_the_log_of_their_number() -> None:
    (found,) = enclosed("log_softmax", held(-10, 10, N, 10))
    assert found.high == 0
    assert -22.4 < found.low < -22.3


def test_standardised_elements_are_at_most_the_root_of_their_number() -> None:
    y, mean, inverse = enclosed("layer_normalization", held(-10, 10, N, 16), held(1, 1, 16), held(0, 0, 16))
    assert 4 <= y.high < 4.01
    assert 10 <= mean.high < 10.01
    assert 316 < inverse.high < 317
    assert all(found.finite for found in (y, mean, inverse))


@pytest.mark.parametrize(
    ("operand", "epsilon"), [(held(-1, 1, N, 16), 0.0), (held(-1, 1, N, 16), 1e-39), (held(-1e25, 1e25, N, 16), 1e-5)]
)
def test_no_variance_without_epsilon_and_squares_that_overflow_break_a_layer_norm(operand: Any, epsilon: float) -> None:
    assert enclosed("layer_normalization", operand, held(1, 1, 16), None, epsilon=epsilon)[0].nan


def test_a_layer_norm_of_half_precision_is_computed_in_32_bits_where_it_says_so() -> None:
    x, scale = held(-1000, 1000, N, 16, dtype=f16), held(1, 1, 16, dtype=f16)
    assert enclosed("layer_normalization", x, scale, None)[0].finite
    assert enclosed("layer_normalization", x, scale, None, stash_type=10)[0].nan


def test_a_batch_norm_needs_a_variance_above_minus_epsilon() -> None:
    x, scale, mean = held(-10, 10, N, 3, 8, 8), held(0.5, 2, 3), held(-1, 1, 3)
    (safe,) = enclosed("batch_normalization", x, scale, mean, mean, held(0, 3, 3))
    assert safe.finite
    assert enclosed("batch_normalization", x, scale, mean, mean, held(-1, 3, 3))[0].nan
    assert not enclosed("batch_normalization", x, scale, mean, mean, held(0, 3, 3), epsilon=0.0)[0].finite


def test_a_mean_over_labels_fails_only_where_all_can_be_ignored() -> None:
    scores, labels = held(-10, 10, N, 10), held(0, 9, N, dtype=i64)
    (loss, _) = enclosed("softmax_cross_entropy_loss", scores, labels, None, ignore_index=-100)
    assert loss.low == 0
    assert loss.finite
    assert enclosed("softmax_cross_entropy_loss", scores, labels, None, ignore_index=0)[0].nan


def test_a_cell_grows_by_one_at_every_step() -> None:
    weights = held(-1, 1, 1, 32, 4), held(-1, 1, 1, 32, 8)
    y, h, c = enclosed("lstm", held(-10, 10, 20, N, 4), *weights)
    assert (y.low, y.high, h.high) == (-1, 1, 1)
    assert 20 <= c.high < 20.01
    assert enclosed("lstm", held(-1e38, 1e38, 20, N, 4), *weights)[0].nan


def test_tangents_are_followed_between_poles() -> None:
    (near,) = enclosed("tan", held(-1, 1, N))
    assert near.finite
    (across,) = enclosed("tan", held(1, 2, N))
    assert (across.low, across.high) == (-inf, inf)


def test_waves_are_tight_on_narrow_intervals() -> None:
    (sine,) = enclosed("sin", held(0, 1, N))
    assert sine.low == 0
    assert sine.high < 0.8415
    (cosine,) = enclosed("cos", held(3, 4, N))
    assert cosine.low == -1
    assert cosine.high < -0.65


def test_remainders_stay_below_the_divisor() -> None:
    assert enclosed("mod", held(-5, 100, N, dtype=i64), held(7, 7, dtype=i64)) == (Interval(0, 6),)
    assert enclosed("remainder", held(-5, 5, N), held(-1, 1, N))[0].nan


def test_indices_stay_below_the_size() -> None:
    assert enclosed("arg_max", held(0, 1, N, 10), axis=1) == (Interval(0, 9),)
    assert enclosed("top_k", held(-2, 3, N, 10), held(3, 3, 1, dtype=i64))[1] == Interval(0, 9)


def test_attention_yields_means_of_values_unless_scores_overflow() -> None:
    q, v, mask = held(-10, 10, N, 8, N, 64), held(-2, 3, N, 8, N, 64), held(0, 1, N, 1, 1, N, dtype=bool_)
    (y,) = enclosed("scaled_dot_product_attention", q, q, v, mask)
    assert -2.2 < y.low <= -2
    assert 3 <= y.high < 3.2
    huge = held(-1e20, 1e20, N, 8, N, 64)
    assert enclosed("scaled_dot_product_attention", huge, huge, v)[0].nan


def test_quantised_numbers_stay_in_their_type() -> None:
    scale, zero = held(0.1, 0.1), held(128, 128, dtype=u8)
    (stored,) = enclosed("quantize_linear", held(-100, 10, N), scale, zero)
    assert (stored.low, stored.high) == (0, 229)
    (back,) = enclosed("dequantize_linear", held(0, 255, N, dtype=u8), scale, zero)
    assert -12.81 < back.low <= -12.8


@pytest.mark.parametrize(
    "name", ["layer_normalization", "lstm", "attention", "top_k", "fft", "softmax", "svd", "cum_prod"]
)
@pytest.mark.parametrize("dtype", [None, f32, i64])
def test_nothing_known_is_no_reason_to_fail(name: str, dtype: DType | None) -> None:
    operands = [(Interval(-1, 1), Tensor(dtype, Unranked(f"x{n}"))) for n in range(3)]
    assert enclosed(name, *operands)
