"""The one path from paths to a vetting, for the command line, editors and library users alike."""

from __future__ import annotations

import os
import time
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from mlvet import programs
from mlvet.analyses.catalogue import catalogue
from mlvet.core.baseline import DEFAULT_NAME, read_baseline
from mlvet.core.config import Config
from mlvet.core.errors import UnsupportedInput, UsageError
from mlvet.core.executor import Executor
from mlvet.core.finding import Finding
from mlvet.core.fingerprint import fingerprinted
from mlvet.core.result import Hidden, Problem, Summary, Vetting
from mlvet.core.rule import expand
from mlvet.core.source import Source
from mlvet.discovery import discover, is_source
from mlvet.frontends.source import read_source
from mlvet.model_files import Job, Outcome, require_names, vet_models


@dataclass(slots=True)
class Reading:
    """The inputs of a run: texts by absolute path, model files, and what could not be read."""

    sources: dict[Path, Source] = field(default_factory=dict)
    models: list[Job] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)


def vet(paths: Iterable[Path], config: Config, executor: Executor, *, known: frozenset[str] | None = None) -> Vetting:
    """Analyse paths and return what is to be shown.

    `known` are the fingerprints of a baseline; by default those of the project's baseline file, if it has one.
    """
    started = time.monotonic()
    base = Path.cwd()
    selected = expand(config.select, catalogue()) - expand(config.ignore, catalogue())
    known = _baseline(config) if known is None else known
    reading = read(paths, config, base)
    shown = {source.path: source for source in reading.sources.values()}
    jobs = _model_jobs(reading, config)

    engines = frozenset(catalogue()[name].code[:3] for name in selected)
    findings, notes, figures, complete = _analyse(reading, config, executor, engines)
    models = _vet_models(jobs, config, executor)
    findings += models.findings
    notes += models.notes
    if models.figures:
        figures["numerics"] = dict(models.figures)
    interpreted = _vet_programs(reading, config, executor, base, engines)
    if not models.problems:
        require_names(_named(models, interpreted), config)
    findings += interpreted.findings
    notes += interpreted.notes
    if interpreted.figures:
        figures["python"] = {**interpreted.figures, "unknown": dict(interpreted.unknowns.most_common(10))}
    wanted = _Wanted(selected, config, base)
    standing, suppressed, unused = _without_suppressed(findings, shown, wanted, complete)
    if config.measure is not None:
        from mlvet.analyses.efficiency.measurement import tried

        standing, untried, failed = tried(standing, config, base)
        notes += untried
        reading.problems += failed
    visible, hidden = _visible([f for f in [*standing, *unused] if wanted(f.rule, f.location.path)], config)
    stamped = fingerprinted(visible, shown, str(config.root), str(base))
    new = [finding for finding in stamped if finding.fingerprint not in known]
    hidden = replace(hidden, suppressed=suppressed, baseline=len(stamped) - len(new))
    summary = Summary(
        files=len(reading.sources) + models.files,
        operators_analysed=models.analysed,
        operators_unanalysed=models.unanalysed.total(),
        seconds=time.monotonic() - started,
        hidden=hidden,
        notes=tuple(notes),
        problems=(*reading.problems, *models.problems, *interpreted.problems),
        analyses=figures,
    )
    return Vetting(tuple(new), summary, shown, catalogue(), str(config.root), str(base))


def read(paths: Iterable[Path], config: Config, base: Path) -> Reading:
    """Find and read every input; one that cannot be read is a problem of its own and stops nothing."""
    found = discover(paths, config)
    reading = Reading(problems=list(found.problems))
    for path in found.files:
        absolute = Path(os.path.abspath(path))
        shown = absolute.relative_to(base).as_posix() if absolute.is_relative_to(base) else absolute.as_posix()
        if not is_source(path):
            reading.models.append(Job(absolute, shown, named=path in found.named))
            continue
        try:
            reading.sources[absolute] = read_source(absolute, shown)
        except UnsupportedInput as error:
            reading.problems.append(Problem(shown, str(error)))
    return reading


def _analyse(
    reading: Reading, config: Config, executor: Executor, engines: frozenset[str]
) -> tuple[list[Finding], list[str], dict[str, object], bool]:
    if not any(engine.startswith("PY") for engine in engines):
        return [], [], {}, True
    from mlvet.analyses.pycheck import analysis as pycheck
    from mlvet.engine.cache import cache_folder

    outcome = pycheck.run(reading.sources, config, catalogue(), executor, cache_folder())
    return outcome.findings, outcome.notes, {"pycheck": dict(outcome.figures)}, outcome.complete


def _model_jobs(reading: Reading, config: Config) -> list[Job]:
    """The model files with what the numerics engine is asked of them."""
    if not reading.models:
        asked = config.asked_ranges or config.data is not None
        if asked and not any(map(programs.uses_tensors, reading.sources.values())):
            option = "--range" if config.asked_ranges else "--data"
            raise UsageError(f"{option} is for models, and there is none among the paths")
        return []
    from mlvet.analyses.numerics.request import request_of

    request = request_of(config)
    return [replace(job, numerics=request) for job in reading.models]


def _vet_models(jobs: list[Job], config: Config, executor: Executor) -> Outcome:
    if not jobs:
        return Outcome()
    return vet_models(jobs, executor, config.timeout)


def _named(models: Outcome, interpreted: programs.Outcome) -> Outcome:
    """The names of inputs and parameters of models and programs, and those of them that the user speaks of."""
    return Outcome(
        inputs=models.inputs + interpreted.inputs,
        parameters=models.parameters + interpreted.parameters,
        meant=models.meant | interpreted.meant,
        sampled=models.sampled | interpreted.sampled,
    )


def _vet_programs(
    reading: Reading, config: Config, executor: Executor, base: Path, engines: frozenset[str]
) -> programs.Outcome:
    """The programs among the sources that compute with tensors."""
    chosen = {path: source for path, source in reading.sources.items() if programs.uses_tensors(source)}
    if not chosen or engines.isdisjoint(("SHP", "NUM", "EFF")):
        return programs.Outcome()
    numerics = None
    if "NUM" in engines:
        from mlvet.analyses.numerics.request import request_of

        numerics = request_of(config)
    efficiency = None
    if "EFF" in engines:
        from mlvet.analyses.efficiency.request import request_of as efficiency_of

        efficiency = efficiency_of(config)
    jobs = [
        programs.Program(
            path, source, base, config.models, numerics, "SHP" in engines, config.confirm, config.memory, efficiency
        )
        for path, source in chosen.items()
    ]
    return programs.vet_programs(jobs, executor, config.timeout)


class _Wanted:
    """Whether a rule is to be reported in a file."""

    def __init__(self, selected: frozenset[str], config: Config, base: Path) -> None:
        self._selected = selected
        self._config = config
        self._base = base
        self._ignored: dict[str, frozenset[str]] = {}

    def __call__(self, rule: str, path: str) -> bool:
        if path not in self._ignored:
            selectors = self._config.ignored_in(self._base / path)
            self._ignored[path] = expand(selectors, catalogue())
        return rule in self._selected and rule not in self._ignored[path]


def _without_suppressed(
    findings: list[Finding], shown: Mapping[str, Source], wanted: _Wanted, complete: bool
) -> tuple[list[Finding], int, list[Finding]]:
    if not any("mlvet:" in source.text for source in shown.values()):
        return findings, 0, []
    from mlvet.analyses.suppressions.apply import apply

    return apply(findings, shown, catalogue(), lambda rule, path: complete and wanted(rule, path))


def _baseline(config: Config) -> frozenset[str]:
    path = config.baseline or config.root / DEFAULT_NAME
    return read_baseline(path) if config.baseline is not None or path.is_file() else frozenset()


def _visible(findings: list[Finding], config: Config) -> tuple[list[Finding], Hidden]:
    sure = [finding for finding in findings if finding.certainty.at_least(config.min_certainty)]
    unsure = Counter(finding.certainty for finding in findings if not finding.certainty.at_least(config.min_certainty))
    grave = [finding for finding in sure if finding.severity.at_least(config.min_severity)]
    return grave, Hidden(unsure=unsure, severity=len(sure) - len(grave))
