"""What a finding rests on: data that shows it, assumptions it needs, places that belong to it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from mlvet.core.location import Location


@dataclass(frozen=True, slots=True)
class Evidence:
    """Data, not prose: its `kind` says which keys the mapping has."""

    kind: str
    data: Mapping[str, Any] = field(default_factory=dict)

    def to_json(self) -> dict[str, Any]:
        return {"kind": self.kind, **self.data}


@dataclass(frozen=True, slots=True)
class Assumption:
    """Something taken for granted; a finding that lists one is at most `likely`."""

    text: str
    location: Location | None = None

    def to_json(self) -> dict[str, Any]:
        return {"text": self.text, **({"location": self.location.to_json()} if self.location else {})}


@dataclass(frozen=True, slots=True)
class Related:
    """Another place that belongs to the finding: where a side was born, where a name is defined."""

    message: str
    location: Location | None = None

    def to_json(self) -> dict[str, Any]:
        return {"message": self.message, **({"location": self.location.to_json()} if self.location else {})}
