"""Which functions of a program can have to do with its numbers, and so are instrumented."""

from __future__ import annotations

import ast

from mlvet.runtime.provenance.counting import COMPREHENSIONS, LOOPS, called_name
from mlvet.runtime.provenance.trees import children, walk

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_ARITHMETIC = (ast.Add, ast.Sub, ast.Mult, ast.Div, ast.Pow, ast.MatMult)
_ORDERINGS = (ast.Lt, ast.LtE, ast.Gt, ast.GtE)
_NUMERIC_CALLS = frozenset({"abs", "min", "max", "sum", "float", "sqrt", "exp", "log", "pow", "dot", "random", "fsum"})


def relevant(tree: ast.Module, inputs: Sequence[str] = ()) -> list[ast.AST]:
    """The functions, and the module itself, whose branches are counted.

    Without named inputs these are all that compute with numbers or drive what does. With inputs it is an
    over-approximation of what they can reach: the functions that share names of variables, attributes or functions
    with one that is reached.
    """
    scopes: list[ast.AST] = [tree, *(each for each in walk(tree) if isinstance(each, _FUNCTIONS))]
    local = {each.name for each in scopes if isinstance(each, _FUNCTIONS)}
    numeric = [each for each in scopes if _numeric(each, local)]
    named = {_function_of(each) for each in inputs}
    if not named or None in named or not any(_name(each) in named for each in scopes):
        return numeric
    reached = _reached(scopes, {id(each) for each in scopes if _name(each) in named})
    return [each for each in numeric if id(each) in reached]


def _function_of(spec: str) -> str | None:
    """The function that `name@function:line` names; None if the form is another."""
    _, at, place = spec.partition("@")
    return place.partition(":")[0].rpartition(".")[2] if at and place else None


def _name(scope: ast.AST) -> str:
    return scope.name if isinstance(scope, _FUNCTIONS) else "<module>"


def own_nodes(scope: ast.AST) -> Iterator[ast.AST]:
    """The nodes of a function or module without those of functions defined in it."""
    waiting: list[ast.AST] = list(getattr(scope, "body", []))
    while waiting:
        node = waiting.pop()
        yield node
        if not isinstance(node, _FUNCTIONS):
            waiting.extend(children(node))


def _numeric(scope: ast.AST, local: set[str]) -> bool:
    looping = calling = False
    for each in own_nodes(scope):
        if isinstance(each, (ast.BinOp, ast.AugAssign)) and isinstance(each.op, _ARITHMETIC):
            return True
        if isinstance(each, ast.Compare) and any(isinstance(op, _ORDERINGS) for op in each.ops):
            return True
        if isinstance(each, ast.Constant) and type(each.value) is float:
            return True
        if isinstance(each, ast.Call):
            if called_name(each) in _NUMERIC_CALLS:
                return True
            calling = calling or called_name(each) in local
        looping = looping or isinstance(each, (*LOOPS, *COMPREHENSIONS))
    return looping and calling


def _reached(scopes: list[ast.AST], start: set[int]) -> set[int]:
    """Scopes connected with the start by a shared name, however many scopes lie between."""
    names = {id(each): _shared_names(each) for each in scopes}
    reached, pool = set(start), set[str]().union(*(names[each] for each in start))
    growing = True
    while growing:
        growing = False
        for key, own in names.items():
            if key not in reached and own & pool:
                reached.add(key)
                pool |= own
                growing = True
    return reached


def _shared_names(scope: ast.AST) -> set[str]:
    """Names by which a scope can exchange values with others: functions, globals, attributes."""
    found = {scope.name} if isinstance(scope, _FUNCTIONS) else set[str]()
    bound = {"self"}
    for each in own_nodes(scope):
        if isinstance(each, ast.Attribute):
            found.add(each.attr)
        elif isinstance(each, ast.Global | ast.Nonlocal):
            found.update(each.names)
        elif isinstance(each, ast.Name):
            if isinstance(each.ctx, ast.Store) and isinstance(scope, _FUNCTIONS):
                bound.add(each.id)
            else:
                found.add(each.id)
    if isinstance(scope, _FUNCTIONS):
        arguments = scope.args
        bound.update(each.arg for each in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs))
    return found - bound - _COMMON


_COMMON = frozenset(
    "append extend items keys values get pop add update len range print sorted sum min max abs list dict set tuple int "
    "float str open split strip join format zip enumerate isinstance map filter".split()
)
