"""Predicates of a counted program, rewritten for a full log: each outcome is told before it is used."""

from __future__ import annotations

import ast

from mlvet.runtime.provenance.counting import HIT, PREFIX, called

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Collection

TRUTH = "truth"
_SYMBOLS: dict[type[ast.cmpop], str] = {
    ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.Eq: "==", ast.NotEq: "!=",
}  # fmt: skip


class Predicate:
    """One predicate: where it is, and how it compares; `truth` if it is no single comparison."""

    __slots__ = ("function", "kind", "line")

    def __init__(self, function: str, line: int, kind: str) -> None:
        self.function = function
        self.line = line
        self.kind = kind


def mark_of(index: int) -> str:
    """The mark that stands for the function of a predicate."""
    return f"\0mlvet:outcome:{index}"


def outcomes_told(tree: ast.Module, chosen: Collection[ast.AST]) -> list[Predicate]:
    """Rewrite the tests in the chosen functions of a counted tree, in place; the predicates in order of their marks."""
    telling = _Telling(chosen)
    telling.active = id(tree) in telling.chosen
    for statement in tree.body:
        telling.visit(statement)
    ast.fix_missing_locations(tree)
    return telling.predicates


class _Telling(ast.NodeTransformer):
    def __init__(self, chosen: Collection[ast.AST]) -> None:
        self.chosen = {id(each) for each in chosen}
        self.active = False
        self.name = "<module>"
        self.predicates: list[Predicate] = []

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        return self._scope(node, id(node) in self.chosen)

    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> ast.AST:
        return self._scope(node, id(node) in self.chosen)

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.AST:
        return self._scope(node, False)

    def _scope(self, node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef, active: bool) -> ast.AST:
        outer = self.active, self.name
        self.active = active
        self.name = node.name if self.name == "<module>" else f"{self.name}.{node.name}"
        for statement in node.body:
            self.visit(statement)
        self.active, self.name = outer
        return node

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST:
        if node.value is not None:
            node.value = self.visit(node.value)
        return node

    def visit_If(self, node: ast.If) -> ast.AST:
        return self._tested(node)

    def visit_While(self, node: ast.While) -> ast.AST:
        return self._tested(node)

    def visit_IfExp(self, node: ast.IfExp) -> ast.AST:
        return self._tested(node)

    def _tested(self, node: ast.If | ast.While | ast.IfExp) -> ast.AST:
        self.generic_visit(node)
        node.test = self._test(node.test)
        return node

    def visit_comprehension(self, node: ast.comprehension) -> ast.AST:
        self.generic_visit(node)
        node.ifs = [self._test(each) for each in node.ifs]
        return node

    def visit_match_case(self, node: ast.match_case) -> ast.AST:
        if node.guard is not None:
            node.guard = self._test(self.visit(node.guard))
        for statement in node.body:
            self.visit(statement)
        return node

    def _test(self, test: ast.expr) -> ast.expr:
        """The test, of which only the truth is used, with its parts telling their outcomes."""
        if not self.active or isinstance(test, ast.Constant) or _counts(test):
            return test
        if isinstance(test, ast.BoolOp):
            test.values = [self._test(each) for each in test.values]
            return test
        if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
            test.operand = self._test(test.operand)
            return test
        kind, arguments = TRUTH, [test]
        if isinstance(test, ast.Compare) and len(test.ops) == 1 and type(test.ops[0]) in _SYMBOLS:
            kind, arguments = _SYMBOLS[type(test.ops[0])], [test.left, test.comparators[0]]
        self.predicates.append(Predicate(self.name, test.lineno, kind))
        new = called(mark_of(len(self.predicates) - 1), *arguments)
        return ast.fix_missing_locations(ast.copy_location(new, test))


def _counts(test: ast.expr) -> bool:
    """Whether the expression is one that counts, and no part of the program."""
    if isinstance(test, ast.NamedExpr):
        return test.target.id.startswith(PREFIX)
    if isinstance(test, ast.Call) and isinstance(test.func, ast.IfExp) and isinstance(test.func.body, ast.Constant):
        return test.func.body.value == HIT
    return isinstance(test, ast.UnaryOp) and _counts(test.operand)
