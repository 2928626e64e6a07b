"""rearrange, reduce, repeat and einsum."""

from __future__ import annotations

from typing import Any

from mlvet.frontends.python.active import machine
from mlvet.frontends.python.arrays import shaping
from mlvet.frontends.python.arrays.reductions import reduced
from mlvet.frontends.python.emission import emit
from mlvet.frontends.python.libraries.binding import Misfit, as_items
from mlvet.frontends.python.libraries.einops.patterns import (
    Pattern,
    expanded,
    flat,
    measured,
    parsed,
    ranked,
    side_of,
    size_of,
)
from mlvet.frontends.python.libraries.registry import model
from mlvet.frontends.python.values.containers import ListValue, Repeated
from mlvet.frontends.python.values.raising import Raised
from mlvet.frontends.python.values.tensors import TensorValue, dims_of
from mlvet.frontends.python.values.unknown import Reason, Undecided, Unknown

REDUCTIONS = {
    "mean": "reduce_mean", "sum": "reduce_sum", "max": "reduce_max", "min": "reduce_min", "prod": "reduce_prod",
    "any": "reduce_any", "all": "reduce_all",
}  # fmt: skip


def tensor_from(x: Any) -> Any:
    """The operand: a tensor, or a list of tensors one after the other along a new first dim."""
    if isinstance(x, TensorValue):
        return x
    if isinstance(x, Unknown):
        if isinstance(x.tensor, TensorValue):
            return x.tensor
        raise Undecided(x)
    if isinstance(x, ListValue | tuple):
        items = x.items if isinstance(x, ListValue) else x
        if isinstance(items, Repeated):
            raise Undecided(Reason.DYNAMIC_CONTAINER, "tensors in a list of unknown length")
        return shaping.stacked([tensor_from(item) for item in items], 0)
    convert = getattr(x, "as_tensor", None)
    if convert is not None:
        return convert()
    raise Misfit(f"{x!r} is no tensor")


def _pattern(pattern: Any) -> Pattern:
    if not isinstance(pattern, str):
        raise Undecided(Reason.UNMODELLED_ARGUMENTS, "a pattern that is not known")
    return parsed(pattern)


@model("einops.rearrange")
def rearrange(tensor: Any, pattern: Any, **axes_lengths: Any) -> Any:
    found = _pattern(pattern)
    if set(flat(found.left)) - {"1"} != set(flat(found.right)) - {"1"}:
        raise Raised(ValueError(f"both sides of {pattern!r} must have the same axes"))
    return _transformed(tensor, found, None, axes_lengths)


@model("einops.reduce")
def reduce(tensor: Any, pattern: Any, reduction: Any, **axes_lengths: Any) -> Any:
    found = _pattern(pattern)
    if set(flat(found.right)) - set(flat(found.left)):
        raise Raised(ValueError(f"{pattern!r} has axes on the right that are not on the left"))
    return _transformed(tensor, found, reduction, axes_lengths)


@model("einops.repeat")
def repeat(tensor: Any, pattern: Any, **axes_lengths: Any) -> Any:
    found = _pattern(pattern)
    if set(flat(found.left)) - set(flat(found.right)):
        raise Raised(ValueError(f"{pattern!r} has axes on the left that are not on the right"))
    return _transformed(tensor, found, None, axes_lengths)


def _transformed(tensor: Any, pattern: Pattern, reduction: Any, lengths: dict[str, Any]) -> Any:
    """Split into axes, reduce, order, add axes and put axes together: as few operators as that takes."""
    x = ranked(tensor_from(tensor), pattern)
    both = expanded(pattern, len(dims_of(x) or ()))
    known = measured(x, both.left, lengths)
    unused = set(lengths) - set(flat(both.left)) - set(flat(both.right))
    if unused:
        raise Raised(ValueError(f"the axis {sorted(unused)[0]} is not in the pattern"))
    axes = flat(both.left)
    x = _shaped(x, [size_of((axis,), known) for axis in axes])
    gone = [place for place, axis in enumerate(axes) if axis not in flat(both.right)]
    if gone:
        x = _combined(x, reduction, tuple(gone))
        axes = [axis for axis in axes if axis in flat(both.right)]
    wanted = flat(both.right)
    kept = [axis for axis in wanted if axis in axes]
    order = tuple(axes.index(axis) for axis in kept)
    if order != tuple(range(len(order))):
        x = emit("transpose", x, perm=order)
    if len(kept) < len(wanted):
        new = tuple(place for place, axis in enumerate(wanted) if axis not in axes)
        x = shaping.broadcast(shaping.unsqueezed(x, new), [size_of((axis,), known) for axis in wanted])
    return _shaped(x, [size_of(group, known) for group in both.right])


def _shaped(x: Any, sizes: list[Any]) -> Any:
    return x if tuple(sizes) == dims_of(x) else shaping.reshape(x, sizes)


def _combined(x: Any, reduction: Any, axes: tuple[int, ...]) -> Any:
    if isinstance(reduction, str):
        if reduction not in REDUCTIONS:
            raise Raised(ValueError(f"there is no reduction {reduction!r}"))
        return reduced(REDUCTIONS[reduction], x, axes)
    if reduction is None or isinstance(reduction, Unknown):
        raise Undecided(Reason.UNMODELLED_ARGUMENTS, "a reduction that is not known")
    return machine().call(reduction, x, axes)


@model("einops.einsum")
def einsum(tensor: Any, tensors_and_pattern: Any, *more: Any) -> Any:
    given = (tensor, tensors_and_pattern, *more)
    operands, pattern = [tensor_from(each) for each in given[:-1]], given[-1]
    if not isinstance(pattern, str):
        raise Undecided(Reason.UNMODELLED_ARGUMENTS, "a pattern that is not known")
    names: dict[str, str] = {}

    def short(side: str) -> str:
        made = ""
        for group in side_of(side):
            for axis in group:
                made += axis if axis == "..." else names.setdefault(axis, chr(ord("a") + len(names)))
        return made

    left, arrow, right = pattern.partition("->")
    if not arrow:
        raise Raised(ValueError("the pattern of einsum needs an arrow"))
    equation = ",".join(short(side) for side in left.split(",")) + "->" + short(right)
    return emit("einsum", *operands, equation=equation)


@model("einops.parse_shape")
def parse_shape(x: Any, pattern: Any) -> Any:
    if not isinstance(pattern, str):
        raise Undecided(Reason.UNMODELLED_ARGUMENTS, "a pattern that is not known")
    left = side_of(pattern)
    both = Pattern(left, ())
    known = ranked(tensor_from(x), both)
    spread = expanded(both, len(dims_of(known) or ())).left
    sizes = dict(zip(spread, dims_of(known) or (), strict=True))
    return {group[0]: size for group, size in sizes.items() if group and group[0].isidentifier() and group[0] != "_"}


@model("einops.asnumpy")
def asnumpy(tensor: Any) -> Any:
    from mlvet.frontends.python.libraries.numpy.arrays import as_ndarray

    return as_ndarray(tensor_from(tensor))


def operands_of(tensors: Any) -> tuple[Any, ...]:
    return tuple(tensor_from(each) for each in as_items(tensors))
