"""Programs that are joined in one file keep their suggestions: no pattern stumbles over those of another."""

from __future__ import annotations

from pathlib import Path

import pytest
from suggesting import lines

ROOT = Path(__file__).parents[2]
TODAY = ROOT / "benchmarks" / "efficiency" / "programs" / "today"
PROGRAMS = sorted(each for each in TODAY.glob("*.py") if not each.stem.endswith("_fine"))
GROWING = """\
import numpy as np

def history(runs):
    seen = np.array([])
    for run in range(5000):
        seen = np.append(seen, np.random.rand(100))
    return seen

history(3)
"""


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.stem)
def test_a_growing_array_is_told_beside_every_other_pattern(path: Path, tmp_path: Path) -> None:
    assert lines(path.read_text(encoding="utf-8") + "\n\n" + GROWING, tmp_path, "growing-concatenation")
