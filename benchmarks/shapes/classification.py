"""What somebody who read the source found of the findings in fetched programs: true, or false, and why.

A finding is known by its corpus, file, rule and the hash of the line it is at, so that it stays known where lines above
it come and go, and no line of a fetched file is kept here.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

HERE = Path(__file__).parent
VERDICTS = ("true", "false")

Key: TypeAlias = tuple[str, str, str, str]


@dataclass(frozen=True, slots=True)
class Verdict:
    """Whether a finding is true, and why in one sentence; `line` was its line when it was looked at."""

    corpus: str
    path: str
    line: int
    rule: str
    sha256: str
    verdict: str
    reason: str

    @property
    def key(self) -> Key:
        return self.corpus, self.path, self.rule, self.sha256


def verdicts(path: Path = HERE / "classified.json") -> Mapping[Key, Verdict]:
    """Every finding that was looked at."""
    found = [Verdict(**record) for record in json.loads(path.read_text(encoding="utf-8"))]
    return {each.key: each for each in found}


def line_hash(file: Path, line: int) -> str:
    """The hash of a line without the space around it, empty if there is no such line."""
    lines = file.read_text(encoding="utf-8", errors="replace").splitlines() if file.is_file() else []
    text = lines[line - 1].strip() if 0 < line <= len(lines) else ""
    return hashlib.sha256(text.encode()).hexdigest()[:16] if text else ""
