"""The process that replays a program and answers: `python -m mlvet.analyses.provenance.answering QUESTION ANSWER`.

It is a process of its own because the program runs in it. The answer is JSON: explanations, or the words of an error.
"""

from __future__ import annotations

import json
import os
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Any

from mlvet.core.errors import UnsupportedInput, UsageError
from mlvet.analyses.provenance.explaining import answers
from mlvet.analyses.provenance.question import Question


def main() -> None:
    question, answer = Question.read(Path(sys.argv[1]).read_text(encoding="utf-8")), os.path.abspath(sys.argv[2])
    out = os.dup(1)
    try:
        found: dict[str, Any] = answers(question)
    except (UsageError, UnsupportedInput) as error:
        found = {"error": str(error), "kind": type(error).__name__}
    with open(answer, "w", encoding="utf-8") as file:
        json.dump(found, file)
    os.close(out)
    sys.stdout = sys.stderr = None  # type: ignore[assignment]
    os._exit(0)


def plain(explanation: Any) -> Any:
    return asdict(explanation)


if __name__ == "__main__":
    main()
