"""An exported program in neutral form, the same from an archive and from a live module."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from mlvet.domains.tensors import Tensor
from mlvet.ir.graph import Data


@dataclass(frozen=True, slots=True)
class Ref:
    """A use of a tensor or of a size by its name."""

    name: str


@dataclass(frozen=True, slots=True)
class Other:
    """An argument that says nothing about the computation: a device, a layout, a memory format."""

    text: str


@dataclass(frozen=True, slots=True)
class Call:
    """One call of an operator.

    `target` is dotted, without the `torch.ops` in front. Arguments go by their names in the operator's schema, or by
    their position, as text, where there is no schema. `outputs` are flat; an output that nobody uses may be None.
    """

    target: str
    args: Mapping[str, Any]
    outputs: tuple[str | None, ...]
    name: str
    stack_trace: str = ""
    modules: tuple[str, ...] = ()

    @property
    def packet(self) -> str:
        """The operator without namespace and overload: `add` of `aten.add.Tensor`."""
        parts = self.target.split(".")
        return parts[1] if len(parts) > 1 else parts[0]

    @property
    def overload(self) -> str:
        parts = self.target.split(".")
        return parts[2] if len(parts) > 2 else ""


@dataclass(frozen=True, slots=True)
class Body:
    """A graph of calls with the names that enter it, what leaves it, and what is known of every name.

    `bound` names values of the enclosing region that it reads.
    """

    inputs: tuple[str, ...]
    outputs: tuple[Any, ...]
    calls: tuple[Call, ...]
    metas: Mapping[str, Tensor]
    bound: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Entry:
    """How a name enters the outermost graph: `role` is input, parameter, buffer, constant or literal."""

    name: str
    role: str
    target: str = ""
    data: Data | None = None
    literal: Any = None


@dataclass(frozen=True, slots=True)
class Program:
    """A whole exported program."""

    body: Body
    entries: tuple[Entry, ...]
    outputs: tuple[Any, ...]
    producer: str = ""
    notes: tuple[str, ...] = field(default=())
