"""A statement over elements rewritten as one over whole arrays.

Each loop variable is an axis. An item becomes a slice whose axes are the variables in its index; operands are lined up
to the order of the axes of what is written, and the axes that the target does not have are summed over. A function
that makes one number of a row, such as a norm, does so along the last axis.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass, field
from math import prod

from mlvet.analyses.efficiency.host.elements import Nest, flattened
from mlvet.analyses.efficiency.telling.context import Context
from mlvet.analyses.efficiency.telling.row_calls import number_of, product_of

_OPERATORS = {
    ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.Pow: "**", ast.Mod: "%", ast.FloorDiv: "//",
}  # fmt: skip
_COMPARES = {ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.Eq: "==", ast.NotEq: "!="}
_FUNCTIONS = frozenset(
    (
        "exp", "log", "sqrt", "sin", "cos", "tan", "tanh", "sinh", "cosh", "abs", "floor", "ceil", "log2", "log10",
        "log1p", "expm1", "square", "sigmoid", "relu", "sign",
    )
)  # fmt: skip
_RENAMED = {"fabs": "abs", "absolute": "abs"}
_IN_TORCH_ONLY = frozenset(("sigmoid", "relu"))
_ROOT = {"numpy": "numpy", "torch": "torch", "jax": "jax.numpy"}
_ROW = "\0row"
"""The axis of a row, after those of all loop variables."""
LONG_ROW = 4096
"""The elements of a row from which on its own work hides what the loop costs."""
_ROOM = 1 << 22
"""So many elements may stand in memory at once that a loop has one after the other."""


class Unfit(Exception):
    """The statement has no form over whole arrays that is known here."""


@dataclass
class Vectoriser:
    """The rewriting of one nest of loops."""

    context: Context
    nest: Nest
    library: str = ""
    ranges: dict[str, tuple[ast.expr | None, ast.expr]] = field(default_factory=dict)
    axes: tuple[str, ...] = ()
    row: int | None = 0
    """The length of the longest row; None if there are rows of unknown length."""

    def statement(self) -> str:
        """The statement that stands for the loops; Unfit if there is none."""
        nest = self.nest
        for loop, name in zip(nest.loops, nest.variables, strict=True):
            assert isinstance(loop.node, ast.For)
            assert isinstance(loop.node.iter, ast.Call)
            bounds = loop.node.iter.args
            self.ranges[name] = (None, bounds[0]) if len(bounds) == 1 else (bounds[0], bounds[1])
            if any(
                isinstance(each, ast.Name) and each.id in nest.variables for bound in bounds for each in ast.walk(bound)
            ):
                raise Unfit
        self.library = self._library()
        if self.library == "jax" and self._reaches_vary():
            return self._masked()
        target = self._target()
        kept = self.axes
        if not nest.reduces:
            if set(kept) != set(nest.variables):
                raise Unfit
            return self._stored(target, self._whole(_uncast(nest.value)))
        summed = tuple(each for each in nest.variables if each not in kept)
        value = self._reduced(nest.value, kept, summed)
        return self._stored(target, value, adds=True)

    def _masked(self) -> str:
        """A sum over a part of an axis as one over all of it, the rest left out: its shape is the same each time."""
        nest = self.nest
        if not nest.reduces or len(nest.variables) != 1 or not isinstance(nest.target, ast.Name):
            raise Unfit
        target, name = self._target(), nest.variables[0]
        start, end = self.ranges[name]
        whole = self._axis(name)
        self.ranges[name] = None, ast.parse(whole, mode="eval").body
        self.axes = (name,)
        text, axes = self._value(nest.value)
        if axes != {name}:
            raise Unfit
        places = f"{self._root()}.arange({whole})"
        kept = f"{places} < {ast.unparse(end)}"
        if start is not None and not (isinstance(start, ast.Constant) and start.value == 0):
            kept = f"({places} >= {ast.unparse(start)}) & ({kept})"
        return self._stored(target, f"{self._root()}.where({kept}, {_bare(text)}, 0).sum()", adds=True)

    def _axis(self, variable: str) -> str:
        """The size of the axis that a loop variable goes along, which must be one for all items."""
        program = self.context.program
        sizes: dict[object, str] = {}
        for node in ast.walk(self.nest.value):
            if isinstance(node, ast.Subscript):
                base, indices = flattened(node)
                seen = program.host.seen.get(program.outline.span(base))
                shape = None if seen is None or seen.tensor is None else seen.tensor.shape
                for position, index in enumerate(indices):
                    if self._variable(index) == variable:
                        if not isinstance(index, ast.Name) or not isinstance(shape, tuple) or position >= len(shape):
                            raise Unfit
                        sizes.setdefault(shape[position], f"{ast.unparse(base)}.shape[{position}]")
        if len(sizes) != 1:
            raise Unfit
        return next(iter(sizes.values()))

    def _reaches_vary(self) -> bool:
        """Whether a loop around sets the bounds: slices of another size each time are compiled each time."""
        around = {
            node.id
            for loop in self.nest.loops[0].around
            for target in loop.targets
            for node in ast.walk(target)
            if isinstance(node, ast.Name)
        }
        bounds = [bound for pair in self.ranges.values() for bound in pair if bound is not None]
        return any(isinstance(each, ast.Name) and each.id in around for bound in bounds for each in ast.walk(bound))

    def _library(self) -> str:
        kinds = set()
        for node in ast.walk(self.nest.statement):
            if isinstance(node, ast.Subscript):
                base, _ = flattened(node)
                seen = self.context.program.host.seen.get(self.context.program.outline.span(base))
                kinds |= {name for name in _ROOT if seen is not None and seen.type.startswith(name)}
        if len(kinds) > 1:
            raise Unfit
        return next(iter(kinds), "numpy")

    def _target(self) -> str:
        target = self.nest.target
        if isinstance(target, ast.Name):
            if target.id in {each.id for each in ast.walk(self.nest.value) if isinstance(each, ast.Name)}:
                raise Unfit
            return target.id
        assert isinstance(target, ast.Subscript)
        base, indices = flattened(target)
        self._check_rank(base, indices)
        if any(isinstance(each, ast.Subscript) for index in indices for each in ast.walk(index)):
            return self._scattered(base, indices)
        found = [self._variable(each) for each in indices]
        self.axes = tuple(each for each in found if each is not None)
        if len(set(self.axes)) != len(self.axes):
            raise Unfit
        whole = self._item(target, at=True)
        plain = whole == ast.unparse(base)
        return f"{whole}[{', '.join(':' for _ in indices)}]" if plain else whole

    def _scattered(self, base: ast.expr, indices: list[ast.expr]) -> str:
        """An item one of whose indices is itself an item, as in `one_hot[i, labels[i]]`."""
        variables = [self._variable(each) for each in indices if not isinstance(each, ast.Subscript)]
        direct = [each for each in variables if each is not None]
        if len(self.nest.variables) != 1 or direct != [self.nest.variables[0]] or self.nest.functional:
            raise Unfit
        self.axes = self.nest.variables
        parts = [self._leaf(each)[0] if isinstance(each, ast.Subscript) else self._counted(each) for each in indices]
        return f"{ast.unparse(base)}[{', '.join(parts)}]"

    def _counted(self, index: ast.expr, placed: bool = False) -> str:
        """The numbers that a loop variable takes; `placed` are those that are computed with, where the arrays are."""
        if not isinstance(index, ast.Name):
            raise Unfit
        start, end = self.ranges[index.id]
        bounds = ast.unparse(end) if start is None else f"{ast.unparse(start)}, {ast.unparse(end)}"
        settings = self._settings() if placed else ""
        return f"{self._root()}.arange({bounds}{settings})"

    def _settings(self) -> str:
        """How the numbers of a loop variable are made: powers need the digits that Python computes with."""
        nodes = list(ast.walk(self.nest.statement))
        powers = [each for each in nodes if isinstance(each, ast.BinOp) and isinstance(each.op, ast.Pow)]
        varying = any(
            isinstance(node, ast.Name) and node.id in self.nest.variables
            for each in powers
            for node in ast.walk(each.right)
        )
        if varying and self.library == "jax":
            raise Unfit
        if self.library != "torch":
            return ""
        dtype = f", dtype={self._root()}.float64" if varying else ""
        arrays = (flattened(each)[0] for each in nodes if isinstance(each, ast.Subscript))
        return dtype + (f", device={ast.unparse(next(arrays))}.device" if self.context.on_gpu else "")

    def _stored(self, target: str, value: str, adds: bool = False) -> str:
        if self.nest.functional:
            assert isinstance(self.nest.target, ast.Subscript)
            base = ast.unparse(flattened(self.nest.target)[0])
            inside = target[len(base) :]
            return f"{base} = {base}.at{inside}.{'add' if adds else 'set'}({_bare(value)})"
        sign = ("-=" if self.nest.subtracts else "+=") if adds else "="
        return f"{target} {sign} {_bare(value)}"

    def _reduced(self, value: ast.expr, kept: tuple[str, ...], summed: tuple[str, ...]) -> str:
        """A value summed over the axes that the target does not have."""
        if not summed:
            if isinstance(self.nest.target, ast.Name):
                raise Unfit
            return self._whole(value)
        product = self._product(value, kept, summed)
        if product:
            return product
        self.axes = (*kept, *summed)
        text, axes = self._value(value)
        if set(axes) != set(self.axes):
            raise Unfit
        where = ", ".join(str(len(kept) + index) for index in range(len(summed)))
        found = f"{_called_on(text)}.sum({(where if len(summed) == 1 else f'({where})') if kept else ''})"
        self.axes = kept
        return found

    def _product(self, value: ast.expr, kept: tuple[str, ...], summed: tuple[str, ...]) -> str:
        """A sum of products of two items as one product of matrices, where it is one."""
        if not (isinstance(value, ast.BinOp) and isinstance(value.op, ast.Mult)) or len(summed) != 1:
            return ""
        if not isinstance(value.left, ast.Subscript) or not isinstance(value.right, ast.Subscript):
            return ""
        (left, one), (right, other) = self._leaf(value.left), self._leaf(value.right)
        inner = summed[0]
        for first, axes, second, against in ((left, one, right, other), (right, other, left, one)):
            matched = (*axes[:-1], *against[1:]) == kept
            if (
                axes[-1:] == (inner,)
                and against[:1] == (inner,)
                and inner not in (*axes[:-1], *against[1:])
                and matched
            ):
                return f"{first} @ {second}"
        return ""

    def _whole(self, value: ast.expr) -> str:
        return self._value(value)[0]

    def _value(self, node: ast.expr) -> tuple[str, frozenset[str]]:
        """The text of a value over whole arrays, and the axes that it has."""
        match node:
            case ast.Constant(value=int() | float()):
                return ast.unparse(node), frozenset()
            case ast.Name(id=name) if name in self.nest.variables:
                return self._spread(self._counted(node, placed=True), (name,)), frozenset((name,))
            case ast.Name():
                if _ROW in self.axes and self._rank(node) == 1:
                    return node.id, frozenset((_ROW,))
                if not self._is_scalar(node):
                    raise Unfit
                return node.id, frozenset()
            case ast.Attribute():
                if any(isinstance(each, ast.Name) and each.id in self.nest.variables for each in ast.walk(node)):
                    raise Unfit
                if not self._is_scalar(node) and ast.unparse(node) not in ("math.pi", "np.pi", "math.e", "np.e"):
                    raise Unfit
                return ast.unparse(node), frozenset()
            case ast.Subscript():
                text = self._item(node)
                return text, frozenset(self._leaf(node)[1])
            case ast.BinOp(op=ast.MatMult()):
                return self._dot(node.left, node.right)
            case ast.Call() if (operands := product_of(self._names, _ROOT[self.library], node)) is not None:
                return self._dot(*operands)
            case ast.Call() if (reduced := number_of(self._names, _ROOT[self.library], node)) is not None:
                return self._along_row(*reduced)
            case ast.UnaryOp(op=ast.USub()):
                text, axes = self._value(node.operand)
                return f"-{text}", axes
            case ast.BinOp(left=ast.Constant(value=int(base)), op=ast.Pow()):
                right, other = self._value(node.right)
                return f"({float(base)} ** {right})", other
            case ast.BinOp() if type(node.op) in _OPERATORS:
                left, one = self._value(node.left)
                right, other = self._value(node.right)
                return f"({left} {_OPERATORS[type(node.op)]} {right})", one | other
            case ast.IfExp(test=ast.Compare(ops=[operator], comparators=[bound], left=first)) if (
                type(operator) in _COMPARES
            ):
                parts = [self._value(each) for each in (first, bound, node.body, node.orelse)]
                test = f"{parts[0][0]} {_COMPARES[type(operator)]} {parts[1][0]}"
                axes = frozenset().union(*(each[1] for each in parts))
                return f"{self._root()}.where({test}, {parts[2][0]}, {parts[3][0]})", axes
            case ast.Compare(ops=[operator], comparators=[bound], left=first) if type(operator) in _COMPARES:
                left, one = self._value(first)
                right, other = self._value(bound)
                return f"({left} {_COMPARES[type(operator)]} {right})", one | other
            case ast.Call(func=ast.Name(id="max" | "min" as which), args=[first, second], keywords=[]):
                return self._extreme(which, self._value(first), self._value(second))
            case ast.Call(args=[argument], keywords=[]):
                name = self._function(node)
                text, axes = self._value(argument)
                if not axes:
                    raise Unfit
                return f"{name}({_bare(text)})", axes
            case ast.Call(func=ast.Attribute(attr="item", value=inner), args=[], keywords=[]):
                return self._value(inner)
        raise Unfit

    def _names(self, node: ast.expr) -> str | None:
        return self.context.edits.name_of(node)

    def _along_row(self, name: str, row: ast.expr) -> tuple[str, frozenset[str]]:
        if _ROW in self.axes:
            raise Unfit
        self.axes = (*self.axes, _ROW)
        try:
            text, axes = self._value(row)
        finally:
            self.axes = self.axes[:-1]
        left = axes - {_ROW}
        if _ROW not in axes or not left or not self._has_room(left):
            raise Unfit
        if name == "norm":
            of = "dim" if self.library == "torch" else "axis"
            return f"{self._root()}.linalg.norm({_bare(text)}, {of}=-1)", left
        if name in ("max", "min") and self.library == "torch":
            return f"{self._root()}.a{name}({_bare(text)}, -1)", left
        return f"{_called_on(text)}.{name}(-1)", left

    def _dot(self, left: ast.expr, right: ast.expr) -> tuple[str, frozenset[str]]:
        """The product of two rows: of matrices, where each goes along a variable of its own."""
        (one, first), (other, second) = self._row(left), self._row(right)
        if not first or not second:
            if not (first or second):
                raise Unfit
            return (f"({one} @ {other})" if first else f"({other} @ {one})"), frozenset(first + second)
        if first == second:
            return f"({one} * {other}).sum(-1)", frozenset(first)
        if self.axes.index(first[0]) > self.axes.index(second[0]):
            (one, first), (other, second) = (other, second), (one, first)
        if self.axes.index(second[0]) != self.axes.index(first[0]) + 1 or self.axes[-1] != second[0]:
            raise Unfit
        return f"({one} @ {other}.T)", frozenset((*first, *second))

    def _row(self, node: ast.expr) -> tuple[str, tuple[str, ...]]:
        """A row of an array as all rows that a variable goes along, or a row that stays."""
        if isinstance(node, ast.Name) and self._rank(node) == 1 and _ROW not in self.axes:
            return node.id, ()
        if not isinstance(node, ast.Subscript) or _ROW in self.axes:
            raise Unfit
        self.axes = (*self.axes, _ROW)
        try:
            text, axes = self._leaf(node)
        finally:
            self.axes = self.axes[:-1]
        if axes[-1:] != (_ROW,) or len(axes) > 2:
            raise Unfit
        return text, axes[:-1]

    def _has_room(self, axes: frozenset[str]) -> bool:
        """Whether the rows of several variables can stand in memory at once; those of one are there already."""
        sizes = [self.context.trips(loop) for loop, name in zip(self.nest.loops, self.nest.variables, strict=True)
                 if name in axes]  # fmt: skip
        if len(sizes) == 1:
            return True
        known = [each for each in (*sizes, self.row) if each is not None]
        return len(known) > len(sizes) and prod(known) <= _ROOM

    def _extreme(
        self, which: str, one: tuple[str, frozenset[str]], other: tuple[str, frozenset[str]]
    ) -> tuple[str, frozenset[str]]:
        """The larger or smaller of two values for each element; PyTorch has a function of its own for a number."""
        if self.library != "torch" or (one[1] and other[1]):
            return f"{self._root()}.{which}imum({_bare(one[0])}, {_bare(other[0])})", one[1] | other[1]
        array, number = (one, other) if one[1] else (other, one)
        if not array[1]:
            raise Unfit
        bound = "min" if which == "max" else "max"
        return f"{self._root()}.clamp({_bare(array[0])}, {bound}={number[0]})", array[1]

    def _function(self, node: ast.Call) -> str:
        """The function over arrays that does to each element what a function does to one."""
        called = ast.unparse(node.func)
        root, _, name = called.rpartition(".")
        name = _RENAMED.get(name, name)
        known = self.context.edits.name_of(node.func) if root else called
        from_library = known.startswith(("math.", "numpy.", "torch.", "jax.numpy.")) or called == "abs"
        if name not in _FUNCTIONS or not from_library or (name in _IN_TORCH_ONLY and self.library != "torch"):
            raise Unfit
        return f"{self._root()}.{name}"

    def _root(self) -> str:
        found = self.context.edits.reference(_ROOT[self.library])
        if not found:
            raise Unfit
        return found

    def _item(self, node: ast.Subscript, at: bool = False) -> str:
        """An item as a slice whose axes are in the order of the target's, with room for those that it lacks."""
        text, axes = self._leaf(node)
        if at or axes == tuple(each for each in self.axes if each in axes):
            return self._spread(text, axes)
        if axes[::-1] == tuple(each for each in self.axes if each in axes) and len(axes) == 2:
            return self._spread(f"{text}.T", axes[::-1])
        raise Unfit

    def _spread(self, text: str, axes: tuple[str, ...]) -> str:
        """A slice with an axis of size 1 for every axis of the target that comes after its first and that it lacks."""
        if not axes:
            return text
        later = self.axes[self.axes.index(axes[0]) :]
        if later == axes:
            return text
        return f"{text}[{', '.join(':' if each in axes else 'None' for each in later)}]"

    def _leaf(self, node: ast.Subscript) -> tuple[str, tuple[str, ...]]:
        """An item as a slice, and its axes in its own order."""
        base, indices = flattened(node)
        if any(isinstance(each, ast.Name) and each.id in self.nest.variables for each in ast.walk(base)):
            raise Unfit
        while _ROW in self.axes and isinstance(indices[-1], ast.Slice) and ast.unparse(indices[-1]) == ":":
            indices.pop()
        rowed = self._check_rank(base, indices)
        name = ast.unparse(base)
        if not self._is_array(base):
            if len(indices) > 1:
                raise Unfit
            name = f"{self._root()}.{'as_tensor' if self.library == 'torch' else 'asarray'}({name})"
        if len(indices) == 1 and isinstance(indices[0], ast.Subscript):
            inner, axes = self._leaf(indices[0])
            return f"{name}[{inner}]", axes
        parts = [self._slice(base, position, each) for position, each in enumerate(indices)]
        axes = tuple(each for each in map(self._variable, indices) if each is not None)
        if len(set(axes)) != len(axes):
            raise Unfit
        whole = all(each == ":" for each in parts)
        return (name if whole else f"{name}[{', '.join(parts)}]"), (*axes, _ROW) if rowed else axes

    def _slice(self, base: ast.expr, position: int, index: ast.expr) -> str:
        variable = self._variable(index)
        if variable is None:
            return ast.unparse(index)
        start, end = self.ranges[variable]
        shift = self._shift(index)
        if not shift and start is None and self._covers(base, position, end):
            return ":"
        first = _shifted(start, shift) if start is not None or shift else ""
        return f"{'' if first == '0' else first}:{_shifted(end, shift)}"

    def _shift(self, index: ast.expr) -> int:
        match index:
            case ast.BinOp(op=ast.Add(), right=ast.Constant(value=int(amount))):
                return amount
            case ast.BinOp(op=ast.Sub(), right=ast.Constant(value=int(amount))):
                return -amount
        return 0

    def _variable(self, index: ast.expr) -> str | None:
        """The loop variable that an index runs with; None for an index that stays."""
        used = [each.id for each in ast.walk(index) if isinstance(each, ast.Name) and each.id in self.nest.variables]
        if not used:
            if not isinstance(index, ast.Constant | ast.Name | ast.Attribute):
                raise Unfit
            return None
        match index:
            case ast.Name():
                return index.id
            case ast.BinOp(left=ast.Name(id=name), op=ast.Add() | ast.Sub(), right=ast.Constant(value=int())):
                start, _ = self.ranges[name]
                first = start.value if isinstance(start, ast.Constant) else 0 if start is None else None
                if not isinstance(first, int) or first + self._shift(index) < 0:
                    raise Unfit
                return name
        raise Unfit

    def _covers(self, base: ast.expr, position: int, end: ast.expr) -> bool:
        """Whether a range from 0 ends where an axis of an array does."""
        name = ast.unparse(base)
        spelled = (
            {f"len({name})": 0}
            | {f"{name}.shape[{axis}]": axis for axis in range(4)}
            | {f"{name}.size({axis})": axis for axis in range(4)}
        )
        if spelled.get(ast.unparse(end)) == position:
            return True
        if not isinstance(self.nest.loops[0].function.node, ast.Module) or self.nest.loops[0].around:
            return False
        program = self.context.program
        seen = program.host.seen.get(program.outline.span(base))
        shape = None if seen is None or seen.tensor is None else seen.tensor.shape
        count = self._number(end)
        return isinstance(shape, tuple) and position < len(shape) and count is not None and shape[position] == count

    def _number(self, node: ast.expr) -> int | None:
        """The number that an expression is: a constant, or a name that is set to one once."""
        if isinstance(node, ast.Constant) and isinstance(node.value, int):
            return node.value
        if not isinstance(node, ast.Name):
            return None
        settings = [each for each in self.context.program.bindings.settings if each.name.endswith(f".{node.id}")]
        value = settings[0].value.node if len(settings) == 1 and settings[0].value is not None else None
        return value.value if isinstance(value, ast.Constant) and isinstance(value.value, int) else None

    def _check_rank(self, base: ast.expr, indices: list[ast.expr]) -> bool:
        """Whether what is indexed are rows; Unfit if it is neither rows, where they are looked for, nor elements."""
        program = self.context.program
        seen = program.host.seen.get(program.outline.span(base))
        shape = None if seen is None or seen.tensor is None else seen.tensor.shape
        known = seen is not None and seen.kind == "tensor"
        if not known:
            return False
        if not isinstance(shape, tuple) or len(shape) not in (len(indices), len(indices) + (_ROW in self.axes)):
            raise Unfit
        if len(shape) == len(indices):
            return False
        length = shape[-1]
        if isinstance(length, int) and length > LONG_ROW:
            raise Unfit
        self.row = max(self.row, length) if self.row is not None and isinstance(length, int) else None
        return True

    def _rank(self, node: ast.expr) -> int | None:
        seen = self.context.program.host.seen.get(self.context.program.outline.span(node))
        shape = None if seen is None or seen.tensor is None else seen.tensor.shape
        return len(shape) if isinstance(shape, tuple) else None

    def _is_array(self, node: ast.expr) -> bool:
        seen = self.context.program.host.seen.get(self.context.program.outline.span(node))
        return seen is not None and seen.kind == "tensor"

    def _is_scalar(self, node: ast.expr) -> bool:
        seen = self.context.program.host.seen.get(self.context.program.outline.span(node))
        if seen is None:
            return False
        return seen.kind == "number" or (seen.tensor is not None and seen.tensor.shape == ())


def _uncast(node: ast.expr) -> ast.expr:
    """A value without the cast to a float that an array of floats does by itself."""
    cast = isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "float"
    return node.args[0] if isinstance(node, ast.Call) and cast and len(node.args) == 1 else node


def _shifted(bound: ast.expr | None, shift: int) -> str:
    if bound is None:
        return str(shift)
    if not shift:
        return ast.unparse(bound)
    if isinstance(bound, ast.Constant) and isinstance(bound.value, int):
        return str(bound.value + shift)
    if (
        isinstance(bound, ast.BinOp)
        and isinstance(bound.op, ast.Sub | ast.Add)
        and isinstance(bound.right, ast.Constant)
    ):
        amount = bound.right.value
        if isinstance(amount, int):
            return _shifted(bound.left, shift + (amount if isinstance(bound.op, ast.Add) else -amount))
    return f"{ast.unparse(bound)} {'+' if shift > 0 else '-'} {abs(shift)}"


def _called_on(text: str) -> str:
    """A text as that on which a method is called."""
    atom = isinstance(ast.parse(text, mode="eval").body, ast.Name | ast.Call | ast.Subscript | ast.Attribute)
    return text if atom else f"({_bare(text)})"


def _bare(text: str) -> str:
    """A text without the parentheses around all of it."""
    if not (text.startswith("(") and text.endswith(")")):
        return text
    depth = 0
    for index, letter in enumerate(text):
        depth += {"(": 1, ")": -1}.get(letter, 0)
        if depth == 0:
            return text[1:-1] if index == len(text) - 1 else text
    return text
