"""Known findings, remembered by fingerprint so that only new ones are shown."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path

from mlvet.core.errors import UsageError
from mlvet.core.finding import Finding

DEFAULT_NAME = "mlvet-baseline.json"
_FORMAT = 1


def read_baseline(path: Path) -> frozenset[str]:
    """The fingerprints of a baseline file."""
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
        if document["version"] != _FORMAT:
            raise UsageError(
                f"{path}: baseline version {document['version']} is not {_FORMAT}; run `mlvet baseline` again"
            )
        return frozenset(entry["fingerprint"] for entry in document["findings"])
    except OSError as error:
        raise UsageError(f"{path}: cannot read the baseline: {error.strerror}") from error
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise UsageError(f"{path}: not a baseline file; run `mlvet baseline` to write one") from error


def write_baseline(path: Path, findings: Iterable[Finding]) -> int:
    """Write the findings' fingerprints, with enough beside them to review the file; returns how many."""
    entries = [
        {
            "fingerprint": finding.fingerprint,
            "rule": finding.rule,
            "path": finding.location.path,
            "message": finding.message,
        }
        for finding in findings
    ]
    try:
        path.write_text(json.dumps({"version": _FORMAT, "findings": entries}, indent=2) + "\n", encoding="utf-8")
    except OSError as error:
        raise UsageError(f"{path}: cannot write the baseline: {error.strerror}") from error
    return len(entries)
