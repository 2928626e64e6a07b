"""What `why` is asked, as it goes to the process that replays the program."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class Question:
    """Outputs of a log to explain.

    `delta` is how far an input may move, in its own unit or `relative` to its magnitude; None looks for no flips.
    """

    log: str
    of: tuple[str, ...]
    inputs: tuple[str, ...] = ()
    top: int = 20
    delta: float | None = None
    relative: bool = False
    max_derivative: float | None = None
    flips: int = 5
    taint: bool = False
    paths: bool = False
    memory: float | None = None
    origins: bool = False
    """Only the first NaN of the run is looked for."""
    losses: bool = False
    """Only calls that lose the chain are looked for."""
    moves: tuple[dict[str, float], ...] = ()
    """Many such runs, each with something added to inputs; only the outputs of each are asked for."""
    changed: dict[str, float] = field(default_factory=dict)
    """Inputs to which something is added: another run that is not verified against the log."""
    forced: tuple[tuple[str, int, int, int], ...] = ()
    """Comparisons that take the other side: file, line, number and ordinal."""
    watched: tuple[tuple[str, int, int, int], ...] = ()
    """Comparisons whose outcome is told."""

    def written(self) -> str:
        return json.dumps(asdict(self))

    @classmethod
    def read(cls, text: str) -> Question:
        data: dict[str, Any] = json.loads(text)
        for name in ("of", "inputs", "moves"):
            data[name] = tuple(data[name])
        for name in ("forced", "watched"):
            data[name] = tuple(tuple(each) for each in data[name])
        return cls(**data)
