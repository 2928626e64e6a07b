"""Gradients switched on and off, asked for and defined; compilation, which changes nothing."""

from __future__ import annotations

from typing import Any

from mlvet.domains import dtypes
from mlvet.domains.dtypes import DType
from mlvet.domains.tensors import Tensor as Type
from mlvet.frontends.python.active import machine
from mlvet.frontends.python.emission import opaque
from mlvet.frontends.python.libraries.registry import model
from mlvet.frontends.python.libraries.torch.services import Scope
from mlvet.frontends.python.libraries.torch.tensor import Tensor
from mlvet.frontends.python.libraries.torch.training import Gradients, demand_one_number
from mlvet.frontends.python.libraries.torch.training import derived as noted
from mlvet.frontends.python.values.containers import ListValue
from mlvet.frontends.python.values.numbers import Scalar
from mlvet.frontends.python.values.objects import BoundMethod, ClassValue, Object
from mlvet.frontends.python.values.tensors import TensorValue, tensor_of
from mlvet.frontends.python.values.unknown import Reason, Undecided, Unknown


def _is_function(value: Any) -> bool:
    return not isinstance(value, bool | Scalar | Unknown) and value is not None


def _switch(name: str) -> Any:
    """`torch.no_grad`: in a `with`, as decorator with and without a call."""

    def make(*args: Any, **keywords: Any) -> Any:
        if args and _is_function(args[0]):
            return args[0]
        on = args[0] if name == "set_grad_enabled" and args else name == "enable_grad"
        return Gradients(on is not False)

    make.__name__ = name
    return make


for _name in ("torch.no_grad", "torch.enable_grad", "torch.inference_mode", "torch.set_grad_enabled",
    "torch.autograd.no_grad", "torch.autograd.enable_grad", "torch.autograd.set_grad_enabled",
    "torch.autograd.inference_mode", "torch.autograd.grad_mode.no_grad"):  # fmt: skip
    model(_name)(_switch(_name.rpartition(".")[2]))


@model("torch.autocast", "torch.amp.autocast", "torch.cuda.amp.autocast", "torch.cpu.amp.autocast",
    "torch.amp.autocast_mode.autocast")  # fmt: skip
class Autocast(Scope):
    """A scope of lower precision; element types are followed as if it were not there."""

    __slots__ = ()

    def __init__(self, *args: Any, **keywords: Any) -> None:
        """Whatever it is told."""


@model("torch.autograd.set_detect_anomaly", "torch.autograd.detect_anomaly", "torch.random.fork_rng",
    "torch.backends.cuda.sdp_kernel", "torch.nn.attention.sdpa_kernel", "torch.backends.cudnn.flags",
    "torch.autograd.graph.save_on_cpu", "torch.sparse.check_sparse_tensor_invariants",
    "torch.serialization.safe_globals", "torch.autograd.profiler.emit_nvtx")  # fmt: skip
class Setting(Scope):
    __slots__ = ()

    def __init__(self, *args: Any, **keywords: Any) -> None:
        """Whatever it is told."""


for _name in ("torch.cuda.amp.custom_fwd", "torch.cuda.amp.custom_bwd", "torch.amp.custom_fwd", "torch.amp.custom_bwd"):
    model(_name)(_switch(_name.rpartition(".")[2]))


@model("torch.is_grad_enabled", "torch.is_inference_mode_enabled")
def is_grad_enabled() -> Any:
    return Scalar(bool, "gradients are enabled")


@model("torch.is_autocast_enabled", "torch.is_autocast_cpu_enabled", "torch.jit.is_scripting", "torch.jit.is_tracing",
    "torch.compiler.is_compiling", "torch._dynamo.is_compiling", "torch.onnx.is_in_onnx_export",
    "torch.compiler.is_exporting", "torch.overrides.has_torch_function")  # fmt: skip
def never(*args: Any) -> bool:
    return False


@model("torch.get_autocast_dtype", "torch.get_autocast_gpu_dtype", "torch.get_autocast_cpu_dtype")
def get_autocast_dtype(device_type: Any = None) -> DType:
    return dtypes.bf16


@model("torch.compile", "torch.jit.script", "torch.jit.ignore", "torch.jit.unused", "torch.jit.export",
    "torch.jit.script_if_tracing", "torch.compiler.disable", "torch._dynamo.disable", "torch.fx.wrap",
    "torch.jit.freeze", "torch.jit.optimize_for_inference", "torch.compiler.allow_in_graph", "torch.jit.interface",
    "torch.compiler.assume_constant_result")  # fmt: skip
def compile_(model: Any = None, *args: Any, **keywords: Any) -> Any:
    """What is compiled computes the same; without a function it is a decorator."""
    given = keywords.get("obj", keywords.get("fn", model))
    return _same if given is None or isinstance(given, bool | str) else given


def _same(function: Any) -> Any:
    return function


@model("torch.jit.trace", "torch.jit.trace_module")
def trace(func: Any, example_inputs: Any = None, *args: Any, **keywords: Any) -> Any:
    return func


@model("torch.jit.annotate")
def annotate(the_type: Any, the_value: Any) -> Any:
    return the_value


@model("torch.jit.save", "torch.onnx.export", "torch._dynamo.reset",
    "torch.compiler.reset", "torch._assert")  # fmt: skip
def nothing(*args: Any, **keywords: Any) -> None:
    return None


@model("torch.autograd.Variable")
def variable(data: Any, requires_grad: bool = False, volatile: Any = None) -> Any:
    return data


@model("torch.autograd.backward")
def backward(tensors: Any, grad_tensors: Any = None, *args: Any, **keywords: Any) -> None:
    noted(tensors)


@model("torch.autograd.grad")
def grad(outputs: Any, inputs: Any, grad_outputs: Any = None, *args: Any, **keywords: Any) -> Any:
    """A gradient per input, of its shape."""
    if grad_outputs is None and isinstance(outputs, TensorValue):
        demand_one_number(outputs, "grad")
    if isinstance(inputs, TensorValue):
        return (_gradient(inputs),)
    items = inputs.items if isinstance(inputs, ListValue) else inputs
    if isinstance(items, tuple):
        return tuple(_gradient(each) for each in items)
    raise Undecided(Reason.UNMODELLED_ARGUMENTS, "the inputs of a gradient")


def _gradient(x: Any) -> Any:
    if not isinstance(x, TensorValue):
        raise Undecided(Reason.UNMODELLED_ARGUMENTS, "the inputs of a gradient")
    known = tensor_of(x)
    return opaque("gradient", [x], Type(known.dtype, known.shape), Tensor)


@model("torch.autograd.function.FunctionCtx")
class Context(Object):
    """What a function saves for its backward pass."""

    __slots__ = ()

    def save_for_backward(self, *tensors: Any) -> None:
        self.saved_tensors = tensors

    def mark_dirty(self, *args: Any) -> None:
        return None

    def mark_non_differentiable(self, *args: Any) -> None:
        return None

    def set_materialize_grads(self, value: Any) -> None:
        return None


@model("torch.autograd.Function", "torch.autograd.function.Function")
class Function(Object):
    """A function with a backward pass of its own."""

    __slots__ = ()

    @classmethod
    def apply(cls, *args: Any, **keywords: Any) -> Any:
        forward = machine().attribute(cls, "forward") if isinstance(cls, ClassValue) else None
        if forward is None:
            raise Undecided(Reason.UNMODELLED_CALL, "Function.apply")
        if isinstance(forward, BoundMethod):
            forward = forward.function
        return machine().call(forward, Context(), *args, **keywords)


@model("torch.func.grad", "torch.func.jacrev", "torch.func.jacfwd", "torch.func.hessian", "torch.func.grad_and_value",
    "torch.func.vjp", "torch.func.jvp")  # fmt: skip
def derived(func: Any, *args: Any, **keywords: Any) -> Any:
    def derivative(*args: Any, **keywords: Any) -> Any:
        first = args[0] if args else None
        if isinstance(first, TensorValue):
            return _gradient(first)
        raise Undecided(Reason.HIGHER_ORDER, "the derivative of a function")

    return derivative


@model("torch.func.functional_call", "torch.nn.utils.stateless.functional_call")
def functional_call(
    module: Any, parameter_and_buffer_dicts: Any, args: Any = (), kwargs: Any = None, **rest: Any
) -> Any:
    given = args if isinstance(args, tuple) else (args,)
    return machine().call(module, *given)


@model("torch.vmap", "torch.func.vmap")
def vmap(func: Any, in_dims: Any = 0, out_dims: Any = 0, randomness: Any = "error", *, chunk_size: Any = None) -> Any:
    """The function of one row, its results stacked along a new first dim."""
    from mlvet.frontends.python.libraries.torch.axes import ranked_dims
    from mlvet.frontends.python.libraries.torch.indexing import select

    def mapped(*args: Any) -> Any:
        axes = in_dims if isinstance(in_dims, tuple) else (in_dims,) * len(args)
        size: Any = None
        rows: list[Any] = []
        for arg, axis in zip(args, axes, strict=False):
            if isinstance(arg, TensorValue) and isinstance(axis, int):
                size = ranked_dims(arg)[axis]
                rows.append(select(arg, axis, 0))  # type: ignore[arg-type]
            else:
                rows.append(arg)
        found = machine().call(func, *rows)
        return _grown(found, size, out_dims)

    return mapped


def _grown(found: Any, size: Any, axis: Any) -> Any:
    if isinstance(found, tuple):
        return tuple(_grown(each, size, axis) for each in found)
    if not isinstance(found, TensorValue) or size is None or axis != 0:
        raise Undecided(Reason.HIGHER_ORDER, "vmap")
    known = tensor_of(found)
    if not known.ranked:
        raise Undecided(Reason.HIGHER_ORDER, "vmap")
    return opaque("vmap", [found], Type(known.dtype, (size, *known.dims)), Tensor)


@model("torch.testing.assert_close", "torch.testing.assert_allclose")
def assert_close(actual: Any, expected: Any, *args: Any, **keywords: Any) -> None:
    return None
