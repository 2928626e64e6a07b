"""The node tests of the onnx package, a foreign witness of reader, upgrades, references and shape rules.

Cases that do not pass are listed with the reason in `onnx_not_covered.txt`, neither more nor fewer.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import onnx_cases
import pytest

NOT_COVERED = Path(__file__).parent / "onnx_not_covered.txt"
LEAST_SHARE = 0.97
KINDS = {onnx_cases.node_cases: 16, onnx_cases.stored_cases: 2, onnx_cases.network_cases: 9}
"""Where cases come from, and into how many parts they are cut to run side by side."""


def not_covered() -> dict[str, str]:
    """The listed cases and why they do not pass."""
    lines = [line for line in NOT_COVERED.read_text(encoding="utf-8").splitlines() if line.strip()]
    return {name: reason.strip() for name, _, reason in (line.partition(":") for line in lines)}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    ("cases", "shards", "shard"),
    [(cases, shards, shard) for cases, shards in KINDS.items() for shard in range(shards)],
    ids=lambda part: getattr(part, "__name__", str(part)),
)
def test_cases_pass_unless_listed(
    cases: Callable[[], Sequence[onnx_cases.Case]],
    shards: int,
    shard: int,
    record_property: Callable[[str, object], None],
) -> None:
    mine = cases()[shard::shards]
    outcomes = {case.name: onnx_cases.outcome(case) for case in mine}
    failures = {name: reason for name, reason in outcomes.items() if reason is not None}
    record_property(f"onnx {cases.__name__}", (len(mine) - len(failures), len(mine)))
    listed = not_covered()
    assert {name: reason for name, reason in failures.items() if name not in listed} == {}
    assert [name for name in outcomes if name in listed and name not in failures] == []
    assert {name: reason for name, reason in failures.items() if reason != listed[name]} == {}


@pytest.mark.filterwarnings("ignore")
def test_the_list_names_real_cases_and_is_short() -> None:
    names = {case.name for cases in KINDS for case in cases()}
    listed = not_covered()
    assert [name for name in listed if name not in names] == []
    assert all(listed.values())
    assert 1 - len(listed) / len(names) >= LEAST_SHARE
