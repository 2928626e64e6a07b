"""What annotations tell of arguments: scalars by their type, tensors by jaxtyping's shapes, which are demands too."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Any

from mlvet.domains import dtypes
from mlvet.domains.dims import Dim, equal, symbol
from mlvet.domains.dtypes import DType
from mlvet.domains.tensors import Tensor
from mlvet.frontends.python.emission import demand, source
from mlvet.frontends.python.values.numbers import Scalar
from mlvet.frontends.python.values.tensors import TensorValue, dims_of, tensor_of
from mlvet.frontends.python.values.unknown import Unknown

if TYPE_CHECKING:
    from mlvet.frontends.python.interpretation.scopes import Scope
    from mlvet.frontends.python.machine import Machine

_SCALARS = {"float": float, "str": str, "bool": bool}
_ELEMENTS: dict[str, DType | None] = {
    "Float": None, "Float16": dtypes.f16, "Float32": dtypes.f32, "Float64": dtypes.f64, "BFloat16": dtypes.bf16,
    "Int": None, "Int8": dtypes.i8, "Int16": dtypes.i16, "Int32": dtypes.i32, "Int64": dtypes.i64, "UInt8": dtypes.u8,
    "UInt": None, "Bool": dtypes.bool_, "Num": None, "Shaped": None, "Inexact": None, "Real": None, "Integer": None,
}  # fmt: skip
_SIZES = "@sizes"
"""The cell of a function's scope that holds what its named dims are."""


def refined(machine: Machine, annotation: ast.expr | None, value: Any, scope: Scope, name: str) -> Any:
    """An argument as its annotation describes it, if nothing else is known of it; a known tensor must fit."""
    if annotation is None:
        return value
    shape = _jaxtyping(annotation)
    if shape is not None:
        return _shaped(machine, shape, value, scope, name)
    if not isinstance(value, Unknown):
        return value
    match annotation:
        case ast.Name("int"):
            if value.size is None:
                value.size = symbol(machine.fresh(name))
            return value.size
        case ast.Name(kind) if kind in _SCALARS:
            return Scalar(_SCALARS[kind], name)
    return value


def _jaxtyping(annotation: ast.expr) -> tuple[str, ast.expr, list[str]] | None:
    """The element type, array class and dims of `Float[Array, "batch dim"]`; None for any other annotation."""
    match annotation:
        case ast.Subscript(
            (ast.Name(element) | ast.Attribute(_, element)), ast.Tuple([kind, ast.Constant(str() as dims)])
        ) if element in _ELEMENTS:
            return element, kind, dims.split()
    return None


def _shaped(machine: Machine, shape: tuple[str, ast.expr, list[str]], value: Any, scope: Scope, name: str) -> Any:
    element, kind_node, names = shape
    sizes: dict[str, Dim] = scope.cells.setdefault(_SIZES, {})
    open_ended = any(each == "..." or each.lstrip("#?").startswith("*") for each in names)
    if isinstance(value, TensorValue):
        if not open_ended:
            _fits(value, names, sizes, f"`{name}`" if name else "the result")
        return value
    if not isinstance(value, Unknown) or open_ended:
        return value
    from mlvet.frontends.python.interpretation.expressions import evaluate

    kind = evaluate(machine, kind_node)
    if not (isinstance(kind, type) and issubclass(kind, TensorValue)):
        return value
    if value.tensor is None:
        dims = tuple(_size(machine, each, sizes) for each in names)
        value.tensor = source(name, Tensor(_ELEMENTS[element], dims), kind)
    return value.tensor


def _fits(value: TensorValue, names: list[str], sizes: dict[str, Dim], name: str) -> None:
    """Demand that a tensor has the dims of its annotation; a name means one size throughout a call."""
    dims = dims_of(value)
    if dims is None:
        return
    wanted = " ".join(names)
    demand(
        len(dims) == len(names),
        f"{name} is annotated with the dims `{wanted}`, but is {tensor_of(value).without_value()}",
        "annotation-differs",
        [value],
    )
    for dim, each in zip(dims, names, strict=False):
        plain = each.lstrip("#?")
        if plain == "_" or (each.startswith("#") and dim == 1):
            continue
        known = int(plain) if plain.isdecimal() else sizes.setdefault(plain, dim) if plain.isidentifier() else dim
        demand(
            equal(dim, known) is not False,
            f"dim `{plain}` of {name} is annotated to be {known}, but is {dim}",
            "annotation-differs",
            [value],
        )


def _size(machine: Machine, name: str, sizes: dict[str, Dim]) -> Dim:
    plain = name.lstrip("#?")
    if plain.isdecimal():
        return int(plain)
    if plain.isidentifier() and plain != "_":
        return sizes.setdefault(plain, symbol(machine.fresh(plain)))
    return symbol(machine.fresh("n"))
