"""Random graphs over the whole vocabulary of operators, with a box for every input.

A graph grows node by node. Every value has elements of one run beside it, so that an operator is taken only if its
shape rule and its reference accept the operands; where shapes or types do not fit, layout operators and casts go in
between.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from pooled_draw import PooledDraw, Unfit
from random_boxes import Array, Box, elements, random_box, random_constant
from watched_runs import results_of

from mlvet.domains import dtypes
from mlvet.domains.dims import symbol
from mlvet.domains.dtypes import DType, Kind, f32, i64, of
from mlvet.domains.tensors import Tensor, Unranked, constant, unknown
from mlvet.ir.builder import Builder
from mlvet.ir.graph import Data, Graph, Region, Value
from mlvet.ops import REGISTRY, Op
from mlvet.ops.require import Require

LARGEST = 150
"""Elements that a tensor of a random graph has at most."""
ATTEMPTS = 400
"""Steps after which a graph is as large as it gets."""


@dataclass(frozen=True, slots=True, eq=False)
class Known:
    """A value of the graph, its elements in one run, and whether these are the same in every run."""

    value: Value
    array: Array
    fixed: bool = False

    @property
    def shape(self) -> tuple[int, ...]:
        return self.array.shape

    @property
    def dtype(self) -> DType:
        return of(self.array.dtype)


def vocabulary() -> list[Op]:
    """The operators that can be drawn and run, but for those that change an operand: ranges hold throughout a run."""
    changing = ("assign", "assign_add", "assign_sub")
    return [
        op
        for op in REGISTRY.values()
        if op.samples is not None and op.reference is not None and op.name not in changing
    ]


def random_graph(rng: np.random.Generator, size: int) -> tuple[Graph, dict[str, Box]]:
    """A graph of about `size` nodes, and by name the box of every input and of every parameter without elements."""
    from random_motifs import MOTIFS
    from random_regions import REGIONS
    from random_relations import RELATIONS

    growth = Growth(random.Random(int(rng.integers(2**62))))
    growth.motifs, growth.regions = [*MOTIFS, *RELATIONS], REGIONS
    choose = growth.rng
    growth.main = choose.choices([f32, dtypes.f16, dtypes.bf16, dtypes.f64], [14, 2, 2, 2])[0]
    for _ in range(choose.randint(1, 3)):
        growth.input(growth.shape(), growth.main if choose.random() < 0.8 else growth.any_dtype())
    for _ in range(ATTEMPTS):
        if growth.count >= size:
            break
        growth.step()
    return growth.graph(), growth.ranges


def shape_in_runs(declared: Tensor) -> tuple[int, ...]:
    """The shape that an input has in runs; symbols and unknown ranks are named after it."""
    if isinstance(declared.shape, Unranked):
        return tuple(int(dim) for dim in declared.shape.name.split("x")[1:])
    return tuple(dim if isinstance(dim, int) else int(str(dim)[1:]) for dim in declared.shape)


class Growth:
    """A graph, or a region of one, while it grows. Regions share the inputs, boxes and elements of the whole."""

    def __init__(self, rng: random.Random, within: Growth | None = None, kind: str = "graph") -> None:
        self.rng = rng
        self.root: Growth = within.root if within else self
        self.depth: int = within.depth + 1 if within else 0
        self.main: DType = within.main if within else f32
        self.builder: Builder = within.builder.region(kind) if within else Builder("graph", "random")
        self.pool: list[Known] = list(within.pool) if within else []
        self.ranges: dict[str, Box] = within.ranges if within else {}
        self.table: dict[Value, Array] = within.table if within else {}
        self.numbers: np.random.Generator = within.numbers if within else np.random.default_rng(rng.getrandbits(32))
        self._vocabulary: list[Op] = within._vocabulary if within else vocabulary()
        self.motifs: Sequence[Callable[[Growth], Any]] = within.motifs if within else ()
        self.regions: Sequence[Callable[[Growth], Any]] = within.regions if within else ()
        self.share = rng.choice([0.15, 0.35, 0.85])
        self._nodes = 0

    @property
    def count(self) -> int:
        return self.root._nodes

    def step(self) -> None:
        """Add a motif, a region, or an operator; nothing if what was drawn does not fit."""
        kind = self.rng.random()
        try:
            if kind < self.root.share:
                self.rng.choice(self.motifs)(self)
            elif kind < self.root.share + 0.07 and self.depth < 2:
                self.rng.choice(self.regions)(self)
            else:
                self.any_operator(self.rng.choice(self._vocabulary))
        except Unfit:
            return

    # What a value can come from.

    def input(self, shape: tuple[int, ...], dtype: DType, box: Box | None = None) -> Known:
        """A new input of the graph, of which the declaration may know less than the run."""
        box = random_box(self.rng, dtype) if box is None else box
        array = elements("uniform", self.numbers, box, shape, dtype)
        value = self.root.builder.input("x", self._declared(shape, dtype))
        self.ranges[value.name] = box
        return self._known(value, array, everywhere=True)

    def _declared(self, shape: tuple[int, ...], dtype: DType) -> Tensor:
        kind = self.rng.random()
        if kind < 0.04:
            return unknown("x".join(["u", *map(str, shape)]), dtype)
        if kind < 0.2:
            return Tensor(dtype, tuple(symbol(f"n{dim}") if self.rng.random() < 0.5 else dim for dim in shape))
        return Tensor(dtype, shape)

    def parameter(self, shape: tuple[int, ...], dtype: DType) -> Known:
        """A new parameter, with stored elements or with a box."""
        stored = self.rng.random() < 0.6
        box = random_box(self.rng, dtype)
        array = (
            random_constant(self.rng, shape, dtype) if stored else elements("uniform", self.numbers, box, shape, dtype)
        )
        data = Data(dtype, shape, lambda: array) if stored else None
        value = self.root.builder.parameter(f"w{len(self.table)}", Tensor(dtype, shape), data=data)
        if not stored:
            self.ranges[value.name] = box
        return self._known(value, array, everywhere=True)

    def constant(self, array: Array | Sequence[int] | int | float) -> Known:
        """A constant with these elements: ints are i64, floats of the main type."""
        if isinstance(array, np.generic):
            array = np.asarray(array)
        if not isinstance(array, np.ndarray):
            found = np.asarray(array)
            with np.errstate(all="ignore"):
                array = found.astype({"f": self.main.numpy, "b": np.dtype(np.bool_)}.get(found.dtype.kind, i64.numpy))
        value = self.builder.constant("c", array)
        self.table[value] = array
        return Known(value, array, True)

    def scalar(self, like: Known, *among: float) -> Known:
        """One of some numbers as a constant in the type of a value."""
        with np.errstate(all="ignore"):
            return self.constant(np.asarray(self.rng.choice(among)).astype(like.dtype.numpy))

    def enter(self, array: Array) -> Known:
        """A value that enters this region, with its elements at the first entry."""
        value = self.builder.input("r", Tensor(of(array.dtype), array.shape))
        return self._known(value, array)

    def _known(self, value: Value, array: Array, *, everywhere: bool = False) -> Known:
        known = Known(value, array)
        self.table[value] = array
        if array.dtype != object and array.size <= LARGEST:
            self.pool.append(known)
            if everywhere and self.root is not self:
                self.root.pool.append(known)
        return known

    def shape(self, low_rank: int = 0, high_rank: int = 4, low: int = 1, high: int = 5) -> tuple[int, ...]:
        rank = self.rng.randint(low_rank, max(low_rank, min(high_rank, self.rng.choice([1, 2, 2, 3, 4]))))
        if rank > 1 and self.rng.random() < 0.3:
            size = self.rng.randint(low, min(high, 5 if rank == 2 else 3))
            return (size,) * rank
        shape: list[int] = []
        for _ in range(rank):
            room = max(low, LARGEST // max(1, int(np.prod(shape, dtype=int))))
            shape.append(self.rng.randint(low, min(high, room, self.rng.choice([2, 3, 3, 4, 5]) if low < 2 else high)))
        return tuple(shape)

    def any_dtype(self) -> DType:
        return self.rng.choice([f32, f32, dtypes.f16, dtypes.bf16, dtypes.f64, dtypes.i32, i64, dtypes.bool_])

    def pick(self, dtype: DType | None = None, low_rank: int = 0) -> Known:
        """A value that is there, of the main type unless another is asked for, later ones more often."""
        dtype = dtype or self.main
        fitting = [
            known for known in self.pool if known.dtype == dtype and known.array.ndim >= low_rank and known.array.size
        ]
        if not fitting:
            raise Unfit
        return self.rng.choice(fitting[-6:] if self.rng.random() < 0.6 else fitting)

    # Operators.

    def apply(self, name: str, *operands: Known | None, **attributes: Any) -> Known:
        """Add an operator and return its first result."""
        return self.apply_all(name, operands, attributes)[0]

    def apply_all(self, name: str, operands: Sequence[Known | None], attributes: dict[str, Any]) -> list[Known]:
        """Add an operator whose shape rule and reference agree on the results."""
        op = REGISTRY[name]
        assert op.reference is not None
        results = _run(op, [None if known is None else known.array for known in operands], attributes)
        if any(result.size > LARGEST or result.dtype == object for result in results):
            raise Unfit
        _agree(op, operands, attributes, results)
        inputs = [None if known is None else known.value for known in operands]
        node = self.builder.node(name, inputs, len(results), attributes)
        self.root._nodes += 1
        return [self._known(value, array) for value, array in zip(node.outputs, results, strict=True)]

    def control(
        self, name: str, operands: Sequence[Known | None], regions: Sequence[Region], **attributes: Any
    ) -> None:
        """Add a node with regions."""
        body = regions[-1]
        count = len(body.outputs) - (name == "loop")
        inputs = [None if known is None else known.value for known in operands]
        node = self.builder.node(name, inputs, count, attributes, regions=regions)
        self.root._nodes += 1
        for value, array in zip(node.outputs, results_of(node, self.table), strict=True):
            self._known(value, np.asarray(array))

    def any_operator(self, op: Op) -> list[Known]:
        """Add an operator on arguments like those that its samples describe, fed from the values that are there."""
        assert op.samples is not None
        draw = PooledDraw(self)
        sample = op.samples(draw)
        if any(array is not None and (array.dtype == object or array.size > LARGEST) for array in sample.operands):
            raise Unfit
        main = self.main if self.rng.random() < 0.9 else self.rng.choice([f32, dtypes.f16, dtypes.bf16, dtypes.f64])
        for dtype, share in ((main, 0.8), (f32, 0.8), (f32, 0.3), (f32, 0.0)):
            mark, count = self.builder.mark(), self.root._nodes
            pool = len(self.pool)
            try:
                operands = [self._operand(array, draw, dtype, share) for array in sample.operands]
                return self.apply_all(op.name, operands, sample.attributes)
            except Unfit:
                self.builder.back_to(mark)
                self.root._nodes = count
                gone = self.pool[pool:]
                del self.pool[pool:]
                self.pool += [known for known in gone if known.value.name in self.ranges]
        raise Unfit

    def _operand(self, array: Array | None, draw: PooledDraw, main: DType, share: float) -> Known | None:
        """A value for an operand: one that is there with the given probability, else a new one."""
        if array is None:
            return None
        dtype = of(array.dtype)
        drawn = draw.boxes.get(id(array))
        chance = self.rng.random()
        if dtype.is_float:
            dtype = main if dtype == f32 else dtype
            if chance < share * (1.0 if drawn else 0.6):
                return self.fit(self._some_number(), array.shape, dtype)
            if drawn is None or chance > 0.95 or share == 0:
                return self.constant(array.astype(dtype.numpy))
            if chance > 0.9:
                return self.parameter(array.shape, dtype)
            return (
                self.constant(random_constant(self.rng, array.shape, dtype))
                if chance > 0.85
                else self.input(array.shape, dtype)
            )
        if drawn is None or chance > share or dtype.bits < 8 or dtype.kind is Kind.COMPLEX:
            return self.constant(array)
        if dtype.kind is Kind.BOOL:
            return self.truth(array.shape)
        low, high = max(int(drawn[0]), int(dtype.least)), min(int(drawn[1]), int(dtype.largest))
        if chance < share / 3 and dtype in (dtypes.i32, i64):
            whole = self.fit(self._some_number(), array.shape, dtype)
            limits = [self.constant(np.asarray(end, dtype.numpy)) for end in (low, high)]
            return self.apply("min", self.apply("max", whole, limits[0]), limits[1])
        first = self.rng.randint(low, high)
        return self.input(array.shape, dtype, (first, self.rng.randint(first, high)))

    def _some_number(self) -> Known:
        numbers = [known for known in self.pool if known.dtype.kind is not Kind.COMPLEX and known.array.size]
        if not numbers:
            raise Unfit
        return self.rng.choice(numbers[-6:] if self.rng.random() < 0.6 else numbers)

    def truth(self, shape: tuple[int, ...]) -> Known:
        """A tensor of bools: one that is there, a comparison of one that is there, or a new input."""
        kind = self.rng.random()
        if kind < 0.2:
            return self.input(shape, dtypes.bool_)
        if kind < 0.4:
            return self.constant(random_constant(self.rng, shape, dtypes.bool_))
        x = self.fit(self.pick(), shape, self.main)
        relation = self.rng.choice(["less", "greater", "less_or_equal", "greater_or_equal", "equal", "not_equal"])
        return self.apply(relation, x, self.scalar(x, 0.0, 0.0, 1.0, -1.0, 1e-5))

    def fit(self, x: Known, shape: tuple[int, ...], dtype: DType) -> Known:
        """The value as a tensor of another shape and type, through a cast and layout operators."""
        if x.dtype != dtype:
            x = self.apply("cast", x, to=dtype)
        if x.shape == shape:
            return x
        if not x.array.size:
            raise Unfit
        kind = self.rng.random()
        size = int(np.prod(shape, dtype=int))
        if x.array.size == size:
            if sorted(x.shape) == sorted(shape) and kind < 0.5:
                return self.apply("transpose", x, perm=_permutation(x.shape, shape))
            return self.apply("reshape", x, self.constant(shape or np.zeros(0, np.int64)))
        if _broadcasts(x.shape, shape):
            return self.apply("expand", x, self.constant(shape))
        if x.array.ndim == len(shape) and all(a >= b for a, b in zip(x.shape, shape, strict=True)) and kind < 0.6:
            starts = [self.rng.randint(0, a - b) for a, b in zip(x.shape, shape, strict=True)]
            ends = [start + dim for start, dim in zip(starts, shape, strict=True)]
            return self.apply("slice", x, self.constant(starts), self.constant(ends))
        if kind < 0.75 or dtype.kind is Kind.BOOL:
            flat = self.apply("reshape", x, self.constant([-1]))
            return self.apply("gather", flat, self.constant(self.numbers.integers(0, x.array.size, shape)))
        how = self.rng.choice(
            ["reduce_max", "reduce_min", "reduce_sum", "reduce_mean"] if dtype.is_float else ["reduce_max"]
        )
        whole = self.apply(how, x, None, keepdims=False)
        return whole if shape == () else self.apply("expand", whole, self.constant(shape))

    def graph(self) -> Graph:
        """The graph, whose outputs are the results that nothing reads."""
        body = self.builder.close(())
        used = {value for node in _nodes(body) for value in node.inputs}
        used |= {value for node in body.nodes for region in node.regions for value in region.outputs}
        ends = [value for node in body.nodes for value in node.outputs if value not in used]
        return self.builder.graph(ends)


def _nodes(region: Region) -> list[Any]:
    return [node for top in region.nodes for node in (top, *(n for inner in top.regions for n in _nodes(inner)))]


def _run(op: Op, operands: Sequence[Array | None], attributes: dict[str, Any]) -> tuple[Array, ...]:
    assert op.reference is not None
    try:
        with np.errstate(all="ignore"):
            found = op.reference(*operands, **attributes)
    except Exception as problem:
        raise Unfit from problem
    found = found if isinstance(found, tuple) else (found,)
    if any(isinstance(result, list) for result in found):
        raise Unfit
    return tuple(np.asarray(result) for result in found)


def _agree(op: Op, operands: Sequence[Known | None], attributes: dict[str, Any], results: Sequence[Array]) -> None:
    """Raise Unfit unless the shape rule accepts the operands and tells the types of the results."""
    if op.infer is None:
        return
    require = Require("t")
    tensors = [
        None if known is None else constant(known.array) if known.fixed else Tensor(known.dtype, known.shape)
        for known in operands
    ]
    found = op.infer(*tensors, require=require, **attributes)
    types = found if isinstance(found, tuple) else (found,)
    if require.violated or len(types) != len(results):
        raise Unfit
    for described, array in zip(types, results, strict=True):
        if described.dtype is not None and described.dtype.numpy != array.dtype:
            raise Unfit
        if described.ranked and len(described.dims) != array.ndim:
            raise Unfit


def _permutation(shape: tuple[int, ...], wanted: tuple[int, ...]) -> tuple[int, ...]:
    left = list(range(len(shape)))
    found = []
    for dim in wanted:
        axis = next(axis for axis in left if shape[axis] == dim)
        left.remove(axis)
        found.append(axis)
    return tuple(found)


def _broadcasts(shape: tuple[int, ...], wanted: tuple[int, ...]) -> bool:
    if len(shape) > len(wanted):
        return False
    return all(a in (1, b) for a, b in zip(shape[::-1], wanted[::-1], strict=False))
