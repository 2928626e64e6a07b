"""Places are shown and ordered as people read; grades are scales."""

from __future__ import annotations

from mlvet.core.grade import Certainty, Severity
from mlvet.core.location import Location
from mlvet.core.source import Source

NOTEBOOK = Source("n.ipynb", "a\nb\nc\nd\n", cells=((1, 1), (3, 2), (4, 4)), verbatim=False)


def test_a_place_reads_from_the_file_inwards() -> None:
    assert str(Location("a.py", 3, 5)) == "a.py:3:5"
    assert str(Location("n.ipynb", 3, 5, cell=2)) == "n.ipynb:cell 2:3:5"
    assert str(Location("m.onnx", node="/head/Log")) == "m.onnx:/head/Log"


def test_only_known_parts_are_written() -> None:
    assert Location("a.py", 3).to_json() == {"path": "a.py", "line": 3}


def test_places_are_ordered_by_file_cell_line_and_column() -> None:
    places = [Location("a.py", 10), Location("a.py", 9, 2), Location("a.py", 9, 1), Location("b.ipynb", 1, cell=2)]
    assert sorted(places, key=lambda place: place.order) == [places[2], places[1], places[0], places[3]]


def test_flat_lines_become_cells_and_back() -> None:
    place = NOTEBOOK.location(3, 1, 4, 2)
    assert place == Location("n.ipynb", 2, 1, 3, 2, cell=3)
    assert NOTEBOOK.flat_line(place) == 3
    assert NOTEBOOK.line(place) == "c"
    assert NOTEBOOK.flat_line(Location("n.ipynb", 1, cell=99)) is None


def test_grades_are_ordered_from_weak_to_strong() -> None:
    assert list(Severity) == ["suggestion", "warning", "error"]
    assert list(Certainty) == ["possible", "likely", "observed", "proved"]
    assert Severity.ERROR.at_least(Severity.WARNING)
    assert Severity.WARNING.at_least(Severity.WARNING)
    assert not Certainty.POSSIBLE.at_least(Certainty.LIKELY)
