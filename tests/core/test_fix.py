"""Edits are applied whole, in any order, and never on top of each other."""

from __future__ import annotations

import pytest

from mlvet.core.fix import Applicability, Edit, Fix, apply_edits
from mlvet.core.location import Location


def replacing(content: str, line: int, column: int, end_line: int, end_column: int) -> Edit:
    return Edit(Location("a.py", line, column, end_line, end_column), content)


def safe(*edits: Edit) -> Fix:
    return Fix("a cure", edits, Applicability.SAFE)


def test_fixes_apply_whatever_their_order() -> None:
    first, second = safe(replacing("A", 1, 1, 1, 2)), safe(replacing("CC", 1, 3, 1, 4))
    assert apply_edits("abc\n", [first, second]) == ("AbCC\n", 2)
    assert apply_edits("abc\n", [second, first]) == ("AbCC\n", 2)


def test_an_overlapping_fix_waits_for_the_next_round() -> None:
    first, second = safe(replacing("X", 1, 1, 1, 3)), safe(replacing("Y", 1, 2, 1, 4))
    assert apply_edits("abcd\n", [first, second]) == ("Xcd\n", 1)


def test_neighbours_do_not_overlap() -> None:
    assert apply_edits("abcd\n", [safe(replacing("X", 1, 1, 1, 3)), safe(replacing("Y", 1, 3, 1, 5))]) == ("XY\n", 2)


def test_identical_edits_of_two_fixes_are_made_once() -> None:
    edit = replacing("import os\n", 1, 1, 1, 1)
    assert apply_edits("os.getcwd()\n", [safe(edit), safe(edit)]) == ("import os\nos.getcwd()\n", 2)


def test_two_insertions_at_one_place_do_not_both_win() -> None:
    text, applied = apply_edits("x\n", [safe(replacing("a", 1, 1, 1, 1)), safe(replacing("b", 1, 1, 1, 1))])
    assert (text, applied) == ("ax\n", 1)


def test_a_fix_is_applied_whole_or_not_at_all() -> None:
    taken = safe(replacing("X", 2, 1, 2, 2))
    both = safe(replacing("Y", 1, 1, 1, 2), replacing("Z", 2, 1, 2, 2))
    assert apply_edits("a\nb\n", [taken, both]) == ("a\nX\n", 1)


def test_an_edit_can_span_lines() -> None:
    assert apply_edits("a(\n  1,\n)\nb\n", [safe(replacing("()", 1, 2, 3, 2))]) == ("a()\nb\n", 1)


def test_an_insertion_can_stand_after_the_last_line() -> None:
    assert apply_edits("a\n", [safe(replacing("b\n", 2, 1, 2, 1))]) == ("a\nb\n", 1)


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_line_ends_count_as_they_are(end: str) -> None:
    assert apply_edits(f"a{end}b{end}", [safe(replacing("B", 2, 1, 2, 2))]) == (f"a{end}B{end}", 1)


def test_a_form_feed_ends_no_line() -> None:
    assert apply_edits("a\f\x1c\u2028b\nc\n", [safe(replacing("C", 2, 1, 2, 2))]) == ("a\f\x1c\u2028b\nC\n", 1)


def test_columns_count_characters() -> None:
    assert apply_edits("é𝄞 = x\n", [safe(replacing("y", 1, 6, 1, 7))]) == ("é𝄞 = y\n", 1)


def test_no_fixes_change_nothing() -> None:
    assert apply_edits("a\n", []) == ("a\n", 0)
    assert apply_edits("a\n", [Fix("think again")]) == ("a\n", 0)


def test_an_edit_needs_a_whole_span() -> None:
    with pytest.raises(ValueError, match="whole span"):
        apply_edits("a\n", [safe(Edit(Location("a.py", 1), "b"))])


def test_a_fix_has_edits_exactly_when_it_can_be_applied() -> None:
    with pytest.raises(ValueError, match="edits exactly"):
        Fix("nothing to do", (), Applicability.SAFE)
    with pytest.raises(ValueError, match="edits exactly"):
        Fix("advice", (replacing("", 1, 1, 1, 1),), Applicability.MANUAL)
    with pytest.raises(ValueError, match="why it is unsafe"):
        Fix("a guess", (replacing("", 1, 1, 1, 1),), Applicability.UNSAFE)
