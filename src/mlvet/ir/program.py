"""What a program demands of tensors beside the graph of operators: constraints, conditions of branches, settings."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from mlvet.core.location import Location
from mlvet.domains.tensors import Tensor
from mlvet.ir.graph import Execution, Literal, Node
from mlvet.ir.library_calls import LibraryCall
from mlvet.ops.require import Constraint


@dataclass(frozen=True, slots=True, eq=False)
class Run:
    """An execution of the graph as the program does it: what is fed for each of its feeds, on which path."""

    execution: Execution
    fed: tuple[Tensor | None, ...]
    guards: tuple[Literal, ...] = ()


@dataclass(frozen=True, slots=True)
class Demand:
    """What an operator needs of its operands and does not surely get.

    One that is `within` a run of the graph holds for that run only, where the operands are as they are `fed`. `called`
    is the call of the library that makes the demand, or in words why that call cannot be made again.
    """

    node: Node
    constraint: Constraint
    within: Run | None = None
    fed: tuple[Tensor | None, ...] | None = None
    called: LibraryCall | str = field(default="it is not within a call of a library", compare=False, repr=False)

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


@dataclass(frozen=True, slots=True)
class Demands:
    """All demands of a program in the order in which it makes them.

    Symbols that are `varying` stand for a size of its own each time: of an element of a list, of an iteration.
    """

    all: tuple[Demand, ...] = ()
    conditions: Mapping[str, Condition] = field(default_factory=dict)
    settings: Mapping[str, Setting] = field(default_factory=dict)
    runs: tuple[Run, ...] = ()
    varying: frozenset[str] = frozenset()
