"""What a lowering rule works with: the equation at hand, the values so far, and short ways to add operators."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np

from mlvet.core.location import Location
from mlvet.domains import dtypes
from mlvet.domains.dims import Apply, Atom, Dim, Expr
from mlvet.domains.dtypes import DType
from mlvet.domains.tensors import Dims, Tensor, unknown
from mlvet.frontends.lowering_rules import Emitter, Source, Unlowered, registering
from mlvet.frontends.size_expressions import Sizes
from mlvet.ir.builder import Builder
from mlvet.ir.graph import Frame, Value

Rule: TypeAlias = Callable[["Context"], "Value | Sequence[Value]"]
RULES: dict[str, Rule] = {}
lowers = registering(RULES)


@dataclass(slots=True)
class Origins:
    """What all regions share: the value and axis that each symbol can be read from, and notes for the user."""

    by_symbol: dict[str, tuple[Value, int]] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)


@dataclass(slots=True)
class Context(Emitter):
    """One jaxpr being lowered into one region."""

    builder: Builder
    sizes: Sizes
    origins: Origins
    lower_jaxpr: Callable[[Context, Any, Sequence[Value]], list[Value]]
    prefix: str = ""
    env: dict[Any, Value] = field(default_factory=dict)
    equation: Any = None
    location: Location | None = None
    stack: tuple[Frame, ...] = ()
    module: str = ""

    # The equation.

    @property
    def name(self) -> str:
        return str(self.equation.primitive.name)

    @property
    def source(self) -> Source:
        return Source(self.name, self.location, self.stack, self.module)

    def param(self, name: str, default: Any = None) -> Any:
        return self.equation.params.get(name, default)

    @property
    def operands(self) -> list[Value]:
        return [self.read(atom) for atom in self.equation.invars]

    def read(self, atom: Any) -> Value:
        """The value of a variable, or of a literal number."""
        if hasattr(atom, "val"):
            array = np.asarray(atom.val)
            declared = self.tensor(atom.aval)
            if declared.dtype is not None and array.dtype != declared.dtype.numpy:
                array = array.astype(declared.dtype.numpy)
            return self.builder.constant(str(atom.val) if array.ndim == 0 else "literal", array)
        return self.env[atom]

    def tensor(self, aval: Any) -> Tensor:
        """What an abstract value says; keys of random numbers have no element type here."""
        shape = getattr(aval, "shape", None)
        if shape is None:
            return unknown("token")
        try:
            dtype: DType | None = dtypes.of(np.dtype(aval.dtype))
        except (TypeError, KeyError):
            dtype = None
        return Tensor(dtype, tuple(self.dim(size) for size in shape))

    def dim(self, size: Any) -> Dim:
        return int(size) if isinstance(size, int | np.integer) else self.sizes.read(str(size).replace("^", "**"))

    def declared(self, index: int = 0) -> Tensor:
        return self.tensor(self.equation.outvars[index].aval)

    def dims(self, value: Value) -> Dims:
        return value.declared.dims

    # New values.

    def out(self, index: int = 0) -> Value:
        """A new value for a result of the equation."""
        many = len(self.equation.outvars) > 1
        return self.builder.value(f"{self.name}:{index}" if many else self.name, self.declared(index))

    def results(self, op: str, *inputs: Value | None, **attributes: Any) -> list[Value]:
        """The operator that yields all results of the equation."""
        outputs = [self.out(index) for index in range(len(self.equation.outvars))]
        self.node(op, inputs, outputs, attributes)
        return outputs

    def number(self, number: Any, dtype: DType = dtypes.i64) -> Value:
        """A constant without dims."""
        return self.builder.constant(f"{self.name}.{number}", np.asarray(number).astype(dtype.numpy))

    def shape(self, sizes: Sequence[Any]) -> Value:
        """A list of sizes of which some are symbolic, and computed from the shapes of inputs."""
        dims = [self.dim(size) for size in sizes]
        if all(isinstance(dim, int) for dim in dims):
            return self.vector([dim for dim in dims if isinstance(dim, int)])
        return self.add("stack", *(self.size(dim) for dim in dims), axis=0, like=Tensor(dtypes.i64, (len(dims),)))

    def size(self, dim: Dim) -> Value:
        """A size as a scalar of i64."""
        if isinstance(dim, int):
            return self.number(dim)
        total: Value | None = None
        for monomial, count in dim.terms:
            term: Value | None = None if monomial and count == 1 else self.number(count)
            for atom in monomial:
                factor = self._atom(atom)
                term = factor if term is None else self._scalar("mul", term, factor)
            if term is not None:
                total = term if total is None else self._scalar("add", total, term)
        if total is None:
            raise Unlowered("an empty size")
        return total

    def _atom(self, atom: Atom) -> Value:
        if isinstance(atom, Apply):
            op = {"//": "floor_div", "%": "remainder", "max": "max", "min": "min"}[atom.function]
            return self._scalar(op, self.size(atom.left), self.size(atom.right))
        if atom.name not in self.origins.by_symbol:
            raise Unlowered(f"{atom.name} is in no input's shape")
        value, axis = self.origins.by_symbol[atom.name]
        return self._scalar("dim", value, axis=axis)

    def _scalar(self, op: str, *inputs: Value, **attributes: Any) -> Value:
        return self.add(op, *inputs, like=Tensor(dtypes.i64, ()), **attributes)

    def inline(self, jaxpr: Any, operands: Sequence[Value]) -> list[Value]:
        """The equations of a jaxpr in place of the equation at hand."""
        return self.lower_jaxpr(self, jaxpr, operands)


def remember(origins: Origins, value: Value) -> None:
    """Note the symbols that stand alone as a dim of a value."""
    if not value.declared.ranked:
        return
    for axis, dim in enumerate(value.declared.dims):
        if isinstance(dim, Expr) and len(dim.terms) == 1:
            (monomial, count) = dim.terms[0]
            if count == 1 and len(monomial) == 1 and not isinstance(monomial[0], Apply):
                origins.by_symbol.setdefault(monomial[0].name, (value, axis))
