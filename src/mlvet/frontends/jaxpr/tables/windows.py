"""Windows that slide: pooling over any axes."""

from __future__ import annotations

from math import prod
from typing import Any

from mlvet.domains.dims import product
from mlvet.domains.tensors import Tensor
from mlvet.frontends.jaxpr.context import Context, lowers
from mlvet.frontends.lowering_rules import Unlowered
from mlvet.ir.graph import Value


@lowers("reduce_window_max", "reduce_window_sum", "reduce_window_min")
def reduce_window(context: Context) -> Value:
    """Axes without a window go to the front as batch and channels; a sum is a mean times the size of the window."""
    (x,) = context.operands
    sizes, strides = context.param("window_dimensions"), context.param("window_strides")
    padding, dilation = context.param("padding"), context.param("window_dilation")
    if any(gap != 1 for gap in context.param("base_dilation")):
        raise Unlowered("gaps between elements")
    rank = context.rank(x)
    plain = [a for a in range(rank) if sizes[a] == 1 and strides[a] == 1 and tuple(padding[a]) == (0, 0)]
    sliding = [axis for axis in range(rank) if axis not in plain]
    if not sliding:
        return context.result("identity", x)
    perm = [*plain, *sliding]
    moved = context.transposed(x, perm)
    dims, space = context.dims(x), [context.dims(x)[axis] for axis in sliding]
    front = [dims[axis] for axis in plain]
    if len(plain) != 2:
        shape = [1, product(front), *space]
        moved = context.add(
            "reshape", moved, context.shape(shape), like=Tensor(x.declared.dtype, tuple(shape)), allowzero=1
        )
    if context.name == "reduce_window_min":
        moved = context.add("neg", moved)
    attributes: dict[str, Any] = {
        "kernel_shape": tuple(int(sizes[axis]) for axis in sliding),
        "strides": tuple(int(strides[axis]) for axis in sliding),
        "pads": (*(int(padding[axis][0]) for axis in sliding), *(int(padding[axis][1]) for axis in sliding)),
        "dilations": tuple(int(dilation[axis]) for axis in sliding),
    }
    if min(attributes["pads"]) < 0:
        raise Unlowered("negative padding")
    if context.name == "reduce_window_sum":
        if not context.dtype(x).is_float:
            raise Unlowered("sums of integers")
        pooled = context.add("average_pool", moved, count_include_pad=1, **attributes)
        count = context.number(float(prod(attributes["kernel_shape"])), context.dtype(x))
        pooled = context.add("mul", pooled, count)
    else:
        pooled = context.add("max_pool", moved, **attributes)
        if context.name == "reduce_window_min":
            pooled = context.add("neg", pooled)
    out = context.declared().dims
    if len(plain) != 2:
        pooled = context.add("reshape", pooled, context.shape([out[axis] for axis in perm]), allowzero=1)
    return context.result("transpose", pooled, perm=tuple(perm.index(axis) for axis in range(rank)))
