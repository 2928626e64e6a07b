"""The two properties that the paper proves [LAMP]: exact where the program is continuous, bounded where it jumps."""

from __future__ import annotations

import json
import random
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

DELTA = 0.01

CONTINUOUS = """
def f(a, b, c):
    weights = {"x": a, "y": b * c, "z": a / c}
    for _ in range(4):
        total = sum(weights.values())
        weights = {key: 0.5 * weight / total + 0.1 * a * weight for key, weight in weights.items()}
    return max(weights.values()) - min(weights.values())
"""
BRANCH = """
def f(a, b, c):
    rank = a * b + c
    if rank > 4.374:
        rank = rank + 1.5
    return rank * 2
"""
FIRST_OF_SORTED = """
def f(a, b, c):
    ranks = {"one": a * 2, "other": b}
    first = sorted(ranks, key=lambda name: -ranks[name])[0]
    return c * 3 + (10.0 if first == "one" else 0.0)
"""
DRAW = """
import random

def f(a, b, c):
    chance = random.Random(3)
    count = 0.0
    for _ in range(6):
        if chance.random() < a / 3.38:
            count = count + 1.0
    return count * 0.25 + c
"""
VALUES = {"a": 1.25, "b": 2.499, "c": 1.25}


def real(program: str, **changed: float) -> float:
    names: dict[str, Any] = {}
    exec(program, names)
    return float(names["f"](**{**VALUES, **changed}))


def explained(program: str, folder: Path) -> dict[str, Any]:
    text = f"{program}\n\nresult = f(**{VALUES!r})\n"
    (folder / "program.py").write_text(text, encoding="utf-8")
    start = [sys.executable, "-m", "mlvet"]
    subprocess.run([*start, "trace", "--quiet", "--output", "log", "program.py"], cwd=folder, check=True)
    inputs = [word for name in VALUES for word in ("--inputs", f"{name}@f")]
    why = ["why", "log", "--of", "result", *inputs, "--delta", str(DELTA), "--flips", "30", "--top", "3"]
    done = subprocess.run(
        [*start, *why, "--output-format", "json", "--exit-zero"], cwd=folder, check=True, capture_output=True, text=True
    )
    document: dict[str, Any] = json.loads(done.stdout)
    return document


def test_property_1_a_small_change_does_what_the_derivative_says(tmp_path: Path) -> None:
    found = explained(CONTINUOUS, tmp_path)
    assert not any(flip["jump"] for flip in found["flips"])
    for each in found["influences"]:
        for step in (1e-4, -1e-4):
            seen = real(CONTINUOUS, **{each["input"]: each["value"] + step}) - found["value"]
            assert seen == pytest.approx(each["derivative"] * step, rel=1e-3, abs=1e-12)


@pytest.mark.parametrize("program", [BRANCH, FIRST_OF_SORTED, DRAW])
def test_property_2_what_the_derivative_misses_is_within_the_variation(program: str, tmp_path: Path) -> None:
    found = explained(program, tmp_path)
    chance = random.Random(9)
    jumped = 0
    derivatives = {each["input"]: each["derivative"] for each in found["influences"]}
    for name, value in VALUES.items():
        told = [flip for flip in found["flips"] if flip["input"] == name]
        variation = sum(flip["jump"] or 0.0 for flip in told)
        for _ in range(200):
            step = chance.uniform(-DELTA, DELTA)
            seen = real(program, **{name: value + step}) - found["value"]
            missed = abs(seen - derivatives.get(name, 0.0) * step)
            assert missed <= variation + 1e-9
            jumped += missed > 1e-3
    assert jumped, "no change crosses a comparison, so nothing was shown"
