"""flax.linen.Module: fields of a dataclass, submodules by name, variables that are made by `init` and given to `apply`.

A module that a method makes belongs to the module whose method it is. Variables lie at the path of names from the
outermost module, which is bound to one tree for the time of a run.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from mlvet.domains import dtypes
from mlvet.domains.dtypes import DType
from mlvet.domains.tensors import Tensor as Known
from mlvet.frontends.python.active import machine, store
from mlvet.frontends.python.emission import demand, opaque
from mlvet.frontends.python.libraries.binding import as_sizes
from mlvet.frontends.python.libraries.flax.linen.variables import Binding, Lift, copied, sliced, stacked
from mlvet.frontends.python.libraries.jax.array import Array
from mlvet.frontends.python.libraries.jax.random import key as new_key
from mlvet.frontends.python.libraries.registry import model
from mlvet.frontends.python.trail import MISSING
from mlvet.frontends.python.values.choices import Choice
from mlvet.frontends.python.values.containers import DictValue, ListValue
from mlvet.frontends.python.values.numbers import Scalar
from mlvet.frontends.python.values.objects import BoundMethod, ClassValue, Object
from mlvet.frontends.python.values.tensors import TensorValue, dims_of
from mlvet.frontends.python.values.unknown import Reason, Undecided, Unknown

UNSET: Any = object()


@model("flax.linen.Module", "flax.linen.module.Module")
class Module(Object):
    """A module of Flax. The library's own layers are its subclasses, the program's have their class in `kind`."""

    def __init__(self, *args: Any, parent: Any = UNSET, name: Any = None, **keywords: Any) -> None:
        given = list(args)
        for field, default in _declared(self.kind):
            if given:
                value = given.pop(0)
            elif field in keywords:
                value = keywords.pop(field)
            elif default is not MISSING:
                value = _made(default)
            else:
                value = machine().unknown(Reason.ENTRY_ARGUMENT, field, field)
            setattr(self, field, value)
        for field, value in keywords.items():
            setattr(self, field, value)
        _join(self, parent, name)
        if self.kind is not None and _of_program(self.kind, "__post_init__"):
            machine().send(self, "__post_init__")

    def missing(self, name: str) -> Any:
        """Attributes that `setup` makes, which runs when the first of them is asked for."""
        if "@ready" not in self.cells and self.kind is not None and _of_program(self.kind, "setup") and name != "setup":
            store(self.cells, "@ready", True)
            machine().send(self, "setup")
            if name in self.cells:
                return self.cells[name]
        raise Undecided(Reason.DYNAMIC_ATTRIBUTE, f"{self!r}.{name}")

    def assigned(self, name: str, value: Any) -> None:
        """Submodules that a method puts into an attribute are called by its name."""
        for label, part in _modules(name, value):
            _own(part, self, label)

    # What runs a model.

    def init(
        self, rngs: Any, *args: Any, method: Any = None, mutable: Any = None, capture_intermediates: Any = False,
        **keywords: Any,
    ) -> Any:  # fmt: skip
        return self.init_with_output(rngs, *args, method=method, **keywords)[1]

    def lazy_init(self, rngs: Any, *args: Any, method: Any = None, mutable: Any = None, **keywords: Any) -> Any:
        return self.init_with_output(rngs, *args, method=method, **keywords)[1]

    def init_with_output(
        self, rngs: Any, *args: Any, method: Any = None, mutable: Any = None, capture_intermediates: Any = False,
        **keywords: Any,
    ) -> Any:  # fmt: skip
        binding = Binding(DictValue(), initialising=True)
        result = _run(self, binding, method, args, keywords)
        return result, DictValue({key: cell for key, cell in binding.variables.cells.items() if key != "intermediates"})

    def apply(
        self, variables: Any, *args: Any, rngs: Any = None, method: Any = None, mutable: Any = False,
        capture_intermediates: Any = False, **keywords: Any,
    ) -> Any:  # fmt: skip
        held = copied(variables) if isinstance(variables, DictValue) else DictValue()
        binding = Binding(held, initialising=False, mutable=mutable)
        result = _run(self, binding, method, args, keywords)
        if mutable is False or mutable is None:
            return result
        return result, DictValue({key: cell for key, cell in held.cells.items() if binding.changes(key)})

    def bind(self, variables: Any, *args: Any, rngs: Any = None, mutable: Any = False) -> Any:
        made = _cloned(self)
        made.cells["@bound"] = Binding(copied(variables) if isinstance(variables, DictValue) else DictValue(), False)
        return made

    def unbind(self) -> Any:
        return _cloned(self), self.variables

    def clone(self, *, parent: Any = None, name: Any = None, **updates: Any) -> Any:
        return _cloned(self, updates)

    def copy(self, *, parent: Any = None, name: Any = None, **updates: Any) -> Any:
        return _cloned(self, updates)

    def tabulate(self, *args: Any, **keywords: Any) -> Any:
        return Scalar(str)

    # What methods of modules use.

    def param(self, name: str, init_fn: Any, *init_args: Any, unbox: bool = True, **init_kwargs: Any) -> Any:
        wanted = init_args[0] if init_args else None
        found = _stored(self, "params", name)
        if found is not MISSING:
            _same_shape(self, name, found, wanted)
            return found
        made = machine().call(init_fn, new_key(0), *init_args, **init_kwargs)
        made = made.unbox() if isinstance(made, Boxed) else made
        if isinstance(made, Unknown) and isinstance(wanted, tuple | ListValue):
            dtype = init_args[1] if len(init_args) > 1 and isinstance(init_args[1], DType) else dtypes.f32
            made = opaque(name, [], Known(dtype, as_sizes(wanted)), Array)
        _put(self, "params", name, made)
        return made

    def variable(
        self, col: str, name: str, init_fn: Any = None, *init_args: Any, unbox: bool = True, **keywords: Any
    ) -> Any:
        if _stored(self, col, name) is MISSING and init_fn is not None:
            _put(self, col, name, machine().call(init_fn, *init_args, **keywords))
        return Variable(self, col, name)

    def sow(self, col: str, name: str, value: Any, reduce_fn: Any = None, init_fn: Any = None) -> bool:
        bound = _place(self)
        if bound is not None and bound[0].changes(col):
            before = _stored(self, col, name)
            _put(self, col, name, (*before, value) if isinstance(before, tuple) else (value,))
            return True
        return False

    def perturb(self, name: str, value: Any, collection: str = "perturbations") -> Any:
        return value

    def make_rng(self, name: str = "params") -> Any:
        return new_key(0)

    def has_rng(self, name: str) -> bool:
        return True

    def has_variable(self, col: str, name: str) -> bool:
        return _stored(self, col, name) is not MISSING

    def get_variable(self, col: str, name: str, default: Any = None) -> Any:
        found = _stored(self, col, name)
        return default if found is MISSING else found

    def put_variable(self, col: str, name: str, value: Any) -> None:
        _put(self, col, name, value)

    def is_initializing(self) -> bool:
        bound = _place(self)
        return bound is not None and bound[0].initialising

    def is_mutable_collection(self, col: str) -> bool:
        bound = _place(self)
        return bound is not None and bound[0].changes(col)

    def get_parameter(self, name: str) -> Any:
        return self.get_variable("params", name)

    @property
    def name(self) -> Any:
        return self.cells.get("@name")

    @property
    def parent(self) -> Any:
        return self.cells.get("@parent")

    @property
    def path(self) -> Any:
        bound = _place(self)
        return bound[1] if bound is not None else ()

    @property
    def scope(self) -> Any:
        return None if _place(self) is None else Object()

    @property
    def variables(self) -> Any:
        bound = _place(self)
        if bound is None:
            return DictValue()
        binding, path = bound
        found = {key: binding.entries(key, path, make=False) for key in binding.variables.cells}
        return DictValue({key: cell for key, cell in found.items() if cell is not None})


class Variable(Object):
    """What `self.variable` yields: one place of the tree, read and written by `.value`."""

    def __init__(self, owner: Module, collection: str, name: str) -> None:
        self.cells.update({"@owner": owner, "@collection": collection, "@name": name})

    @property
    def value(self) -> Any:
        found = _stored(self.cells["@owner"], self.cells["@collection"], self.cells["@name"])
        return machine().unknown(Reason.EXTERNAL_DATA, self.cells["@name"]) if found is MISSING else found

    @value.setter
    def value(self, new: Any) -> None:
        _put(self.cells["@owner"], self.cells["@collection"], self.cells["@name"], new)

    def is_mutable(self) -> bool:
        return True


class Boxed(Object):
    """A parameter together with names of its axes, as partitioned initialisers make it."""

    def __init__(self, value: Any, names: Any = None, **options: Any) -> None:
        self.value = value
        self.names = names

    def unbox(self, *args: Any, **keywords: Any) -> Any:
        return self.value


def _declared(kind: ClassValue | None) -> list[tuple[str, Any]]:
    """The fields of the program's classes with their defaults, those of bases first."""
    found: dict[str, Any] = {}
    for owner in reversed(kind.order if kind is not None else ()):
        if isinstance(owner, ClassValue):
            names = owner.cells.get("__annotations__")
            for name in names.cells if isinstance(names, DictValue) else ():
                found[name] = owner.cells.get(name, found.get(name, MISSING))
    return list(found.items())


def _made(default: Any) -> Any:
    """A default value; that of `field(default_factory=f)` is made anew."""
    if isinstance(default, Object) and "default_factory" in default.cells:
        factory = default.cells["default_factory"]
        return machine().call(factory) if factory not in (None, MISSING) else default.cells.get("default")
    if isinstance(default, Object) and type(default).__name__ == "Field" and "default" in default.cells:
        return default.cells["default"]
    return ListValue(default.items) if isinstance(default, ListValue) else default


def _of_program(kind: ClassValue, name: str) -> bool:
    return any(isinstance(owner, ClassValue) and name in owner.cells for owner in kind.order)


def _modules(name: str, value: Any) -> list[tuple[str, Module]]:
    """The modules that an attribute holds, with the names they have by it."""
    if isinstance(value, Module):
        return [(name, value)]
    items: Mapping[Any, Any] | None = None
    if isinstance(value, DictValue):
        items = value.cells
    elif isinstance(value, tuple | list):
        items = dict(enumerate(value))
    elif isinstance(value, ListValue) and isinstance(value.items, tuple):
        items = dict(enumerate(value.items))
    return [pair for key, each in (items or {}).items() for pair in _modules(f"{name}_{key}", each)]


def _own(part: Module, parent: Module, name: str) -> None:
    if part.cells.get("@parent") is None and part is not parent:
        store(part.cells, "@parent", parent)
        if part.cells.get("@name") is None:
            store(part.cells, "@name", name)


def _join(module: Module, parent: Any, name: Any) -> None:
    """Tell a new module whose it is and what it is called, and own the modules in its fields."""
    for field, value in list(module.cells.items()):
        for label, part in _modules(field, value) if not str(field).startswith("@") else ():
            _own(part, module, label)
    module.cells["@fields"] = tuple(field for field in module.cells if not field.startswith("@"))
    module.cells["@name"] = name if isinstance(name, str) else None
    if parent is not UNSET:
        module.cells["@parent"] = parent if isinstance(parent, Module) else None
        return
    frame = _frame()
    if frame is None:
        return
    owner = frame.receiver
    in_setup = frame.function is not None and frame.function.name == "setup"
    if in_setup and name is None:
        return
    module.cells["@parent"] = owner
    if module.cells["@name"] is None:
        module.cells["@name"] = _numbered(owner, frame, _class_name(module))


def _frame() -> Any:
    """The call of a module's method that is under way, None if there is none."""
    for scope in reversed(machine().scopes):
        if scope.kind == "function" and isinstance(scope.receiver, Module):
            return scope
    return None


def _class_name(module: Module) -> str:
    return str(module.cells.get("@class") or (module.kind.name if module.kind is not None else type(module).__name__))


def _numbered(owner: Module, frame: Any, kind: str) -> str | None:
    """`Dense_0`, `Dense_1`...: numbers start anew with each call of the method. None where a loop lost count."""
    found = owner.cells.get("@counts")
    ways = [value for _, value in found.alternatives] if isinstance(found, Choice) else [found]
    counts: dict[str, int] = {}
    for way in ways:
        if isinstance(way, tuple) and not isinstance(way[1], dict):
            return None
        if isinstance(way, tuple) and way[0] is frame:
            counts |= {name: max(count, counts.get(name, 0)) for name, count in way[1].items()}
    number = counts.get(kind, 0)
    counts[kind] = number + 1
    store(owner.cells, "@counts", (frame, counts))
    return f"{kind}_{number}"


def _cloned(module: Module, updates: Mapping[str, Any] | None = None) -> Module:
    """The module as it was made, with submodules in its fields copied too."""
    made = type(module).__new__(type(module))
    assert isinstance(made, Module)
    object.__setattr__(made, "kind", module.kind)
    fields = module.cells.get("@fields", ())
    for field in fields:
        made.cells[field] = _recloned(module.cells[field], module, made, field)
    made.cells.update(updates or {})
    for key in ("@class", "@lift", "@name"):
        if key in module.cells:
            made.cells[key] = module.cells[key]
    made.cells["@fields"] = fields
    return made


def _recloned(value: Any, before: Module, after: Module, name: str) -> Any:
    if isinstance(value, Module):
        if value.cells.get("@parent") is not before:
            return value
        made = _cloned(value)
        made.cells.update({"@parent": after, "@name": value.cells.get("@name") or name})
        return made
    if isinstance(value, tuple):
        return tuple(_recloned(each, before, after, f"{name}_{n}") for n, each in enumerate(value))
    if isinstance(value, ListValue) and isinstance(value.items, tuple):
        return ListValue(_recloned(each, before, after, f"{name}_{n}") for n, each in enumerate(value.items))
    if isinstance(value, DictValue):
        parts = {key: _recloned(each, before, after, f"{name}_{key}") for key, each in value.cells.items()}
        return DictValue(parts, value.rest, value.made_by)
    return value


def _run(module: Module, binding: Binding, method: Any, args: Sequence[Any], keywords: Mapping[str, Any]) -> Any:
    """Call a method of the module, bound to its variables."""
    made = _cloned(module)
    made.cells["@bound"] = binding
    if method is None:
        return machine().send(made, "__call__", *args, **keywords)
    if isinstance(method, str):
        return machine().send(made, method, *args, **keywords)
    if isinstance(method, BoundMethod):
        method = method.function
    return machine().call(method, made, *args, **keywords)


def _place(module: Module) -> tuple[Binding, tuple[str, ...]] | None:
    """The run that a module is part of, and its path in the tree; None if that is not known, as without a name."""
    path: list[str] = []
    node: Any = module
    while isinstance(node, Module):
        bound = node.cells.get("@bound")
        if bound is not None:
            return bound, tuple(reversed(path))
        if not isinstance(node.cells.get("@name"), str):
            return None
        path.append(node.cells["@name"])
        node = node.cells.get("@parent")
    return None


def is_running(module: Module) -> bool:
    """Whether the module is part of a run that `init` or `apply` began."""
    return _place(module) is not None


def _lifts(module: Module) -> list[Lift]:
    found: list[Lift] = []
    node: Any = module
    while isinstance(node, Module):
        if "@lift" in node.cells:
            lift = node.cells["@lift"]
            found += lift if isinstance(lift, tuple) else (lift,)
        node = node.cells.get("@parent")
    return found


def _stored(module: Module, collection: str, name: str) -> Any:
    place = _place(module)
    if place is None:
        return module.cells.get(f"@{collection}.{name}", MISSING)
    entries = place[0].entries(collection, place[1], make=False)
    if entries is None or name not in entries.cells:
        return MISSING
    return sliced(entries.cells[name], _lifts(module), collection)


def _put(module: Module, collection: str, name: str, value: Any) -> None:
    place = _place(module)
    if place is None:
        store(module.cells, f"@{collection}.{name}", value)
        return
    entries = place[0].entries(collection, place[1], make=True)
    assert entries is not None
    entries.put(name, stacked(value, _lifts(module), collection))


def _same_shape(module: Module, name: str, found: Any, wanted: Any) -> None:
    """A parameter that is given must have the shape that its initialiser would make."""
    if not isinstance(found, TensorValue) or not isinstance(wanted, tuple | ListValue):
        return
    try:
        sizes = as_sizes(wanted)
    except Undecided:
        return
    dims = dims_of(found)
    if dims is None or isinstance(wanted, Unknown):
        return
    known = [(a, b) for a, b in zip(dims, sizes, strict=False) if isinstance(a, int) and isinstance(b, int)]
    same = len(dims) == len(sizes) and all(a == b for a, b in known)
    shown = f"({', '.join(map(str, sizes))})"
    demand(
        same,
        f"{_class_name(module)} wants `{name}` of shape {shown}, but is given {found.graph_value.declared}",
        "dims-differ",
    )
