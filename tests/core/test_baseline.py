"""A baseline file holds fingerprints, is readable by people, and says what is wrong with it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from mlvet.core.baseline import read_baseline, write_baseline
from mlvet.core.errors import UsageError
from mlvet.core.finding import Finding
from mlvet.core.grade import Certainty, Severity
from mlvet.core.location import Location

FINDING = Finding(
    "a-rule", "PY999", Severity.ERROR, Certainty.PROVED, "a fact about é", Location("a.py", 1), fingerprint="0123abcd"
)


def test_what_is_written_is_read_again(tmp_path: Path) -> None:
    path = tmp_path / "known.json"
    assert write_baseline(path, [FINDING]) == 1
    assert read_baseline(path) == {"0123abcd"}


def test_an_entry_can_be_reviewed(tmp_path: Path) -> None:
    path = tmp_path / "known.json"
    write_baseline(path, [FINDING])
    assert json.loads(path.read_text(encoding="utf-8"))["findings"] == [
        {"fingerprint": "0123abcd", "rule": "a-rule", "path": "a.py", "message": "a fact about é"}
    ]


def test_no_findings_make_an_empty_baseline(tmp_path: Path) -> None:
    assert write_baseline(tmp_path / "known.json", []) == 0
    assert read_baseline(tmp_path / "known.json") == frozenset()


@pytest.mark.parametrize(
    "text", ["", "{}", "[1]", "null", '{"version": 1}', '{"version": 1, "findings": [1]}', "\ufeff{}", "[" * 100_000]
)
def test_a_file_that_is_no_baseline_says_so(tmp_path: Path, text: str) -> None:
    (tmp_path / "known.json").write_text(text, encoding="utf-8")
    with pytest.raises(UsageError, match="not a baseline file; run `mlvet baseline`"):
        read_baseline(tmp_path / "known.json")


def test_another_version_says_so(tmp_path: Path) -> None:
    (tmp_path / "known.json").write_text('{"version": 2, "findings": []}')
    with pytest.raises(UsageError, match="version 2 is not 1"):
        read_baseline(tmp_path / "known.json")


def test_places_that_cannot_be_read_or_written_say_so(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="cannot read the baseline"):
        read_baseline(tmp_path)
    with pytest.raises(UsageError, match="cannot write the baseline"):
        write_baseline(tmp_path / "absent" / "known.json", [])
