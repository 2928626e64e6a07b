"""The table of formats: complete, lazy, and helpful about a wrong name."""

from __future__ import annotations

import subprocess
import sys

import pytest

from mlvet.core.errors import UsageError
from mlvet.core.result import Vetting
from mlvet.report import FORMATS, render

CONTRACT = ["full", "concise", "json", "jsonl", "sarif", "github", "gitlab", "junit", "html"]


def test_the_formats_of_the_command_line() -> None:
    assert list(FORMATS) == CONTRACT


@pytest.mark.parametrize("format", CONTRACT)
def test_every_format_renders_every_run(format: str, vetting: Vetting, clean: Vetting, hostile: Vetting) -> None:
    for run in (vetting, clean, hostile):
        text = render(format, run)
        assert text.encode("utf-8").endswith(b"\n") or (format == "github" and not run.findings)


@pytest.mark.parametrize("format", sorted(set(CONTRACT) - {"full", "concise"}))
def test_formats_for_programs_have_no_colour(format: str, vetting: Vetting) -> None:
    assert render(format, vetting, color=True) == render(format, vetting)


def test_unknown_format_suggests_the_nearest(clean: Vetting) -> None:
    with pytest.raises(UsageError, match="unknown output format `serif`; did you mean `sarif`"):
        render("serif", clean)


def test_a_format_is_imported_only_when_it_is_asked_for() -> None:
    program = """
import sys
import mlvet.report as report
from mlvet.core.result import Summary, Vetting
loaded = lambda: sorted(set(report.FORMATS.values()) & set(sys.modules))
print(loaded())
report.render("jsonl", Vetting((), Summary(), {}, {}, "/", "/"))
print(loaded())
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n['mlvet.report.jsonl']\n"
