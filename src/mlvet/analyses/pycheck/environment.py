"""The Python installation whose packages the program will see, found without running anything of the project's."""

from __future__ import annotations

import os
import re
import sys
import sysconfig
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from mlvet.core.errors import UsageError


@dataclass(frozen=True, slots=True)
class Environment:
    """Where third-party packages are and which Python they are for.

    `interpreter` may be executed by a checker, so it is only set for an installation that the user chose or
    that runs mlvet itself; a `.venv` found in the analysed project is read as data.
    """

    site_packages: tuple[Path, ...]
    version: str
    interpreter: Path | None
    origin: str

    def has(self, package: str) -> bool:
        """Whether a top-level package or module is installed here."""
        return any(package in _installed(folder) for folder in self.site_packages)

    def prefix(self) -> Path | None:
        """The folder of the installation, for tools that read it as data; None for an unusual layout."""
        folder = self.site_packages[0] if self.site_packages else None
        if folder is None or folder.name != "site-packages":
            return None
        return folder.parents[1] if folder.parent.name == "Lib" else folder.parents[2]


@cache
def _installed(folder: Path) -> frozenset[str]:
    """Top-level packages and modules in a folder of packages."""
    entries = os.listdir(folder) if folder.is_dir() else []
    return frozenset(
        entry.split(".")[0] for entry in entries if not entry.endswith((".dist-info", ".egg-info", ".pth"))
    )


def find_environment(chosen: Path | None, project: Path, *, trusted: bool = False) -> Environment:
    """The chosen interpreter or folder; else the active virtual or conda environment; else the project's
    `.venv`; else the one that mlvet runs in."""
    if chosen is not None:
        return _chosen(chosen, trusted=trusted)
    for variable in ("VIRTUAL_ENV", "CONDA_PREFIX"):
        prefix = os.environ.get(variable)
        found = _from_prefix(Path(prefix), trusted=True, origin=f"${variable}") if prefix else None
        if found:
            return found
    for name in (".venv", "venv"):
        found = _from_prefix(project / name, trusted=False, origin=f"the project's {name}")
        if found:
            return found
    return _own()


def _own() -> Environment:
    folders = dict.fromkeys(Path(sysconfig.get_path(key)) for key in ("purelib", "platlib"))
    version = f"{sys.version_info.major}.{sys.version_info.minor}"
    return Environment(tuple(folders), version, Path(sys.executable), "mlvet's own")


def _chosen(path: Path, *, trusted: bool) -> Environment:
    prefix = Path(os.path.abspath(path if path.is_dir() else path.parent.parent))
    found = _from_prefix(prefix, trusted=trusted, origin=str(path))
    if found is None:
        raise UsageError(f"{path}: not a Python interpreter or environment")
    return found


def _from_prefix(prefix: Path, *, trusted: bool, origin: str) -> Environment | None:
    layouts = sorted(prefix.glob("lib/python3.*/site-packages"), reverse=True)
    windows = prefix / "Lib" / "site-packages"
    if layouts:
        match = re.search(r"python(3\.\d+)", str(layouts[0]))
        version = match.group(1) if match else f"3.{sys.version_info.minor}"
    elif windows.is_dir():
        layouts, version = [windows], _version_from_config(prefix)
    else:
        return None
    interpreter = next((path for path in (prefix / "bin/python", prefix / "Scripts/python.exe") if path.exists()), None)
    return Environment((layouts[0],), version, interpreter if trusted else None, origin)


def _version_from_config(prefix: Path) -> str:
    config = prefix / "pyvenv.cfg"
    match = re.search(r"version\w*\s*=\s*(3\.\d+)", config.read_text(encoding="utf-8")) if config.is_file() else None
    return match.group(1) if match else f"3.{sys.version_info.minor}"
