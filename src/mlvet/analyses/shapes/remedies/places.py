"""Where a finding is in the text: the expression that fails and the tensors that it is given."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from mlvet.analyses.text import Text, last_name
from mlvet.core.location import Location
from mlvet.domains.tensors import Dims, Tensor
from mlvet.frontends.python.observations import Observation
from mlvet.frontends.python.values.choices import Choice
from mlvet.frontends.python.values.tensors import TensorValue, tensor_of
from mlvet.ir.host import Span


@dataclass(frozen=True, slots=True)
class Operand:
    """An expression that yields a tensor, whose library it is of, and how many operands stand before it."""

    node: ast.expr
    tensor: Tensor
    library: str
    position: int

    @property
    def rank(self) -> int:
        return len(self.tensor.dims)

    @property
    def dims(self) -> Dims:
        return self.tensor.dims


@dataclass(frozen=True, slots=True)
class Place:
    """An expression or statement of a file with the tensors that stand in it as operands, those of known rank.

    `keys` are tensors that other things are fed for. `sides` are the two numbers that differ there, if it is numbers.
    """

    text: Text
    node: ast.expr | ast.stmt
    operands: tuple[Operand, ...]
    keys: tuple[Operand, ...] = ()
    sides: tuple[int, int] | None = None

    @property
    def called(self) -> str:
        """The last name of what is called; empty for an operator."""
        return last_name(self.node) if isinstance(self.node, ast.Call) else ""

    def words(self, operand: Operand) -> str:
        """An operand as it is written."""
        written = " ".join(self.text.of(operand.node).split())
        return f"`{written}`" if len(written) <= 40 else f"`{written[:37]}...`"


def parts(node: ast.AST) -> Iterator[ast.expr]:
    """The expressions that can be operands of an expression that fails."""
    match node:
        case ast.Call():
            if isinstance(node.func, ast.Attribute):
                yield node.func.value
            for each in (*node.args, *(keyword.value for keyword in node.keywords)):
                yield from _elements(each)
        case ast.BinOp():
            yield from (node.left, node.right)
        case ast.Compare():
            yield from (node.left, *node.comparators)
        case ast.AugAssign():
            yield node.value
        case ast.Expr():
            yield from parts(node.value)
        case ast.Assign():
            yield from parts(node.value)


def _elements(node: ast.expr) -> Iterator[ast.expr]:
    """An argument, or what a list or dictionary in its place is written to hold."""
    match node:
        case ast.List() | ast.Tuple():
            yield from node.elts
        case ast.Dict():
            yield from (each for each in (*node.keys, *node.values) if each is not None)
        case _:
            yield node


def spans(text: Text, location: Location) -> Iterator[Span]:
    """The spans of the operands at a place."""
    node = text.at(location)
    for each in parts(node) if node is not None else ():
        if not isinstance(each, ast.Starred):
            yield text.span(each)


def place(text: Text, location: Location, seen: Mapping[Span, Observation]) -> Place | None:
    """What stands at a location, with what was seen of its operands; None if it is no expression or statement."""
    node = text.at(location)
    if not isinstance(node, ast.expr | ast.stmt):
        return None
    keys = {key for each in ast.walk(node) if isinstance(each, ast.Dict) for key in each.keys}
    found: list[Operand] = []
    fed_for: list[Operand] = []
    for each in parts(node):
        known = None if isinstance(each, ast.Starred) else seen.get(text.span(each))
        value = None if known is None else _tensor(known.value)
        if value is not None and tensor_of(value).ranked:
            library = "pandas" if type(value).dotted.startswith("pandas") else value.framework.value
            among = fed_for if each in keys else found
            among.append(Operand(each, tensor_of(value).without_value(), library, len(among)))
    return Place(text, node, tuple(found), tuple(fed_for))


def result_of(where: Place, seen: Mapping[Span, Observation]) -> Dims | None:
    """The sizes of what an expression yields, if they are known."""
    known = seen.get(where.text.span(where.node))
    value = None if known is None else _tensor(known.value)
    return tensor_of(value).dims if value is not None and tensor_of(value).ranked else None


def _tensor(value: object) -> TensorValue | None:
    if isinstance(value, Choice):
        tensors = [part for _, part in value.alternatives if isinstance(part, TensorValue)]
        return tensors[0] if len(tensors) == 1 else None
    return value if isinstance(value, TensorValue) and "@value" in value.cells else None
