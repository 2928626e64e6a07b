"""Class statements, and instances of the program's classes."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from mlvet.frontends.python.interpretation.joining import all_joined
from mlvet.frontends.python.interpretation.signals import PythonRaise
from mlvet.frontends.python.machine import OutOfBudget
from mlvet.frontends.python.trail import MISSING
from mlvet.frontends.python.values.containers import DictValue, ListValue
from mlvet.frontends.python.values.objects import BoundMethod, ClassValue, FunctionValue, Object
from mlvet.frontends.python.values.unknown import Reason, Unknown

if TYPE_CHECKING:
    from mlvet.frontends.python.machine import Machine


def define(machine: Machine, node: ast.ClassDef) -> Any:
    """The value of a class statement."""
    from mlvet.frontends.python.interpretation.expressions import evaluate
    from mlvet.frontends.python.interpretation.scopes import Scope
    from mlvet.frontends.python.interpretation.statements import run

    outer = machine.scopes[-1]
    bases = tuple(_base(evaluate(machine, base)) for base in node.bases if not isinstance(base, ast.Starred))
    keywords = {each.arg: evaluate(machine, each.value) for each in node.keywords if each.arg is not None}
    scope = Scope("class", outer.file, outer)
    qualified = node.name if outer.function is None else f"{outer.function.qualified}.{node.name}"
    made = ClassValue(node.name, qualified, scope.cells, resolution_order(bases))
    made.location = machine.location
    scope.function = outer.function
    machine.owners.append(made)
    machine.scopes.append(scope)
    try:
        scope.cells["__annotations__"] = _annotations(machine, node)
        run(machine, node.body)
    finally:
        machine.scopes.pop()
        machine.owners.pop()
    for cell in scope.cells.values():
        _own(cell, made)
    if "metaclass" in keywords and not isinstance(keywords["metaclass"], type):
        machine.unknowns[Reason.METACLASS] += 1
        if isinstance(keywords["metaclass"], ClassValue):
            machine.note(f"class {node.name} is made by a metaclass, which is not followed")
    hook = next((base for base in made.order if isinstance(base, type) and hasattr(base, "subclassed")), None)
    value: Any = hook.subclassed(made) if hook is not None else made
    for decorator in reversed(node.decorator_list):
        value = machine.call(evaluate(machine, decorator), value)
        value = made if isinstance(value, Unknown) else value
    return value


def _base(base: Any) -> Any:
    if isinstance(base, ClassValue | Unknown):
        return base
    return base if isinstance(base, type) else Unknown(Reason.METACLASS, f"a base class that is {type(base).__name__}")


def _own(cell: Any, owner: ClassValue) -> None:
    """Tell functions of a class body whose they are, which `super()` asks."""
    inner = getattr(cell, "function", None) or getattr(cell, "getter", None)
    for function in (cell, inner, getattr(cell, "setter", None)):
        if isinstance(function, FunctionValue) and function.owner is None:
            function.owner = owner


def resolution_order(bases: tuple[Any, ...]) -> tuple[Any, ...]:
    """The classes after a new one in its resolution order: C3 where it is defined, else depth first."""
    lists = [list(base.order) if isinstance(base, ClassValue) else [base] for base in bases]
    lists.append(list(bases))
    found: list[Any] = []
    while any(lists):
        lists = [each for each in lists if each]
        for each in lists:
            head = each[0]
            if not any(any(head is later for later in other[1:]) for other in lists):
                break
        else:
            head = lists[0][0]
        found.append(head)
        lists = [[item for item in each if item is not head] for each in lists]
    natives = [each for each in found if isinstance(each, type)]
    return tuple(each for each in found if not any(other is not each and _is_below(other, each) for other in natives))


def _is_below(kind: type, base: Any) -> bool:
    """Whether a library class has another one among its bases, in which Python itself looks then."""
    return isinstance(base, type) and issubclass(kind, base)


def _annotations(machine: Machine, node: ast.ClassDef) -> DictValue:
    """The annotated names of a class body in order; their annotations stay unread."""
    del machine
    names = [
        each.target.id for each in node.body if isinstance(each, ast.AnnAssign) and isinstance(each.target, ast.Name)
    ]
    return DictValue(dict.fromkeys(names))


def instance(machine: Machine, kind: ClassValue, args: Sequence[Any], keywords: Mapping[str, Any]) -> Any:
    """`kind(*args, **keywords)`."""
    from mlvet.frontends.python.interpretation.attributes import lookup

    builtin = next((base for base in kind.order if isinstance(base, type) and not issubclass(base, Object)), None)
    if builtin is not None and issubclass(builtin, BaseException):
        return _plain(machine, kind, args)
    if "@members" in kind.cells and args:
        return _member(machine, kind, args[0])
    native: Any = kind.native
    made = native.__new__(native)
    if not isinstance(made, Object):
        return machine.unknown(Reason.METACLASS, kind.name)
    object.__setattr__(made, "kind", kind)
    machine.instances.setdefault(kind, made)
    machine.created.append(made)
    initialise = lookup(machine, made, "__init__")
    try:
        if isinstance(initialise, BoundMethod) and isinstance(initialise.function, FunctionValue):
            machine.call(initialise, *args, **keywords)
        elif (fields := _fields(kind)) is not None:
            _initialised(machine, made, fields, args, keywords)
        elif initialise is not MISSING:
            machine.call(initialise, *args, **keywords)
    except OutOfBudget:
        if machine.instances.get(kind) is made:
            del machine.instances[kind]  # It is not ready, so that no method shall be tried on it.
        raise
    return made


def _member(machine: Machine, kind: ClassValue, value: Any) -> Any:
    """The member of an enumeration that has a value."""
    from mlvet.frontends.python.libraries.builtins.operators import equal

    members = kind.cells["@members"]
    for member in members:
        if member is value or equal(member.cells["value"], value) is True:
            return member
    return all_joined(machine, members)


def _plain(machine: Machine, kind: ClassValue, args: Sequence[Any]) -> Object:
    made = Object()
    object.__setattr__(made, "kind", kind)
    made.args = tuple(args)
    del machine
    return made


def _fields(kind: ClassValue) -> list[tuple[str, Any]] | None:
    """The fields of a dataclass with their defaults (MISSING where there is none), those of its bases first."""
    if not any(isinstance(owner, ClassValue) and "@dataclass" in owner.cells for owner in kind.order):
        return None
    found: dict[str, Any] = {}
    for owner in reversed(kind.order):
        if isinstance(owner, ClassValue) and "@dataclass" in owner.cells:
            names = owner.cells.get("__annotations__")
            for name in names.cells if isinstance(names, DictValue) else ():
                found[name] = owner.cells.get(name, MISSING)
    return list(found.items())


def _initialised(
    machine: Machine, made: Object, fields: list[tuple[str, Any]], args: Sequence[Any], keywords: Mapping[str, Any]
) -> None:
    given = list(args)
    for name, default in fields:
        if given:
            value = given.pop(0)
        elif name in keywords:
            value = keywords[name]
        elif default is not MISSING:
            value = _default(machine, default)
        else:
            value = machine.unknown(Reason.ENTRY_ARGUMENT, name, name)
        setattr(made, name, value)
    from mlvet.frontends.python.interpretation.attributes import lookup

    after = lookup(machine, made, "__post_init__")
    if after is not MISSING:
        machine.call(after)


def _default(machine: Machine, default: Any) -> Any:
    """The default of a field; that of `field(default_factory=f)` is made anew."""
    if isinstance(default, Object) and hasattr(default, "default_factory"):
        factory = default.cells.get("default_factory", MISSING)
        if factory is not MISSING and factory is not None:
            return machine.call(factory)
        return default.cells.get("default", MISSING)
    if isinstance(default, ListValue):
        return ListValue(default.items)
    return default


def raised(value: Any) -> PythonRaise:
    return PythonRaise(value)
