"""One batch of the data that a model is trained on, whatever holds them."""

from __future__ import annotations

from typing import Any

from mlvet.domains.dims import Dim, Expr, equal, maximum, symbol, symbols
from mlvet.domains.tensors import Tensor as Known
from mlvet.frontends.python.active import machine
from mlvet.frontends.python.emission import demand, opaque
from mlvet.frontends.python.libraries.keras.inputs import any_batch
from mlvet.frontends.python.libraries.keras.layer import inside
from mlvet.frontends.python.libraries.keras.tensor import KerasTensor, array
from mlvet.frontends.python.values.containers import DictValue, IteratorValue, ListValue, Repeated
from mlvet.frontends.python.values.objects import Object
from mlvet.frontends.python.values.tensors import TensorValue, dims_of, dtype_of
from mlvet.frontends.python.values.unknown import Reason, Undecided, Unknown


def one_batch(x: Any, y: Any = None, weight: Any = None, *, alone: bool = False) -> Any:
    """A batch as `train_step` gets it. `alone` says that `x` are examples only, as in `predict`."""
    if is_loader(x):
        return first_item(x)
    parts: list[Any] = [batch_of(each) for each in ((x,) if alone else (x, y, weight))]
    while len(parts) > 1 and parts[-1] is None:
        parts.pop()
    plain = len(parts) == 1 and not isinstance(parts[0], tuple | ListValue)
    return parts[0] if plain else tuple(parts)


def batches_of(x: Any, size: Any) -> None:
    """Note how many rows a batch of arrays has at most; the largest of all fits counts."""
    here = machine()
    (named,) = symbols(any_batch())
    before = here.largest.get(named.name)
    if isinstance(size, int | Expr):
        here.largest[named.name] = size if before is None else maximum(before, size)
        if not is_loader(x) and isinstance(size, int) and isinstance(rows := count_of(x), int):
            here.full[named.name] = maximum(here.full.get(named.name, 1), min(size, rows))
            here.end_with(named.name, size, rows)


def is_loader(x: Any) -> bool:
    """Whether it yields batches itself: a dataset, a generator, a loader."""
    if isinstance(x, IteratorValue):
        return True
    return isinstance(x, Object) and not isinstance(x, TensorValue) and not hasattr(x, "as_tensor")


def first_item(x: Any) -> Any:
    items = machine().items(x)
    if isinstance(items, Repeated):
        return items.element
    if not items:
        raise Undecided(Reason.DYNAMIC_CONTAINER, "no batches")
    return items[0]


def batch_of(value: Any) -> Any:
    """So many rows of arrays; the structure stays, but that lists become tuples."""
    if isinstance(value, ListValue) and isinstance(value.items, tuple) and _holds_arrays(value):
        return tuple(batch_of(each) for each in value.items)
    if isinstance(value, tuple) and _holds_arrays(value):
        return tuple(batch_of(each) for each in value)
    if isinstance(value, DictValue):
        return DictValue({key: batch_of(each) for key, each in value.cells.items()}, value.rest)
    if value is None or isinstance(value, Unknown):
        return value
    rows = array(value)
    dims = dims_of(rows)
    if dims is None or not dims:
        return rows
    kind = type(rows) if not isinstance(rows, KerasTensor) else KerasTensor
    return opaque("batch", [rows], Known(dtype_of(rows), (any_batch(), *dims[1:])), kind)


def unpacked(data: Any) -> tuple[Any, Any, Any]:
    """Examples, labels and weights of a batch, as `unpack_x_y_sample_weight` takes them apart."""
    if isinstance(data, tuple):
        padded = (*data, None, None, None)
        return padded[0], padded[1], padded[2]
    if isinstance(data, ListValue) and isinstance(data.items, tuple) and 1 < len(data.items) <= 3:
        padded = (*data.items, None, None, None)
        return padded[0], padded[1], padded[2]
    return data, None, None


def count_of(x: Any) -> Dim:
    """The number of examples, by which the rows of a prediction are counted."""
    if not is_loader(x):
        for each in inside(x):
            dims = dims_of(each) if isinstance(each, TensorValue) else None
            if dims:
                return dims[0]
    return symbol(machine().fresh("samples"))


def same_length(x: Any, y: Any) -> None:
    """Examples and labels must be as many."""
    if is_loader(x) or y is None:
        return
    counts = [
        dims[0] for side in (x, y) for each in inside(side) if isinstance(each, TensorValue) and (dims := dims_of(each))
    ]
    for other in counts[1:]:
        if equal(counts[0], other) is False:
            demand(False, f"x and y must have as many rows, but have {counts[0]} and {other}", "dims-differ")
            return


def _holds_arrays(value: Any) -> bool:
    return any(isinstance(each, TensorValue) or hasattr(each, "as_tensor") for each in inside(value))
