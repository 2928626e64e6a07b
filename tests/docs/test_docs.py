"""The documents say what is true: rules, options, formats, settings, links and recorded output."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tomllib
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest
import yaml

from mlvet import __version__
from mlvet.analyses.catalogue import catalogue
from mlvet.analyses.efficiency.analysis import SCHEMA
from mlvet.analyses.efficiency.host.facts import VERSION as HOST_VERSION
from mlvet.analyses.pycheck.checkers import NAMES
from mlvet.cli.parser import parse
from mlvet.core.config import INTERNAL, Config, load_config
from mlvet.ir.facts import VERSION as GRAPH_VERSION
from mlvet.report import FORMATS

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
ACTION = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
HOOKS = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))
DOCUMENTS = sorted(path for folder in (".", "docs", "examples", "benchmarks") for path in (ROOT / folder).glob("*.md"))
NUMERICS = ("tensor_abstraction", "numeric_abstraction", "witness_seconds")
WRITTEN_BY_BENCH = {ROOT / "benchmarks" / "README.md"}


def fenced(language: str) -> list[str]:
    """The README's code blocks in a language."""
    return re.findall(rf"^```{language}\n(.*?)^```$", README, flags=re.MULTILINE | re.DOTALL)


def command_lines() -> list[str]:
    """The README's indented lines that call mlvet, from its name on and without comments."""
    indented = (line for line in README.splitlines() if line.startswith("    "))
    return [match[0].strip() for line in indented if (match := re.search(r"\bmlvet (?!into)[a-z][^#]*", line))]


def section(title: str) -> str:
    """The text under a heading of the README, up to the next of the same or a higher level."""
    level, text = re.search(rf"^(#+) {title}\n(.*)", README, flags=re.MULTILINE | re.DOTALL).groups()  # type: ignore[union-attr]
    return re.split(rf"^#{{1,{len(level)}}} ", text, flags=re.MULTILINE)[0]


def paragraph(label: str) -> str:
    """The README's paragraph that starts with a label in bold."""
    return README.split(f"**{label}.**")[1].split("\n\n")[0]


def options_of(command: str, capsys: pytest.CaptureFixture[str]) -> set[str]:
    with pytest.raises(SystemExit):
        parse([command, "--help"])
    return set(re.findall(r"--[a-z-]+", capsys.readouterr().out))


def test_the_table_of_rules_is_the_catalogue() -> None:
    rows = re.findall(r"^\| `([\w-]+)` \| ([A-Z]{2,3}\d+) \| (\w+) \|", README, flags=re.MULTILINE)
    listed = sorted(rows, key=lambda row: row[1])
    assert listed == [(rule.name, rule.code, rule.severity.value) for rule in catalogue().values()]


def test_the_command_lines_are_found() -> None:
    assert len(command_lines()) > 10


@pytest.mark.parametrize("line", command_lines())
def test_a_command_line_parses(line: str, capsys: pytest.CaptureFixture[str]) -> None:
    _, command, *rest = words = shlex.split(line)
    parse(words[1:])
    assert {word for word in rest if word.startswith("--")} <= options_of(command, capsys), "no abbreviations"


def test_every_option_that_is_named_exists(capsys: pytest.CaptureFixture[str]) -> None:
    named = set(re.findall(r"`(--[a-z-]+)", README))
    assert named
    commands = ("check", "compare", "trace", "why")
    assert named <= set().union(*(options_of(command, capsys) for command in commands))


def test_the_formats_are_those_of_the_command_line() -> None:
    assert re.findall(r"`(\w+)`", paragraph("Formats")) == list(FORMATS)


def test_the_checkers_are_those_with_an_adapter() -> None:
    assert re.findall(r"`(\w+)`", paragraph("Checkers")) == list(NAMES)


def test_the_extras_are_those_of_the_project() -> None:
    with (ROOT / "pyproject.toml").open("rb") as file:
        extras = set(tomllib.load(file)["project"]["optional-dependencies"])
    first_cells = re.findall(r"^\| (`.*?`) \|", section("Install"), flags=re.MULTILINE)
    assert set(re.findall(r"`(\w+)`", " ".join(first_cells))) == extras
    assert set(re.findall(r"\.\[(\w+)\]", README)) <= extras


def test_the_pinned_torch_is_that_of_the_constraints() -> None:
    assert re.findall(r"torch==[\d.]*\d", README) == re.findall(r"torch==\S+", (ROOT / "constraints.txt").read_text())


def test_the_configuration_example_parses_and_has_every_key(tmp_path: Path) -> None:
    (example,) = fenced("toml")
    (tmp_path / "pyproject.toml").write_text(example, encoding="utf-8")
    (tmp_path / "vet").mkdir()
    (tmp_path / "vet/acme_loading.py").write_text("", encoding="utf-8")
    config = load_config(tmp_path)
    table = tomllib.loads(example)["tool"]["mlvet"]
    settings = {setting.name for setting in fields(Config)} - set(INTERNAL)
    assert set(table) == {name.replace("_", "-") for name in settings}
    assert config.python == tmp_path / ".venv"
    assert config.models == {"acme.loading": tmp_path / "vet/acme_loading.py"}
    for name in ("select", "ignore", "min_certainty", "min_severity", "fail_on", "checkers", "timeout", *NUMERICS):
        assert getattr(config, name) == getattr(Config(), name), name


def test_the_facts_of_the_host_and_of_the_graph_are_documented() -> None:
    text = (ROOT / "docs/efficiency.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `(\w+/\d)` \| (.*) \|$", text, flags=re.MULTILINE)
    assert dict(rows) == SCHEMA
    versions = re.findall(r"^Version (\d+)\.$", text, flags=re.MULTILINE)
    assert list(map(int, versions)) == [HOST_VERSION, GRAPH_VERSION]


def test_the_make_targets_exist() -> None:
    targets = set(re.findall(r"^(\w+):", (ROOT / "Makefile").read_text(encoding="utf-8"), flags=re.MULTILINE))
    for document in DOCUMENTS:
        assert set(re.findall(r"(?:^    |`)make (\w+)", document.read_text(encoding="utf-8"), re.MULTILINE)) <= targets


def test_the_changelog_knows_this_version() -> None:
    assert f"## [{__version__}]" in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda document: document.relative_to(ROOT).as_posix())
def test_relative_links_lead_somewhere(document: Path) -> None:
    links = re.findall(r"\]\(([^)#\s]+)", document.read_text(encoding="utf-8"))
    targets = {(document.parent / link).resolve() for link in links if "://" not in link}
    assert {target for target in targets if not target.exists()} <= WRITTEN_BY_BENCH


def test_the_recorded_output_is_what_mlvet_says(tmp_path: Path) -> None:
    recorded = "\n".join(fenced("text"))
    examples, log = ROOT / "examples" / "provenance", str(tmp_path / "log")
    case = ("weighted_pagerank.py", "cases/negative_weights/followers.txt")
    said = _said(ROOT, "check", "examples/", "--output-format", "full")
    _said(examples, "trace", "--quiet", "--output", log, *case)
    said += _said(examples, "why", log, "--of", 'ranks["mira"]', "--inputs", "graph@weighted_pagerank", "--top", "4")
    stale = [line for line in recorded.splitlines() if line not in said.splitlines()]
    assert not stale, f"record the README's block again: {stale}"
    assert sum("error[" in line for line in recorded.splitlines()) >= 3


def _said(folder: Path, *arguments: str) -> str:
    command = [sys.executable, "-m", "mlvet", *arguments]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, encoding="utf-8").stdout


def test_the_python_example_runs_and_finds_nothing_in_a_safe_range(tmp_path: Path) -> None:
    (example,) = (text for text in fenced("python") if "mlvet.check" in text)
    (tmp_path / "example.py").write_text(
        "import torch\n\n\nclass Model(torch.nn.Module):\n    def forward(self, x):\n"
        "        return torch.log(torch.softmax(x, -1))\n\n\nmodel, example = Model(), torch.zeros(2, 3)\n" + example,
        encoding="utf-8",
    )
    said = subprocess.run([sys.executable, "example.py"], cwd=tmp_path, capture_output=True, text=True)
    assert said.returncode == 0, said.stderr
    assert said.stdout.startswith("mlvet-graph")


def test_the_hook_calls_what_exists() -> None:
    (hook,) = HOOKS
    command, *arguments = shlex.split(hook["entry"])
    assert (hook["id"], command) == ("mlvet", "mlvet")
    parse([*arguments, *hook["args"]])
    used = next(block for text in fenced("yaml") if "repos" in (block := yaml.safe_load(text)))
    (mine,) = used["repos"][0]["hooks"]
    assert mine["id"] == hook["id"]
    parse([*arguments, *mine["args"]])


def test_the_action_has_the_inputs_that_are_used() -> None:
    used = next(block for text in fenced("yaml") if "steps" in (block := yaml.safe_load(text)))
    given = used["steps"][-1]["with"]
    assert set(given) <= set(ACTION["inputs"])
    parse(["check", *shlex.split(given["args"]), given["paths"]])
    read = set(re.findall(r"\binputs\.([\w-]+)", (ROOT / "action.yml").read_text(encoding="utf-8")))
    assert read == set(ACTION["inputs"])


def check_step() -> dict[str, Any]:
    return next(step for step in ACTION["runs"]["steps"] if step.get("id") == "check")


@pytest.mark.skipif(shutil.which("bash") is None or sys.platform == "win32", reason="the script is for bash")
@pytest.mark.parametrize(
    ("arguments", "files", "code", "reported"),
    [
        ("", "clean.py undefined_variable.py", 1, True),
        ("--min-certainty proved", "clean.py", 0, True),
        ("--exit-zero", "undefined_variable.py", 0, True),
        ("--no-such-option", "clean.py", 2, False),
    ],
)
def test_the_script_of_the_action_works(arguments: str, files: str, code: int, reported: bool, tmp_path: Path) -> None:
    tools = tmp_path / "tools"
    tools.mkdir()
    (tools / "mlvet").write_text(f'#!/bin/sh\nexec "{sys.executable}" -m mlvet "$@"\n', encoding="utf-8")
    (tools / "mlvet").chmod(0o755)
    report, output = tmp_path / "report.sarif", tmp_path / "output"
    given = {
        "MLVET_ARGS": arguments,
        "MLVET_PATHS": files,
        "MLVET_SARIF": str(report),
        "GITHUB_OUTPUT": str(output),
        "PATH": f"{tools}{os.pathsep}{os.environ['PATH']}",
        "PYTHONPATH": str(ROOT / "src"),
    }
    assert set(check_step()["env"]) <= set(given)
    script = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", check_step()["run"]]
    ran = subprocess.run(script, cwd=ROOT / "examples", env={**os.environ, **given}, capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr
    outputs = dict(line.split("=", 1) for line in output.read_text(encoding="utf-8").splitlines())
    assert outputs == {"exit-code": str(code), **({"sarif-file": str(report)} if reported else {})}
    assert not reported or json.loads(report.read_text(encoding="utf-8"))["version"] == "2.1.0"
    assert ("error[undefined-variable]" in ran.stdout) == ("undefined_variable.py" in files)
