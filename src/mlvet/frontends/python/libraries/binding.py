"""Binding the arguments of a call to the signature of a library model, each made what its annotation says.

Models annotate parameters with the names of `COERCIONS`; whatever else an annotation says, the argument stays as it is.
An unknown argument becomes a symbol where a size is wanted, an unranked tensor where a tensor is, and the parameter's
default where a flag or a string is; a list becomes a tuple where sizes are wanted.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, TypeAlias

from mlvet.domains.dims import Dim, Expr, symbol
from mlvet.domains.dtypes import DType
from mlvet.frontends.python.active import machine
from mlvet.frontends.python.values.choices import Choice, resolved
from mlvet.frontends.python.values.containers import DictValue, ListValue, Repeated
from mlvet.frontends.python.values.numbers import Scalar
from mlvet.frontends.python.values.tensors import TensorValue, tensor_of
from mlvet.frontends.python.values.unknown import MADE, Reason, Undecided, Unknown
from mlvet.ir.graph import Literal

Size: TypeAlias = Dim
Sizes: TypeAlias = tuple[Dim, ...]
Tensor: TypeAlias = TensorValue
Tensors: TypeAlias = tuple[TensorValue, ...]
ArrayLike: TypeAlias = TensorValue


class Misfit(Exception):
    """The arguments do not fit the signature; the real library would raise TypeError."""


ARRAYS: dict[str, Callable[[Any], TensorValue]] = {}
"""By library, what makes a tensor of a number, a list or a foreign tensor."""
TENSORS: dict[str, type[TensorValue]] = {}
"""By library, the class of its tensors, of which unknown arguments are taken to be."""


_ALL_POSITIONAL, _ALL_NAMED = inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD
_ONLY_POSITIONAL, _ONLY_NAMED = inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.KEYWORD_ONLY
_NO_DEFAULT = inspect.Parameter.empty


@dataclass(frozen=True, slots=True)
class Parameter:
    name: str
    kind: Any
    default: Any
    coerce: str
    optional: bool


@dataclass(frozen=True, slots=True)
class Signature:
    """The parameters of a model, the library it is of, and what its result is annotated to be."""

    parameters: tuple[Parameter, ...]
    library: str
    result: str

    @property
    def dtypes(self) -> dict[str, int]:
        """The parameters that are element types, and their places."""
        return {each.name: place for place, each in enumerate(self.parameters) if each.coerce == "DType"}


@cache
def signature(function: Callable[..., Any]) -> Signature:
    try:
        found = inspect.signature(function)
    except ValueError:
        return Signature((), library_of(function), "")
    parameters = [
        Parameter(p.name, p.kind, p.default, *_split(p.annotation if isinstance(p.annotation, str) else ""))
        for p in found.parameters.values()
    ]
    result = found.return_annotation if isinstance(found.return_annotation, str) else ""
    return Signature(tuple(parameters), library_of(function), result)


def library_of(thing: Any) -> str:
    """The package under `libraries` in which a model is written."""
    return _library(getattr(thing, "__module__", "") or "")


@cache
def _library(module: str) -> str:
    _, found, rest = module.partition(".python.libraries.")
    return rest.split(".")[0] if found else ""


def bind(
    function: Callable[..., Any], args: Sequence[Any], keywords: Mapping[str, Any]
) -> tuple[list[Any], dict[str, Any]]:
    """The arguments as the model wants them. Raises Misfit, or Undecided if an unknown argument decides the result."""
    wanted = signature(function)
    library = wanted.library
    taken, most = 0, len(args)
    named = dict(keywords)
    positional: list[Any] = []
    by_name: dict[str, Any] = {}
    for parameter in wanted.parameters:
        kind = parameter.kind
        if kind is _ALL_POSITIONAL:
            positional += [_coerced(parameter, value, library) for value in args[taken:]]
            taken = most
        elif kind is _ALL_NAMED:
            by_name |= {name: _coerced(parameter, value, library) for name, value in named.items()}
            named = {}
        elif taken < most and kind is not _ONLY_NAMED:
            if parameter.name in named:
                raise Misfit(f"argument `{parameter.name}` is given twice")
            positional.append(_coerced(parameter, args[taken], library))
            taken += 1
        elif parameter.name in named and kind is not _ONLY_POSITIONAL:
            by_name[parameter.name] = _coerced(parameter, named.pop(parameter.name), library)
        elif parameter.default is _NO_DEFAULT:
            raise Misfit(f"argument `{parameter.name}` is missing")
    if taken < most:
        raise Misfit(f"{most} arguments are given, {taken} are taken")
    if named:
        raise Misfit(f"there is no argument `{next(iter(named))}`")
    return positional, by_name


def _split(annotation: str) -> tuple[str, bool]:
    """The name of a coercion, and whether None is fine too."""
    parts = [part.strip() for part in annotation.split("|")]
    named = [part for part in parts if part != "None"]
    return (named[0] if len(named) == 1 and named[0] in COERCIONS else ""), "None" in parts


def _coerced(parameter: Parameter, value: Any, library: str) -> Any:
    if not parameter.coerce or (value is None and (parameter.optional or parameter.default is None)):
        return value
    return COERCIONS[parameter.coerce](value, parameter, library)


def as_size(value: Any, name: str = "") -> Dim:
    """A size: a number, or a symbol where the value is not known."""
    match value:
        case bool():
            return int(value)
        case int() | Expr():
            return value
        case Unknown():
            if value.size is None and MADE in value.parts:
                python, left, right = value.parts[MADE]
                value.size = python(as_size(left, name), as_size(right, name))
            if value.size is None:
                value.size = symbol(machine().fresh(value.name or name or "n"))
            found: Dim = value.size
            return found
        case Scalar():
            known = machine().memory.setdefault("sizes", {})
            if id(value) not in known:
                known[id(value)] = value, symbol(machine().fresh(value.name or name or "n"))
            kept: Dim = known[id(value)][1]
            return kept
        case float() if value.is_integer():
            raise Misfit(f"{value} is a float, not an int")
        case TensorValue():
            return element(value, name)
        case Choice():
            return as_size(resolved(value, machine()), name)
    raise Misfit(f"{value!r} is no int")


def element(tensor: TensorValue, name: str = "") -> Dim:
    """The one element of an integer tensor as a size."""
    known = tensor_of(tensor)
    if known.value is not None and known.value.size == 1:
        only = known.value.reshape(-1)[0]
        return only if isinstance(only, Expr) else int(only)
    return symbol(machine().fresh(name or "n"))


def as_sizes(value: Any, name: str = "") -> Sizes:
    """Sizes as a tuple. Raises Undecided if there is no telling how many."""
    match value:
        case tuple() | list():
            return tuple(as_size(each, name) for each in value)
        case ListValue() if isinstance(value.items, tuple):
            return tuple(as_size(each, name) for each in value.items)
        case ListValue() | Repeated():
            raise Undecided(Reason.DYNAMIC_CONTAINER, "sizes in a list of unknown length")
        case Unknown():
            raise Undecided(value)
        case TensorValue():
            known = tensor_of(value)
            if known.value is not None:
                return tuple(each if isinstance(each, Expr) else int(each) for each in known.value.reshape(-1))
            if known.ranked and known.rank == 1 and isinstance(known.dims[0], int):
                return tuple(symbol(machine().fresh(name or "n")) for _ in range(known.dims[0]))
            raise Undecided(Reason.EXTERNAL_DATA, "sizes in a tensor")
    unpack = getattr(value, "as_sizes", None)
    if unpack is not None:
        return as_sizes(unpack(), name)
    raise Misfit(f"{value!r} are no sizes")


def as_spread(args: Sequence[Any], name: str = "") -> Sizes:
    """Sizes that a call gives one by one or all in one sequence: `view(2, 3)` and `view((2, 3))`."""
    if len(args) == 1 and not isinstance(args[0], int | Expr | Scalar):
        only = args[0]
        if isinstance(only, TensorValue) and tensor_of(only).shape == ():
            return (as_size(only, name),)
        return as_sizes(only, name)
    return tuple(as_size(each, name) for each in args)


def as_items(value: Any) -> tuple[Any, ...]:
    """The items of a list or tuple. Raises Undecided if they are not known."""
    match value:
        case tuple():
            return value
        case list():
            return tuple(value)
        case ListValue() if isinstance(value.items, tuple):
            return value.items
        case ListValue():
            raise Undecided(Reason.DYNAMIC_CONTAINER, "a list of unknown length")
        case DictValue():
            return tuple(value.cells)
        case Unknown():
            raise Undecided(value)
    unpack = getattr(value, "as_sizes", None)
    if unpack is not None:
        return tuple(unpack())
    raise Misfit(f"{value!r} is no sequence")


def as_tensor(value: Any, library: str) -> TensorValue:
    """A tensor; an unknown becomes one of which nothing is known. Numbers and lists do not fit."""
    from mlvet.frontends.python.emission import unknown_tensor

    if isinstance(value, TensorValue):
        return value
    if isinstance(value, Unknown):
        kind = TENSORS.get(library, TensorValue)
        if value.tensor is None or not isinstance(value.tensor, kind):
            value.tensor = unknown_tensor(kind, name=value.name)
        found: TensorValue = value.tensor
        return found
    convert = getattr(value, "as_tensor", None)
    if convert is not None:
        made = convert()
        if isinstance(made, TensorValue):
            return made
    raise Misfit(f"{value!r} is no tensor")


def as_array(value: Any, library: str) -> TensorValue:
    """A tensor of the library, made of a number or a list if need be."""
    own = isinstance(value, TensorValue) and isinstance(value, TENSORS.get(library, TensorValue))
    if own or isinstance(value, Unknown) or (isinstance(value, TensorValue) and library not in ARRAYS):
        return as_tensor(value, library)
    if library in ARRAYS:
        return ARRAYS[library](value)
    raise Misfit(f"{value!r} is no tensor")


_SHAPING = frozenset(
    ("bidirectional", "batch_first", "keepdim", "keepdims", "return_sequences", "return_state", "include_top",
    "transpose_a", "transpose_b", "adjoint_a", "adjoint_b", "time_major", "full_matrices", "return_attention_scores")
)  # fmt: skip
"""Flags that shapes hang on: one that is not known is followed both ways, as a branch on it would be."""


def _flag(value: Any, parameter: Parameter, library: str) -> Any:
    del library
    if isinstance(value, bool | int):
        return bool(value)
    if parameter.name in _SHAPING and isinstance(value, Unknown | Scalar):
        return _either_way(value)
    if isinstance(value, Scalar) and value.has_default and isinstance(value.default, bool):
        return value.default
    if isinstance(value, Unknown | Scalar | Expr):
        return _default(parameter, value)
    return value is not None and value != "" and value != ()


def _either_way(value: Unknown | Scalar) -> Any:
    """True where the value counts as true, else False. Raises NeedsChoice where the path leaves both."""
    from mlvet.frontends.python.interpretation.truth import literal, truth

    found = truth(machine(), value)
    if isinstance(found, bool):
        return found
    holds = literal(machine(), found)
    known = machine().memory.setdefault("flags", {})
    if holds not in known:
        ways = ((frozenset((Literal(holds.condition, way == holds.holds),)), way) for way in (True, False))
        known[holds] = Choice(tuple(ways))
    return resolved(known[holds], machine())


def _text(value: Any, parameter: Parameter, library: str) -> Any:
    del library
    if isinstance(value, str):
        return value
    if isinstance(value, Scalar) and value.has_default and isinstance(value.default, str):
        return value.default
    if isinstance(value, Unknown | Scalar):
        return _default(parameter, value)
    raise Misfit(f"argument `{parameter.name}` is no string")


def _number(value: Any, parameter: Parameter, library: str) -> Any:
    """A Python number; one that is not known stays a Scalar or symbol, which models need not look into."""
    del library
    if isinstance(value, bool | int | float | complex | Expr | Scalar | Unknown | TensorValue):
        return value
    raise Misfit(f"argument `{parameter.name}` is no number")


def _default(parameter: Parameter, value: Any) -> Any:
    if parameter.default is inspect.Parameter.empty:
        raise Undecided(value if isinstance(value, Unknown) else Reason.DATA_DEPENDENT_BRANCH, parameter.name)
    return parameter.default


def _dtype(value: Any, parameter: Parameter, library: str) -> Any:
    """An element type; None where it is not known, which models take as their default."""
    del library
    if isinstance(value, DType):
        return value
    if isinstance(value, Unknown | Scalar):
        return None if parameter.optional else _default(parameter, value)
    from mlvet.frontends.python.libraries.element_types import dtype_named

    found = dtype_named(value)
    if found is None:
        raise Misfit(f"argument `{parameter.name}` is no element type")
    return found


def _tensors(value: Any, parameter: Parameter, library: str) -> Tensors:
    del parameter
    if isinstance(value, TensorValue):
        raise Misfit("a tensor where a list of tensors is wanted")
    return tuple(
        as_array(each, library) if library in ("numpy", "tensorflow", "jax", "keras") else as_tensor(each, library)
        for each in as_items(value)
    )


def _size_or_sizes(value: Any, parameter: Parameter, library: str) -> Any:
    del library
    if isinstance(value, tuple | list | ListValue):
        return as_sizes(value, parameter.name)
    if isinstance(value, TensorValue) and tensor_of(value).ranked and tensor_of(value).rank == 1:
        return as_sizes(value, parameter.name)
    return as_size(value, parameter.name)


COERCIONS: dict[str, Callable[[Any, Parameter, str], Any]] = {
    "Size": lambda value, parameter, _: as_size(value, parameter.name),
    "Sizes": lambda value, parameter, _: as_sizes(value, parameter.name),
    "SizeOrSizes": _size_or_sizes,
    "Items": lambda value, parameter, _: as_items(value),
    "Tensor": lambda value, _, library: as_tensor(value, library),
    "ArrayLike": lambda value, _, library: as_array(value, library),
    "Tensors": _tensors,
    "bool": _flag,
    "str": _text,
    "Number": _number,
    "DType": _dtype,
}
Items: TypeAlias = tuple[Any, ...]
SizeOrSizes: TypeAlias = Any
Number: TypeAlias = Any
