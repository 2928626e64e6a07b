"""What other tools say about the speed of the same files: ruff and perflint of Python, torchfix of PyTorch."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

PEERS = {
    "ruff PERF": (("ruff", "check", "--isolated", "--select", "PERF", "--output-format", "concise"), r" PERF\d+ "),
    "torchfix TOR4": (("torchfix", "--select", "ALL"), r" TOR4\d+ "),
    "perflint": (("perflint",), r": W8[24]\d+: "),
}  # fmt: skip
"""The command of each tool, and what a finding about speed looks like in what it prints."""


def counts(files: Sequence[Path]) -> tuple[str, ...]:
    """How many findings each tool has in some files, a dash where the tool is not installed."""
    return tuple(_count(command, pattern, files) for command, pattern in PEERS.values())


def _count(command: Sequence[str], pattern: str, files: Sequence[Path]) -> str:
    if shutil.which(command[0]) is None:
        return "-"
    done = subprocess.run([*command, *map(str, files)], capture_output=True, text=True, check=False)
    return str(len(re.findall(pattern, done.stdout)))
