"""What libraries did in side environments, for those that cannot be installed beside the others.

`recorded/<library>.jsonl` has one line per agreement case, its text and the answers, and `recorded/<library>.names` the
modelled names that the library has. recorded/README.md says how each side environment is made; in it, this records:

python tests/libraries/recordings.py --python SIDE_PYTHON LIBRARY ...
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from collections.abc import Iterable, Mapping
from itertools import chain
from pathlib import Path
from typing import Any

from library_cases import cases, draws, files

from mlvet.frontends.python.libraries import registry

Json = dict[str, Any]
RECORDED = Path(__file__).parent / "recorded"
SECONDS = 1800
AGAIN = "record again as tests/libraries/recorded/README.md says"
SPEAKS_FOR = {
    "tf_keras": {"keras": "tf_keras", "tf_keras": "tf_keras"},
    "tensorflow_contrib": {"tensorflow": "tensorflow"},
}
"""The modules whose models a recording speaks for, where it is not the one that has the name of the recording."""


def is_recorded(library: str) -> bool:
    return (RECORDED / f"{library}.jsonl").exists()


def recorded_answers(library: str) -> dict[str, list[Json]]:
    """The recorded answers by the text of the case; raises AssertionError if they are of other cases than there are."""
    lines = (RECORDED / f"{library}.jsonl").read_text(encoding="utf-8").splitlines()
    answers = dict(json.loads(line) for line in lines)
    texts = {case.text for file in files(library) for case in cases(file)}
    if absent := sorted(texts - answers.keys()):
        raise AssertionError(f"cases of {library} are not recorded: {AGAIN}:\n" + "\n".join(absent))
    if stale := sorted(answers.keys() - texts):
        raise AssertionError(f"recorded cases of {library} are gone: {AGAIN}:\n" + "\n".join(stale))
    return answers


def recorded_names(library: str) -> frozenset[str] | None:
    """The modelled names that the library has, as far as they are recorded."""
    store = RECORDED / f"{library}.names"
    return frozenset(store.read_text(encoding="utf-8").split()) if store.exists() else None


def run(python: str, library: str, known: Mapping[str, str] | None = None) -> str:
    """What the library makes of its cases, in a process of its own that is not asked for what is known."""
    lines = {case.text: case for file in files(library) for case in cases(file)}
    jobs = [[case.text, case.program, draws(case)] for case in lines.values() if case.text not in (known or {})]
    told = asked(python, (), map(json.dumps, jobs)).splitlines() if jobs else []
    lines_of = {**(known or {}), **{json.loads(line)[0]: line for line in told}}
    return "".join(f"{lines_of[text]}\n" for text in lines)


def missing_names(python: str, names: Iterable[str]) -> list[str]:
    """The dotted names that the libraries of an environment do not have."""
    found: list[str] = json.loads(asked(python, ("--names",), names))
    return found


def asked(python: str, arguments: Iterable[str], lines: Iterable[str]) -> str:
    script = Path(__file__).with_name("real_side.py")
    done = subprocess.run(
        [python, str(script), *arguments], input="\n".join(lines), capture_output=True, text=True, timeout=SECONDS,
        env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1", "PYTHONPATH": ""}, check=False,
    )  # fmt: skip
    if done.returncode:
        raise AssertionError(f"{python} ended with {done.returncode}:\n{done.stderr[-2000:]}")
    return done.stdout


def record(python: str, library: str, known: Mapping[str, str]) -> None:
    """Write down what a library of the side environment does and has."""
    RECORDED.mkdir(exist_ok=True)
    answers = run(python, library, known)
    if answers:
        (RECORDED / f"{library}.jsonl").write_text(answers, encoding="utf-8")
    spellings = modelled_names(library)
    absent = set(missing_names(python, chain.from_iterable(spellings.values())))
    there = sorted(name for name, spelled in spellings.items() if not absent.issuperset(spelled))
    (RECORDED / f"{library}.names").write_text("\n".join(there) + "\n", encoding="utf-8")
    print(f"{library}: {len(answers.splitlines())} cases, {len(there)} of {len(spellings)} names")


def modelled_names(library: str) -> dict[str, list[str]]:
    """The names of the models that a recording speaks for, with their spellings in the side environment."""
    found = {}
    for modelled, real in SPEAKS_FOR.get(library, {library: library}).items():
        registry.load(modelled)
        for name in [name for name in registry.MODELS if name.partition(".")[0] == modelled]:
            aliased = [
                prefix + name[len(target) :]
                for prefix, target in registry.ALIASES.items()
                if name.startswith(f"{target}.") and prefix.partition(".")[0] in (modelled, real)
            ]
            found[name] = [real + name[len(modelled) :], *aliased]
    return found


def main(arguments: list[str]) -> None:
    parser = argparse.ArgumentParser(description="Record what libraries do in a side environment.")
    parser.add_argument("--python", required=True, help="the interpreter of the side environment")
    parser.add_argument("--new", action="store_true", help="keep the answers of the cases that are recorded already")
    parser.add_argument("libraries", nargs="+")
    chosen = parser.parse_args(arguments)
    for library in chosen.libraries:
        store = RECORDED / f"{library}.jsonl"
        kept = store.read_text(encoding="utf-8").splitlines() if chosen.new and store.exists() else []
        record(chosen.python, library, {json.loads(line)[0]: line for line in kept})


if __name__ == "__main__":
    main(sys.argv[1:])
