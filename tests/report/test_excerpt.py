"""Excerpts: for every span of a difficult line, exactly the span is marked."""

from __future__ import annotations

from itertools import product

import pytest

from mlvet.core.location import Location
from mlvet.core.source import Source
from mlvet.report.excerpt import WINDOW, around, first_line
from mlvet.report.terminal import cells, visible, width

LINES = ["\tx = f(面, 'e\u0301')\x1b # \u202e", "", "plain", "\t", "a" * 130 + "\t面" * 30]


@pytest.mark.parametrize("text", LINES)
def test_the_span_is_marked_whatever_it_is(text: str) -> None:
    source = Source("a.py", text + "\n")
    shown = cells(text)
    step = 1 + len(text) // 40
    for start, end in product(range(1, len(text) + 3, step), repeat=2):
        line = first_line(source, Location("a.py", 1, start, 1, end))
        assert line is not None
        assert width(line.text.strip("…")) <= WINDOW + 1
        if start > len(text):
            assert line.marked == " "
        else:
            assert "".join(shown[start - 1 : max(end - 1, start)]).startswith(line.marked)
            assert line.marked
        if "…" not in line.text:
            assert line.text.rstrip() == "".join(shown).rstrip()
            assert width(line.before) == width("".join(shown[: start - 1]))


def test_a_line_of_a_megabyte_is_cut() -> None:
    source = Source("a.py", "x" * 1_000_000)
    for column in (1, 500_000, 999_999):
        line = first_line(source, Location("a.py", 1, column, 1, column + 1))
        assert line is not None
        assert line.marked == "x"
        assert len(line.text) <= WINDOW + 2


def test_context_is_trimmed_of_blank_lines_and_ends_with_the_file() -> None:
    source = Source("a.py", "\n\none\ntwo\n\n")
    assert [line.number for line in around(source, Location("a.py", 4, 1), 2)] == [3, 4]
    assert [line.number for line in around(source, Location("a.py", 3, 1), 2)] == [3, 4]


def test_long_span_shows_its_first_ten_lines() -> None:
    source = Source("a.py", "x\n" * 50)
    lines = around(source, Location("a.py", 5, 1, 40, 2), 0)
    assert [line.number for line in lines] == list(range(5, 15))
    assert {line.marked for line in lines} == {"x"}


@pytest.mark.parametrize("location", [Location("a.py"), Location("a.py", 7), Location("a.py", 1, cell=9)])
def test_no_excerpt_where_there_is_no_line(location: Location) -> None:
    source = Source("a.py", "x\n", cells=((1, 1),))
    assert first_line(source, location) is None
    assert around(source, location, 2) == []
    assert first_line(None, location) is None


def test_visible_keeps_ordinary_text_and_escapes_the_rest() -> None:
    assert visible("naïve 面 e\u0301 👩‍🔬") == "naïve 面 e\u0301 👩‍🔬"
    assert visible("\x7f\x85\u2028\u2066\ud83d\t\n") == "\\x7f\\x85\\u2028\\u2066\\ud83d\\t\\n"
