"""Short ways to ask what the interpreter found out."""

from __future__ import annotations

from mlvet.frontends.python.observations import described
from mlvet.frontends.python.program import Interpreted


def seen(found: Interpreted, name: str) -> str:
    """What the last value of a name is, in the words of `mlvet shapes`."""
    spans = [span for span, each in found.observations.items() if each.name == name]
    return described(found.observations[max(spans)].value)


def violated(found: Interpreted) -> list[str]:
    """What is demanded and cannot hold."""
    return [demand.constraint.because for demand in found.demands if demand.constraint.decided is False]


def places(found: Interpreted) -> list[int | None]:
    """The lines of what cannot hold."""
    demands = [demand for demand in found.demands if demand.constraint.decided is False]
    return [demand.node.location.line if demand.node.location else None for demand in demands]
