"""Enclosures where random samples seldom come: at the ends of element types, and between different ones."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from mlvet.domains.dims import symbol
from mlvet.domains.dtypes import f32, f64, i32, i64
from mlvet.domains.intervals import Interval, of_array
from mlvet.domains.tensors import Tensor, constant
from mlvet.ops import REGISTRY
from mlvet.ops.numeric import Enclosure

LARGEST = float(np.finfo(np.float32).max)


def enclosed(name: str, held: Sequence[Interval | None], tensors: Sequence[Tensor | None], **attributes: Any) -> Any:
    kind = REGISTRY[name].numeric
    assert isinstance(kind, Enclosure)
    return kind.of(held, tensors, **attributes)


def computed(name: str, *operands: Any, **attributes: Any) -> Any:
    reference = REGISTRY[name].reference
    assert reference is not None
    with np.errstate(all="ignore"):
        return reference(*operands, **attributes)


def test_deformed_elements_may_overflow_before_a_weight_of_zero() -> None:
    shapes = [(1, 2, 3, 3), (1, 2, 2, 2), (1, 8, 2, 2), None, (1, 4, 2, 2)]
    sizes = [LARGEST, 0.0, 0.0, None, 2.0]
    tensors = [None if shape is None else Tensor(f32, shape) for shape in shapes]
    held = [None if size is None else Interval(0.0, size) for size in sizes]
    point = [
        None if shape is None else np.full(shape, size, np.float32) for shape, size in zip(shapes, sizes, strict=True)
    ]
    assert np.isnan(computed("deform_conv", *point)).any()
    assert enclosed("deform_conv", held, tensors)[0].nan
    calm = [None if x is None else Interval(0.0, min(x.high, 1.0)) for x in held]
    assert enclosed("deform_conv", calm, tensors)[0].finite


def test_a_state_that_decays_upward_may_be_anything() -> None:
    shapes = [(1, 1, 2), (1, 1, 2), (1, 1, 2), None, (1, 1, 1)]
    tensors = [None if shape is None else Tensor(f32, shape) for shape in shapes]
    held = [Interval(1.0, 1.0), Interval(1.0, 1.0), Interval(1.0, 1.0), None, Interval(1.7e38, 1.7e38)]
    options = {"update_rule": "gated", "q_num_heads": 1, "kv_num_heads": 1}
    point = [
        None if shape is None or x is None else np.full(shape, x.low, np.float32)
        for shape, x in zip(shapes, held, strict=True)
    ]
    assert np.isnan(computed("linear_attention", *point, **options)[0]).all()
    assert all(interval.nan for interval in enclosed("linear_attention", held, tensors, **options))


def test_crops_are_floats_of_32_bits_whatever_the_image() -> None:
    image = np.array([1e-5, 1e300, -2.0, 3.0]).reshape(1, 2, 2, 1)
    boxes, entries, size = np.array([[0.0, 0, 1, 1]], np.float32), np.array([0], np.int32), np.array([2, 2])
    tensors = [Tensor(f64, image.shape), constant(boxes), constant(entries), Tensor(i64, (2,))]
    held = [of_array(array) for array in (image, boxes, entries, size)]
    found = computed("crop_and_resize", image, boxes, entries, size, method="nearest")
    assert found.dtype == np.float32
    (told,) = enclosed("crop_and_resize", held, tensors, method="nearest", extrapolation_value=9.0)
    assert all(x in told for x in [9.0, *found.ravel().tolist()])
    assert told.high == np.inf
    pixels = [Interval(0.0, 255.0), *held[1:]]
    means = enclosed("crop_and_resize", pixels, [Tensor(i32, image.shape), *tensors[1:]])[0]
    assert means.finite
    assert means.high < 256


def test_sizes_of_the_host_program_may_be_negative() -> None:
    kind = REGISTRY["sizes"].numeric
    assert isinstance(kind, Enclosure)
    n = symbol("n", 0, 5)
    assert kind.of([], [], dims=(n - 3, 4)) == (Interval(-3.0, 4.0),)
    assert kind.of([], [], dims=(10**400, -(10**400))) == (Interval(float(i64.least), float(i64.largest)),)
