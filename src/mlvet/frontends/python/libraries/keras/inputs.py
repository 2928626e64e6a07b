"""keras.Input: the tensors that a functional model is made of."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from mlvet.domains.dims import Dim, Expr, symbol, symbols
from mlvet.domains.dtypes import DType
from mlvet.domains.tensors import Tensor as Known
from mlvet.frontends.python.active import machine, store
from mlvet.frontends.python.emission import source
from mlvet.frontends.python.libraries.binding import as_items, as_size
from mlvet.frontends.python.libraries.keras.held import held
from mlvet.frontends.python.libraries.keras.layer import Layer, label
from mlvet.frontends.python.libraries.keras.settings import floats, put, setting
from mlvet.frontends.python.libraries.keras.tensor import KerasTensor
from mlvet.frontends.python.libraries.registry import model
from mlvet.frontends.python.values.choices import Choice
from mlvet.frontends.python.values.unknown import Undecided, Unknown
from mlvet.ir.graph import Value

OPEN = {
    1: ("features",),
    2: ("length", "features"),
    3: ("height", "width", "channels"),
    4: ("depth", "height", "width"),
}
"""What sizes that an input leaves open are called, by the number of dims besides the batch."""


def any_batch() -> Expr:
    """The size of a batch, the same for all inputs of the program's models."""
    return symbol("batch")


def opened(name: str) -> Expr:
    """A size that an input leaves open, which the shapes of symbolic tensors tell as None."""
    before = setting("open", frozenset())
    ways = [value for _, value in before.alternatives] if isinstance(before, Choice) else [before]
    put("open", frozenset((name,)).union(*(way for way in ways if isinstance(way, frozenset))))
    return symbol(name)


def is_open(size: Dim) -> bool:
    """Whether a size hangs on one that an input leaves open."""
    before = setting("open", frozenset())
    return isinstance(before, frozenset) and any(each.name in before for each in symbols(size))


def sizes_of(shape: Any, name: str = "") -> tuple[Dim, ...]:
    """The sizes of one example; what is left open is a symbol."""
    if isinstance(shape, Unknown):
        raise Undecided(shape)
    items = (shape,) if isinstance(shape, int | Expr) else as_items(shape)
    words = ("length",) if len(items) == 1 else OPEN.get(len(items), ())
    made: list[Dim] = []
    for place, each in enumerate(items):
        word = words[place] if place < len(words) else name or "n"
        made.append(opened(machine().fresh(word)) if each is None else as_size(each, word))
    return tuple(made)


@model("keras.Input", "keras.layers.Input")
def Input(
    shape: Any = None, batch_size: Any = None, dtype: DType | None = None, sparse: bool | None = None,
    ragged: bool | None = None, batch_shape: Any = None, name: Any = None, tensor: Any = None, optional: bool = False,
    **kwargs: Any,
) -> Any:  # fmt: skip
    del sparse, ragged, optional, kwargs
    if isinstance(tensor, KerasTensor):
        return tensor
    return placeholder_of(shape, batch_shape, batch_size, dtype or floats(), name)


def placeholder_of(shape: Any, batch_shape: Any, batch: Any, dtype: DType, name: Any) -> KerasTensor:
    """A symbolic tensor; its batch is one size with those of all others unless it is given."""
    text = name if isinstance(name, str) else machine().fresh("input")
    if batch_shape is not None:
        first, *rest = as_items(batch_shape)
        shape, batch = tuple(rest), first
    wanted = opened("batch") if batch is None else as_size(batch, "batch")
    made = source(text, Known(dtype, (wanted, *sizes_of(shape if shape is not None else (), text))), KerasTensor)
    store(made.cells, "name", text)
    store(made.cells, "@placeholder", True)
    store(machine().constants, ("keras", "placeholder", made.graph_value), text)
    return made


def unlisted(inputs: Iterable[Value], outputs: Iterable[Value]) -> list[Value]:
    """The inputs that outputs are made of and that are not among those of the model."""
    known: dict[Any, Any] = machine().constants
    makers = {value: node for node in machine().builder._nodes for value in node.outputs}
    seen, pending, found = set(inputs), list(outputs), []
    while pending:
        value = pending.pop()
        if value in seen:
            continue
        seen.add(value)
        if ("keras", "placeholder", value) in known:
            found.append(value)
        elif (maker := makers.get(value)) is not None and maker.op != "sizes":
            pending += [each for each in maker.inputs if each is not None]
    return found


@model("keras.layers.InputLayer")
class InputLayer(Layer):
    """The layer at the start of a model."""

    def __init__(
        self, shape: Any = None, batch_size: Any = None, dtype: DType | None = None, sparse: Any = None,
        ragged: Any = None, batch_shape: Any = None, input_tensor: Any = None, optional: Any = False, name: Any = None,
        **kwargs: Any,
    ) -> None:  # fmt: skip
        del sparse, ragged, optional
        super().__init__(name=name)
        shape = kwargs.get("input_shape", shape)
        made = input_tensor
        if made is None:
            made = placeholder_of(shape, batch_shape, batch_size, dtype or floats(), label(self))
        store(self.cells, "@tensor", made)

    def call(self, inputs: Any = None) -> Any:
        return inputs

    @property
    def output(self) -> Any:
        return held(self)["@tensor"]
