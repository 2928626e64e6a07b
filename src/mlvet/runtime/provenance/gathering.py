"""The source of a program for its replay: arithmetic by sites, sums of loops gathered into one row.

In `for n in ...: total += w * old[n]` nothing sees `total` before the loop ends. So the terms' parents are gathered,
and one row is written behind the loop. Whatever ends the loop, the sum is put together. What is no number when the loop
begins has operators of its own, which see every term.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from copy import deepcopy
from typing import Any

from mlvet.runtime.provenance import numbers
from mlvet.runtime.provenance.arrays import as_float, as_int, as_scalar
from mlvet.runtime.provenance.breaks import broken
from mlvet.runtime.provenance.counting import PREFIX, SUM
from mlvet.runtime.provenance.fused import Sites, factors_of, operators_of
from mlvet.runtime.provenance.open_rows import Sum
from mlvet.runtime.provenance.scalars import SCALARS
from mlvet.runtime.provenance.tape import TAPE

GATHERED, SEAL = "__mlvet_gathered__", "__mlvet_seal__"
CONVERSIONS = {"float": "__mlvet_float__", "int": "__mlvet_int__"}
"""Classes whose calls would give bare numbers, and what is called in their place."""
SCALAR = "__mlvet_scalar__"
_SCALARS = frozenset(kind.__name__ for kind in SCALARS)
_SUMMED = numbers.PLAIN | numbers.TRACED
_LOOPS = (ast.For, ast.While)
_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)
_OPAQUE = ("locals", "eval", "exec", "vars", "globals")


def gathered(total: Any) -> Sum | None:
    """What gathers the terms of a sum that begins with this; None if it is no number of Python."""
    return Sum() if type(total) in _SUMMED else None


def seal(total: Any, gathered: Sum) -> Any:
    """The sum with its place. One that became an array or a scalar of NumPy takes up what was gathered beside it."""
    if not gathered.count:
        return total
    place = TAPE.open.summed(gathered)
    if type(total) in numbers.PLAIN:
        return numbers.traced(total, place)
    if not hasattr(total, "__array_ufunc__"):
        broken(f"{type(total).__name__} with numbers added to it")
        return total
    total += numbers.traced(_nothing(total), place)
    return total


def _nothing(total: Any) -> float:
    """What changes no number that it is added to, 0.0 and -0.0 included, nor makes a float of a whole one."""
    return 0 if getattr(getattr(total, "dtype", None), "kind", "") in ("i", "u") else -0.0


HELPERS: dict[str, Any] = {
    GATHERED: gathered, SEAL: seal, CONVERSIONS["float"]: as_float, CONVERSIONS["int"]: as_int,
    SCALAR: as_scalar,
}  # fmt: skip


class Replayed(ast.NodeTransformer):
    """Changes the tree of one module."""

    def __init__(self, sites: Sites, assigned: Iterable[str]) -> None:
        self.sites = sites
        self.shadowed = frozenset(assigned)
        self.gathers: dict[str, str] = {}
        self.scope: ast.AST | None = None
        self.number = 0

    def visit_FunctionDef(self, node: ast.FunctionDef) -> Any:
        return self._function(node)

    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> Any:
        return self._function(node)

    def _function(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> Any:
        outer, gathers = self.scope, self.gathers
        self.scope, self.gathers = node, {}
        node.body = self._block(node.body, ())
        node.decorator_list = [self.visit(each) for each in node.decorator_list]
        self.scope, self.gathers = outer, gathers
        return node

    def visit_Lambda(self, node: ast.Lambda) -> Any:
        outer, gathers = self.scope, self.gathers
        self.scope, self.gathers = None, {}
        node.body = self.visit(node.body)
        self.scope, self.gathers = outer, gathers
        return node

    def visit_ClassDef(self, node: ast.ClassDef) -> Any:
        outer, gathers = self.scope, self.gathers
        self.scope, self.gathers = None, {}
        node.body = self._block(node.body, ())
        self.scope, self.gathers = outer, gathers
        return node

    def _block(self, body: list[ast.stmt], before: tuple[str, ...]) -> list[ast.stmt]:
        """Statements in order; `before` are names that are surely set when the block begins."""
        made: list[ast.stmt] = []
        known = list(before)
        for each in body:
            made += self._statement(each, tuple(known))
            known += _names_set(each)
        return made

    def _statement(self, node: ast.stmt, known: tuple[str, ...]) -> list[ast.stmt]:
        if isinstance(node, _LOOPS) and self.scope is not None:
            names = (each for each in _sums(node) if each in known and each not in self.gathers)
            sums = [each for each in names if self._is_local(each)]
            if sums:
                return self._gathering(node, sums, known)
        if not isinstance(node, _SCOPES) and any(_is_block(value) for _, value in ast.iter_fields(node)):
            self._compound(node, known)
            return [node]
        changed = self.visit(node)
        return changed if isinstance(changed, list) else [changed]

    def _compound(self, node: ast.AST, known: tuple[str, ...]) -> None:
        """Blocks of a statement, of its handlers and its cases; everything else in it is an expression."""
        for name, value in ast.iter_fields(node):
            if _is_block(value):
                if isinstance(value[0], ast.stmt):
                    setattr(node, name, self._block(value, known))
                else:
                    for each in value:
                        self._compound(each, known)
            elif isinstance(value, list):
                setattr(node, name, [self.visit(each) if isinstance(each, ast.AST) else each for each in value])
            elif isinstance(value, ast.AST):
                setattr(node, name, self.visit(value))

    def _gathering(self, loop: ast.For | ast.While, sums: list[str], known: tuple[str, ...]) -> list[ast.stmt]:
        before: list[ast.stmt] = []
        after: list[ast.stmt] = []
        outer = self.gathers
        self.gathers = dict(outer)
        for name in sums:
            self.number += 1
            gathered, total = f"__mlvet_g{self.number}__", f"{SUM}{name}__"
            self.gathers[name] = gathered
            before += _parsed(
                f"{gathered} = {GATHERED}({name})\nif {gathered}: {total} = {gathered}.start({name})", loop
            )
            after += _parsed(f"if {gathered}: {name} = {SEAL}({total}, {gathered}); {total} = None", loop)
        self._compound(loop, known)
        self.gathers = outer
        guarded = ast.Try(body=[loop], handlers=[], orelse=[], finalbody=after)
        ast.copy_location(guarded, loop)
        return [*before, guarded]

    def _is_local(self, name: str) -> bool:
        """Whether a name is the function's alone: no inner function, no `global`, nothing that reads all names."""
        assert self.scope is not None
        for each in ast.walk(self.scope):
            if isinstance(each, ast.Global | ast.Nonlocal) and name in each.names:
                return False
            if isinstance(each, ast.Call) and isinstance(each.func, ast.Name) and each.func.id in _OPAQUE:
                return False
            inner = isinstance(each, (*_SCOPES, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp))
            if inner and each is not self.scope and name in _names_in(each):
                return False
        return True

    def visit_AugAssign(self, node: ast.AugAssign) -> Any:
        if isinstance(node.target, ast.Name) and node.target.id in self.gathers:
            added = deepcopy(node)
            node.value = self.visit(node.value)
            return self._either(added, node.target.id, added.value, isinstance(added.op, ast.Sub), node)
        node.target = self.visit(node.target)
        node.value = self.visit(node.value)
        return node

    def visit_Assign(self, node: ast.Assign) -> Any:
        target = node.targets[0]
        if isinstance(target, ast.Name) and target.id in self.gathers:
            added = deepcopy(node)
            term = _added(added, target.id)
            assert term is not None
            return self._either(added, target.id, *term, self.generic_visit(node))
        return self.generic_visit(node)

    def _either(self, node: ast.stmt, name: str, term: ast.expr, subtracted: bool, otherwise: Any) -> ast.If:
        """The statement for a sum that is gathered, or as it was for what is no number."""
        gathered = ast.Name(self.gathers[name], ast.Load())
        test = ast.Compare(gathered, [ast.IsNot()], [ast.Constant(None)])
        made = ast.If(test, [self._term(node, name, term, subtracted)], [otherwise])
        return ast.fix_missing_locations(ast.copy_location(made, node))

    def _term(self, node: ast.stmt, name: str, term: ast.expr, subtracted: bool) -> Any:
        """The statement that adds a term's plain value to the sum, and its parents to those that are gathered."""
        value: ast.expr = ast.UnaryOp(ast.USub(), term) if subtracted else term
        ast.copy_location(value, term)
        total = ast.Name(f"{SUM}{name}__", ast.Store())
        value = self._gathered_term(value, self.gathers[name])
        made: ast.stmt = ast.AugAssign(total, ast.Add(), value)
        if isinstance(node, ast.Assign):
            made = ast.Assign([total], ast.BinOp(ast.Name(total.id, ast.Load()), ast.Add(), value))
        return ast.fix_missing_locations(ast.copy_location(made, node))

    def _gathered_term(self, term: ast.expr, gathered: str) -> ast.expr:
        call = self.sites.gathered(term, gathered)
        if call is None:
            return _method(gathered, "start", [self.visit(term)], term)
        operands = [self.visit(each) for each in call.args[1:]]
        if factors_of(term) is not None:
            return _method(gathered, "product", [*operands, call.func], term)
        call.args[1:] = operands
        return call

    def visit_BinOp(self, node: ast.BinOp) -> Any:
        return self._arithmetic(node)

    def visit_UnaryOp(self, node: ast.UnaryOp) -> Any:
        return self._arithmetic(node) if isinstance(node.op, ast.USub) else self.generic_visit(node)

    def _arithmetic(self, node: ast.expr) -> Any:
        count = operators_of(node)
        if (count >= 2 or (count == 1 and not _counts(node))) and "abs" not in self.shadowed:
            call = self.sites.arithmetic(node)
            if call is not None:
                call.args = [self.visit(each) for each in call.args]
                return call
        return self.generic_visit(node)

    def visit_Compare(self, node: ast.Compare) -> Any:
        made = self.sites.comparison(node)
        if made is None:
            return self.generic_visit(node)
        if isinstance(made, ast.Call):
            made.args = [self.visit(each) for each in made.args]
        return made

    def visit_Subscript(self, node: ast.Subscript) -> Any:
        node.value = self.visit(node.value)
        return node

    def visit_Call(self, node: ast.Call) -> Any:
        if isinstance(node.func, ast.Name) and node.func.id == "range":
            return node
        self.generic_visit(node)
        plain = len(node.args) == 1 and not node.keywords and not isinstance(node.args[0], ast.Starred)
        if plain and isinstance(node.func, ast.Attribute) and node.func.attr in _SCALARS:
            return ast.Call(ast.Name(SCALAR, ast.Load()), [node.func, *node.args], [])
        if plain:
            self._converting(node.func)
        if isinstance(node.func, ast.Name) and node.func.id == "map" and node.args:
            self._converting(node.args[0])
        return node

    def _converting(self, node: ast.expr) -> None:
        if isinstance(node, ast.Name) and node.id in CONVERSIONS and node.id not in self.shadowed:
            node.id = CONVERSIONS[node.id]

    def visit_AnnAssign(self, node: ast.AnnAssign) -> Any:
        if node.value is not None:
            node.value = self.visit(node.value)
        return node


def replayed(tree: ast.Module, sites: Sites) -> ast.Module:
    """The tree changed in place; its sites are in `sites`."""
    shadowed = {each.id for each in ast.walk(tree) if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store)}
    shadowed |= {each.name for each in ast.walk(tree) if isinstance(each, ast.FunctionDef | ast.ClassDef)}
    transformer = Replayed(sites, shadowed)
    tree.body = transformer._block(tree.body, ())
    return ast.fix_missing_locations(tree)


def _parsed(text: str, node: ast.stmt) -> list[ast.stmt]:
    body = ast.parse(text).body
    for each in body:
        for inner in ast.walk(each):
            if hasattr(inner, "lineno"):
                ast.copy_location(inner, node)
    return body


def _method(gathered: str, name: str, arguments: list[ast.expr], node: ast.expr) -> ast.Call:
    """A call of a method of what a loop is gathering."""
    call = ast.Call(ast.Attribute(ast.Name(gathered, ast.Load()), name, ast.Load()), arguments, [])
    return ast.fix_missing_locations(ast.copy_location(call, node))


def _counts(node: ast.expr) -> bool:
    """Whether an operand is a whole number, as in `i + 1`: then the other operand's own operator does as well."""
    sides = [node.left, node.right] if isinstance(node, ast.BinOp) else [node]
    return not isinstance(node, ast.BinOp) or any(
        isinstance(each, ast.Constant) and type(each.value) is int for each in sides
    )


def _is_block(value: object) -> bool:
    return (
        isinstance(value, list) and bool(value) and isinstance(value[0], ast.stmt | ast.excepthandler | ast.match_case)
    )


def _names_in(node: ast.AST) -> set[str]:
    return {each.id for each in ast.walk(node) if isinstance(each, ast.Name)}


def _names_set(node: ast.stmt) -> Iterator[str]:
    """Names that a statement surely sets."""
    if isinstance(node, ast.Assign):
        for target in node.targets:
            if isinstance(target, ast.Name):
                yield target.id
            elif isinstance(target, ast.Tuple):
                yield from (each.id for each in target.elts if isinstance(each, ast.Name))
    elif isinstance(node, ast.AnnAssign) and node.value is not None and isinstance(node.target, ast.Name):
        yield node.target.id


def _added(node: ast.stmt, name: str) -> tuple[ast.expr, bool] | None:
    """The term that `s += t`, `s -= t`, `s = s + t` or `s = s - t` adds, and whether it is subtracted."""
    if isinstance(node, ast.AugAssign) and isinstance(node.op, ast.Add | ast.Sub):
        return (node.value, isinstance(node.op, ast.Sub)) if name not in _names_in(node.value) else None
    if isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.value, ast.BinOp):
        value = node.value
        first = isinstance(value.left, ast.Name) and value.left.id == name and name not in _names_in(value.right)
        if first and isinstance(value.op, ast.Add | ast.Sub):
            return value.right, isinstance(value.op, ast.Sub)
    return None


def _sums(loop: ast.For | ast.While) -> list[str]:
    """Names that a loop does nothing with but add to them."""
    added: dict[str, int] = {}
    for each in ast.walk(loop):
        target: ast.expr | None = None
        if isinstance(each, ast.AugAssign):
            target = each.target
        elif isinstance(each, ast.Assign) and len(each.targets) == 1:
            target = each.targets[0]
        if isinstance(target, ast.Name) and isinstance(each, ast.stmt) and _added(each, target.id) is not None:
            uses = 1 if isinstance(each, ast.AugAssign) else 2
            added[target.id] = added.get(target.id, 0) + uses
    total: dict[str, int] = {}
    for each in ast.walk(loop):
        if isinstance(each, ast.Name):
            total[each.id] = total.get(each.id, 0) + 1
        elif isinstance(each, ast.Global | ast.Nonlocal):
            for name in each.names:
                total[name] = total.get(name, 0) + 1000
    return sorted(name for name, uses in added.items() if total[name] == uses and not name.startswith(PREFIX))
