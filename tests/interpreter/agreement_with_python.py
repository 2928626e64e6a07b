"""What Python makes of a program beside what the interpreter makes of it."""

from __future__ import annotations

from typing import Any

from mlvet.domains.dims import Expr
from mlvet.frontends.python.program import Interpreted
from mlvet.frontends.python.trail import MISSING
from mlvet.frontends.python.values.containers import DictValue, ListValue, Repeated, SetValue
from mlvet.frontends.python.values.numbers import Scalar
from mlvet.frontends.python.values.unknown import Unknown

PLAIN = (bool, int, float, complex, str, bytes, type(None), list, tuple, dict, set)


def executed(text: str) -> dict[str, Any]:
    """The names of plain values that a run of the program leaves behind."""
    names: dict[str, Any] = {"__name__": "__main__"}
    exec(compile(text, "<program>", "exec"), names)
    return {
        name: value
        for name, value in names.items()
        if not name.startswith("__") and type(value) in PLAIN and _is_plain(value)
    }


def _is_plain(value: Any) -> bool:
    if isinstance(value, dict):
        return all(_is_plain(part) for pair in value.items() for part in pair)
    if isinstance(value, list | tuple | set):
        return type(value) in PLAIN and all(map(_is_plain, value))
    return isinstance(value, PLAIN)


def compared(real: Any, abstract: Any) -> str:
    """`same`, `unknown` where the interpreter does not say, or `different`."""
    if abstract is MISSING:
        return "different"
    if isinstance(abstract, Unknown | Expr | Repeated):
        return "unknown"
    if isinstance(abstract, Scalar):
        return "unknown" if isinstance(real, abstract.kind) else "different"
    if isinstance(abstract, SetValue):
        return _joined([compared(sorted(real, key=repr), ListValue(sorted(abstract.items, key=repr)))])
    if isinstance(abstract, ListValue):
        if isinstance(abstract.items, Repeated):
            return "unknown"
        return _sequence(real, abstract.items) if isinstance(real, list | set) else "different"
    if isinstance(abstract, DictValue):
        if not isinstance(real, dict) or set(real) != set(abstract.cells):
            return "unknown" if abstract.rest is not None else "different"
        return _joined([compared(real[key], abstract.cells[key]) for key in real])
    if isinstance(abstract, tuple):
        return _sequence(real, abstract) if isinstance(real, tuple) else "different"
    return "same" if abstract == real and isinstance(abstract, bool) == isinstance(real, bool) else "different"


def _sequence(real: Any, items: tuple[Any, ...]) -> str:
    if len(real) != len(items):
        return "different"
    return _joined([compared(a, b) for a, b in zip(real, items, strict=True)])


def _joined(outcomes: list[str]) -> str:
    for outcome in ("different", "unknown"):
        if outcome in outcomes:
            return outcome
    return "same"


def differences(text: str, found: Interpreted) -> dict[str, str]:
    """The names of which the interpreter does not say what Python says."""
    outcomes = {name: compared(value, found.names.get(name, MISSING)) for name, value in executed(text).items()}
    return {name: outcome for name, outcome in outcomes.items() if outcome != "same"}
