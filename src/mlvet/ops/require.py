"""What a shape rule demands of its operands. It never raises: it records, and the analysis decides what to do."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from mlvet.domains.claims import Relation
from mlvet.domains.dims import Dim, Expr, at_least, equal, maximum, modulo, substitute, symbol
from mlvet.domains.dtypes import DType
from mlvet.domains.tensors import Dims, Tensor, Unranked


@dataclass(frozen=True, slots=True)
class Constraint:
    """Something that must hold for the operator to run: a relation of sizes, or none where it does not hang on sizes.

    `decided` is None where that hangs on symbols; `assumed` says in words what must be so for it to be demanded.
    """

    relation: Relation | None
    left: Dim
    right: Dim
    because: str
    rule: str
    decided: bool | None
    assumed: str = ""

    def __str__(self) -> str:
        return self.because if self.relation is None else f"{self.left} {self.relation.value} {self.right}"


class Require:
    """The demands of one application of an operator, and names for the sizes that it cannot know.

    `name` is that of the application; unknown sizes are named after it, so that they are the same in each run.
    """

    __slots__ = ("_count", "constraints", "name")

    def __init__(self, name: str = "") -> None:
        self.name = name
        self.constraints: list[Constraint] = []
        self._count = 0

    @property
    def violated(self) -> list[Constraint]:
        return [constraint for constraint in self.constraints if constraint.decided is False]

    def equal(self, left: Dim, right: Dim, because: str, rule: str = "dims-differ") -> Dim:
        """Two sizes must be equal; the result is the better known of the two."""
        decided = equal(left, right)
        if decided is not True:
            self._record(Relation.EQUAL, left, right, because, rule, decided)
        return right if isinstance(left, Expr) and isinstance(right, int) else left

    def at_least(self, left: Dim, right: Dim, because: str, rule: str = "size-out-of-range") -> None:
        decided = at_least(left, right)
        if decided is not True:
            self._record(Relation.AT_LEAST, left, right, because, rule, decided)

    def divisible(self, left: Dim, right: Dim, because: str, rule: str = "not-divisible") -> None:
        if right == 0:
            return
        decided = equal(modulo(left, right), 0)
        if decided is not True:
            self._record(Relation.DIVISIBLE, left, right, because, rule, decided)

    def holds(self, condition: bool, because: str, rule: str = "illegal-argument") -> bool:
        """Something that does not hang on sizes."""
        if not condition:
            self._record(None, 0, 0, because, rule, False)
        return condition

    def rank(self, tensor: Tensor, rank: int, what: str = "operand") -> bool:
        """Whether the tensor has, as it must, this many dims. An unknown rank counts as having them not."""
        if isinstance(tensor.shape, Unranked):
            decided = False if len(tensor.shape.ends) > rank else None
            because = f"{what} must have {rank} dims"
            self._record(Relation.EQUAL, tensor.shape.rank, rank, because, "rank-differs", decided)
            return False
        if len(tensor.shape) == rank:
            return True
        return self.holds(False, f"{what} must have {rank} dims, but is {tensor}", rule="rank-differs")

    def rank_at_least(self, tensor: Tensor, rank: int, what: str = "operand") -> bool:
        if isinstance(tensor.shape, Unranked):
            if len(tensor.shape.ends) < rank:
                because = f"{what} must have at least {rank} dims"
                self._record(Relation.AT_LEAST, tensor.shape.rank, rank, because, "rank-differs", None)
            return False
        if len(tensor.shape) >= rank:
            return True
        return self.holds(False, f"{what} must have at least {rank} dims, but is {tensor}", rule="rank-differs")

    def axis(self, axis: int, rank: int, what: str = "axis") -> int:
        """An axis counted from 0; one out of range is recorded, and the nearest axis returned."""
        if -rank <= axis < rank:
            return axis % rank
        self.holds(False, f"{what} {axis} is out of range for {rank} dims", rule="axis-out-of-range")
        return min(max(axis, 0), max(rank - 1, 0))

    def broadcast(self, *shapes: Sequence[Dim]) -> Dims:
        """The common shape of several, dims matched from the right, 1 fitting all."""
        rank = max(map(len, shapes), default=0)
        padded = [(1,) * (rank - len(shape)) + tuple(shape) for shape in shapes]
        return tuple(self._broadcast_dims(dims) for dims in zip(*padded, strict=True))

    def broadcast_tensors(self, *tensors: Tensor) -> Dims | Unranked:
        """The common shape of several tensors, unranked as soon as one of them is and matters."""
        unranked = [tensor.shape for tensor in tensors if isinstance(tensor.shape, Unranked)]
        others = [tensor for tensor in tensors if tensor.ranked]
        if not unranked:
            return self.broadcast(*(tensor.dims for tensor in tensors))
        if len(set(unranked)) == 1 and all(tensor.rank == 0 for tensor in others):
            return unranked[0]
        ranked = self.broadcast(*(tensor.dims for tensor in others))
        return Unranked(self._fresh(), self._broadcast_ends([shape.ends for shape in unranked], ranked))

    def _broadcast_ends(self, open_ends: Sequence[Dims], ranked: Dims) -> Dims:
        """The last dims of a common shape: those known of all, and before them what 1 and nothing else fits."""
        known = min(map(len, open_ends))
        ends = self.broadcast(*(ends[len(ends) - known :] for ends in open_ends), ranked[max(0, len(ranked) - known) :])
        for dim in reversed(ranked[: max(0, len(ranked) - known)]):
            if not isinstance(dim, int) or dim == 1:
                break
            ends = (dim, *ends)
        return ends

    def dtype(self, tensor: Tensor, allowed: Iterable[DType], what: str = "operand") -> None:
        """The element type must be among those allowed, if it is known."""
        names = list(allowed)
        if tensor.dtype is not None:
            self.holds(
                tensor.dtype in names,
                f"{what} must be {' or '.join(map(str, names))}, but is {tensor.dtype}",
                rule="dtype-differs",
            )

    def same_dtype(self, *tensors: Tensor | None) -> DType | None:
        """The one element type that all tensors must have, as far as it is known."""
        known = [tensor.dtype for tensor in tensors if tensor is not None and tensor.dtype is not None]
        if not known:
            return None
        if len(set(known)) > 1:
            names = " and ".join(dict.fromkeys(map(str, known)))
            self.holds(False, f"operands must have one dtype, but have {names}", rule="dtype-differs")
        return known[0]

    def ints(self, tensor: Tensor | None) -> list[Dim] | None:
        """The elements of a small integer operand, if they are known."""
        if tensor is None or tensor.value is None:
            return None
        return [element if isinstance(element, Expr) else int(element) for element in np.ravel(tensor.value)]

    def known_ints(self, tensor: Tensor | None) -> list[int] | None:
        """The elements of a small integer operand, if all of them are known numbers."""
        elements = self.ints(tensor)
        if elements is None:
            return None
        known = [element for element in elements if isinstance(element, int)]
        return known if len(known) == len(elements) else None

    def unknown(self) -> Dim:
        """A size that only execution can tell."""
        return symbol(self._fresh())

    def counted(self) -> Dim:
        """A size that the elements of operands decide, and that may be 0."""
        return symbol(self._fresh(), counted=True)

    def unknown_tensor(self, dtype: DType | None = None, rank: int | None = None) -> Tensor:
        """A tensor of which at most the element type and the rank are known."""
        return Tensor(dtype, Unranked(self._fresh()) if rank is None else tuple(self.unknown() for _ in range(rank)))

    def _fresh(self) -> str:
        self._count += 1
        return f"{self.name or 'd'}.{self._count}"

    def _broadcast_dims(self, dims: tuple[Dim, ...]) -> Dim:
        result: Dim = 1
        for dim in dims:
            if dim == 1 or dim == result:
                continue
            if result == 1:
                result = dim
                continue
            result = self._broadcast_pair(result, dim)
        return result

    def _broadcast_pair(self, left: Dim, right: Dim) -> Dim:
        decided = equal(left, right)
        if decided is True or maximum(left, 0) == maximum(right, 0):
            return left
        could = decided is None or equal(left, 1) is not False or equal(right, 1) is not False
        because = f"{left} and {right} must be equal, or one of them 1"
        self._record(Relation.BROADCAST, left, right, because, "broadcast-mismatch", None if could else False)
        if equal(left, 1) is False or _is_one_with(right, left):
            return left
        return right if equal(right, 1) is False or _is_one_with(left, right) else self.unknown()

    def _record(
        self, relation: Relation | None, left: Dim, right: Dim, because: str, rule: str, decided: bool | None
    ) -> None:
        self.constraints.append(Constraint(relation, left, right, because, rule, decided))


def _is_one_with(left: Dim, right: Dim) -> bool:
    """Whether left is 1 where right, a symbol, is 1; then they broadcast to right, if they broadcast at all."""
    return isinstance(right, Expr) and substitute(left, {str(right): 1}) == 1
