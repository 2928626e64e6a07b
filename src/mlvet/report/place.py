"""Places as other programs want them: paths below the project, lines of the file on disk."""

from __future__ import annotations

import os
from pathlib import PurePath, PurePosixPath
from urllib.parse import quote

from mlvet.core.location import Location
from mlvet.core.result import Vetting


def project_path(path: str, vetting: Vetting) -> str:
    """A shown path relative to the project's root, with forward slashes; absolute when it lies outside."""
    absolute = PurePath(os.path.normpath(PurePath(vetting.base, path)))
    return (absolute.relative_to(vetting.root) if absolute.is_relative_to(vetting.root) else absolute).as_posix()


def uri(project_path: str) -> str:
    """A path from `project_path` as a percent-encoded URI reference; `file:` when it is absolute."""
    try:
        raw = project_path.encode("utf-8", "surrogateescape")  # the bytes of a name that is not UTF-8
    except UnicodeEncodeError:
        raw = project_path.encode("utf-8", "replace")
    encoded = quote(raw, safe="/")
    if PurePosixPath(project_path).is_absolute():
        return f"file://{encoded}"
    if PurePath(project_path).is_absolute():  # a drive letter
        return f"file:///{encoded}"
    return encoded


def disk_line(location: Location) -> int | None:
    """The line of the file on disk; a line within a notebook cell is no such line."""
    return location.line if location.cell is None else None


def within(location: Location) -> str:
    """The place inside a notebook or model file in words, empty for a place that line and column say in full."""
    if location.node is not None:
        return location.node
    if location.cell is None:
        return ""
    return f"cell {location.cell}" + (f", line {location.line}" if location.line is not None else "")


def placed(message: str, location: Location) -> str:
    """The message, led by the place inside a notebook or model file if there is one."""
    where = within(location)
    return f"{where}: {message}" if where else message
