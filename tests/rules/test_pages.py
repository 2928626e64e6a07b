"""The two programs on a rule's page are its first test: the one fires the rule, the other does not."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import mlvet
from mlvet.analyses.catalogue import catalogue
from mlvet.core.rule import CONFIGURATION, Page

PAGES = {name: rule.page() for name, rule in catalogue().items() if not rule.code.startswith(("CMP", "PRV"))}
"""Rules of compare and provenance need a run; their pages are tested where those are."""
Fired = dict[str, set[str]]


@pytest.fixture(scope="module")
def fired(tmp_path_factory: pytest.TempPathFactory) -> Fired:
    """The rules that runs report, by file; every program stands in a folder of its own.

    Pages without a setting are checked in one run, those of one setting in another, with that setting.
    """
    settings = {page.code(CONFIGURATION) for page in PAGES.values()}
    found: Fired = {}
    for number, setting in enumerate(sorted(settings)):
        pages = {name: page for name, page in PAGES.items() if page.code(CONFIGURATION) == setting}
        top = tmp_path_factory.mktemp(f"pages{number}")
        if setting:
            (top / "mlvet.toml").write_text(setting, encoding="utf-8")
        if "slow.lp" in setting:
            (top / "slow.lp").write_text(PAGES["own-rule"].code("What it does"), encoding="utf-8")
        found |= _fired(top, pages)
    return found


def _fired(top: Path, pages: dict[str, Page]) -> Fired:
    for name, page in pages.items():
        for kind, heading in (("example", "Example"), ("instead", "Use instead")):
            folder = top / f"{name}_{kind}"
            folder.mkdir()
            text = page.code(heading)
            (folder / _file_for(text)).write_text(text, encoding="utf-8")
    environment = {**os.environ, "PYTHONPATH": str(Path(mlvet.__file__).parents[1])}
    command = [sys.executable, "-m", "mlvet", "check", "--output-format", "json", "--min-certainty", "possible"]
    answer = subprocess.run(command, cwd=top, env=environment, capture_output=True, text=True, timeout=120)
    document = json.loads(answer.stdout)
    assert document["summary"]["files"] == 2 * len(pages)
    assert document["summary"]["problems"] == []
    found: Fired = {path.name: set() for path in top.iterdir()}
    for finding in document["findings"]:
        found[Path(finding["location"]["path"]).parent.name].add(finding["rule"])
    return found


def _file_for(text: str) -> str:
    """Rules about programs have programs on their pages, rules about graphs have graphs in text form."""
    return "model.mlvet" if text.startswith("mlvet-graph ") else "program.py"


@pytest.mark.parametrize("name", PAGES)
def test_the_example_fires_the_rule(name: str, fired: Fired) -> None:
    assert name in fired[f"{name}_example"]


@pytest.mark.parametrize("name", PAGES)
def test_the_program_to_use_instead_does_not(name: str, fired: Fired) -> None:
    assert name not in fired[f"{name}_instead"]
