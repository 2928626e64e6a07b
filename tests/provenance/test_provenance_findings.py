"""What provenance finds, on networks with exact derivatives: nothing in healthy ones, the culprit in others."""

from __future__ import annotations

import ast
from collections.abc import Iterator

import numpy as np
import pytest
from scipy.sparse import csr_array

from mlvet.analyses.catalogue import catalogue
from mlvet.analyses.provenance.findings import Origin, findings
from mlvet.analyses.provenance.study import Study
from mlvet.core.explanation import Flip, Link
from mlvet.core.finding import Finding
from mlvet.core.grade import Certainty, Severity
from mlvet.core.location import Location
from tests.provenance.networks import NETWORKS, Pairs, question, ranked, weights_of

HERE = Location("pagerank.py", 7)
SEEDS = range(4)


def rules(found: list[Finding]) -> list[str]:
    return [each.rule for each in found]


def test_the_derivatives_of_the_networks_are_right() -> None:
    pairs = NETWORKS["random"](0)
    weights = weights_of(pairs, 0)
    study = ranked(pairs, weights)
    for place in range(0, len(pairs), 17):
        step = np.zeros(len(pairs))
        step[place] = 1e-5 * weights[place]
        change = ranked(pairs, weights + step).results - ranked(pairs, weights - step).results
        column = study.derivatives[:, len(study.outputs) + place]
        np.testing.assert_allclose(change / (2 * step[place]), column, atol=1e-8 * np.abs(column).max() + 1e-12)


@pytest.mark.parametrize("iterations", [1, 3, 30])
@pytest.mark.parametrize("network", NETWORKS)
@pytest.mark.parametrize("seed", SEEDS)
def test_a_healthy_pagerank_gives_no_finding(network: str, seed: int, iterations: int) -> None:
    pairs = NETWORKS[network](seed)
    study = ranked(pairs, weights_of(pairs, seed), iterations=iterations)
    assert findings(study, HERE, expected=("ranks", "weights")) == []


@pytest.mark.parametrize("network", NETWORKS)
def test_nor_does_any_single_question_or_an_array_with_columns_as_sources(network: str) -> None:
    pairs = NETWORKS[network](1)
    study = ranked(pairs, weights_of(pairs, 1))
    for output in study.outputs[::7]:
        assert findings(question(study, output), HERE) == []
    turned = ranked(pairs, weights_of(pairs, 1), name=lambda a, b: f"weights[{b}, {a}]")
    outputs = [name.replace('"v', "").replace('"', "") for name in turned.outputs]
    assert findings(Study(turned.inputs, turned.values, outputs, turned.results, turned.derivatives), HERE) == []


def test_equal_weights_and_few_heavy_followers_are_healthy() -> None:
    pairs = NETWORKS["scale free"](3)
    assert findings(ranked(pairs, np.ones(len(pairs))), HERE) == []


def cancelling(network: str, seed: int) -> tuple[Study, int, int]:
    """A network with one follower whose outgoing weights nearly cancel; it, and whom it inflates."""
    pairs = list(NETWORKS[network](seed))
    weights = weights_of(pairs, seed)
    degree = np.bincount([a for a, _ in pairs])
    follower = int(next(vertex for vertex in np.argsort(degree) if degree[vertex] >= 3))
    own = [place for place, (a, _) in enumerate(pairs) if a == follower]
    weights[own] = -1.0
    weights[own[0]] = len(own) - 1 + 0.1
    return ranked(pairs, weights), follower, pairs[own[0]][1]


@pytest.mark.parametrize("network", NETWORKS)
@pytest.mark.parametrize("seed", SEEDS)
def test_a_follower_whose_weights_nearly_cancel_is_found(network: str, seed: int) -> None:
    study, follower, inflated = cancelling(network, seed)
    found = findings(question(study, f'ranks["v{inflated}"]'), HERE)
    assert rules(found) == ["amplifying-edge"]
    assert found[0].evidence is not None
    data = found[0].evidence.data
    assert data["vertex"] == f"v{follower}"
    assert data["edge"] == f'weights["v{follower}"]["v{inflated}"]'
    assert data["amplification"] > 10
    assert data["share"] > 0.1


def test_one_finding_for_one_cause_though_many_outputs_feel_it() -> None:
    study, follower, _ = cancelling("random", 0)
    found = [each for each in findings(study, HERE) if each.rule == "amplifying-edge"]
    assert [each.evidence and each.evidence.data["vertex"] for each in found] == [f"v{follower}"]


def test_after_repair_nothing_is_found() -> None:
    study, _, inflated = cancelling("random", 0)
    size = len(study.outputs)
    pairs = [
        ast.literal_eval(f"({name.replace('weights', '').replace('v', '').replace('][', ',')[1:-1]})")
        for name in study.inputs[size:]
    ]
    ends: Pairs = [(int(a), int(b)) for a, b in pairs]
    repaired = ranked(ends, np.maximum(study.values[size:], 0.1))
    assert findings(question(repaired, f'ranks["v{inflated}"]'), HERE) == []


def test_weights_of_both_signs_that_are_not_divided_by_their_sum_are_no_finding() -> None:
    rng = np.random.default_rng(0)
    weights, features = rng.normal(size=(12, 12)), rng.normal(size=12)
    names = [f"weights[{i}, {j}]" for i in range(12) for j in range(12)]
    derivatives = np.zeros((12, 144))
    for j in range(12):
        derivatives[j, j::12] = features
    outputs = [f"hidden[{j}]" for j in range(12)]
    assert findings(Study(names, weights.ravel(), outputs, features @ weights, derivatives), HERE) == []


@pytest.mark.parametrize("network", NETWORKS)
@pytest.mark.parametrize("seed", SEEDS)
def test_outgoing_edges_are_found(network: str, seed: int) -> None:
    pairs = NETWORKS[network](seed)
    study = ranked(pairs, weights_of(pairs, seed), along=False)
    found = findings(study, HERE)
    assert rules(found) == ["reversed-dependency"]
    assert found[0].certainty == Certainty.LIKELY
    assert found[0].assumptions


def test_outgoing_edges_are_found_with_sparse_derivatives_and_from_the_first_ranks_alone() -> None:
    pairs = [(0, 1), (1, 2), (2, 0), (2, 3), (3, 4), (4, 5), (5, 3), (5, 6), (6, 7), (7, 8), (8, 6)]
    study = ranked(pairs, np.ones(len(pairs)), along=False, iterations=5)
    edges = [(f"v{a}", f"v{b}") for a, b in pairs]
    ranks = Study(
        study.inputs[:9], study.values[:9], study.outputs, study.results, csr_array(study.derivatives[:, :9]), edges
    )
    assert rules(findings(ranks, HERE)) == ["reversed-dependency"]
    healthy = ranked(pairs, np.ones(len(pairs)), iterations=5)
    ranks = Study(
        healthy.inputs[:9], healthy.values[:9], healthy.outputs, healthy.results, healthy.derivatives[:, :9], edges
    )
    assert findings(ranks, HERE) == []


def test_a_vertex_that_no_incoming_edge_acts_on_is_found() -> None:
    pairs = NETWORKS["random"](2)
    sharing = np.bincount([a for a, _ in pairs], minlength=60) > 1
    vertex = next(b for a, b in pairs if sharing[a])
    study = ranked(pairs, weights_of(pairs, 2), skipped=frozenset([vertex]))
    (found,) = findings(study, HERE)
    assert found.rule == "missing-dependency"
    assert found.evidence is not None
    assert found.evidence.data["outputs"] == [f'ranks["v{vertex}"]']
    assert findings(study, HERE, broken=True) == []


def test_a_variable_that_was_asked_for_and_has_no_say_is_found() -> None:
    study = Study(
        ["x[0]", "x[1]", "scale"], np.array([1.0, 2.0, 3.0]), ["y"], np.array([6.0]), np.array([[0.0, 0.0, 2.0]])
    )
    assert findings(study, HERE) == []
    (found,) = findings(study, HERE, expected=("x", "scale"))
    assert (found.rule, found.evidence and found.evidence.data["variable"]) == ("missing-dependency", "x")


def outlier(value: float) -> Study:
    lengths = np.array([1.71, 1.82, 1.64, 1.77, 1.69, 1.80, 1.75, 1.58, 1.66, 1.73, 1.79, value])
    spread = lengths.var()
    derivatives = 2 * (lengths - lengths.mean()) / len(lengths)
    names = [f"lengths[{place}]" for place in range(len(lengths))]
    return Study(names, lengths, ["spread"], np.array([spread]), derivatives[None, :])


def test_an_outlier_dominates() -> None:
    (found,) = findings(outlier(173.0), HERE)
    assert found.rule == "dominating-input"
    assert found.evidence is not None
    assert found.evidence.data["input"] == "lengths[11]"
    assert findings(outlier(1.73), HERE) == []


def test_the_first_line_that_made_nan_is_named() -> None:
    study = Study(["x[0]"], np.array([0.0]), ["y", "z"], np.array([np.nan, 1.0]), np.array([[np.nan], [1.0]]))
    origins = [Origin("a.py", 12, "part / total", (0.0, 0.0)), Origin("a.py", 13, "part + 1", (np.nan,))]
    (found,) = findings(study, HERE, origins=origins)
    assert (found.rule, found.certainty) == ("nan-origin", Certainty.OBSERVED)
    assert (found.location.path, found.location.line) == ("a.py", 12)
    assert "`part / total`" in found.message
    assert "`y` is NaN" in found.message
    missing = Study(["x[0]"], np.array([np.nan]), ["y"], np.array([np.nan]), np.array([[np.nan]]))
    (found,) = findings(missing, HERE)
    assert "`x[0]` is NaN from the start" in found.message


@pytest.mark.parametrize(
    ("jump", "distance", "confirmed", "told"),
    [
        (0.5, 1e-6, True, Certainty.OBSERVED),
        (0.5, 1e-6, False, Certainty.LIKELY),
        (1e-9, 1e-12, True, None),
        (None, 1e-6, False, None),
        (0.05, 0.5, True, None),
    ],
)
def test_unstable_comparisons(jump: float | None, distance: float, confirmed: bool, told: Certainty | None) -> None:
    study = Study(["x[0]"], np.array([1.0]), ["y"], np.array([2.0]), np.array([[1.0]]))
    flip = Flip("x[0]", distance, 1, jump, "a.py", 30, confirmed, "delta < epsilon")
    found = findings(study, HERE, flips={"y": [flip, flip]})
    assert [(each.rule, each.certainty, each.location.line) for each in found] == (
        [("unstable-predicate", told, 30)] if told else []
    )


def test_a_link_that_amplifies_is_found_where_weights_are_no_inputs() -> None:
    ordinary = [Link(f'ranks["{name}"]', 'ranks["u"]', 0.2, 0.03) for name in "abcdefghijk"]
    study = Study(["damping"], np.array([0.85]), ['ranks["u"]'], np.array([0.1]), np.array([[0.1]]))
    assert findings(study, HERE, links=ordinary) == []
    (found,) = findings(study, HERE, links=[*ordinary, Link('ranks["q"]', 'ranks["u"]', 8.5, 0.6)])
    assert found.rule == "amplifying-edge"
    assert '`ranks["q"]`' in found.message


PAGES = {name: rule.page() for name, rule in catalogue().items() if rule.code.startswith("PRV")}
DIFFERENTIABLE = ("dominating-input", "amplifying-edge", "missing-dependency", "reversed-dependency")


def test_all_rules_are_there() -> None:
    codes = {rule.code for rule in catalogue().values() if rule.code.startswith("PRV")}
    assert codes == {f"PRV10{number}" for number in range(1, 7)}
    assert all(catalogue()[name].severity == Severity.WARNING for name in PAGES)


def elements(name: str, value: object) -> Iterator[tuple[str, float]]:
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else None
    if items is None:
        assert isinstance(value, float)
        yield name, value
        return
    for key, item in items:
        yield from elements(f'{name}["{key}"]' if isinstance(key, str) else f"{name}[{key}]", item)


def studied(program: str) -> Study:
    """A page's program as a function of its first variable, differentiated by running it again and again."""
    head, *rest = ast.parse(program).body
    assert isinstance(head, ast.Assign)
    variable = ast.unparse(head.targets[0])
    result = "ranks" if "ranks" in program else "spread"
    tail = compile(ast.Module(rest, []), "page", "exec")

    def run(change: str = "", by: float = 0.0) -> tuple[dict[str, float], dict[str, float]]:
        space: dict[str, object] = {}
        exec(ast.unparse(head), space)
        if change:
            exec(f"{change} += {by!r}", space)
        inputs = dict(elements(variable, space[variable]))
        exec(tail, space)
        return inputs, dict(elements(result, space[result]))

    inputs, outputs = run()
    columns = []
    for name, value in inputs.items():
        step = 1e-6 * max(1.0, abs(value))
        (_, above), (_, below) = run(name, step), run(name, -step)
        column = np.array([(above[each] - below[each]) / (2 * step) for each in outputs])
        columns.append(np.where(np.abs(column) < 1e-8, 0.0, column))
    return Study(
        list(inputs), np.array([*inputs.values()]), list(outputs), np.array([*outputs.values()]), np.array(columns).T
    )


@pytest.mark.parametrize("name", DIFFERENTIABLE)
def test_the_example_on_the_page_fires_the_rule_and_the_other_does_not(name: str) -> None:
    assert name in rules(findings(studied(PAGES[name].code("Example")), HERE))
    assert findings(studied(PAGES[name].code("Use instead")), HERE) == []
