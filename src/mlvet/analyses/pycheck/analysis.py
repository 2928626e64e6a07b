"""The walk from files to findings: run the checkers side by side, join their reports, judge each cause."""

from __future__ import annotations

import os
import re
import tempfile
from collections import Counter
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from mlvet.analyses.pycheck import own
from mlvet.analyses.pycheck.causes import causes
from mlvet.analyses.pycheck.checker import Checker, CheckerFailed, Diagnosis, Request, run_checker
from mlvet.analyses.pycheck.checkers import checker as checker_named
from mlvet.analyses.pycheck.environment import Environment, find_environment
from mlvet.analyses.pycheck.imports import Group, groups
from mlvet.analyses.pycheck.judgement import Cause, Facts, PythonRule, Verdict
from mlvet.analyses.pycheck.overlay import overlay
from mlvet.analyses.pycheck.project import Project
from mlvet.analyses.pycheck.reveal import Look, Question, look_again
from mlvet.core.config import Config
from mlvet.core.errors import UnsupportedInput
from mlvet.core.evidence import Evidence
from mlvet.core.executor import Died, Executor, Failed, Ok, TimedOut
from mlvet.core.finding import Finding
from mlvet.core.rule import Catalogue
from mlvet.core.source import Source
from mlvet.discovery import discover
from mlvet.frontends.source import read_source

_BATCH = 1500
_MOST_NEIGHBOURS = 3000


@dataclass(frozen=True, slots=True)
class Outcome:
    """Findings, remarks for the summary, whether all checkers answered, and the figures."""

    findings: list[Finding]
    notes: list[str]
    complete: bool
    figures: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Job:
    """One run of one checker over one group of files."""

    checker: str
    request: Request


def run(
    sources: Mapping[Path, Source], config: Config, catalogue: Catalogue, executor: Executor, cache: Path
) -> Outcome:
    """Check all sources. `sources` maps absolute paths to texts."""
    if not sources:
        return Outcome([], [], True, {})
    environment = find_environment(config.python, config.root, trusted=config.trust_python)
    tools = [checker_named(name) for name in config.checkers]
    with tempfile.TemporaryDirectory(prefix="mlvet-") as folder:
        work = Path(folder).resolve()
        placed, copies = _on_disk(sources, config.root, work / "texts")
        project = Project(
            {str(path): source for path, source in (*placed.items(), *copies.items())},
            lambda: _neighbours(sources, config),
        )
        parts = [
            *groups({path: source.text for path, source in placed.items()}, environment, config.root),
            *groups({path: source.text for path, source in copies.items()}, environment, work / "texts"),
        ]
        jobs = _jobs(tools, parts, environment, work, cache)
        diagnoses, failures = _answers(executor, jobs, config.timeout)
        diagnoses += own.examine(project, environment)
        ran = frozenset(tool.name for tool in tools) - set(failures)
        facts = _facts(project, environment, parts, ran, tools)
        found = causes(diagnoses, project)
        if "pyrefly" in ran:
            types, missed = _types(found, facts, catalogue, parts, work, cache, executor, config.timeout)
            facts = replace(facts, types=types)
            failures |= missed
        findings = [finding for cause in found if (finding := _finding(cause, facts, catalogue))]
    notes = [f"{name} did not take part: {reason}" for name, reason in sorted(failures.items())]
    if not ran:
        notes.append("no checker answered: only what mlvet itself looks for was checked")
    notes += _absent_packages(findings)
    figures = {
        "checkers": sorted(ran),
        "environment": environment.origin,
        "diagnoses": len(diagnoses),
        "causes": len(found),
    }
    return Outcome(findings, notes, not failures, figures)


def _on_disk(sources: Mapping[Path, Source], root: Path, folder: Path) -> tuple[dict[Path, Source], dict[Path, Source]]:
    """Paths that checkers can read: the files that are plain text on disk, and UTF-8 copies of the others."""
    placed = {path: source for path, source in sources.items() if source.verbatim and _plain(path, root)}
    strange = {path: source for path, source in sources.items() if path not in placed}
    common = Path(os.path.commonpath([path.parent for path in strange])) if strange else root
    base = root if common.is_relative_to(root) else common
    copies: dict[Path, Source] = {}
    for number, (path, source) in enumerate(strange.items()):
        name = re.sub(r"\W", "_", path.stem if path.suffix == ".py" else path.name)
        if _plain(path.with_name("x.py"), root):
            unique = f"{name}_{number}" if path.suffix != ".py" or not _plain(path, root) else name
            copy = overlay(path.with_name(f"{unique}.py"), base, folder)
        else:
            copy = folder / f"odd{number}" / f"{name}.py"
            copy.parent.mkdir(parents=True)
        copy.write_text(source.text, encoding="utf-8")
        copies[copy] = source
    return placed, copies


def _plain(path: Path, root: Path) -> bool:
    """Whether every tool takes a path below the project as it is: no pattern, no hidden file, nothing unprintable."""
    text = str(path.relative_to(root) if path.is_relative_to(root) else path)
    return text.isprintable() and not path.name.startswith(".") and not set(text) & set("*?[]{}\\")


def _neighbours(sources: Mapping[Path, Source], config: Config) -> dict[str, Source]:
    """The other Python files of the project, as far as they can be read: they may complete what is checked.

    Without a project around the files, or in one too large to read, these are the files in the same folders.
    """
    near = {file for folder in {path.parent for path in sources} for file in folder.glob("*.py")}
    marked = any((config.root / mark).exists() for mark in (".git", "mlvet.toml", "pyproject.toml"))
    files = {Path(os.path.abspath(file)) for file in discover([config.root], config).files} if marked else set()
    chosen = near | files if len(files) <= _MOST_NEIGHBOURS else near
    found: dict[str, Source] = {}
    for file in sorted(chosen - set(sources)):
        if file.suffix == ".py":
            with suppress(UnsupportedInput):
                found[str(file)] = read_source(file, str(file))
    return found


def _jobs(tools: Iterable[Checker], parts: list[Group], environment: Environment, work: Path, cache: Path) -> list[Job]:
    jobs: list[Job] = []
    for tool in tools:
        for part in parts if tool.grouped else [_all_together(parts)]:
            for start in range(0, len(part.files), _BATCH):
                workdir = work / f"{tool.name}{len(jobs)}"
                workdir.mkdir()
                files = part.files[start : start + _BATCH]
                request = Request(files, environment, part.search, workdir, cache, part.base, part.first)
                jobs.append(Job(tool.name, request))
    return jobs


def _all_together(parts: list[Group]) -> Group:
    files = tuple(file for part in parts for file in part.files)
    return Group(files, Path("/"), (), tuple(dict.fromkeys(folder for part in parts for folder in part.search)))


def _answer(job: Job) -> list[Diagnosis] | str:
    try:
        return run_checker(checker_named(job.checker), job.request)
    except CheckerFailed as error:
        return str(error)


def _answers(executor: Executor, jobs: list[Job], timeout: float) -> tuple[list[Diagnosis], dict[str, str]]:
    diagnoses: list[Diagnosis] = []
    failures: dict[str, str] = {}
    for outcome in executor.run(_answer, jobs, timeout=timeout):
        match outcome:
            case Ok(value=list() as reports):
                diagnoses += reports
            case Ok(job=job, value=str() as reason):
                failures[job.checker] = reason
            case TimedOut(job=job, seconds=seconds):
                failures[job.checker] = f"no answer within {seconds:g} s"
            case Died(job=job, cause=reason) | Failed(job=job, error=reason):
                failures[job.checker] = reason
    return diagnoses, failures


def _facts(
    project: Project, environment: Environment, parts: list[Group], ran: frozenset[str], tools: Iterable[Checker]
) -> Facts:
    search = tuple(dict.fromkeys(folder for part in parts for folder in part.search))
    partial = frozenset((tool.name, code) for tool in tools for code in tool.partial)
    return Facts(project, environment, search, ran, partial)


def _judge(cause: Cause, catalogue: Catalogue) -> PythonRule | None:
    rule = catalogue.get(cause.rule)
    return rule() if rule is not None and issubclass(rule, PythonRule) else None


def _types(
    found: list[Cause],
    facts: Facts,
    catalogue: Catalogue,
    parts: list[Group],
    work: Path,
    cache: Path,
    executor: Executor,
    timeout: float,
) -> tuple[dict[Question, str], dict[str, str]]:
    """Types of the expressions that judges ask about, by a second look of the type checker at those files; and why the
    look failed, if it did."""
    asked: dict[str, set[Question]] = {}
    for cause in found:
        judge, tree = _judge(cause, catalogue), facts.tree(cause)
        if judge is not None and tree is not None:
            asked.setdefault(cause.path, set()).update(
                Question(cause.path, tree.span(node)) for node in judge.asks(cause, facts)
            )
    looks: list[Look] = []
    for number, part in enumerate(parts):
        questions = [question for file in part.files for question in asked.get(str(file), ())]
        if questions:
            workdir = work / f"reveal{number}"
            workdir.mkdir()
            request = Request((), facts.environment, part.search, workdir, cache, part.base, part.first)
            looks.append(look_again(questions, facts.project.sources, request))
    answers, failures = _answers(executor, [Job("pyrefly", look.request) for look in looks], timeout)
    types = {question: told for look in looks for question, told in look.types(answers).items()}
    return types, {f"the second look of {name}": reason for name, reason in failures.items()}


def _finding(cause: Cause, facts: Facts, catalogue: Catalogue) -> Finding | None:
    judge = _judge(cause, catalogue)
    verdict = _verdict(judge, cause, facts) if judge is not None else None
    if judge is None or verdict is None:
        return None
    said = cause.chief
    source = facts.project.sources[cause.path]
    columns = (said.column, said.end_line, said.end_column) if said.column else (None, None, None)
    return Finding(
        rule=judge.name,
        code=judge.code,
        severity=judge.severity,
        certainty=verdict.certainty,
        message=verdict.message,
        location=source.location(said.line, *columns),
        related=verdict.related,
        evidence=_evidence(cause),
        assumptions=verdict.assumptions,
        fix=verdict.fix,
    )


def _verdict(judge: PythonRule, cause: Cause, facts: Facts) -> Verdict | None:
    line = facts.project.sources[cause.path].lines[cause.chief.line - 1 : cause.chief.line]
    return None if line and _silenced(line[0], cause) else judge.judge(cause, facts)


_SILENCE = re.compile(
    r"#\s*(?:noqa(?::\s*(?P<noqa>[\w, ]+))?|type:\s*ignore|pylint:\s*disable=(?P<pylint>[\w, -]+)|pyright:\s*ignore)"
)


def _silenced(line: str, cause: Cause) -> bool:
    """Whether the line carries another tool's comment against this report."""
    match = _SILENCE.search(line)
    if match is None:
        return False
    listed = {word.strip() for word in (match["noqa"] or match["pylint"] or "").split(",") if word.strip()}
    return not listed or bool(listed & {diagnosis.code for diagnosis in cause.diagnoses})


def _evidence(cause: Cause) -> Evidence:
    entries = [
        {"name": diagnosis.checker, "code": diagnosis.code, "message": diagnosis.message.split("\n")[0]}
        for diagnosis in sorted(
            cause.diagnoses, key=lambda diagnosis: (diagnosis.checker, diagnosis.code, diagnosis.message)
        )
    ]
    return Evidence("checkers", {"checkers": entries})


def _absent_packages(findings: Iterable[Finding]) -> list[str]:
    """One remark for all packages that are not installed where mlvet looked."""
    pattern = re.compile(r"`(\w+)` is not installed in (.+) environment$")
    missed = [match for finding in findings if (match := pattern.match(finding.message))]
    if not missed:
        return []
    names = [name for name, _ in Counter(match.group(1) for match in missed).most_common()]
    shown = ", ".join(names[:8]) + (f" and {len(names) - 8} more" if len(names) > 8 else "")
    return [f"not installed in {missed[0].group(2)} environment, so not checked: {shown}"]
