"""Versions of a package, and folders that hold one of them each: put first on the path, they replace what is installed.

Only the package itself is exchanged, and what it depends on is added where the interpreter has none of it: a folder is
made in seconds, where a whole environment would take minutes. pip does the work, with the settings of the user.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
from importlib.metadata import distributions
from pathlib import Path

from mlvet.core.errors import UsageError

_SECONDS = 600.0


class NotInstalled(Exception):
    """A version that pip cannot put into a folder, and why."""


def versions(package: str) -> list[str]:
    """All versions that pip can find for this interpreter, the oldest first."""
    done = _pip("index", "versions", package)
    listed = re.search(r"^Available versions: (.+)$", done.stdout, re.MULTILINE)
    if done.returncode or listed is None:
        raise UsageError(f"--bisect: pip finds no versions of {package}: {_last(done)}")
    return [each.strip() for each in listed[1].split(",")][::-1]


def between(known: list[str], package: str, first: str, last: str) -> list[str]:
    """The versions from one to another, both among them."""
    for each in (first, last):
        if each not in known:
            raise UsageError(f"--bisect: there is no {package} {each} (there are: {', '.join(known[-8:])})")
    start, end = known.index(first), known.index(last)
    if start >= end:
        raise UsageError(f"--bisect: {package} {first} is not before {last}")
    return known[start : end + 1]


def folder_of(package: str, version: str) -> Path:
    """A folder that holds a version of a package; made once and kept in the user's cache."""
    tag = f"{sys.implementation.name}{sys.version_info[0]}{sys.version_info[1]}"
    folder = _cache() / f"{package}-{version}-{tag}"
    if folder.is_dir():
        return folder
    folder.parent.mkdir(parents=True, exist_ok=True)
    made = Path(tempfile.mkdtemp(prefix=f"{package}-", dir=folder.parent))
    try:
        wanted = [f"{package}=={version}"]
        while wanted:
            done = _pip("install", "--no-deps", "--target", str(made), *wanted)
            if done.returncode:
                raise NotInstalled(_last(done))
            wanted = _missing(made)
        made.rename(folder)
    except OSError:
        if not folder.is_dir():
            raise
    finally:
        shutil.rmtree(made, ignore_errors=True)
    return folder


def _missing(folder: Path) -> list[str]:
    """What the packages of a folder need and neither it nor the interpreter has."""
    held = list(distributions(path=[str(folder)]))
    known = {_plain(each.name) for each in (*held, *distributions())}
    needed = [line for each in held for line in each.requires or () if "extra ==" not in line and ";" not in line]
    names = dict.fromkeys(re.split(r"[^\w.-]", line.strip())[0] for line in needed)
    return [name for name in names if _plain(name) not in known]


def _plain(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def _cache() -> Path:
    base = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    return Path(base) / "mlvet" / "versions"


def _pip(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--no-input", *arguments]
    try:
        return subprocess.run(command, capture_output=True, text=True, timeout=_SECONDS, check=False)
    except subprocess.TimeoutExpired:
        return subprocess.CompletedProcess(command, 1, "", f"pip gave no answer within {_SECONDS:g} s")


def _last(done: subprocess.CompletedProcess[str]) -> str:
    lines = [line for line in done.stderr.splitlines() if line.startswith("ERROR")] or done.stderr.splitlines()
    return lines[-1].removeprefix("ERROR: ") if lines else "no reason given"
