"""Variables, the states they make up, and streams of random keys."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

from mlvet.domains import dtypes
from mlvet.domains.tensors import Tensor as Known
from mlvet.frontends.python.active import machine, store
from mlvet.frontends.python.emission import opaque
from mlvet.frontends.python.libraries.jax.array import Array, as_jax
from mlvet.frontends.python.libraries.jax.random import key as new_key
from mlvet.frontends.python.libraries.jax.transformations import like
from mlvet.frontends.python.libraries.registry import find, model
from mlvet.frontends.python.values.containers import DictValue
from mlvet.frontends.python.values.objects import Object
from mlvet.frontends.python.values.tensors import TensorValue
from mlvet.frontends.python.values.unknown import Reason, Undecided

OPERATORS = (
    "add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "matmul", "and", "or", "xor", "eq", "ne", "lt", "le",
    "gt", "ge",
)  # fmt: skip


@model("flax.nnx.Variable", "flax.nnx.variablelib.Variable")
class Variable(Object):
    """A value that is part of a module's state. It does what its value does."""

    pytree: ClassVar[bool] = True

    def __init__(self, value: Any, **metadata: Any) -> None:
        self.value = as_jax(value) if isinstance(value, TensorValue | int | float) else value
        if metadata.get("hijax", _defaults().get("hijax", False)) is True:
            self.cells["@leaf"] = True

    def as_tensor(self) -> Any:
        return self.cells["value"]

    def missing(self, name: str) -> Any:
        return machine().attribute(self.cells["value"], name)

    def get_value(self, **options: Any) -> Any:
        return self.cells["value"]

    def get_metadata(self) -> Any:
        return DictValue({"hijax": True} if "@leaf" in self.cells else {})

    def set_value(self, value: Any, **options: Any) -> None:
        self.value = value

    def get_raw_value(self) -> Any:
        return self.cells["value"]

    @property
    def raw_value(self) -> Any:
        return self.cells["value"]

    def __getitem__(self, index: Any) -> Any:
        value = self.cells["value"]
        if index is Ellipsis:
            return value
        return value.cells[index] if isinstance(value, DictValue) else value[index]

    def __setitem__(self, index: Any, value: Any) -> None:
        if index is Ellipsis:
            self.value = value

    def replace(self, value: Any = None, **options: Any) -> Any:
        made = type(self).__new__(type(self))
        made.cells.update({**self.cells, **({} if value is None else {"value": value})})
        return made

    def copy(self) -> Any:
        return self.replace()

    def iterate(self) -> Any:
        return machine().items(self.cells["value"])

    def length(self) -> Any:
        return self.cells["value"].length()

    def __neg__(self) -> Any:
        return -self.cells["value"]


def _defaults() -> dict[str, Any]:
    return machine().memory.setdefault("flax.nnx.var_defaults", {})


@model("flax.nnx.var_defaults")
class VariableDefaults(Object):
    """What variables are from now on; as a context, until its end. Those of `hijax` are leaves of trees."""

    def __init__(self, *, hijax: Any = None, ref: Any = None) -> None:
        self.cells["@before"] = _defaults().get("hijax", False)
        self.hijax = self.cells["@before"] if hijax is None else hijax
        self.ref = ref is True
        store(_defaults(), "hijax", self.hijax)

    def __enter__(self) -> Any:
        return self

    def __exit__(self, *args: Any) -> None:
        store(_defaults(), "hijax", self.cells["@before"])


def _operator(name: str) -> Callable[[Variable, Any], Any]:
    def combine(self: Variable, other: Any) -> Any:
        value = self.cells["value"]
        other = other.as_tensor() if isinstance(other, Variable) else other
        if not isinstance(value, TensorValue):
            raise Undecided(Reason.OPERATOR_OVERLOADING, "a variable that holds no array")
        return getattr(value, name)(other)

    return combine


for _name in OPERATORS:
    setattr(Variable, f"__{_name}__", _operator(f"__{_name}__"))
    if _name not in ("eq", "ne", "lt", "le", "gt", "ge"):
        setattr(Variable, f"__r{_name}__", _operator(f"__r{_name}__"))
Variable.__hash__ = id  # type: ignore[assignment,method-assign]


@model("flax.nnx.Param")
class Param(Variable):
    """A parameter."""


for _name in ("BatchStat", "Cache", "Intermediate", "Perturbation", "LoRAParam", "OptState", "OptVariable",
"OptArray", "RngState"):  # fmt: skip
    model(f"flax.nnx.{_name}")(type(_name, (Variable,), {"__module__": __name__}))
for _name in ("RngKey", "RngCount"):
    model(f"flax.nnx.{_name}")(type(_name, (find("flax.nnx.RngState"),), {"__module__": __name__}))


@model("flax.nnx.State", "flax.nnx.statelib.State")
class State(Object):
    """Variables by name, in as many levels as the module has."""

    pytree: ClassVar[bool] = True

    def __init__(self, mapping: Any = None, **options: Any) -> None:
        if isinstance(mapping, DictValue):
            self.cells.update({str(key): cell for key, cell in mapping.cells.items()})
        elif isinstance(mapping, State):
            self.cells.update(mapping.cells)

    def __getitem__(self, key: Any) -> Any:
        if str(key) not in self.cells:
            raise Undecided(Reason.DYNAMIC_CONTAINER, f"state[{key!r}]")
        return self.cells[str(key)]

    def __setitem__(self, key: Any, value: Any) -> None:
        setattr(self, str(key), value)

    def __contains__(self, key: Any) -> bool:
        return str(key) in self.cells

    def iterate(self) -> Any:
        return tuple(self.cells)

    def length(self) -> Any:
        return len(self.cells)

    def items(self) -> Any:
        return [(key, cell) for key, cell in self.cells.items()]

    def keys(self) -> Any:
        return list(self.cells)

    def values(self) -> Any:
        return list(self.cells.values())

    def flat_state(self) -> Any:
        return flattened(self)

    def to_pure_dict(self) -> Any:
        return pure(self)

    def replace_by_pure_dict(self, pure_dict: Any, *rest: Any) -> None:
        return None


def pure(state: Any) -> Any:
    """Nested dictionaries of the values themselves."""
    if isinstance(state, State):
        return DictValue({key: pure(cell) for key, cell in state.cells.items()})
    return state.cells["value"] if isinstance(state, Variable) else state


def flattened(state: Any, path: tuple[Any, ...] = ()) -> Any:
    """Pairs of paths and variables."""
    if isinstance(state, State):
        return [pair for key, cell in state.cells.items() for pair in flattened(cell, (*path, key))]
    return [(path, state)]


@model("flax.nnx.RngStream")
class RngStream(Object):
    """Keys one after the other."""

    def __call__(self) -> Any:
        return new_key(0)

    def missing(self, name: str) -> Any:
        draw = machine().attribute
        from mlvet.frontends.python.values.objects import ModuleValue

        function = draw(ModuleValue("jax.random", of_library=True), name)
        return lambda *args, **keywords: machine().call(function, new_key(0), *args, **keywords)

    @property
    def key(self) -> Any:
        return Variable(new_key(0))

    @property
    def count(self) -> Any:
        return Variable(opaque("count", [], Known(dtypes.u32, ()), Array))


@model("flax.nnx.Rngs")
class Rngs(RngStream):
    """Streams of keys by name."""

    def __init__(self, default: Any = None, **rngs: Any) -> None:
        self.cells["@names"] = ("default", *rngs)

    def missing(self, name: str) -> Any:
        from mlvet.frontends.python.libraries.registry import MODELS

        return super().missing(name) if f"jax.random.{name}" in MODELS and name != "params" else RngStream()

    def __getitem__(self, name: Any) -> Any:
        return RngStream()

    def __contains__(self, name: Any) -> bool:
        return name in self.cells["@names"]

    def fork(self, *args: Any, **keywords: Any) -> Any:
        return Rngs()

    def split(self, *args: Any, **keywords: Any) -> Any:
        return Rngs()

    def items(self) -> Any:
        return [(name, RngStream()) for name in self.cells["@names"]]


def gradient_like(argument: Any) -> Any:
    """What nnx.grad yields for an argument: the state of the parameters of a module, else a tree like it."""
    from mlvet.frontends.python.libraries.flax.nnx.functions import Module, state

    if isinstance(argument, Module):
        return like(state(argument, Param), "grad")
    return like(argument, "grad")
