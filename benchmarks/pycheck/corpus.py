"""What `mlvet check` shows by default on a repository of programs that are meant to be correct.

Every shown finding is looked up in classified.json, where a person has written whether it is true and why; one that
is not there counts as not yet classified.

    python benchmarks/pycheck/corpus.py NAME=PATH [NAME=PATH ...]
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent))

from table import Table, mlvet  # noqa: E402


def main(corpora: dict[str, Path]) -> Table:
    classified = json.loads((HERE / "classified.json").read_text(encoding="utf-8"))
    rows: list[list[Any]] = []
    remarks: list[str] = []
    for name, path in corpora.items():
        document = mlvet(".", "--timeout", "900", cwd=path)
        summary, found = document["summary"], document["findings"]
        verdicts = [_verdict(classified.get(name, []), finding) for finding in found]
        counts = [sum(1 for verdict in verdicts if verdict.startswith(word)) for word in ("true", "false", "not yet")]
        seconds = f"{summary['seconds']:.1f}"
        rows.append(
            [name, _commit(path), summary["files"], len(found), *counts, summary["hidden"]["certainty"], seconds]
        )
        remarks += [
            f"- `{name}/{finding['location']['path']}:{finding['location']['line']}` {finding['rule']} "
            f"({finding['certainty']}): {finding['message']}. **{verdict}**"
            for finding, verdict in zip(found, verdicts, strict=True)
        ]
    columns = (
        "repository",
        "commit",
        "files",
        "shown",
        "true",
        "false",
        "unclassified",
        "hidden as possible",
        "seconds",
    )
    return Table("corpus", "Findings on real repositories", "make bench CORPUS='name=path ...'", columns, rows, remarks)


def _verdict(entries: list[dict[str, Any]], finding: dict[str, Any]) -> str:
    where = finding["location"]
    for entry in entries:
        if entry["path"] == where["path"] and entry["rule"] == finding["rule"] and entry["line"] == where["line"]:
            return str(entry["verdict"])
    return "not yet classified"


def _commit(path: Path) -> str:
    done = subprocess.run(["git", "-C", str(path), "rev-parse", "--short", "HEAD"], capture_output=True, text=True)
    return done.stdout.strip() or "unknown"


if __name__ == "__main__":
    table = main({name: Path(path) for name, _, path in (argument.partition("=") for argument in sys.argv[1:])})
    table.write()
    print(table.markdown())
