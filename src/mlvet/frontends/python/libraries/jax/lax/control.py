"""Control flow: bodies are called once, on arrays of which the elements are not known."""

from __future__ import annotations

from typing import Any

from mlvet.domains import dtypes
from mlvet.domains.dims import Dim
from mlvet.domains.tensors import Tensor as Known
from mlvet.frontends.python.active import machine
from mlvet.frontends.python.emission import demand, opaque
from mlvet.frontends.python.libraries.binding import Size, as_items
from mlvet.frontends.python.libraries.jax.array import Array
from mlvet.frontends.python.libraries.jax.transformations import agreed, like, with_axis, without_axis
from mlvet.frontends.python.libraries.jax.trees import mapped
from mlvet.frontends.python.libraries.registry import model
from mlvet.frontends.python.values.tensors import TensorValue, dims_of
from mlvet.frontends.python.values.unknown import Reason, Undecided, Unknown


def _kept(before: Any, after: Any) -> None:
    """What a body yields must be like what it was given."""

    def check(_: Any, old: Any, new: Any) -> Any:
        if isinstance(old, TensorValue) and isinstance(new, TensorValue):
            first, second = dims_of(old), dims_of(new)
            if first is not None and second is not None:
                ranks = len(first) == len(second)
                known = [
                    (a, b) for a, b in zip(first, second, strict=False) if isinstance(a, int) and isinstance(b, int)
                ]
                same = ranks and all(a == b for a, b in known)
                demand(
                    same, f"the body turns {old.graph_value.declared} into {new.graph_value.declared}", "dims-differ"
                )
        return old

    if not isinstance(before, Unknown) and not isinstance(after, Unknown):
        mapped(check, before, after)


@model("jax.lax.scan")
def scan(
    f: Any, init: Any, xs: Any = None, length: Size | None = None, reverse: bool = False, unroll: Any = 1, **_: Any
) -> Any:
    """One step; what it yields besides the carry is stacked along a new first axis."""
    sizes: list[Dim] = [] if length is None else [length]
    step = xs if xs is None or isinstance(xs, Unknown) else mapped(lambda _, leaf: without_axis(leaf, 0, sizes), xs)
    size = agreed(sizes)
    carry = like(init, "carry")
    result = machine().call(f, carry, step)
    if not (isinstance(result, tuple) and len(result) == 2):
        raise Undecided(Reason.DYNAMIC_CONTAINER, "a step that does not yield a pair")
    _kept(carry, result[0])
    after = result[0] if not isinstance(result[0], Unknown) else carry
    return after, mapped(lambda _, leaf: with_axis(leaf, 0, size), result[1])


@model("jax.lax.map")
def lax_map(f: Any, xs: Any, *, batch_size: Any = None) -> Any:
    sizes: list[Dim] = []
    step = mapped(lambda _, leaf: without_axis(leaf, 0, sizes), xs)
    size = agreed(sizes)
    return mapped(lambda _, leaf: with_axis(leaf, 0, size), machine().call(f, step))


@model("jax.lax.fori_loop")
def fori_loop(lower: Any, upper: Any, body_fun: Any, init_val: Any, *, unroll: Any = None) -> Any:
    carry = like(init_val, "carry")
    index = opaque("i", [], Known(dtypes.i32, ()), Array)
    after = machine().call(body_fun, index, carry)
    _kept(carry, after)
    return carry if isinstance(after, Unknown) else after


@model("jax.lax.while_loop")
def while_loop(cond_fun: Any, body_fun: Any, init_val: Any) -> Any:
    carry = like(init_val, "carry")
    machine().call(cond_fun, carry)
    after = machine().call(body_fun, carry)
    _kept(carry, after)
    return carry if isinstance(after, Unknown) else after


@model("jax.lax.cond")
def cond(pred: Any, true_fun: Any, false_fun: Any, *operands: Any, operand: Any = (), linear: Any = None) -> Any:
    """Both branches run; their results are alike."""
    given = operands if operands or operand == () else (operand,)
    yes = machine().call(true_fun, *given)
    no = machine().call(false_fun, *given)
    _kept(yes, no)
    return no if isinstance(yes, Unknown) else like(yes, "cond")


@model("jax.lax.switch")
def switch(index: Any, branches: Any, *operands: Any, operand: Any = ()) -> Any:
    given = operands if operands or operand == () else (operand,)
    results = [machine().call(branch, *given) for branch in as_items(branches)]
    known = [each for each in results if not isinstance(each, Unknown)]
    for other in known[1:]:
        _kept(known[0], other)
    return like(known[0], "switch") if known else results[0]


@model("jax.lax.associative_scan")
def associative_scan(fn: Any, elems: Any, reverse: bool = False, axis: int = 0) -> Any:
    machine().call(fn, elems, elems)
    return like(elems, "scan")


@model("jax.lax.custom_root", "jax.lax.custom_linear_solve")
def custom_root(f: Any, initial_guess: Any, *rest: Any, **options: Any) -> Any:
    return like(initial_guess, "root")
