"""From hazards to findings: the words, the places, how sure they are, and what shows them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from shutil import rmtree
from time import monotonic

from mlvet.analyses.numerics import checks
from mlvet.analyses.numerics.analysis import Analysis, analyse
from mlvet.analyses.numerics.assumptions.ranges import OURS, Assumed, Origin, assume
from mlvet.analyses.numerics.hazard import Hazard
from mlvet.analyses.numerics.request import NumericsRequest
from mlvet.analyses.numerics.telling.causes import Cause, Sources, refined
from mlvet.analyses.numerics.telling.cures import Cure, Pharmacy
from mlvet.analyses.numerics.telling.hazard_rule import HazardRule, Told
from mlvet.analyses.numerics.telling.sensitivity import FEWEST, Dependence, hangs_on
from mlvet.analyses.numerics.telling.standing import Standing
from mlvet.analyses.numerics.telling.trace import Trail, dependence_data, ends, range_data, witness_data
from mlvet.analyses.numerics.telling.words import (
    brief,
    dependence_words,
    guilty_value,
    program_name,
    range_words,
    result_type,
    told,
    witness_words,
)
from mlvet.analyses.numerics.witness import Witness, save, search
from mlvet.analyses.place import place, source_line
from mlvet.analyses.shapes.inference import Inference
from mlvet.core.evidence import Evidence, Related
from mlvet.core.finding import Finding
from mlvet.core.fix import Fix
from mlvet.core.grade import Certainty
from mlvet.core.location import Location
from mlvet.core.rule import Catalogue
from mlvet.domains.dtypes import Kind
from mlvet.ir.graph import Graph, Value

SEARCHED = 24
"""The most hazards of one model that are searched for witnesses."""
SENSITIVITY_SECONDS = 3.0
OVERFLOW_SHARE = 0.2
"""The share of the search for overflows of 32 and 64 bits, which bounded inputs seldom reach."""
CURE_SECONDS = 3.0
SAVING_SECONDS = 20.0
REMOTE = 1e4
"""An overflow that needs inputs beyond this, which nobody said they reach, is told in a note."""
_LISTED = 10
_RANGES = 3
STORED_NAN = "nan-in-weights"
PROGRAM = "python"
"""The format of graphs that are interpreted programs."""
PROGRAM_SECONDS = 1.5
"""How long a program is searched for witnesses, or asked on what its hazards hang, at most."""


@dataclass(slots=True)
class Judged:
    """What is to be said of one model; `meant` and `sampled` are the user's ranges and arrays that are of it.

    `refusals` tell which of them cannot be true.
    """

    findings: list[Finding] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    refusals: list[str] = field(default_factory=list)
    meant: set[str] = field(default_factory=set)
    sampled: set[str] = field(default_factory=set)
    analysed: int = 0
    unanalysed: Counter[str] = field(default_factory=Counter)


def findings(
    graph: Graph, inference: Inference, rules: Catalogue, request: NumericsRequest, keep: Path | None = None
) -> Judged:
    """One finding per operator that could not be shown safe, and notes on what was analysed.

    Witnesses are written into the folder `keep`, in place of what it held.
    """
    assumptions = assume(graph, inference, request.given)
    judged = Judged([], list(assumptions.remarks), assumptions.refusals, assumptions.meant, assumptions.sampled)
    started = monotonic()
    analysis = analyse(graph, inference, assumptions.ranges, request.settings)
    took = monotonic() - started
    judged.notes += analysis.failures
    judged.analysed, judged.unanalysed = analysis.analysed, analysis.unanalysed
    case = _Case(graph, inference, rules, request, assumptions.ranges, analysis)
    judged.findings += case.stored()
    if analysis.hazards:
        case.weigh()
        case.ask(took)
        case.look()
        judged.findings += case.findings(keep)
        judged.notes += case.notes
    return judged


class _Case:
    """One model with everything that is known of its hazards."""

    def __init__(
        self, graph: Graph, inference: Inference, rules: Catalogue, request: NumericsRequest,
        ranges: Mapping[Value, Assumed], analysis: Analysis,
    ) -> None:  # fmt: skip
        self.graph = graph
        self.inference = inference
        self.rules = rules
        self.request = request
        self.ranges = ranges
        self.analysis = analysis
        self.trail = Trail(graph, analysis.intervals)
        self.hazards: list[Hazard] = list(analysis.hazards)
        sources = Sources.of(graph, self.trail.makers, analysis.intervals, inference)
        known = frozenset(name for name, rule in rules.items() if issubclass(rule, HazardRule))
        self.causes: dict[Hazard, Cause] = {hazard: refined(hazard, sources, known) for hazard in self.hazards}
        self.dependences: dict[Hazard, Dependence] = {}
        self.standing: Standing | None = None
        self.witnesses: dict[Hazard, Witness] = {}
        self.grades: dict[Hazard, Certainty] = {}
        self.notes: list[str] = []
        self._sources = sources
        self._names = {parameter.value: parameter.name for parameter in graph.parameters}

    def weigh(self) -> None:
        """Settle how sure the hazards of a program are; those of one place count once."""
        if self.graph.format == PROGRAM:
            self.standing = Standing(self.graph, self._sources, self.causes)
            self.grades = self.standing.chosen(self.hazards)
            self.hazards = list(self.grades)

    def ask(self, took: float) -> None:
        """Find out on what each hazard hangs, and set those aside that only need numbers near the limits.

        Of a program only the likely ones are asked about.
        """
        if self.standing is not None:
            likely = [hazard for hazard in self.hazards if self.grades[hazard] is not Certainty.POSSIBLE]
            most = int(PROGRAM_SECONDS / max(took, 0.01))
            if likely and most >= FEWEST:
                self.dependences = hangs_on(
                    self.graph, self.inference, self.ranges, likely, self._analyse, min(most, 12)
                )  # fmt: skip
            return
        most = int(SENSITIVITY_SECONDS / max(took, 0.01))
        self.dependences = hangs_on(
            self.graph, self.inference, self.ranges, self.hazards,
            self._analyse, min(most, 48),
        )  # fmt: skip
        remote = [hazard for hazard in self.hazards if self._remote(hazard)]
        if remote:
            self.hazards = [hazard for hazard in self.hazards if hazard not in remote]
            self.notes.append(self._overflows(remote))

    def _analyse(self, graph: Graph, inference: Inference, ranges: Mapping[Value, Assumed]) -> Analysis:
        return analyse(graph, inference, ranges, self.request.settings)

    def look(self) -> None:
        """Search witnesses, for the gravest hazards first."""
        self.hazards.sort(key=lambda hazard: -self.rules[self.causes[hazard].rule].severity.rank)
        if self.request.witness_seconds <= 0 or not self.hazards:
            return
        remote = [hazard for hazard in self.hazards if self.causes[hazard].rule == checks.OVERFLOW]
        near = [hazard for hazard in self.hazards if hazard not in remote]
        seconds = self.request.witness_seconds
        if self.standing is not None:
            near = [hazard for hazard in self.hazards if self.standing.provable(hazard)]
            remote = []
            seconds = min(seconds, PROGRAM_SECONDS)
        try:
            for hazards, share in ((near, 1.0), (remote, OVERFLOW_SHARE)):
                if not hazards:
                    continue
                self.witnesses |= search(
                    self.graph, hazards[:SEARCHED], self.ranges, self.inference.types, seconds=seconds * share
                )
        except Exception as error:
            self.notes.append(f"the search for witnesses failed, a defect of mlvet: {error!r}")

    def findings(self, keep: Path | None) -> Iterator[Finding]:
        if keep is not None:
            rmtree(keep, ignore_errors=True)
        pharmacy = Pharmacy(self.graph, self.inference, self.ranges, self.analysis, self._analyse)
        until = monotonic() + CURE_SECONDS
        patience = SAVING_SECONDS
        for hazard in self.hazards:
            shown = self.grades.get(hazard) is not Certainty.POSSIBLE
            cure = pharmacy.cure(hazard, self.causes[hazard]) if shown and monotonic() < until else None
            witness = self.witnesses.get(hazard)
            files = None
            if witness is not None and keep is not None:
                started = monotonic()
                files = _saved(witness, self.graph, hazard, keep, patience)
                patience -= monotonic() - started
            yield self._finding(hazard, witness, files, cure)

    def stored(self) -> Iterator[Finding]:
        """Weights that hold NaN."""
        rule = self.rules[STORED_NAN]
        assert issubclass(rule, HazardRule)
        for value, interval in self.analysis.not_finite:
            name = self._names.get(value, value.name)
            yield Finding(
                rule=rule.name,
                code=rule.code,
                severity=rule.severity,
                certainty=Certainty.PROVED,
                message=rule.message(Told(name, interval.low, interval.high, "NaN", because="NaN")),
                location=Location(self.graph.path or self.graph.name, node=name),
                evidence=Evidence("stored", {"value": name, "interval": ends(interval)}),
            )

    def _finding(
        self, hazard: Hazard, witness: Witness | None, files: tuple[Path, Path] | None, cure: Cure | None
    ) -> Finding:
        cause = self.causes[hazard]
        rule = self.rules[cause.rule]
        assert issubclass(rule, HazardRule)
        node = hazard.node
        origins = [value for value in self.trail.origins(node) if value in self.ranges and not self._is_bool(value)]
        dependence = self.dependences.get(hazard, Dependence())
        guilty = guilty_value(hazard)
        data = {
            "operator": node.op,
            "operand": hazard.operand,
            "operand_value": guilty.name if guilty is not None else None,
            "interval": ends(hazard.interval),
            "outcome": hazard.outcome.value,
            "backward": hazard.backward,
            "ranges": [range_data(self._name(value), self.ranges[value]) for value in origins],
            "hangs_on": dependence_data(dependence, any(self.ranges[value].origin in OURS for value in origins)),
            "witness": witness_data(witness, files) if witness is not None else None,
            "cure": cure.to_json() if cure is not None else None,
            "slice": self.trail.slice(node, guilty),
            "leading": self.trail.leading(node),
        }
        return Finding(
            rule=rule.name,
            code=rule.code,
            severity=rule.severity,
            certainty=(Certainty.OBSERVED if witness is not None else self.grades.get(hazard, Certainty.POSSIBLE)),
            message=rule.message(told(hazard, self.inference, cause.because, self._called(guilty))),
            location=place(self.graph, node),
            related=(*self._related(hazard, origins, dependence), *_shown(witness, files)),
            evidence=Evidence("numerics", data),
            fix=Fix(cure.title) if cure is not None else None,
        )

    def _related(self, hazard: Hazard, origins: list[Value], dependence: Dependence) -> Iterator[Related]:
        """Where the operand comes from, which ranges were assumed, and whether it hangs on them."""
        yield from source_line(self.graph, hazard.node)
        value = guilty_value(hazard)
        maker = self.trail.makers.get(value) if value is not None else None
        if value is not None and maker is not None:
            interval = self.analysis.intervals.get(value)
            made = f"made by `{maker.source_op or maker.op}`"
            name = brief(value.name) if self.standing is None else self._called(value)
            what = f"`{name}`" if name else "what it receives"
            yield Related(f"{what} is {interval}, {made}", place(self.graph, maker))
        first = [each for each in dependence.values if each in origins]
        for each in list(dict.fromkeys((*first, *origins)))[:_RANGES]:
            dtype = self.inference.type_of(each).dtype
            yield Related(range_words(self._name(each), self.ranges[each], dtype))
        if len(origins) > _RANGES:
            rest = len(origins) - _RANGES
            yield Related(f"{rest} more {'range leads' if rest == 1 else 'ranges lead'} here")
        words = dependence_words(dependence, [each for each in origins if self.ranges[each].origin in OURS])
        if words is not None:
            yield Related(words)

    def _remote(self, hazard: Hazard) -> bool:
        """Whether it is an overflow that nothing but a missing range makes possible."""
        found = self.dependences[hazard]
        return (
            self.causes[hazard].rule == "arithmetic-overflow"
            and result_type(hazard.node, self.inference).bits >= 32
            and found.magnitude is not None
            and found.magnitude >= REMOTE
            and all(self.ranges[value].origin is Origin.DTYPE for value in found.values)
        )

    def _overflows(self, hazards: list[Hazard]) -> str:
        """One sentence on all operators that overflow only near the limits of the element type."""
        values = list(dict.fromkeys(value for hazard in hazards for value in self.dependences[hazard].values))
        least = min(self.dependences[hazard].magnitude or REMOTE for hazard in hazards)
        types = dict.fromkeys(str(result_type(hazard.node, self.inference)) for hazard in hazards)
        most = len(hazards) if self.request.thorough else _LISTED
        names = _listed((brief(hazard.node.name.partition("#")[0]) for hazard in hazards), most)
        inputs = _listed((f"`{self._name(value)}`" for value in values), 3)
        several = len(hazards) != 1
        return (
            f"{len(hazards)} operator{'s' if several else ''} overflow{'' if several else 's'} {' and '.join(types)} "
            f"only if {inputs} {'comes' if len(values) == 1 else 'come'} near "
            f"{'its' if len(values) == 1 else 'their'} limits (no overflow up to {least:g}): {names}; "
            f"give --range {self._name(values[0])}=LO:HI to be exact"
        )

    def _is_bool(self, value: Value) -> bool:
        """Whether a range says nothing, since there are but two values."""
        dtype = self.inference.type_of(value).dtype
        return dtype is not None and dtype.kind is Kind.BOOL

    def _called(self, value: Value | None) -> str:
        """What a program calls an operand; a message about a model needs no name, since it names the operator."""
        return "" if self.standing is None or value is None else program_name(value, self.trail.makers.get(value))

    def _name(self, value: Value) -> str:
        return self._names.get(value, value.name)


def _shown(witness: Witness | None, files: tuple[Path, Path] | None) -> Iterator[Related]:
    if witness is not None:
        yield Related(witness_words(witness))
        if files is not None:
            yield Related(f"python {files[1]} shows it")


def _saved(witness: Witness, graph: Graph, hazard: Hazard, keep: Path, patience: float) -> tuple[Path, Path] | None:
    """The files of a witness; none where they cannot be written."""
    try:
        return save(witness, graph, hazard, keep, patience)
    except OSError:
        return None


def _listed(names: Iterable[str], most: int = _LISTED) -> str:
    known = list(names)
    rest = len(known) - most
    return ", ".join(known[:most]) + (f" and {rest} more" if rest > 0 else "")
