"""What every benchmark needs: a table in Markdown, a JSON file, and the facts of the machine."""

from __future__ import annotations

import json
import os
import platform
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent


@dataclass(frozen=True, slots=True)
class Table:
    """One benchmark's outcome: the command that repeats it, the columns, the rows, and remarks below the table.

    `details` are figures too many for a table, for the JSON file alone.
    """

    name: str
    title: str
    command: str
    columns: Sequence[str]
    rows: Sequence[Sequence[Any]]
    remarks: Sequence[str] = ()
    details: Mapping[str, Any] | None = None

    def markdown(self) -> str:
        lines = [
            f"### {self.title}",
            "",
            f"{date.today().isoformat()}, {machine()}. Repeat with `{self.command}`.",
            "",
            "| " + " | ".join(self.columns) + " |",
            "|" + "---|" * len(self.columns),
            *("| " + " | ".join(str(cell) for cell in row) + " |" for row in self.rows),
        ]
        return "\n".join([*lines, *(f"\n{remark}" for remark in self.remarks)]) + "\n"

    def write(self) -> None:
        """Save the figures as JSON and put the table into README.md between its marks."""
        document = {
            "name": self.name,
            "date": date.today().isoformat(),
            "machine": machine(),
            "command": self.command,
            "columns": list(self.columns),
            "rows": [list(row) for row in self.rows],
            **({"details": self.details} if self.details is not None else {}),
        }
        (HERE / "results").mkdir(exist_ok=True)
        (HERE / "results" / f"{self.name}.json").write_text(json.dumps(document, indent=2) + "\n", encoding="utf-8")
        page = HERE / "README.md"
        text = page.read_text(encoding="utf-8")
        start, end = f"<!-- {self.name} -->\n", f"<!-- end {self.name} -->"
        before, _, rest = text.partition(start)
        _, _, after = rest.partition(end)
        page.write_text(f"{before}{start}{self.markdown()}{end}{after}", encoding="utf-8")


def machine() -> str:
    """Processor count, memory, system, Python and the versions that matter."""
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    tools = ", ".join(f"{name} {_version(name)}" for name in ("ruff", "pyrefly") if _version(name))
    system = f"{platform.system()} {platform.machine()}"
    return f"{os.cpu_count()} cores, {memory:.0f} GiB, {system}, Python {platform.python_version()}, {tools}"


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return ""


def mlvet(*arguments: str, cwd: Path | None = None) -> dict[str, Any]:
    """The JSON document of `mlvet check`."""
    command = [sys.executable, "-m", "mlvet", "check", "--output-format", "json", *arguments]
    done = subprocess.run(command, cwd=cwd, capture_output=True, text=True)
    if done.returncode not in (0, 1):
        raise SystemExit(f"{' '.join(command)} failed:\n{done.stderr}")
    document: dict[str, Any] = json.loads(done.stdout)
    return document
