"""What a comparison is asked."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from mlvet.analyses.compare.distances import Thresholds
from mlvet.analyses.compare.inputs import COUNT
from mlvet.analyses.compare.runs import Limits


@dataclass(frozen=True, slots=True)
class CompareRequest:
    """A model file, the examples and labels for it, the backends and environments, and from when on they disagree."""

    model: Path
    shown: str
    data: Path | None = None
    labels: Path | None = None
    backends: tuple[str, ...] = ()
    environments: Mapping[str, str] = field(default_factory=dict)
    build: str | None = None
    thresholds: Thresholds = field(default_factory=Thresholds)
    limits: Limits = field(default_factory=Limits)
    batch: int = 32
    count: int = COUNT
    seed: int = 0
    reproduce: Path | None = None
    mutate: float = 0.0
    gradients: bool = False
    overlay: str = ""
    announce: Callable[[str], None] = lambda _: None

    @property
    def opening(self) -> dict[str, Any]:
        """What every worker is told when it opens the model."""
        return {"model": str(self.model.absolute()), "build": self.build, "folder": str(Path.cwd())}
