"""Resizing of images and other grids, one axis after the other."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import floor
from typing import Any

import numpy as np

from mlvet.domains.dims import Dim, floor_div
from mlvet.domains.tensors import Tensor
from mlvet.ops.danger import OVERFLOW
from mlvet.ops.derivative import Jvp
from mlvet.ops.enclosures_sums import CUBIC, blended, overshooting
from mlvet.ops.layout import Array, axes_of, ints_of, length_of, proper
from mlvet.ops.numeric import ByMode, Convex, Numeric, Selection
from mlvet.ops.op import pure
from mlvet.ops.require import Require
from mlvet.ops.samples import Draw, Sample, integers

MODES = ("nearest", "linear", "cubic")
COORDINATES = (
    "half_pixel", "half_pixel_symmetric", "pytorch_half_pixel", "align_corners", "asymmetric", "tf_crop_and_resize",
)  # fmt: skip
NEAREST = ("round_prefer_floor", "round_prefer_ceil", "floor", "ceil")
POLICIES = ("stretch", "not_larger", "not_smaller")


def scaled(dim: Dim, scale: float, require: Require) -> Dim:
    """A dim times a scale, rounded down; of a symbolic dim only where the scale is a plain fraction."""
    if isinstance(dim, int):
        return floor(dim * scale)
    fraction = Fraction(scale)
    return (
        floor_div(dim * fraction.numerator, fraction.denominator) if fraction.denominator <= 64 else require.unknown()
    )


def infer_resize(
    x: Tensor,
    roi: Tensor | None = None,
    scales: Tensor | None = None,
    sizes: Tensor | None = None,
    *,
    require: Require,
    axes: Sequence[int] | None = None,
    keep_aspect_ratio_policy: str = "stretch",
    mode: str = "nearest",
    coordinate_transformation_mode: str = "half_pixel",
    nearest_mode: str = "round_prefer_floor",
    **_: Any,
) -> Tensor:
    """The named dims become the sizes, or are scaled."""
    require.holds(mode in MODES, f"resize has no mode {mode!r}")
    require.holds(coordinate_transformation_mode in COORDINATES, f"resize knows no {coordinate_transformation_mode!r}")
    require.holds(nearest_mode in NEAREST, f"resize has no rounding {nearest_mode!r}")
    if coordinate_transformation_mode == "tf_crop_and_resize":
        require.holds(roi is not None, "tf_crop_and_resize needs a region")
    places = list(range(x.rank)) if axes is None else axes_of(require, axes, x.rank)
    dims: list[Dim] = list(x.dims)
    given = sizes if sizes is not None and length_of(sizes) != 0 else scales
    count = length_of(given)
    if not require.holds(given is not None, "resize needs scales or sizes"):
        return require.unknown_tensor(x.dtype, x.rank)
    because = f"resize of {len(places)} axes has {count} sizes or scales"
    if count is not None and not require.holds(count == len(places), because, "rank-differs"):
        return require.unknown_tensor(x.dtype, x.rank)
    if given is sizes:
        targets = require.ints(sizes)
        wanted = [require.unknown() for _ in places] if targets is None else targets
        if keep_aspect_ratio_policy != "stretch":
            wanted = _kept([dims[place] for place in places], wanted, keep_aspect_ratio_policy, require)
    elif given is not None and given.value is not None and given.value.dtype != object:
        factors = [float(scale) for scale in np.ravel(given.value)]
        require.holds(all(factor > 0 for factor in factors), "the scales of resize must be positive")
        wanted = [scaled(dims[place], factor, require) for place, factor in zip(places, factors, strict=True)]
    else:
        wanted = [require.unknown() for _ in places]
    for place, size in zip(places, proper(require, wanted), strict=True):
        dims[place] = size
    return x.with_shape(dims)


def _kept(dims: Sequence[Dim], targets: Sequence[Dim], policy: str, require: Require) -> list[Dim]:
    """Sizes with the aspect of the dims, within the targets or covering them."""
    known, wanted = ([dim for dim in row if isinstance(dim, int)] for row in (dims, targets))
    if len(known) != len(dims) or len(wanted) != len(targets) or 0 in known or not known:
        return [require.unknown() for _ in dims]
    factors = [target / dim for target, dim in zip(wanted, known, strict=True)]
    factor = min(factors) if policy == "not_larger" else max(factors)
    return [int(factor * dim + 0.5) for dim in known]


def _origins(
    size: int, dim: int, scale: float, how: str, region: tuple[float, float] | None
) -> tuple[Array, Array | None]:
    """Where each result element lies on the operand's axis, and which of them lie outside the region's axis."""
    at = np.arange(size, dtype=np.float64)
    width = scale * dim
    match how:
        case "align_corners":
            return (at * 0 if width == 1 else at * (dim - 1) / (width - 1)), None
        case "asymmetric":
            return at / scale, None
        case "pytorch_half_pixel" if width == 1:
            return at * 0 - 0.5, None
        case "half_pixel_symmetric":
            return dim / 2 * (1 - size / width) + (at + 0.5) / scale - 0.5, None
        case "tf_crop_and_resize":
            first, last = region or (0.0, 1.0)
            steps = at * 0 + 0.5 if width == 1 else at / (width - 1)
            origins = first * (dim - 1) + steps * (last - first) * (dim - 1)
            return origins, (origins < 0) | (origins > dim - 1)
        case _:
            return (at + 0.5) / scale - 0.5, None


def _cubic(distance: Array, a: float) -> Array:
    far = np.abs(distance)
    near = ((a + 2) * far - (a + 3)) * far**2 + 1
    away = a * (((far - 5) * far + 8) * far - 4)
    return np.where(far <= 1, near, np.where(far < 2, away, 0.0))


def axis_weights(
    dim: int,
    origins: Array,
    scale: float,
    mode: str,
    nearest_mode: str,
    cubic_coeff_a: float,
    exclude_outside: bool,
    antialias: bool,
) -> Array:
    """For each result element the weights of the operand's elements along one axis."""
    weights = np.zeros((len(origins), dim))
    rows = np.arange(len(origins))
    if mode == "nearest":
        rounded = {
            "round_prefer_floor": np.ceil(origins - 0.5),
            "round_prefer_ceil": np.floor(origins + 0.5),
            "floor": np.floor(origins),
            "ceil": np.ceil(origins),
        }[nearest_mode]
        weights[rows, np.clip(rounded, 0, dim - 1).astype(np.int64)] = 1
        return weights
    reach = 1 if mode == "linear" else 2
    shrink = min(scale, 1.0) if antialias else 1.0
    half = -floor(-reach / shrink)
    base = np.ceil(origins) - 1
    near = base[:, None] + np.arange(1 - half, half + 1)
    distance = (near - origins[:, None]) * shrink
    parts = np.clip(1 - np.abs(distance), 0, 1) if mode == "linear" else _cubic(distance, cubic_coeff_a)
    if antialias:
        parts = parts / parts.sum(axis=1, keepdims=True)
    if exclude_outside:
        inside = (near >= 0) & (near < dim)
        kept = np.where(inside, parts, 0)
        parts = np.where(inside.any(axis=1, keepdims=True), kept, parts)
        total = parts.sum(axis=1, keepdims=True)
        parts = parts / np.where(total == 0, 1, total)
    np.add.at(weights, (rows[:, None], np.clip(near, 0, dim - 1).astype(np.int64)), parts)
    return weights


def _resize(
    x: Array,
    roi: Array | None = None,
    scales: Array | None = None,
    sizes: Array | None = None,
    *,
    antialias: bool = False,
    axes: Sequence[int] | None = None,
    coordinate_transformation_mode: str = "half_pixel",
    cubic_coeff_a: float = -0.75,
    exclude_outside: bool = False,
    extrapolation_value: float = 0.0,
    keep_aspect_ratio_policy: str = "stretch",
    mode: str = "nearest",
    nearest_mode: str = "round_prefer_floor",
) -> Array:
    places = list(range(x.ndim)) if axes is None else [axis % x.ndim for axis in axes]
    dims = [x.shape[place] for place in places]
    if sizes is not None and sizes.size:
        wanted = ints_of(sizes)
        factors = [size / dim for size, dim in zip(wanted, dims, strict=True)]
        if keep_aspect_ratio_policy != "stretch":
            factors = [min(factors) if keep_aspect_ratio_policy == "not_larger" else max(factors)] * len(dims)
            wanted = [int(factor * dim + 0.5) for factor, dim in zip(factors, dims, strict=True)]
    else:
        assert scales is not None
        factors = [float(scale) for scale in scales]
        wanted = [floor(dim * factor) for dim, factor in zip(dims, factors, strict=True)]
    crop = coordinate_transformation_mode == "tf_crop_and_resize" and roi is not None and roi.size > 0
    result = x.astype(np.float64)
    beyond = np.zeros((1,) * x.ndim, dtype=bool)
    for number, (place, dim, size, factor) in enumerate(zip(places, dims, wanted, factors, strict=True)):
        region = (float(roi[number]), float(roi[number + len(places)])) if crop and roi is not None else None
        if size == dim and factor == 1 and region in (None, (0.0, 1.0)):
            continue
        origins, outside = _origins(size, dim, factor, coordinate_transformation_mode, region)
        weights = axis_weights(
            dim, origins, factor, mode, nearest_mode, cubic_coeff_a, bool(exclude_outside), bool(antialias)
        )
        result = np.moveaxis(np.tensordot(weights, result, axes=(1, place)), 0, place)
        if outside is not None:
            beyond = beyond | outside.reshape([-1 if axis == place else 1 for axis in range(x.ndim)])
    result = np.where(beyond, extrapolation_value, result)
    if x.dtype.kind in "iu":
        limits = np.iinfo(x.dtype)
        result = np.clip(np.rint(result), limits.min, limits.max)
    return result.astype(x.dtype)


def _move_resize(operands: Sequence[Array], directions: Sequence[Array | None], **attributes: Any) -> Array:
    change = np.zeros_like(operands[0]) if directions[0] is None else directions[0]
    return _resize(change, *operands[1:], **{**attributes, "extrapolation_value": 0.0})


def _sample_resize(draw: Draw) -> Sample:
    dims = (draw.integer(1, 2), draw.integer(1, 2), draw.integer(2, 5), draw.integer(2, 5))
    mode, how = draw.choice(MODES), draw.choice(COORDINATES)
    attributes: dict[str, Any] = {"mode": mode, "coordinate_transformation_mode": how}
    if mode == "nearest":
        attributes["nearest_mode"] = draw.choice(NEAREST)
    else:
        attributes["exclude_outside"] = how != "tf_crop_and_resize" and draw.choice((True, False))
        attributes["antialias"] = draw.choice((True, False))
    some = draw.choice((True, False))
    if some:
        attributes["axes"] = draw.choice(((2, 3), (-1, -2)))
    lead = [] if some else [1.0, 1.0]
    roi = None
    if how == "tf_crop_and_resize":
        attributes["extrapolation_value"] = 3.0
        roi = np.asarray([*[0.0] * len(lead), 0.1, -0.2, *lead, 0.8, 1.1], dtype=np.float32)
    if draw.choice((True, False)):
        factors = [draw.choice((0.5, 1.0, 1.5, 2.0, 0.6)) for _ in range(2)]
        return Sample((draw.array(dims), roi, np.asarray([*lead, *factors], dtype=np.float32), None), attributes)
    attributes["keep_aspect_ratio_policy"] = draw.choice(POLICIES if some else POLICIES[:1])
    targets = [draw.integer(2, 7), draw.integer(2, 7)]
    return Sample((draw.array(dims), roi, None, integers(targets if some else [*dims[:2], *targets])), attributes)


def kind_of_resize(
    mode: str = "nearest",
    coordinate_transformation_mode: str = "half_pixel",
    extrapolation_value: float = 0.0,
    cubic_coeff_a: float = CUBIC,
    exclude_outside: bool = False,
    antialias: bool = False,
    **_: Any,
) -> Numeric | None:
    """Picked elements, means of elements or sums of their multiples; what lies outside has a value of its own."""
    outside = extrapolation_value if coordinate_transformation_mode == "tf_crop_and_resize" else None
    if mode == "nearest":
        return Selection((0,), outside)
    if mode == "linear":
        return blended(outside) if outside else Convex()
    return None if exclude_outside else overshooting(cubic_coeff_a, outside, slack=0.5 if antialias else 0.0)


resize = pure(
    "resize",
    infer_resize,
    _resize,
    _sample_resize,
    family="image",
    numeric=ByMode(kind_of_resize),
    danger=(OVERFLOW,),
    derivative=Jvp(_move_resize, operands=(0,)),
)
