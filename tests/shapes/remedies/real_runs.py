"""Run programs with the real libraries, all of one library in one process of its own."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Mapping

_DRIVER = """
import json, sys
answers = {}
for name, text in json.load(sys.stdin).items():
    try:
        exec(compile(text, name, "exec"), {"__name__": "__main__"})
        answers[name] = ""
    except Exception as error:
        answers[name] = f"{type(error).__name__}: {error}"
print("ANSWERS" + json.dumps(answers))
"""


def run(programs: Mapping[str, str]) -> dict[str, str]:
    """What each program raises, empty if it runs to its end."""
    done = subprocess.run(
        [sys.executable, "-c", _DRIVER],
        input=json.dumps(programs),
        capture_output=True,
        text=True,
        timeout=600,
        check=True,
    )
    answers: dict[str, str] = json.loads(done.stdout.partition("ANSWERS")[2])
    return answers
