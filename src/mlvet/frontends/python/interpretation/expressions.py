"""Expressions to abstract values."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Callable
from functools import partial
from itertools import combinations
from typing import TYPE_CHECKING, Any

from mlvet.domains.written import Int, Origin
from mlvet.frontends.python.interpretation import memory, operators
from mlvet.frontends.python.interpretation.attributes import attribute, used_as_tensor
from mlvet.frontends.python.interpretation.branches import distributed, fork
from mlvet.frontends.python.interpretation.calls import Spread, call
from mlvet.frontends.python.interpretation.comprehensions import comprehension, dict_comprehension
from mlvet.frontends.python.interpretation.conditions import decided
from mlvet.frontends.python.interpretation.iteration import items
from mlvet.frontends.python.interpretation.subscripts import subscript
from mlvet.frontends.python.interpretation.truth import literal, negated, truth
from mlvet.frontends.python.libraries import registry
from mlvet.frontends.python.observations import Observation
from mlvet.frontends.python.trail import MISSING
from mlvet.frontends.python.values.choices import Choice, NeedsChoice, conjoined
from mlvet.frontends.python.values.containers import DictValue, ListValue, Repeated, SetValue, is_key
from mlvet.frontends.python.values.numbers import Scalar
from mlvet.frontends.python.values.objects import ClassValue, FunctionValue, Object, Super
from mlvet.frontends.python.values.tensors import TensorValue
from mlvet.frontends.python.values.unknown import Reason, Unknown
from mlvet.ir.graph import Literal

if TYPE_CHECKING:
    from mlvet.frontends.python.machine import Machine


def evaluate(machine: Machine, node: ast.expr) -> Any:
    """The value of an expression."""
    machine.step()
    machine.at = node
    value = EVALUATED[type(node)](machine, node)
    if machine.watched and not isinstance(node, ast.Call) and machine.file.span(node) in machine.watched:
        observed(machine, node, value)
    return value


def observed(machine: Machine, node: ast.expr, value: Any, name: str = "") -> None:
    """Remember what a place of the program was seen to hold."""
    span = machine.file.span(node)
    seen = machine.observations.get(span)
    if seen is None:
        seen = machine.observations[span] = Observation(name=name)
    seen.add(value)


def _constant(machine: Machine, node: ast.Constant) -> Any:
    value = node.value
    if type(value) is int:
        return Int(value, Origin(str(value), machine.location))
    return value


def _name(machine: Machine, node: ast.Name) -> Any:
    cells = machine.scopes[-1].holding(node.id)
    if cells is not None:
        found = cells[node.id]
        if machine.recordings:
            memory.read(machine, cells, node.id, found)
        return found
    return builtin(machine, node.id)


def builtin(machine: Machine, name: str) -> Any:
    """A name that the program does not define."""
    found = BUILTIN_TYPES.get(name, MISSING)
    if found is not MISSING:
        return found
    try:
        return registry.find(f"builtins.{name}")
    except KeyError:
        return machine.unknown(Reason.MISSING_NAME, name, name)


_TYPES = (
    "int", "float", "str", "bool", "list", "tuple", "dict", "set", "frozenset", "bytes", "bytearray", "complex",
    "object", "type", "range", "slice", "NotImplemented", "Ellipsis", "memoryview",
)  # fmt: skip
BUILTIN_TYPES: dict[str, Any] = {
    name: value
    for name, value in vars(builtins).items()
    if name in _TYPES or (isinstance(value, type) and issubclass(value, BaseException))
}


def _attribute(machine: Machine, node: ast.Attribute) -> Any:
    called = machine.calling is node
    receiver = evaluate(machine, node.value)
    machine.at = node
    if isinstance(receiver, Unknown):
        receiver = used_as_tensor(machine, receiver, node.attr, called=called)
    return attribute(machine, receiver, node.attr)


def _call(machine: Machine, node: ast.Call) -> Any:
    if isinstance(node.func, ast.Name) and node.func.id == "super":
        return _super(machine, node)
    machine.calling = node.func
    function = evaluate(machine, node.func)
    args: list[Any] = []
    for arg in node.args:
        if isinstance(arg, ast.Starred):
            found = items(machine, evaluate(machine, arg.value))
            args += [Spread(found.element, found.length)] if isinstance(found, Repeated) else found
        else:
            args.append(evaluate(machine, arg))
    keywords: dict[str, Any] = {}
    for keyword in node.keywords:
        value = evaluate(machine, keyword.value)
        if keyword.arg is not None:
            keywords[keyword.arg] = value
        else:
            keywords |= _spread_keywords(machine, value)
    machine.at = node
    if machine.calls is not None:
        machine.calls.add(machine, machine.file.span(node), function)
    result = call(machine, function, args, keywords)
    machine.at = node
    observed(machine, node, result)
    return result


def _spread_keywords(machine: Machine, value: Any) -> dict[str, Any]:
    if isinstance(value, Choice):
        value = next((part for _, part in value.alternatives if isinstance(part, DictValue)), value)
    mapping = getattr(value, "as_keywords", None)
    if mapping is not None:
        value = mapping()
    if isinstance(value, DictValue):
        return {key: item for key, item in value.cells.items() if isinstance(key, str)}
    machine.unknowns[Reason.DYNAMIC_CONTAINER] += 1
    return {}


def _super(machine: Machine, node: ast.Call) -> Any:
    scope = machine.scopes[-1]
    if len(node.args) >= 2:
        after, receiver = (evaluate(machine, arg) for arg in node.args[:2])
        return Super(receiver, after)
    function = scope.function
    owner = function.owner if function is not None else None
    receiver = scope.receiver
    while receiver is None and scope.parent is not None:
        scope = scope.parent
        receiver = scope.receiver
        owner = owner or (scope.function.owner if scope.function is not None else None)
    if receiver is None or owner is None:
        return machine.unknown(Reason.UNKNOWN_DISPATCH, "super()")
    return Super(receiver, owner)


def _binary(machine: Machine, node: ast.BinOp) -> Any:
    left = evaluate(machine, node.left)
    right = evaluate(machine, node.right)
    machine.at = node
    return operators.binary(machine, type(node.op), left, right)


def _unary(machine: Machine, node: ast.UnaryOp) -> Any:
    value = evaluate(machine, node.operand)
    machine.at = node.operand
    if isinstance(node.op, ast.Not):
        if isinstance(value, Choice):
            return fork(
                machine,
                [(guard, partial(_denied, machine, part)) for guard, part in value.alternatives],
            )
        return negated(truth(machine, value))
    machine.at = node
    found = operators.unary(machine, type(node.op), value)
    return (
        Int(found, Origin(f"-{value.origin.text}", machine.location))
        if isinstance(value, Int) and type(found) is int
        else found
    )


def _denied(machine: Machine, value: Any) -> bool | Scalar:
    return negated(truth(machine, value))


def _boolean(machine: Machine, node: ast.BoolOp) -> Any:
    return _chain(machine, node, node.values, isinstance(node.op, ast.And))


def _chain(machine: Machine, node: ast.BoolOp, values: list[ast.expr], conjunction: bool) -> Any:
    """`a and b and ...`: what decides comes out; the rest is evaluated under the condition that it is reached."""
    left = evaluate(machine, values[0])
    if len(values) == 1:
        return left
    machine.at = values[0]
    known = _settled(machine, left)
    if isinstance(known, bool):
        return _chain(machine, node, values[1:], conjunction) if known == conjunction else left
    outcome = literal(machine, known)
    reached = outcome if conjunction else Literal(outcome.condition, not outcome.holds)
    other = Literal(reached.condition, not reached.holds)
    right: list[Any] = []

    def rest() -> Any:
        right.append(_chain(machine, node, values[1:], conjunction))
        return right[0]

    def first() -> Any:
        return (not conjunction) if isinstance(left, Scalar) and left.kind is bool else left

    value = fork(machine, [(frozenset((reached,)), rest), (frozenset((other,)), first)])
    machine.at = node
    if right and _is_truth(right[0]) and _is_truth(left):
        return _joint(known, right[0], conjunction)
    return value


def _is_truth(value: Any) -> bool:
    return isinstance(value, bool) or (isinstance(value, Scalar) and value.kind is bool)


def _joint(left: Scalar, right: bool | Scalar, conjunction: bool) -> Scalar:
    """Two truth values of which one is asked first, as one, with its default if both have one."""
    if isinstance(right, bool) or not (left.condition and right.condition):
        return Scalar(bool)
    known = left.has_default and right.has_default
    usual = (left.default and right.default) if conjunction else (left.default or right.default)
    name = f"({left.condition} {'and' if conjunction else 'or'} {right.condition})"
    mixed = left.mixed or right.mixed
    return Scalar(bool, "", bool(usual) if known else None, known, condition=name, mixed=mixed)


def _settled(machine: Machine, value: Any) -> bool | Scalar:
    """The truth of a value as far as the path being taken settles it."""
    if isinstance(value, Choice):
        here = frozenset(machine.path)
        truths = {truth(machine, part) for guard, part in value.alternatives if conjoined(here, guard) is not None}
        if len(truths) == 1:
            return truths.pop()
        return _of_choice(machine, value)
    found = truth(machine, value)
    if isinstance(found, bool):
        return found
    if found.condition:
        settled = decided(machine, literal(machine, found))
        if settled is not None:
            return settled
    return found


def _of_choice(machine: Machine, value: Choice) -> Scalar:
    """The one literal that tells the true alternatives from the false ones, if there is such."""
    true = [guard for guard, part in value.alternatives if truth(machine, part) is True]
    false = [guard for guard, part in value.alternatives if truth(machine, part) is False]
    if len(true) + len(false) == len(value.alternatives) and true and false:
        shared = frozenset.intersection(*true)
        for each in sorted(shared, key=str):
            if all(Literal(each.condition, not each.holds) in guard for guard in false):
                return Scalar(bool, condition=each.condition if each.holds else f"!{each.condition}")
    return Scalar(bool)


def condition(machine: Machine, node: ast.expr) -> bool | Scalar:
    """The truth of a test, as far as it is known on the path being taken."""
    value = evaluate(machine, node)
    machine.at = node
    return _settled(machine, value)


_SEPARATE = 3
"""How many values that meet in a test may get a path each."""


def separated(machine: Machine, node: ast.expr) -> bool | Scalar:
    """The truth of a test; where only some of the values that meet in it settle it, each asks for a path of its own."""
    value = evaluate(machine, node)
    machine.at = node
    found = _settled(machine, value)
    fresh = len(machine.settled) < _SEPARATE  # A test that makes other values each time would never be settled.
    if isinstance(value, Choice) and fresh and _is_settled_in_part(machine, value, found):
        raise NeedsChoice(value)
    return found


def _is_settled_in_part(machine: Machine, value: Choice, found: bool | Scalar) -> bool:
    """Whether only some of the few values that meet in a test settle it."""
    if not isinstance(found, Scalar) or found.condition:
        return False
    here = frozenset(machine.path)
    live = [(guard, part) for guard, part in value.alternatives if conjoined(here, guard) is not None]
    apart = all(conjoined(a, b) is None for (a, _), (b, _) in combinations(live, 2))
    return len(live) <= _SEPARATE and apart and any(isinstance(truth(machine, part), bool) for _, part in live)


def _conditional(machine: Machine, node: ast.IfExp) -> Any:
    value = evaluate(machine, node.test)
    machine.at = node.test
    test = _settled(machine, value)
    if isinstance(value, Choice) and _is_settled_in_part(machine, value, test):
        return distributed(machine, value, lambda part: _either(machine, node, _settled(machine, part)))
    return _either(machine, node, test)


def _either(machine: Machine, node: ast.IfExp, test: bool | Scalar) -> Any:
    if isinstance(test, bool):
        return evaluate(machine, node.body if test else node.orelse)
    holds = literal(machine, test)
    fails = Literal(holds.condition, not holds.holds)
    return fork(
        machine,
        [
            (frozenset((holds,)), lambda: evaluate(machine, node.body)),
            (frozenset((fails,)), lambda: evaluate(machine, node.orelse)),
        ],
    )


def _compare(machine: Machine, node: ast.Compare) -> Any:
    left = evaluate(machine, node.left)
    result: Any = True
    for kind, comparator in zip(node.ops, node.comparators, strict=True):
        right = evaluate(machine, comparator)
        machine.at = node
        found = operators.compare(machine, type(kind), left, right)
        if len(node.ops) == 1:
            return found
        known = _settled(machine, found)
        if known is False:
            return False
        if known is not True:
            result = Scalar(bool) if result is not True else found
        left = right
    return result


def _subscript(machine: Machine, node: ast.Subscript) -> Any:
    value = evaluate(machine, node.value)
    index = evaluate(machine, node.slice)
    machine.at = node
    return subscript(machine, value, index)


def _slice(machine: Machine, node: ast.Slice) -> slice:
    parts = [None if part is None else _first(evaluate(machine, part)) for part in (node.lower, node.upper, node.step)]
    return slice(*parts)


def _first(value: Any) -> Any:
    """A bound of a slice that differs from path to path is one that is not known."""
    if isinstance(value, Choice):
        return Unknown(Reason.DATA_DEPENDENT_BRANCH, "a bound of a slice", "bound")
    return value


def _elements(machine: Machine, nodes: list[ast.expr]) -> tuple[list[Any], Repeated | None]:
    """The items of a display; if a starred part has an unknown number, one that stands for all."""
    found: list[Any] = []
    unknown: list[Repeated] = []
    for node in nodes:
        if isinstance(node, ast.Starred):
            part = items(machine, evaluate(machine, node.value))
            if isinstance(part, Repeated):
                unknown.append(part)
            else:
                found += part
        else:
            found.append(evaluate(machine, node))
    if not unknown:
        return found, None
    from mlvet.frontends.python.interpretation.joining import all_joined

    length = len(found) + sum((part.length for part in unknown[1:]), unknown[0].length)
    return found, Repeated(all_joined(machine, [*(part.element for part in unknown), *found]), length)


def _tuple(machine: Machine, node: ast.Tuple) -> Any:
    found, repeated = _elements(machine, node.elts)
    return tuple(found) if repeated is None else ListValue(repeated)


def _list(machine: Machine, node: ast.List) -> ListValue:
    found, repeated = _elements(machine, node.elts)
    return ListValue(found if repeated is None else repeated)


def _set(machine: Machine, node: ast.Set) -> SetValue:
    found, repeated = _elements(machine, node.elts)
    return SetValue(found if repeated is None else repeated)


def _dict(machine: Machine, node: ast.Dict) -> DictValue:
    made = DictValue()
    for key_node, value_node in zip(node.keys, node.values, strict=True):
        value = evaluate(machine, value_node)
        if key_node is None:
            if isinstance(value, DictValue):
                made.cells.update(value.cells)
                made.rest_cell.update(value.rest_cell if made.rest is None else {})
            else:
                made.rest_cell["rest"] = machine.unknown(Reason.DYNAMIC_CONTAINER, "a dictionary spread into another")
            continue
        key = evaluate(machine, key_node)
        if isinstance(key, TensorValue) and key in made.cells and made.cells[key] is not value:
            machine.written_twice.setdefault(id(made), (made, []))[1].append(key.graph_value)
        put(machine, made, key, value)
    return made


def put(machine: Machine, made: DictValue, key: Any, value: Any) -> None:
    """An entry of a new dictionary; one with an unknown key stands for any."""
    if is_key(key) or (isinstance(key, Object) and key.kind is None):
        made.cells[int(key) if isinstance(key, Int) else key] = value
    else:
        from mlvet.frontends.python.interpretation.joining import joined

        made.rest_cell["key"] = key if made.rest is None else joined(machine, made.rest_key, key)
        made.rest_cell["rest"] = value if made.rest is None else joined(machine, made.rest, value)


def _joined_text(machine: Machine, node: ast.JoinedStr) -> Any:
    parts: list[str] = []
    known = True
    for part in node.values:
        if isinstance(part, ast.Constant):
            parts.append(str(part.value))
            continue
        assert isinstance(part, ast.FormattedValue)
        value = evaluate(machine, part.value)
        if part.format_spec is not None:
            evaluate(machine, part.format_spec)
        if isinstance(value, str | int) and part.format_spec is None and part.conversion == -1:
            parts.append(str(value))
        else:
            known = False
    return "".join(parts) if known else Scalar(str)


def _lambda(machine: Machine, node: ast.Lambda) -> FunctionValue:
    return function_value(machine, node, "<lambda>")


def function_value(
    machine: Machine, node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda, name: str
) -> FunctionValue:
    """The function that a definition or lambda makes here."""
    scope = machine.scopes[-1]
    defaults = tuple(evaluate(machine, each) for each in node.args.defaults)
    named = {
        parameter.arg: evaluate(machine, default)
        for parameter, default in zip(node.args.kwonlyargs, node.args.kw_defaults, strict=True)
        if default is not None
    }
    owner = machine.owners[-1] if scope.kind == "class" and machine.owners else None
    prefix = (
        owner.qualified
        if isinstance(owner, ClassValue)
        else scope.function.qualified
        if scope.function is not None
        else ""
    )
    made = FunctionValue(node, scope, name, f"{prefix}.{name}" if prefix else name, defaults, named, owner)
    if scope.function is not None and not isinstance(node, ast.Lambda):
        machine.defined[node] = made
    return made


def _walrus(machine: Machine, node: ast.NamedExpr) -> Any:
    value = evaluate(machine, node.value)
    machine.scopes[-1].assign(node.target.id, value)
    return value


def _yield(machine: Machine, node: ast.Yield) -> Any:
    value = None if node.value is None else evaluate(machine, node.value)
    _yielded(machine, [value] if not machine.general_loops() else [Repeated(value, _count(machine))])
    return Unknown(Reason.HIGHER_ORDER, "what is sent to a generator")


def _yield_from(machine: Machine, node: ast.YieldFrom) -> Any:
    found = items(machine, evaluate(machine, node.value))
    _yielded(machine, [found] if isinstance(found, Repeated) else list(found))
    return Unknown(Reason.HIGHER_ORDER, "what a generator returns")


def _count(machine: Machine) -> Any:
    from mlvet.domains.dims import symbol

    return symbol(machine.fresh("count"))


def _yielded(machine: Machine, values: list[Any]) -> None:
    scope: Any = machine.scopes[-1]
    while scope is not None and scope.kind != "function":
        scope = scope.parent
    if scope is not None and scope.yields is not None:
        scope.yields += values


def _await(machine: Machine, node: ast.Await) -> Any:
    return evaluate(machine, node.value)


def _starred(machine: Machine, node: ast.Starred) -> Any:
    return evaluate(machine, node.value)


def _comprehension(machine: Machine, node: ast.ListComp | ast.SetComp | ast.GeneratorExp) -> Any:
    return comprehension(machine, node)


def _unsupported(machine: Machine, node: ast.expr) -> Any:
    return machine.unknown(Reason.UNSUPPORTED_SYNTAX, type(node).__name__)


class _Table(dict[type[ast.AST], Callable[[Any, Any], Any]]):
    def __missing__(self, kind: type[ast.AST]) -> Callable[[Any, Any], Any]:
        return _unsupported


EVALUATED = _Table({
    ast.Constant: _constant, ast.Name: _name, ast.Attribute: _attribute, ast.Call: _call, ast.BinOp: _binary,
    ast.UnaryOp: _unary, ast.BoolOp: _boolean, ast.IfExp: _conditional, ast.Compare: _compare,
    ast.Subscript: _subscript, ast.Slice: _slice, ast.Tuple: _tuple, ast.List: _list, ast.Set: _set, ast.Dict: _dict,
    ast.JoinedStr: _joined_text, ast.Lambda: _lambda, ast.NamedExpr: _walrus, ast.Yield: _yield,
    ast.YieldFrom: _yield_from, ast.Await: _await, ast.Starred: _starred, ast.ListComp: _comprehension,
    ast.SetComp: _comprehension, ast.GeneratorExp: _comprehension, ast.DictComp: dict_comprehension,
})  # fmt: skip
