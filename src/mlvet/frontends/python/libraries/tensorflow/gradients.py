"""Gradients: each has the shape of what it is taken by."""

from __future__ import annotations

from typing import Any

from mlvet.domains import dtypes
from mlvet.domains.dims import Dim
from mlvet.domains.tensors import Tensor as Known
from mlvet.frontends.python.active import machine
from mlvet.frontends.python.emission import opaque
from mlvet.frontends.python.libraries.binding import Misfit, as_items
from mlvet.frontends.python.libraries.registry import model
from mlvet.frontends.python.libraries.tensorflow.arguments import dims_or_undecided
from mlvet.frontends.python.libraries.tensorflow.structures import leaves, mapped
from mlvet.frontends.python.libraries.tensorflow.tensor import Tensor, convert, typed
from mlvet.frontends.python.values.containers import ListValue
from mlvet.frontends.python.values.objects import Object
from mlvet.frontends.python.values.tensors import TensorValue, dtype_of, tensor_of
from mlvet.frontends.python.values.unknown import Reason, Undecided, Unknown
from mlvet.ir.program import Act


def gradient_of(target: Any, source: Any) -> Any:
    """The gradient of what `target` holds by one source."""
    if isinstance(source, Unknown):
        return Unknown(source.reason, "a gradient by something unknown")
    try:
        by = convert(source)
    except Misfit:
        return Unknown(Reason.UNMODELLED_ARGUMENTS, "a gradient by no tensor")
    outputs = [leaf for leaf in leaves(target) if isinstance(leaf, TensorValue)]
    known = tensor_of(by)
    return opaque("gradient", [*outputs, by], Known(known.dtype, known.shape), Tensor)


@model("tensorflow.GradientTape")
class GradientTape(Object):
    def __init__(self, persistent: Any = False, watch_accessed_variables: Any = True) -> None:
        del watch_accessed_variables
        self.persistent = persistent

    def __enter__(self) -> Any:
        return self

    def __exit__(self, *error: Any) -> None:
        """The record ends."""

    def watch(self, tensor: Any) -> None:
        """Everything is watched."""

    def reset(self) -> None:
        """Begin anew."""

    def stop_recording(self) -> Any:
        return GradientTape()

    def watched_variables(self) -> Any:
        return Unknown(Reason.UNMODELLED_CALL, "GradientTape.watched_variables")

    def gradient(
        self, target: Any, sources: Any, output_gradients: Any = None, unconnected_gradients: Any = None
    ) -> Any:
        del output_gradients, unconnected_gradients
        if isinstance(target, TensorValue):
            machine().event(Act.DERIVED, target, (target.graph_value,))
        return mapped(lambda source: gradient_of(target, source), sources)

    def jacobian(
        self,
        target: Any,
        sources: Any,
        unconnected_gradients: Any = None,
        parallel_iterations: Any = None,
        experimental_use_pfor: Any = True,
    ) -> Any:
        del unconnected_gradients, parallel_iterations, experimental_use_pfor
        before = dims_or_undecided(convert(target))
        return mapped(lambda source: _jacobian(target, source, before), sources)

    def batch_jacobian(
        self,
        target: Any,
        source: Any,
        unconnected_gradients: Any = None,
        parallel_iterations: Any = None,
        experimental_use_pfor: Any = True,
    ) -> Any:
        del unconnected_gradients, parallel_iterations, experimental_use_pfor
        made, by = convert(target), convert(source)
        after = dims_or_undecided(by)[1:]
        return typed("batch_jacobian", [made, by], dtype_of(made), *dims_or_undecided(made), *after)


def _jacobian(target: Any, source: Any, before: tuple[Dim, ...]) -> Tensor:
    by = convert(source)
    return typed("jacobian", [convert(target), by], dtype_of(by), *before, *dims_or_undecided(by))


@model("tensorflow.gradients")
def gradients(ys: Any, xs: Any, grad_ys: Any = None, *rest: Any, **keywords: Any) -> Any:
    del grad_ys, rest, keywords
    sources = ListValue([xs]) if isinstance(xs, TensorValue) else xs
    found = mapped(lambda source: gradient_of(ys, source), sources)
    return ListValue(found) if isinstance(found, tuple) else found


@model("tensorflow.hessians")
def hessians(ys: Any, xs: Any, *rest: Any, **keywords: Any) -> Any:
    del ys, rest, keywords
    made = [convert(each) for each in ([xs] if isinstance(xs, TensorValue) else as_items(xs))]
    return ListValue(typed("hessian", [x], dtype_of(x), *dims_or_undecided(x), *dims_or_undecided(x)) for x in made)


@model("tensorflow.clip_by_global_norm")
def clip_by_global_norm(t_list: Any, clip_norm: Any, use_norm: Any = None, name: Any = None) -> Any:
    del clip_norm, use_norm, name
    if isinstance(t_list, Unknown):
        raise Undecided(t_list)
    norm = typed("global_norm", [leaf for leaf in leaves(t_list) if isinstance(leaf, TensorValue)], dtypes.f32)
    return mapped(lambda each: gradient_of((), each) if isinstance(each, TensorValue) else each, t_list), norm


for _name in ("NONE", "ZERO"):
    model(f"tensorflow.UnconnectedGradients.{_name}")(_name.lower())
