"""Which speculations a run may make."""

from __future__ import annotations

from dataclasses import replace

import pytest

from mlvet.analyses.efficiency.request import request_of
from mlvet.analyses.efficiency.speculation import Speculation
from mlvet.core.config import SPECULATIONS, Config
from mlvet.core.errors import UsageError


@pytest.mark.parametrize(
    ("speculate", "no_speculate", "allowed"),
    [
        ((), (), SPECULATIONS),
        (("all",), ("attribute",), SPECULATIONS[1:]),
        ((), ("all",), ()),
        (("one-type",), (), ("one-type",)),
        (("one-type",), ("all",), ("one-type",)),
    ],
)
def test_switches(speculate: tuple[str, ...], no_speculate: tuple[str, ...], allowed: tuple[str, ...]) -> None:
    config = replace(Config(), speculate=speculate, no_speculate=no_speculate)
    assert tuple(each.value for each in request_of(config).speculations) == allowed


@pytest.mark.parametrize("name", ["all", "attribute"])
def test_a_switch_both_ways_is_an_error(name: str) -> None:
    with pytest.raises(UsageError, match=f"`{name}` is both"):
        request_of(replace(Config(), speculate=(name,), no_speculate=(name,)))


def test_the_names_of_switches_are_the_classes() -> None:
    assert tuple(each.value for each in Speculation) == SPECULATIONS
