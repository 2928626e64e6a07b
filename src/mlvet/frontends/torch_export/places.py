"""Where an exported operator comes from: frames of its recorded stack trace, and the path of its layer."""

from __future__ import annotations

import re
from functools import lru_cache

from mlvet.core.location import Location
from mlvet.ir.graph import Frame

_FRAME = re.compile(r'^\s*File "([^"]+)", line (\d+), in (.+)$', re.MULTILINE)
_INSTALLED = ("/site-packages/", "/dist-packages/", "/lib/python3")


@lru_cache(maxsize=4096)
def place(stack_trace: str) -> tuple[Location | None, tuple[Frame, ...]]:
    """The line that the user wrote and the calls that led to the operator, outermost first.

    The line is in the innermost frame outside of installed packages, or else in the innermost one outside of torch.
    """
    frames = tuple(
        Frame(function.strip(), Location(path, int(line)))
        for path, line, function in _FRAME.findall(stack_trace)
        if not path.startswith("<")
    )
    outside = [frame for frame in frames if not _of_torch(frame.location.path)]
    own = [frame for frame in outside if not any(part in _slashed(frame.location.path) for part in _INSTALLED)]
    chosen = own or outside
    return (chosen[-1].location if chosen else None), frames


def module_path(qualified: tuple[str, ...]) -> str:
    """The path of the innermost layer."""
    return qualified[-1].partition("@")[0] if qualified else ""


def _of_torch(path: str) -> bool:
    path = _slashed(path)
    return path.startswith("torch/") or any(f"{part}torch/" in path for part in _INSTALLED[:2])


def _slashed(path: str) -> str:
    return path.replace("\\", "/")
