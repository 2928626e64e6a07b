"""What grows with a program: facts, atoms and steps, each in proportion to its size, and what is told of a giant."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from mlvet.analyses.catalogue import catalogue
from mlvet.analyses.efficiency import analysis
from mlvet.analyses.efficiency.host import flows, limits
from mlvet.analyses.efficiency.host.facts import HostProgram
from mlvet.analyses.efficiency.reasoning.functions import HostFunctions
from mlvet.analyses.efficiency.reasoning.solving import RuleText
from mlvet.analyses.efficiency.request import EfficiencyRequest
from mlvet.analyses.efficiency.telling.context import Context
from mlvet.core.source import Source
from mlvet.frontends.python.program import interpret
from mlvet.ir.facts import Fact
from mlvet.ir.graph import Graph, Region
from mlvet.ir.host import Host
from mlvet.programs import Program, vet_program

BEFORE = "import sys\nimport torch\nw = torch.randn(8, 8)\nx = torch.randn(8, 8)\n"
LOOP = f"{BEFORE}for step in range(100):\n"


def one_loop(count: int) -> str:
    return LOOP + "".join(f"    h{each} = torch.relu(x @ w)\n    x = torch.tanh(h{each})\n" for each in range(count))


def calls_in_one_list(count: int) -> str:
    return f"{BEFORE}data = [{', '.join('torch.zeros(3)' for _ in range(count))}]\n{LOOP}    x = x + data[0]\n"


def one_name_set_again(count: int) -> str:
    return LOOP + "    y = x @ w\n    x = x + y\n    y.add_(1)\n" * count


def one_name_of_many_functions(count: int) -> str:
    functions = "".join(f"def g{each}():\n    global x\n    x = x @ w\n" for each in range(count))
    return BEFORE + functions + "for step in range(100):\n" + "".join(f"    g{each}()\n" for each in range(count))


def work_that_rests_on_cases(count: int) -> str:
    unknown = "from elsewhere import config, thing\n"
    body = (f"    x = x + w @ w * config.a{each}\n    thing.log(w)\n" for each in range(count))
    return unknown + LOOP + "".join(body)


def context_of(text: str, folder: Path) -> Context:
    path = folder / "program.py"
    path.write_text(text, encoding="utf-8")
    source = Source(path.name, text)
    taken = analysis.outline(source)
    assert taken is not None
    found = interpret(source, path, folder, hosting=True, watched=taken.watched)
    return Context(HostProgram(taken, found.host, found.graph), found.demanded, catalogue())


def unfollowed(text: str) -> HostProgram:
    """A program of which the text alone is known."""
    taken = analysis.outline(Source("program.py", text))
    assert taken is not None
    return HostProgram(taken, Host(), Graph("nothing", Region("graph", (), (), ())))


def facts_of(text: str, folder: Path) -> list[Fact]:
    return list(analysis._facts(context_of(text, folder), EfficiencyRequest(), analysis.shipped()))


def atoms_of(text: str, folder: Path) -> int:
    """How many atoms the shipped rules can derive of a program, its facts among them."""
    import clingo

    control = clingo.Control(["--warn=none"])
    control.add("base", [], "\n".join(map(str, facts_of(text, folder))))
    for rule in analysis.shipped():
        control.add("base", [], rule.text)
    control.ground([("base", [])], context=HostFunctions())
    return len(control.symbolic_atoms)


@pytest.mark.parametrize(
    "form", [one_loop, calls_in_one_list, one_name_of_many_functions, one_name_set_again, work_that_rests_on_cases]
)
def test_a_program_four_times_as_long_has_about_four_times_as_many_atoms(
    form: Callable[[int], str], tmp_path: Path
) -> None:
    fixed = atoms_of(BEFORE, tmp_path)
    short, long = (atoms_of(form(count), tmp_path) - fixed for count in (20, 80))
    squared = 2 * 80**2 if form is one_name_of_many_functions else 0
    assert long <= 5 * short + squared


def test_an_operator_of_a_loop_takes_few_atoms(tmp_path: Path) -> None:
    short, long = (atoms_of(one_loop(count), tmp_path) for count in (20, 80))
    assert (long - short) / (60 * 3) < 60


def test_branches_of_one_if_are_told_by_their_first_and_last_test(tmp_path: Path) -> None:
    def branches(count: int) -> str:
        rest = "".join(f"    elif key == '{each}':\n        x = x + {each}\n" for each in range(count))
        return f"{BEFORE}for key in sys.argv:\n    if key == 'a':\n        x = x @ w\n{rest}"

    counts = [Counter(each.predicate for each in facts_of(branches(count), tmp_path)) for count in (20, 80)]
    assert counts[1]["only_if"] <= 4 * counts[0]["only_if"]


def test_between_two_calls_of_one_text_one_thing_is_enough_that_sets_what_they_read(tmp_path: Path) -> None:
    between = [each for each in facts_of(one_loop(10), tmp_path) if each.predicate == "between"]
    pairs = {each.arguments[:2] for each in between}
    assert len(pairs) == len(between) > 10


def test_loops_in_loops_are_not_followed_twice_as_often_at_each_depth(monkeypatch: pytest.MonkeyPatch) -> None:
    steps: Counter[int] = Counter()
    follow = flows._Ways._statement

    def counted(self: flows._Ways, *given: object) -> flows.State | None:
        steps[depth] += 1
        return follow(self, *given)  # type: ignore[arg-type]

    monkeypatch.setattr(flows._Ways, "_statement", counted)
    for depth in (4, 8, 16):
        heads = "".join("  " * each + f"for i{each} in range(2):\n" for each in range(depth))
        list(flows.flow_facts(unfollowed(BEFORE + heads + "  " * depth + "x = x + 1\n")))
    assert steps[16] <= 5 * steps[8] <= 25 * steps[4]


def test_reads_in_inner_loops_see_what_every_loop_around_may_have_left() -> None:
    text = (
        "a = b = c = 0\n"
        "for i in range(3):\n"
        "    print(a)\n"
        "    for j in range(3):\n"
        "        print(b)\n"
        "        while c < 3:\n"
        "            c += 1\n"
        "            if b:\n"
        "                a = 5\n"
        "                break\n"
        "            b = 6\n"
        "        b = 7\n"
        "    else:\n"
        "        a = 8\n"
        "print(a, b, c)\n"
    )
    program = unfollowed(text)
    lines = {each.name: each.node.lineno for each in program.outline.expressions}
    names = {each.name: getattr(each.node, "id", "") for each in program.outline.expressions}
    seen: dict[tuple[str, int], set[int]] = {}
    for made, read in flows.reached(program, program.outline.functions[0]):
        seen.setdefault((names[read], lines[read]), set()).add(lines[made])
    assert seen == {
        ("a", 3): {1, 14}, ("b", 5): {1, 12}, ("c", 6): {1, 7}, ("b", 8): {1, 11, 12}, ("a", 15): {1, 14},
        ("b", 15): {1, 12}, ("c", 15): {1, 7},
    }  # fmt: skip


def test_own_rules_are_told_what_no_shipped_rule_asks_for(tmp_path: Path) -> None:
    context = context_of(one_loop(2), tmp_path)
    own = RuleText("mine.lp", 'report(E, "n", "w") :- kind(E, "attribute"), line(E, _).')
    told = list(analysis._facts(context, EfficiencyRequest(), (*analysis.shipped(), own)))
    attributes = {each.arguments[0] for each in told if each.predicate == "reads_attribute"}
    for predicate in ("kind", "line", "seen", "operand"):
        assert attributes <= {each.arguments[0] for each in told if each.predicate == predicate}
    assert not any(each.predicate == "line" for each in facts_of(one_loop(2), tmp_path))


def test_a_giant_gets_no_suggestions_and_is_told_to_be_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = f"{LOOP}    x = x + (w @ w)\n".replace("8, 8", "1000, 1000")
    path = tmp_path / "program.py"
    path.write_text(text, encoding="utf-8")
    program = Program(path, Source(path.name, text), tmp_path, shapes=False, efficiency=EfficiencyRequest())
    assert [each.rule for each in vet_program(program).findings] == ["loop-invariant"]
    monkeypatch.setattr(limits, "MOST_FACTS", 100)
    outcome = vet_program(program)
    assert outcome.findings == []
    assert outcome.notes == ["program.py: too large for suggestions on efficiency, with more than 100 facts"]
