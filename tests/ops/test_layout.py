"""How layout operators follow sizes that are not known, and what they record when operands contradict each other."""

from __future__ import annotations

import numpy as np
import pytest
from shape_rules import only, shaped, written

from mlvet.domains.dims import Dim, symbol
from mlvet.domains.dtypes import f32, i64
from mlvet.domains.tensors import Tensor, Unranked, constant, of_dims
from mlvet.ops import REGISTRY
from mlvet.ops.require import Require

batch, steps, height = symbol("batch"), symbol("steps"), symbol("height")
LAST = 2**63 - 1


def ints(*values: Dim) -> Tensor:
    return of_dims(values, i64)


def number(value: Dim) -> Tensor:
    element = np.empty((), dtype=object)
    element[()] = value
    return Tensor(i64, (), element)


hidden = shaped(batch, steps, 768)


@pytest.mark.parametrize(
    ("target", "result"),
    [
        (ints(batch, steps, 12, 64), "f32[batch, steps, 12, 64]"),
        (ints(0, 0, 12, 64), "f32[batch, steps, 12, 64]"),
        (ints(0, -1, 64), "f32[batch, 12*steps, 64]"),
        (ints(-1, 768), "f32[batch*steps, 768]"),
        (ints(batch, -1, 3072), "f32[batch, steps//4, 3072]"),
        (ints(batch * steps, -1), "f32[batch*steps, 768]"),
        (Tensor(i64, (2,)), "f32[reshape.1, reshape.2]"),
        (Tensor(i64, (batch,)), "f32[...]"),
    ],
)
def test_reshape_follows_symbolic_sizes(target: Tensor, result: str) -> None:
    assert only("reshape", hidden, target) == result


def test_reshape_of_an_unknown_rank_knows_what_the_target_says() -> None:
    assert only("reshape", Tensor(f32, Unranked("x")), ints(-1, 4)) == "f32[size(x)//4, 4]"


@pytest.mark.parametrize(
    ("operand", "target"),
    [
        (shaped(2, 3), ints(4, -1)),
        (shaped(2, 3), ints(7)),
        (shaped(2, 3), ints(-1, -1)),
        (shaped(2, 3), ints(2, 3, 0)),
        (shaped(batch, 3), ints(7, 5)),
        (shaped(2, 3), ints(-2, 3)),
    ],
)
def test_reshape_records_what_cannot_hold(operand: Tensor, target: Tensor) -> None:
    assert "reshape-size" in written("reshape", operand, target)[1]


def test_reshape_leaves_open_what_hangs_on_symbols() -> None:
    require = Require("reshape")
    REGISTRY["reshape"].infer(shaped(batch, 3), ints(4, -1), require=require)  # type: ignore[misc]
    assert [(str(constraint), constraint.decided) for constraint in require.constraints] == [
        ("3*batch is divisible by 4", None)
    ]


@pytest.mark.parametrize(
    ("start", "end", "step", "size"),
    [
        (0, steps, 1, "steps"),
        (0, LAST, 1, "steps"),
        (1, LAST, 1, "max(0, steps - 1)"),
        (-1, LAST, 1, "min(1, steps)"),
        (0, -1, 1, "max(0, steps - 1)"),
        (0, 5, 1, "min(5, steps)"),
        (0, LAST, 2, "(steps + 1)//2"),
        (-1, -LAST, -1, "steps"),
        (LAST, -LAST, -2, "(steps + 1)//2"),
        (LAST, LAST, 1, "0"),
        (batch - steps, LAST, 1, "slice.1"),
    ],
)
def test_slice_of_a_symbolic_dim(start: Dim, end: Dim, step: int, size: str) -> None:
    assert only("slice", hidden, ints(start), ints(end), ints(1), ints(step)) == f"f32[batch, {size}, 768]"


def test_slice_between_two_symbols_of_a_long_table() -> None:
    table = shaped(4096, 64)
    past = symbol("past", high=2048)
    few = symbol("steps", high=2048)
    assert only("slice", table, ints(past), ints(past + few), ints(0)) == "f32[steps, 64]"


def test_slice_with_unknown_starts_keeps_the_other_dims() -> None:
    assert only("slice", hidden, Tensor(i64, (1,)), ints(5), ints(1)) == "f32[batch, slice.1, 768]"


def test_slice_rejects_a_step_of_zero_and_an_axis_that_is_not_there() -> None:
    assert written("slice", hidden, ints(0), ints(1), ints(0), ints(0))[1] == ["illegal-argument"]
    assert written("slice", hidden, ints(0), ints(1), ints(3))[1] == ["axis-out-of-range"]


def test_strided_slice_reads_its_masks() -> None:
    row = only(
        "strided_slice", hidden, ints(0, 0), ints(0, 1), ints(1, 1), begin_mask=1, end_mask=1, shrink_axis_mask=2
    )
    assert row == "f32[batch, 768]"
    last = only(
        "strided_slice", hidden, ints(0, 0), ints(0, 4), ints(1, 1), ellipsis_mask=1, begin_mask=2, new_axis_mask=0
    )
    assert last == "f32[batch, steps, 4]"
    added = only("strided_slice", hidden, ints(0, 0), ints(0, 0), ints(1, 1), begin_mask=1, end_mask=1, new_axis_mask=2)
    assert added == "f32[batch, 1, steps, 768]"


def test_concat_adds_along_the_axis_and_demands_equality_elsewhere() -> None:
    assert only("concat", hidden, shaped(batch, 1, 768), axis=1) == "f32[batch, steps + 1, 768]"
    outputs, violated = written("concat", hidden, shaped(batch, 1, 3), axis=1)
    assert (outputs, violated) == (["f32[batch, steps + 1, 768]"], ["concat-dims"])
    assert written("concat", hidden, hidden, axis=3)[1] == ["axis-out-of-range"]
    assert written("concat", hidden, shaped(batch, steps), axis=0)[1] == ["rank-differs"]


def test_concat_with_an_operand_of_unknown_rank_keeps_the_other_dims() -> None:
    assert only("concat", hidden, Tensor(f32, Unranked("x")), axis=-1) == "f32[batch, steps, concat.1]"


def test_split_divides_symbolic_sizes() -> None:
    assert written("split", hidden, axis=-1, num_outputs=3)[0] == ["f32[batch, steps, 256]"] * 3
    assert written("split", hidden, ints(256, 512), axis=2) == (
        ["f32[batch, steps, 256]", "f32[batch, steps, 512]"],
        [],
    )
    assert written("split", hidden, ints(256, 256), axis=2)[1] == ["dims-differ"]
    doubled = shaped(batch * 2, 4)
    assert written("split", doubled, axis=0, num_outputs=2)[0] == ["f32[batch, 4]", "f32[batch, 4]"]


def test_stack_demands_one_shape() -> None:
    assert only("stack", hidden, hidden, axis=-1) == "f32[batch, steps, 768, 2]"
    assert written("stack", hidden, shaped(batch, steps, 3))[1] == ["concat-dims"]


def test_squeeze_of_a_dim_that_may_be_one() -> None:
    assert only("squeeze", shaped(batch, 1, 5)) == "f32[...]"
    assert only("squeeze", shaped(symbol("many", low=2), 1, 5)) == "f32[many, 5]"
    assert only("squeeze", shaped(batch, 1, 5), ints(1)) == "f32[batch, 5]"
    assert only("squeeze", shaped(batch, 1, 5), ints(0)) == "f32[1, 5]"
    assert written("squeeze", shaped(batch, 1, 5), ints(2))[1] == ["dims-differ"]
    assert only("squeeze", shaped(2, 1, 5), ints(2), strict=False) == "f32[2, 1, 5]"


def test_unsqueeze_counts_axes_in_the_result() -> None:
    assert only("unsqueeze", hidden, ints(1, -1)) == "f32[batch, 1, steps, 768, 1]"
    assert written("unsqueeze", hidden, ints(5))[1] == ["axis-out-of-range"]
    assert written("unsqueeze", hidden, ints(0, 0))[1] == ["illegal-argument"]


def test_expand_stretches_either_side() -> None:
    assert only("expand", shaped(1, 1, steps), ints(batch, 1, steps)) == "f32[batch, 1, steps]"
    assert only("expand", shaped(batch, 1), ints(1, steps)) == "f32[batch, steps]"
    assert written("expand", shaped(3, 4), ints(2, 4))[1] == ["broadcast-mismatch"]


def test_broadcast_to_stretches_the_operand_only() -> None:
    assert only("broadcast_to", shaped(1, 5), ints(batch, 3, -1)) == "f32[batch, 3, 5]"
    assert written("broadcast_to", shaped(3, 5), ints(1, 5))[1] == ["broadcast-mismatch"]
    assert written("broadcast_to", shaped(3, 5), ints(5))[1] == ["broadcast-mismatch"]


def test_range_counts_between_symbols() -> None:
    assert only("range", number(0), number(steps), number(1)) == "i64[steps]"
    assert only("range", number(batch), number(batch + steps), number(1)) == "i64[steps]"
    assert only("range", number(steps), number(0), number(-2)) == "i64[(steps + 1)//2]"
    assert written("range", number(0), number(4), number(0))[1] == ["illegal-argument"]


def test_shape_hands_its_sizes_on() -> None:
    require = Require("shape")
    sizes = REGISTRY["shape"].infer(hidden, require=require)  # type: ignore[misc]
    assert isinstance(sizes, Tensor)
    picked = REGISTRY["gather"].reference(sizes.value, np.asarray([0]))  # type: ignore[misc]
    target = REGISTRY["concat"].reference(picked, np.asarray([-1]))  # type: ignore[misc]
    assert target.tolist() == [batch, -1]
    assert only("reshape", hidden, Tensor(i64, target.shape, target)) == "f32[batch, 768*steps]"


def test_resize_scales_symbolic_sizes_where_the_scale_is_a_plain_fraction() -> None:
    image = shaped(batch, 3, height, 32)
    double = constant(np.asarray([1, 1, 2, 0.5], dtype=np.float32))
    assert only("resize", image, None, double) == "f32[batch, 3, 2*height, 16]"
    third = constant(np.asarray([1, 1, 1 / 3, 1], dtype=np.float32))
    assert only("resize", image, None, third) == "f32[batch, 3, resize.1, 32]"
    assert only("resize", image, None, None, ints(batch, 3, 2 * height, 64)) == "f32[batch, 3, 2*height, 64]"
    assert written("resize", image)[1] == ["illegal-argument"]


def test_blocks_must_divide() -> None:
    assert only("depth_to_space", shaped(batch, 12, height, 7), blocksize=2) == "f32[batch, 3, 2*height, 14]"
    assert written("depth_to_space", shaped(batch, 10, height, 7), blocksize=2)[1] == ["not-divisible"]
    assert written("space_to_depth", shaped(batch, 3, height, 7), blocksize=2)[1] == ["not-divisible"]


def test_pad_adds_and_cuts() -> None:
    assert only("pad", hidden, ints(1, -2), None, ints(1)) == "f32[batch, steps - 1, 768]"
    assert written("pad", shaped(3, 3), ints(0, 3, 0, 0), mode="reflect")[1] == ["illegal-argument"]
    assert written("pad", shaped(3, 3), ints(1, 1))[1] == ["illegal-argument"]
    assert written("pad", shaped(3, 3), ints(-4, 0, 0, 0))[1] == ["illegal-argument"]


def test_transpose_needs_each_axis_once() -> None:
    assert only("transpose", hidden, perm=(0, 2, 1)) == "f32[batch, 768, steps]"
    assert written("transpose", hidden, perm=(0, 1))[1] == ["illegal-argument"]
    assert written("transpose", hidden, perm=(0, 1, 1))[1] == ["illegal-argument"]


def test_tile_needs_one_count_per_dim() -> None:
    assert only("tile", hidden, ints(1, batch, 2)) == "f32[batch, batch*steps, 1536]"
    assert written("tile", hidden, ints(2))[1] == ["rank-differs"]
