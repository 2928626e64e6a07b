"""Products and convolutions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from mlvet.domains.tensors import Tensor
from mlvet.frontends.jaxpr.context import Context, lowers
from mlvet.frontends.lowering_rules import Unlowered
from mlvet.ir.graph import Value


@lowers("dot_general")
def dot_general(context: Context) -> Value:
    left, right = context.operands
    (contracted, batch) = context.param("dimension_numbers")
    numbers = tuple(tuple(tuple(int(axis) for axis in axes) for axes in pair) for pair in (contracted, batch))
    to = context.declared().dtype
    if to is None:
        raise Unlowered("an element type that mlvet lacks")
    extra: dict[str, Any] = {} if left.declared.dtype is right.declared.dtype is to else {"preferred_element_type": to}
    return context.result("dot_general", left, right, dimension_numbers=numbers, **extra)


SPACE = "DHW"


def _letters(spec: Sequence[int], first: str, second: str) -> str | None:
    """A layout in letters, if space lies in its usual order; `spec` lists the axes of batch, features and space."""
    rank = len(spec)
    space = SPACE[-(rank - 2) :] if rank > 2 else ""
    if rank - 2 > len(SPACE) or list(spec[2:]) != sorted(spec[2:]):
        return None
    letters = [""] * rank
    for axis, letter in zip(spec, (first, second, *space), strict=True):
        letters[axis] = letter
    return "".join(letters)


@lowers("conv_general_dilated")
def convolution(context: Context) -> Value:
    """In the layout of the program where it has letters, otherwise with channels brought to the front."""
    x, w = context.operands
    numbers = context.param("dimension_numbers")
    pairs = [(int(low), int(high)) for low, high in context.param("padding")]
    attributes: dict[str, Any] = {
        "strides": tuple(context.param("window_strides")),
        "dilations": tuple(context.param("rhs_dilation")),
        "group": int(context.param("feature_group_count")),
    }
    if any(gap != 1 for gap in context.param("lhs_dilation")):
        attributes["input_dilation"] = tuple(context.param("lhs_dilation"))
    if int(context.param("batch_group_count", 1)) != 1:
        attributes["batch_group_count"] = int(context.param("batch_group_count"))
    data, kernel = _letters(numbers.lhs_spec, "N", "C"), _letters(numbers.rhs_spec, "O", "I")
    attributes["pads"] = (*(low for low, _ in pairs), *(high for _, high in pairs))
    to, source = context.declared().dtype, x.declared.dtype
    if to is not source or (min(attributes["pads"], default=0) < 0 and "input_dilation" not in attributes):
        raise Unlowered("another element type or negative padding")
    if data is not None and kernel is not None and numbers.lhs_spec == numbers.out_spec:
        return context.result("conv", x, w, data_format=data, kernel_format=kernel, **attributes)
    dims = context.declared().dims
    front = context.add(
        "conv", context.transposed(x, numbers.lhs_spec), context.transposed(w, numbers.rhs_spec),
        like=Tensor(to, tuple(dims[axis] for axis in numbers.out_spec)), **attributes,
    )  # fmt: skip
    back = [list(numbers.out_spec).index(axis) for axis in range(len(dims))]
    return context.result("transpose", front, perm=tuple(back))
