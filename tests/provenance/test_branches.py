"""Counters of branches: which functions get them, what they prove, and what a full log has beyond them."""

from __future__ import annotations

import ast
import json
from pathlib import Path

import pytest
from traced_runs import again, log_of, program, traced

from mlvet.runtime.provenance.branches import Branches, Point, Verification
from mlvet.runtime.provenance.counting import PREFIX, counted, rarer_side
from mlvet.runtime.provenance.critical import variables
from mlvet.runtime.provenance.log import Log
from mlvet.runtime.provenance.relevance import relevant
from mlvet.runtime.provenance.strokes import LENGTH
from mlvet.runtime.provenance.trees import walk

RANKS = """
def ranks(edges, start, rounds):
    found = dict(start)
    for _ in range(rounds):
        new = {}
        for v in found:
            total = 0.0
            for u, w in edges:
                if w == v:
                    total += found[u] / 2
            new[v] = 0.15 + 0.85 * total
        delta = sum(abs(new[v] - found[v]) for v in found)
        found = new
        if delta < 1e-3:
            break
    return found
def label(x):
    return f"<{x}>" if x else "none"
print(ranks([("a", "b"), ("b", "a"), ("a", "c")], {"a": 1.0, "b": 0.5, "c": 0.25}, 40), label("x"))
"""


def names(text: str, *inputs: str) -> set[str]:
    return {getattr(each, "name", "<module>") for each in relevant(ast.parse(text), inputs)}


def test_functions_without_numbers_are_left_alone() -> None:
    assert names(RANKS) == {"<module>", "ranks"}


def test_a_walk_meets_what_the_walk_of_ast_meets() -> None:
    tree = ast.parse(RANKS)
    assert sorted(map(id, walk(tree))) == sorted(map(id, ast.walk(tree)))


def test_inputs_leave_alone_what_they_cannot_reach() -> None:
    text = "def a(x):\n    return b(x) * 2.0\ndef b(x):\n    return x + 1\ndef far(y):\n    return y * 3.0\n"
    assert names(text) == {"a", "b", "far"}
    assert names(text, "x@a:1") == {"a", "b"}
    assert names(text, "x@nowhere") == {"a", "b", "far"}


@pytest.mark.parametrize(
    ("test", "side"),
    [("a == b", True), ("a != b", False), ("a in b", False), ("not a in b", True), ("a > 0", False), ("a < b", True)],
)
def test_the_side_that_looks_rarer_is_counted(test: str, side: bool) -> None:
    assert rarer_side(ast.parse(test, mode="eval").body, [], []) is side


def ran(text: str, course: object) -> Branches:
    tree = ast.parse(text)
    tree, sites = counted(tree, relevant(tree))
    branches = Branches(course)  # type: ignore[arg-type]
    code = branches.attached(compile(tree, "program.py", "exec"), "__main__", sites)
    namespace: dict[str, object] = {"__name__": "__main__"}
    exec(code, namespace)
    assert not [each for each in namespace if each.startswith(PREFIX)]
    return branches


class Nothing:
    def wants(self, fold: int) -> bool:
        return fold < 0

    def due(self, fold: int) -> int:
        return fold + 1

    def take(self, point: object) -> None:
        raise AssertionError(point)


def test_counts_are_those_of_the_program() -> None:
    loops = "    for i in range(n):\n        for j in range(n):\n            if i == j:\n                x = 1.0\n"
    found = ran(f"def f(n):\n{loops}f(7)\nf(5)\n", Nothing())
    assert list(found.modules["__main__"]) == [12]
    assert found.folds() == 12


HITS = """
def f(n, left):
    for i in range(n):
        if i + 1.0 > 0.5:
            x = 1.0
        if i == 40 and left:
            f(n, left - 1)
        if i == left + 200:
            raise ValueError
try:
    f({}, 3)
except ValueError:
    y = 1.0
"""


@pytest.mark.parametrize("times", [41, LENGTH - 1, LENGTH, LENGTH + 1, 3 * LENGTH, 5 * LENGTH])
def test_counters_that_are_past_their_last_stroke_count_on(times: int) -> None:
    """Also where a function calls itself in the middle, and where it is left by an exception."""
    raised = times > 200
    found = list(ran(HITS.format(times), Nothing()).modules["__main__"])
    assert found[0] == (201 + 3 * 41 if raised else 4 * times)
    assert found[-1] == raised


class Every:
    """A course with a checkpoint at each fold."""

    def __init__(self) -> None:
        self.checksums: list[str] = []

    def wants(self, fold: int) -> bool:
        return fold > 0

    def due(self, fold: int) -> int:
        return fold + 1

    def take(self, point: Point) -> None:
        self.checksums.append(point.checksum)


def test_checkpoints_tell_counters_apart_that_stand_at_the_same_stroke() -> None:
    loops = (
        "    for i in range(2):\n        for j in range(n):\n            if j + 1.0 > 0.5:\n                x = 1.0\n"
    )
    text = f"def f(n):\n{loops}"
    seen = []
    for times in (7, 7 + LENGTH, 7, 8):
        ran(f"{text}f({times})\n", course := Every())
        seen.append(course.checksums[1])
    assert seen[0] == seen[2]
    assert len({*seen}) == 3


@pytest.mark.parametrize(
    "comprehension", ["[x * 0.5 for x in {}]", "{{x * 0.5 for x in {}}}", "{{x: 0.5 for x in {}}}"]
)
def test_conditions_of_a_comprehension_are_counted_by_its_length(comprehension: str) -> None:
    some = comprehension.format("xs if x > 0")
    found = ran(f"def f(xs):\n    return {some}\nf([1, -1, 2])\nf(range(5))\n", Nothing())
    assert list(found.modules["__main__"]) == [6]
    every = comprehension.format("xs")
    assert list(ran(f"def f(xs):\n    return {every}\nf([1, -1, 2])\n", Nothing()).modules["__main__"]) == []


def test_the_side_that_does_more_is_counted_where_nobody_knows() -> None:
    test = ast.parse("if x > 0:\n    y = 1.0\n").body[0]
    assert isinstance(test, ast.If)
    assert rarer_side(test.test, test.body, test.orelse) is True


def test_counts_are_kept_when_a_function_raises() -> None:
    text = "def f(n):\n    for i in range(n):\n        if i == 2:\n            x = 1.0\n        1 / (3 - i)\n"
    found = ran(text + "try:\n    f(9)\nexcept ZeroDivisionError:\n    y = 1.0\n", Nothing())
    assert sorted(found.modules["__main__"]) == [1, 1]


def test_another_path_has_another_checksum() -> None:
    text = "def f(n):\n    for i in range(n):\n        if i * 0.5 > 2:\n            x = 1.0\n"
    assert ran(text + "f(9)\n", Nothing()).checksum() != ran(text + "f(10)\n", Nothing()).checksum()
    assert ran(text + "f(9)\n", Nothing()).checksum() == ran(text + "f(9)\n", Nothing()).checksum()


def changed(log: Log, text: str) -> str | None:
    course = Verification(log)
    found = course.ended(ran(text, course))
    return found and found.words


def test_a_replay_on_another_path_is_told_with_its_place(tmp_path: Path) -> None:
    program(tmp_path, RANKS)
    traced(tmp_path, "program.py")
    log = log_of(tmp_path)
    assert changed(log, RANKS) is None
    other = str(changed(log, RANKS.replace('"a": 1.0', '"a": 2.0')))
    assert "ranks, line 4" in other
    assert "in the traced run it was" in other
    assert changed(log, RANKS.replace('("a", "c")]', '("a", "c"), ("c", "a")]')) is not None


def test_a_full_log_has_every_outcome_and_close_comparisons_with_their_state(tmp_path: Path) -> None:
    program(tmp_path, RANKS)
    traced(tmp_path, "--log", "full", "program.py")
    log = log_of(tmp_path)
    (places,) = [each.data["predicates"] for each in log.of_kind("predicates")]
    assert [place[1:] for place in places] == [[9, "=="], [14, "<"]]
    outcomes: dict[int, list[bool]] = {0: [], 1: []}
    for each in log.outcomes:
        for outcome, times in each.runs:
            outcomes[each.predicate] += [outcome] * times
    rounds = len(outcomes[1])
    assert outcomes[1] == [False] * (rounds - 1) + [True]
    assert outcomes[0] == [w == v for _ in range(rounds) for v in "abc" for w in "bac"]
    keys = {each.data: json.loads(each.raw) for each in log.of_kind("keys")}
    close = [each for each in log.of_kind("close") if each.data["predicate"] == 1]
    assert all(abs(each.data["left"] - each.data["right"]) <= 1e-3 for each in close)
    assert close[-1].data["outcome"] is True
    state = variables(close[0].data["state"], close[0].raw, keys)
    assert set(state["found"]) == {"a", "b", "c"}
    assert state["delta"] == close[0].data["left"]
    assert again(tmp_path / "program.py.mlvet-trace").faithful


def test_a_log_does_not_grow_with_the_work(tmp_path: Path) -> None:
    program(tmp_path, RANKS.replace("1e-3", "-1.0").replace(" 40)", " int(__import__('sys').argv[1]))"))
    sizes = []
    for rounds in ("20", "2000"):
        traced(tmp_path, "--output", "log", "program.py", rounds)
        sizes.append((tmp_path / "log").stat().st_size)
    assert sizes[1] < 3 * sizes[0]
