"""How many of the seeded bugs each checker reports, how many mlvet shows, and what each says of correct programs.

A checker has found a bug if it reports anything on the line on which Python raises; a bug counts as shown if `mlvet
check` shows an error there by default. Truth is in seeded.json; verify_seeds.py shows that it is true.

    python benchmarks/pycheck/recall.py
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from importlib.util import find_spec
from pathlib import Path
from shutil import which
from typing import Any

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent))

from table import Table, mlvet  # noqa: E402

CHECKERS = ("ruff", "pyrefly", "mypy", "pyright", "pylint", "pyflakes", "ty")
KINDS = ("missing module or attribute", "wrong arguments", "undefined variable", "other")


def kind_of(name: str) -> str:
    kinds = {
        "missing-module": KINDS[0],
        "missing-attribute": KINDS[0],
        "argument-mismatch": KINDS[1],
        "undefined-variable": KINDS[2],
    }
    return kinds.get(name, KINDS[3])


def main() -> Table:
    truth = json.loads((HERE / "seeded.json").read_text(encoding="utf-8"))
    installed = [name for name in CHECKERS if find_spec(name) or which(name)]
    options = ("--min-certainty", "possible", "--checkers", ",".join(installed), "--timeout", "900")
    every = findings(mlvet("seeded", *options, cwd=HERE))
    alone = findings(mlvet("seeded", cwd=HERE))
    clean_every = mlvet("clean", *options, cwd=HERE)["findings"]
    clean = mlvet("clean", cwd=HERE)["findings"]
    totals = Counter(kind_of(bug["kind"]) for bug in truth)
    rows: list[list[Any]] = []
    for name in (*installed, "mlvet"):
        hits = Counter(kind_of(bug["kind"]) for bug in truth if _reported(every, bug, name))
        noise = sum(1 for finding in clean_every if _names(finding, name))
        rows.append([name, *(f"{hits[kind]} / {totals[kind]}" for kind in KINDS), sum(hits.values()), noise])
    shown = [bug for bug in truth if _lines(alone, bug)]
    hits = Counter(kind_of(bug["kind"]) for bug in shown)
    rows[-1][0] = "mlvet's own checker"
    rows.append(["**mlvet, as shown**", *(f"{hits[kind]} / {totals[kind]}" for kind in KINDS), len(shown), len(clean)])
    extra = sum(1 for path, found in alone.items() for f in found if not any(_is(bug, path, f) for bug in truth))
    missed = [bug["file"] for bug in truth if bug not in shown]
    remarks = [
        f"{len(truth)} bugs in programs of our own, each verified by running it; the last column counts reports on "
        f"{len(json.loads((HERE / 'clean.json').read_text(encoding='utf-8')))} correct programs. "
        f"Shown findings that are not a seeded bug: {extra}.",
        f"Not shown: {', '.join(missed)}." if missed else "All are shown.",
    ]
    columns = ("checker", *KINDS, f"all of {len(truth)}", "reports on correct programs")
    return Table("recall", "Seeded Python bugs", "make bench", columns, rows, remarks)


def findings(document: dict[str, Any]) -> dict[str, list[dict[str, Any]]]:
    by_path: dict[str, list[dict[str, Any]]] = {}
    for finding in document["findings"]:
        by_path.setdefault(finding["location"]["path"].removeprefix("seeded/"), []).append(finding)
    return by_path


def _is(bug: dict[str, Any], path: str, finding: dict[str, Any]) -> bool:
    where = finding["location"]
    return bool(path == bug["file"] and where["line"] <= bug["line"] <= where.get("end_line", where["line"]))


def _lines(by_path: dict[str, list[dict[str, Any]]], bug: dict[str, Any]) -> list[dict[str, Any]]:
    return [finding for finding in by_path.get(bug["file"], ()) if _is(bug, bug["file"], finding)]


def _names(finding: dict[str, Any], checker: str) -> bool:
    return any(entry["name"] == checker for entry in (finding["evidence"] or {}).get("checkers", ()))


def _reported(by_path: dict[str, list[dict[str, Any]]], bug: dict[str, Any], checker: str) -> bool:
    return any(_names(finding, checker) for finding in _lines(by_path, bug))


if __name__ == "__main__":
    table = main()
    table.write()
    print(table.markdown())
