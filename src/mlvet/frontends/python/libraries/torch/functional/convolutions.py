"""Linear maps and convolutions of torch.nn.functional."""

from __future__ import annotations

from typing import Any

from mlvet.domains.dims import Dim, Expr
from mlvet.frontends.python.arrays.operators import assumed
from mlvet.frontends.python.emission import demand
from mlvet.frontends.python.libraries.binding import Size, SizeOrSizes
from mlvet.frontends.python.libraries.registry import model
from mlvet.frontends.python.libraries.torch.element_types import same_types
from mlvet.frontends.python.libraries.torch.tensor import Tensor, made
from mlvet.frontends.python.values.numbers import Scalar
from mlvet.frontends.python.values.tensors import TensorValue, dims_of, rank_of
from mlvet.frontends.python.values.unknown import Reason, Undecided, Unknown

SPACE = ("length", "height", "width", "depth")


def spatial(space: int) -> tuple[str, ...]:
    """Names for the dims of a batch of images, signals or volumes."""
    names = {1: ("length",), 2: ("height", "width"), 3: ("depth", "height", "width")}[space]
    return ("batch", "channels", *names)


def spread(value: Any, space: int, what: str) -> tuple[Dim, ...]:
    """One size for each dim of space; one size serves all."""
    sizes = (value,) * space if isinstance(value, int | Expr) else tuple(value)
    if len(sizes) == 1:
        sizes = sizes * space
    demand(len(sizes) == space, f"{what} must be one size or {space}, but are {len(sizes)}")
    if len(sizes) != space:
        raise Undecided(Reason.EXCEPTION, what)
    return sizes


@model("torch.nn.functional.linear", "torch._C._nn.linear")
def linear(input: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    same_types("linear", input, weight, bias)
    return made("linear", input, weight, bias)


@model("torch.nn.functional.bilinear", "torch.bilinear")
def bilinear(input1: Tensor, input2: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    same_types("bilinear", input1, input2, weight)
    return made("bilinear", input1, input2, weight, bias)


def convolved(
    op: str, x: TensorValue, weight: TensorValue, bias: TensorValue | None, space: int, attributes: dict[str, Any]
) -> Tensor:
    """A convolution; an operand without batch gets one for the time being."""
    same_types("a convolution", x, weight, bias)
    x = assumed(x, space + 2, *spatial(space))
    count = rank_of(x)
    what = f"a convolution over {space} dims needs a tensor of {space + 1} or {space + 2} dims, but gets {count}"
    demand(count in (space + 1, space + 2), what, "rank-differs")
    if count == space + 1:
        made_ = made(op, made("unsqueeze", x, (0,)), weight, bias, **attributes)
        return made("squeeze", made_, (0,))
    if count != space + 2:
        raise Undecided(Reason.EXCEPTION, "a convolution")
    return made(op, x, weight, bias, **attributes)


def pads(
    padding: Any, weight: TensorValue, stride: tuple[Dim, ...], dilation: tuple[Dim, ...], space: int
) -> tuple[Any, ...]:
    """Padding on both sides; `same` puts the odd one behind."""
    if isinstance(padding, Scalar) and padding.has_default:
        padding = padding.default
    if padding == "valid":
        return (0,) * (2 * space)
    if padding == "same":
        demand(all(each == 1 for each in stride), "padding `same` needs strides of 1")
        sizes = dims_of(weight)
        if sizes is None or len(sizes) != space + 2:
            raise Undecided(Reason.UNMODELLED_ARGUMENTS, "a kernel of unknown size")
        totals = [each * (size - 1) for size, each in zip(sizes[2:], dilation, strict=True)]
        return (*(total // 2 for total in totals), *(total - total // 2 for total in totals))
    if isinstance(padding, Unknown | Scalar | str):
        raise Undecided(padding if isinstance(padding, Unknown) else Reason.UNMODELLED_ARGUMENTS, "padding")
    around = spread(padding, space, "padding")
    return (*around, *around)


def _convolution(space: int) -> Any:
    def function(
        input: Tensor, weight: Tensor, bias: Tensor | None = None, stride: SizeOrSizes = 1, padding: Any = 0,
        dilation: SizeOrSizes = 1, groups: Size = 1,
    ) -> Tensor:  # fmt: skip
        strides, dilations = spread(stride, space, "strides"), spread(dilation, space, "dilations")
        around = _given(padding)
        demand(all(not isinstance(each, int) or each > 0 for each in (*strides, *dilations)), "strides must be above 0")
        attributes = {
            "strides": strides, "pads": pads(around, weight, strides, dilations, space), "dilations": dilations,
            "group": groups,
        }  # fmt: skip
        return convolved("conv", input, weight, bias, space, attributes)

    return function


def _given(padding: Any) -> Any:
    from mlvet.frontends.python.libraries.binding import as_size, as_sizes
    from mlvet.frontends.python.values.containers import ListValue

    if isinstance(padding, ListValue | tuple | list):
        return as_sizes(padding)
    return padding if isinstance(padding, str | Scalar) else as_size(padding, "padding")


def _transposed(space: int) -> Any:
    def function(
        input: Tensor, weight: Tensor, bias: Tensor | None = None, stride: SizeOrSizes = 1, padding: SizeOrSizes = 0,
        output_padding: SizeOrSizes = 0, groups: Size = 1, dilation: SizeOrSizes = 1,
    ) -> Tensor:  # fmt: skip
        around = spread(padding, space, "padding")
        attributes = {
            "strides": spread(stride, space, "strides"), "pads": (*around, *around),
            "dilations": spread(dilation, space, "dilations"),
            "output_padding": spread(output_padding, space, "output padding"), "group": groups,
        }  # fmt: skip
        _fitting(attributes)
        return convolved("conv_transpose", input, weight, bias, space, attributes)

    return function


def _fitting(attributes: dict[str, Any]) -> None:
    """Output padding must be smaller than the stride or the dilation."""
    figures = zip(*(attributes[name] for name in ("output_padding", "strides", "dilations")), strict=True)
    for extra, stride, dilation in figures:
        if all(isinstance(each, int) for each in (extra, stride, dilation)):
            demand(extra < max(stride, dilation), "output padding must be smaller than stride or dilation")


conv1d, conv2d, conv3d = (
    model(f"torch.nn.functional.conv{space}d", f"torch.conv{space}d")(_convolution(space)) for space in (1, 2, 3)
)
conv_transpose1d, conv_transpose2d, conv_transpose3d = (
    model(f"torch.nn.functional.conv_transpose{space}d", f"torch.conv_transpose{space}d")(_transposed(space))
    for space in (1, 2, 3)
)
