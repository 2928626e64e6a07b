"""Start-up and overhead, as ratios within one run.

`mlvet --version` against `python -c pass`, interleaved, medians of wall time. `mlvet check` on 100 files: CPU time of
the whole process tree over that of the checkers that it starts.

    python benchmarks/speed.py
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))

from table import Table  # noqa: E402

RUNS = 40


def main() -> Table:
    rows: list[list[Any]] = [_version_row()]
    rows += [_check_row(label, *options) for label, options in _ENVIRONMENTS]
    columns = ("what", "mlvet", "compared with", "ratio", "asked for")
    remarks = [
        "The second and third row analyse 100 of the seeded and clean programs of this benchmark. CPU time of the "
        "checkers is that of the processes that mlvet starts, both looks of pyrefly included."
    ]
    return Table("speed", "Start-up and overhead", "make bench", columns, rows, remarks)


def _version_row() -> list[Any]:
    ours, bare = [], []
    mlvet = str(Path(sys.executable).with_name("mlvet"))
    for _ in range(RUNS):
        bare.append(_wall([sys.executable, "-c", "pass"]))
        ours.append(_wall([mlvet, "--version"]))
    one, other = statistics.median(ours), statistics.median(bare)
    return [
        "`mlvet --version`, wall",
        f"{one * 1e3:.1f} ms",
        f"`python -c pass` {other * 1e3:.1f} ms",
        f"{one / other:.2f}",
        "2.5",
    ]


def _wall(command: list[str]) -> float:
    started = time.perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - started


_ENVIRONMENTS = (
    ("`mlvet check` on 100 files, frameworks installed, CPU", ()),
    ("`mlvet check` on 100 files, no packages, CPU", ("--python", "EMPTY")),
)
_SCRIPT = """
import json, resource, sys
from mlvet.cli import main
main(sys.argv[1:])
own, below = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
print(json.dumps([own.ru_utime + own.ru_stime, below.ru_utime + below.ru_stime]))
"""


def _check_row(label: str, *options: str) -> list[Any]:
    with tempfile.TemporaryDirectory() as folder:
        files = _hundred(Path(folder))
        empty = Path(folder) / "empty"
        (empty / "lib" / f"python3.{sys.version_info.minor}" / "site-packages").mkdir(parents=True)
        arguments = [str(empty) if option == "EMPTY" else option for option in options]
        figures = []
        for _ in range(3):
            command = [sys.executable, "-c", _SCRIPT, "check", *files, "--output", os.devnull, *arguments]
            done = subprocess.run(command, check=True, capture_output=True, text=True)
            figures.append(json.loads(done.stdout))
    own = statistics.median(figure[0] for figure in figures)
    below = statistics.median(figure[1] for figure in figures)
    return [label, f"{own + below:.2f} s", f"checkers {below:.2f} s", f"{(own + below) / below:.2f}", "1.3"]


def _hundred(folder: Path) -> list[str]:
    """Copies of the first hundred programs, so that no result of an earlier run is at hand."""
    programs = sorted((HERE / "pycheck" / "seeded").glob("*.py")) + sorted((HERE / "pycheck" / "clean").glob("*.py"))
    copies = []
    for program in programs[:100]:
        copy = folder / program.parent.name / program.name
        copy.parent.mkdir(exist_ok=True)
        copy.write_text(program.read_text(encoding="utf-8"), encoding="utf-8")
        copies.append(str(copy))
    return copies


if __name__ == "__main__":
    table = main()
    table.write()
    print(table.markdown())
