"""Recordings are of the cases that there are, are small, and say how they were made."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import recordings
from library_cases import cases, files, libraries
from recordings import RECORDED, recorded_answers

LARGEST = 1_000_000
STORES = sorted(RECORDED.glob("*.jsonl"))


@pytest.mark.parametrize("store", STORES, ids=[store.stem for store in STORES])
def test_a_recording_is_small_and_its_environment_is_described(store: Path) -> None:
    assert store.stat().st_size < LARGEST
    assert store.stem in libraries()
    assert store.stem in (RECORDED / "README.md").read_text(encoding="utf-8")
    assert store.with_suffix(".names").exists()


@pytest.mark.parametrize("change", ["absent", "other"])
def test_cases_that_are_not_recorded_fail(change: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    texts = [case.text for file in files("gin") for case in cases(file)]
    told = texts[1:] if change == "absent" else [f"{texts[0]} ", *texts[1:]]
    (tmp_path / "gin.jsonl").write_text("".join(json.dumps([text, []]) + "\n" for text in told), encoding="utf-8")
    monkeypatch.setattr(recordings, "RECORDED", tmp_path)
    with pytest.raises(AssertionError, match="record again") as failure:
        recorded_answers("gin")
    assert texts[0] in str(failure.value)


def test_recorded_cases_that_are_gone_fail(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    texts = [case.text for file in files("gin") for case in cases(file)]
    lines = (json.dumps([text, []]) + "\n" for text in [*texts, "1 + 1"])
    (tmp_path / "gin.jsonl").write_text("".join(lines), encoding="utf-8")
    monkeypatch.setattr(recordings, "RECORDED", tmp_path)
    with pytest.raises(AssertionError, match="gone"):
        recorded_answers("gin")
