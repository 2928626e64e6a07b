"""The process that replays a program and answers: `python -m mlvet.analyses.provenance.answering QUESTION ANSWER`.

It is a process of its own because the program runs in it. The answer is JSON: explanations, or the words of an error.
"""

from __future__ import annotations

import json
import os
import sys
import traceback
from pathlib import Path
from typing import Any

from mlvet.analyses.provenance.explaining import answers
from mlvet.analyses.provenance.question import Question
from mlvet.core.errors import UnsupportedInput, UsageError


def main() -> None:
    """The answer's file is opened first: the program may change what `open` means."""
    question = Question.read(Path(sys.argv[1]).read_text(encoding="utf-8"))
    answer = os.open(sys.argv[2], os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    write, leave = os.write, os._exit
    try:
        found: dict[str, Any] = answers(question)
    except (UsageError, UnsupportedInput) as error:
        found = {"error": str(error), "kind": type(error).__name__}
    except BaseException:
        write(2, traceback.format_exc().encode(errors="backslashreplace"))
        leave(1)
    rest = json.dumps(found).encode()
    while rest:
        rest = rest[write(answer, rest) :]
    leave(0)


if __name__ == "__main__":
    main()
