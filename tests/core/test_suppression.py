"""Which lines a `# mlvet: ignore` comment covers, and for which rules."""

from __future__ import annotations

import pytest

from mlvet.core.source import Source
from mlvet.core.suppression import Suppression, suppressions


def found(text: str) -> list[Suppression]:
    return suppressions(Source("a.py", text))


def lines(text: str) -> list[tuple[int, int]]:
    return [(each.first, each.last) for each in found(text)]


def test_a_trailing_comment_covers_its_line() -> None:
    (comment,) = found("a = 1\nb = 2  # mlvet: ignore[rule-name]\nc = 3\n")
    assert comment == Suppression(("rule-name",), 2, 2, line=2, column=8, end_column=34)
    assert [comment.covers(line) for line in (1, 2, 3)] == [False, True, False]


def test_a_comment_on_its_own_line_covers_the_next_statement() -> None:
    assert lines("# mlvet: ignore\n\n# words\nx = call(\n    1,\n)\ny = 2\n") == [(4, 6)]


def test_a_comment_inside_a_statement_covers_all_of_it() -> None:
    assert lines("x = call(\n    1,  # mlvet: ignore\n    2,\n)\n") == [(1, 4)]


def test_a_comment_after_a_statement_of_many_lines_covers_all_of_it() -> None:
    assert lines("x = call(\n    1,\n)  # mlvet: ignore\n") == [(1, 3)]


def test_a_comment_on_the_head_of_a_block_covers_the_head_only() -> None:
    assert lines("if x:  # mlvet: ignore\n    y()\n") == [(1, 1)]


def test_a_comment_above_a_nested_statement_covers_it() -> None:
    assert lines("def f():\n    # mlvet: ignore\n    return x\n") == [(3, 3)]


def test_text_in_a_string_is_no_comment() -> None:
    assert found('x = "# mlvet: ignore"\ny = """\n# mlvet: ignore\n"""\n') == []


@pytest.mark.parametrize(
    ("comment", "rules"),
    [
        ("# mlvet: ignore", None),
        ("#mlvet:ignore", None),
        ("# noqa: F821  # mlvet: ignore", None),
        ("# mlvet: ignore  # why", None),
        ("# mlvet: ignore because", None),
        ("# mlvet: ignore[one]", ("one",)),
        ("# mlvet: ignore[ One , PY101 ,]", ("one", "py101")),
        ("# mlvet: ignore[]", ()),
    ],
)
def test_forms_of_the_comment(comment: str, rules: tuple[str, ...] | None) -> None:
    assert [each.rules for each in found(f"x = 1  {comment}\n")] == [rules]


@pytest.mark.parametrize(
    "comment", ["# mlvet: ignored", "# mlvet ignore", "# mlvet: ignore[one", "# mlvet: ignore[a]b"]
)
def test_other_comments_are_not_meant(comment: str) -> None:
    assert found(f"x = 1  {comment}\n") == []


def test_columns_count_characters() -> None:
    (comment,) = found("é = '𝄞'  # mlvet: ignore\n")
    assert (comment.column, comment.end_column) == (10, 25)


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_every_line_end_ends_a_line(end: str) -> None:
    assert lines(f"a = 1{end}b = 2  # mlvet: ignore{end}") == [(2, 2)]


@pytest.mark.parametrize(
    "broken",
    ["def f(:\n    x  # mlvet: ignore\n", "x = (1,\ny = 2  # mlvet: ignore\n", "x = 'abc\ny = 2  # mlvet: ignore\n"],
)
def test_a_broken_file_keeps_its_comments_line_by_line(broken: str) -> None:
    assert [each.covers(2) for each in found(broken)] == [True]


def test_a_comment_at_the_end_of_the_file_needs_no_line_end() -> None:
    assert lines("x = 1  # mlvet: ignore") == [(1, 1)]
    assert lines("x = 1\n# mlvet: ignore") == [(2, 2)]
