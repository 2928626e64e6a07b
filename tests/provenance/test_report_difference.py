"""Two runs compared: whose change made the output's change."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import replace

import pytest

from mlvet.analyses.provenance.against import compared
from mlvet.core.explanation import Explanation, Influence
from mlvet.report.explanation import difference
from tests.provenance.answers import FINDING

Values = Mapping[str, float]


def explained(function: Callable[[Values], float], slopes: Callable[[Values], Values], values: Values) -> Explanation:
    by = slopes(values)
    influences = tuple(Influence(name, value, by[name], 0.0, 1 / len(values)) for name, value in values.items())
    return Explanation("y", function(values), influences, len(values), 0.0)


def product(values: Values) -> Explanation:
    return explained(lambda at: at["a"] * at["b"], lambda at: {"a": at["b"], "b": at["a"], "c": 0.0}, values)


def test_a_change_of_the_second_degree_is_explained_wholly() -> None:
    found = compared(product({"a": 2.0, "b": 3.0, "c": 7.0}), product({"a": 4.0, "b": 2.0, "c": 7.0}))
    assert (found.before, found.after, found.change, found.same) == (6.0, 8.0, 2.0, 1)
    assert [(each.input, each.attributed) for each in found.changes] == [("a", 5.0), ("b", -3.0)]
    assert found.rest == pytest.approx(0.0)


def test_what_no_input_explains_is_the_rest() -> None:
    found = compared(
        product({"a": 2.0, "b": 3.0, "c": 7.0}), replace(product({"a": 2.0, "b": 3.0, "c": 7.0}), value=9.0)
    )
    assert found.changes == ()
    assert found.rest == 3.0
    told = difference.terminal([found])
    assert "no input changed" in told
    assert "a branch was taken otherwise" in told


def linear(values: Values) -> Explanation:
    return explained(lambda at: 2 * sum(at.values()), lambda at: dict.fromkeys(at, 2.0), values)


def test_added_and_removed_inputs() -> None:
    found = compared(linear({"a": 1.0, "old": 3.0}), linear({"a": 1.0, "new": 5.0}))
    assert [(each.input, each.kind, each.attributed) for each in found.changes] == [
        ("new", "added", 10.0),
        ("old", "removed", -6.0),
    ]
    assert found.rest == 0.0


def test_a_cut_list_does_not_make_an_input_vanish() -> None:
    cut = linear({"a": 1.0, "old": 3.0})
    cut = replace(cut, influences=cut.influences[:1], residual_share=0.5)
    found = compared(linear({"a": 1.0, "old": 3.0}), cut)
    assert found.changes == ()
    assert found.unlisted == 1
    assert "1 input listed for one of the runs only" in difference.terminal([found])


def test_numbers_that_are_none() -> None:
    nan = float("nan")
    found = compared(linear({"a": nan, "b": nan}), linear({"a": nan, "b": 1.0}))
    assert [(each.input, each.attributed) for each in found.changes] == [("b", None)]
    assert json.loads(difference.json_document([found]))["changes"][0]["before"] == "NaN"
    assert "nan" in difference.terminal([found], color=True)


def test_findings_that_came_and_went() -> None:
    plain = linear({"a": 1.0})
    found = compared(plain, replace(plain, findings=(FINDING,)))
    assert (found.new, found.gone) == ((FINDING,), ())
    assert "new finding dominating-input" in difference.terminal([found])
    assert compared(replace(plain, findings=(FINDING,)), plain).gone == (FINDING,)


def test_the_table_and_the_document() -> None:
    found = compared(product({"a": 2.0, "b": 3.0, "c": 7.0}), product({"a": 4.0, "b": 2.0, "c": 7.0}))
    assert difference.terminal([found], top=1).splitlines() == [
        "y: 6 -> 8   +2; inputs: 2 changed, 1 the same",
        "  input  before  after  makes    of it",
        "  a           2      4     +5  250.0 %  ####################",
        "  and 1 more changed input with -3 together",
        "  not explained by the inputs' changes to first order: 0",
    ]
    document = json.loads(difference.json_document([found]))
    assert document["changes"][1] == {"input": "b", "before": 3.0, "after": 2.0, "attributed": -3.0, "kind": "changed"}
    assert len(json.loads(difference.json_document([found, found]))["differences"]) == 2
