"""The case studies through `mlvet trace` and `mlvet why`: the culprit comes out first."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

EXAMPLES = Path(__file__).parents[2] / "examples" / "provenance"


def asked(tmp_path: Path, program: str, arguments: tuple[str, ...], of: str, *inputs: str) -> dict[str, Any]:
    log = tmp_path / "log"
    trace = [sys.executable, "-m", "mlvet", "trace", "--quiet", "--output", str(log), program, *arguments]
    subprocess.run(trace, cwd=EXAMPLES, check=True, capture_output=True)
    given = [word for each in inputs for word in ("--inputs", each)]
    why = [sys.executable, "-m", "mlvet", "why", str(log), "--of", of, *given, "--output-format", "json", "--exit-zero"]
    done = subprocess.run(why, cwd=EXAMPLES, check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    document: dict[str, Any] = json.loads(done.stdout)
    return document


def acting(answer: dict[str, Any]) -> list[str]:
    return [each["input"] for each in answer["influences"]]


def test_negative_weights_of_one_follower_inflate_a_rank(tmp_path: Path) -> None:
    data = "cases/negative_weights/followers.txt"
    found = asked(tmp_path, "weighted_pagerank.py", (data,), 'ranks["mira"]', "graph@weighted_pagerank")
    assert all(each.startswith('graph["otto"]') for each in acting(found)[:4])
    assert found["influences"][0]["input"] == 'graph["otto"]["mira"]'
    assert [each["rule"] for each in found["findings"]] == ["amplifying-edge"]


def test_after_the_repair_no_input_is_suspicious(tmp_path: Path) -> None:
    data = "cases/negative_weights/followers_repaired.txt"
    found = asked(tmp_path, "weighted_pagerank.py", (data,), 'ranks["mira"]', "graph@weighted_pagerank")
    assert found["value"] < 0.01
    assert found["findings"] == []


@pytest.mark.parametrize("symptom", ["Coughing", "ChestPain", "Wheezing"])
def test_wrong_probabilities_show_at_the_nodes_beside_the_diagnosis(symptom: str, tmp_path: Path) -> None:
    given = ("--given", "Gender=male", "Age=young", "Smoker=no", "Location=country")
    data = ("cases/diagnosis/lungs_faulty.bif", *given)
    of = f'beliefs["{symptom}"]["yes"]'
    found = asked(tmp_path, "belief_propagation.py", data, of, "observed@belief_propagation")
    assert found["influences"][0]["input"].startswith('observed["Gender"]')


def test_a_rank_that_follows_outgoing_edges_hangs_on_the_wrong_nodes(tmp_path: Path) -> None:
    data = ("cases/outgoing_edges/network.txt",)
    wrong = asked(tmp_path, "cases/outgoing_edges/pagerank.py", data, 'ranks["A"]', "base@pagerank")
    assert acting(wrong) == ['base["A"]']
    right = asked(tmp_path, "cases/outgoing_edges/pagerank_repaired.py", data, 'ranks["A"]', "base@pagerank")
    assert len(acting(right)) == 6


def test_a_graph_that_is_built_wrongly_brings_rank_from_strangers_first(tmp_path: Path) -> None:
    program = "cases/implementation_bugs/wrong_graph_structure{}.py"
    of = 'ranks["dmitri"] - base["dmitri"]'
    faulty = acting(asked(tmp_path, program.format(""), (), of, "base@pagerank"))
    assert faulty[:3] == ['base["ada"]', 'base["carla"]', 'base["farid"]']
    repaired = acting(asked(tmp_path, program.format("_repaired"), (), of, "base@pagerank"))
    assert repaired == ['base["farid"]', 'base["elena"]', 'base["dmitri"]']


@pytest.mark.parametrize(
    ("program", "of", "wrong", "name"),
    [
        ("directed_graph", 'ranks["carla"]', False, 'base["dmitri"]'),
        ("missing_step", 'ranks["boris"]', False, 'base["ada"]'),
        ("wrong_dependency", 'ranks["boris"]', True, 'base["hugo"]'),
    ],
)
def test_bugs_show_as_dependencies_that_are_wrong_or_missing(
    program: str, of: str, wrong: bool, name: str, tmp_path: Path
) -> None:
    folder = "cases/implementation_bugs"
    faulty = asked(tmp_path, f"{folder}/{program}.py", (), of, "base@pagerank")
    assert (name in acting(faulty)) == wrong
    repaired = asked(tmp_path, f"{folder}/{program}_repaired.py", (), of, "base@pagerank")
    if not wrong:
        assert name in acting(repaired)


def test_a_missing_first_value_is_named_as_the_origin_of_nan(tmp_path: Path) -> None:
    program = "cases/implementation_bugs/missing_initial_values.py"
    found = asked(tmp_path, program, (), 'ranks["ada"]', "ranks@pagerank")
    assert found["influences"][0]["input"] == 'ranks["boris"]'
    assert found["influences"][0]["share"] == 1.0
    assert [each["rule"] for each in found["findings"]] == ["nan-origin"]
