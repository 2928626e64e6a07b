"""The call sites of which the rank is not known, with what the interpreter says of them: where to look next.

python -m benchmarks.python.open_sites FOLDER [FILE ...]
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from benchmarks.python.call_sites import call_sites
from mlvet.core.source import Source
from mlvet.frontends.python.observations import described
from mlvet.frontends.python.program import interpret


def open_sites(folder: Path, name: str) -> Iterator[tuple[int, str, str]]:
    """Line, callee and what is said of each site that is no tensor of known rank and nothing else that is known."""
    path = folder / name
    text = path.read_bytes().decode("utf-8", "replace")
    found = interpret(Source(name, text), path, folder)
    for site in call_sites(text):
        seen = found.observations.get((name, *site.span))
        if seen is None:
            yield site.span[0], site.callee, "never reached"
        elif seen.knowledge in ("unknown", "tensor"):
            yield site.span[0], site.callee, described(seen.value) or repr(seen.value)


def main(folder: Path, names: list[str]) -> None:
    why: Counter[str] = Counter()
    names = names or sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*.py"))
    for name in names:
        try:
            for line, callee, said in open_sites(folder, name):
                print(f"{name}:{line}: {callee}: {said[:150]}")
                why[said[:60]] += 1
        except (SyntaxError, ValueError) as error:
            print(f"{name}: {error}")
    for said, count in why.most_common(30):
        print(f"{count:6} {said}")


if __name__ == "__main__":
    main(Path(sys.argv[1]).resolve(), sys.argv[2:])
