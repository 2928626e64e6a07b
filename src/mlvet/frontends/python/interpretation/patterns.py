"""The match statement: cases one after the other, each under the condition that none before it matched."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Any

from mlvet.frontends.python.interpretation.attributes import lookup
from mlvet.frontends.python.interpretation.iteration import items
from mlvet.frontends.python.interpretation.operators import compare, identical
from mlvet.frontends.python.interpretation.truth import literal
from mlvet.frontends.python.trail import MISSING
from mlvet.frontends.python.values.choices import Choice
from mlvet.frontends.python.values.containers import DictValue, ListValue, Repeated
from mlvet.frontends.python.values.numbers import Scalar
from mlvet.frontends.python.values.unknown import Reason, Unknown

if TYPE_CHECKING:
    from mlvet.frontends.python.machine import Machine

Bound = dict[str, Any]


def match_statement(machine: Machine, node: ast.Match) -> bool:
    """`match subject`; whether anything gets past it."""
    from mlvet.frontends.python.interpretation.expressions import evaluate

    subject = evaluate(machine, node.subject)
    return _cases(machine, subject, node.cases)


def _cases(machine: Machine, subject: Any, cases: list[ast.match_case]) -> bool:
    from mlvet.frontends.python.interpretation.expressions import condition
    from mlvet.frontends.python.interpretation.statements import branched, run

    if not cases:
        return True
    case, rest = cases[0], cases[1:]
    bound: Bound = {}
    machine.at = case.pattern
    found = matches(machine, case.pattern, subject, bound)

    def body() -> bool:
        for name, value in bound.items():
            machine.scopes[-1].assign(name, value)
        return run(machine, case.body)

    if found is not False and case.guard is not None:
        for name, value in bound.items():
            machine.scopes[-1].assign(name, value)
        test = condition(machine, case.guard)
        found = test if found is True else False if test is False else found
    if isinstance(found, bool):
        return body() if found else _cases(machine, subject, rest)
    return branched(machine, literal(machine, found), body, lambda: _cases(machine, subject, rest))


def matches(machine: Machine, pattern: ast.pattern, subject: Any, bound: Bound) -> bool | Scalar:
    """Whether a pattern matches, as far as that is known, and the names it binds."""
    from mlvet.frontends.python.interpretation.expressions import evaluate

    match pattern:
        case ast.MatchValue(value):
            return _truth(compare(machine, ast.Eq, subject, evaluate(machine, value)))
        case ast.MatchSingleton(value):
            return identical(subject, value) if not isinstance(subject, Choice) else Scalar(bool)
        case ast.MatchAs(None, name):
            if name is not None:
                bound[name] = subject
            return True
        case ast.MatchAs(inner, name) if inner is not None:
            found = matches(machine, inner, subject, bound)
            if name is not None:
                bound[name] = subject
            return found
        case ast.MatchOr(patterns):
            return _any(matches(machine, each, subject, bound) for each in patterns)
        case ast.MatchSequence(patterns):
            return _sequence(machine, patterns, subject, bound)
        case ast.MatchMapping():
            return _mapping(machine, pattern, subject, bound)
        case ast.MatchClass():
            return _class(machine, pattern, subject, bound)
    return Scalar(bool)


def _truth(found: Any) -> bool | Scalar:
    return found if isinstance(found, bool | Scalar) else Scalar(bool)


def _any(found: Any) -> bool | Scalar:
    outcomes = list(found)
    if any(each is True for each in outcomes):
        return True
    return False if all(each is False for each in outcomes) else Scalar(bool)


def _all(outcomes: list[bool | Scalar]) -> bool | Scalar:
    if any(each is False for each in outcomes):
        return False
    return True if all(each is True for each in outcomes) else Scalar(bool)


def _sequence(machine: Machine, patterns: list[ast.pattern], subject: Any, bound: Bound) -> bool | Scalar:
    if not isinstance(subject, tuple | ListValue):
        for each in patterns:
            _bind_unknown(each, bound, machine)
        return Scalar(bool) if isinstance(subject, Unknown | Choice | Scalar) else False
    found = items(machine, subject)
    if isinstance(found, Repeated):
        for each in patterns:
            _bind_unknown(each, bound, machine)
        return Scalar(bool)
    star = next((place for place, each in enumerate(patterns) if isinstance(each, ast.MatchStar)), None)
    if (star is None and len(found) != len(patterns)) or len(found) < len(patterns) - 1:
        return False
    if star is None:
        return _all([matches(machine, each, item, bound) for each, item in zip(patterns, found, strict=True)])
    after = len(patterns) - star - 1
    middle = patterns[star]
    if isinstance(middle, ast.MatchStar) and middle.name is not None:
        bound[middle.name] = ListValue(found[star : len(found) - after])
    ends = [
        *zip(patterns[:star], found[:star], strict=True),
        *zip(patterns[star + 1 :], found[len(found) - after :], strict=True),
    ]
    return _all([matches(machine, each, item, bound) for each, item in ends])


def _mapping(machine: Machine, pattern: ast.MatchMapping, subject: Any, bound: Bound) -> bool | Scalar:
    from mlvet.frontends.python.interpretation.expressions import evaluate

    if not isinstance(subject, DictValue):
        for each in pattern.patterns:
            _bind_unknown(each, bound, machine)
        return Scalar(bool) if isinstance(subject, Unknown | Choice) else False
    outcomes: list[bool | Scalar] = []
    for key_node, inner in zip(pattern.keys, pattern.patterns, strict=True):
        key = evaluate(machine, key_node)
        if key in subject.cells:
            outcomes.append(matches(machine, inner, subject.cells[key], bound))
        else:
            _bind_unknown(inner, bound, machine)
            outcomes.append(False if subject.rest is None else Scalar(bool))
    if pattern.rest is not None:
        bound[pattern.rest] = DictValue(subject.cells)
    return _all(outcomes)


def _class(machine: Machine, pattern: ast.MatchClass, subject: Any, bound: Bound) -> bool | Scalar:
    from mlvet.frontends.python.interpretation.expressions import builtin, evaluate

    kind = evaluate(machine, pattern.cls)
    outcomes = [_truth(machine.call(builtin(machine, "isinstance"), subject, kind))]
    for inner in pattern.patterns:
        outcomes.append(matches(machine, inner, subject, bound))
    for name, inner in zip(pattern.kwd_attrs, pattern.kwd_patterns, strict=True):
        value = lookup(machine, subject, name)
        outcomes.append(False if value is MISSING else matches(machine, inner, value, bound))
    return _all(outcomes)


def _bind_unknown(pattern: ast.pattern, bound: Bound, machine: Machine) -> None:
    for each in ast.walk(pattern):
        name = getattr(each, "name", None)
        if isinstance(each, ast.MatchAs | ast.MatchStar) and name is not None:
            bound[name] = machine.unknown(Reason.DYNAMIC_TYPE, name, name)
