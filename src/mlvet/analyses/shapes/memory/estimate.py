"""An estimate of what one step of training holds at its peak.

Parameters, their gradients and what the optimiser keeps for each are there all the time. To them come the values that
the backward pass of one loss needs, each storage once, and the largest operator's gradients while it runs.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from mlvet.analyses.shapes.memory.kept import RECURRENT, is_view, kept
from mlvet.analyses.shapes.memory.sizes import Open, Sizes
from mlvet.core.location import Location
from mlvet.ir.graph import Graph, Node, Value
from mlvet.ir.program import Act, Demands, Event

_KEEPS = "keeps "
_NAMED = "named "
NO_GRADIENTS = "no gradients"


@dataclass(slots=True)
class Contributor:
    """A share of the estimate that one line of the program brings about."""

    words: str
    bytes: int
    location: Location | None


@dataclass(slots=True)
class Estimate:
    """Bytes at the peak of one step, by what they are for, and who contributes most."""

    step: Event
    parameters: int = 0
    gradients: int = 0
    state: int = 0
    activations: int = 0
    temporary: int = 0
    contributors: list[Contributor] = field(default_factory=list)
    assumed: tuple[str, ...] = ()

    @property
    def total(self) -> int:
        return self.parameters + self.gradients + self.state + self.activations + self.temporary


def estimates(graph: Graph, demands: Demands) -> tuple[list[Estimate], list[str]]:
    """An estimate for each place where a program computes gradients, and in words what keeps others from having one."""
    steps = Steps(graph, demands)
    found: list[Estimate] = []
    open_: dict[str, None] = {}
    seen = set()
    for event in demands.events:
        if event.act is not Act.DERIVED or "uncalled" in event.facts or (event.location, event.guards) in seen:
            continue
        seen.add((event.location, event.guards))
        try:
            estimate = steps.estimate(event)
        except Open as problem:
            open_[f"{_place(event.location)}: {problem} is not known, and so is the peak memory of training"] = None
            continue
        if estimate is not None:
            found.append(estimate)
    return found, list(open_)


class Steps:
    """The steps of training of one program."""

    def __init__(self, graph: Graph, demands: Demands) -> None:
        self._graph = graph
        self._demands = demands
        self._makers = {value: node for node in graph.body.nodes for value in node.outputs}
        self._parameters = {parameter.value: parameter for parameter in graph.parameters}
        self._loops = {loop.name: loop for loop in graph.loops}
        self._unrolled = Counter(
            name for name, index in {(each.loop, each.index) for node in graph.body.nodes for each in node.loops}
            if index is not None
        )  # fmt: skip
        without = [value for event in demands.events if NO_GRADIENTS in event.facts for value in event.results]
        stopped = [value for node in graph.body.nodes if node.op == "stop_gradient" for value in node.outputs]
        self._cut = frozenset((*without, *stopped))
        self._usual = {
            name: condition.default for name, condition in demands.conditions.items() if condition.default is not None
        }

    def estimate(self, event: Event) -> Estimate | None:
        """The peak of the step that computes gradients of a loss; None if no parameter is trained by it."""
        sizes = Sizes(self._demands.settings, {**self._demands.full, **self._demands.largest})
        outcomes = {**self._usual, **{each.condition: each.holds for each in event.guards}}
        nodes, differentiated = self._slice(event, outcomes), self._slice(event, outcomes, self._cut)
        optimisers = [each for each in self._demands.events if each.act is Act.MADE and not _left_out(each, outcomes)]
        reached, trained = (
            {value for node in each for value in node.inputs if value in self._parameters}
            for each in (nodes, differentiated)
        )
        trained = {value for value in trained if self._parameters[value].trainable}
        for each in optimisers:
            trained |= {value for value in each.values if value in self._parameters}
        if not trained or not reached or not event.values:
            return None
        estimate = Estimate(event)
        self._resident(estimate, reached | trained, trained, optimisers, sizes)
        self._step(estimate, differentiated, trained, event, sizes)
        estimate.contributors.sort(key=lambda each: -each.bytes)
        estimate.assumed = (*sizes.assumed, *self._chosen(event, optimisers, nodes))
        return estimate

    def _slice(self, event: Event, outcomes: Mapping[str, bool], cut: frozenset[Value] = frozenset()) -> list[Node]:
        """The nodes that a loss is computed by where branches go these ways; what lies behind `cut` is left out."""
        found: set[Node] = set()
        pending = list(event.values)
        while pending:
            value = pending.pop()
            node = None if value in cut else self._makers.get(value)
            if node is None or node in found or _left_out(node, outcomes):
                continue
            found.add(node)
            pending += [value for value in node.inputs if value is not None]
        return [node for node in self._graph.body.nodes if node in found]

    def _chosen(self, event: Event, optimisers: Iterable[Event], nodes: Iterable[Node]) -> Iterator[str]:
        """The outcomes of branches that are taken by default, in words."""
        literals = [*(each.guards for each in optimisers), *(node.guards for node in nodes)]
        guards = {each.condition: each for guards in literals for each in guards}
        for literal in event.guards:
            guards.pop(literal.condition, None)
        for name, literal in guards.items():
            if name in self._usual:
                yield f"{'' if literal.holds else 'not '}{self._demands.conditions[name].text}, as by default"

    def _resident(
        self, estimate: Estimate, held: set[Value], trained: set[Value], optimisers: Iterable[Event], sizes: Sizes
    ) -> None:
        """What is there all the time."""
        users = self._users()
        made = list(optimisers)
        if not made:
            sizes.assumed["no optimiser was seen, so none is counted"] = None
        for value in held:
            name = self._parameters[value].name
            size = sizes.bytes_of(value.declared, f"`{name}`")
            estimate.parameters += size
            all_of_it, words = size, f"parameter `{name}`"
            if value in trained:
                keeper = max((each for each in made if value in each.values), key=copies, default=None)
                count = 0 if keeper is None else copies(keeper)
                estimate.gradients += size
                estimate.state += count * size
                all_of_it += (1 + count) * size
                words += " with its gradient"
                if count and keeper is not None:
                    words += f" and the state of {name_of(keeper)}"
            user = users.get(value)
            estimate.contributors.append(Contributor(words, all_of_it, user.location if user is not None else None))
        types = sorted({str(value.declared.dtype.numpy) for value in held if value.declared.dtype is not None})
        sizes.assumed[f"parameters and gradients are {' and '.join(types) or 'float32'}"] = None
        for each in made:
            number = copies(each)
            sizes.assumed[f"{name_of(each)} keeps {number or 'no'} number{'s' * (number != 1)} per parameter"] = None

    def _users(self) -> dict[Value, Node]:
        """The first node that takes each parameter."""
        found: dict[Value, Node] = {}
        for node in self._graph.body.nodes:
            for value in node.inputs:
                if value in self._parameters:
                    found.setdefault(value, node)
        return found

    def _step(self, estimate: Estimate, nodes: Iterable[Node], trained: set[Value], event: Event, sizes: Sizes) -> None:
        """What one forward and backward pass adds."""
        needs = set(trained)
        base: dict[Value, Value] = {}
        stored: set[Value] = set()
        for node in nodes:
            inputs = [value for value in node.inputs if value is not None]
            if inputs and is_view(node):
                base |= dict.fromkeys(node.outputs, base.get(inputs[0], inputs[0]))
            if not any(value in needs for value in inputs):
                continue
            needs |= set(node.outputs)
            times = self._times(node, event, sizes)
            extra = RECURRENT.get(node.op)
            if extra is not None:
                size = extra * times * sizes.bytes_of(node.outputs[0].declared, _what(node))
                self._add(estimate, node, size)
            for value in kept(node, needs):
                held = base.get(value, value)
                if held not in stored and held not in self._parameters:
                    stored.add(held)
                    maker = self._makers.get(held, node)
                    self._add(estimate, maker, times * sizes.bytes_of(held.declared, _what(maker)))
            busy = [value for value in (*inputs, *node.outputs) if value not in self._parameters and value in needs]
            size = sum(sizes.bytes_of(value.declared, _what(node)) for value in busy)
            estimate.temporary = max(estimate.temporary, size)

    def _add(self, estimate: Estimate, node: Node, size: int) -> None:
        estimate.activations += size
        words = f"activations of `{node.module or node.source_op or node.op}`"
        for each in estimate.contributors:
            if each.location == node.location and each.words == words:
                each.bytes += size
                return
        estimate.contributors.append(Contributor(words, size, node.location))

    def _times(self, node: Node, event: Event, sizes: Sizes) -> int:
        """How many iterations a node stands for within the step."""
        around = {each.loop for each in event.loops}
        times = 1
        for each in node.loops:
            if each.loop in around or each.index is not None:
                continue
            trips = self._loops[each.loop].trips if each.loop in self._loops else None
            if trips is None:
                raise Open(f"the number of iterations around {_what(node)}")
            times *= max(sizes.number(trips, f"the loop around {_what(node)}") - self._unrolled[each.loop], 1)
        return times


def copies(optimiser: Event) -> int:
    """How many numbers an optimiser keeps for each parameter."""
    return max((int(each.removeprefix(_KEEPS)) for each in optimiser.facts if each.startswith(_KEEPS)), default=0)


def name_of(optimiser: Event) -> str:
    return next((each.removeprefix(_NAMED) for each in optimiser.facts if each.startswith(_NAMED)), "the optimiser")


def _left_out(one: Event | Node, outcomes: Mapping[str, bool]) -> bool:
    """Whether it does not happen where branches go these ways."""
    return any(outcomes.get(each.condition, each.holds) != each.holds for each in one.guards)


def _what(node: Node) -> str:
    return f"`{node.source_op or node.op}` ({_place(node.location)})"


def _place(location: Location | None) -> str:
    return f"line {location.line}" if location is not None else "an unknown line"
