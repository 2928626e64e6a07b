"""What a shape rule still tells when the rank of an operand is not known: what it tells for every rank alike.

The rule is asked about each rank in turn. Ranks that it refuses are not those of a program that runs; on what the
others agree, the element type and the last dims, that is so whatever the rank.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice, zip_longest
from typing import Any

from mlvet.domains.dims import Dim, Expr, symbol, symbols
from mlvet.domains.tensors import Dims, Tensor, UnknownRank, Unranked, unknown
from mlvet.ops.folding import REFUSALS
from mlvet.ops.op import Op
from mlvet.ops.require import Require

RANKS = range(7)
LIKELIEST = (4, 2, 1, 3, 5)
"""Asked about in this order where several ranks are unknown, each of them for itself."""


def inferred(
    op: Op, operands: Sequence[Tensor | None], attributes: Mapping[str, Any], require: Require
) -> tuple[Tensor, ...]:
    """What the rule of an operator tells of its results; what it leaves open for want of a rank, as all ranks agree."""
    assert op.infer is not None
    try:
        found = op.infer(*operands, require=require, **attributes)
    except UnknownRank:
        return tuple(_agreed(op, operands, attributes, require.name))
    results = found if isinstance(found, tuple) else (found,)
    if require.violated or all(each is None or each.ranked for each in operands):
        return results
    if not any(_tells_nothing(each, require.name) for each in results):
        return results
    better = _agreed(op, operands, attributes, require.name)
    return tuple(
        agreed if agreed is not None and _tells_nothing(told, require.name) else told
        for told, agreed in zip_longest(results, better[: len(results)])
    )


def _tells_nothing(result: Tensor, name: str) -> bool:
    """Whether a rule gave its result no more than names of its own making."""
    if isinstance(result.shape, Unranked):
        return not result.shape.ends and result.shape.name.startswith(f"{name}.")
    return bool(result.shape) and all(_is_fresh(dim, name) for dim in result.shape)


def _agreed(op: Op, operands: Sequence[Tensor | None], attributes: Mapping[str, Any], name: str) -> list[Tensor]:
    """The results as far as they do not hang on the ranks that are unknown; none if the rule takes no rank."""
    open_shapes = [each.shape for each in operands if each is not None and isinstance(each.shape, Unranked)]
    alike = len(set(open_shapes)) == 1
    ranks = RANKS[len(open_shapes[0].ends) :] if alike else LIKELIEST
    told = list(islice(_told(op, operands, attributes, name, ranks), None if alike else 1))
    if len({len(found) for found in told}) != 1:
        return []
    if not alike:
        return [unknown(f"{name}:{place}", each.dtype) for place, each in enumerate(told[0])]
    return [_common(results, f"{name}:{place}") for place, results in enumerate(zip(*told, strict=True))]


def _told(
    op: Op, operands: Sequence[Tensor | None], attributes: Mapping[str, Any], name: str, ranks: Sequence[int]
) -> Iterator[Sequence[Tensor]]:
    if op.infer is None:
        return
    for rank in ranks:
        require = Require(name)
        try:
            found = op.infer(*(_ranked(each, rank) for each in operands), require=require, **attributes)
        except (UnknownRank, *REFUSALS):
            continue
        if not require.violated:
            yield found if isinstance(found, tuple) else (found,)


def _ranked(operand: Tensor | None, rank: int) -> Tensor | None:
    if operand is None or not isinstance(operand.shape, Unranked):
        return operand
    shape = operand.shape
    ends = shape.ends if shape.ends or not rank else (shape.last,)
    before = (symbol(f"dim({place}, {shape.name})") for place in range(-rank, -len(ends)))
    return replace(operand, shape=(*before, *ends[-rank:]) if rank else ())


def _common(results: Sequence[Tensor], name: str) -> Tensor:
    """The element type and the last dims that all have; the whole shape if it is always the same."""
    dtypes = {each.dtype for each in results}
    dtype = dtypes.pop() if len(dtypes) == 1 else None
    shapes = [each.shape for each in results]
    known = [shape.ends if isinstance(shape, Unranked) else shape for shape in shapes]
    ends: Dims = ()
    for dims in zip(*(reversed(each) for each in known), strict=False):
        if any(dim != dims[0] for dim in dims) or _is_fresh(dims[0], name.rpartition(":")[0]):
            break
        ends = (dims[0], *ends)
    if all(each.ranked and len(each.dims) == len(ends) for each in results):
        return Tensor(dtype, ends)
    return Tensor(dtype, Unranked(name, ends))


def _is_fresh(dim: Dim, name: str) -> bool:
    """Whether a size was named by this application, and so may be another one for each rank."""
    return isinstance(dim, Expr) and any(each.name.startswith(f"{name}.") for each in symbols(dim))
