"""Graph, Node, Value and Region: immutable once a `Builder` has built them.

Analyses keep what they find in maps from values and nodes, never on them, so that two can read one graph. Values,
nodes and regions are compared by identity; names are unique within a graph.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from numpy.typing import NDArray

from mlvet.core.location import Location
from mlvet.domains.dims import Dim
from mlvet.domains.dtypes import DType
from mlvet.domains.tensors import Tensor

OPAQUE = "opaque"
"""The operator of a node that no table knows: its results can be anything."""
CALL = "call"
"""The operator of a node that runs its own region, or the function of the graph named by its attribute `function`."""


@dataclass(frozen=True, slots=True, eq=False)
class Value:
    """One tensor of the graph. `declared` is what the file or program says of it, which need not be true."""

    name: str
    declared: Tensor

    def __str__(self) -> str:
        return f"%{self.name}"


@dataclass(frozen=True, slots=True, eq=False)
class Data:
    """The elements of a constant or parameter, left where they are until asked for.

    `load` maps or reads them; it may raise UnsupportedInput when the file lacks them.
    """

    dtype: DType
    shape: tuple[int, ...]
    load: Callable[[], NDArray[Any]] = field(repr=False)

    @property
    def size(self) -> int:
        count = 1
        for dim in self.shape:
            count *= dim
        return count

    def __str__(self) -> str:
        return f"{self.dtype}[{', '.join(map(str, self.shape))}]"


@dataclass(frozen=True, slots=True)
class Typing:
    """The element types that a format lets the operands of one of its operators have.

    `allowed` has those of each operand, None for any; operands of one group, unless it is negative, have one type.
    """

    operands: tuple[Value | None, ...]
    allowed: tuple[frozenset[DType] | None, ...]
    groups: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Initialiser:
    """How a parameter gets its first elements: a distribution by name and its figures."""

    name: str
    figures: tuple[tuple[str, float], ...] = ()


@dataclass(frozen=True, slots=True)
class Parameter:
    """A value that training changes or that a checkpoint fills: `name` is qualified, `module` the path to its layer."""

    value: Value
    name: str
    module: str = ""
    data: Data | None = None
    initialiser: Initialiser | None = None
    trainable: bool = True


@dataclass(frozen=True, slots=True)
class Constant:
    """A value whose elements the file holds."""

    value: Value
    data: Data


@dataclass(frozen=True, slots=True)
class Literal:
    """A branch outcome: the condition, by name, is true or false."""

    condition: str
    holds: bool = True

    def __str__(self) -> str:
        return self.condition if self.holds else f"not {self.condition}"


@dataclass(frozen=True, slots=True)
class Iteration:
    """One iteration of a loop of the host program; `index` is None for the one that stands for all."""

    loop: str
    index: int | None = None

    def __str__(self) -> str:
        return f"{self.loop}[{'*' if self.index is None else self.index}]"


@dataclass(frozen=True, slots=True)
class HostLoop:
    """A loop of the host program. `carried` has what each value that changes in it is before and after an iteration.

    `trips` is how often it runs if that is known, `parent` the loop around it.
    """

    name: str
    location: Location | None = None
    trips: Dim | None = None
    parent: str = ""
    carried: tuple[tuple[Value, Value], ...] = ()


@dataclass(frozen=True, slots=True)
class Frame:
    """One call on the way to a node: the function that was entered and the place of the call."""

    function: str
    location: Location


@dataclass(frozen=True, slots=True, eq=False)
class Node:
    """One application of an operator.

    `op` names a canonical operator or is OPAQUE; `source_op` is what the file calls it. A missing optional operand is
    None. `module` is the path of the layer it belongs to, `stack` the calls that led to it, outermost first, `control`
    the nodes that must run before it, `guards` the branch outcomes under which it runs, and `loops` the iterations of
    the host program's loops that it belongs to, outermost first.
    """

    name: str
    op: str
    inputs: tuple[Value | None, ...]
    outputs: tuple[Value, ...]
    attributes: Mapping[str, Any] = field(default_factory=dict)
    regions: tuple[Region, ...] = ()
    source_op: str = ""
    location: Location | None = None
    stack: tuple[Frame, ...] = ()
    module: str = ""
    device: str = ""
    control: tuple[Node, ...] = ()
    guards: tuple[Literal, ...] = ()
    loops: tuple[Iteration, ...] = ()

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True, slots=True, eq=False)
class Region:
    """Nodes in an order in which they can run, with the values that enter and leave.

    `kind` is graph, branch, loop, call or function. Values of enclosing regions may be used without entering through
    `inputs`. A loop region may be the `template` of `iterations` that an interpreter unrolled.
    """

    kind: str
    inputs: tuple[Value, ...]
    nodes: tuple[Node, ...]
    outputs: tuple[Value, ...]
    name: str = ""
    constants: tuple[Constant, ...] = ()
    iterations: tuple[Region, ...] = ()


@dataclass(frozen=True, slots=True)
class Execution:
    """One run of (a part of) the graph: a session run, a call of a compiled function, a forward call."""

    kind: str
    fetches: tuple[Value, ...]
    feeds: tuple[Value, ...] = ()
    targets: tuple[Node, ...] = ()
    location: Location | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Graph:
    """A model or program as operators. `path` is the file as shown to the user, `format` what kind of file it is.

    `typings` has what the format demands of the operator that makes a value, where it demands something.
    """

    name: str
    body: Region
    parameters: tuple[Parameter, ...] = ()
    functions: Mapping[str, Region] = field(default_factory=dict)
    executions: tuple[Execution, ...] = ()
    path: str = ""
    format: str = ""
    producer: str = ""
    notes: tuple[str, ...] = ()
    typings: Mapping[Value, Typing] = field(default_factory=dict)
    loops: tuple[HostLoop, ...] = ()

    @property
    def inputs(self) -> tuple[Value, ...]:
        return self.body.inputs

    @property
    def outputs(self) -> tuple[Value, ...]:
        return self.body.outputs

    def regions(self) -> Iterator[Region]:
        """Every region, enclosing ones before those within, functions last."""
        pending = [self.body, *self.functions.values()][::-1]
        while pending:
            region = pending.pop()
            yield region
            pending += reversed([*(inner for node in region.nodes for inner in node.regions), *region.iterations])

    def nodes(self) -> Iterator[Node]:
        """Every node of every region."""
        for region in self.regions():
            yield from region.nodes

    def __str__(self) -> str:
        from mlvet.ir.text import to_text

        return to_text(self)
