"""Programs with marked literals, `{{name|1.5}}`: traced and asked as processes, and run with each literal moved."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

_MARK = re.compile(r"\{\{(.+?)\|(.+?)\}\}")
_STEP = 1e-4


def rendered(program: str, name: str = "", step: float = 0.0) -> str:
    return _MARK.sub(lambda found: repr(float(found[2]) + step) if found[1] == name else found[2], program)


def _run(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, *arguments], cwd=folder, capture_output=True, text=True, check=False)


def explanations(
    folder: Path, program: str, of: Sequence[str], inputs: Sequence[str], *options: str
) -> list[dict[str, Any]]:
    """What `mlvet why` tells about each output; the traced program did what the plain one does."""
    (folder / "program.py").write_text(rendered(program), encoding="utf-8")
    plain, traced = (
        _run(folder, *before, "program.py") for before in ((), ("-m", "mlvet", "trace", "--quiet", "--output", "log"))
    )
    assert (traced.returncode, traced.stdout) == (0, plain.stdout), traced.stderr
    asked = [word for each in of for word in ("--of", each)] + [word for each in inputs for word in ("--inputs", each)]
    done = _run(folder, "-m", "mlvet", "why", "log", *asked, "--output-format", "json", "--exit-zero", *options)
    assert done.returncode == 0, done.stderr
    document = json.loads(done.stdout)
    return [document] if len(of) == 1 else list(document["explanations"])


def _values(program: str, of: Sequence[str], name: str, step: float) -> list[float]:
    namespace: dict[str, Any] = {"__name__": "__main__"}
    exec(compile(rendered(program, name, step), "program.py", "exec"), namespace)
    return [float(eval(each, namespace)) for each in of]


def by_differences(program: str, of: Sequence[str], name: str) -> list[float]:
    """The derivatives of the outputs by one marked literal."""
    runs = [_values(program, of, name, step) for step in (_STEP, -_STEP, _STEP / 2, -_STEP / 2)]
    return [
        (4 * (near - other_near) / _STEP - (far - other_far) / (2 * _STEP)) / 3
        for far, other_far, near, other_near in zip(*runs, strict=True)
    ]


def check(folder: Path, program: str, of: Sequence[str], inputs: Sequence[str]) -> list[dict[str, Any]]:
    """The derivatives by every marked literal are those by differences, under the name that the mark says."""
    told = explanations(folder, program, of, inputs, "--flips", "0")
    found = [{each["input"]: each["derivative"] for each in one["influences"]} for one in told]
    for name in dict.fromkeys(found[1] for found in _MARK.finditer(program)):
        for output, derivatives, expected in zip(of, found, by_differences(program, of, name), strict=True):
            assert derivatives.get(name, 0.0) == pytest.approx(expected, rel=1e-6, abs=1e-6), (output, name)
    assert not [each for one in told for each in one.get("breaks", [])]
    return told
