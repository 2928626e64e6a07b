"""The process that replays a program and answers: `python -m mlvet.analyses.provenance.answering QUESTION ANSWER`.

It is a process of its own because the program runs in it. The answer is pickled: an `Answer`, or an error.
"""

from __future__ import annotations

import os
import pickle
import sys
import traceback
from pathlib import Path

from mlvet.analyses.provenance.answer import Answer
from mlvet.analyses.provenance.explaining import answered
from mlvet.analyses.provenance.question import Question
from mlvet.analyses.provenance.repeating import repeated
from mlvet.core.errors import UnsupportedInput, UsageError


def main() -> None:
    """The answer's file is opened first: the program may change what `open` means."""
    question = Question.read(Path(sys.argv[1]).read_text(encoding="utf-8"))
    answer = os.open(sys.argv[2], os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    write, leave = os.write, os._exit
    try:
        found: Answer | Exception = Answer(runs=repeated(question)) if question.moves else answered(question)
    except (UsageError, UnsupportedInput) as error:
        found = type(error)(str(error))
    except BaseException:
        write(2, traceback.format_exc().encode(errors="backslashreplace"))
        leave(1)
    rest = pickle.dumps(found)
    while rest:
        rest = rest[write(answer, rest) :]
    leave(0)


if __name__ == "__main__":
    main()
