"""A comparison from its request to what is known: open, run, measure, walk."""

from __future__ import annotations

import contextlib
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mlvet.analyses.compare.conversion import Converted, convert, making
from mlvet.analyses.compare.fusion import Fused, fusion_dependent
from mlvet.analyses.compare.gradients import GradientWalk, GradientWalker
from mlvet.analyses.compare.inputs import TOKENS, check_labels, load_data, load_labels, made
from mlvet.analyses.compare.oracle import Oracle
from mlvet.analyses.compare.pairs import Pair, pairs, truth_of
from mlvet.analyses.compare.request import CompareRequest
from mlvet.analyses.compare.runs import Crew, Run, stored
from mlvet.analyses.compare.search.laboratory import Laboratory
from mlvet.analyses.compare.search.searching import Searched, search
from mlvet.analyses.compare.subject import Subject, format_of, taken_apart, weights_alone
from mlvet.analyses.compare.suspects import Inquiry, Suspicion
from mlvet.analyses.compare.walk import LayerFailure, TooLarge, Walk, Walker
from mlvet.analyses.compare.written_parts import described, oracle_opening
from mlvet.core.errors import UnsupportedInput, UsageError
from mlvet.runtime.backends.catalogue import Backend, backends
from mlvet.runtime.backends.process import Failure

Array = NDArray[Any]
Progress = Callable[[str, int, int], None]
_WALKED = 4
_SURE = 8
_REASON = 160
"""So much of what a backend complains of is told where several do."""


@dataclass(frozen=True, slots=True)
class Refusal:
    """A backend that could not do its part, and at what; `blamed` is its converter, if that is what failed."""

    backend: str
    failure: Failure
    at: str
    blamed: str = ""

    @property
    def dead(self) -> bool:
        """Whether there is no such interpreter, or none that runs a worker: a mistake of the user."""
        return self.failure.kind == "environment"


@dataclass(slots=True)
class Comparison:
    """All that a comparison has found out."""

    subject: Subject
    versions: dict[str, str] = field(default_factory=dict)
    refusals: list[Refusal] = field(default_factory=list)
    unsteady: dict[str, float] = field(default_factory=dict)
    outputs: dict[str, list[Array]] = field(default_factory=dict)
    pairs: list[Pair] = field(default_factory=list)
    walk: Walk = field(default_factory=Walk)
    fused: list[Fused] = field(default_factory=list)
    suspicions: list[Suspicion] = field(default_factory=list)
    gradients: GradientWalk | None = None
    truth: str = "none"
    examples: int = 0
    walked: list[int] = field(default_factory=list)
    made: bool = False
    seconds: dict[str, float] = field(default_factory=dict)
    memory: dict[str, int] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    searched: Searched = field(default_factory=Searched)
    problems: list[str] = field(default_factory=list)

    @property
    def failed_layers(self) -> list[LayerFailure]:
        """For each backend that cannot run the model, the layer that it fails in, where there is one."""
        failing = {each.backend for each in self.refusals if each.at == "run" and each.failure.kind == "crash"}
        return [each for each in self.walk.first_failures() if each.backend in failing]


def compare(request: CompareRequest, progress: Progress = lambda *_: None) -> Comparison:
    """Run a model on its backends. Raises UsageError or UnsupportedInput if there is nothing to compare."""
    format = format_of(request.model)
    if request.build is None and weights_alone(request.model):
        raise UsageError(f"{request.shown}: holds weights alone; name what builds the model: --build MODULE:FUNCTION")
    wanted = [
        replace(each, overlay=request.overlay) for each in backends(request.backends, format, request.environments)
    ]
    with _folder() as top, Crew(Path(top), request.limits) as crew:
        direct = [one for one in wanted if one.route is None]
        makers = dict.fromkeys(making(one) for one in wanted if one.route is not None)
        needed = [*dict.fromkeys((*direct, *makers))]
        opened = crew.open(needed, request.opening, tell=lambda done: progress("opening the model", done, len(needed)))
        every = [run for run in opened.values() if isinstance(run, Run)]
        refusals = [Refusal(str(one), run, "open") for one, run in opened.items() if isinstance(run, Failure)]
        if not every:
            raise UnsupportedInput(f"{request.shown}: {_nobody(refusals)}")
        found = Comparison(_subject(request, format, every, Path(top)), refusals=refusals)
        found.problems += [f"{each.backend}: {each.failure.words}" for each in refusals if each.dead]
        runs = [run for run in every if run.backend in direct]
        found.versions = {str(run): run.version for run in runs}
        comparing = _Comparing(request, crew, runs, found, progress)
        comparing.behind_converters(wanted, {run.backend: run for run in every})
        try:
            comparing.go()
        except OSError as error:
            why = error.strerror or str(error)
            found.problems.append(f"the comparison ended early, with {top}: {why[:1].lower()}{why[1:]}")
        found.memory = {str(run): run.worker.peak for run in runs}
        return found


@contextlib.contextmanager
def _folder() -> Iterator[str]:
    """A folder for what workers hand over."""
    try:
        held = tempfile.TemporaryDirectory(prefix="mlvet-compare-", ignore_cleanup_errors=True)
    except OSError as error:
        raise UsageError(f"{tempfile.gettempdir()}: no place for temporary files: {error.strerror}") from error
    with held as top:
        yield top


class _Comparing:
    """The steps of a comparison; each leaves what it learns in `found`."""

    def __init__(
        self, request: CompareRequest, crew: Crew, runs: list[Run], found: Comparison, progress: Progress
    ) -> None:
        self.request = request
        self.crew = crew
        self.runs = runs
        self.failing: list[Run] = []
        self.wanted: Sequence[Backend] = ()
        self.makers: Mapping[Backend, Run] = {}
        self.converted: list[Converted] = []
        self.found = found
        self.subject = found.subject
        self.folder = crew.folder
        self.progress = progress
        self.oracle = Oracle(crew, self.subject, oracle_opening(self.subject, request.opening))

    def behind_converters(self, wanted: Sequence[Backend], makers: Mapping[Backend, Run]) -> None:
        """Take note of backends that run what a converter makes, and of who has the model open to convert it."""
        self.wanted = [one for one in wanted if one.route is not None]
        self.makers = makers

    def go(self) -> None:
        examples = self._examples()
        self._convert(examples)
        count = len(next(iter(examples.values()))) if self.subject.batched else 1
        self.found.examples = count
        labels = load_labels(self.request.labels, count) if self.request.labels else None
        batch = self.request.batch if self.subject.batched else 0
        self._run_all(examples, batch)
        outputs = self.found.outputs
        if not outputs:
            hint = "" if self.request.data else "; the inputs were made, real ones are given by --data"
            raise UnsupportedInput(f"{self.request.shown}: {_nobody(self.found.refusals, 'run')}{hint}")
        if len(outputs) == 1 and self.found.refusals:
            self.found.notes.append(
                f"only `{next(iter(outputs))}` runs the model: it is compared with the oracle alone"
            )
        exact = None
        if labels is None or self.converted:
            self.progress("asking the oracle", 0, 1)
            exact = self.oracle.outputs(stored(self.folder, "all", examples), batch)
        sample = next(iter(outputs.values()))
        if labels is not None and self.request.labels is not None:
            check_labels(self.request.labels, labels, sample[0])
        truth = truth_of(labels, exact if labels is None else None, sample)
        self.found.truth = truth.by
        self.found.pairs = pairs(outputs, truth, self.request.thresholds)
        self._walk(examples)
        self._fusion(examples)
        if exact is not None:
            self._suspects(examples, exact[1], batch)
        if self.request.gradients:
            self._gradients(examples)
        if self.request.reproduce is not None or self.request.mutate:
            lab = Laboratory(
                self.crew, [*self.runs, *self.failing], self.oracle, self.subject.format, self.found.versions
            )
            by_name = {str(one): one for one in self.converted}
            suspects = [(each, by_name[each.backend]) for each in self.found.suspicions]
            self.found.searched = search(
                self.request, self.subject, lab, self.found.walk, suspects, examples, self.progress,
                self.found.failed_layers,
            )  # fmt: skip

    def _convert(self, examples: dict[str, Array]) -> None:
        """Open what converters make of the model, where the user names backends that run it."""
        if not self.wanted:
            return
        self.progress("converting the model", 0, len(self.wanted))
        few = stored(self.folder, "few", {name: self._some(array, _WALKED) for name, array in examples.items()})
        for backend, result in convert(self.crew, self.wanted, self.request.opening, self.makers, few).items():
            if isinstance(result, Converted):
                self.converted.append(result)
                self.found.versions[str(backend)] = result.version
            else:
                route = backend.route
                self.found.refusals.append(Refusal(str(backend), result, "convert", route.converter if route else ""))

    def _suspects(self, examples: dict[str, Array], exact: Sequence[Array], batch: int) -> None:
        """Who is wrong where a converted model does not do what the model should."""
        direct = [self.found.outputs[str(run)] for run in self.runs]
        inquiry = Inquiry(self.crew, self.subject, self.oracle, exact, direct)
        inputs = stored(self.folder, "all", examples)
        chosen = self._worst(_WALKED)
        picked = {name: array[chosen] if self.subject.batched else array for name, array in examples.items()}
        few = stored(self.folder, "suspects", picked)
        for number, one in enumerate(self.converted):
            self.progress(f"asking who is wrong, {one.converter} or {one}", number, len(self.converted))
            if str(one) in self.found.outputs:
                suspicion = inquiry.suspicion(one, self.found.outputs[str(one)], inputs, few, batch)
                if suspicion is not None:
                    self.found.suspicions.append(suspicion)

    def _examples(self) -> dict[str, Array]:
        if self.request.data is None:
            self.found.made = True
            self.found.notes.append("no --data: the inputs are made from the model's signature")
            return self._made()
        return self._numbers_only(load_data(self.request.data, self.subject))

    def _made(self) -> dict[str, Array]:
        """Examples by the signature, of as many tokens as the model has a place for."""
        found: list[dict[str, Array]] = []
        for tokens in TOKENS:
            found.append(made(self.subject, count=self.request.count, seed=self.request.seed, tokens=tokens))
            if not any(array.dtype.kind in "iu" for array in found[-1].values()):
                break
            few = {name: self._some(array, _SURE) for name, array in found[-1].items()}
            if self.oracle.takes(stored(self.folder, "tokens", few), _SURE if self.subject.batched else 0):
                return found[-1]
        return found[0]

    def _numbers_only(self, examples: dict[str, Array]) -> dict[str, Array]:
        """The examples without NaN, on which backends may rightly differ."""
        bad = [np.isnan(array) for array in examples.values() if array.dtype.kind == "f"]
        if not any(each.any() for each in bad):
            return examples
        if not self.subject.batched:
            raise UsageError(f"{self.request.data}: holds NaN, which says nothing of backends")
        rows = np.any([each.reshape(len(each), -1).any(axis=1) for each in bad], axis=0)
        if rows.all():
            raise UsageError(f"{self.request.data}: every example holds NaN, which says nothing of backends")
        if self.request.labels is not None:
            raise UsageError(f"{self.request.data}: {int(rows.sum())} of {len(rows)} examples hold NaN; leave them out")
        self.found.notes.append(f"{int(rows.sum())} of {len(rows)} examples hold NaN and are left out")
        return {name: array[~rows] for name, array in examples.items()}

    def _run_all(self, examples: dict[str, Array], batch: int) -> None:
        files = stored(self.folder, "examples", examples)
        few = stored(self.folder, "few", {name: self._some(array, _SURE) for name, array in examples.items()})
        every: list[Run | Converted] = [*self.runs, *self.converted]
        for number, run in enumerate(every):
            self.progress(f"running on {run}", number, len(every))
            try:
                run.whole(few, batch)
                began = run.seconds
                self.found.outputs[str(run)] = run.whole(files, batch)
                self.found.seconds[str(run)] = run.seconds - began
                first, second = run.whole(few, batch), run.whole(few, batch)
                moved = max(
                    (float(np.max(np.abs(a.astype(float) - b.astype(float)), initial=0.0))
                     for a, b in zip(first, second, strict=True) if a.dtype.kind == "f" and np.isfinite(a).all()),
                    default=0.0,
                )  # fmt: skip
                if moved:
                    self.found.unsteady[str(run)] = moved
            except Failure as failure:
                at = f"run what {run.converter} makes of" if isinstance(run, Converted) else "run"
                self.found.refusals.append(Refusal(str(run), failure, at))
                if isinstance(run, Run) and failure.kind == "crash":
                    self.failing.append(run)
        self.runs = [run for run in self.runs if str(run) in self.found.outputs]

    def _some(self, array: Array, count: int) -> Array:
        return array[:count] if self.subject.batched else array

    def _walk(self, examples: dict[str, Array], count: int = _WALKED) -> None:
        """Walk with a few examples, with half of them where the states of so many do not fit."""
        if not self.runs:
            return
        if not self.subject.layers:
            self.found.notes.append("the model has no layers that can be run alone")
            return
        alike = [run for run in (*self.runs, *self.failing) if self._same_layers(run)]
        self.found.notes += [
            f"`{run}` takes the model apart in other layers and is compared by its outputs"
            for run in self.runs
            if run not in alike
        ]
        chosen = self._worst(count)
        picked = {name: array[chosen] if self.subject.batched else array for name, array in examples.items()}
        files = stored(self.folder, "walked", picked)
        walker = Walker(
            self.subject, alike, self.oracle, files,
            lambda done, of: self.progress("walking through the layers", done, of),
            room=self.request.limits.states, divisible=self.subject.batched and len(chosen) > 1,
            keep_wrong=self.request.reproduce is not None or bool(self.request.mutate),
        )  # fmt: skip
        self.found.walk = walker.walk
        self.found.walked = chosen
        try:
            walker.go()
        except TooLarge:
            walker.clear()
            self._walk(examples, len(chosen) // 2)

    def _same_layers(self, run: Run) -> bool:
        """Whether a backend takes the model apart in the same layers; a module of TorchScript tells each its own."""
        told = [layer["name"] for layer in run.opened["nodes"]]
        return self.subject.format != "torchscript" or told == [layer.name for layer in self.subject.layers]

    def _worst(self, count: int) -> list[int]:
        """The examples on which pairs are furthest apart, those of inconsistent pairs before others, then the first."""
        order = sorted(self.found.pairs, key=lambda pair: (not pair.inconsistent, -pair.difference))
        found = dict.fromkeys(pair.example for pair in order)
        found.update(dict.fromkeys(range(self.found.examples)))
        return sorted(list(found)[:count])

    def _gradients(self, examples: dict[str, Array]) -> None:
        if self.subject.format != "keras":
            self.found.notes.append("gradients are compared for models of Keras alone")
            return
        files = stored(self.folder, "derived", {name: self._some(array, _WALKED) for name, array in examples.items()})
        walker = GradientWalker(
            self.crew, self.subject, [run for run in self.runs if run.worker.alive], self.request.opening,
            lambda done, of: self.progress("comparing gradients", done, of),
        )  # fmt: skip
        self.found.gradients = walker.walk
        walker.go(files)

    def _fusion(self, examples: dict[str, Array]) -> None:
        chosen = self._worst(_WALKED)
        few = {name: array[chosen] if self.subject.batched else array for name, array in examples.items()}
        files = stored(self.folder, "fused", few)
        wrong = {error.backend for error in self.found.walk.wrong()}
        for number, run in enumerate(self.runs):
            self.progress(f"the plain model beside its layers on {run}", number, len(self.runs))
            if str(run) not in wrong and run.worker.alive and self._same_layers(run):
                fused = fusion_dependent(run, self.subject, files, self.request.batch if self.subject.batched else 0)
                if fused is not None:
                    self.found.fused.append(fused)


def _subject(request: CompareRequest, format: str, runs: Sequence[Run], folder: Path) -> Subject:
    if format == "onnx":
        from mlvet.runtime.onnx_parts import OnnxParts

        return taken_apart(request.model, OnnxParts(request.model, folder))
    if not any(run.opened["inputs"] for run in runs):
        asked = ", ".join(f"`{run}`" for run in runs)
        raise UnsupportedInput(
            f"{request.shown}: {asked} cannot tell what goes into the model; name another backend too"
        )
    return described(request.model, format, runs, folder)


def _nobody(refusals: Sequence[Refusal], do: str = "open") -> str:
    reasons = dict.fromkeys(f"{each.backend}: {beginning(each.failure.words)}" for each in refusals)
    return f"no backend can {do} the model (" + "; ".join(reasons) + ")"


def beginning(words: str) -> str:
    """So much of a complaint as is needed to know it."""
    return words if len(words) <= _REASON else f"{words[: _REASON - 3]}..."
