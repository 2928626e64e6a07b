"""Ranges of running statistics and counters from their names [DEBAR 3.4]."""

from __future__ import annotations

import re

from mlvet.analyses.numerics.assumptions.initialisers import first_elements
from mlvet.analyses.numerics.assumptions.ranges import Assumed, Origin, by_dtype
from mlvet.domains.intervals import Interval
from mlvet.domains.tensors import Tensor
from mlvet.ir.graph import Initialiser

_LARGEST_STATISTIC = 1e16
_LARGEST_MEAN = 1e8
_LARGEST_COUNT = 1e9
_VARIANCES = frozenset({"variance", "moving_variance", "running_variance", "moving_var", "running_var"})
_DEVIATIONS = frozenset({"stddev", "std", "moving_std", "running_std", "moving_stddev", "running_stddev"})
_MEANS = frozenset({"moving_mean", "running_mean", "moving_avg", "moving_average", "running_average"})
_COUNTS = frozenset({"count", "counter", "step", "steps", "global_step", "iteration", "iterations", "batch_size"})
_UPDATED = re.compile(r"(moving|running)_.+|global_step|beta_?[12]_power")
_LOGARITHM = re.compile(r"(^|_)log")


def of_name(name: str, tensor: Tensor, initialiser: Initialiser | None) -> Assumed | None:
    """What the name of a value that no gradient changes says of it; the element it starts with is never left out."""
    said = _by_name(name, tensor)
    if said is None or initialiser is None:
        return said
    first = first_elements(initialiser, tensor)
    if first is None or said.interval.covers(first):
        return said
    return Assumed(said.interval.join(first), said.origin, f"{said.why}; it starts in {first}")


def is_updated(name: str) -> bool:
    """Whether the name can only be that of a running statistic or counter, whatever a file says of its training."""
    return _UPDATED.fullmatch(_last_word(name)) is not None


def _by_name(name: str, tensor: Tensor) -> Assumed | None:
    last = _last_word(name)
    largest = float(by_dtype(tensor).interval.high) / 4
    if _LOGARITHM.search(last):
        return None
    if _ends(last, _VARIANCES) or (last == "var" and "batch_stats" in name):
        return _from(0, min(_LARGEST_STATISTIC, largest), "a variance is not negative")
    if _ends(last, _DEVIATIONS):
        return _from(0, min(_LARGEST_STATISTIC, largest), "a standard deviation is not negative")
    if _ends(last, _MEANS):
        high = min(_LARGEST_MEAN, largest)
        why = f"a running mean, by its name; taken to be within {high:g} of 0"
        return Assumed(Interval(-high, high), Origin.HEURISTIC, why)
    if re.fullmatch(r"beta_?[12]_power", last):
        return _from(0, 1 - 1e-6, "a power of a decay rate is in [0, 1)")
    if _ends(last, _COUNTS):
        return _from(1, min(_LARGEST_COUNT, largest), "a counter is at least 1 when it is used")
    return None


def _from(low: float, high: float, reason: str) -> Assumed:
    return Assumed(Interval(low, high), Origin.HEURISTIC, f"{reason}, by its name; at most {high:g}")


def _ends(word: str, known: frozenset[str]) -> bool:
    return word in known or any(word.endswith(f"_{each}") for each in known)


def _last_word(name: str) -> str:
    """The innermost part of a qualified name in lower case with underscores, without a number at its end."""
    part = re.split(r"[/.]", re.sub(r":0$", "", name))[-1]
    part = re.sub(r"['\"\]]+$", "", part).rpartition("[")[2].lstrip("'\"")
    snake = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", part).lower()
    return re.sub(r"[_#]?\d+$", "", snake) or snake
