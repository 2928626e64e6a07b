"""What a program demands of its tensors beside the graph of operators: constraints, conditions of branches, settings."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from mlvet.core.location import Location
from mlvet.ir.graph import Execution, Node
from mlvet.ops.require import Constraint


@dataclass(frozen=True, slots=True)
class Demand:
    """What an operator needs of its operands and does not surely get.

    One that is `within` an execution holds for that run of the graph only: what is fed there must fit.
    """

    node: Node
    constraint: Constraint
    within: Execution | None = None


@dataclass(frozen=True, slots=True)
class Condition:
    """A branch condition of the program: its text, its place, and what it is by default if a user's setting decides."""

    name: str
    text: str
    location: Location | None
    default: bool | None = None


@dataclass(frozen=True, slots=True)
class Setting:
    """An integer that the user can set: the symbol that stands for it, what it is by default, and where it is set."""

    name: str
    default: int | None
    location: Location | None = None


@dataclass(frozen=True, slots=True)
class Demands:
    """All demands of a program in the order in which it makes them."""

    all: tuple[Demand, ...] = ()
    conditions: Mapping[str, Condition] = field(default_factory=dict)
    settings: Mapping[str, Setting] = field(default_factory=dict)
