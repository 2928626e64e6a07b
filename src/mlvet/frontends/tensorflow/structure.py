"""Loops and conditionals found in the control-flow operators of a graph.

Frames are nested by their Enter operators; within a frame every Merge of an Enter and a NextIteration is a carried
value, the Switch behind it is governed by the frame's LoopCond, and an Exit is the value after the last turn.
Conditionals within one frame are found by `branches`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from mlvet.core.errors import UnsupportedInput
from mlvet.frontends.tensorflow.flow import Flow, Port, back_edge, in_order, steps_in_order

DEEPEST = 64
"""Regions nested deeper than this are not followed."""
_MOST_BLOCKS = 20_000


@dataclass(slots=True)
class Variable:
    """One carried value of a loop: where it starts, the steps that stand for it inside, what the next turn gets."""

    name: str
    merge: int
    start: Port
    next: Port
    switches: list[int] = field(default_factory=list)
    exits: list[int] = field(default_factory=list)
    copies: list[int] = field(default_factory=list)


@dataclass(slots=True)
class Loop:
    """A loop that was rebuilt."""

    name: str
    variables: list[Variable]
    predicate: Port
    condition: Block
    body: Block


@dataclass(slots=True)
class Lost:
    """A loop that could not be rebuilt: what it takes, and its exits."""

    name: str
    takes: list[Port]
    exits: list[int]
    steps: int


@dataclass(slots=True)
class Branch:
    """A conditional: for each Merge the tensors of both sides. A side may name an outer tensor."""

    name: str
    predicate: Port
    then: Block
    otherwise: Block
    results: list[tuple[int, Port, Port]]


Item: TypeAlias = "int | Loop | Lost | Branch"


@dataclass(slots=True)
class Block:
    """Steps, loops and conditionals in an order in which they can run."""

    items: list[Item]


@dataclass(slots=True)
class Arrangement:
    """A flow as nested blocks. `same` says which tensors are only other names: of captured values, of a Switch's
    operand."""

    block: Block
    same: dict[Port, Port]
    notes: list[str]

    def resolve(self, port: Port) -> Port:
        while port in self.same:
            port = self.same[port]
        return port


@dataclass(slots=True)
class Frame:
    """One loop's frame while it is being collected."""

    index: int
    name: str
    parent: Frame | None
    depth: int
    members: list[int] = field(default_factory=list)
    inner: list[Frame] = field(default_factory=list)
    sources: dict[int, set[int]] = field(default_factory=dict)


class Finder:
    """Finds the frames of one flow and turns them into blocks, innermost last."""

    def __init__(self, flow: Flow, chosen: Sequence[int]) -> None:
        self.flow = flow
        self.steps = flow.steps
        self.same: dict[Port, Port] = {}
        self.notes: list[str] = []
        self.root = Frame(0, "", None, 0)
        self.frames: dict[int, Frame] = {0: self.root}
        self.home: dict[int, Frame] = {}
        self._chosen = chosen
        self._blocks = 0

    def arrange(self) -> Arrangement:
        ordered = steps_in_order(self.flow, self._chosen)
        if not any(self.steps[index].is_control_flow for index in ordered):
            return Arrangement(Block(list(ordered)), {}, [])
        self._assign(ordered)
        for index in ordered:
            self._link(index)
        return Arrangement(self.block(self.root, self._items(self.root)), self.same, self.notes)

    def resolve(self, port: Port) -> Port:
        while port in self.same:
            port = self.same[port]
        return port

    def _assign(self, ordered: Sequence[int]) -> None:
        """Give every step the frame it runs in; an Enter and an Exit belong to the frame they lead into and out of."""
        named: dict[tuple[int, str], Frame] = {}
        living: dict[int, Frame] = {}
        for index in ordered:
            step = self.steps[index]
            frame = self.root
            for source in (*(port[0] for port in step.inputs), *step.control):
                other = living.get(source, self.root)
                if other.depth > frame.depth:
                    frame = other
            if step.kind == "Enter":
                frame = self._enter(named, frame, step.attributes.text("frame_name"))
            self.home[index] = frame
            leaves = step.kind == "Exit" and frame.parent is not None
            living[index] = frame.parent if leaves and frame.parent is not None else frame
            frame.members.append(index)

    def _enter(self, named: dict[tuple[int, str], Frame], parent: Frame, name: str) -> Frame:
        key = parent.index, name
        if key not in named:
            if parent.depth >= DEEPEST:
                raise UnsupportedInput(f"loops are nested deeper than {DEEPEST}")
            frame = Frame(len(self.frames), name, parent, parent.depth + 1)
            self.frames[frame.index] = named[key] = frame
            parent.inner.append(frame)
        return named[key]

    def _link(self, index: int) -> None:
        """Note at the level where the two meet that the step, or the loop it is in, follows its sources."""
        step = self.steps[index]
        for source in (*(port[0] for port in step.inputs), *step.control):
            if back_edge(self.steps, index, source) or source not in self.home:
                continue
            user_item, source_item = index, source
            user, origin = self.home[index], self.home[source]
            while user is not origin:
                if user.depth >= origin.depth and user.parent is not None:
                    user_item, user = -user.index, user.parent
                elif origin.parent is not None:
                    source_item, origin = -origin.index, origin.parent
            if user_item != source_item:
                user.sources.setdefault(user_item, set()).add(source_item)

    def _items(self, frame: Frame) -> list[int]:
        return [*frame.members, *(-inner.index for inner in frame.inner)]

    def block(self, frame: Frame, chosen: Sequence[int]) -> Block:
        """The items of one frame as a block, with the loops within it and the conditionals."""
        from mlvet.frontends.tensorflow.branches import arrange_branches

        self._blocks += 1
        if self._blocks > _MOST_BLOCKS:
            raise UnsupportedInput("loops are nested in too many ways")
        ordered, rest = in_order(chosen, frame.sources)
        if rest:
            raise UnsupportedInput(f"the loop around `{self.name(rest[0])}` depends on itself")
        return arrange_branches(self, frame, ordered)

    def name(self, item: int) -> str:
        return self.steps[item].name if item >= 0 else self.frames[-item].name

    def ports(self, item: int) -> Iterable[Port]:
        """The tensors that a step or a loop takes from its own level or further out."""
        if item >= 0:
            return self.steps[item].inputs
        return [port for index in self._within(self.frames[-item]) for port in self.steps[index].inputs]

    def _within(self, frame: Frame) -> list[int]:
        found, pending = [], [frame]
        while pending:
            current = pending.pop()
            found += current.members
            pending += current.inner
        return found

    def loop(self, frame: Frame) -> Loop | Lost:
        """The loop of a frame, or what is left of it where its operators are not put together as a loop."""
        variables = self._variables(frame)
        conditions = [index for index in frame.members if self.steps[index].kind == "LoopCond"]
        exits = [index for index in frame.members if self.steps[index].kind == "Exit"]
        known = {exit for variable in variables or () for exit in variable.exits}
        if variables is None or len(conditions) != 1 or known != set(exits) or not self.steps[conditions[0]].inputs:
            self.notes.append(f"the loop `{frame.name}` is left opaque: its operators do not form a loop")
            return self._lost(frame, exits)
        machinery = {*conditions, *exits}
        for index in frame.members:
            if self.steps[index].kind in ("Enter", "NextIteration"):
                machinery.add(index)
                if self.steps[index].kind == "Enter" and self.steps[index].inputs:
                    self.same[index, 0] = self.steps[index].inputs[0]
        for variable in variables:
            machinery |= {variable.merge, *variable.switches, *variable.copies}
            for switch in variable.switches:
                self.same[switch, 1] = (variable.merge, 0)
        predicate = self.steps[conditions[0]].inputs[0]
        items = [item for item in self._items(frame) if item not in machinery]
        tested = self._slice(frame, [predicate[0], *self.steps[conditions[0]].control], set(items))
        bodies = self._slice(frame, self._body_roots(frame, variables, items, tested), set(items))
        return Loop(
            frame.name,
            variables,
            predicate,
            self.block(frame, [item for item in items if item in tested]),
            self.block(frame, [item for item in items if item in bodies]),
        )

    def _body_roots(
        self, frame: Frame, variables: Sequence[Variable], items: Sequence[int], tested: set[int]
    ) -> list[int]:
        roots = [item for item in items if item not in tested]
        for variable in variables:
            roots.append(variable.next[0])
        return [self.item(frame, root) for root in roots]

    def item(self, frame: Frame, item: int) -> int:
        """The item at the level of a frame that holds a step."""
        if item < 0:
            return item
        home = self.home[item]
        while home is not frame and home.parent is not None:
            item, home = -home.index, home.parent
        return item

    def _slice(self, frame: Frame, roots: Iterable[int], allowed: set[int]) -> set[int]:
        pending = [item for item in (self.item(frame, root) for root in roots) if item in allowed]
        found = set(pending)
        while pending:
            for source in frame.sources.get(pending.pop(), ()):
                if source in allowed and source not in found:
                    found.add(source)
                    pending.append(source)
        return found

    def _variables(self, frame: Frame) -> list[Variable] | None:
        variables: dict[int, Variable] = {}
        for index in frame.members:
            step = self.steps[index]
            if step.kind != "Merge":
                continue
            enters = [port for port in step.inputs if self.steps[port[0]].kind == "Enter"]
            nexts = [port for port in step.inputs if self.steps[port[0]].kind == "NextIteration"]
            if not nexts:
                continue
            if len(enters) != 1 or len(nexts) != 1 or len(step.inputs) != 2:
                return None
            enter, next_step = self.steps[enters[0][0]], self.steps[nexts[0][0]]
            if not enter.inputs or not next_step.inputs:
                return None
            variables[index] = Variable(step.name, index, enter.inputs[0], next_step.inputs[0])
        return list(variables.values()) if self._leave(frame, variables) else None

    def _leave(self, frame: Frame, variables: dict[int, Variable]) -> bool:
        """Find the switches and exits of the carried values; whether nothing else leaves the loop."""
        governed: dict[int, Variable] = {}
        for index in frame.members:
            step = self.steps[index]
            if step.kind == "Switch" and len(step.inputs) == 2 and self.steps[step.inputs[1][0]].kind == "LoopCond":
                variable = variables.get(step.inputs[0][0])
                if variable is None:
                    return False
                variable.switches.append(index)
                governed[index] = variable
        leaving = {(switch, 0): variable for switch, variable in governed.items()}
        for index in frame.members:
            step = self.steps[index]
            for port in step.inputs:
                if port in leaving:
                    if step.kind == "Identity":
                        leaving[index, 0] = leaving[port]
                        leaving[port].copies.append(index)
                    elif step.kind == "Exit":
                        leaving[port].exits.append(index)
                    else:
                        return False
        return True

    def _lost(self, frame: Frame, exits: list[int]) -> Lost:
        within = self._within(frame)
        inside = set(within)
        takes = [port for index in within for port in self.steps[index].inputs if port[0] not in inside]
        return Lost(frame.name, list(dict.fromkeys(takes)), exits, len(within))
