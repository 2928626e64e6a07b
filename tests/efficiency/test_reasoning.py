"""Rules over facts: what is suggested, the least that it rests on, and what becomes of bad rules."""

from __future__ import annotations

import re
import time
from pathlib import Path

import pytest

from mlvet.analyses.efficiency.analysis import SCHEMA, shipped
from mlvet.analyses.efficiency.reasoning.guard import guarded
from mlvet.analyses.efficiency.reasoning.own_rules import check
from mlvet.analyses.efficiency.reasoning.solving import RuleText, Suggested, answers
from mlvet.analyses.efficiency.request import EfficiencyRequest
from mlvet.core.source import Source
from mlvet.programs import Program, vet_program

TWO_WAYS = """
{ holds(K, E) } :- open(K, E).
safe :- holds("attribute", "a"), holds("attribute", "b").
safe :- holds("method-name", "c").
blocked :- not holds("attribute", "d").
suggestion("needs-both", "x") :- holds("attribute", "a"), holds("attribute", "b").
suggestion("needs-nothing", "x").
suggestion("through-negation", "x") :- not blocked.
suggestion("one-way-is-enough", "x") :- safe.
"""
CASES = [("attribute", "a"), ("attribute", "b"), ("method-name", "c"), ("attribute", "d")]


def test_a_suggestion_rests_on_the_least_that_it_needs() -> None:
    facts = [f'open("{kind}", "{name}").' for kind, name in CASES]
    found = {each.pattern: set(each.granted) for each in answers(facts, [RuleText("t", TWO_WAYS)], []).suggested}
    assert found["needs-nothing"] == set()
    assert found["needs-both"] == {("attribute", "a"), ("attribute", "b")}
    assert found["through-negation"] == {("attribute", "d")}
    assert found["one-way-is-enough"] in ({("attribute", "a"), ("attribute", "b")}, {("method-name", "c")})


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ("x.\ny :- z w.\n", 2, "syntax error"),
        ("% #script is only a word here\n#script(python)\n#end.\n", 2, "scripts in rules would run code"),
        ('x("#include").\n\n#include "other.lp".\n', 3, "cannot include"),
        ("x(E) :-\n  calle(E, 1).\n", 2, "unknown predicate `calle/2`; did you mean `callee/2`?"),
        ("x(E) :- callee(E).\n", 1, "unknown predicate `callee/1`"),
        ("x(E) :- loop(E), y(@read(E)).\n", 1, "unknown predicate `y/1`"),
        ("x(@read(E)) :- loop(E).\n", 1, "unknown function `@read`"),
    ],
)
def test_a_mistake_in_own_rules_is_told_with_its_line(text: str, line: int, words: str) -> None:
    found = check([RuleText("mine.lp", text)], shipped(), SCHEMA)
    assert found is not None
    assert (found.file, found.line) == ("mine.lp", line)
    assert words in found.text


def test_own_rules_may_use_facts_shipped_predicates_and_functions() -> None:
    rule = 'report(E, "n", @format("in {}", L)) :- repeated(E, L), not varies(E, L), kind(E, "call"), more(E).'
    text = f'{rule}\nmore("e1").'
    assert check([RuleText("mine.lp", text)], shipped(), SCHEMA) is None


def test_what_own_rules_report_is_an_answer() -> None:
    facts = ['loop("l0").', 'inside("e1","l0").']
    rule = RuleText("mine.lp", 'report(E, "name", @format("{} in {}", E, L)) :- inside(E, L).')
    assert guarded(facts, [rule], [*SCHEMA], "mine.lp").suggested == [Suggested("own-rule", ("e1", "name", "e1 in l0"))]


def test_endless_grounding_is_stopped_and_told() -> None:
    started = time.monotonic()
    found = guarded([], [RuleText("mine.lp", "n(0). n(X+1) :- n(X).")], [], "mine.lp", seconds=1.0)
    assert time.monotonic() - started < 20
    assert [str(each) for each in found.problems] == ["mine.lp: took more than 1 s, so these rules were left out"]


def test_rules_that_take_too_much_memory_are_stopped_and_told() -> None:
    hungry = RuleText("mine.lp", "n(1..30000). m(X, Y) :- n(X), n(Y).")
    found = guarded([], [hungry], [], "mine.lp", seconds=60.0, memory=200 << 20)
    assert [str(each) for each in found.problems] == [
        "mine.lp: took more than 200 MB of memory, so these rules were left out"
    ]


def test_rules_that_nothing_satisfies_are_told() -> None:
    found = answers(['loop("l0").'], [RuleText("mine.lp", ":- loop(L).")], [*SCHEMA])
    assert found.suggested == []
    assert "contradict" in str(found.problems[0])


def test_each_predicate_of_the_shipped_rules_is_defined_in_one_file() -> None:
    """All files are one program, so that two meanings of a name would mix unseen."""
    places: dict[str, set[str]] = {}
    for rule in shipped():
        text = re.sub(r"%.*", "", rule.text)
        for head in (each.partition(":-")[0] for each in re.split(r"\.\s", text)):
            for name, arguments in re.findall(r"\b([a-z]\w*)\(((?:[^()]|\([^()]*\))*)\)", head):
                places.setdefault(f"{name}/{arguments.count(',') + 1}", set()).add(rule.name)
    shared = {name for name, files in places.items() if len(files) > 1 and not name.startswith("suggestion/")}
    assert shared == {"open/2"}


def test_a_report_about_no_place_is_noted(tmp_path: Path) -> None:
    rule = RuleText("mine.lp", 'report("nowhere", "name", "words").')
    path = tmp_path / "program.py"
    path.write_text("total = 1\n", encoding="utf-8")
    request = EfficiencyRequest(rules=(rule,))
    found = vet_program(Program(path, Source(path.name, "total = 1\n"), tmp_path, shapes=False, efficiency=request))
    assert found.notes == ["program.py: own rules report at `nowhere`, which is no expression and no loop"]
