"""Calls: of functions and classes of the program, and of library models."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from mlvet.domains.dims import symbol
from mlvet.frontends.python.emission import demand
from mlvet.frontends.python.interpretation import memory
from mlvet.frontends.python.interpretation.branches import Boundary, distributed, unless_all_raise
from mlvet.frontends.python.interpretation.conditions import alternatives
from mlvet.frontends.python.interpretation.signals import PythonRaise
from mlvet.frontends.python.libraries.binding import TENSORS, Misfit, bind, library_of, signature
from mlvet.frontends.python.libraries.registry import Overloads
from mlvet.frontends.python.repetition import CALLS, Calling
from mlvet.frontends.python.trail import MISSING
from mlvet.frontends.python.values.choices import Choice, NeedsChoice, settling
from mlvet.frontends.python.values.containers import DictValue, IteratorValue, ListValue, Repeated
from mlvet.frontends.python.values.numbers import Scalar
from mlvet.frontends.python.values.objects import (
    BoundMethod,
    ClassMethod,
    ClassValue,
    FunctionValue,
    Object,
    StaticMethod,
)
from mlvet.frontends.python.values.raising import Raised
from mlvet.frontends.python.values.tensors import TensorValue, tensor_of
from mlvet.frontends.python.values.unknown import Reason, Undecided, Unknown
from mlvet.ir.graph import Frame

if TYPE_CHECKING:
    from mlvet.frontends.python.machine import Machine
    from mlvet.ir.program import Demand

REFUSALS = (TypeError, ValueError, LookupError, AttributeError, ArithmeticError, RecursionError)
"""What a library model raises on values that it does not expect; the result is unknown then, and the case recorded."""


_OF_TENSORS = frozenset(("einops", "flax", "jax", "keras", "numpy", "tensorflow", "torch"))
"""Libraries whose refusal of an argument is a defect of the program."""
_OPEN = (Unknown, Scalar)
"""Arguments of which the value is not known."""
_LISTS = (ListValue, tuple)
"""Arguments that have parts."""
_QUESTIONS = ("is_", "has_", "should_", "can_")
"""How functions are called that tell whether something is so."""


class Spread:
    """An unknown number of positional arguments, all like `element`."""

    __slots__ = ("element", "length")

    def __init__(self, element: Any, length: Any = None) -> None:
        self.element = element
        self.length = length


def call(machine: Machine, function: Any, args: Sequence[Any], keywords: Mapping[str, Any]) -> Any:
    """`function(*args, **keywords)`."""
    match function:
        case FunctionValue():
            if (before := function.cells.get("@before")) is not None:
                before(args)
            return call_function(machine, function, args, keywords)
        case BoundMethod():
            return call(machine, function.function, (function.receiver, *args), keywords)
        case ClassValue():
            from mlvet.frontends.python.interpretation.classes import instance

            return instance(machine, function, args, keywords)
        case Choice():
            return distributed(machine, function, lambda each: call(machine, each, args, keywords))
        case Unknown():
            hand_out((*args, *keywords.values()))
            return _unknown(machine, function, args, keywords)
        case Overloads():
            return _overloaded(machine, function, args, keywords)
        case type():
            return _constructed(machine, function, args, keywords)
        case Object():
            return _called_object(machine, function, args, keywords)
        case StaticMethod() | ClassMethod():
            return call(machine, function.function, args, keywords)
    if callable(function):
        return native(machine, function, args, keywords)
    return machine.unknown(Reason.UNKNOWN_DISPATCH, f"a call of {type(function).__name__}")


def hand_out(values: Iterable[Any], depth: int = 2) -> None:
    """Tell objects of libraries, also those that objects of the program hold, that something unknown has got them."""
    for value in values:
        if isinstance(value, ListValue | DictValue | tuple):
            inside = value if isinstance(value, tuple) else value.cells.values()
            hand_out(inside, depth - 1) if depth else None
        elif isinstance(value, Object):
            if hasattr(type(value), "handed_out"):
                value.handed_out()
            elif value.kind is not None and depth:
                hand_out(tuple(value.cells.values()), depth - 1)


def _unknown(machine: Machine, function: Unknown, args: Sequence[Any], keywords: Mapping[str, Any]) -> Unknown:
    """What a function of which nothing is known yields; a question is answered alike each time it is asked."""
    if function.reason in (Reason.UNMODELLED_CALL, Reason.UNMODELLED_LIBRARY):
        machine.unmodelled[function.detail] += 1
    if not function.name.startswith(_QUESTIONS):
        return machine.unknown(function.reason, function.detail, function.name)
    given = (*args, *keywords.values())
    key = ("called", *map(id, args), *((name, id(value)) for name, value in keywords.items()))
    if key not in function.parts:
        function.parts[key] = (machine.unknown(function.reason, function.detail, function.name), given)
    found: Unknown = function.parts[key][0]
    return found


def _called_object(machine: Machine, value: Object, args: Sequence[Any], keywords: Mapping[str, Any]) -> Any:
    from mlvet.frontends.python.interpretation.attributes import lookup

    method = lookup(machine, value, "__call__")
    if method is MISSING:
        return machine.unknown(Reason.UNKNOWN_DISPATCH, f"a call of {value!r}")
    return call(machine, method, args, keywords)


def _constructed(machine: Machine, kind: type, args: Sequence[Any], keywords: Mapping[str, Any]) -> Any:
    """An instance of a library class or builtin type; a tensor is another one for each alternative of its arguments."""
    if issubclass(kind, TensorValue) and (choice := _choice(kind.__init__, args, keywords)) is not None:
        return distributed(
            machine, choice, lambda each: _constructed(machine, kind, *_chosen(args, keywords, choice, each))
        )
    if issubclass(kind, Object):
        made = kind.__new__(kind)
        made = made if isinstance(made, Object) else Object()
        before = len(machine.demands)
        initialised = native(machine, kind.__init__, (made, *args), keywords)
        if any(_refuses(machine, each) for each in machine.demands[before:]):
            return machine.unknown(Reason.EXCEPTION, f"a {kind.__name__} that cannot be made")
        if isinstance(made, TensorValue) and "@value" not in made.cells:
            from mlvet.frontends.python.emission import unknown_tensor

            return unknown_tensor(type(made))
        machine.objects.remember(made, args, keywords)
        return initialised if isinstance(initialised, Unknown) else made
    if issubclass(kind, BaseException):
        plain = [arg if isinstance(arg, str | int | float) else "" for arg in args]
        try:
            return kind(*plain)
        except TypeError:
            return machine.unknown(Reason.EXCEPTION, kind.__name__)
    from mlvet.frontends.python.libraries.builtins.constructors import CONSTRUCTORS

    constructor = CONSTRUCTORS.get(kind)
    if constructor is None:
        return machine.unknown(Reason.UNMODELLED_CALL, kind.__name__)
    return native(machine, constructor, args, keywords)


def _refuses(machine: Machine, demand: Demand) -> bool:
    """Whether a demand of a constructor is surely not met on the whole path, so that there is no object after it."""
    failed = demand.constraint.decided is False and not demand.constraint.assumed
    return failed and demand.within is None and set(demand.node.guards) <= set(machine.path)


def native(machine: Machine, function: Any, args: Sequence[Any], keywords: Mapping[str, Any]) -> Any:
    """Call a library model, once for each alternative of arguments that differ from path to path."""
    if len(args) > 1 and isinstance(args[1], Scalar) and getattr(function, "__name__", "") in _KEYED:
        args = (args[0], alternatives(machine, args[1]), *args[2:])
    args = [_settled_parts(machine, arg) if isinstance(arg, _LISTS) else arg for arg in args]
    if (choice := _choice(function, args, keywords)) is not None:
        return distributed(
            machine, choice, lambda each: native(machine, function, *_chosen(args, keywords, choice, each))
        )
    machine.step()
    at, file, given, outer = machine.at, machine.file, machine.given, machine.library_call
    mark, kept = machine.trail.mark(), machine.builder.mark()
    machine.library_call = calling = Calling(function, args, keywords)
    try:
        if Spread in map(type, args):
            if not getattr(function, "takes_spread", False):
                raise Undecided(Reason.DYNAMIC_CONTAINER, "an unknown number of arguments")
            args = [
                Repeated(arg.element, arg.length if arg.length is not None else symbol(machine.fresh("count")))
                if isinstance(arg, Spread)
                else arg
                for arg in args
            ]
        positional, named = bind(function, args, keywords)
        machine.given = (*positional, *named.values())
        result = wrapped(function(*positional, **named))
        if getattr(function, "__name__", "") in CALLS:
            machine.objects.called(calling)
        return _of_any_dtype(result) if _asks_unknown_dtype(function, args, keywords) else result
    except Raised as raised:
        if isinstance(raised.error, SystemExit | StopIteration):
            raise PythonRaise(raised.error) from None
        if not machine.trying and library_of(function) in _OF_TENSORS and isinstance(raised.error, ValueError):
            demand(False, str(raised.error))
        return _typed(machine, function, machine.raises(raised.error))
    except NeedsChoice as needs:
        machine.trail.undo(mark)
        machine.builder.back_to(kept)
        machine.at, machine.file = at, file
        needed = needs.choice
        return distributed(machine, needed, lambda each: _settled(machine, needed, each, function, args, keywords))
    except Undecided as undecided:
        machine.unknowns[undecided.unknown.reason] += 1
        return _typed(machine, function, undecided.unknown)
    except Misfit as misfit:
        machine.refusals.append(f"{_name(function)}: {misfit}")
        return _typed(machine, function, machine.unknown(Reason.UNMODELLED_ARGUMENTS, f"{_name(function)}: {misfit}"))
    except REFUSALS as error:
        machine.refusals.append(f"{_name(function)}: {type(error).__name__}: {error}")
        return _typed(machine, function, machine.unknown(Reason.UNMODELLED_ARGUMENTS, f"{_name(function)}: {error}"))
    finally:
        machine.at, machine.file, machine.given, machine.library_call = at, file, given, outer


def _asks_unknown_dtype(function: Any, args: Sequence[Any], keywords: Mapping[str, Any]) -> bool:
    """Whether the call asks for an element type that is not known, for which the model takes its default."""
    for each in (*args, *keywords.values()):
        if isinstance(each, _OPEN):
            break
    else:
        return False
    return any(
        isinstance(keywords.get(name), _OPEN) or (index < len(args) and isinstance(args[index], _OPEN))
        for name, index in signature(function).dtypes.items()
    )


def _of_any_dtype(result: Any) -> Any:
    from mlvet.frontends.python.emission import opaque

    if not isinstance(result, TensorValue):
        return result
    return opaque("unknown element type", [result], tensor_of(result).with_dtype(None), type(result))


def _settled(
    machine: Machine, choice: Choice, value: Any, function: Any, args: Sequence[Any], keywords: Mapping[str, Any]
) -> Any:
    with settling(machine, choice, value):
        return native(machine, function, args, keywords)


_KEEPING = frozenset(
    ("append", "appendleft", "insert", "add", "setattr", "put", "setdefault", "print", "isinstance", "fill_cell")
)
"""Functions of Python that only hand a value on, so that it may differ from path to path."""


_MOST_CHOICES = 3
"""Items of one list that may differ from path to path before each is taken for what its alternatives share."""


def _settled_parts(machine: Machine, arg: Any) -> Any:
    """A list or tuple of which too many items differ from path to path, with what their alternatives have in common."""
    parts = arg.cells["items"] if isinstance(arg, ListValue) else arg
    if type(parts) is not tuple or len(parts) <= _MOST_CHOICES:
        return arg
    if sum(isinstance(part, Choice) for part in parts) <= _MOST_CHOICES:
        return arg
    from mlvet.frontends.python.interpretation.joining import all_joined

    settled = [
        all_joined(machine, [value for _, value in part.alternatives]) if isinstance(part, Choice) else part
        for part in parts
    ]
    if not isinstance(arg, ListValue):
        return tuple(settled)
    arg.items = tuple(settled)
    return arg


_KEYED = frozenset(("get_attribute", "get", "has_attribute"))
"""Functions whose second argument is a name or key, so that a setting is looked at for each thing it may be."""


def _choice(function: Any, args: Sequence[Any], keywords: Mapping[str, Any]) -> Choice | None:
    """An argument that differs from path to path, or a part of a tuple or list that does."""
    library = library_of(function)
    given = (
        args[:1] if library in ("builtins", "stdlib") and function.__name__ in _KEEPING else (*args, *keywords.values())
    )
    for arg in given:
        if isinstance(arg, Choice):
            return arg
    if library in ("builtins", "stdlib", "settings"):
        return None
    for arg in given:
        if isinstance(arg, _LISTS):
            parts = arg.items if isinstance(arg, ListValue) else arg
            for part in parts if isinstance(parts, tuple) else ():
                if isinstance(part, Choice):
                    return part
    return None


def _chosen(
    args: Sequence[Any], keywords: Mapping[str, Any], choice: Choice, value: Any
) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """The arguments with one alternative in place of a choice."""

    def replaced(arg: Any) -> Any:
        if arg is choice:
            return value
        if isinstance(arg, tuple) and any(part is choice for part in arg):
            return tuple(value if part is choice else part for part in arg)
        if isinstance(arg, ListValue) and isinstance(arg.items, tuple) and any(part is choice for part in arg.items):
            return type(arg)(value if part is choice else part for part in arg.items)
        return arg

    return tuple(map(replaced, args)), {name: replaced(arg) for name, arg in keywords.items()}


def _overloaded(machine: Machine, function: Overloads, args: Sequence[Any], keywords: Mapping[str, Any]) -> Any:
    if (choice := _choice(function.models[0], args, keywords)) is not None:
        return distributed(
            machine, choice, lambda each: _overloaded(machine, function, *_chosen(args, keywords, choice, each))
        )
    misfit: Misfit | None = None
    for candidate in function.models:
        try:
            bind(candidate, args, keywords)
        except Misfit as error:
            misfit = error
            continue
        except Undecided:
            pass
        return native(machine, candidate, args, keywords)
    machine.refusals.append(f"{function.name}: {misfit}")
    return _typed(
        machine, function.models[0], machine.unknown(Reason.UNMODELLED_ARGUMENTS, f"{function.name}: {misfit}")
    )


def _typed(machine: Machine, function: Any, unknown: Unknown) -> Any:
    """An unknown result as what the model says its results are."""
    from mlvet.frontends.python.emission import unknown_tensor

    wanted = signature(function)
    if wanted.result == "Tensor" and wanted.library in TENSORS:
        return unknown_tensor(TENSORS[wanted.library], name=unknown.name)
    del machine
    return unknown


def wrapped(value: Any) -> Any:
    """What a library model returned as a value of the program."""
    if isinstance(value, Object):
        return value
    if isinstance(value, list):
        return ListValue(map(wrapped, value))
    if isinstance(value, dict):
        return DictValue({key: wrapped(item) for key, item in value.items()})
    if isinstance(value, set | frozenset):
        return ListValue(map(wrapped, value))
    if type(value) is tuple:
        return tuple(wrapped(item) for item in value)
    return value


def _name(function: Any) -> str:
    return getattr(function, "__qualname__", None) or type(function).__name__


def call_function(machine: Machine, function: FunctionValue, args: Sequence[Any], keywords: Mapping[str, Any]) -> Any:
    """Run the body of a function of the program on these arguments, unless an equal call was run before."""
    node = function.node
    if not isinstance(node, ast.Lambda):
        machine.called.add(node)
    key = memory.key_of(machine, function, args, keywords)
    if key is not None and (known := memory.recalled(machine, key)) is not MISSING:
        return known
    depth = sum(1 for frame in machine.running if frame is node)
    deepest = machine.limits.recursion if key is None else machine.limits.known_recursion
    machine.recursions[node] = machine.recursions[node] + 1 if depth else 0
    endless = key is None and machine.recursions[node] > machine.limits.recursive_calls
    if depth >= deepest or endless or len(machine.running) >= machine.limits.depth:
        return machine.unknown(Reason.RECURSION, function.qualified, function.name)
    recording = memory.begin(machine, key)
    value: Any = MISSING
    try:
        value = _run(machine, function, args, keywords)
    finally:
        memory.end(machine, recording, value)
    return value


def _run(machine: Machine, function: FunctionValue, args: Sequence[Any], keywords: Mapping[str, Any]) -> Any:
    from mlvet.frontends.python.interpretation.annotations import refined
    from mlvet.frontends.python.interpretation.scopes import Scope
    from mlvet.frontends.python.interpretation.statements import run

    node = function.node
    scope = Scope("function", function.scope.file, function.scope)
    scope.function = function
    bind_parameters(machine, function, args, keywords, scope)
    if args and function.owner is not None:
        scope.receiver = args[0]
    kept = machine.at, machine.file, machine.stack, machine.library_call
    machine.library_call = None
    if machine.location is not None:
        machine.stack = (*machine.stack, Frame(function.qualified, machine.location))
    machine.file = function.scope.file
    machine.running.append(node)
    machine.scopes.append(scope)
    boundary = Boundary(machine)
    machine.boundaries.append(boundary)
    generates = is_generator(node)
    if generates:
        scope.yields = []
    try:
        if isinstance(node, ast.Lambda):
            from mlvet.frontends.python.interpretation.expressions import evaluate

            return evaluate(machine, node.body)
        alive = unless_all_raise(lambda: run(machine, node.body), boundary)
        reached, value = boundary.close(alive)
        if generates:
            return generated(machine, scope.yields or [])
        if not reached:
            raise PythonRaise(machine.last_raised)
        machine.at = node.returns or machine.at
        return refined(machine, node.returns, value, scope, "")
    finally:
        machine.boundaries.pop()
        machine.scopes.pop()
        machine.running.pop()
        machine.at, machine.file, machine.stack, machine.library_call = kept


def generated(machine: Machine, yields: list[Any]) -> IteratorValue:
    """What a generator yields: its items, or one that stands for all if a loop of unknown length yields them."""
    from mlvet.frontends.python.interpretation.joining import joined_items

    if any(isinstance(each, Repeated) for each in yields):
        sides = [each if isinstance(each, Repeated) else (each,) for each in yields]
        return IteratorValue(joined_items(machine, sides) if len(sides) > 1 else sides[0])
    return IteratorValue(yields)


def is_generator(node: ast.AST) -> bool:
    """Whether a function's own body yields."""
    found = getattr(node, "_yields", None)
    if found is None:
        found = False
        pending: list[ast.AST] = list(node.body) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) else []
        while pending:
            each = pending.pop()
            if isinstance(each, ast.Yield | ast.YieldFrom):
                found = True
                break
            if not isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda | ast.ClassDef):
                pending += ast.iter_child_nodes(each)
        node._yields = found  # type: ignore[attr-defined]
    return found


def bind_parameters(
    machine: Machine, function: FunctionValue, args: Sequence[Any], keywords: Mapping[str, Any], scope: Any
) -> None:
    """Give each parameter its argument, its default, or an unknown where the call leaves it open."""
    from mlvet.frontends.python.interpretation.annotations import refined
    from mlvet.frontends.python.interpretation.joining import all_joined

    signature = function.node.args
    parameters = [*signature.posonlyargs, *signature.args]
    given = list(args)
    named = dict(keywords)
    spread = next((arg for arg in given if isinstance(arg, Spread)), None)
    if spread is not None:
        place = given.index(spread)
        rest = given[place + 1 :]
        missing = max(len(parameters) - place - len(rest), 0)
        given = [*given[:place], *([spread.element] * missing), *rest]
    defaults = dict(
        zip(
            [each.arg for each in parameters][len(parameters) - len(function.defaults) :],
            function.defaults,
            strict=True,
        )
    )
    for index, parameter in enumerate(parameters):
        name = parameter.arg
        if index < len(given):
            value = given[index]
        elif name in named:
            value = named.pop(name)
        elif name in defaults:
            value = defaults[name]
        else:
            value = machine.unknown(Reason.ENTRY_ARGUMENT, name, name)
        scope.cells[name] = refined(machine, parameter.annotation, value, scope, name)
    if signature.vararg is not None:
        extra = given[len(parameters) :]
        if spread is not None:
            like = spread.element if not extra else all_joined(machine, [spread.element, *extra])
            scope.cells[signature.vararg.arg] = ListValue(Repeated(like, symbol(machine.fresh("count"))))
        else:
            scope.cells[signature.vararg.arg] = tuple(extra)
    for parameter in signature.kwonlyargs:
        name = parameter.arg
        if name in named:
            value = named.pop(name)
        elif name in function.keyword_defaults:
            value = function.keyword_defaults[name]
        else:
            value = machine.unknown(Reason.ENTRY_ARGUMENT, name, name)
        scope.cells[name] = refined(machine, parameter.annotation, value, scope, name)
    if signature.kwarg is not None:
        scope.cells[signature.kwarg.arg] = DictValue(named)


def is_tensor(value: Any) -> bool:
    return isinstance(value, TensorValue)
