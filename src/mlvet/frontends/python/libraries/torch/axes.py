"""The dims that a call names: plain integers, one or several, negative ones counted from the end."""

from __future__ import annotations

from typing import Any

from mlvet.domains.dims import Dim
from mlvet.frontends.python.emission import demand
from mlvet.frontends.python.libraries.binding import as_items
from mlvet.frontends.python.values.containers import ListValue
from mlvet.frontends.python.values.numbers import Scalar
from mlvet.frontends.python.values.tensors import TensorValue, dims_of, rank_of
from mlvet.frontends.python.values.unknown import Reason, Undecided, Unknown


def axis_of(dim: Any) -> int:
    """One dim by its number. Raises Undecided if that is not known."""
    if isinstance(dim, Scalar) and dim.has_default and isinstance(dim.default, int):
        dim = dim.default
    if isinstance(dim, int):
        return int(dim)
    raise Undecided(dim if isinstance(dim, Unknown) else Reason.UNMODELLED_ARGUMENTS, "the number of a dim")


def axes_of(dim: Any) -> tuple[int, ...] | None:
    """Dims by their numbers, None for all of them."""
    if dim is None:
        return None
    if isinstance(dim, tuple | list | ListValue):
        return tuple(axis_of(each) for each in as_items(dim))
    return (axis_of(dim),)


def ranked_dims(x: TensorValue) -> tuple[Dim, ...]:
    """The sizes of a tensor. Raises Undecided if its rank is not known."""
    dims = dims_of(x)
    if dims is None:
        raise Undecided(Reason.UNMODELLED_ARGUMENTS, "a tensor of unknown rank")
    return dims


def rank(x: TensorValue) -> int:
    return len(ranked_dims(x))


def placed(axis: int, of: int) -> int:
    """An axis counted from the front; one out of range is recorded. A tensor without dims has the dims 0 and -1."""
    room = max(of, 1)
    if not -room <= axis < room:
        demand(False, f"dim {axis} is out of range for {of} dims", "axis-out-of-range")
        raise Undecided(Reason.EXCEPTION, "a dim that is not there")
    return axis % room


def is_scalar(x: TensorValue) -> bool:
    return rank_of(x) == 0
