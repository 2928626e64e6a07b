"""Models got by changing one symbol after the other: what is found is one, and what programs ask is found."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mlvet.domains.claims import Claim, Relation, are_met, mentioned
from mlvet.domains.dims import Dim, floor_div, minimum, symbol
from mlvet.domains.mending import mended
from mlvet.domains.solver import Solver, Status

batch, heads, hidden, width, length = (symbol(name, 1) for name in ("batch", "heads", "hidden", "width", "length"))
sizes: st.SearchStrategy[Dim] = st.builds(
    lambda x, y, k: x * k + y, st.sampled_from([batch, heads, width]), st.sampled_from([heads, length, 0, 3]),
    st.integers(-3, 5),
)  # fmt: skip
drawn = st.lists(st.builds(Claim, st.sampled_from(Relation), sizes, sizes, st.integers()), min_size=1, max_size=6)


def claim(left: Dim, relation: Relation, right: Dim) -> Claim:
    return Claim(relation, left, right, "test")


@given(drawn, st.integers(1, 9))
def test_what_is_found_is_a_model(claims: list[Claim], value: int) -> None:
    found = mended(claims, {each.name: value for each in mentioned(claims)})
    assert found is None or are_met(claims, found)


@pytest.mark.parametrize(
    "claims",
    [
        pytest.param([claim(length, Relation.DIVISIBLE, batch), claim(batch, Relation.EQUAL, 20)], id="a multiple"),
        pytest.param([claim(batch * length, Relation.EQUAL, batch * width)], id="a factor in common"),
        pytest.param([claim(length, Relation.BROADCAST, minimum(5000, width))], id="broadcasting"),
        pytest.param(
            [
                claim(hidden, Relation.EQUAL, width),
                claim(width, Relation.DIVISIBLE, heads),
                claim(floor_div(width + 1, 2), Relation.EQUAL, floor_div(width, 2)),
                claim(width, Relation.DIFFERENT, 4),
                claim(hidden, Relation.DIFFERENT, 6),
            ],
            id="equal symbols change together",
        ),
    ],
)
def test_what_programs_ask_is_found(claims: list[Claim]) -> None:
    start = {"batch": 20, "heads": 2, "hidden": 4, "width": 4, "length": 1}
    found = mended(claims, start)
    assert found is not None
    assert are_met(claims, found)


def test_nothing_is_found_where_there_is_nothing() -> None:
    assert mended([claim(2 * batch, Relation.EQUAL, 2 * heads + 1)], {"batch": 1, "heads": 1}) is None
    assert mended([claim(batch, Relation.AT_LEAST, 5), claim(3, Relation.AT_LEAST, batch)], {"batch": 1}) is None


def test_the_solver_asks_no_z3_where_mending_is_enough() -> None:
    solver = Solver(preferred={"batch": 20})
    solver.divisible(length, batch, "rows")
    solver.equal(batch, 20, "default")
    assert solver.check(small=False).status is Status.SAT
    assert solver.statistics.without_z3 == 1
