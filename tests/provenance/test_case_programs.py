"""The case studies show what their READMEs say: the symptom, what it rests on, and that the repair removes it."""

from __future__ import annotations

import math
import re
import runpy
import subprocess
import sys
from collections.abc import Callable, Hashable
from pathlib import Path
from typing import Any

import pytest

FOLDER = Path(__file__).parents[2] / "examples" / "provenance"
CASES = FOLDER / "cases"
BUGS = CASES / "implementation_bugs"

Run = Callable[..., dict[str, Any]]


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch) -> Run:
    """Runs a program of the folder with arguments and yields the names that it leaves behind."""

    def running(program: str, *arguments: object) -> dict[str, Any]:
        path = FOLDER / program
        monkeypatch.setattr(sys, "argv", [program, *map(str, arguments)])
        monkeypatch.syspath_prepend(str(path.parent))
        before = set(sys.modules)
        names = runpy.run_path(str(path), run_name="__main__")
        for name in set(sys.modules) - before:
            if Path(getattr(sys.modules[name], "__file__", None) or "/").parent == FOLDER:
                del sys.modules[name]
        return names

    return running


def influence(
    result: Callable[[dict[Hashable, float]], float], inputs: dict[Hashable, float], step: float = 1e-6
) -> dict[Hashable, float]:
    """How much a result changes with each input, by trying, the greatest change first."""
    changes = {}
    for name, value in inputs.items():
        more, less = result({**inputs, name: value + step}), result({**inputs, name: value - step})
        changes[name] = (more - less) / (2 * step)
    return dict(sorted(changes.items(), key=lambda item: -abs(item[1])))


def place(ranks: dict[str, float], node: str) -> int:
    """1 for the node with the greatest rank."""
    return sorted(ranks, key=lambda other: -ranks[other]).index(node) + 1


class TestNegativeWeights:
    folder = CASES / "negative_weights"

    @pytest.mark.parametrize(("alpha", "file"), [("0.5", "followers.txt"), ("10", "followers_repaired.txt")])
    def test_the_weights_come_from_what_followers_did(self, alpha: str, file: str) -> None:
        command = [sys.executable, "weigh.py", "activity.txt", "--alpha", alpha]
        done = subprocess.run(command, cwd=self.folder, capture_output=True, text=True, check=True)
        assert done.stdout == (self.folder / file).read_text(encoding="utf-8")

    def test_an_unknown_account_ranks_high(self, run: Run) -> None:
        names = run("weighted_pagerank.py", self.folder / "followers.txt")
        graph, ranks = names["graph"], names["ranks"]
        assert place(ranks, "mira") == 5
        assert place(ranks, "otto") > 30
        assert [node for node in graph if "mira" in graph[node]] == ["bruno", "xenia", "otto"]
        assert sum(graph["otto"].values()) == 0.5
        others = [sum(targets.values()) for node, targets in graph.items() if node != "otto"]
        assert min(others) > 2

    def test_the_weights_of_the_unpopular_follower_matter_most(self, run: Run) -> None:
        names = run("weighted_pagerank.py", self.folder / "followers.txt")
        graph = names["graph"]

        def rank(weights: dict[Any, float]) -> float:
            changed: dict[str, dict[str, float]] = {node: {} for node in graph}
            for (source, target), weight in weights.items():
                changed[source][target] = weight
            found: float = names["weighted_pagerank"](changed, names["first_ranks"], epsilon=1e-13)["mira"]
            return found

        changes = influence(rank, {(v, u): weight for v, targets in graph.items() for u, weight in targets.items()})
        first = list(changes)
        assert {source for source, _ in first[:4]} == {"otto"}  # type: ignore[misc]
        assert abs(changes[first[3]]) > 50 * abs(changes[first[4]])

    def test_the_repair_brings_the_rank_down(self, run: Run) -> None:
        before = run("weighted_pagerank.py", self.folder / "followers.txt")["ranks"]
        names = run("weighted_pagerank.py", self.folder / "followers_repaired.txt")
        assert min(weight for targets in names["graph"].values() for weight in targets.values()) > 0
        assert before["mira"] > 12 * names["ranks"]["mira"]
        assert names["ranks"]["mira"] < 0.007


class TestSpam:
    alarm = "my sister and I have one favourite: the song"
    missed = "Brimwell loans: instant approval, no paperwork, apply today"
    repair = ("--ignore", CASES / "spam" / "common_words.txt", "--unknown", "0.6")

    def test_the_confusion_tables_are_those_of_the_readme(self, run: Run, capsys: pytest.CaptureFixture[str]) -> None:
        readme = (CASES / "spam" / "README.md").read_text(encoding="utf-8")
        for name, options in (("before", ()), ("after", self.repair)):
            run("naive_bayes.py", FOLDER / "data/comments.txt", "--test", FOLDER / "data/other_comments.txt", *options)
            spam, good, accuracy = capsys.readouterr().out.splitlines()[1:]
            found, passed, _ = map(int, spam.split()[1:])
            alarms, through, _ = map(int, good.split()[1:])
            row = f"| {name} | {found} | {passed} | {through} | {alarms} | {float(accuracy.split()[1]):.2f} |"
            assert row in readme

    def test_the_messages_of_the_readme_are_misjudged_before_and_not_after(self, run: Run) -> None:
        texts = dict(reversed(line.split("\t")) for line in (FOLDER / "data/other_comments.txt").open(encoding="utf-8"))
        texts = {text.strip(): label for text, label in texts.items()}
        assert (texts[self.alarm], texts[self.missed]) == ("ham", "spam")

        def score(message: str, *options: object) -> float:
            found: float = run("naive_bayes.py", FOLDER / "data/comments.txt", "--message", message, *options)["score"]
            return found

        assert score(self.alarm) > 0.9
        assert score(self.missed) < 0.1
        assert score(self.alarm, *self.repair) < 0.9
        assert score(self.missed, *self.repair) > 0.9

    def test_the_false_alarm_rests_on_words_that_say_nothing(self, run: Run) -> None:
        names = run("naive_bayes.py", FOLDER / "data/comments.txt", "--message", self.alarm)
        changes = influence(names["spam_score"], names["evidence"])
        assert set(list(changes)[:4]) == {"my", "and", "i", "have"}

    def test_no_word_of_the_missed_spam_is_known(self, run: Run) -> None:
        names = run("naive_bayes.py", FOLDER / "data/comments.txt", "--message", self.missed)
        assert set(names["evidence"].values()) == {0.4}


class TestDiagnosis:
    patient = ("Gender=male", "Age=young", "Smoker=no", "Location=country")

    def first_observation(self, names: dict[str, Any], symptom: str) -> Hashable:
        """The observation with the greatest influence on the belief in a symptom."""

        def belief(observed: dict[Any, float]) -> float:
            rows: dict[str, dict[str, float]] = {}
            for (variable, state), likelihood in observed.items():
                rows.setdefault(variable, {})[state] = likelihood
            found = names["belief_propagation"](names["network"].scopes, names["tables"], rows)
            value: float = found[symptom]["yes"]
            return value

        observed = {(v, s): value for v, row in names["observed"].items() for s, value in row.items()}
        return next(iter(influence(belief, observed)))

    def test_the_diagnosis_is_wrong(self, run: Run) -> None:
        right = run("belief_propagation.py", FOLDER / "data/lungs.bif", "--given", *self.patient)
        wrong = run("belief_propagation.py", CASES / "diagnosis/lungs_faulty.bif", "--given", *self.patient)
        assert right["network"].scopes == wrong["network"].scopes
        differing = [name for name in right["tables"] if right["tables"][name] != wrong["tables"][name]]
        assert differing == ["Coughing", "ChestPain", "Wheezing"]
        assert wrong["beliefs"]["LungCancer"]["yes"] > 2 * right["beliefs"]["LungCancer"]["yes"]

    @pytest.mark.parametrize(
        ("symptom", "otherwise"), [("Coughing", "Smoker"), ("ChestPain", "Age"), ("Wheezing", "Location")]
    )
    def test_gender_matters_most_to_the_symptoms(self, run: Run, symptom: str, otherwise: str) -> None:
        wrong = run("belief_propagation.py", CASES / "diagnosis/lungs_faulty.bif", "--given", *self.patient)
        assert self.first_observation(wrong, symptom) == ("Gender", "female")
        right = run("belief_propagation.py", FOLDER / "data/lungs.bif", "--given", *self.patient)
        assert self.first_observation(right, symptom)[0] == otherwise  # type: ignore[index]

    def test_gender_is_not_first_for_the_diagnosis_itself(self, run: Run) -> None:
        wrong = run("belief_propagation.py", CASES / "diagnosis/lungs_faulty.bif", "--given", *self.patient)
        assert self.first_observation(wrong, "LungCancer")[0] != "Gender"  # type: ignore[index]


def acts_on(names: dict[str, Any], graph: str) -> dict[str, set[str]]:
    """For each node the nodes whose base acts on its rank."""
    found: dict[str, set[str]] = {node: set() for node in names["base"]}
    for node, value in names["base"].items():
        changed = {**names["base"], node: value + 0.01}
        ranks = names["pagerank"](names[graph], changed, names["first_ranks"])
        for other in found:
            if abs(ranks[other] - names["ranks"][other]) > 1e-6:
                found[other].add(node)
    return found


class TestOutgoingEdges:
    def test_the_best_linked_node_comes_last(self, run: Run) -> None:
        network = CASES / "outgoing_edges/network.txt"
        wrong = run("cases/outgoing_edges/pagerank.py", network)
        right = run("cases/outgoing_edges/pagerank_repaired.py", network)
        assert place(wrong["ranks"], "A") == 6
        assert place(right["ranks"], "A") == 1

    def test_influence_runs_against_the_edges(self, run: Run) -> None:
        network = CASES / "outgoing_edges/network.txt"
        wrong = acts_on(run("cases/outgoing_edges/pagerank.py", network), "links")
        assert wrong["A"] == {"A"}
        assert wrong["D"] == {"A", "B", "D"}
        right = acts_on(run("cases/outgoing_edges/pagerank_repaired.py", network), "links")
        assert right["A"] == set("ABCDEF")
        assert right["D"] == {"C", "D", "E", "F"}


class TestImplementationBugs:
    def test_wrong_graph_structure(self, run: Run) -> None:
        wrong = acts_on(run("cases/implementation_bugs/wrong_graph_structure.py"), "follows")
        right = acts_on(run("cases/implementation_bugs/wrong_graph_structure_repaired.py"), "follows")
        assert "ada" in wrong["elena"] - right["elena"]

    def test_directed_graph(self, run: Run) -> None:
        wrong = acts_on(run("cases/implementation_bugs/directed_graph.py"), "neighbours")
        right = acts_on(run("cases/implementation_bugs/directed_graph_repaired.py"), "neighbours")
        assert "dmitri" in right["carla"] - wrong["carla"]

    def test_missing_initial_values(self, run: Run) -> None:
        wrong = run("cases/implementation_bugs/missing_initial_values.py")
        assert [node for node, rank in wrong["ranks"].items() if math.isnan(rank)] == ["ada", "boris", "carla"]
        assert [node for node, rank in wrong["first_ranks"].items() if math.isnan(rank)] == ["boris"]
        right = run("cases/implementation_bugs/missing_initial_values_repaired.py")
        assert not any(math.isnan(rank) for rank in right["ranks"].values())

    def test_missing_step(self, run: Run) -> None:
        wrong = acts_on(run("cases/implementation_bugs/missing_step.py"), "follows")
        assert all(wrong[node] == {node} for node in wrong)
        right = acts_on(run("cases/implementation_bugs/missing_step_repaired.py"), "follows")
        assert right["boris"] == set(right)

    def test_wrong_dependency(self, run: Run) -> None:
        wrong = acts_on(run("cases/implementation_bugs/wrong_dependency.py"), "follows")
        assert all(wrong[node] == {node, "hugo"} for node in wrong)
        right = acts_on(run("cases/implementation_bugs/wrong_dependency_repaired.py"), "follows")
        assert right["elena"] == {"dmitri", "elena", "farid"}

    def test_the_repaired_programs_for_directed_graphs_agree(self, run: Run) -> None:
        repaired = [path for path in BUGS.glob("*_repaired.py") if "directed" not in path.name]
        results = [run(f"cases/implementation_bugs/{path.name}")["ranks"] for path in repaired]
        assert len(results) == 4
        assert all(result == pytest.approx(results[0], abs=1e-8) for result in results)

    @pytest.mark.parametrize("path", sorted(BUGS.glob("*.py")), ids=lambda path: path.stem)
    def test_a_bug_is_marked_once_and_runs(self, path: Path) -> None:
        marks = path.read_text(encoding="utf-8").count("# BUG: ")
        assert marks == (0 if path.stem.endswith("_repaired") else 1)
        done = subprocess.run([sys.executable, path.name], cwd=BUGS, capture_output=True, text=True, check=True)
        assert len(done.stdout.splitlines()) == 8


@pytest.mark.parametrize("readme", sorted(CASES.glob("*/README.md")), ids=lambda path: path.parent.name)
def test_a_readme_names_files_and_functions_that_exist(readme: Path) -> None:
    text = readme.read_text(encoding="utf-8")
    commands = re.findall(r"^    (?:mlvet trace|python) (.*)$", text, flags=re.MULTILINE)
    assert commands
    for command in commands:
        for word in command.split():
            if re.search(r"\.(py|txt|bif)$", word):
                assert (FOLDER / word).is_file(), word
    programs = {command.split()[0] for command in commands}
    for name, function in re.findall(r"--inputs (\w+)@(\w+)", text):
        sources = [(FOLDER / program).read_text(encoding="utf-8") for program in programs]
        assert any(re.search(rf"def {function}\([^)]*\b{name}\b", source) for source in sources), f"{name}@{function}"
