"""Attributes: of instances, classes, modules and builtin types, read and written."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mlvet.domains.dims import Expr
from mlvet.domains.dtypes import DType
from mlvet.frontends.python.active import erase, store
from mlvet.frontends.python.arrays.operators import ArrayValue
from mlvet.frontends.python.interpretation.branches import distributed
from mlvet.frontends.python.libraries import registry
from mlvet.frontends.python.libraries.binding import TENSORS, as_tensor
from mlvet.frontends.python.trail import MISSING
from mlvet.frontends.python.values.choices import Choice
from mlvet.frontends.python.values.containers import DictValue, IteratorValue, ListValue, SetValue
from mlvet.frontends.python.values.numbers import Scalar
from mlvet.frontends.python.values.objects import (
    BoundMethod,
    ClassMethod,
    ClassValue,
    FunctionValue,
    ModuleValue,
    Object,
    Property,
    StaticMethod,
    Super,
    mro,
)
from mlvet.frontends.python.values.tensors import TensorValue
from mlvet.frontends.python.values.unknown import Reason, Undecided, Unknown

if TYPE_CHECKING:
    from mlvet.frontends.python.machine import Machine

HIDDEN = frozenset(
    ("of", "graph_value", "framework", "dotted", "converted", "iterate", "length", "unpack", "missing", "cells", "kind")
)
"""Names of our own on library classes, which programs do not see."""
TENSOR_METHODS = frozenset((
    "view", "permute", "unsqueeze", "squeeze", "size", "dim", "contiguous", "detach", "reshape", "transpose", "expand",
    "masked_fill", "expand_as", "view_as", "softmax", "log_softmax", "argmax", "chunk", "flatten", "backward", "matmul",
    "requires_grad_", "type_as", "new_zeros", "get_shape", "set_shape", "bmm", "astype", "long", "half",
))  # fmt: skip
"""Methods that, of all things a program may be given, tensors have."""
_OURS = (Object, TensorValue, ArrayValue, object)


def attribute(machine: Machine, value: Any, name: str) -> Any:
    """`value.name`."""
    found = lookup(machine, value, name)
    if found is not MISSING:
        return found
    if isinstance(value, Object):
        return _missing(machine, value, name)
    if isinstance(value, ModuleValue):
        return _unmodelled(machine, value, name)
    if isinstance(value, type) and value.__module__.startswith("mlvet."):
        dotted = f"{getattr(value, 'dotted', value.__name__)}.{name}"
        return machine.unknown(Reason.UNMODELLED_CALL, dotted, name)
    return machine.unknown(Reason.DYNAMIC_ATTRIBUTE, f"{_shown(value)}.{name}", name)


def lookup(machine: Machine, value: Any, name: str) -> Any:
    """`value.name`, MISSING if there is no telling."""
    match value:
        case Object():
            return _of_object(machine, value, name)
        case ModuleValue():
            return _of_module(machine, value, name)
        case ClassValue():
            return _of_class(machine, value, name)
        case Choice():
            return distributed(machine, value, lambda each: attribute(machine, each, name))
        case Unknown():
            if name not in value.parts:
                detail = f"{value.detail}.{name}" if value.detail else f"{value.name}.{name}"
                value.parts[name] = Unknown(value.reason, detail, name, machine.location)
            machine.unknowns[value.reason] += 1
            return value.parts[name]
        case Super():
            return _above(machine, value, name)
        case FunctionValue():
            if name in value.cells:
                return value.cells[name]
            if name in ("__name__", "__qualname__"):
                return value.name
            if name == "__module__":
                return value.scope.module.cells.get("__name__", MISSING)
            return _builtin(value, "function", name)
        case BoundMethod():
            return value.receiver if name == "__self__" else lookup(machine, value.function, name)
        case type():
            return _of_native_class(machine, value, name)
        case ListValue() | DictValue():
            kinds = {SetValue: "set", IteratorValue: "iterator", ListValue: "list", DictValue: "dict"}
            made_by = getattr(value, "made_by", "list")
            if made_by not in ("dict", "list"):
                found = _builtin(value, made_by, name)
                if found is not MISSING:
                    return found
            return _builtin(value, kinds.get(type(value), "list"), name)
        case Scalar():
            return _builtin(value, value.kind.__name__, name)
        case Expr() | int() if name == "value" and hasattr(type(value), "value"):
            return value.value  # type: ignore[union-attr]
        case Expr():
            return _builtin(value, "int", name)
        case DType():
            return _builtin(value, "dtype", name)
        case slice():
            return getattr(value, name, MISSING) if name in ("start", "stop", "step") else MISSING
        case bool() | int() | float() | str() | bytes() | tuple() | complex() | range():
            kind = next(k for k in (bool, int, float, str, bytes, tuple, complex, range) if isinstance(value, k))
            if isinstance(value, tuple) and type(value) is not tuple:
                return _of_named_tuple(machine, value, name)
            found = _builtin(value, kind.__name__, name)
            return _builtin(value, "int", name) if found is MISSING and kind is bool else found
    if callable(value) and name in ("__name__", "__qualname__"):
        return getattr(value, "__name__", "function")
    return MISSING


def _of_named_tuple(machine: Machine, value: tuple[Any, ...], name: str) -> Any:
    """An attribute of a library's own kind of tuple: a field, a method, or what all tuples have."""
    found = vars(type(value)).get(name)
    if name.startswith("_") or found is None:
        return _builtin(value, "tuple", name)
    if isinstance(found, FunctionValue | Property | StaticMethod | ClassMethod):
        return _bound(machine, found, value, type(value))
    return BoundMethod(value, found, name) if callable(found) else getattr(value, name)


def used_as_tensor(machine: Machine, value: Unknown, name: str, *, called: bool) -> Any:
    """An unknown of which only tensors have the attribute, as a tensor of the program's library; else itself."""
    if name in value.parts or not (name == "shape" or (called and name in TENSOR_METHODS)):
        return value
    if value.tensor is not None:
        return value.tensor
    library = next(
        (name for name in ("torch", "tensorflow", "jax", "keras", "numpy") if name in machine.imported), None
    )
    return as_tensor(value, library) if library is not None and library in TENSORS else value


def _builtin(receiver: Any, kind: str, name: str) -> Any:
    try:
        found = registry.find(f"builtins.{kind}.{name}")
    except KeyError:
        return MISSING
    return found.__get__(receiver) if isinstance(found, property) else BoundMethod(receiver, found, name)


def _of_object(machine: Machine, value: Object, name: str) -> Any:
    cells = value.cells
    if name in cells and not name.startswith("@"):
        return cells[name]
    if name == "__class__":
        return value.kind if value.kind is not None else type(value)
    if name == "__dict__":
        return shared_cells(cells)
    for owner in mro(value):
        if isinstance(owner, ClassValue):
            if name in owner.cells:
                return _bound(machine, owner.cells[name], value, owner)
        elif isinstance(owner, type):
            found = _native(machine, owner, name, value)
            if found is not MISSING:
                return found
        elif isinstance(owner, Unknown):
            return MISSING
    return MISSING


def shared_cells(cells: dict[Any, Any]) -> DictValue:
    """Attributes as a dictionary that shares them; a copy where a library model keeps things of its own beside them."""
    if any(str(key).startswith("@") for key in cells):
        return DictValue({key: cell for key, cell in cells.items() if not str(key).startswith("@")})
    shared = DictValue()
    shared.cells = cells
    return shared


def _bound(machine: Machine, found: Any, receiver: Any, owner: Any) -> Any:
    """A class attribute as an instance sees it."""
    match found:
        case FunctionValue():
            return BoundMethod(receiver, found, found.name)
        case Property():
            return machine.call(found.getter, receiver)
        case StaticMethod():
            return found.function
        case ClassMethod():
            kind = receiver.kind if isinstance(receiver, Object) and receiver.kind is not None else owner
            return BoundMethod(kind, found.function)
        case Choice():
            return distributed(machine, found, lambda each: _bound(machine, each, receiver, owner))
        case Object() if hasattr(type(found), "bound"):
            return found.bound(receiver)
    return found


def _native(machine: Machine, owner: type, name: str, receiver: Any) -> Any:
    """An attribute that a library class has."""
    if name in HIDDEN or (name.startswith("_") and not name.startswith("__")) or not issubclass(owner, Object):
        return MISSING
    for klass in owner.__mro__:
        if name not in klass.__dict__ or (klass in _OURS and not _is_operator(klass, name)):
            continue
        found = klass.__dict__[name]
        if isinstance(found, property):
            if receiver is None:
                return Property(found.fget)
            try:
                return _wrapped(found.fget(receiver) if found.fget is not None else MISSING)
            except Undecided as undecided:
                machine.unknowns[undecided.unknown.reason] += 1
                return undecided.unknown
            except (TypeError, ValueError, LookupError, AttributeError, ArithmeticError) as error:
                machine.refusals.append(f"{owner.__name__}.{name}: {type(error).__name__}: {error}")
                return machine.unknown(Reason.UNMODELLED_ARGUMENTS, f"{owner.__name__}.{name}", name)
        if isinstance(found, staticmethod):
            return found.__func__
        if isinstance(found, classmethod):
            return BoundMethod(receiver.kind or owner if isinstance(receiver, Object) else owner, found.__func__, name)
        if callable(found) or isinstance(found, registry.Overloads):
            return found if receiver is None or isinstance(found, type) else BoundMethod(receiver, found, name)
        return found
    return MISSING


def _is_operator(klass: type, name: str) -> bool:
    return (
        klass is ArrayValue
        and name.startswith("__")
        and name not in ("__slots__", "__module__", "__doc__", "__len__", "__iter__", "__hash__")
    )


def _wrapped(value: Any) -> Any:
    from mlvet.frontends.python.interpretation.calls import wrapped

    return wrapped(value)


def _of_class(machine: Machine, value: ClassValue, name: str) -> Any:
    if name in ("__name__", "__qualname__"):
        return value.name
    for owner in value.order:
        if isinstance(owner, ClassValue) and name in owner.cells:
            found = owner.cells[name]
            match found:
                case StaticMethod():
                    return found.function
                case ClassMethod():
                    return BoundMethod(value, found.function)
            return found
        if isinstance(owner, type):
            native = _native(machine, owner, name, None)
            if isinstance(native, BoundMethod) and native.receiver is owner:
                return BoundMethod(value, native.function, name)
            if native is not MISSING:
                return native
            if name == "__init__":
                return vars(Object)["__init__"]
    return MISSING


def _of_native_class(machine: Machine, value: type, name: str) -> Any:
    if name in ("__name__", "__qualname__"):
        return value.__name__
    if issubclass(value, Object):
        if name == "__init__":
            return value.__init__
        found = _native(machine, value, name, None)
        if found is not MISSING:
            return found
        try:
            return registry.find(f"{value.dotted}.{name}")
        except KeyError:
            return MISSING
    try:
        return registry.find(f"builtins.{value.__name__}.{name}")
    except KeyError:
        return MISSING


def _above(machine: Machine, value: Super, name: str) -> Any:
    """An attribute of `super()`: what comes after a class in the receiver's order."""
    receiver = value.receiver
    order = tuple(mro(receiver)) if isinstance(receiver, Object | ClassValue) else ()
    after = order[order.index(value.after) + 1 :] if value.after in order else order
    for owner in after:
        if isinstance(owner, ClassValue) and name in owner.cells:
            return _bound(machine, owner.cells[name], receiver, owner)
        if isinstance(owner, type):
            found = _native(machine, owner, name, receiver)
            if found is not MISSING:
                return found
            if name == "__init__" and issubclass(owner, Object):
                return BoundMethod(receiver, owner.__init__, name)
        if isinstance(owner, Unknown):
            return Unknown(owner.reason, f"{owner.detail}.{name}", name)
    return _inert if name in ("__init__", "__init_subclass__", "__setattr__", "__post_init__", "__new__") else MISSING


def _inert(*args: Any, **keywords: Any) -> None:
    """What `object` does when it is asked to construct itself."""


def _of_module(machine: Machine, value: ModuleValue, name: str) -> Any:
    if not value.of_library:
        if name in value.cells:
            return value.cells[name]
        from mlvet.frontends.python.interpretation.imports import submodule

        return submodule(machine, value, name)
    if name in value.cells:
        return value.cells[name]
    dotted = f"{value.dotted}.{name}"
    try:
        return registry.find(dotted)
    except KeyError:
        pass
    if registry.is_module(dotted):
        return ModuleValue(dotted, of_library=True)
    if name == "__dict__":
        inside = {
            key.removeprefix(f"{value.dotted}."): each
            for key, each in registry.MODELS.items()
            if key.startswith(f"{value.dotted}.")
        }
        return DictValue({key: each for key, each in inside.items() if "." not in key})
    return Scalar(str, name=dotted) if name == "__version__" else MISSING


def _unmodelled(machine: Machine, value: ModuleValue, name: str) -> Unknown:
    dotted = f"{value.dotted}.{name}"
    if not value.of_library:
        return machine.unknown(Reason.MISSING_NAME, dotted, name)
    known = registry.is_module(value.dotted)
    return machine.unknown(Reason.UNMODELLED_CALL if known else Reason.UNMODELLED_LIBRARY, dotted, name)


def _missing(machine: Machine, value: Object, name: str) -> Any:
    """An attribute that an instance lacks: by `__getattr__`, or unknown."""
    if value.kind is not None and name != "__getattr__":
        method = _of_object(machine, value, "__getattr__")
        if isinstance(method, BoundMethod) and isinstance(method.function, FunctionValue):
            return machine.call(method, name)
    native = getattr(type(value), "missing", None)
    if native is not None:
        try:
            return _wrapped(native(value, name))
        except Undecided as undecided:
            return undecided.unknown
        except (TypeError, ValueError, LookupError, AttributeError, ArithmeticError) as error:
            machine.refusals.append(f"{type(value).__name__}.{name}: {type(error).__name__}: {error}")
            return machine.unknown(Reason.UNMODELLED_ARGUMENTS, f"{type(value).__name__}.{name}", name)
    dotted = f"{type(value).dotted if value.kind is None else value.kind.name}.{name}"
    unmodelled = value.kind is None or not any(
        isinstance(owner, ClassValue) and name in owner.cells for owner in mro(value)
    )
    reason = Reason.UNMODELLED_CALL if value.kind is None and unmodelled else Reason.DYNAMIC_ATTRIBUTE
    return machine.unknown(reason, dotted, name)


def set_attribute(machine: Machine, value: Any, name: str, new: Any) -> None:
    """`value.name = new`."""
    match value:
        case Object():
            for owner in mro(value):
                found = owner.cells.get(name) if isinstance(owner, ClassValue) else None
                if isinstance(found, Property) and found.setter is not None:
                    machine.call(found.setter, value, new)
                    return
                if isinstance(owner, type):
                    setter = getattr(owner, name, None) if name not in HIDDEN else None
                    if isinstance(setter, property) and setter.fset is not None:
                        try:
                            setter.fset(value, new)
                        except Undecided:
                            machine.unknowns[Reason.UNMODELLED_ARGUMENTS] += 1
                        return
            hook = getattr(type(value), "assigned", None)
            store(value.cells, name, new)
            if hook is not None:
                hook(value, name, new)
        case ClassValue() | ModuleValue() | FunctionValue():
            store(value.cells, name, new)
        case Choice():
            for _, part in value.alternatives:
                if isinstance(part, Object):
                    store(part.cells, name, new)
        case Unknown():
            store(value.parts, name, new)


def delete_attribute(value: Any, name: str) -> None:
    """`del value.name`."""
    if isinstance(value, Object | ClassValue | ModuleValue) and name in value.cells:
        erase(value.cells, name)


def _shown(value: Any) -> str:
    return value.name if isinstance(value, ClassValue | FunctionValue) else type(value).__name__
