"""Functions of `keras.ops` that take functions of the program."""

from __future__ import annotations

from typing import Any

from mlvet.domains.dims import Dim, symbol
from mlvet.domains.tensors import Tensor as Known
from mlvet.frontends.python.active import machine
from mlvet.frontends.python.emission import opaque
from mlvet.frontends.python.libraries.binding import as_items, as_size
from mlvet.frontends.python.libraries.keras.layer import inside
from mlvet.frontends.python.libraries.registry import model
from mlvet.frontends.python.values.containers import DictValue, ListValue
from mlvet.frontends.python.values.tensors import TensorValue, dims_of, dtype_of
from mlvet.frontends.python.values.unknown import Unknown


def mapped(value: Any, change: Any) -> Any:
    """A structure with each tensor in it changed."""
    if isinstance(value, TensorValue):
        return change(value)
    if isinstance(value, ListValue) and isinstance(value.items, tuple):
        return ListValue([mapped(each, change) for each in value.items])
    if isinstance(value, tuple):
        return tuple(mapped(each, change) for each in value)
    if isinstance(value, DictValue):
        return DictValue({key: mapped(each, change) for key, each in value.cells.items()})
    return value


def one_of(xs: Any) -> Any:
    """One element of each tensor along the first axis."""
    return mapped(xs, lambda x: x[0])


def stacked(result: Any, length: Dim) -> Any:
    """What results like this one are together, along a new first axis."""

    def grown(x: TensorValue) -> Any:
        dims = dims_of(x)
        if dims is None:
            return x
        return opaque("ops.map", [x], Known(dtype_of(x), (length, *dims)), type(x))

    return mapped(result, grown)


def length_of(xs: Any) -> Dim:
    for each in inside(xs):
        dims = dims_of(each) if isinstance(each, TensorValue) else None
        if dims:
            return dims[0]
    return symbol(machine().fresh("n"))


@model("keras.ops.map")
def map_(f: Any, xs: Any) -> Any:
    return stacked(machine().call(f, one_of(xs)), length_of(xs))


@model("keras.ops.vectorized_map")
def vectorized_map(function: Any, elements: Any) -> Any:
    return map_(function, elements)


@model("keras.ops.scan")
def scan(f: Any, init: Any, xs: Any = None, length: Any = None, reverse: Any = False, unroll: Any = 1) -> Any:
    result = machine().call(f, init, one_of(xs))
    if isinstance(result, tuple) and len(result) == 2:
        count = length_of(xs) if xs is not None else as_size(length, "steps")
        return result[0], stacked(result[1], count)
    return result


@model("keras.ops.associative_scan")
def associative_scan(f: Any, elems: Any, reverse: Any = False, axis: Any = 0) -> Any:
    return elems


@model("keras.ops.cond")
def cond(pred: Any, true_fn: Any, false_fn: Any) -> Any:
    one = machine().call(true_fn)
    other = machine().call(false_fn)
    return other if isinstance(one, Unknown) else one


@model("keras.ops.switch")
def switch(index: Any, branches: Any, *operands: Any) -> Any:
    results = [machine().call(each, *operands) for each in as_items(branches)]
    return results[0]


@model("keras.ops.while_loop")
def while_loop(cond: Any, body: Any, loop_vars: Any, maximum_iterations: Any = None) -> Any:
    given = as_items(loop_vars) if isinstance(loop_vars, tuple | ListValue) else (loop_vars,)
    machine().call(cond, *given)
    result = machine().call(body, *given)
    return result if result is not None else loop_vars


@model("keras.ops.fori_loop")
def fori_loop(lower: Any, upper: Any, body_fun: Any, init_val: Any) -> Any:
    result = machine().call(body_fun, symbol(machine().fresh("i")), init_val)
    return init_val if isinstance(result, Unknown) else result


@model("keras.ops.custom_gradient")
def custom_gradient(f: Any) -> Any:
    return f


@model("keras.ops.vectorize", "keras.ops.numpy.vectorize")
def vectorize(pyfunc: Any, *, excluded: Any = None, signature: Any = None) -> Any:
    return pyfunc


@model("keras.ops.select", "keras.ops.numpy.select")
def select(condlist: Any, choicelist: Any, default: Any = 0) -> Any:
    from mlvet.frontends.python.libraries.keras.activations import alike
    from mlvet.frontends.python.libraries.keras.promotion import alike_typed

    return alike("ops.select", alike_typed(as_items(choicelist))[0])
