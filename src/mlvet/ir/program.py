"""What a program demands of tensors beside the graph of operators: constraints, conditions of branches, settings."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from mlvet.core.fix import Fix
from mlvet.core.location import Location
from mlvet.domains.dims import Dim
from mlvet.domains.tensors import Tensor
from mlvet.ir.graph import Execution, Iteration, Literal, Node, Value
from mlvet.ir.library_calls import LibraryCall
from mlvet.ops.require import Constraint


@dataclass(frozen=True, slots=True, eq=False)
class Run:
    """An execution of the graph as the program does it: what is fed for each of its feeds, on which path.

    It is `complete` if nothing else can be fed, and `followed` if nothing is computed of which the operands are not
    known; `repeated` has what the program writes more than once among the feeds. `given` are the tensors that are fed,
    and `place` is how many demands the program has made before.
    """

    execution: Execution
    fed: tuple[Tensor | None, ...]
    guards: tuple[Literal, ...] = ()
    complete: bool = False
    followed: bool = False
    repeated: tuple[Value, ...] = ()
    given: tuple[Value, ...] = ()
    place: int = 0


@dataclass(frozen=True, slots=True)
class Device:
    """Where a tensor is: the device by name, how it got there in words, and where the program does that.

    One that is `born` there is of a module, which nobody has moved.
    """

    name: str
    how: str = ""
    location: Location | None = None
    born: bool = False


OUTSIDE = "it is not within a call of a library"
"""Why a demand has no call of a library."""


@dataclass(frozen=True, slots=True)
class Demand:
    """What an operator needs of its operands and does not surely get.

    One that is `within` a run of the graph holds for that run only, where the operands are as they are `fed`.
    `about` are the models, by number, whose call makes the demand; it is `expected` where the program goes on if it is
    not met. `called` is the call of the library that makes it, or in words why that call cannot be made again. `built`
    is the object, by number, that the call makes, and `given` are those among its arguments. `devices` are those of the
    operands where they are what is wrong, and `cure` is an edit that the program itself suggests.
    """

    node: Node
    constraint: Constraint
    within: Run | None = None
    fed: tuple[Tensor | None, ...] | None = None
    about: frozenset[int] = frozenset()
    expected: bool = False
    called: LibraryCall | str = field(default=OUTSIDE, compare=False, repr=False)
    built: int | None = field(default=None, compare=False, repr=False)
    given: frozenset[int] = field(default=frozenset(), compare=False, repr=False)
    devices: tuple[Device, ...] = ()
    cure: Fix | None = field(default=None, compare=False, repr=False)

    @property
    def operands(self) -> tuple[Tensor | None, ...]:
        """The operands of the node as they are where the demand is made."""
        if self.fed is not None:
            return self.fed
        return tuple(None if value is None else value.declared for value in self.node.inputs)


@dataclass(frozen=True, slots=True)
class Condition:
    """A branch condition of the program: its text, its place, and what it is by default if a user's setting decides.

    One that is `opaque` hangs on something of which nothing is known but that it is there; where it is `required` the
    other outcome ends the program.
    """

    name: str
    text: str
    location: Location | None
    default: bool | None = None
    opaque: bool = False
    required: bool = False


@dataclass(frozen=True, slots=True)
class Setting:
    """An integer that the user can set: the symbol that stands for it, what it is by default, and where it is set.

    `choices` is what it can be if that is limited.
    """

    name: str
    default: int | None
    location: Location | None = None
    choices: tuple[int, ...] = ()


class Act(StrEnum):
    """What training programs do to models beside computing with them."""

    MADE = "an optimiser is made"
    CLEARED = "gradients are cleared"
    DERIVED = "gradients are computed"
    STEPPED = "parameters are changed"
    TRAINING = "a model is set to train"
    EVALUATING = "a model is set to be evaluated"
    CALLED = "a model is called"
    DROPPED = "dropout works in a model that is evaluated"
    FITTED = "a model is fitted"
    SCORED = "a loss takes scores"
    HALVED = "predictions are compared with a half"
    WEIGHED = "a loss takes probabilities"


@dataclass(frozen=True, slots=True, eq=False)
class Event:
    """Something that a program does to a model or an optimiser, which is its `subject`.

    `values` are the parameters that it concerns, or the loss; `complete` says that they are all. `results` are what a
    call yields, `declared` is how many parameters the program has made so far. `facts` are words that hold of it: "no
    gradients" for a call without them, "drops" for one of a model whose dropout or batch norm trains, "frozen" for a
    step of parameters that want no gradients, "changed" for a fit of layers that were set to train or not since the
    last one, "named Adam" and "keeps 2" for an optimiser with so many numbers per parameter, "perhaps" for what may
    have been done, "uncalled" for what stands in a function that nobody calls.
    """

    act: Act
    subject: object
    values: tuple[Value, ...] = ()
    complete: bool = True
    results: tuple[Value, ...] = ()
    declared: int = 0
    location: Location | None = None
    guards: tuple[Literal, ...] = ()
    loops: tuple[Iteration, ...] = ()
    facts: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Demands:
    """All demands of a program in the order in which it makes them.

    Symbols that are `varying` stand for a size of its own each time: of an element of a list, of an iteration; those
    that are `listed` are such numbers themselves, so that one demand may be on two of them. Of those that stand for the
    rows of a batch `full` has how many a full one has, and `last` how many the last one has where it has fewer;
    `largest` has what others can be at most. `blurred` says that more alternatives met than were kept apart, so that a
    value may be from another path than the one it is seen on.
    """

    all: tuple[Demand, ...] = ()
    conditions: Mapping[str, Condition] = field(default_factory=dict)
    settings: Mapping[str, Setting] = field(default_factory=dict)
    runs: tuple[Run, ...] = ()
    varying: frozenset[str] = frozenset()
    full: Mapping[str, Dim] = field(default_factory=dict)
    placeholders: Mapping[Value, Location | None] = field(default_factory=dict)
    events: tuple[Event, ...] = ()
    largest: Mapping[str, Dim] = field(default_factory=dict)
    listed: frozenset[str] = frozenset()
    blurred: bool = False
    last: Mapping[str, int] = field(default_factory=dict)
