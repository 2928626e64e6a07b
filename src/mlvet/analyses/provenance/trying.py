"""Unstable comparisons, tried: the program is run with the other side taken, and with the input moved so far."""

from __future__ import annotations

from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

from mlvet.analyses.provenance.asking import asked
from mlvet.analyses.provenance.question import Question
from mlvet.core.errors import MlvetError

_TRIES = 3
_BEYOND = 1e-6
"""By what part of the distance an input is moved beyond the point where a comparison should turn."""


def tried(answer: dict[str, Any], question: Question, workers: int = 2) -> None:
    """Fill in what the flips of an answer do: the jump of each output, and whether the input really turns them."""
    unstable = answer.get("unstable", [])
    if not unstable:
        return
    with ThreadPoolExecutor(workers) as pool:
        forced = list(pool.map(lambda each: _run(replace(question, forced=(_place(each),))), unstable))
        turned = list(pool.map(lambda each: _turns(each, question), unstable))
    for explanation in answer["explanations"]:
        for flip, run, distance in zip(explanation["flips"], forced, turned, strict=True):
            other = None if run is None else run["values"].get(explanation["output"])
            flip["jump"] = None if other is None else abs(other - explanation["value"])
            flip["confirmed"] = distance is not None
            flip["distance"] = flip["distance"] if distance is None else distance


def _place(unstable: Mapping[str, Any]) -> tuple[str, int, int, int]:
    path, line, number = unstable["place"]
    return path, line, number, unstable["ordinal"]


def _turns(unstable: Mapping[str, Any], question: Question) -> float | None:
    """How far the input must move for the comparison to turn: the first-order distance, corrected by secants."""
    change = unstable["change"]
    for _ in range(_TRIES):
        moved = {unstable["input"]: change * (1 + _BEYOND)}
        run = _run(replace(question, changed=moved, watched=(_place(unstable),)))
        if run is None or not run["seen"]:
            return None
        outcome, margin = run["seen"][0]
        if outcome != unstable["outcome"]:
            return float(abs(change))
        if margin == unstable["margin"]:
            return None
        change = change * unstable["margin"] / (unstable["margin"] - margin)
    return None


def _run(question: Question) -> dict[str, Any] | None:
    try:
        return asked(replace(question, delta=None))
    except MlvetError:
        return None
