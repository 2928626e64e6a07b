"""Adding operators to the graph from library models: operands of Python become values, results are known at once."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any, TypeVar, cast, overload

import numpy as np

from mlvet.core.fix import Fix
from mlvet.domains import dtypes
from mlvet.domains.dims import Dim, Expr
from mlvet.domains.dtypes import DType
from mlvet.domains.tensors import Tensor, Unranked, of_dims, unknown
from mlvet.domains.tensors import constant as of_array
from mlvet.frontends.python.active import machine
from mlvet.frontends.python.values.choices import Choice, resolved
from mlvet.frontends.python.values.containers import ListValue
from mlvet.frontends.python.values.tensors import TensorValue
from mlvet.frontends.python.values.unknown import Reason, Undecided
from mlvet.ir.graph import OPAQUE, Literal, Value
from mlvet.ir.program import Device, Run
from mlvet.ops import REGISTRY
from mlvet.ops.folding import REFUSALS, folded
from mlvet.ops.require import Constraint, Require
from mlvet.ops.unranked import inferred

T = TypeVar("T", bound=TensorValue)
Operand = TensorValue | Value | None | bool | int | float | complex | str | Expr | Sequence[Dim]
_PARTED = (Choice, tuple)
"""Attributes that may differ from path to path, or have parts that do."""
_MADE_OF_SIZES = frozenset(("constant_of_shape", "random_normal", "random_uniform"))
"""Operators whose result has the sizes that their first operand tells."""


@overload
def emit(op: str, *operands: Operand, kind: type[T], **attributes: Any) -> T: ...
@overload
def emit(op: str, *operands: Operand, kind: None = None, **attributes: Any) -> Any: ...
def emit(op: str, *operands: Operand, kind: type[TensorValue] | None = None, **attributes: Any) -> Any:
    """The tensor that an operator yields on these operands, the first of several results.

    Operands are tensors, None where one is left out, Python numbers (scalars of i64, f32 or bool; cast them first where
    the element type matters) or sequences of sizes. The result is of the class `kind`, or of the first tensor's class.
    Demands that are not met are recorded at the place of the call, never raised.
    """
    return emit_all(op, *operands, count=1, kind=kind, **attributes)[0]


def emit_all(
    op: str, *operands: Operand, count: int, kind: type[TensorValue] | None = None, **attributes: Any
) -> tuple[Any, ...]:
    """The first `count` results of an operator that has several."""
    kind = kind or _kind(operands)
    if op == "cast" and isinstance(operands[0], float) and attributes["to"] is dtypes.f64:
        return (kind.of(_number(operands[0], dtypes.f64)),)
    values = [value_of(operand) for operand in operands]
    shape = operands[0] if op in _MADE_OF_SIZES and isinstance(operands[0], tuple) else ()
    outputs = _apply(op, values, count, attributes, shape)
    results = tuple(kind.of(value) for value in outputs)
    kind.made_of(op, operands, results)
    return results


def opaque(source_op: str, operands: Iterable[Operand], like: Tensor, kind: type[T]) -> T:
    """A tensor that no operator of ours makes, of which only the type is known: data, or an unmodelled computation."""
    here = machine()
    parts = list(operands)
    value = here.builder.value(here.name_for(source_op), _settled(like))
    here.node(OPAQUE, [value_of(operand) for operand in parts], [value], {}, source_op)
    made = _of(kind, value)
    kind.made_of(OPAQUE, parts, (made,))
    return made


def source(name: str, like: Tensor, kind: type[T]) -> T:
    """A tensor that comes from outside: data of a file, an argument of an entry point, a placeholder."""
    here = machine()
    return _of(kind, here.builder.input(here.name_for(name), _settled(like)))


def _settled(like: Tensor) -> Tensor:
    """A tensor whose sizes are one each; raises NeedsChoice where a size differs between the paths that lead here."""
    shape = like.shape
    if isinstance(shape, Unranked) or not any(isinstance(dim, Choice) for dim in shape):
        return like
    dims = tuple(resolved(dim, machine()) if isinstance(dim, Choice) else dim for dim in shape)
    return Tensor(like.dtype, dims)


def unknown_tensor(kind: type[T], dtype: DType | None = None, name: str = "") -> T:
    """A tensor of which nothing but perhaps the element type is known."""
    here = machine()
    label = here.name_for(name or "unknown")
    return source(label, unknown(here.fresh(label), dtype), kind)


def constant(array: np.ndarray[Any, Any], kind: type[T], name: str = "constant") -> T:
    """A tensor whose elements the program writes down."""
    return _of(kind, _constant(name, array))


def demand(
    condition: bool | None, because: str, rule: str = "illegal-argument", of: Sequence[TensorValue] | None = None,
    assumed: str = "",
) -> None:  # fmt: skip
    """Something that the real function demands of its arguments; what does not hold is recorded at this call.

    It is demanded `of` some tensors, of all among the arguments if it is not said which. `assumed` says when it is
    demanded, if not always: by which version of the library.
    """
    if condition is False:
        here = machine()
        broken = Constraint(None, 0, 0, because, rule, False, assumed)
        here.node("assert", _given(here.given if of is None else of), [], {}, "", [broken])


def demand_together(
    of: Sequence[TensorValue], places: Sequence[Device], because: str, on: Iterable[Literal], assumed: str = "",
    cure: Fix | None = None,
) -> None:  # fmt: skip
    """Tensors that are on other devices than they must be, on the path at hand with these outcomes added."""
    here = machine()
    path = here.path
    here.path = path + tuple(sorted(set(on).difference(path), key=str))
    try:
        broken = Constraint(None, 0, 0, because, "device-differs", False, assumed)
        what = here.callee or (here.file.text(here.at) if isinstance(here.at, ast.Compare | ast.Subscript) else "")
        here.node("assert", [each.graph_value for each in of], [], {}, what, [broken])
        why = "whether it fails hangs on the devices of a machine"
        here.demands[-1] = replace(here.demands[-1], devices=tuple(places), called=why, cure=cure)
    finally:
        here.path = path


def demand_equal(left: Dim, right: Dim, because: str, rule: str = "dims-differ", assumed: str = "") -> None:
    """Two numbers must be the same."""
    require = Require()
    require.equal(left, right, because, rule)
    if require.constraints:
        here = machine()
        stated = [replace(each, assumed=assumed) for each in require.constraints]
        here.node("assert", _given(here.given), [], {}, "", stated)


def demand_divisible(left: Dim, right: Dim, because: str, of: Sequence[TensorValue] | None = None) -> None:
    """A number must be a multiple of another, so that some tensors can be what they are."""
    require = Require()
    if require.holds(right != 0, because, "not-divisible"):
        require.divisible(left, right, because)
    if require.constraints:
        here = machine()
        here.node("assert", _given(here.given if of is None else of), [], {}, "", require.constraints)


def demand_same(
    left: Sequence[Dim], right: Sequence[Dim], because: str, rule: str = "dims-differ", within: Run | None = None,
    of: Sequence[TensorValue] | None = None,
) -> None:  # fmt: skip
    """Two shapes must be the same, size by size; `within` is the run of the graph for which they must be."""
    here = machine()
    require = Require()
    if require.holds(len(left) == len(right), because, rule):
        for one, other in zip(left, right, strict=True):
            require.equal(one, other, because, rule)
    if require.constraints:
        here.node("assert", _given(here.given if of is None else of), [], {}, "", require.constraints, within)


def _given(arguments: Sequence[Any]) -> list[Value]:
    """The tensors among the arguments of the library function at hand."""
    found: list[Value] = []
    for each in arguments:
        if isinstance(each, TensorValue):
            if "@value" in each.cells:
                found.append(each.graph_value)
        elif isinstance(each, ListValue | tuple):
            items = each.items if isinstance(each, ListValue) else each
            found += _given(items) if isinstance(items, tuple) else []
    return found


def value_of(operand: Operand) -> Value | None:
    """The graph value of an operand."""
    match operand:
        case None | Value():
            return operand
        case TensorValue():
            return operand.graph_value
        case bool() | int() | float() | complex():
            return _number(operand)
        case Expr():
            return _sizes([operand], scalar=True)
        case str():
            return _constant(repr(operand), np.asarray(operand, dtype=object))
        case _:
            return _sizes(operand, scalar=False)


def _of(kind: type[T], value: Value) -> T:
    """A tensor of the class, or of the class that computations on it yield."""
    return cast("T", kind.of(value))


def _constant(name: str, array: np.ndarray[Any, Any]) -> Value:
    """A constant of the graph whose elements, if they are few, shape rules see."""
    return machine().builder.constant(name, array, of_array(array))


def _kind(operands: Sequence[Operand]) -> type[TensorValue]:
    for operand in operands:
        if isinstance(operand, TensorValue):
            return type(operand)
    raise Undecided(Reason.UNMODELLED_ARGUMENTS, "no tensor among the operands")


def _number(number: bool | int | float | complex, real: DType = dtypes.f32) -> Value:
    here = machine()
    key = (type(number), repr(number), real)
    found = here.constants.get(key)
    if found is None:
        wanted = real if isinstance(number, float) else dtypes.c64 if isinstance(number, complex) else None
        array = np.asarray(number)
        if wanted is not None:
            with np.errstate(over="ignore"):
                array = array.astype(wanted.numpy)
        elif array.dtype == object:
            raise Undecided(Reason.UNMODELLED_ARGUMENTS, f"{number} is too large for a tensor")
        found = _constant(repr(number), array)
        here.trail.write(here.constants, key, found)
    return found


def _sizes(sizes: Sequence[Dim], scalar: bool) -> Value:
    """Sizes as a tensor of i64: a constant if all are numbers, else an operator that yields them."""
    here = machine()
    parts = list(sizes)
    if not all(isinstance(part, int | Expr) for part in parts):
        raise Undecided(Reason.UNMODELLED_ARGUMENTS, "sizes that are not integers")
    key = (scalar, tuple(parts))
    found = here.constants.get(key)
    if found is not None:
        return found
    if all(isinstance(part, int) for part in parts):
        array = np.asarray(parts, np.int64).reshape(() if scalar else -1)
        found = _constant(f"[{', '.join(map(str, parts))}]", array)
    else:
        like = of_dims(parts, dtypes.i64)
        if scalar and like.value is not None:
            like = Tensor(dtypes.i64, (), like.value.reshape(()))
        found = here.builder.value(here.name_for("sizes"), like)
        here.node("sizes", [], [found], {"dims": tuple(parts), "scalar": scalar}, "sizes")
    here.trail.write(here.constants, key, found)
    return found


def _apply(
    op: str, inputs: list[Value | None], count: int, attributes: dict[str, Any], written: Sequence[Any] = ()
) -> list[Value]:
    """The results of an operator; sizes of the first that the program has `written` keep their origins."""
    here = machine()
    rule = REGISTRY[op]
    attributes = {name: _one(value) if isinstance(value, _PARTED) else value for name, value in attributes.items()}
    operands = [None if value is None else value.declared for value in inputs]
    require = Require(here.fresh(op))
    results: Sequence[Tensor] = ()
    if rule.infer is not None:
        try:
            results = inferred(rule, operands, attributes, require)
            if not require.violated:
                results = folded(rule, operands, attributes, results)
        except REFUSALS as error:
            raise Undecided(Reason.UNMODELLED_ARGUMENTS, f"{op}: {error}") from error
    types = [
        results[n] if n < len(results) else unknown(f"{require.name}:{n}") for n in range(max(count, len(results)))
    ]
    if written and not isinstance(types[0].shape, Unranked) and types[0].shape == tuple(written):
        types[0] = replace(types[0], shape=tuple(written))
    outputs = [
        here.builder.value(require.name if count == 1 else f"{require.name}:{n}", t) for n, t in enumerate(types)
    ]
    here.node(op, inputs, outputs, attributes, "", require.constraints)
    return outputs


def _one(value: Any) -> Any:
    """An attribute that is the same on all paths; raises NeedsChoice if it is not."""
    if isinstance(value, Choice):
        return resolved(value, machine())
    if isinstance(value, tuple) and any(isinstance(each, Choice) for each in value):
        return tuple(_one(each) for each in value)
    return value


def ranked(x: TensorValue) -> bool:
    return not isinstance(x.graph_value.declared.shape, Unranked)
