"""Where the cache is, and that cleaning deletes it and nothing else."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

import pytest

from mlvet.core.errors import UsageError
from mlvet.engine.cache import cache_folder, clean


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home of its own, and a temporary folder of its own."""
    for name in ("MLVET_CACHE_DIR", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    for name in ("home", "temporary"):
        (tmp_path / name).mkdir()
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "temporary"))
    return tmp_path / "home"


def test_the_cache_is_in_the_home_folder(home: Path) -> None:
    assert cache_folder() == home / ".cache" / "mlvet"
    assert cache_folder().is_dir()


def test_the_desktop_setting_moves_the_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "caches"))
    assert cache_folder() == tmp_path / "caches" / "mlvet"


def test_a_relative_desktop_setting_is_ignored(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", "caches")
    assert cache_folder() == home / ".cache" / "mlvet"


def test_our_own_setting_wins(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "caches"))
    monkeypatch.setenv("MLVET_CACHE_DIR", str(tmp_path / "ours"))
    assert cache_folder() == tmp_path / "ours"


def test_a_missing_home_falls_back_to_the_temporary_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path / "nowhere"))
    assert cache_folder().is_relative_to(tmp_path / "temporary")
    assert not (tmp_path / "nowhere").exists()


def test_a_home_that_cannot_be_written_falls_back_to_the_temporary_folder(tmp_path: Path, home: Path) -> None:
    (home / ".cache").write_text("a file where the folder would be")
    assert cache_folder().is_relative_to(tmp_path / "temporary")


def test_a_setting_that_cannot_be_written_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("MLVET_CACHE_DIR", str(tmp_path / "file" / "cache"))
    with pytest.raises(UsageError, match="set MLVET_CACHE_DIR to another folder"):
        cache_folder()


def test_clean_frees_the_cache_and_keeps_its_neighbours(home: Path) -> None:
    folder = cache_folder()
    (folder / "deep").mkdir()
    (folder / "deep" / "entry").write_bytes(bytes(1000))
    neighbour = home / ".cache" / "other"
    neighbour.write_text("kept")
    outside = home / "outside"
    outside.write_bytes(bytes(5000))
    (folder / "link").symlink_to(outside)
    assert clean() == 1000 + len(str(outside))
    assert not folder.exists()
    assert neighbour.read_text() == "kept"
    assert outside.exists()


def test_clean_of_no_cache_frees_nothing(home: Path) -> None:
    assert clean() == 0
    assert list(home.iterdir()) == []


def test_clean_frees_the_fallback_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path / "nowhere"))
    (cache_folder() / "entry").write_bytes(bytes(10))
    assert clean() == 10


def test_clean_refuses_a_symbolic_link(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "precious").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "precious")
    monkeypatch.setenv("MLVET_CACHE_DIR", str(tmp_path / "link"))
    with pytest.raises(UsageError, match="symbolic link"):
        clean()
    assert (tmp_path / "precious").is_dir()


@pytest.mark.parametrize("place", ["home", ".", "temporary", "home/.."])
def test_clean_refuses_a_folder_that_holds_home_or_more(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, place: str
) -> None:
    monkeypatch.setenv("MLVET_CACHE_DIR", str(tmp_path / place))
    with pytest.raises(UsageError, match="it is not deleted"):
        clean()
    assert (tmp_path / "home").is_dir()


def test_clean_refuses_the_root_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MLVET_CACHE_DIR", os.sep)
    with pytest.raises(UsageError, match="it is not deleted"):
        clean()
