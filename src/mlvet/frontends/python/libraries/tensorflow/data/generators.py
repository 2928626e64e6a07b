"""Data sets of Python generators: elements are what is declared of them, or what the generator yields."""

from __future__ import annotations

from typing import Any

from mlvet.domains.dims import symbol
from mlvet.frontends.python.active import machine
from mlvet.frontends.python.libraries.binding import as_items
from mlvet.frontends.python.libraries.element_types import dtype_named
from mlvet.frontends.python.libraries.tensorflow.data.dataset import Dataset, dataset
from mlvet.frontends.python.libraries.tensorflow.shapes import TensorShape, partial_sizes
from mlvet.frontends.python.libraries.tensorflow.structures import TensorSpec, as_elements, mapped, of_shape
from mlvet.frontends.python.libraries.tensorflow.tensor import Tensor, convert, op_of
from mlvet.frontends.python.values.containers import DictValue, ListValue, Repeated
from mlvet.frontends.python.values.tensors import dims_of, dtype_of
from mlvet.frontends.python.values.unknown import Undecided, Unknown


def generated(generator: Any, types: Any, shapes: Any, args: Any, signature: Any) -> Dataset:
    """The data set of a generator."""
    count = symbol(machine().fresh("elements"))
    if signature is not None:
        return dataset(of_signature(signature), count)
    if shapes is not None:
        return dataset(typed_elements(types, shapes), count)
    given = () if args is None else tuple(convert(each) for each in as_items(args))
    made = first_of(machine().call(generator, *given))
    if isinstance(made, Unknown):
        return dataset(typed_elements(types, None), count)
    return dataset(_retyped(as_elements(made), types), count)


def of_signature(signature: Any) -> Any:
    """Tensors as a structure of specifications promises them."""
    found = mapped(lambda each: each.tensor() if isinstance(each, TensorSpec) else each, signature)
    return found.items if isinstance(found, ListValue) and isinstance(found.items, tuple) else found


def typed_elements(types: Any, shapes: Any) -> Any:
    """Tensors of these element types, and of these shapes if there are any."""
    if isinstance(types, DictValue):
        inner = shapes.cells if isinstance(shapes, DictValue) else {}
        return DictValue({key: typed_elements(each, inner.get(key)) for key, each in types.cells.items()})
    if isinstance(types, tuple | ListValue):
        kinds = as_items(types)
        parts = as_items(shapes) if isinstance(shapes, tuple | ListValue) else (None,) * len(kinds)
        return tuple(typed_elements(kind, part) for kind, part in zip(kinds, parts, strict=False))
    sizes = shapes.sizes if isinstance(shapes, TensorShape) else partial_sizes(shapes)
    return of_shape("element", dtype_named(types), sizes)


def first_of(value: Any) -> Any:
    """What one step of a loop over a value yields."""
    try:
        items = machine().items(value)
    except Undecided as error:
        return error.unknown
    if isinstance(items, Repeated):
        return items.element
    return items[0] if items else None


def _retyped(made: Any, types: Any) -> Any:
    """Elements cast to the types that the program declares; the shapes may differ from one element to the next."""
    if isinstance(types, tuple | ListValue) and isinstance(made, tuple):
        return tuple(_retyped(each, kind) for each, kind in zip(made, as_items(types), strict=False))
    if isinstance(types, DictValue) and isinstance(made, DictValue):
        return DictValue({key: _retyped(each, types.cells.get(key)) for key, each in made.cells.items()})
    wanted = dtype_named(types) if types is not None else None
    if not isinstance(made, Tensor):
        return made
    if wanted is None or dtype_of(made) is wanted or dims_of(made) is None:
        return made
    return op_of("cast", made, to=wanted)
