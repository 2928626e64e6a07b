"""What other tools say about the speed of the same files: ruff and perflint of Python, torchfix of PyTorch."""

from __future__ import annotations

import re
import shutil
import subprocess
import sysconfig
from collections.abc import Sequence
from pathlib import Path

from benchmarks.efficiency.repositories import CORPORA
from benchmarks.table import Table

COMMAND = "python -m benchmarks.efficiency --corpora DIR --only peers"
PEERS = {
    "ruff PERF": (("ruff", "check", "--isolated", "--select", "PERF", "--output-format", "concise"), r" PERF\d+ "),
    "torchfix TOR4": (("torchfix", "--select", "ALL"), r" TOR4\d+ "),
    "perflint": (("perflint",), r": W8[24]\d+: "),
}  # fmt: skip
"""The command of each tool, and what a finding about speed looks like in what it prints."""


def main(corpora: Path) -> Table:
    """How many findings each tool has in the files of each repository, a dash where it is not installed."""
    rows: list[tuple[object, ...]] = []
    for corpus in CORPORA:
        files = corpus.files(corpora)
        counts = (_count(command, pattern, files) for command, pattern in PEERS.values())
        rows.append((corpus.name, len(files), *counts))
    return Table(
        "efficiency-peers", "Efficiency: what other tools say about speed in the same files", COMMAND,
        ("repository", "files", *PEERS), rows, ("Counts of findings, which nobody classified.",),
    )  # fmt: skip


def _count(command: Sequence[str], pattern: str, files: Sequence[Path]) -> str:
    found = shutil.which(command[0]) or shutil.which(command[0], path=sysconfig.get_path("scripts"))
    if found is None:
        return "-"
    done = subprocess.run([found, *command[1:], *map(str, files)], capture_output=True, text=True, check=False)
    return str(len(re.findall(pattern, done.stdout)))
