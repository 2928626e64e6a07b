"""Claims about sizes: what the cheap decisions and Z3 say, held against trying all small values."""

from __future__ import annotations

import itertools
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mlvet.domains.claims import Claim, Relation, holds
from mlvet.domains.dims import Dim, evaluate, floor_div, maximum, minimum, modulo, symbol
from mlvet.domains.solver import Answer, Solver, Status

RANGES = {"a": (0, 4), "b": (1, 4), "c": (-3, 3)}
a, b, c = (symbol(name, *ends) for name, ends in RANGES.items())
h, n = symbol("h", 1), symbol("n", 1)

sizes: st.SearchStrategy[Dim] = st.recursive(
    st.sampled_from([a, b, c]) | st.integers(-4, 4),
    lambda inner: st.builds(
        lambda f, x, y: f(x, y),
        st.sampled_from(
            [lambda x, y: x + y, lambda x, y: x - y, lambda x, y: x * y, maximum, minimum, floor_div, modulo]
        ),
        inner,
        inner,
    ),
    max_leaves=3,
)
guards = st.lists(st.tuples(st.sampled_from(["p", "q"]), st.booleans()), max_size=1).map(tuple)
claims = st.lists(st.builds(Claim, st.sampled_from(Relation), sizes, sizes, st.integers(), guards), max_size=4)
models = [
    dict(zip(RANGES, values, strict=True))
    for values in itertools.product(*(range(low, high + 1) for low, high in RANGES.values()))
]


def solver_of(found: list[Claim], **options: Any) -> Solver:
    solver = Solver(**options)
    for index, claim in enumerate(found):
        solver.add(Claim(claim.relation, claim.left, claim.right, index, claim.under))
    return solver


def running(found: list[Claim], branches: dict[str, bool]) -> list[Claim]:
    return [claim for claim in found if all(branches[name] == wanted for name, wanted in claim.under)]


def satisfied(found: list[Claim], worlds: list[dict[str, bool]]) -> bool:
    """Whether all claims hold in some model, with all divisions defined."""
    return any(all(holds(claim, model) for claim in running(found, world)) for world in worlds for model in models)


@settings(suppress_health_check=list(HealthCheck), deadline=None, max_examples=200)
@given(claims, st.dictionaries(st.sampled_from(["p", "q"]), st.booleans()))
def test_answers_agree_with_trying_everything(found: list[Claim], assumed: dict[str, bool]) -> None:
    answer = solver_of(found).check(assumed.items())
    worlds = [dict(zip("pq", row, strict=True)) for row in itertools.product([True, False], repeat=2)]
    worlds = [world for world in worlds if all(world[name] == wanted for name, wanted in assumed.items())]
    if answer.status is Status.UNSAT:
        assert not satisfied(found, worlds)
        assert not satisfied([found[index] for index in answer.core if isinstance(index, int)], worlds)
    elif answer.status is Status.SAT:
        model = {name: answer.model.get(name, RANGES[name][1]) for name in RANGES}
        assert model in models
        assert any(all(holds(claim, model) is not False for claim in running(found, world)) for world in worlds)
    else:
        assert any(claim.left * claim.right != 0 for claim in found)


@pytest.mark.parametrize("divisor", [3, -3])
@pytest.mark.parametrize("value", [-7, -1, 0, 1, 7])
def test_division_is_python_division(value: int, divisor: int) -> None:
    x, d = symbol("x", -100, 100), symbol("d", -100, 100)
    for function in (floor_div, modulo):
        wanted = evaluate(function(x, d), {"x": value, "d": divisor})
        for offset, status in ((0, Status.SAT), (1, Status.UNSAT)):
            solver = Solver()
            solver.equal(x * x + x, value * value + value, "x up to its mirror")
            solver.equal(2 * x, 2 * value, "x")
            solver.equal(2 * d, 2 * divisor, "d")
            solver.equal(function(x, d), wanted + offset, "result")
            assert solver.check().status is status


def test_constants_and_bounds_need_no_z3(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "z3", None)
    solver = Solver()
    solver.equal(h, 3, "line 1")
    solver.equal(n, h, "line 2")
    assert solver.check() == Answer(Status.SAT, model={"h": 3, "n": 3})
    solver.push()
    solver.at_least(2, n, "line 3")
    solver.divisible(h, 3, "never mind")
    assert solver.check() == Answer(Status.UNSAT, core=("line 1", "line 2", "line 3"))
    solver.pop()
    assert solver.check().status is Status.SAT
    assert solver.statistics.without_z3 == solver.statistics.checks == 3


def test_a_core_is_minimal_and_names_origins() -> None:
    solver = Solver()
    solver.at_least(n, 2, "spare")
    solver.equal(2 * h + 3 * n, 12, ("net.py", 3))
    solver.at_least(h + n, 7, ("net.py", 9))
    solver.broadcast(h, n, "spare too")
    answer = solver.check()
    assert answer.status is Status.UNSAT
    assert answer.core == (("net.py", 3), ("net.py", 9))


def test_outcomes_of_branches() -> None:
    solver = Solver()
    solver.equal(h, 4, "then", under=[("training", True)])
    solver.equal(h, 5, "else", under=[("training", False)])
    solver.at_least(h, 5, "head")
    assert solver.check([("training", True)]) == Answer(
        Status.UNSAT, core=("then", "head"), outcomes=(("training", True),)
    )
    assert solver.check([("training", False)]).model == {"h": 5}
    assert solver.check().status is Status.SAT
    solver.at_least(h, 6, "tail")
    assert solver.check().status is Status.UNSAT
    assert set(solver.check().core) >= {"then", "else"}


def test_models_are_small_or_as_preferred() -> None:
    solver = Solver(preferred={"n": 32})
    solver.equal(h % 7, 3, "h")
    solver.equal((n * 3) % 2, 0, "n")
    answer = solver.check()
    assert answer.model["n"] == 32
    assert answer.model["h"] % 7 == 3
    solver.at_least(30, n, "n is small")
    assert solver.check().model["n"] == 2


def test_hard_claims_end_in_time_and_are_unknown() -> None:
    x, y, z = (symbol(name, 2) for name in "xyz")
    solver = Solver(milliseconds=50)
    solver.equal(x * x * x + y * y * y, z * z * z, "Fermat")
    assert solver.check().status is Status.UNKNOWN
    assert solver.statistics.unknown == 1


def test_a_division_by_zero_proves_nothing() -> None:
    zero = symbol("zero", 0, 0)
    solver = Solver()
    solver.equal(floor_div(h + 1, zero), 3, "division")
    assert solver.check().status is not Status.UNSAT


def test_popped_claims_are_forgotten_by_z3_too() -> None:
    solver = Solver()
    solver.equal(2 * h + 3 * n, 12, "first")
    solver.push()
    solver.at_least(h + n, 7, "second")
    assert solver.check().status is Status.UNSAT
    solver.pop()
    assert solver.check().status is Status.SAT
    solver.at_least(h, 4, "third")
    assert solver.check().status is Status.UNSAT
