"""The questions of the shape benchmark: the record is of these texts, mlvet finds the bugs, PyTea's output is read."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT))

from benchmarks.shapes import pytea  # noqa: E402
from benchmarks.shapes.judging import Told, judged  # noqa: E402
from benchmarks.shapes.questions import Question, questions  # noqa: E402

QUESTIONS = questions()
MISSED = {
    "last_batch": "the last batch is not run apart from the others",
}
STOPPED = """
failed path #1: from 'LibCall.torch.conv2d': in-channel mismatch
  CONSTRAINTS:
(index(T[10,64,64,3], 1) == 3)
- [57:15 - 65:9] (/lib/torch/nn/modules/conv.py:57:15)

CALL STACK:
conv2d - [57:15 - 65:9] (/lib/torch/nn/modules/conv.py:57:15)
Module$self$__call__ - [37:12 - 37:28] (/here/program.py:37:12)
Module$self$__call__ - [50:14 - 50:27] (/here/program.py:50:14)

LOGS:
something else - [99:1 - 99:2] (/here/program.py:99:1)
"""
VIOLATED = """
--- Errornous Path: Path 1 ---
Invalid path: Found conflicted constraints.
  first conflicted constraint (constraint #5):
        message: from 'matmul': dimension mismatch at <[33:29 - 33:46] (/here/program.py:33:29)>
  (index(TSym[Shp5], 0) == 64)
--- Errornous Path: Path 2 ---
Invalid path: Found conflicted constraints.
  first conflicted constraint (constraint #4):
        message: h_0 shape mismatch at <[163:19 - 165:13] (/lib/torch/nn/modules/rnn.py:163:19)>
"""


def told(question: Question, text: str, folder: Path) -> list[Told]:
    file = folder / question.file
    file.write_text(text, encoding="utf-8")
    found = judged(folder, [file])
    assert not found.error
    return found.errors


def param(question: Question) -> object:
    marks = pytest.mark.xfail(reason=MISSED[question.name], strict=True) if question.name in MISSED else ()
    return pytest.param(question, id=question.name, marks=marks)


@pytest.mark.parametrize("question", QUESTIONS, ids=lambda question: question.name)
def test_the_records_are_of_these_texts(question: Question) -> None:
    assert question.sha256 == question.digest()
    assert pytea.outcomes()[question.name].sha256 == question.digest()
    assert len(question.asked().splitlines()) == len(question.answered().splitlines())
    assert question.message


@pytest.mark.parametrize("question", [param(question) for question in QUESTIONS])
def test_a_bug_is_found_once_at_the_line_that_fails(question: Question, tmp_path: Path) -> None:
    (found,) = told(question, question.asked(), tmp_path)
    assert found.is_at({(question.file, question.failing)})


@pytest.mark.parametrize("question", QUESTIONS, ids=lambda question: question.name)
def test_an_answer_is_not_accused(question: Question, tmp_path: Path) -> None:
    assert told(question, question.answered(), tmp_path) == []


def test_both_stages_of_pytea_give_alarms_at_the_innermost_line_of_the_program() -> None:
    found = list(pytea.alarms(STOPPED + VIOLATED, "program.py"))
    assert found == [
        pytea.Alarm("from 'LibCall.torch.conv2d': in-channel mismatch", 37),
        pytea.Alarm("from 'matmul': dimension mismatch", 33),
        pytea.Alarm("h_0 shape mismatch", 0),
    ]


def test_an_alarm_that_the_answer_gets_too_is_not_about_the_bug() -> None:
    about, always = pytea.Alarm("mismatch", 7), pytea.Alarm("index out of range", 0)
    outcome = pytea.Outcome("x", "", pytea.Said((about, always), 1.0), pytea.Said((always,), 1.0))
    assert outcome.about_the_bug == (about,)
