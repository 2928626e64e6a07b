"""What `why` says of one output: the inputs that made it what it is, by how much, and where it would jump."""

from __future__ import annotations

from dataclasses import dataclass

from mlvet.core.finding import Finding


@dataclass(frozen=True, slots=True)
class Influence:
    """One input: `derivative` is d output / d input, `elasticity` the percent that the output changes per percent.

    `share` is its part of the influence of all inputs, in magnitude. An input whose value is 0 has no elasticity to
    speak of; its share is reckoned with the mean magnitude of the inputs of its group.
    """

    input: str
    value: float
    derivative: float
    elasticity: float
    share: float


@dataclass(frozen=True, slots=True)
class Flip:
    """A comparison that a small change of an input turns: by `distance`, upwards or downwards (`side`, +1 or -1).

    `jump` is the greatest minus the smallest value of the output over both sides, None where the other side was not
    run; `confirmed` says that the program was run with the input changed so far, and the comparison did turn.
    """

    input: str
    distance: float
    side: int
    jump: float | None
    path: str
    line: int
    confirmed: bool
    text: str


@dataclass(frozen=True, slots=True)
class Break:
    """A place where a traced number went into something that gave back an untraced one, so often."""

    path: str
    line: int
    what: str
    count: int


@dataclass(frozen=True, slots=True)
class Link:
    """An edge of the provenance graph: `source` acts on `target` directly, with this derivative and share."""

    source: str
    target: str
    derivative: float
    share: float


@dataclass(frozen=True, slots=True)
class Vertex:
    """A vertex of the provenance graph: an input, a named value between, or the output."""

    name: str
    kind: str
    value: float
    share: float


@dataclass(frozen=True, slots=True)
class Explanation:
    """The answer to one question. `influences` are the first of `inputs` many, ordered by share."""

    output: str
    value: float
    influences: tuple[Influence, ...]
    inputs: int
    residual_share: float
    flips: tuple[Flip, ...] = ()
    findings: tuple[Finding, ...] = ()
    breaks: tuple[Break, ...] = ()
    vertices: tuple[Vertex, ...] = ()
    links: tuple[Link, ...] = ()
    histogram: tuple[tuple[float, int], ...] = ()
    """Inputs by the power of ten of their share, smallest first: lower bound and count."""
    tainted: int | None = None
    """How many inputs the output hangs on at all, by tainting."""
    notes: tuple[str, ...] = ()
