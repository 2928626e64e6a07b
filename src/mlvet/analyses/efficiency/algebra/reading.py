"""The formula of matrices that an expression of a loop computes, with the temporary names of the iteration followed."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field

from mlvet.analyses.efficiency.algebra.terms import (
    DIFFERENCE,
    FLIPPED,
    LEAF,
    PRODUCT,
    SCALED,
    SUM,
    Formula,
    Leaf,
    Scalar,
    Term,
)  # fmt: skip
from mlvet.analyses.efficiency.host.outline import Expression, Loop
from mlvet.analyses.efficiency.telling.context import Context
from mlvet.domains.tensors import Unranked
from mlvet.ir.graph import Node

PATTERN = "algebraic-loop-invariant"
_ATOMS = (ast.Name, ast.Attribute, ast.Call, ast.Subscript, ast.Constant)
_BESIDE = frozenset(("cast", "constant", "identity"))
_SUMS = {"add": SUM, "sub": DIFFERENCE}


@dataclass(slots=True)
class Reading:
    """A formula as it stands in a loop.

    `places` are the expressions that its leaves and then its factors are, `dropped` the assignments of names that
    nothing else reads, `flips` the text of transposed leaves, and `call` what the program calls for a product, empty
    if it writes `@`.
    """

    formula: Formula
    places: tuple[Expression, ...]
    dropped: tuple[ast.Assign, ...]
    flips: dict[int, str]
    call: str


def reading(context: Context, root: Expression, loop: Loop, steady: frozenset[str]) -> Reading | None:
    """The formula of an expression; `steady` are the expressions that no iteration changes. None if it is none."""
    reader = _Reader(context, root, loop, steady)
    term = reader.term(root.node)
    if term is None or reader.unsized or sum(each.op == PRODUCT for each in term.below()) < 2:
        return None
    formula = Formula(term, tuple(reader.leaves), tuple(reader.scalars))
    places = (*reader.leaf_places, *reader.scalar_places)
    return Reading(formula, places, tuple(reader.dropped), reader.flips, reader.call or "")


@dataclass(slots=True)
class _Reader:
    context: Context
    root: Expression
    loop: Loop
    steady: frozenset[str]
    leaves: list[Leaf] = field(default_factory=list)
    scalars: list[Scalar] = field(default_factory=list)
    leaf_places: list[Expression] = field(default_factory=list)
    scalar_places: list[Expression] = field(default_factory=list)
    dropped: list[ast.Assign] = field(default_factory=list)
    flips: dict[int, str] = field(default_factory=dict)
    call: str | None = None
    unsized: bool = False

    def term(self, node: ast.expr) -> Term | None:
        """The term of an expression of matrices, None if it is none."""
        if self._size(node) is None:
            return None
        return self._operator(node) or self._followed(node) or self._leaf(node)

    def _operator(self, node: ast.expr) -> Term | None:
        place = self.context.program.outline.of_node[node]
        made = self._made(place)
        kinds = [each.op for each in made if each.op not in _BESIDE]
        operands = list(_operands(self.context, node))
        products = kinds.count("matmul") + kinds.count("gemm")
        if products == 1 and set(kinds) <= {"matmul", "gemm", "transpose"} and len(operands) == 2:
            return self._product(node, operands, made)
        if kinds == ["transpose"] and operands:
            return self._flipped(node, operands[0], made)
        if kinds in (["add"], ["sub"]) and len(operands) == 2 and not _extra(node):
            if self._size(operands[0]) == self._size(operands[1]) == self._size(node):
                return self._of(_SUMS[kinds[0]], operands)
            return None
        if kinds in (["mul"], ["div"]) and isinstance(node, ast.BinOp):
            return self._scaled(node, under=kinds == ["div"])
        if kinds == ["neg"] and isinstance(node, ast.UnaryOp):
            self.scalars.append(Scalar(varies=False, text=""))
            self.scalar_places.append(place)
            number = len(self.scalars) - 1
            inner = self.term(node.operand)
            return None if inner is None else Term(SCALED, (inner,), scalar=number)
        return None

    def _of(self, op: str, operands: list[ast.expr]) -> Term | None:
        parts = [self.term(each) for each in operands]
        return None if None in parts else Term(op, tuple(each for each in parts if each is not None))

    def _product(self, node: ast.expr, operands: list[ast.expr], made: list[Node]) -> Term | None:
        sizes = [self._size(each) for each in operands]
        ranks = [self._rank(each) for each in operands]
        if None in sizes or ranks[0] != 2 or ranks[1] not in (1, 2):
            return None
        first, second = self.term(operands[0]), self.term(operands[1])
        if first is None or second is None:
            return None
        product = next(each for each in made if each.op in ("matmul", "gemm"))
        if len(product.inputs) != 2 or any(product.attributes.get(each, 1) != 1 for each in ("alpha", "beta")):
            return None
        flipped = {value for each in made if each.op == "transpose" for value in each.outputs}
        if product.inputs[0] in flipped or product.attributes.get("transA"):
            first = Term(FLIPPED, (first,))
        if product.inputs[1] in flipped or product.attributes.get("transB"):
            second = Term(FLIPPED, (second,))
        if isinstance(node, ast.Call) and not _receives(self.context, node):
            self.call = self.call or self.context.edits.of(node.func)
        else:
            self.call = ""
        return Term(PRODUCT, (first, second))

    def _flipped(self, node: ast.expr, operand: ast.expr, made: list[Node]) -> Term | None:
        if self._rank(operand) != 2:
            return None
        size, other = self._size(operand), self._size(node)
        if size is None or other is None or size != other[::-1]:
            return None
        permutation = made[-1].attributes.get("perm", made[-1].attributes.get("permutation"))
        if permutation is not None and tuple(permutation) != (1, 0):
            return None
        inner = self.term(operand)
        if inner is None:
            return None
        if inner.op == LEAF:
            self.flips.setdefault(inner.leaf, self.context.edits.of(node))
        return Term(FLIPPED, (inner,))

    def _scaled(self, node: ast.BinOp, *, under: bool) -> Term | None:
        left, right = self._scalar(node.left), self._scalar(node.right)
        if left == right or (under and left):
            return None
        factor, matrix = (node.left, node.right) if left else (node.right, node.left)
        place = self.context.program.outline.of_node[factor]
        inner = self.term(matrix)
        if inner is None:
            return None
        self.scalars.append(Scalar(place.name not in self.steady and not _number(factor), self._text(factor), under))
        self.scalar_places.append(place)
        return Term(SCALED, (inner,), scalar=len(self.scalars) - 1)

    def _followed(self, node: ast.expr) -> Term | None:
        """The term that a name was set to in the same iteration, if nothing else reads it."""
        if not isinstance(node, ast.Name):
            return None
        assigned = only_use(self.context, node, self.root, self.loop)
        if assigned is None or self._told_apart(assigned.value):
            return None
        known = len(self.dropped)
        found = self._operator(assigned.value)
        if found is None:
            del self.dropped[known:]
        else:
            self.dropped.append(assigned)
        return found

    def _told_apart(self, node: ast.expr) -> bool:
        """Whether an expression is a formula with steady operands itself."""
        name = self.context.program.outline.of_node[node].name
        return any(each.pattern == PATTERN and each.arguments[0] == name for each in self.context.suggested)

    def _leaf(self, node: ast.expr) -> Term | None:
        place = self.context.program.outline.of_node[node]
        size = self._size(node)
        assert size is not None
        text = self._text(node)
        for number, each in enumerate(self.leaves):
            if each.text == text:
                return Term(LEAF, leaf=number)
        self.leaves.append(Leaf(*size, place.name not in self.steady, text))
        self.leaf_places.append(place)
        return Term(LEAF, leaf=len(self.leaves) - 1)

    def _text(self, node: ast.expr) -> str:
        text = self.context.edits.of(node)
        return text if isinstance(node, _ATOMS) else f"({text})"

    def _made(self, place: Expression) -> list[Node]:
        made = self.context.program.nodes(place)
        return [each for each in made if each.loops == made[0].loops and each.stack == made[0].stack]

    def _scalar(self, node: ast.expr) -> bool:
        seen = self.context.program.host.seen.get(self.context.program.outline.span(node))
        if isinstance(node, ast.Constant) or (seen is not None and seen.kind == "number"):
            return True
        return seen is not None and seen.tensor is not None and seen.tensor.shape == ()

    def _rank(self, node: ast.expr) -> int | None:
        seen = self.context.program.host.seen.get(self.context.program.outline.span(node))
        if seen is None or seen.tensor is None or isinstance(seen.tensor.shape, Unranked):
            return None
        return len(seen.tensor.shape)

    def _size(self, node: ast.expr) -> tuple[int, int] | None:
        """Rows and columns of a matrix; a vector is a column."""
        seen = self.context.program.host.seen.get(self.context.program.outline.span(node))
        if seen is None or seen.tensor is None or isinstance(seen.tensor.shape, Unranked):
            return None
        dims = [self.context.sizes.dim(each) for each in seen.tensor.shape]
        if len(dims) not in (1, 2):
            return None
        self.unsized = self.unsized or any(guess for _, guess in dims)
        return dims[0][0], dims[1][0] if len(dims) == 2 else 1


def only_use(context: Context, node: ast.Name, root: Expression, loop: Loop) -> ast.Assign | None:
    """The assignment that sets a name earlier in the same iteration, if this read of the name is the only one."""
    place = context.program.outline.of_node[node]
    name = context.program.names_read[place]
    settings = context.settings.get(name, [])
    if len(settings) != 1 or sum(1 for _, read in context.program.bindings.reads if read == name) != 1:
        return None
    statement = settings[0].target.statement
    if not isinstance(statement, ast.Assign) or len(statement.targets) != 1 or context.comment(statement) is None:
        return None
    body = getattr(context.parents.get(statement), "body", None)
    if not isinstance(body, list) or root.statement not in body or root.statement is loop.node:
        return None
    first, last = body.index(statement), body.index(root.statement)
    between = {each.id for one in body[first:last] for each in ast.walk(one) if _sets(each)}  # type: ignore[attr-defined]
    read = {each.id for each in ast.walk(statement.value) if isinstance(each, ast.Name)}
    return statement if first < last and not between & read and _together(settings[0].target, root, loop) else None


def _together(target: Expression, root: Expression, loop: Loop) -> bool:
    """Whether a name is set in the same iteration in which a formula is computed."""
    return target.loops == root.loops and (loop in target.loops or root.function is not loop.function)


def _sets(node: ast.AST) -> bool:
    return isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)


def _number(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant)


def _extra(node: ast.expr) -> bool:
    return isinstance(node, ast.Call) and bool(node.keywords)


def _receives(context: Context, node: ast.Call) -> bool:
    """Whether a call is of a method of a tensor."""
    if not isinstance(node.func, ast.Attribute):
        return False
    seen = context.program.host.seen.get(context.program.outline.span(node.func.value))
    return seen is not None and seen.kind == "tensor"


def _operands(context: Context, node: ast.expr) -> Iterator[ast.expr]:
    """The tensors that an operator takes, in order."""
    match node:
        case ast.BinOp():
            yield from (node.left, node.right)
        case ast.UnaryOp():
            yield node.operand
        case ast.Attribute():
            yield node.value
        case ast.Call():
            given = [node.func.value] if _receives(context, node) and isinstance(node.func, ast.Attribute) else []
            for each in [*given, *node.args, *(one.value for one in node.keywords)]:
                seen = context.program.host.seen.get(context.program.outline.span(each))
                if seen is not None and seen.kind == "tensor":
                    yield each
