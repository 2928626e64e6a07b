"""The efficiency of one program: facts, rules over them, and what is worth telling of their answers."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module, resources

from mlvet.analyses.efficiency.host.elements import SCHEMA as ELEMENT_SCHEMA
from mlvet.analyses.efficiency.host.elements import element_facts
from mlvet.analyses.efficiency.host.encodings import SCHEMA as ENCODING_SCHEMA
from mlvet.analyses.efficiency.host.encodings import encoding_facts
from mlvet.analyses.efficiency.host.executions import SCHEMA as RUN_SCHEMA
from mlvet.analyses.efficiency.host.executions import execution_facts
from mlvet.analyses.efficiency.host.facts import SCHEMA as HOST_SCHEMA
from mlvet.analyses.efficiency.host.facts import HostProgram, host_facts
from mlvet.analyses.efficiency.host.flows import SCHEMA as FLOW_SCHEMA
from mlvet.analyses.efficiency.host.flows import flow_facts
from mlvet.analyses.efficiency.host.limits import TooLarge, limited
from mlvet.analyses.efficiency.host.outline import Outline
from mlvet.analyses.efficiency.host.outline import outline as outlined
from mlvet.analyses.efficiency.host.sharing import SCHEMA as SHARING_SCHEMA
from mlvet.analyses.efficiency.host.sharing import sharing_facts
from mlvet.analyses.efficiency.host.training import SCHEMA as TRAINING_SCHEMA
from mlvet.analyses.efficiency.host.training import training_facts
from mlvet.analyses.efficiency.host.well_known import METHODS
from mlvet.analyses.efficiency.reasoning.guard import guarded
from mlvet.analyses.efficiency.reasoning.own_rules import mentioned
from mlvet.analyses.efficiency.reasoning.solving import OWN, Answers, RuleText, Suggested, answers
from mlvet.analyses.efficiency.request import EfficiencyRequest
from mlvet.analyses.efficiency.telling.context import Context
from mlvet.core.finding import Finding
from mlvet.core.rule import Catalogue
from mlvet.core.source import Source
from mlvet.frontends.collection import paused
from mlvet.ir.facts import SCHEMA as GRAPH_SCHEMA
from mlvet.ir.facts import Fact
from mlvet.ir.facts import facts as graph_facts
from mlvet.ir.graph import Graph
from mlvet.ir.host import Host
from mlvet.ir.program import Demands

_ASKED = {
    "speculate/1": "class that may be taken for granted",
    "well_known/1": "method of tensors that changes nothing",
}
SCHEMA = {
    **GRAPH_SCHEMA, **HOST_SCHEMA, **RUN_SCHEMA, **SHARING_SCHEMA, **ELEMENT_SCHEMA, **ENCODING_SCHEMA,
    **TRAINING_SCHEMA, **FLOW_SCHEMA, **_ASKED,
}  # fmt: skip


@dataclass(slots=True)
class Efficiency:
    """What came of it: suggestions, notes for the summary, figures, and the processor time that clingo took."""

    findings: list[Finding] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    figures: Counter[str] = field(default_factory=Counter)
    reasoning: float = 0.0


def outline(source: Source) -> Outline | None:
    """A file taken apart, None if it is not Python."""
    try:
        return outlined(source, ast.parse(source.text))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def vet(
    found: Outline, host: Host, graph: Graph, demanded: Demands, rules: Catalogue, request: EfficiencyRequest
) -> Efficiency:
    """Suggest what a program could do with less work."""
    with paused():
        context = Context(HostProgram(found, host, graph), demanded, rules)
        try:
            reasoned = _reasoned(context, request)
        except TooLarge as error:
            return Efficiency(notes=[f"{found.source.path}: {error}"])
        context.suggested = reasoned.suggested
        notes = [f"{found.source.path}: {each}" for each in reasoned.problems]
        told = [_told(context, each) for each in reasoned.suggested]
        notes += [
            f"{found.source.path}: own rules report at `{each.arguments[0]}`, which is no expression and no loop"
            for each, finding in zip(reasoned.suggested, told, strict=True)
            if each.pattern == OWN and finding is None
        ]
    outcome = Efficiency([each for each in told if each is not None], notes, reasoning=reasoned.seconds)
    outcome.figures.update(suggested=len(told), told=len(outcome.findings))
    return outcome


def _told(context: Context, suggested: Suggested) -> Finding | None:
    module = import_module(f"mlvet.analyses.efficiency.telling.{suggested.pattern.replace('-', '_')}")
    finding: Finding | None = module.tell(context, suggested)
    return finding


def _reasoned(context: Context, request: EfficiencyRequest) -> Answers:
    """What the shipped rules suggest, and what the user's rules report, which run apart so that they spoil nothing."""
    found = answers(limited(_facts(context, request, shipped())), shipped(), SCHEMA)
    if request.rules:
        names = ", ".join(each.name for each in request.rules)
        rules = (*shipped(), *request.rules)
        own = guarded([str(each) for each in _facts(context, request, rules)], rules, [*SCHEMA], names)
        found.suggested += own.suggested
        found.problems += own.problems
    return found


def _facts(context: Context, request: EfficiencyRequest, rules: tuple[RuleText, ...]) -> Iterator[Fact]:
    """The facts of a program. A program can be large, so that only those are told that a rule reads."""
    asked = set[str]().union(*map(mentioned, rules))
    told = {(name, int(arity)) for name, _, arity in (each.partition("/") for each in asked)}
    whole = rules is not shipped()
    yield from (each for each in host_facts(context.program, whole) if (each[0], len(each[1])) in told)
    yield from training_facts(context.program, context.demanded)
    yield from execution_facts(context.runs, nodes="run_node/2" in asked, whole=whole)
    yield from sharing_facts(context.sharing, whole)
    yield from element_facts(context.program)
    yield from encoding_facts(context.program)
    yield from (each for each in flow_facts(context.program) if each.signature in asked)
    if asked & GRAPH_SCHEMA.keys():
        yield from (each for each in graph_facts(context.program.graph) if each.signature in asked)
    for each in request.speculations:
        yield Fact("speculate", (each.value,))
    for method in METHODS:
        yield Fact("well_known", (method,))


@cache
def shipped() -> tuple[RuleText, ...]:
    """The rules that mlvet brings along."""
    folder = resources.files("mlvet.analyses.efficiency") / "patterns"
    files = sorted((each for each in folder.iterdir() if each.name.endswith(".lp")), key=lambda each: each.name)
    return tuple(RuleText(each.name, each.read_text(encoding="utf-8")) for each in files)
