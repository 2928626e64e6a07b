"""Layers that join several tensors into one."""

from __future__ import annotations

from typing import Any

from mlvet.domains.dims import equal
from mlvet.frontends.python.emission import demand, emit
from mlvet.frontends.python.libraries.binding import Items, Tensor, as_items
from mlvet.frontends.python.libraries.keras.held import held
from mlvet.frontends.python.libraries.keras.layer import Layer, label
from mlvet.frontends.python.libraries.keras.tensor import array, combined
from mlvet.frontends.python.libraries.registry import model
from mlvet.frontends.python.values.tensors import dims_of, rank_of, tensor_of
from mlvet.frontends.python.values.unknown import Reason, Undecided


def aligned(inputs: Any) -> list[Any]:
    """The operands with as many dims as the largest has; new ones go after the batch."""
    tensors = [array(each) for each in as_items(inputs)]
    ranks = [rank_of(each) for each in tensors]
    known = [rank for rank in ranks if rank is not None]
    if len(known) < len(ranks) or len(set(known)) == 1:
        return tensors
    most = max(known)
    made = []
    for each, rank in zip(tensors, known, strict=True):
        made.append(emit("unsqueeze", each, tuple(range(1, 1 + most - rank))) if rank < most else each)
    return made


class Merge(Layer):
    """An operator on all operands, one after the other."""

    OP = "add"
    COUNT: int | None = None

    def build(self, input_shape: Any) -> None:
        self.built = True

    def call(self, inputs: Any) -> Tensor:
        first, *others = self._operands(inputs)
        for other in others:
            first = combined(self.OP, first, other)
        return first

    def _operands(self, inputs: Any) -> list[Any]:
        found = aligned(inputs)
        enough = len(found) == self.COUNT if self.COUNT else len(found) > 0
        demand(enough, f"`{label(self)}` is called on {len(found)} tensors")
        if not found:
            raise Undecided(Reason.EXCEPTION, "no tensors")
        return found


@model("keras.layers.Add")
class Add(Merge):
    OP = "add"


@model("keras.layers.Subtract")
class Subtract(Merge):
    OP = "sub"
    COUNT = 2


@model("keras.layers.Multiply")
class Multiply(Merge):
    OP = "mul"


@model("keras.layers.Maximum")
class Maximum(Merge):
    OP = "max"


@model("keras.layers.Minimum")
class Minimum(Merge):
    OP = "min"


@model("keras.layers.Average")
class Average(Merge):
    def call(self, inputs: Any) -> Tensor:
        first, *others = self._operands(inputs)
        for other in others:
            first = combined("add", first, other)
        return combined("div", first, 1 + len(others))


@model("keras.layers.Concatenate")
class Concatenate(Layer):
    def __init__(self, axis: int = -1, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.axis = axis
        self.built = True

    def call(self, inputs: Any) -> Tensor:
        return joined(as_items(inputs), held(self)["axis"])


def joined(inputs: Any, axis: Any) -> Any:
    """Tensors one after the other, in one element type."""
    from mlvet.frontends.python.libraries.keras.promotion import alike_typed

    if not inputs:
        demand(False, "there is nothing to concatenate")
        raise Undecided(Reason.EXCEPTION, "no tensors")
    return emit("concat", *alike_typed(inputs), axis=axis if isinstance(axis, int) else -1)


@model("keras.layers.Dot")
class Dot(Layer):
    def __init__(self, axes: Any, normalize: bool = False, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.axes = axes
        self.normalize = normalize
        self.built = True

    def call(self, inputs: Any) -> Tensor:
        left, right = (array(each) for each in as_items(inputs))
        return contracted(left, right, held(self)["axes"], held(self)["normalize"])


def contracted(left: Any, right: Any, axes: Any, normalize: bool = False) -> Any:
    """The product of two batches summed along an axis of each; two vectors give one number, in a dim of its own."""
    first, second = dims_of(left), dims_of(right)
    if first is None or second is None:
        raise Undecided(Reason.UNMODELLED_ARGUMENTS, "tensors of unknown rank")
    pair = (axes, axes) if isinstance(axes, int) else as_items(axes)
    if len(pair) != 2 or not all(isinstance(axis, int) for axis in pair):
        raise Undecided(Reason.UNMODELLED_ARGUMENTS, "axes")
    if not (-len(first) <= pair[0] < len(first) and -len(second) <= pair[1] < len(second)):
        demand(False, f"axes {pair} are out of range for {tensor_of(left)} and {tensor_of(right)}", "axis-out-of-range")
        raise Undecided(Reason.EXCEPTION, "axes out of range")
    at = pair[0] % len(first), pair[1] % len(second)
    demand(
        equal(first[at[0]], second[at[1]]) is not False,
        f"axes {pair} of {tensor_of(left)} and {tensor_of(right)} differ: {first[at[0]]} and {second[at[1]]}",
        "dims-differ",
    )
    if normalize:
        left, right = (
            emit("lp_normalization", each, axis=axis, p=2) for each, axis in zip((left, right), at, strict=True)
        )
    letters = iter("abcdefghijklmnopqrstuvwxy")
    one = ["z", *(next(letters) for _ in first[1:])]
    other = ["z", *(next(letters) for _ in second[1:])]
    other[at[1]] = one[at[0]]
    result = [letter for place, letter in enumerate(one) if place != at[0]]
    result += [letter for place, letter in enumerate(other) if place not in (0, at[1])]
    made = emit("einsum", left, right, equation=f"{''.join(one)},{''.join(other)}->{''.join(result)}")
    return emit("unsqueeze", made, (1,)) if len(result) == 1 else made


def _function(name: str, kind: type[Layer]) -> None:
    def function(inputs: Items, **kwargs: Any) -> Tensor:
        return kind(**kwargs)(inputs)

    function.__name__ = name
    model(f"keras.layers.{name}")(function)


for _kind in (Add, Subtract, Multiply, Maximum, Minimum, Average):
    _function(_kind.__name__.lower(), _kind)


@model("keras.layers.concatenate")
def concatenate(inputs: Items, axis: int = -1, **kwargs: Any) -> Tensor:
    return Concatenate(axis, **kwargs)(inputs)


@model("keras.layers.dot")
def dot(inputs: Items, axes: Any = -1, **kwargs: Any) -> Tensor:
    return Dot(axes, **kwargs)(inputs)
