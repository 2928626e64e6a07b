"""One line per finding, and the table of statistics."""

from __future__ import annotations

from mlvet.core.finding import Finding
from mlvet.core.grade import Certainty, Severity
from mlvet.core.location import Location
from mlvet.core.result import Vetting
from mlvet.report import render, statistics


def test_one_line_per_finding_then_the_summary(vetting: Vetting) -> None:
    assert (
        render("concise", vetting)
        == """\
explore.ipynb:cell 3:2:5: suggestion[matmul-inner-dims] `a @ b` may fail (possible)
model.onnx:/head/Log_3: warning[log-of-nonpositive] `Log` receives [0, inf], so the result can be -inf (observed)
train.py:10:13: error[matmul-inner-dims] `Linear` expects 1024 features but gets 64*12*12 = 9216 (proved)
train.py:11:18: warning[missing-attribute] `Tensor` has no attribute `softmx` (likely)
Found 1 error, 2 warnings, 1 suggestion in 14 files (0.8 s); 1 input could not be analysed.
Analysed 120 operators, 3 not analysed.
5 more are less certain (4 possible, 1 likely): show them with --min-certainty possible
1 more is less severe: show it with --min-severity suggestion
2 more are suppressed by comments
7 more are in the baseline
"""
    )


def test_messages_are_collapsed_to_one_line(make) -> None:
    vetting = make(
        Finding("r", "PY1", Severity.ERROR, Certainty.PROVED, "one\r\n  two\tthree", Location("a\nb.py", 1, 2))
    )
    assert render("concise", vetting).splitlines()[0] == "a\\nb.py:1:2: error[r] one two three (proved)"


def test_nothing_from_a_file_reaches_the_terminal_raw(hostile: Vetting) -> None:
    text = render("concise", hostile)
    assert not {char for char in text if not char.isprintable()} - {"\n"}
    assert len(text.splitlines()) == len(hostile.findings) + 1


def test_colour(vetting: Vetting) -> None:
    assert "\x1b[1;31merror[matmul-inner-dims]\x1b[0m" in render("concise", vetting, color=True)


def test_statistics_are_sorted_by_count_then_name(make) -> None:
    rows = [("b-rule", "PY102", Severity.WARNING)] * 12 + [
        ("z-rule", "SHP1", Severity.ERROR),
        ("a-longer-rule", "N7", Severity.SUGGESTION),
    ]
    findings = [Finding(rule, code, severity, Certainty.LIKELY, "m", Location("a.py")) for rule, code, severity in rows]
    assert (
        statistics.render(make(*findings))
        == """\
12  PY102  b-rule         warning
 1  N7     a-longer-rule  suggestion
 1  SHP1   z-rule         error
"""
    )


def test_statistics_of_a_clean_run_are_empty(clean: Vetting) -> None:
    assert statistics.render(clean) == ""
