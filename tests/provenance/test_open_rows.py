"""What a replay does for each operation has two forms, in C and in Python: both give the same answers, bit for bit."""

from __future__ import annotations

import importlib.util
import json
import os
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[2] / "examples" / "provenance"
PROGRAMS = {
    "pagerank.py": ('ranks["ada"]', ("share@pagerank", "ranks@pagerank")),
    "weighted_pagerank.py": ('ranks["ada"]', ("graph@weighted_pagerank",)),
    "simrank.py": ('similarity["ada"]["boris"]', ("graph@simrank",)),
}
MIXED = """
import math
weights = {"a": 0.5, "b": 3, "c": -2.0, "d": 10**9}
def total(weights, plain):
    found, whole, product = 0.0, 0, 1.0
    for name, weight in weights.items():
        found += weight * plain[name]
        found -= weight / 7
        whole += 2 * weight
        product *= weight
    return found + whole * math.sqrt(abs(product)) + -weights["a"] ** 2
out = total(weights, {"a": 2, "b": 0.25, "c": weights["a"], "d": True})
"""


def answer(folder: Path, log: Path, of: str, inputs: tuple[str, ...], pure: bool) -> dict[str, object]:
    environment = {**os.environ, "MLVET_PURE_PYTHON": "1" if pure else ""}
    given = [word for each in inputs for word in ("--inputs", each)]
    command = [sys.executable, "-m", "mlvet", "why", str(log), "--of", of, *given, "--output-format", "json"]
    done = subprocess.run(
        [*command, "--exit-zero", "--flips", "0"], cwd=folder, env=environment, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    found: dict[str, object] = json.loads(done.stdout)
    return found


def traced(folder: Path, script: Path, *arguments: str) -> Path:
    log = folder / "log"
    command = [sys.executable, "-m", "mlvet", "trace", "--quiet", "--output", str(log), str(script), *arguments]
    subprocess.run(command, check=True, cwd=folder, capture_output=True)
    return log


def test_numbers_of_all_kinds(tmp_path: Path) -> None:
    script = tmp_path / "mixed.py"
    script.write_text(MIXED)
    log = traced(tmp_path, script)
    found = [answer(tmp_path, log, "out", ("weights@<module>:3",), pure) for pure in (False, True)]
    assert found[0]["influences"] == found[1]["influences"]
    assert len(found[0]["influences"]) == 4  # type: ignore[arg-type]


@pytest.mark.parametrize("program", PROGRAMS)
def test_programs(tmp_path: Path, program: str) -> None:
    log = traced(tmp_path, EXAMPLES / program, str(EXAMPLES / "data" / "followers.txt"))
    of, inputs = PROGRAMS[program]
    found = [answer(tmp_path, log, of, inputs, pure) for pure in (False, True)]
    assert found[0]["influences"]
    assert found[0]["influences"] == found[1]["influences"]


def test_it_is_compiled_where_it_can_be() -> None:
    header = Path(sysconfig.get_paths()["include"]) / "Python.h"
    if shutil.which("cc") is None or not header.is_file():
        pytest.skip("no compiler")
    assert importlib.util.find_spec("mlvet.runtime.provenance.native") is not None
