"""Rules run over facts with clingo: what they suggest, and the least that each suggestion takes for granted.

Every case in which Python leaves open what happens is a choice of the program, `holds(Class, Expression)`. All are
taken for granted first; `Grounds` tells which of them a suggestion rests on.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from time import process_time
from typing import TYPE_CHECKING, Any

from mlvet.analyses.efficiency.reasoning.functions import HostFunctions
from mlvet.analyses.efficiency.reasoning.grounds import Grounds

if TYPE_CHECKING:
    import clingo

_PLACE = re.compile(
    r"^(?P<file>.*?):(?P<line>\d+):(?P<column>\d+)(?:-\S+)?: (?P<kind>error|info|warning): (?P<text>.*)$"
)
_NOTE = re.compile(r"^\S+:\d+:\d+(?:-\S+)?: note: ")
_LONGEST_MESSAGE = 300
OWN = "own-rule"
"""The pattern of what the user's own rules report."""


@dataclass(frozen=True, slots=True)
class RuleText:
    """A file of rules: its name as the user knows it, and its text."""

    name: str
    text: str


@dataclass(frozen=True, slots=True)
class Suggested:
    """One answer: the pattern, what it is about, and the cases `(class, expression)` that it takes for granted."""

    pattern: str
    arguments: tuple[str | int, ...]
    granted: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class RuleProblem:
    """What is wrong with a file of rules, and on which line of it."""

    file: str
    line: int
    text: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: {self.text}" if self.line else f"{self.file}: {self.text}"


@dataclass(slots=True)
class Answers:
    """Everything that the rules suggest, or what is wrong with them, and the processor time of reading and solving."""

    suggested: list[Suggested] = field(default_factory=list)
    problems: list[RuleProblem] = field(default_factory=list)
    seconds: float = 0.0


def answers(facts: Iterable[object], rules: Sequence[RuleText], schema: Iterable[str]) -> Answers:
    """What rules suggest about facts; `schema` has every predicate that facts can be of, as `name/arity`."""
    import clingo

    said: list[tuple[clingo.MessageCode, str]] = []
    text = "\n".join(map(str, facts))
    started = process_time()
    control = clingo.Control(["--warn=all"], logger=lambda code, text: said.append((code, text)), message_limit=100)
    declared = "".join(f"#defined {each}.\n" for each in schema)
    names: dict[str, str] = {}
    found = Answers()
    try:
        control.add("base", [], declared + text)
        for rule in rules:
            _add(control, rule, names)
        control.ground([("base", [])], context=HostFunctions())
    except RuntimeError as error:
        found.problems = problems(said, names) or [RuleProblem(rules[-1].name, 0, str(error))]
        return found
    found.problems = problems(said, names)
    if found.problems:
        return found
    found.suggested = _solved(control, found, rules[-1].name)
    found.seconds = process_time() - started
    return found


def _add(control: clingo.Control, rule: RuleText, names: dict[str, str]) -> None:
    """Load a rule file. clingo names what it reads from text `<string>`, so that files go through one on disk."""
    import os
    import tempfile

    handle, path = tempfile.mkstemp(suffix=".lp")
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(rule.text)
        names[path] = rule.name
        control.load(path)
    finally:
        Path(path).unlink()


def problems(said: Sequence[tuple[Any, str]], names: dict[str, str]) -> list[RuleProblem]:
    """What clingo says of rules, file by file as the user knows them."""
    found: list[RuleProblem] = []
    for _, message in said:
        first, *rest = message.strip().splitlines()
        match = _PLACE.match(first)
        if match is None:
            continue
        detail = " ".join(_NOTE.sub("", each).replace("[#inc_base];", "").strip() for each in rest if each.strip())
        text = f"{match['text']} {detail}".strip()[:_LONGEST_MESSAGE]
        found.append(RuleProblem(names.get(match["file"], match["file"]), int(match["line"]), text))
    return found


def _solved(control: clingo.Control, found: Answers, last: str) -> list[Suggested]:
    cases = {atom.literal: atom.symbol for atom in control.symbolic_atoms.by_signature("holds", 2)}
    with control.solve(assumptions=list(cases), yield_=True) as handle:
        model = handle.model()
        if model is None:
            found.problems.append(RuleProblem(last, 0, "the rules contradict one another: nothing satisfies them"))
            return []
        wanted = {each.literal: each.symbol for each in _answering(control) if model.is_true(each.literal)}
        settled = [each.symbol for each in _answering(control) if each.is_fact]
    grounds = Grounds(control, list(cases)).of(list(wanted)) if cases else {}
    plain = {literal: (each.arguments[0].string, each.arguments[1].string) for literal, each in cases.items()}
    told = {symbol: tuple(plain[case] for case in grounds.get(literal, ())) for literal, symbol in wanted.items()}
    return [_suggested(each, told.get(each, ())) for each in sorted({*told, *settled})]


def _answering(control: clingo.Control) -> list[clingo.SymbolicAtom]:
    """The atoms that can be answers, true or not."""
    atoms = control.symbolic_atoms
    kinds = [(name, arity) for name, arity, sign in atoms.signatures if sign and name in ("suggestion", "report")]
    return [atom for name, arity in kinds for atom in atoms.by_signature(name, arity) if atom.symbol.arguments]


def _suggested(symbol: clingo.Symbol, granted: tuple[tuple[str, str], ...]) -> Suggested:
    """An answer as data; what the user's own rules report has the place first, then the name and the words."""
    given = tuple(map(_plain, symbol.arguments))
    return Suggested(OWN, given, granted) if symbol.name == "report" else Suggested(str(given[0]), given[1:], granted)


def _plain(symbol: clingo.Symbol) -> str | int:
    import clingo

    if symbol.type is clingo.SymbolType.Number:
        return symbol.number
    return symbol.string if symbol.type is clingo.SymbolType.String else str(symbol)
