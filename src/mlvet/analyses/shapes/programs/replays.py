"""Failing calls with a number for every size, as the worker that makes them again with the real library wants them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from math import inf, prod
from typing import Any

from mlvet.analyses.shapes.programs.contradictions import Contradiction, claim
from mlvet.domains.claims import decide
from mlvet.domains.dims import Dim, Expr, evaluate, symbol, symbols
from mlvet.domains.solver import Solver, Status
from mlvet.domains.tensors import Tensor
from mlvet.ir.library_calls import Arguments, ElementType, LibraryCall, Made, Named, NotRepeatable, TensorArgument
from mlvet.ir.program import Demands

MOST_ELEMENTS = 1 << 26
"""The most elements that all tensors of a call may have together."""
_MILLISECONDS = 500
_SMALL = 2
_FEW = 256
"""The most elements of a tensor that are given as they are."""
_NOT_ALONE = frozenset(
    ("annotation-differs", "declared-shape-differs", "fed-shape-differs", "placeholder-fed-twice",
     "placeholder-not-fed", "shape-not-static")
)  # fmt: skip
"""Rules that a call on its own says nothing of."""


def replay(found: Contradiction, demands: Demands) -> dict[str, Any]:
    """The call that a contradiction is about, as JSON. Raises NotRepeatable where it cannot be made again."""
    if found.demand.constraint.rule in _NOT_ALONE:
        raise NotRepeatable("it is not about one call alone")
    if found.run is not None:
        raise NotRepeatable("it fails in a run of the graph, on what is fed there")
    call = found.demand.called
    if isinstance(call, str):
        raise NotRepeatable(call)
    tensors = list(_tensors(call.given))
    if any(not tensor.ranked for tensor in tensors):
        raise NotRepeatable("the rank of an argument is not known")
    sizes = _sizes(found, call, tensors, demands)
    if sum(prod(evaluate(dim, sizes) for dim in tensor.dims) for tensor in tensors) > MOST_ELEMENTS:
        raise NotRepeatable("its tensors are too large to be made for a trial")
    return {"names": list(call.names), "method": call.method, **_Concrete(sizes).arguments(call.given)}


def _sizes(found: Contradiction, call: LibraryCall, tensors: Iterable[Tensor], demands: Demands) -> dict[str, int]:
    """A number for each symbol, with which all else that the path demands holds, and this demand does not."""
    constraint = found.demand.constraint
    preferred = {each.name: each.default for each in demands.settings.values() if each.default is not None}
    solver = Solver(milliseconds=_MILLISECONDS, preferred=preferred)
    for other in found.others:
        solver.add(claim(other, other))
    for setting in found.defaults:
        if setting.default is not None:
            solver.equal(symbol(setting.name, -inf, inf), setting.default, setting)
    if found.taken:
        for name, rows in demands.full.items():
            solver.equal(symbol(name, -inf, inf), rows, "a full batch")
    for tensor in tensors:
        for dim in tensor.dims:
            solver.at_least(dim, 1, "a size of an argument")
    answer = solver.check((each.condition, each.holds) for each in found.path)
    if answer.status is not Status.SAT:
        raise NotRepeatable("no sizes were found that lead there")
    sizes = {
        each.name: int(max(preferred.get(each.name, _SMALL), each.low))
        for dim in (constraint.left, constraint.right, *_dims(call.given))
        for each in symbols(dim)
    } | dict(answer.model)
    try:
        if constraint.relation is not None:
            left, right = evaluate(constraint.left, sizes), evaluate(constraint.right, sizes)
            if decide(constraint.relation, left, right) is not False:
                raise NotRepeatable("no sizes were found with which it fails")
    except ZeroDivisionError as error:
        raise NotRepeatable("no sizes were found that lead there") from error
    return sizes


def _parts(value: Any) -> Iterator[Any]:
    """Everything within an argument that is neither a list nor an object."""
    match value:
        case Arguments():
            for each in (*value.positional, *(item for _, item in value.named)):
                yield from _parts(each)
        case Made():
            yield from _parts(value.given)
            if value.first is not None:
                yield from _parts(value.first)
            yield from (TensorArgument("", tensor) for _, tensor in value.state)
        case list() | tuple():
            for each in value:
                yield from _parts(each)
        case dict():
            for each in value.values():
                yield from _parts(each)
        case slice():
            yield from (value.start, value.stop, value.step)
        case _:
            yield value


def _tensors(given: Arguments) -> Iterator[Tensor]:
    return (each.tensor for each in _parts(given) if isinstance(each, TensorArgument))


def _dims(given: Arguments) -> Iterator[Dim]:
    for each in _parts(given):
        if isinstance(each, Expr):
            yield each
        elif isinstance(each, TensorArgument):
            yield from each.tensor.dims
            if each.tensor.value is not None:
                yield from (element for element in each.tensor.value.flat if isinstance(element, Expr))


class _Concrete:
    """Arguments as JSON, with numbers for symbols. What JSON lacks is an object with a key that says what it is."""

    def __init__(self, sizes: Mapping[str, int]) -> None:
        self._sizes = sizes

    def arguments(self, given: Arguments) -> dict[str, Any]:
        return {
            "args": [self._plain(each) for each in given.positional],
            "keywords": {name: self._plain(each) for name, each in given.named},
        }

    def _plain(self, value: Any) -> Any:
        match value:
            case None | bool() | float() | str():
                return value
            case int() | Expr():
                return int(evaluate(value, self._sizes))
            case TensorArgument():
                return {"tensor": value.kind, **self._tensor(value.tensor)}
            case ElementType():
                return {"dtype": value.name}
            case Named():
                return {"name": list(value.names)}
            case Made():
                return {"object": self._made(value)}
            case list():
                return {"list": [self._plain(each) for each in value]}
            case tuple():
                return {"tuple": [self._plain(each) for each in value]}
            case dict():
                return {"dict": [[self._plain(key), self._plain(each)] for key, each in value.items()]}
            case slice():
                return {"slice": [self._plain(each) for each in (value.start, value.stop, value.step)]}
        if value is Ellipsis:
            return {"ellipsis": True}
        raise NotRepeatable(f"an argument is of a kind that is not made again ({type(value).__name__})")

    def _tensor(self, tensor: Tensor) -> dict[str, Any]:
        dims = [int(evaluate(dim, self._sizes)) for dim in tensor.dims]
        found: dict[str, Any] = {"dims": dims, "dtype": tensor.dtype.numpy.name if tensor.dtype else "float32"}
        if tensor.value is not None and tensor.value.size <= _FEW and tensor.value.dtype.kind in "biufO":
            elements = [self._plain(each.item() if hasattr(each, "item") else each) for each in tensor.value.flat]
            found["value"] = elements
        return found

    def _made(self, made: Made) -> dict[str, Any]:
        return {
            "names": list(made.names),
            **self.arguments(made.given),
            "first": None if made.first is None else self.arguments(made.first),
            "state": {name: self._tensor(tensor) for name, tensor in made.state},
        }
