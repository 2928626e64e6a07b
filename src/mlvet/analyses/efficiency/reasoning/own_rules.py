"""The user's own rules: read and checked before any program is looked at, so that a mistake in them stops the run.

They may use every predicate of the facts and of the shipped rules, and the functions of `HostFunctions`. Scripts are
refused, because they would run code, and so are other files, because they would be read unseen.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import cache
from typing import Any

from mlvet.analyses.efficiency.reasoning.functions import HostFunctions
from mlvet.analyses.efficiency.reasoning.solving import RuleProblem, RuleText, problems
from mlvet.core.rule import did_you_mean

_UNSEEN = re.compile(r'%\*.*?\*%|%[^\n]*|"(?:\\.|[^"\\\n])*"', re.DOTALL)
_ATOM = re.compile(r"(?P<name>[a-z]?\w*)\(|[,)]")
_DIRECTIVE = re.compile(r"#(?P<name>script|include)\b")
_REFUSED = {
    "script": "scripts in rules would run code, so they are refused",
    "include": "rules cannot include other files; name each in `efficiency-rules`",
}
REPORT = ("report", 3)


def check(rules: Iterable[RuleText], shipped: Iterable[RuleText], schema: Mapping[str, str]) -> RuleProblem | None:
    """The first thing that is wrong with some files of rules."""
    known = {_signature(each) for each in schema} | {REPORT}
    for rule in shipped:
        known |= _Predicates.of(rule).defined
    own = []
    for rule in rules:
        refused = _refused(rule)
        if refused is not None:
            return refused
        found = _Predicates.of(rule)
        if found.problems:
            return found.problems[0]
        problem = found.misreported(rule) or _unsafe(rule)
        if problem is not None:
            return problem
        known |= found.defined
        own.append((rule, found))
    for rule, found in own:
        problem = found.unknown(rule, known)
        if problem is not None:
            return problem
    return None


def _unsafe(rule: RuleText) -> RuleProblem | None:
    """What keeps rules from being applied at all, as a variable that nothing binds; clingo looks for it first."""
    import clingo

    said: list[tuple[Any, str]] = []
    control = clingo.Control(["--warn=none"], logger=lambda code, text: said.append((code, text)))
    try:
        control.add("base", [], rule.text)
        control.ground([("checked", [])], context=HostFunctions())
    except RuntimeError as error:
        return next(iter(problems(said, {"<block>": rule.name})), RuleProblem(rule.name, 0, str(error)))
    return None


@cache
def mentioned(rule: RuleText) -> frozenset[str]:
    """The predicates that a file of rules mentions, as `name/arity`; functions that it mentions are among them."""
    plain = _UNSEEN.sub(lambda match: "_" if match[0].startswith('"') else " ", rule.text)
    found: set[str] = set()
    opened: list[tuple[str, int]] = []
    for match in _ATOM.finditer(plain):
        if match[0] == ",":
            opened[-1:] = [(name, arity + 1) for name, arity in opened[-1:]]
        elif match[0] == ")":
            found.update(f"{name}/{arity}" for name, arity in opened[-1:])
            del opened[-1:]
        else:
            opened.append((match["name"], 1))
    return frozenset(found)


def _signature(text: str) -> tuple[str, int]:
    name, _, arity = text.partition("/")
    return name, int(arity)


def _refused(rule: RuleText) -> RuleProblem | None:
    plain = _UNSEEN.sub(lambda match: re.sub(r"[^\n]", " ", match[0]), rule.text)
    match = _DIRECTIVE.search(plain)
    if match is None:
        return None
    return RuleProblem(rule.name, plain.count("\n", 0, match.start()) + 1, _REFUSED[match["name"]])


class _Predicates:
    """The predicates that a file of rules defines and uses, and the functions that it calls, each with its line."""

    def __init__(self) -> None:
        self.defined: set[tuple[str, int]] = set()
        self.reports: list[tuple[int, int]] = []
        self.used: list[tuple[str, int, int]] = []
        self.called: list[tuple[str, int]] = []
        self.problems: list[RuleProblem] = []

    @classmethod
    def of(cls, rule: RuleText) -> _Predicates:
        from clingo import ast

        found = cls()
        said: list[tuple[Any, str]] = []
        try:
            ast.parse_string(rule.text, found._statement, logger=lambda code, text: said.append((code, text)))
        except RuntimeError as error:
            found.problems = problems(said, {"<string>": rule.name}) or [RuleProblem(rule.name, 0, str(error))]
        return found

    def _statement(self, statement: Any) -> None:
        from clingo.ast import ASTType

        if statement.ast_type == ASTType.Rule:
            self._visit(statement.head, head=True)
            for each in statement.body:
                self._visit(each, head=False)
        elif statement.ast_type == ASTType.Defined:
            self.defined.add((statement.name, statement.arity))
        else:
            self._visit(statement, head=False)

    def _visit(self, node: Any, *, head: bool) -> None:
        """Walk a part of a rule; what stands behind a colon in a head is used, not defined."""
        from clingo.ast import AST, ASTSequence, ASTType

        if isinstance(node, ASTSequence | list | tuple):
            for each in node:
                self._visit(each, head=head)
            return
        if not isinstance(node, AST):
            return
        if node.ast_type == ASTType.SymbolicAtom:
            self._atom(node.symbol, head=head)
        elif node.ast_type == ASTType.Function and node.external:
            self.called.append((node.name, node.location.begin.line))
        for key in node.child_keys:
            self._visit(getattr(node, key), head=head and key != "condition")

    def _atom(self, symbol: Any, *, head: bool) -> None:
        from clingo.ast import ASTType

        while symbol.ast_type == ASTType.UnaryOperation:
            symbol = symbol.argument
        if symbol.ast_type != ASTType.Function:
            return
        signature = symbol.name, len(symbol.arguments)
        if head:
            self.defined.add(signature)
            self.reports += [(signature[1], symbol.location.begin.line)] if symbol.name == REPORT[0] else []
        else:
            self.used.append((*signature, symbol.location.begin.line))

    def misreported(self, rule: RuleText) -> RuleProblem | None:
        """A report that does not say where, what and why."""
        for arity, line in self.reports:
            if arity != REPORT[1]:
                words = f"`report` has {arity} arguments; it is told as `report(Place, Name, Words)`"
                return RuleProblem(rule.name, line, words)
        return None

    def unknown(self, rule: RuleText, known: set[tuple[str, int]]) -> RuleProblem | None:
        names = [f"{name}/{arity}" for name, arity in known]
        for name, arity, line in self.used:
            if (name, arity) not in known:
                near = did_you_mean(f"{name}/{arity}", names)
                return RuleProblem(rule.name, line, f"unknown predicate `{name}/{arity}`{near}")
        functions = [each for each in vars(HostFunctions) if not each.startswith("_")]
        for name, line in self.called:
            if name not in functions:
                return RuleProblem(rule.name, line, f"unknown function `@{name}`{did_you_mean(name, functions)}")
        return None
