"""Labels and predictions brought to one rank, and what Keras demands of their shapes."""

from __future__ import annotations

from typing import Any

from mlvet.domains.dims import Dim, equal
from mlvet.frontends.python.emission import demand, emit
from mlvet.frontends.python.values.tensors import dims_of, rank_of, tensor_of


def same_rank(left: Any, right: Any) -> tuple[Any, Any]:
    """A last dim of size 1 put in or taken out where the ranks differ by one."""
    ranks = rank_of(left), rank_of(right)
    if ranks[0] is None or ranks[1] is None or ranks[0] == ranks[1]:
        return left, right
    if ranks == (1, 2) and _last(right) == 1:
        return emit("unsqueeze", left, (-1,)), right
    if ranks == (2, 1) and _last(left) == 1:
        return left, emit("unsqueeze", right, (-1,))
    if ranks[0] == ranks[1] + 1 and _last(left) == 1:
        return emit("squeeze", left, (-1,)), right
    if ranks[1] == ranks[0] + 1 and _last(right) == 1:
        return left, emit("squeeze", right, (-1,))
    return left, right


def fits(left: tuple[Dim, ...] | None, right: tuple[Dim, ...] | None) -> bool:
    """Whether two shapes can be the same."""
    if left is None or right is None:
        return True
    return len(left) == len(right) and all(equal(a, b) is not False for a, b in zip(left, right, strict=True))


def demand_same(true: Any, predicted: Any, what: str) -> bool:
    """Labels and predictions must have one shape."""
    good = fits(dims_of(true), dims_of(predicted))
    demand(
        good,
        f"{what} needs labels and predictions of one shape, but gets {tensor_of(true)} and {tensor_of(predicted)}",
        "dims-differ",
    )
    return good


def _last(x: Any) -> Dim:
    dims = dims_of(x)
    return dims[-1] if dims else 0
