"""Fixes written to files, or shown as a difference."""

from __future__ import annotations

import ast
import codecs
import difflib
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path

from mlvet.core.config import Config
from mlvet.core.errors import InternalError
from mlvet.core.executor import Executor
from mlvet.core.fix import Applicability, Fix, apply_edits
from mlvet.core.result import Problem, Vetting
from mlvet.core.source import Source, split_lines
from mlvet.pipeline import vet

_ROUNDS = 10


def fix(paths: Iterable[Path], config: Config, executor: Executor, *, unsafe: bool) -> tuple[Vetting, int]:
    """Apply fixes and look again until nothing more can be fixed; the last look and the number of fixes."""
    paths = list(paths)
    total = 0
    refused: dict[str, Problem] = {}
    for _ in range(_ROUNDS):
        vetting = vet(paths, config, executor)
        fixed = 0
        for source, text, applied in _fixed(vetting, unsafe=unsafe):
            try:
                written = _write(Path(vetting.base) / source.path, source, text)
            except OSError as error:
                written = False
                refused[source.path] = Problem(source.path, f"cannot be fixed: {error.strerror or error}")
            fixed += applied if written else 0
        total += fixed
        if not fixed:
            break
    problems = (*vetting.summary.problems, *refused.values())
    return replace(vetting, summary=replace(vetting.summary, problems=problems)), total


def difference(vetting: Vetting, *, unsafe: bool) -> str:
    """A unified difference of what the fixes would change."""
    pieces: list[str] = []
    for source, text, _ in _fixed(vetting, unsafe=unsafe):
        pieces += difflib.unified_diff(split_lines(source.text), split_lines(text), source.path, source.path)
    return "".join(piece if piece.endswith("\n") else piece + "\n\\ No newline at end of file\n" for piece in pieces)


def _fixed(vetting: Vetting, *, unsafe: bool) -> Iterator[tuple[Source, str, int]]:
    """The files that fixes change, with their new texts; a fix of two files, or of one not among the paths, is left."""
    allowed = {Applicability.SAFE, Applicability.UNSAFE} if unsafe else {Applicability.SAFE}
    chosen: dict[str, list[Fix]] = defaultdict(list)
    for finding in vetting.findings:
        if finding.fix is not None and finding.fix.applicability in allowed:
            paths = {edit.location.path for edit in finding.fix.edits}
            if len(paths) == 1 and not paths.isdisjoint(vetting.sources):
                chosen[paths.pop()].append(finding.fix)
    for path, fixes in chosen.items():
        source = vetting.sources[path]
        text, applied = apply_edits(source.text, fixes)
        if source.verbatim and text != source.text:
            if _parses(source.text) and not _parses(text):
                raise InternalError(f"a fix would break {path}; nothing was written to it")
            yield source, text, applied


def _parses(text: str) -> bool:
    try:
        ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return True


def _write(path: Path, source: Source, text: str) -> bool:
    """Write the new text unless the file has changed since it was read; a byte-order mark stays."""
    data = path.read_bytes()
    mark = codecs.BOM_UTF8 if data.startswith(codecs.BOM_UTF8) else b""
    if data != mark + source.text.encode("utf-8"):
        return False
    path.write_bytes(mark + text.encode("utf-8"))
    return True
