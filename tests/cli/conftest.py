"""Folders to run the command in."""

from __future__ import annotations

import os
import stat
import venv
from collections.abc import Callable, Iterator
from pathlib import Path

import command
import pytest

Bare = Callable[..., dict[str, str | None]]


@pytest.fixture(scope="session", autouse=True)
def _private_cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MLVET_CACHE_DIR", str(tmp_path_factory.mktemp("cache")))
        yield


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A folder with one buggy file, which is the root of its project."""
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "mlvet.toml").touch()
    (folder / "bug.py").write_text(command.BUG)
    return folder


@pytest.fixture(scope="session")
def bare_python(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A Python without any package, so that no checker stands beside it."""
    folder = tmp_path_factory.mktemp("bare") / "environment"
    venv.create(folder, with_pip=False, symlinks=True)
    return folder / "bin" / "python"


@pytest.fixture
def stand_ins(tmp_path: Path) -> Bare:
    """Variables under which programs of the given texts are found on PATH, beside those of the system."""

    def install(**scripts: str) -> dict[str, str | None]:
        folder = tmp_path / "stand-ins"
        folder.mkdir(exist_ok=True)
        for name, text in scripts.items():
            path = folder / name
            path.write_text(f"#!/bin/sh\n{text}\n")
            path.chmod(path.stat().st_mode | stat.S_IXUSR)
        return {"PATH": os.pathsep.join([str(folder), "/usr/bin", "/bin"])}

    return install
