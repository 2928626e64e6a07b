"""Convolutions and windows that slide."""

from __future__ import annotations

from typing import Any

from mlvet.domains.dims import Dim, ceil_div, floor_div
from mlvet.domains.dtypes import DType
from mlvet.domains.tensors import Tensor as Known
from mlvet.frontends.python.emission import demand, emit, opaque
from mlvet.frontends.python.libraries.binding import Sizes, as_items, as_sizes
from mlvet.frontends.python.libraries.jax.array import Array, ArrayLike, Tensor, cast_to
from mlvet.frontends.python.libraries.limits import one_of
from mlvet.frontends.python.libraries.registry import model
from mlvet.frontends.python.values.objects import Object
from mlvet.frontends.python.values.tensors import dims_of, dtype_of, rank_of, tensor_of
from mlvet.frontends.python.values.unknown import Reason, Undecided

Pads = str | tuple[tuple[Dim, Dim], ...]


def pads_of(padding: Any) -> Pads:
    """SAME or VALID, or what is added before and after each spatial dim."""
    if isinstance(padding, str):
        return padding.upper()
    pairs = [as_sizes(each) for each in as_items(padding)]
    return tuple((low, high) for low, high in pairs)


@model("jax.lax.ConvDimensionNumbers")
class ConvDimensionNumbers(Object):
    """The layouts of input, kernel and result, in letters or as axes of batch, channels and space."""

    def __init__(self, lhs_spec: Any, rhs_spec: Any, out_spec: Any) -> None:
        self.lhs_spec = lhs_spec
        self.rhs_spec = rhs_spec
        self.out_spec = out_spec


@model("jax.lax.conv_dimension_numbers")
def conv_dimension_numbers(lhs_shape: Any, rhs_shape: Any, dimension_numbers: Any) -> Any:
    data, kernel, out = layouts(dimension_numbers, len(as_sizes(lhs_shape)))
    return ConvDimensionNumbers(data, kernel, out)


def layouts(numbers: Any, rank: int) -> tuple[str, str, str]:
    """The layouts in letters."""
    space = "DHW"[-(rank - 2) :] if rank <= 5 and rank > 2 else "".join("XYZUVT"[: rank - 2])
    if numbers is None:
        return f"NC{space}", f"OI{space}", f"NC{space}"
    specs = (
        (numbers.lhs_spec, numbers.rhs_spec, numbers.out_spec)
        if isinstance(numbers, ConvDimensionNumbers)
        else as_items(numbers)
    )
    return (_letters(specs[0], "NC", space), _letters(specs[1], "OI", space), _letters(specs[2], "NC", space))


def _letters(spec: Any, pair: str, space: str) -> str:
    if spec is None:
        return pair + space
    if isinstance(spec, str):
        return spec
    order = [""] * (len(space) + 2)
    for axis, letter in zip(as_items(spec), pair + space, strict=False):
        order[axis] = letter
    return "".join(order)


@model("jax.lax.conv_general_dilated")
def conv_general_dilated(
    lhs: ArrayLike, rhs: ArrayLike, window_strides: Sizes, padding: Any, lhs_dilation: Sizes | None = None,
    rhs_dilation: Sizes | None = None, dimension_numbers: Any = None, feature_group_count: int = 1,
    batch_group_count: int = 1, precision: Any = None, preferred_element_type: DType | None = None, **_: Any,
) -> Tensor:  # fmt: skip
    rank = rank_of(lhs) or rank_of(rhs)
    if rank is None:
        raise Undecided(Reason.UNMODELLED_ARGUMENTS, "arrays of unknown rank")
    data, kernel, out = layouts(dimension_numbers, rank)
    attributes: dict[str, Any] = {"strides": window_strides, "group": feature_group_count}
    if batch_group_count != 1:
        attributes["batch_group_count"] = batch_group_count
    if rhs_dilation is not None:
        attributes["dilations"] = rhs_dilation
    if lhs_dilation is not None and any(gap != 1 for gap in lhs_dilation):
        attributes["input_dilation"] = lhs_dilation
    made = convolved(lhs, rhs, pads_of(padding), data, kernel, attributes)
    if out != data:
        letters = [data.index(letter) for letter in out]
        made = emit("transpose", made, perm=tuple(letters))
    return cast_to(made, preferred_element_type)


def convolved(x: Any, w: Any, pads: Pads, data: str, kernel: str, attributes: dict[str, Any]) -> Any:
    """A convolution in the layouts told."""
    if isinstance(pads, str):
        attributes["auto_pad"] = {"SAME": "SAME_UPPER", "SAME_LOWER": "SAME_LOWER"}.get(pads, pads)
        demand(pads in ("SAME", "VALID", "SAME_LOWER"), f"padding {pads} is not known", "illegal-argument")
        if pads not in ("SAME", "VALID", "SAME_LOWER"):
            attributes["auto_pad"] = "VALID"
    else:
        attributes["pads"] = (*(low for low, _ in pads), *(high for _, high in pads))
    return emit("conv", x, w, data_format=data, kernel_format=kernel, **attributes)


@model("jax.lax.conv")
def conv(
    lhs: ArrayLike, rhs: ArrayLike, window_strides: Sizes, padding: str, precision: Any = None, **_: Any
) -> Tensor:
    return conv_general_dilated(lhs, rhs, window_strides, padding)


@model("jax.lax.conv_with_general_padding")
def conv_with_general_padding(
    lhs: ArrayLike, rhs: ArrayLike, window_strides: Sizes, padding: Any, lhs_dilation: Sizes | None,
    rhs_dilation: Sizes | None, precision: Any = None, **_: Any,
) -> Tensor:  # fmt: skip
    return conv_general_dilated(lhs, rhs, window_strides, padding, lhs_dilation, rhs_dilation)


def transposed_length(length: Dim, size: Dim, stride: Dim, pad: Any) -> Any:
    """The length that a transposed convolution makes of one."""
    if pad == "SAME":
        return length * stride
    if pad == "VALID":
        return length * stride + _most(size, stride)
    low, high = pad
    return (length - 1) * stride + 1 + low + high - size + 1


def _most(size: Dim, stride: Dim) -> Dim:
    from mlvet.domains.dims import maximum

    return maximum(size - stride, 0)


@model("jax.lax.conv_transpose")
def conv_transpose(
    lhs: ArrayLike, rhs: ArrayLike, strides: Sizes, padding: Any, rhs_dilation: Sizes | None = None,
    dimension_numbers: Any = None, transpose_kernel: bool = False, precision: Any = None, **_: Any,
) -> Tensor:  # fmt: skip
    """Channels last by default; the kernel is [*space, in, out], or [*space, out, in] if it is transposed."""
    rank = rank_of(lhs) or rank_of(rhs)
    if rank is None or not dims_of(lhs) or not dims_of(rhs):
        raise Undecided(Reason.UNMODELLED_ARGUMENTS, "arrays of unknown rank")
    letters = "DHW"[-(rank - 2) :]
    data, kernel, out = layouts(dimension_numbers or (f"N{letters}C", f"{letters}IO", f"N{letters}C"), rank)
    x, w = dims_of(lhs) or (), dims_of(rhs) or ()
    taken, made = (w[kernel.index(letter)] for letter in (("O", "I") if transpose_kernel else ("I", "O")))
    channels = x[data.index("C")]
    if isinstance(channels, int) and isinstance(taken, int):
        because = f"{tensor_of(lhs)} has {channels} channels, the kernel takes {taken}"
        demand(channels == taken, because, "dims-differ")
    pads = pads_of(padding)
    sizes: dict[str, Dim] = {"N": x[data.index("N")], "C": made}
    for place, letter in enumerate(each for each in data if each not in "NC"):
        gap = rhs_dilation[place] if rhs_dilation else 1
        size = (w[kernel.index(letter)] - 1) * gap + 1
        pad = pads if isinstance(pads, str) else pads[place]
        sizes[letter] = transposed_length(x[data.index(letter)], size, strides[place], pad)
    return opaque("conv_transpose", [lhs, rhs], Known(dtype_of(lhs), tuple(sizes[each] for each in out)), Array)


@model("jax.lax.conv_general_dilated_patches")
def conv_general_dilated_patches(
    lhs: ArrayLike, filter_shape: Sizes, window_strides: Sizes, padding: Any, lhs_dilation: Sizes | None = None,
    rhs_dilation: Sizes | None = None, dimension_numbers: Any = None, **_: Any,
) -> Tensor:  # fmt: skip
    dims = dims_of(lhs)
    if dims is None:
        raise Undecided(Reason.UNMODELLED_ARGUMENTS, "an array of unknown rank")
    data, _kernel, out = layouts(dimension_numbers, len(dims))
    pads = pads_of(padding)
    sizes: dict[str, Dim] = {"N": dims[data.index("N")], "C": dims[data.index("C")]}
    for place, letter in enumerate(each for each in data if each not in "NC"):
        sizes["C"] = sizes["C"] * filter_shape[place]
        gap = rhs_dilation[place] if rhs_dilation else 1
        pad = pads if isinstance(pads, str) else pads[place]
        sizes[letter] = steps(dims[data.index(letter)], (filter_shape[place] - 1) * gap + 1, window_strides[place], pad)
    return opaque("patches", [lhs], Known(dtype_of(lhs), tuple(sizes[each] for each in out)), Array)


def steps(length: Dim, size: Dim, stride: Dim, pad: Any) -> Dim:
    """How often a window fits."""
    if pad in ("SAME", "SAME_LOWER"):
        return ceil_div(length, stride)
    low, high = (0, 0) if pad == "VALID" else pad
    total = length + low + high - size
    if isinstance(total, int):
        demand(total >= 0, f"a window of {size} does not fit {length}", "size-out-of-range")
    return floor_div(total, stride) + 1


@model("jax.lax.reduce_window")
def reduce_window(
    operand: ArrayLike, init_value: Any, computation: Any, window_dimensions: Sizes,
    window_strides: Sizes | None = None,
    padding: Any = "VALID", base_dilation: Sizes | None = None, window_dilation: Sizes | None = None,
) -> Tensor:  # fmt: skip
    dims = dims_of(operand)
    if dims is None:
        raise Undecided(Reason.UNMODELLED_ARGUMENTS, "an array of unknown rank")
    demand(len(dims) == len(window_dimensions), f"a window of {len(window_dimensions)} dims", "rank-differs")
    strides = window_strides or (1,) * len(dims)
    one_of("padding", padding.upper() if isinstance(padding, str) else padding, ("VALID", "SAME", "SAME_LOWER"))
    pads = pads_of(padding)
    sizes = tuple(
        steps(
            (dim - 1) * base_dilation[n] + 1 if base_dilation else dim,
            (size - 1) * window_dilation[n] + 1 if window_dilation else size,
            strides[n],
            pads if isinstance(pads, str) else pads[n],
        )
        for n, (dim, size) in enumerate(zip(dims, window_dimensions, strict=False))
    )
    return opaque("reduce_window", [operand], Known(dtype_of(operand), sizes), Array)
