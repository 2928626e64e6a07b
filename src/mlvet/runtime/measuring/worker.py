"""One run of a script or of one of its functions, in a process of its own: how long it took and what came out.

`python worker.py FILE FUNCTION ANSWER ARGUMENTS...`; an empty function means the whole script. It needs nothing but the
standard library, so that any interpreter can run it. Numbers of the result, or of the names that the script leaves
behind, are written to ANSWER as JSON.
"""

from __future__ import annotations

import json
import os
import runpy
import sys
import time
from types import ModuleType

_MOST = 20_000
"""Numbers of one tensor that are kept."""
_NAMES = 200


def main() -> None:
    path, function, answer, *arguments = sys.argv[1:]
    sys.argv = [path, *arguments]
    sys.path[0] = os.environ.get("MLVET_MEASURED_FOLDER", os.path.dirname(os.path.abspath(path)))
    if function:
        wanted = runpy.run_path(path, run_name="__mlvet__")[function]
        started = time.perf_counter()
        left = {"result": wanted()}
        seconds = time.perf_counter() - started
    else:
        started = time.perf_counter()
        left = _script(path)
        seconds = time.perf_counter() - started
    kept = {name: found for name, value in list(left.items())[:_NAMES] if (found := _numbers(value)) is not None}
    with open(answer, "w", encoding="utf-8") as file:
        json.dump({"seconds": seconds, "memory": _memory(), "results": kept}, file)


def _script(path: str) -> dict[str, object]:
    try:
        names = runpy.run_path(path, run_name="__main__")
    except SystemExit as ended:
        if ended.code not in (None, 0):
            raise
        return {}
    return {name: value for name, value in names.items() if not name.startswith("__")}


def _numbers(value: object, depth: int = 0) -> object:
    """A value as nested lists of numbers; None where it is no number and holds none."""
    if isinstance(value, bool | int | float):
        return float(value)
    if hasattr(value, "shape") and not isinstance(value, type | ModuleType):
        return _elements(value)
    if isinstance(value, list | tuple) and depth < 3:
        parts = [_numbers(each, depth + 1) for each in value[:_MOST]]
        return parts if parts and all(each is not None for each in parts) else None
    return None


def _elements(value: object) -> list[float] | None:
    """The first elements of a tensor or array; None if they are no numbers."""
    try:
        for name in ("detach", "cpu", "numpy"):
            value = getattr(value, name)() if callable(getattr(value, name, None)) else value
        flat = value.reshape(-1)[:_MOST].tolist()  # type: ignore[attr-defined]
    except (AttributeError, RuntimeError, TypeError, ValueError):
        return None
    return [float(each) for each in flat] if all(isinstance(each, bool | int | float) for each in flat) else None


def _memory() -> int | None:
    """The most bytes that this process has held at once."""
    try:
        import resource
    except ImportError:
        return None
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return most if sys.platform == "darwin" else most * 1024


if __name__ == "__main__":
    main()
