"""Counters of branch outcomes, put into the source of a program.

Of each predicate one side is counted, the one that looks rarer, since the other follows from how often the predicate
is reached. Inside loops of functions a counter is a local variable that moves along a chain of strokes; when the
function ends it is added to the counts of its module. Elsewhere these are changed at once, so that no name is added to
a namespace that a program can see. The counts, the chains and the functions are constants of the code: the tree holds
marks, which `bound` replaces. Counts are floats, to which Python adds more quickly than to ints.
"""

from __future__ import annotations

import ast
import types

from mlvet.runtime.provenance.trees import placed, walk

TYPE_CHECKING = False
"""Known to type checkers by its name; `typing` is not loaded before a traced program is."""

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping
    from typing import Any, TypeAlias

    Function: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef

COUNTS = "\0mlvet:counts"
HIT = "\0mlvet:hit"
LENGTH = "\0mlvet:length"
FOLD = "\0mlvet:fold"
PREFIX = "_mlvet"
"""With what the names of local counters begin."""
SUM = "__mlvet_sum_"
"""With what a replay's names of sums begin that a loop is gathering; the name of the sum follows, and `__`."""

LOOPS = (ast.For, ast.AsyncFor, ast.While)
COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_LEAVING = (ast.Continue, ast.Break, ast.Return, ast.Raise)
_NAMESPACE_READERS = frozenset({"locals", "vars", "dir", "eval", "exec", "_getframe", "currentframe", "stack"})


class Site:
    """One counted side of a predicate; `local` if its counter is a local variable."""

    __slots__ = ("function", "line", "local", "side")

    def __init__(self, function: str, line: int, side: bool, local: bool) -> None:
        self.function = function
        self.line = line
        self.side = side
        self.local = local


class Scope:
    """What is known of the function whose body is being rewritten."""

    __slots__ = ("active", "fast", "loops", "name", "used")

    def __init__(self, name: str, active: bool, fast: bool) -> None:
        self.name = name
        self.active = active
        self.fast = fast
        self.loops = 0
        self.used: list[int] = []


def counted(tree: ast.Module, chosen: Collection[ast.AST]) -> tuple[ast.Module, list[Site]]:
    """The tree, changed in place, with counters in the chosen functions (and at module level if it is chosen)."""
    counting = Counting(chosen)
    counting.module(tree)
    return tree, counting.sites


def bound(code: types.CodeType, objects: Mapping[str, object]) -> types.CodeType:
    """The code with marks among its constants replaced by the objects they stand for."""
    constants = tuple(_constant(each, objects) for each in code.co_consts)
    if all(new is old for new, old in zip(constants, code.co_consts, strict=True)):
        return code
    return code.replace(co_consts=constants)


def _constant(value: Any, objects: Mapping[str, object]) -> Any:
    if isinstance(value, types.CodeType):
        return bound(value, objects)
    return objects.get(value, value) if type(value) is str else value


def called(mark: str, *arguments: ast.expr) -> ast.Call:
    """A call of a marked function. The mark stands in a conditional, since the compiler warns of called constants."""
    function = ast.IfExp(ast.Constant(True), ast.Constant(mark), ast.Constant(None))
    return ast.Call(function, list(arguments), [])


class Counting(ast.NodeTransformer):
    """Rewrites bodies; annotations, decorators, defaults and patterns stay as they are."""

    def __init__(self, chosen: Collection[ast.AST]) -> None:
        self.chosen = {id(each) for each in chosen}
        self.sites: list[Site] = []
        self.scope = Scope("<module>", False, False)
        self.known = frozenset[str]()
        self.repeated = frozenset[str]()

    def module(self, tree: ast.Module) -> None:
        self.known = frozenset(each.name for each in walk(tree) if isinstance(each, _FUNCTIONS))
        self.repeated = repeated_functions(tree) & self.known
        self.scope = Scope("<module>", id(tree) in self.chosen, False)
        tree.body = self._statements(tree.body)

    def _statements(self, body: list[ast.stmt]) -> list[ast.stmt]:
        found: list[ast.stmt] = []
        for each in body:
            new = self.visit(each)
            found.extend(new if isinstance(new, list) else [new])
        return found

    # functions and classes

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        return self._function(node)

    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> ast.AST:
        return self._function(node)

    def _function(self, node: Function) -> ast.AST:
        outer = self.scope
        name = node.name if outer.name == "<module>" else f"{outer.name}.{node.name}"
        active = id(node) in self.chosen
        self.scope = Scope(name, active, active and not _reads_namespace(node))
        node.body = self._statements(node.body)
        if self.scope.used:
            node.body = _with_flush(node, self.scope.used)
        self.scope = outer
        return node

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.AST:
        outer = self.scope
        self.scope = Scope(node.name if outer.name == "<module>" else f"{outer.name}.{node.name}", False, False)
        node.body = self._statements(node.body)
        self.scope = outer
        return node

    def visit_Lambda(self, node: ast.Lambda) -> ast.AST:
        outer = self.scope
        self.scope = Scope(f"{outer.name}.<lambda>", outer.active, False)
        node.body = self.visit(node.body)
        self.scope = outer
        return node

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST:
        if node.value is not None:
            node.value = self.visit(node.value)
        return node

    # predicates

    def visit_If(self, node: ast.If) -> ast.AST:
        side = rarer_side(node.test, node.body, node.orelse)
        node.test = self.visit(node.test)
        node.body = self._statements(node.body)
        node.orelse = self._statements(node.orelse)
        if self.scope.active and not isinstance(node.test, ast.Constant):
            branch = node.body if side else node.orelse
            bump = self._bump(node, side, once=bool(branch) and isinstance(branch[-1], (ast.Return, ast.Raise)))
            if side:
                node.body.insert(0, bump)
            else:
                node.orelse.insert(0, bump)
        return node

    def visit_While(self, node: ast.While) -> ast.AST:
        folded = self._folded(node)
        self.scope.loops += 1
        node.test = self.visit(node.test)
        node.body = self._statements(node.body)
        if self.scope.active and not isinstance(node.test, ast.Constant):
            node.body.insert(0, self._bump(node, True))
        self.scope.loops -= 1
        node.orelse = self._statements(node.orelse)
        node.body[:0] = folded
        return node

    def visit_For(self, node: ast.For) -> ast.AST:
        return self._for(node)

    def visit_AsyncFor(self, node: ast.AsyncFor) -> ast.AST:
        return self._for(node)

    def _for(self, node: ast.For | ast.AsyncFor) -> ast.AST:
        folded = self._folded(node)
        node.iter = self.visit(node.iter)
        self.scope.loops += 1
        node.body = self._statements(node.body)
        self.scope.loops -= 1
        node.orelse = self._statements(node.orelse)
        node.body[:0] = folded
        return node

    def visit_Match(self, node: ast.Match) -> ast.AST:
        node.subject = self.visit(node.subject)
        for case in node.cases:
            if case.guard is not None:
                case.guard = self.visit(case.guard)
            case.body = self._statements(case.body)
        if self.scope.active:
            for case in node.cases[:-1]:
                case.body.insert(0, self._bump(case.body[0], True))
        return node

    def visit_ExceptHandler(self, node: ast.ExceptHandler) -> ast.AST:
        node.body = self._statements(node.body)
        if self.scope.active:
            node.body.insert(0, self._bump(node.body[0], True))
        return node

    def visit_IfExp(self, node: ast.IfExp) -> ast.AST:
        side = rarer_side(node.test, [], [])
        self.generic_visit(node)
        if self.scope.active and not isinstance(node.test, ast.Constant):
            if side:
                node.body = self._passing(node.body, side)
            else:
                node.orelse = self._passing(node.orelse, side)
        return node

    def visit_BoolOp(self, node: ast.BoolOp) -> ast.AST:
        """Of `a and b` in the place of a value: how often `b` is reached, if `a` compares."""
        compares = any(isinstance(each, ast.Compare) for each in node.values[:-1])
        self.generic_visit(node)
        if self.scope.active and compares:
            node.values[-1] = self._passing(node.values[-1], isinstance(node.op, ast.And))
        return node

    def visit_ListComp(self, node: ast.ListComp) -> ast.AST:
        return self._measured(node)

    def visit_SetComp(self, node: ast.SetComp) -> ast.AST:
        return self._measured(node)

    def visit_DictComp(self, node: ast.DictComp) -> ast.AST:
        return self._measured(node)

    def visit_GeneratorExp(self, node: ast.GeneratorExp) -> ast.AST:
        return self._comprehension(node, self.scope.active)

    def _measured(self, node: ast.ListComp | ast.SetComp | ast.DictComp) -> ast.AST:
        """A comprehension with conditions: how many elements it has says how often they held, at once."""
        filtered = any(each.ifs for each in node.generators)
        made = self._comprehension(node, False)
        if not filtered or not self.scope.active:
            return made
        return placed(called(LENGTH, ast.Constant(self._site(node, True)), made), node)

    def _comprehension(
        self, node: ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp, tallied: bool
    ) -> ast.expr:
        if isinstance(node, ast.DictComp):
            node.key, node.value = self.visit(node.key), self.visit(node.value)
        else:
            node.elt = self.visit(node.elt)
        for clause in node.generators:
            fast, self.scope.fast = self.scope.fast, False
            clause.iter = self.visit(clause.iter)  # an assignment expression is not allowed in there
            self.scope.fast = fast
            clause.ifs = [self._condition(test, tallied) for test in clause.ifs]
        return node

    def _condition(self, test: ast.expr, tallied: bool) -> ast.expr:
        side = rarer_side(test, [], [])
        new: ast.expr = self.visit(test)
        if tallied:
            reached = self._tally(test, side)
            if side:
                new = ast.BoolOp(ast.And(), [new, reached])
            else:
                new = ast.BoolOp(ast.Or(), [new, ast.UnaryOp(ast.Not(), reached)])
            placed(new, test)
        return new

    # counters

    def _site(self, node: ast.AST, side: bool, local: bool = False) -> int:
        index = len(self.sites)
        self.sites.append(Site(self.scope.name, getattr(node, "lineno", 0), side, local))
        if local:
            self.scope.used.append(index)
        return index

    def _bump(self, node: ast.AST, side: bool, once: bool = False) -> ast.stmt:
        """The statement that counts; `once` if the function ends after it."""
        local = self.scope.fast and self.scope.loops > 0 and not once
        index = self._site(node, side, local)
        if local:
            return placed(ast.Assign([ast.Name(local_of(index), ast.Store())], _moved(index)), node)
        return placed(ast.AugAssign(_count(index), ast.Add(), ast.Constant(1.0)), node)

    def _tally(self, node: ast.AST, side: bool) -> ast.expr:
        """An expression that counts and is true."""
        index = self._site(node, side, self.scope.fast)
        if not self.scope.fast:
            return placed(called(HIT, ast.Constant(index)), node)
        return placed(ast.NamedExpr(ast.Name(local_of(index), ast.Store()), _moved(index)), node)

    def _passing(self, value: ast.expr, side: bool) -> ast.expr:
        """The value, counted when it is reached."""
        return placed(ast.BoolOp(ast.And(), [self._tally(value, side), value]), value)

    def _folded(self, node: ast.For | ast.AsyncFor | ast.While) -> list[ast.stmt]:
        """Outermost loops fold at each iteration if an iteration is more than a few operations.

        The loops of a function that is called in a loop are not outermost.
        """
        if not self.scope.active or self.scope.loops or not self._heavy(node):
            return []
        if self.scope.name.rpartition(".")[2] in self.repeated:
            return []
        return [placed(ast.Expr(called(FOLD)), node)]

    def _heavy(self, loop: ast.For | ast.AsyncFor | ast.While) -> bool:
        for statement in loop.body:
            for each in walk(statement):
                if isinstance(each, (*LOOPS, *COMPREHENSIONS)):
                    return True
                if isinstance(each, ast.Call) and called_name(each) in self.known:
                    return True
        return False


def repeated_functions(tree: ast.Module) -> frozenset[str]:
    """Names of what is called inside loops, directly or by functions that are."""
    calls: dict[str, set[str]] = {}
    found: set[str] = set()
    for node in walk(tree):
        if isinstance(node, (*LOOPS, *COMPREHENSIONS)):
            found |= _calls(node)
        elif isinstance(node, _FUNCTIONS):
            calls.setdefault(node.name, set()).update(_calls(node))
    waiting = list(found)
    while waiting:
        new = calls.get(waiting.pop(), set()) - found
        found |= new
        waiting += new
    return frozenset(found)


def _calls(node: ast.AST) -> set[str]:
    return {name for each in walk(node) if isinstance(each, ast.Call) and (name := called_name(each))}


def count_of(index: int) -> str:
    """The attribute that has a count."""
    return f"n{index}"


def _count(index: int) -> ast.Attribute:
    return ast.Attribute(ast.Constant(COUNTS), count_of(index), ast.Store())


def _moved(index: int) -> ast.expr:
    """The next stroke of a local counter."""
    return ast.Attribute(ast.Name(local_of(index), ast.Load()), "next", ast.Load())


def stroke_of(index: int) -> str:
    """The mark that stands for the first stroke of a local counter."""
    return f"\0mlvet:stroke:{index}"


def local_of(index: int) -> str:
    """The name of a local counter."""
    return f"{PREFIX}{index}_"


def called_name(call: ast.Call) -> str | None:
    """The last part of the name of what is called."""
    if isinstance(call.func, ast.Name):
        return call.func.id
    return call.func.attr if isinstance(call.func, ast.Attribute) else None


def rarer_side(test: ast.expr, body: list[ast.stmt], orelse: list[ast.stmt]) -> bool:
    """Which outcome looks rarer: guards that leave are rarely true, equality is rare, membership is frequent.

    Where a number is compared with zero nobody knows; then the side that does more is counted, which feels it least.
    """
    if body and isinstance(body[-1], _LEAVING):
        return True
    if orelse and isinstance(orelse[-1], _LEAVING):
        return False
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        return not rarer_side(test.operand, [], [])
    if isinstance(test, ast.Compare):
        if isinstance(test.ops[0], (ast.Eq, ast.Is, ast.NotIn)):
            return True
        if isinstance(test.ops[0], (ast.NotEq, ast.IsNot, ast.In)):
            return False
        zero = isinstance(test.comparators[0], ast.Constant) and not test.comparators[0].value
        return bool(body and not orelse) or not (zero and isinstance(test.ops[0], (ast.Gt, ast.GtE)))
    return isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And)


def _with_flush(node: Function, used: list[int]) -> list[ast.stmt]:
    """The body between setting the local counters to their first strokes and adding them, however it ends."""
    documented = bool(
        node.body
        and isinstance(node.body[0], ast.Expr)
        and isinstance(node.body[0].value, ast.Constant)
        and isinstance(node.body[0].value.value, str)
    )
    head, body = node.body[:documented], node.body[documented:]
    start: list[ast.stmt] = [
        ast.Assign([ast.Name(local_of(index), ast.Store())], ast.Constant(stroke_of(index))) for index in used
    ]
    flush: list[ast.stmt] = [
        ast.AugAssign(
            _count(index),
            ast.Add(),
            ast.Attribute(ast.Name(local_of(index), ast.Load()), "number", ast.Load()),
        )
        for index in used
    ]
    first, last = body[0], body[-1]
    guarded = ast.Try(body, [], [], [placed(each, last) for each in flush])
    return [*head, *(placed(each, first) for each in start), placed(guarded, first)]


def _reads_namespace(node: Function) -> bool:
    return any(isinstance(each, ast.Call) and called_name(each) in _NAMESPACE_READERS for each in walk(node))
