"""From contradictions and restrictions to findings: the words, the places, and how sure they are."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any

from mlvet.analyses.shapes.programs.arithmetic import Arithmetic
from mlvet.analyses.shapes.programs.confirmation import REPLAY
from mlvet.analyses.shapes.programs.contradictions import Contradiction
from mlvet.analyses.shapes.programs.grading import certainty, choices
from mlvet.analyses.shapes.programs.replays import replay
from mlvet.analyses.shapes.programs.restrictions import Restriction
from mlvet.analyses.shapes.wording import broken
from mlvet.core.evidence import Assumption, Evidence, Related
from mlvet.core.finding import Finding
from mlvet.core.grade import Certainty
from mlvet.core.location import Location
from mlvet.core.rule import Catalogue
from mlvet.domains.claims import Relation
from mlvet.domains.dims import Dim
from mlvet.domains.tensors import Tensor
from mlvet.domains.written import Int
from mlvet.ir.graph import Graph, Literal, Node, Value
from mlvet.ir.library_calls import NotRepeatable
from mlvet.ir.program import Condition, Demand, Demands, Setting

ANNOTATION = "annotation-differs"
AVAILABLE = " is available"
"""How the name of the condition ends that a machine has a device of some kind."""
RESTRICTED = "restricted-setting"
_OTHERWISE = "dims-differ"
_SHORT = 8
"""The most elements of a row of numbers that a message gives."""
_KINDS = {"cuda": "CUDA", "mps": "MPS", "xpu": "XPU", "mtia": "MTIA"}
_COUNTED = re.compile(r"_\d+$")


class Teller:
    """The findings of one program, with the failing calls as data where they are to be made again."""

    def __init__(self, graph: Graph, demands: Demands, rules: Catalogue, replays: bool = False) -> None:
        self._replays = replays
        self._path = graph.path
        self._rules = rules
        self._demands = demands
        self._makers = {value: node for node in graph.body.nodes for value in node.outputs}
        self._constants = {constant.value for constant in graph.body.constants}
        self._parameters = {parameter.value for parameter in graph.parameters}
        self._arithmetic = Arithmetic(self._makers)

    def findings(self, found: Iterable[Contradiction], limited: Iterable[Restriction]) -> Iterator[Finding]:
        """A finding for each contradiction, and one for each setting whose values it does not already tell."""
        restrictions = list(limited)
        told = set()
        for contradiction in found:
            allowed = [each for each in restrictions if each.demand == contradiction.demand]
            told |= {each.setting.name for each in allowed}
            yield self._contradiction(contradiction, allowed)
        for restriction in restrictions:
            if restriction.setting.name not in told:
                told.add(restriction.setting.name)
                yield self._restriction(restriction)

    def _contradiction(self, found: Contradiction, allowed: list[Restriction]) -> Finding:
        demand = found.demand
        node, constraint = demand.node, demand.constraint
        rule = self._rules[constraint.rule if constraint.rule in self._rules else _OTHERWISE]
        usual = tuple(f"{each.name} = {each.default}" for each in found.defaults)
        consequence = "so whoever relies on it goes wrong" if rule.name == ANNOTATION else "so it cannot run"
        if usual:
            consequence += f" with the default {' and '.join(usual)}"
        where = [*found.assumed, *(self._outcomes(found.path) if demand.devices else ())]
        if where:
            consequence += f" where {' and '.join(where)}"
        if allowed:
            consequence += f"; {allowed[0].setting.name} must be {allowed[0].words}"
        what = "" if rule.name == ANNOTATION else self._what(demand)
        told = f"{what}; {self._why(demand)}" if what else self._why(demand)
        operands = [str(tensor.without_value()) for tensor in demand.operands if tensor is not None]
        return Finding(
            rule=rule.name,
            code=rule.code,
            severity=rule.severity,
            certainty=certainty(found, self._demands),
            message=f"{told}{self._beside(found)}, {consequence}",
            location=self._place(node),
            related=tuple(self._related(found)),
            evidence=Evidence(
                "constraint",
                {
                    "operator": node.op,
                    **_sides(demand),
                    "operands": operands,
                    "core": [str(each.constraint) for each in found.others],
                    "path": [_outcome(*each) for each in choices(found.path, self._demands)],
                    **(self._replay(found) if self._replays else {}),
                },
            ),
            assumptions=(
                *(
                    Assumption(f"{each.name} is {each.default}, as by default", each.location)
                    for each in found.defaults
                ),
                *map(Assumption, found.assumed),
            ),
            fix=demand.cure,
        )

    def _replay(self, found: Contradiction) -> dict[str, Any]:
        try:
            return {REPLAY: replay(found, self._demands)}
        except NotRepeatable as problem:
            return {"confirmed": False, "reason": str(problem)}

    def _restriction(self, found: Restriction) -> Finding:
        demand, setting = found.demand, found.setting
        rule = self._rules[RESTRICTED]
        usual = "" if setting.default is None else f" (it is {setting.default} by default)"
        return Finding(
            rule=rule.name,
            code=rule.code,
            severity=rule.severity,
            certainty=Certainty.PROVED,
            message=f"{setting.name} must be {found.words}{usual}: {self._what(demand)}; {self._need(demand)}, "
            "so any other value fails here",
            location=self._place(demand.node),
            related=(*self._settings([setting]), *self._related(Contradiction(demand))),
            evidence=Evidence(
                "restriction",
                {"setting": setting.name, "values": list(found.values), "multiple": found.multiple, **_sides(demand)},
            ),
        )

    def _what(self, demand: Demand) -> str:
        """The operator and its operands, each with its name and whole shape."""
        node = demand.node
        shown = [
            self._operand(value, tensor)
            for value, tensor in zip(node.inputs, demand.operands, strict=True)
            if value is not None and tensor is not None and (value not in self._constants or tensor.rank != 0)
        ]
        if demand.devices:
            shown = self._devices(demand)
        named = node.source_op != "assert"
        what = f"`{node.source_op}`" if named else "the call"
        return f"{what} gets {_listed(shown)}" if shown else what if named else ""

    def _devices(self, demand: Demand) -> list[str]:
        """The operands, each with the device that it is on."""
        return [
            f"{self._operand(value, tensor)} on {device.name}"
            for value, tensor, device in zip(demand.node.inputs, demand.operands, demand.devices, strict=True)
            if value is not None and tensor is not None
        ]

    def _operand(self, value: Value, tensor: Tensor) -> str:
        counts = tensor.dtype is not None and tensor.dtype.is_integer
        if counts and tensor.value is not None and tensor.rank == 1 and tensor.dims[0] == len(tensor.value) <= _SHORT:
            return f"[{', '.join(map(str, tensor.value))}]"
        name = self._name(value)
        return f"`{name}` {tensor.without_value()}" if name else str(tensor.without_value())

    def _name(self, value: Value) -> str:
        """What the program calls a tensor; empty if it has no name for it."""
        name = value.name.partition("#")[0]
        maker = self._makers.get(value)
        plainly = _COUNTED.sub("", name)
        unnamed = value in self._constants or (maker is not None and plainly in (maker.op, maker.source_op, "opaque"))
        return "" if unnamed or not name.strip("_") or not name.replace(".", "_").isidentifier() else name

    def _why(self, demand: Demand) -> str:
        constraint = demand.constraint
        return broken(constraint, self._size(demand, constraint.left), self._size(demand, constraint.right))

    def _need(self, demand: Demand) -> str:
        """What a demand asks for, as something that can be met."""
        constraint = demand.constraint
        left, right = constraint.left, constraint.right
        match constraint.relation:
            case Relation.EQUAL:
                return f"{constraint.because.rstrip('.')}, so {left} must be {right}"
            case Relation.DIVISIBLE:
                return f"{constraint.because.rstrip('.')}, so {left} must be a multiple of {right}"
            case _:
                return constraint.because.rstrip(".")

    def _size(self, demand: Demand, size: Dim) -> str:
        """A size, with the arithmetic it comes from where the program did some."""
        if isinstance(size, Int) and size.origin.is_computed:
            return f"{size} = {size.origin.text}"
        steps = self._arithmetic.of(demand, size)
        return f"{size} = {steps}" if steps else str(size)

    def _beside(self, found: Contradiction) -> str:
        """The demands that this one contradicts."""
        others = [each for each in found.others if each.node is not found.demand.node]
        if not others:
            return ""
        told = [f"{each.constraint} ({_line(each.node)})" for each in others[:2]]
        return f", because also {' and '.join(told)}"

    def _related(self, found: Contradiction) -> Iterator[Related]:
        """The run that fails, where each side was born, what it contradicts, and the way there."""
        demand = found.demand
        if found.run is not None and found.run.execution.location != demand.node.location:
            yield Related("this run fails", found.run.execution.location)
        for value, tensor in zip(demand.node.inputs, demand.operands, strict=True):
            if value is not None and tensor is not None and value not in self._constants and not demand.devices:
                yield from self._birth(value, tensor, demand.node)
        for value, device in zip(demand.node.inputs, demand.devices, strict=False):
            if value is not None and device.location is not None:
                name = self._name(value)
                yield Related(f"{f'`{name}`' if name else 'one'} is on {device.name}: {device.how}", device.location)
        for size in (demand.constraint.left, demand.constraint.right):
            if isinstance(size, Int) and size.origin.location is not None:
                yield Related(f"{size} is written here", size.origin.location)
        for other in found.others:
            yield Related(f"{other.constraint.because}: {other.constraint}", self._place(other.node))
        yield from self._settings(found.defaults)
        for alike in {each.demand.node.location: each for each in found.also}.values():
            yield Related("the same mismatch is here", alike.demand.node.location)
        for frame in demand.node.stack[-1:]:
            yield Related(f"`{frame.function}` is called here", frame.location)
        yield from self._conditions_of(found.path)

    def _birth(self, value: Value, tensor: Tensor, node: Node) -> Iterator[Related]:
        maker = self._makers.get(value)
        if maker is not None and maker.location is not None and maker.location != node.location:
            name = self._name(value)
            what = f"`{name}` is {tensor.without_value()}, made" if name else f"{tensor.without_value()} is made"
            yield Related(f"{what} by `{maker.source_op}`", maker.location)

    def _settings(self, settings: Iterable[Setting]) -> Iterator[Related]:
        for each in settings:
            if each.location is not None:
                yield Related(f"{each.name} is set here", each.location)

    def _outcomes(self, path: Iterable[Literal]) -> Iterator[str]:
        """The branch outcomes of a path that a machine or a user decides, each once, but for those that are usual."""
        said = {}
        for condition, holds in choices(path, self._demands):
            if condition.default is not None and condition.default == holds:
                continue
            kind = condition.name.removesuffix(AVAILABLE)
            said[_outcome(condition, holds)] = (
                f"{kind.upper()} is available" if kind != condition.name and holds else ""
            )
        yield from (words or text for text, words in said.items())

    def _conditions_of(self, path: Iterable[Literal]) -> Iterator[Related]:
        said = {_outcome(condition, holds): condition for condition, holds in choices(path, self._demands)}
        for text, condition in said.items():
            yield Related(f"on the path where {text}", condition.location)

    def _place(self, node: Node) -> Location:
        return node.location if node.location is not None else Location(self._path)


def _outcome(condition: Condition, holds: bool) -> str:
    """A branch outcome in the words of the program."""
    text = condition.text
    if holds:
        return text
    if text.startswith("not ("):
        return text[5:-1]
    return f"not {text}" if text.isidentifier() else f"not ({text})"


def _listed(parts: list[str]) -> str:
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"


def _line(node: Node) -> str:
    return f"line {node.location.line}" if node.location is not None else node.source_op


def _sides(demand: Demand) -> dict[str, str]:
    constraint = demand.constraint
    if constraint.relation is None:
        return {"because": constraint.because}
    return {"left": str(constraint.left), "right": str(constraint.right), "relation": constraint.relation.value}
