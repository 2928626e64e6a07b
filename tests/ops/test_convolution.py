"""Sizes and values of windows that slide: by hand on symbols, and against PyTorch and TensorFlow on numbers."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest
from shape_rules import inferred
from shape_rules import shaped as t

from mlvet.domains.dims import Dim, evaluate, symbol
from mlvet.domains.dtypes import f32
from mlvet.domains.tensors import constant, of_dims, unknown
from mlvet.ops import REGISTRY
from mlvet.ops.require import Require

B, H, W = symbol("B"), symbol("H"), symbol("W")
SEEDS = range(60)


def test_conv_on_symbolic_height_and_width() -> None:
    result, broken = inferred("conv", t(B, 3, H, W), t(64, 3, 7, 7), strides=(2, 2), pads=(3, 3, 3, 3))
    assert (str(result), broken) == ("f32[B, 64, (H + 1)//2, (W + 1)//2]", [])


def test_same_padding_divides_rounding_up() -> None:
    result, _ = inferred("conv", t(B, 3, H, 5), t(8, 3, 3, 3), strides=(2, 2), auto_pad="SAME_UPPER")
    assert str(result) == "f32[B, 8, (H + 1)//2, 3]"


def test_a_convolution_with_padding_of_half_its_kernel_keeps_the_size() -> None:
    result, _ = inferred("conv", t(B, 3, H, W), t(8, 3, 3, 3), pads=(1, 1, 1, 1))
    assert result == t(B, 8, H, W)


@pytest.mark.parametrize(
    ("x", "w", "options", "rule"),
    [
        ((B, 3, 8, 8), (8, 4, 3, 3), {}, "conv-channels"),
        ((B, 4, 8, 8), (8, 4, 3, 3), {"group": 2}, "conv-channels"),
        ((B, 4, 8, 8), (7, 2, 3, 3), {"group": 2}, "not-divisible"),
        ((B, 3, 2, 8), (8, 3, 3, 3), {}, "kernel-larger-than-input"),
        ((B, 3, 4, 4), (8, 3, 3, 3), {"dilations": (2, 2)}, "kernel-larger-than-input"),
        ((B, 3, 8), (8, 3, 3, 3), {}, "rank-differs"),
        ((B, 3, 8, 8), (8, 3, 3, 3), {"strides": (1,)}, "illegal-argument"),
        ((B, 3, 8, 8), (8, 3, 3, 3), {"strides": (0, 1)}, "illegal-argument"),
        ((B, 8, 8, 4), (3, 3, 4, 8), {"data_format": "NHWC"}, "conv-channels"),
    ],
)
def test_conv_records_what_cannot_be(
    x: tuple[Dim, ...], w: tuple[Dim, ...], options: dict[str, Any], rule: str
) -> None:
    assert rule in inferred("conv", t(*x), t(*w), **options)[1]


def test_a_kernel_may_not_fit_a_symbolic_input() -> None:
    require = Require("node")
    REGISTRY["conv"].infer(t(B, 3, H, 8), t(8, 3, 3, 3), require=require)
    assert [(c.rule, str(c), c.decided) for c in require.constraints] == [("kernel-larger-than-input", "H >= 3", None)]


def test_conv_of_unknown_rank_has_the_rank_of_its_kernel() -> None:
    result, broken = inferred("conv", unknown("x", f32), t(8, 3, 3, 3))
    assert (result.rank, broken) == (4, [])


def test_depthwise_kernels_of_tensorflow_multiply_channels() -> None:
    options = {"data_format": "NHWC", "kernel_format": "HWCM", "auto_pad": "SAME_UPPER"}
    assert inferred("conv", t(B, H, W, 6), t(3, 3, 6, 2), **options) == (t(B, H, W, 12), [])
    assert inferred("conv", t(B, H, W, 5), t(3, 3, 6, 2), **options)[1] == ["conv-channels"]


def test_input_dilation_and_batch_groups_of_jax() -> None:
    assert inferred("conv", t(B, 3, H), t(4, 3, 3), input_dilation=(2,), pads=(1, 1))[0].dims[:2] == (B, 4)
    assert inferred("conv", t(6, 3, 5), t(4, 3, 3), batch_group_count=2)[0] == t(3, 4, 3)
    assert inferred("conv", t(5, 3, 5), t(4, 3, 3), batch_group_count=2)[1] == ["not-divisible"]


def test_transposed_convolution_undoes_the_size() -> None:
    options = {"strides": (2, 2), "pads": (1, 1, 1, 1)}
    assert inferred("conv_transpose", t(B, 8, H, W), t(8, 3, 4, 4), **options) == (t(B, 3, 2 * H, 2 * W), [])
    assert inferred("conv_transpose", t(B, 7, H, W), t(8, 3, 4, 4), **options)[1] == ["conv-channels"]


def test_output_shape_operand_of_tensorflow_must_fit_the_input() -> None:
    x, w, options = t(B, 4, 4, 8), t(3, 3, 5, 8), {"strides": (2, 2), "auto_pad": "SAME_UPPER"}
    fitting, broken = inferred("conv_transpose_to", x, w, of_dims([B, 8, 7, 5], f32), **options)
    assert (fitting, broken) == (t(B, 8, 7, 5), [])
    assert inferred("conv_transpose_to", x, w, of_dims([B, 9, 8, 5], f32), **options)[1] == ["dims-differ"]
    unknown_shape, _ = inferred("conv_transpose_to", x, w, unknown("s"), **options)
    assert (unknown_shape.rank, unknown_shape.dims[0]) == (4, B)


def test_groups_of_tensorflow_follow_from_the_output_shape() -> None:
    x, w, options = t(B, 4, 4, 8), t(3, 3, 5, 8), {"strides": (2, 2), "auto_pad": "SAME_UPPER"}
    assert inferred("conv_transpose_to", x, w, of_dims([B, 8, 8, 10], f32), **options) == (t(B, 8, 8, 10), [])
    assert inferred("conv_transpose_to", x, w, of_dims([B, 8, 8, 7], f32), **options)[1] == ["conv-channels"]
    assert inferred("conv_transpose_to", x, w, of_dims([B, 8, 8, 15], f32), **options)[1] == ["not-divisible"]


def test_no_group_given_means_what_the_channels_make_of_the_kernel() -> None:
    assert inferred("conv", t(B, 6, 8), t(9, 2, 3), group=0) == (t(B, 9, 6), [])
    assert inferred("conv", t(B, 6, 8), t(8, 2, 3), group=0)[1] == ["not-divisible"]
    assert inferred("conv", t(B, 6, 8), t(8, 4, 3), group=0)[1] == ["conv-channels"]


@pytest.mark.parametrize(
    ("size", "stride", "padding", "height"),
    [(2, 2, 0, "(H + 1)//2"), (3, 2, 1, "(H)//2 + 1"), (3, 1, 1, "H")],
)
def test_ceil_mode_on_a_symbolic_height(size: int, stride: int, padding: int, height: str) -> None:
    options = {"kernel_shape": (size,), "strides": (stride,), "pads": (padding, padding), "ceil_mode": True}
    (result, indices), broken = inferred("max_pool", t(B, 3, H), **options)
    assert (str(result.dims[2]).replace("H//2", "(H)//2"), broken) == (height, [])
    assert indices.dims == result.dims


def test_the_last_window_must_not_start_in_the_padding_after() -> None:
    options: dict[str, Any] = {"kernel_shape": (3,), "strides": (3,), "pads": (1, 1), "ceil_mode": True}
    symbolic, _ = inferred("average_pool", t(1, 1, H), **options)
    for length in range(1, 12):
        concrete, _ = inferred("average_pool", t(1, 1, length), **options)
        assert evaluate(symbolic.dims[2], {"H": length}) == concrete.dims[2]
    assert inferred("average_pool", t(1, 1, 2), **options)[0] == t(1, 1, 1)


def test_pooling_leaves_batch_and_channels_where_they_are() -> None:
    options: dict[str, Any] = {"kernel_shape": (2, 2), "strides": (2, 2), "data_format": "NHWC"}
    assert inferred("average_pool", t(B, 8, 8, 3), **options)[0] == t(B, 4, 4, 3)
    assert inferred("global_average_pool", t(B, H, W, 3), data_format="NHWC")[0] == t(B, 1, 1, 3)
    assert inferred("adaptive_average_pool", t(B, 3, H, W), output_size=(7, None))[0] == t(B, 3, 7, W)


class Choice:
    """Options of a convolution or a pooling, drawn from a seed."""

    def __init__(self, seed: int) -> None:
        self.pick = random.Random(seed)
        self.values = np.random.default_rng(seed)
        self.rank = self.pick.randint(1, 3)
        self.size = self.each(1, 3)
        self.stride = self.each(1, 3)
        self.dilation = self.each(1, 2)
        self.padding = tuple(self.pick.randint(0, size // 2) for size in self.size)
        self.space = tuple(
            (size - 1) * dilation + self.pick.randint(1, 5)
            for size, dilation in zip(self.size, self.dilation, strict=True)
        )

    def each(self, low: int, high: int) -> tuple[int, ...]:
        return tuple(self.pick.randint(low, high) for _ in range(self.rank))

    def array(self, *shape: int) -> np.ndarray[Any, Any]:
        return self.values.standard_normal(shape).astype(np.float32)

    @property
    def options(self) -> dict[str, Any]:
        return {"strides": self.stride, "dilations": self.dilation, "pads": self.padding * 2}


def agrees(name: str, operands: list[Any], wanted: Any, **attributes: Any) -> None:
    """Both facets: the inferred shape is that of the other library, and so are the values of the reference."""
    op = REGISTRY[name]
    results = op.reference(*operands, **attributes)
    result = results[0] if isinstance(results, tuple) else results
    wanted = np.asarray(wanted)
    shapes, broken = inferred(name, *(constant(x) if x is not None else None for x in operands), **attributes)
    shape = shapes[0] if isinstance(shapes, tuple) else shapes
    assert (shape.dims, broken) == (wanted.shape, [])
    np.testing.assert_allclose(result, wanted, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("seed", SEEDS)
def test_conv_is_that_of_torch(seed: int) -> None:
    import torch

    c = Choice(seed)
    group, per_group, out = c.pick.randint(1, 3), c.pick.randint(1, 2), c.pick.randint(1, 2)
    x, w = c.array(2, group * per_group, *c.space), c.array(group * out, per_group, *c.size)
    b = c.array(group * out) if seed % 2 else None
    call = getattr(torch.nn.functional, f"conv{c.rank}d")
    bias = None if b is None else torch.tensor(b)
    wanted = call(torch.tensor(x), torch.tensor(w), bias, c.stride, c.padding, c.dilation, group)
    agrees("conv", [x, w, b], wanted, group=group, **c.options)
    last, letters = np.moveaxis(x, 1, -1), "DHW"[3 - c.rank :]
    kernel = np.moveaxis(w, (0, 1), (-1, -2))
    formats = {"data_format": f"N{letters}C", "kernel_format": f"{letters}IO"}
    agrees("conv", [last, kernel, b], np.moveaxis(wanted.numpy(), 1, -1), group=group, **c.options, **formats)


@pytest.mark.parametrize("seed", SEEDS)
def test_conv_transpose_is_that_of_torch(seed: int) -> None:
    import torch

    c = Choice(seed)
    group, per_group, out = c.pick.randint(1, 3), c.pick.randint(1, 2), c.pick.randint(1, 2)
    x, w = c.array(2, group * per_group, *c.space), c.array(group * per_group, out, *c.size)
    extra = tuple(c.pick.randint(0, max(s, d) - 1) for s, d in zip(c.stride, c.dilation, strict=True))
    call = getattr(torch.nn.functional, f"conv_transpose{c.rank}d")
    wanted = call(torch.tensor(x), torch.tensor(w), None, c.stride, c.padding, extra, group, c.dilation)
    agrees("conv_transpose", [x, w, None], wanted, group=group, output_padding=extra, **c.options)


@pytest.mark.parametrize("seed", SEEDS)
def test_max_pool_is_that_of_torch(seed: int) -> None:
    import torch

    c = Choice(seed)
    x, ceil_mode = c.array(2, 3, *c.space), bool(seed % 2)
    call = getattr(torch.nn.functional, f"max_pool{c.rank}d")
    wanted, places = call(torch.tensor(x), c.size, c.stride, c.padding, c.dilation, ceil_mode, True)
    agrees("max_pool", [x], wanted, kernel_shape=c.size, ceil_mode=ceil_mode, **c.options)
    _, indices = REGISTRY["max_pool"].reference(x, kernel_shape=c.size, ceil_mode=ceil_mode, **c.options)
    assert (indices % int(np.prod(c.space)) == places.numpy()).all()


@pytest.mark.parametrize("seed", SEEDS)
def test_average_pool_is_that_of_torch(seed: int) -> None:
    import torch

    c = Choice(seed)
    x, ceil_mode, counted = c.array(2, 3, *c.space), bool(seed % 2), bool(seed % 3)
    call = getattr(torch.nn.functional, f"avg_pool{c.rank}d")
    wanted = call(torch.tensor(x), c.size, c.stride, c.padding, ceil_mode, counted)
    options = {"kernel_shape": c.size, "ceil_mode": ceil_mode, "count_include_pad": counted}
    agrees("average_pool", [x], wanted, strides=c.stride, pads=c.padding * 2, **options)


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("kind", ["average", "max"])
def test_adaptive_pool_is_that_of_torch(kind: str, seed: int) -> None:
    import torch

    c = Choice(seed)
    x, sizes = c.array(2, 3, *c.space), c.each(1, 4)
    call = getattr(torch.nn.functional, f"adaptive_{kind[:3].replace('ave', 'avg')}_pool{c.rank}d")
    agrees(f"adaptive_{kind}_pool", [x], call(torch.tensor(x), sizes), output_size=sizes)


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("padding", ["SAME", "VALID"])
def test_layouts_and_padding_are_those_of_tensorflow(padding: str, seed: int) -> None:
    import tensorflow as tf

    c = Choice(seed)
    side, size, stride = c.pick.randint(3, 7), c.pick.randint(1, 3), c.pick.randint(1, 3)
    auto_pad = "SAME_UPPER" if padding == "SAME" else "VALID"
    x, w, deep = c.array(1, side, side, 2), c.array(size, size, 2, 3), c.array(size, size, 2, 2)
    options: dict[str, Any] = {"strides": (stride, stride), "auto_pad": auto_pad, "data_format": "NHWC"}
    agrees("conv", [x, w], tf.nn.conv2d(x, w, stride, padding), kernel_format="HWIO", **options)
    depthwise = tf.nn.depthwise_conv2d(x, deep, (1, stride, stride, 1), padding)
    agrees("conv", [x, deep], depthwise, kernel_format="HWCM", **options)
    agrees("max_pool", [x], tf.nn.max_pool2d(x, size, stride, padding), kernel_shape=(size, size), **options)
    agrees("average_pool", [x], tf.nn.avg_pool2d(x, size, stride, padding), kernel_shape=(size, size), **options)
    back = tf.nn.conv2d(x, w, stride, padding)
    shape = np.asarray(x.shape, np.int64)
    wanted = tf.nn.conv2d_transpose(back, w, x.shape, stride, padding)
    agrees("conv_transpose_to", [back.numpy(), w, shape], wanted, strides=(stride, stride), auto_pad=auto_pad)
