"""Functions that take functions: compilation, conditions, loops, and Python code inside graphs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from mlvet.domains import dtypes
from mlvet.domains.dims import Dim, equal, symbol
from mlvet.frontends.python.active import machine, store
from mlvet.frontends.python.emission import demand
from mlvet.frontends.python.libraries.binding import as_items, as_size
from mlvet.frontends.python.libraries.element_types import dtype_named
from mlvet.frontends.python.libraries.registry import model
from mlvet.frontends.python.libraries.tensorflow.arguments import cast_to, chosen
from mlvet.frontends.python.libraries.tensorflow.structures import (
    TensorSpec,
    as_elements,
    first_dim,
    grown,
    joined,
    leaves,
    mapped,
    of_shape,
    row_of,
)  # fmt: skip
from mlvet.frontends.python.libraries.tensorflow.tensor import Tensor, convert, numpy_array, typed
from mlvet.frontends.python.values.containers import DictValue, ListValue
from mlvet.frontends.python.values.objects import FunctionValue, Object
from mlvet.frontends.python.values.tensors import TensorValue, dims_of, dtype_of, tensor_of
from mlvet.frontends.python.values.unknown import Reason, Undecided, Unknown


@model("tensorflow.function", "tensorflow.contrib.eager.defun", "tensorflow.contrib.eager.function")
def function(func: Any = None, input_signature: Any = None, *rest: Any, **keywords: Any) -> Any:
    """A function of the program stays what it is; that it is compiled is remembered."""
    del rest, keywords
    if func is None:

        def decorate(function: Any) -> Any:
            return _compiled(function, input_signature)

        return decorate
    return _compiled(func, input_signature)


def _compiled(function: Any, signature: Any) -> Any:
    if isinstance(function, FunctionValue):
        store(function.cells, "@compiled", True)
        store(function.cells, "@before", lambda args: _demand_signature(signature, args))
        store(function.cells, "python_function", function)
        store(function.cells, "get_concrete_function", _constantly(function))
    return function


def _demand_signature(signature: Any, args: Sequence[Any]) -> None:
    """Arguments must be of the shapes that `input_signature` tells; a method's first one is left out there."""
    told = signature.items if isinstance(signature, ListValue) else signature
    if not isinstance(told, tuple):
        return
    given = args[1:] if len(args) == len(told) + 1 else args
    for spec, value in zip(told, given, strict=False):
        wanted = spec.shape.sizes if isinstance(spec, TensorSpec) else None
        found = dims_of(value) if isinstance(value, TensorValue) else None
        if wanted is not None and found is not None:
            what = f"the input_signature asks for [{', '.join(map(str, wanted))}], but gets {tensor_of(value)}"
            fits = len(wanted) == len(found) and all(
                not isinstance(one, int) or equal(one, other) is not False
                for one, other in zip(wanted, found, strict=True)
            )
            demand(fits, what, "dims-differ", [value])


def _constantly(value: Any) -> Any:
    def function(*args: Any, **keywords: Any) -> Any:
        del args, keywords
        return value

    return function


@model("tensorflow.autograph.experimental.do_not_convert", "tensorflow.custom_gradient", "tensorflow.no_gradient")
@model("tensorflow.recompute_grad", "tensorflow.autograph.to_graph")
def unchanged(func: Any = None, *rest: Any, **keywords: Any) -> Any:
    """Decorators that leave what a function computes as it is."""
    del rest, keywords
    if func is None:
        return lambda function: function
    return func


@model("tensorflow.cond")
def cond(pred: Any, true_fn: Any = None, false_fn: Any = None, name: Any = None, **old: Any) -> Any:
    del name
    first, second = chosen(true_fn, old.get("fn1")), chosen(false_fn, old.get("fn2"))
    known = truth_of(pred)
    if known is not None:
        return as_elements(machine().call(first if known else second))
    return joined(pred, machine().call(first), machine().call(second))


@model("tensorflow.__internal__.smart_cond.smart_cond")
def smart_cond(pred: Any, true_fn: Any = None, false_fn: Any = None, name: Any = None) -> Any:
    return cond(pred, true_fn, false_fn, name)


def truth_of(pred: Any) -> bool | None:
    """What a condition is, None if data decides."""
    if isinstance(pred, TensorValue):
        value = tensor_of(pred).value
        return bool(value.reshape(-1)[0]) if value is not None and value.size == 1 and value.dtype != object else None
    return pred if isinstance(pred, bool) else None


@model("tensorflow.case")
def case(pred_fn_pairs: Any, default: Any = None, *rest: Any, **keywords: Any) -> Any:
    del rest, keywords
    pairs = pred_fn_pairs.cells.items() if isinstance(pred_fn_pairs, DictValue) else as_items(pred_fn_pairs)
    results = [machine().call(as_items(pair)[1]) for pair in pairs]
    if default is not None:
        results.append(machine().call(default))
    return _any_of(results)


@model("tensorflow.switch_case")
def switch_case(branch_index: Any, branch_fns: Any, default: Any = None, name: Any = "switch_case") -> Any:
    del branch_index, name
    functions = list(branch_fns.cells.values()) if isinstance(branch_fns, DictValue) else list(as_items(branch_fns))
    functions = [each[1] if isinstance(each, tuple) else each for each in functions]
    return _any_of([machine().call(each) for each in [*functions, *([default] if default is not None else [])]])


def _any_of(results: list[Any]) -> Any:
    found = results[0]
    for each in results[1:]:
        found = joined(None, found, each)
    return found


@model("tensorflow.while_loop")
def while_loop(cond: Any, body: Any, loop_vars: Any, shape_invariants: Any = None, *rest: Any, **keywords: Any) -> Any:
    """The body is followed once; sizes that it changes become symbols."""
    del rest, keywords
    start = as_elements(loop_vars) if isinstance(loop_vars, tuple) else mapped(as_elements, loop_vars)
    given = as_items(start) if isinstance(start, tuple | ListValue) else (start,)
    machine().call(cond, *given)
    made = machine().call(body, *given)
    after = tuple(as_items(made)) if isinstance(made, tuple | ListValue) else (made,)
    if shape_invariants is None and machine().generations:
        for before, later in zip(given, after, strict=False):
            _demand_invariant(before, later)
    found = tuple(joined(None, a, b) for a, b in zip(given, after, strict=False))
    if isinstance(loop_vars, ListValue):
        return ListValue(found)
    return found if isinstance(loop_vars, tuple) else found[0]


def _demand_invariant(before: Any, after: Any) -> None:
    """In a graph a variable of a loop keeps its shape, unless the program says by shape_invariants which sizes vary."""
    if isinstance(before, TensorValue) and isinstance(after, TensorValue):
        start, end = dims_of(before), dims_of(after)
        if start is not None and end is not None:
            what = f"a variable enters the loop as {tensor_of(before)}, but is {tensor_of(after)} after one iteration"
            fits = len(start) == len(end) and all(equal(a, b) is not False for a, b in zip(start, end, strict=True))
            demand(fits, what, "dims-differ", [before, after])


@model("tensorflow.map_fn")
def map_fn(fn: Any, elems: Any, dtype: Any = None, *rest: Any, **keywords: Any) -> Any:
    del rest
    given = mapped(as_elements, elems)
    length = first_dim(given)
    made = mapped(as_elements, machine().call(fn, mapped(row_of, given)))
    if isinstance(made, Unknown):
        return _declared(chosen(keywords.get("fn_output_signature"), dtype), made)
    return mapped(lambda each: grown(each, length if length is not None else _steps(), "map_fn"), made)


@model("tensorflow.vectorized_map")
def vectorized_map(fn: Any, elems: Any, fallback_to_while_loop: Any = True, warn: Any = True) -> Any:
    del fallback_to_while_loop, warn
    return map_fn(fn, elems)


def _steps() -> Dim:
    return symbol(machine().fresh("steps"))


def _declared(types: Any, otherwise: Any) -> Any:
    """Tensors of which the program tells the element type alone."""
    if types is None:
        return otherwise
    if isinstance(types, tuple):
        return tuple(_declared(each, otherwise) for each in types)
    if isinstance(types, ListValue) and isinstance(types.items, tuple):
        return ListValue(_declared(each, otherwise) for each in types.items)
    found = dtype_named(types)
    return of_shape("result", found, None) if found is not None else otherwise


@model("tensorflow.scan")
def scan(fn: Any, elems: Any, initializer: Any = None, *rest: Any, **keywords: Any) -> Any:
    del rest, keywords
    given = mapped(as_elements, elems)
    length = first_dim(given)
    row = mapped(row_of, given)
    state = row if initializer is None else as_elements(initializer)
    made = as_elements(machine().call(fn, state, row))
    return mapped(lambda each: grown(each, length if length is not None else _steps(), "scan"), made)


@model("tensorflow.foldl", "tensorflow.foldr")
def foldl(fn: Any, elems: Any, initializer: Any = None, *rest: Any, **keywords: Any) -> Any:
    del rest, keywords
    row = mapped(row_of, mapped(as_elements, elems))
    state = row if initializer is None else as_elements(initializer)
    return joined(None, state, as_elements(machine().call(fn, state, row)))


@model("tensorflow.py_function")
def py_function(func: Any = None, inp: Any = None, Tout: Any = None, name: Any = None) -> Any:
    del name
    return _from_python(machine().call(func, *(convert(each) for each in as_items(inp))), Tout)


@model("tensorflow.numpy_function", "tensorflow.compat.v1.py_func")
def numpy_function(func: Any = None, inp: Any = None, Tout: Any = None, stateful: Any = True, name: Any = None) -> Any:
    del stateful, name
    return _from_python(machine().call(func, *(numpy_array(convert(each)) for each in as_items(inp))), Tout)


def _from_python(made: Any, types: Any) -> Any:
    """What Python code gives back, in the element types that the program declares."""
    several = isinstance(types, tuple | ListValue)
    kinds = as_items(types) if several else (types,)
    parts = list(as_items(made)) if several and isinstance(made, tuple | ListValue) else [made]
    found = []
    for position, kind in enumerate(kinds):
        dtype = dtype_named(kind)
        part = parts[position] if position < len(parts) else None
        try:
            result = None if part is None or isinstance(part, Unknown) else convert(part)
        except Undecided:
            result = None
        found.append(of_shape("py_function", dtype, None) if result is None else cast_to(result, dtype))
    return ListValue(found) if several else found[0]


@model("tensorflow.TensorArray")
class TensorArray(Object):
    """Tensors of one shape written one by one; the first that is written stands for all."""

    def __init__(
        self,
        dtype: Any = None,
        size: Any = None,
        dynamic_size: Any = None,
        clear_after_read: Any = None,
        tensor_array_name: Any = None,
        handle: Any = None,
        flow: Any = None,
        infer_shape: Any = True,
        element_shape: Any = None,
        *rest: Any,
        **keywords: Any,
    ) -> None:
        from mlvet.frontends.python.libraries.tensorflow.shapes import partial_sizes

        del clear_after_read, tensor_array_name, handle, flow, infer_shape, rest, keywords
        self.dtype = dtype_named(dtype)
        self.count = _steps() if dynamic_size is True or size is None else as_size(size, "size")
        sizes = partial_sizes(element_shape)
        self.element = None if sizes is None else typed("TensorArray", [], self.dtype, *sizes)

    def write(self, index: Any, value: Any, name: Any = None) -> Any:
        del index, name
        made = convert(value, hint=self.dtype)
        self.element = made if self.element is None else joined(None, self.element, made)
        return self

    def unstack(self, value: Any, name: Any = None) -> Any:
        del name
        made = convert(value)
        self.element = row_of(made)
        self.count = first_dim(made) or self.count
        return self

    scatter = write

    def _known(self) -> Tensor:
        if not isinstance(self.element, Tensor):
            raise Undecided(Reason.LOOP_VARYING, "a TensorArray that nothing was written to")
        return self.element

    def read(self, index: Any, name: Any = None) -> Tensor:
        del index, name
        return self._known()

    def stack(self, name: Any = None) -> Tensor:
        del name
        made: Tensor = grown(self._known(), self.count, "TensorArray.stack")
        return made

    def gather(self, indices: Any, name: Any = None) -> Tensor:
        del name
        count = first_dim(convert(indices))
        made: Tensor = grown(self._known(), count if count is not None else _steps(), "TensorArray.gather")
        return made

    def concat(self, name: Any = None) -> Tensor:
        del name
        element = self._known()
        dims = dims_of(element)
        if not dims:
            raise Undecided(Reason.UNMODELLED_ARGUMENTS, "elements of unknown shape")
        return typed("TensorArray.concat", [element], dtype_of(element), self.count * dims[0], *dims[1:])

    def size(self, name: Any = None) -> Any:
        del name
        return convert(self.count, dtypes.i32)

    def identity(self) -> Any:
        return self

    def mark_used(self) -> None:
        """Nothing to see."""

    def close(self, name: Any = None) -> None:
        """Nothing to see."""


@model("tensorflow.nest.map_structure")
def map_structure(func: Any, *structure: Any, **keywords: Any) -> Any:
    del keywords
    if len(structure) == 1:
        return mapped(lambda each: machine().call(func, each), structure[0])
    others = [leaves(each) for each in structure[1:]]
    position = iter(range(len(others[0]) if others else 0))

    def leaf(each: Any) -> Any:
        index = next(position, 0)
        return machine().call(func, each, *(other[index] for other in others))

    return mapped(leaf, structure[0])


@model("tensorflow.nest.pack_sequence_as")
def pack_sequence_as(structure: Any, flat_sequence: Any, expand_composites: Any = False) -> Any:
    del expand_composites
    parts = iter(as_items(flat_sequence))
    return mapped(lambda each: next(parts, each), structure)


@model("tensorflow.nest.flatten")
def flatten(structure: Any, expand_composites: Any = False) -> Any:
    del expand_composites
    return ListValue(leaves(structure))
