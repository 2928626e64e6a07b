"""Identity of a finding across edits that move it."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import PurePath

from mlvet.core.finding import Finding
from mlvet.core.source import Source

_DEFINITION = re.compile(r"(\s*)(?:async\s+)?(?:def|class)\s+(\w+)")


def fingerprinted(findings: Iterable[Finding], sources: Mapping[str, Source], root: str, base: str) -> list[Finding]:
    """The findings in reporting order, each with its fingerprint.

    Fingerprint = hash of rule, path below `root`, enclosing qualified name, line text without white space,
    and the ordinal among findings that agree in all of these; so it survives moved lines. In a model the node is in the
    place of name and text, so it survives other ranges and settings. Paths of findings are
    relative to `base`; both folders are absolute, so the working folder does not matter.
    """
    seen: Counter[tuple[str, ...]] = Counter()
    stamped = []
    for finding in sorted(findings, key=lambda finding: finding.order):
        key = (finding.rule, _below(root, base, finding.location.path), *_context(finding, sources))
        digest = hashlib.sha256("\0".join((*key, str(seen[key]))).encode("utf-8", "surrogatepass"))
        seen[key] += 1
        stamped.append(replace(finding, fingerprint=digest.hexdigest()[:20]))
    return stamped


def _below(root: str, base: str, path: str) -> str:
    absolute = PurePath(base, path)
    return (absolute.relative_to(root) if absolute.is_relative_to(root) else absolute).as_posix()


def _context(finding: Finding, sources: Mapping[str, Source]) -> tuple[str, str]:
    source = sources.get(finding.location.path)
    line = source.flat_line(finding.location) if source else None
    if finding.location.node is not None:
        return (finding.location.node, "")
    if source is None or line is None:
        return ("", finding.message)
    text = source.lines[line - 1] if 0 < line <= len(source.lines) else ""
    return (enclosing_name(source.lines, line), re.sub(r"\s+", "", text))


def enclosing_name(lines: list[str], line: int) -> str:
    """Qualified name of the function or class around a line, read from indentation; works in broken files."""
    names: list[str] = []
    limit: int | None = None
    for text in reversed(lines[:line]):
        if limit == 0:
            break
        if not text.strip():
            continue
        indent = len(text) - len(text.lstrip())
        if limit is None:
            limit = indent
        match = _DEFINITION.match(text)
        if match and indent < limit:
            names.append(match.group(2))
        limit = min(limit, indent) if match or indent == 0 else limit
    return ".".join(reversed(names))
