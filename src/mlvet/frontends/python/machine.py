"""The state of one interpretation: the graph so far, the path being taken, and what was learned on the way."""

from __future__ import annotations

import ast
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import inf
from typing import TYPE_CHECKING, Any

from mlvet.core.location import Location
from mlvet.domains.dims import Dim, symbol
from mlvet.frontends.python.repetition import Calling, Objects
from mlvet.frontends.python.trail import Trail
from mlvet.frontends.python.values.containers import Items
from mlvet.frontends.python.values.numbers import Scalar
from mlvet.frontends.python.values.objects import Object
from mlvet.frontends.python.values.unknown import Reason, Unknown
from mlvet.ir.builder import Builder
from mlvet.ir.graph import Frame, HostLoop, Iteration, Literal, Node, Value
from mlvet.ir.program import OUTSIDE, Act, Condition, Demand, Event, Run, Setting
from mlvet.ops.require import Constraint

if TYPE_CHECKING:
    from mlvet.frontends.python.hosting import Calls
    from mlvet.frontends.python.interpretation.branches import Boundary
    from mlvet.frontends.python.interpretation.scopes import Scope
    from mlvet.frontends.python.observations import Observation
    from mlvet.frontends.python.project import Project
    from mlvet.ir.host import Span


@dataclass(slots=True)
class Limits:
    """How much work one program is worth."""

    steps: int = 400_000
    seconds: float = 9.0
    alternatives: int = 8
    forks: int = 800
    unrolled: int = 1024
    depth: int = 100
    recursion: int = 6
    recursive_calls: int = 200
    known_recursion: int = 64

    def kept_apart(self, forks: int) -> int:
        """How many alternatives may meet in one place; fewer in a program that has forked often."""
        return self.alternatives if forks < self.forks else 2 if forks < 3 * self.forks else 1


class OutOfBudget(Exception):
    """The interpretation has used up its steps or seconds."""


@dataclass(slots=True)
class Machine:
    """One interpretation. Library models add operators through it and call back into the program."""

    project: Project | None = None
    limits: Limits = field(default_factory=Limits)
    builder: Builder = field(default_factory=lambda: Builder("graph", "program"))
    trail: Trail = field(default_factory=Trail)
    path: tuple[Literal, ...] = ()
    loops: tuple[Iteration, ...] = ()
    stack: tuple[Frame, ...] = ()
    module_path: tuple[str, ...] = ()
    scopes: list[Scope] = field(default_factory=list)
    at: ast.AST | None = None
    calling: ast.AST | None = None
    given: tuple[Any, ...] = ()
    library_call: Calling | None = None
    objects: Objects = field(default_factory=Objects)
    file: Any = None
    constants: dict[Any, Value] = field(default_factory=dict)
    demands: list[Demand] = field(default_factory=list)
    conditions: dict[str, Condition] = field(default_factory=dict)
    required: set[str] = field(default_factory=set)
    opaque: set[str] = field(default_factory=set)
    settings: dict[str, Setting] = field(default_factory=dict)
    largest: dict[str, Dim] = field(default_factory=dict)
    memory_of_calls: dict[Any, Any] = field(default_factory=dict)
    recordings: list[Any] = field(default_factory=list)
    recalled: int = 0
    symbols_made: int = 0
    memory: dict[str, dict[Any, Any]] = field(default_factory=dict)
    host_loops: list[HostLoop] = field(default_factory=list)
    unknowns: Counter[Reason] = field(default_factory=Counter)
    unmodelled: Counter[str] = field(default_factory=Counter)
    refusals: list[str] = field(default_factory=list)
    notes: dict[str, None] = field(default_factory=dict)
    subjects: dict[str, tuple[str, frozenset[Any]]] = field(default_factory=dict)
    choices: dict[str, frozenset[Any]] = field(default_factory=dict)
    settled: dict[int, tuple[Any, Any]] = field(default_factory=dict)
    perhaps: dict[int, tuple[dict[Any, Any], set[Any]]] = field(default_factory=dict)
    carried: set[Value] = field(default_factory=set)
    widened: set[str] = field(default_factory=set)
    listed: set[str] = field(default_factory=set)
    repeated: dict[int, Any] = field(default_factory=dict)
    full: dict[str, Dim] = field(default_factory=dict)
    last: dict[str, int] = field(default_factory=dict)
    running: list[ast.AST] = field(default_factory=list)
    owners: list[Any] = field(default_factory=list)
    breaks: list[Boundary] = field(default_factory=list)
    continues: list[Boundary] = field(default_factory=list)
    trying: int = 0
    expecting: list[tuple[Any, ast.stmt]] = field(default_factory=list)
    last_raised: Any = None
    raised: Any = None
    files: list[Any] = field(default_factory=list)
    imported: set[str] = field(default_factory=set)
    generations: set[str] = field(default_factory=set)
    libraries: Counter[str] = field(default_factory=Counter)
    boundaries: list[Boundary] = field(default_factory=list)
    observations: dict[Span, Observation] = field(default_factory=dict)
    watched: frozenset[Span] = frozenset()
    calls: Calls | None = None
    called: set[ast.AST] = field(default_factory=set)
    defined: dict[ast.AST, Any] = field(default_factory=dict)
    recursions: Counter[ast.AST] = field(default_factory=Counter)
    instances: dict[Any, Any] = field(default_factory=dict)
    created: list[Any] = field(default_factory=list)
    named: set[Value] = field(default_factory=set)
    modules: dict[str, Any] = field(default_factory=dict)
    executions: list[Any] = field(default_factory=list)
    runs: list[Run] = field(default_factory=list)
    events: list[Event] = field(default_factory=list)
    entered: int | None = None
    placeholders: dict[Value, Location | None] = field(default_factory=dict)
    written_twice: dict[int, tuple[Any, list[Value]]] = field(default_factory=dict)
    forks: int = 0
    rehearsing: int = 0
    on_its_own: bool = False
    deadline: float = inf
    most_steps: int = 0
    importing: int = 0
    steps: int = 0
    _counts: Counter[str] = field(default_factory=Counter)
    _callees: dict[ast.AST, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.most_steps = self.limits.steps

    # What library models use.

    def call(self, function: Any, *args: Any, **keywords: Any) -> Any:
        """Call a function of the program or of a library on abstract values."""
        from mlvet.frontends.python.interpretation.calls import call

        return call(self, function, args, keywords)

    def send(self, receiver: Any, name: str, *args: Any, **keywords: Any) -> Any:
        """Call a method by its name, the program's own before the library's."""
        from mlvet.frontends.python.interpretation.attributes import attribute

        return self.call(attribute(self, receiver, name), *args, **keywords)

    def attribute(self, receiver: Any, name: str) -> Any:
        """An attribute by its name, the program's own before the library's."""
        from mlvet.frontends.python.interpretation.attributes import attribute

        return attribute(self, receiver, name)

    def items(self, value: Any) -> Items:
        """What a loop over a value sees: all items, or one that stands for an unknown number of them."""
        from mlvet.frontends.python.interpretation.iteration import items

        return items(self, value)

    def truth(self, value: Any) -> bool | Scalar:
        """Whether a value counts as true, or the condition on which that hangs."""
        from mlvet.frontends.python.interpretation.truth import truth

        return truth(self, value)

    def unknown(self, reason: Reason, detail: str = "", name: str = "") -> Unknown:
        """A value that is not known, counted."""
        self.unknowns[reason] += 1
        return Unknown(reason, detail, name, self.location)

    def raises(self, error: Any, detail: str = "") -> Unknown:
        """What an operation yields that raises: within `try` it raises, elsewhere its value is not known.

        Programs that are vetted mostly run, so that an exception nobody expects shows what we do not know of a value.
        """
        if self.trying:
            from mlvet.frontends.python.interpretation.signals import PythonRaise

            raise PythonRaise(error)
        return self.unknown(Reason.EXCEPTION, detail or repr(error))

    def settle(self, outcomes: Sequence[Literal]) -> None:
        """Remember conditions whose other outcome ends the program, so that every run that goes on has this one."""
        self.required.update(each.condition for each in outcomes)

    def batch(self, size: Dim | None, high: float = inf, samples: Dim | None = None) -> Dim:
        """The rows of a batch: a symbol, because the last one may have fewer than a full one.

        Where it is known of how many samples batches are made, so is how many rows the last one has.
        """
        name = self.fresh("batch")
        if size is not None:
            self.full[name] = size
            self.end_with(name, size, samples)
        return symbol(name, 1, high)

    def end_with(self, name: str, size: Dim, samples: Dim | None) -> None:
        """Note how many rows the last batch has, where it has fewer than the others."""
        if isinstance(size, int) and isinstance(samples, int) and 0 < size < samples and samples % size:
            self.last[name] = samples % size

    def note(self, text: str) -> None:
        """Something the summary should say, once."""
        self.notes.setdefault(text)

    def general_loops(self) -> bool:
        """Whether the place at hand is in an iteration that stands for all."""
        return any(each.index is None for each in self.loops)

    def step(self) -> None:
        """Count a step; raises OutOfBudget when there were too many, or too much time has passed."""
        self.steps += 1
        if self.steps > self.most_steps or (not self.steps & 15 and time.process_time() > self.deadline):
            raise OutOfBudget

    @property
    def location(self) -> Location | None:
        """The place of the expression at hand."""
        return self.file.location(self.at) if self.file is not None and self.at is not None else None

    def fresh(self, name: str) -> str:
        """A name that was not used for a size before."""
        self.symbols_made += 1
        self._counts[name] += 1
        count = self._counts[name]
        return name if count == 1 else f"{name}_{count}"

    def name_for(self, wanted: str) -> str:
        return wanted

    def node(
        self,
        op: str,
        inputs: Sequence[Value | None],
        outputs: Sequence[Value],
        attributes: Mapping[str, Any],
        source_op: str = "",
        constraints: Sequence[Constraint] = (),
        within: Run | None = None,
    ) -> Node:
        """Add a node at the place of the call at hand, under the branch outcomes and in the loops of the path."""
        node = self.builder.node(
            op, inputs, outputs, attributes, source_op=source_op or self.callee or op, location=self.location,
            stack=self.stack, module=".".join(self.module_path), guards=self.path, loops=self.loops,
        )  # fmt: skip
        if constraints:
            self._demand(node, constraints, within)
        return node

    def _demand(self, node: Node, constraints: Sequence[Constraint], within: Run | None) -> None:
        """Note what a node that has just been added needs of its operands."""
        objects = [each for each in self.given if isinstance(each, Object)]
        about = frozenset(id(each) for each in objects if hasattr(type(each), "call"))
        given = frozenset(map(id, objects))
        building = self.library_call is not None and self.library_call.builds
        built = id(self.given[0]) if building and self.given else None
        expected = self.expects_failure()
        called = OUTSIDE if self.library_call is None else self.library_call.repeatable(self.objects)
        self.demands += [
            Demand(node, each, within, None, about, expected, called, built=built, given=given) for each in constraints
        ]

    def expects_failure(self) -> bool:
        """Whether the place at hand is written in a block of which the program catches that it fails."""
        line = getattr(self.at, "lineno", 0)
        return any(file is self.file and at.lineno <= line <= (at.end_lineno or 0) for file, at in self.expecting)

    def event(
        self, act: Act, subject: object, values: Sequence[Value] = (), *facts: str, complete: bool = True,
        results: Sequence[Value] = (),
    ) -> None:  # fmt: skip
        """Note what the program does at the call at hand to a model or an optimiser."""
        known = frozenset((*facts, "uncalled") if self.on_its_own else facts)
        self.events.append(
            Event(
                act, subject, tuple(values), complete, tuple(results), self.builder.parameters_made,
                self.location, self.path, self.loops, known,
            )
        )  # fmt: skip

    @property
    def callee(self) -> str:
        """What the program calls the function at hand."""
        at = self.at
        if at is None:
            return ""
        found = self._callees.get(at)
        if found is None:
            found = self._callees[at] = _callee(at)
        return found


def _callee(at: ast.AST) -> str:
    if isinstance(at, ast.Call):
        return _dotted(at.func) or _short(at.func)
    if isinstance(at, ast.Subscript | ast.Tuple):
        return _short(at)
    return _SIGNS.get(type(at.op), "") if isinstance(at, ast.BinOp | ast.UnaryOp | ast.AugAssign) else ""


_LONGEST = 60


def _short(node: ast.expr) -> str:
    """A piece of the program as text, if it is a short one."""
    text = ast.unparse(node)
    return text if len(text) <= _LONGEST else ""


_SIGNS: dict[type[ast.AST], str] = {
    ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.FloorDiv: "//", ast.Mod: "%", ast.Pow: "**",
    ast.MatMult: "@", ast.USub: "-", ast.UAdd: "+", ast.Invert: "~", ast.LShift: "<<", ast.RShift: ">>",
    ast.BitAnd: "&", ast.BitOr: "|", ast.BitXor: "^",
}  # fmt: skip


def _dotted(node: ast.expr) -> str:
    match node:
        case ast.Name(name):
            return name
        case ast.Attribute(value, name):
            before = _dotted(value)
            return f"{before}.{name}" if before else name
    return ""
