"""The report for people, literally."""

from __future__ import annotations

from dataclasses import replace

import pytest

from mlvet.core.finding import Finding
from mlvet.core.grade import Certainty, Severity
from mlvet.core.location import Location
from mlvet.core.result import Hidden, Summary, Vetting
from mlvet.report import render


def finding(location: Location, message: str = "wrong") -> Finding:
    return Finding("some-rule", "PY101", Severity.ERROR, Certainty.PROVED, message, location)


def excerpt(vetting: Vetting) -> list[str]:
    """The lines between header and summary, without the empty gutters."""
    block = render("full", vetting).split("\n\n")[0]
    return [line for line in block.splitlines()[1:] if line.strip() != "|"]


def test_every_kind_of_place_and_note(vetting: Vetting) -> None:
    assert (
        render("full", vetting)
        == """\
explore.ipynb:cell 3:2:5: suggestion[matmul-inner-dims] possible
  |
2 | x = a @ b
  |     ^^^^^ `a @ b` may fail
  |
  = help: b @ a   (apply with --fix)

model.onnx:/head/Log_3: warning[log-of-nonpositive] observed
   `Log` receives [0, inf], so the result can be -inf
   = help: use log_softmax

train.py:10:13: error[matmul-inner-dims] proved
   |
10 |         x = self.fc1(torch.flatten(x, 1))
   |             ^^^^^^^^ `Linear` expects 1024 features but gets 64*12*12 = 9216
   |
   = note: 1024 is set here (train.py:7:30)
   = note: x is f32[batch, 64, 12, 12]
   = note: assuming the batch is not empty
   = help: nn.Linear(9216, 128)   (apply with --unsafe-fixes: the checkpoint may hold 1024 features)

train.py:11:18: warning[missing-attribute] likely
   |
11 |         return x.softmx()
   |                  ^^^^^^ `Tensor` has no attribute `softmx`
   |
   = note: found by pyrefly (missing-attribute) and ruff (F821)
   = help: softmax   (apply with --fix)

Found 1 error, 2 warnings, 1 suggestion in 14 files (0.8 s); 1 input could not be analysed.
Analysed 120 operators, 3 not analysed.
5 more are less certain (4 possible, 1 likely): show them with --min-certainty possible
1 more is less severe: show it with --min-severity suggestion
2 more are suppressed by comments
7 more are in the baseline
note: pyrefly did not answer within 60 s
"""
    )


def test_nothing_found(clean: Vetting) -> None:
    assert render("full", clean) == "No problems found in 14 files (0.8 s).\n"


def test_counts_are_told_even_when_nothing_is_shown(make) -> None:
    summary = Summary(files=1, seconds=2.0, hidden=Hidden(unsure={Certainty.POSSIBLE: 1}))
    assert render("full", make(summary=summary)) == (
        "No problems found in 1 file (2.0 s).\n"
        "1 more is less certain (1 possible): show it with --min-certainty possible\n"
    )


def test_carets_follow_tabs(make) -> None:
    vetting = make(finding(Location("a.py", 1, 3, 1, 6)), sources={"a.py": "\t\tfoo(1)\n"})
    assert excerpt(vetting) == ["1 |         foo(1)", "  |         ^^^ wrong"]


def test_carets_follow_wide_and_combining_characters(make) -> None:
    vetting = make(finding(Location("a.py", 1, 8, 1, 11)), sources={"a.py": "面 = e\u0301(foo)"})
    assert excerpt(vetting) == ["1 | 面 = e\u0301(foo)", "  |       " + " ^^^ wrong"]


def test_wide_characters_in_the_span_take_two_carets(make) -> None:
    vetting = make(finding(Location("a.py", 1, 1, 1, 3)), sources={"a.py": "面ｘ = 1"})
    assert excerpt(vetting) == ["1 | 面ｘ = 1", "  | ^^^^ wrong"]


def test_span_over_several_lines_is_underlined_to_the_end_of_the_first(make) -> None:
    vetting = make(finding(Location("a.py", 1, 5, 3, 2)), sources={"a.py": "x = f(  \n    1,\n)\n"})
    assert excerpt(vetting) == ["1 | x = f(", "  |     ^^ wrong"]


def test_place_without_a_column_marks_the_line(make) -> None:
    vetting = make(finding(Location("a.py", 1)), sources={"a.py": "    return x\n"})
    assert excerpt(vetting) == ["1 |     return x", "  |     ^^^^^^^^ wrong"]


def test_place_without_an_end_marks_one_character(make) -> None:
    vetting = make(finding(Location("a.py", 1, 5)), sources={"a.py": "    return x\n"})
    assert excerpt(vetting) == ["1 |     return x", "  |     ^ wrong"]


def test_place_at_the_end_of_a_line_is_still_marked(make) -> None:
    vetting = make(finding(Location("a.py", 1, 4, 1, 4)), sources={"a.py": "f(\t\nx"})
    assert excerpt(vetting) == ["1 | f(", "  |     ^ wrong"]


@pytest.mark.parametrize("location", [Location("a.py", 99, 1), Location("a.py"), Location("gone.py", 1, 1)])
def test_place_outside_the_source_is_reported_without_an_excerpt(make, location: Location) -> None:
    assert excerpt(make(finding(location), sources={"a.py": "x = 1\n"})) == ["   wrong"]


@pytest.mark.parametrize("start", [0, 5_000, 9_990])
def test_long_line_is_cut_around_the_span(make, start: int) -> None:
    text = "a" * start + "needle" + "b" * (10_000 - start - 6)
    vetting = make(finding(Location("a.py", 1, start + 1, 1, start + 7)), sources={"a.py": text})
    line, carets = excerpt(vetting)
    assert len(line) < 130
    assert line[carets.index("^") : carets.rindex("^") + 1] == "needle"
    assert line.startswith("1 | …") == (start > 0)
    assert line.endswith("…") == (start < 9_990)


def test_long_span_is_cut_with_its_line(make) -> None:
    vetting = make(finding(Location("a.py", 1, 1, 1, 10_001)), sources={"a.py": "x" * 10_000})
    line, carets = excerpt(vetting)
    assert line == "1 | " + "x" * 120 + "…"
    assert carets == "  | " + "^" * 120 + " wrong"


def test_message_of_several_lines_stays_beside_the_carets(make) -> None:
    vetting = make(finding(Location("a.py", 1, 1, 1, 3), "one\ntwo"), sources={"a.py": "xy"})
    assert excerpt(vetting) == ["1 | xy", "  | ^^ one", "  |    two"]


def test_colours_change_nothing_but_colour(vetting: Vetting) -> None:
    import re

    colored = render("full", vetting, color=True)
    assert "\x1b[1;31m" in colored
    assert re.sub(r"\x1b\[[0-9;]*m", "", colored) == render("full", vetting)


def test_nothing_from_a_file_reaches_the_terminal_raw(hostile: Vetting) -> None:
    text = render("full", hostile)
    assert not {char for char in text if not char.isprintable()} - {"\n"}
    assert "\\x1b[2J\\x00\\x9b31m\\u202e\\ud800\\x07" in text
    text.encode("utf-8")


def test_escaped_characters_keep_the_carets_in_place(make) -> None:
    vetting = make(finding(Location("a.py", 1, 3, 1, 6)), sources={"a.py": "\x1b=foo"})
    assert excerpt(vetting) == ["1 | \\x1b=foo", "  |      ^^^ wrong"]


def test_notes_of_the_run_are_single_lines(make) -> None:
    summary = Summary(files=1, seconds=1.0, notes=("two\nlines\x1b[0m",))
    assert render("full", make(summary=summary)).splitlines()[1:] == ["note: two lines\\x1b[0m"]


def test_operators_are_counted_only_if_there_are_any(vetting: Vetting) -> None:
    summary = replace(vetting.summary, operators_analysed=0)
    assert "Analysed 0 operators, 3 not analysed." in render("full", replace(vetting, summary=summary))
    summary = replace(summary, operators_unanalysed=0)
    assert "operator" not in render("full", replace(vetting, summary=summary))


def test_the_summary_says_how_far_programs_were_followed(vetting: Vetting) -> None:
    figures = {"paths": 12, "operators": 3400, "shape_demands": 80, "shape_checks": 50, "shape_without_z3": 50}
    asked = {**figures, "shape_without_z3": 49, "shape_undecided": 1}

    def line(python: dict[str, int]) -> str:
        text = render("concise", replace(vetting, summary=replace(vetting.summary, analyses={"python": python})))
        return next((each for each in text.splitlines() if each.startswith("Followed")), "")

    followed = "Followed 12 paths of programs with 3,400 operators"
    assert line(figures) == f"{followed} and 80 constraints, all of 50 checks decided without Z3."
    assert line(asked) == f"{followed} and 80 constraints, 98.0% of 50 checks decided without Z3, 1 undecided."
    assert line({"paths": 12, "operators": 3400}) == f"{followed}."
    assert line({"paths": 1, "operators": 0}) == ""
