"""torch.nn.utils: gradients clipped, parameters as one vector, weights put in another form."""

from __future__ import annotations

from typing import Any

from mlvet.domains import dtypes
from mlvet.domains.dims import Dim, symbol
from mlvet.domains.tensors import Tensor as Type
from mlvet.frontends.python.active import machine
from mlvet.frontends.python.emission import opaque
from mlvet.frontends.python.libraries.binding import Number, Tensor
from mlvet.frontends.python.libraries.registry import model
from mlvet.frontends.python.libraries.torch.nn.module import Module
from mlvet.frontends.python.libraries.torch.tensor import Tensor as TorchTensor
from mlvet.frontends.python.values.containers import Repeated
from mlvet.frontends.python.values.tensors import TensorValue, tensor_of
from mlvet.frontends.python.values.unknown import Unknown


def total_norm() -> Any:
    """The norm of all gradients together."""
    return opaque("gradient norm", [], Type(dtypes.f32, ()), TorchTensor)


@model("torch.nn.utils.clip_grad_norm_", "torch.nn.utils.clip_grad_norm", "torch.nn.utils.clip_grad.clip_grad_norm_")
def clip_grad_norm_(
    parameters: Any, max_norm: Number, norm_type: Number = 2.0, error_if_nonfinite: bool = False, foreach: Any = None
) -> Tensor:
    return total_norm()


@model("torch.nn.utils.get_total_norm")
def get_total_norm(
    tensors: Any, norm_type: Number = 2.0, error_if_nonfinite: bool = False, foreach: Any = None
) -> Tensor:
    return total_norm()


@model("torch.nn.utils.clip_grad_value_", "torch.nn.utils.clip_grad.clip_grad_value_")
def clip_grad_value_(parameters: Any, clip_value: Number, foreach: Any = None) -> None:
    pass


@model("torch.nn.utils.clip_grads_with_norm_")
def clip_grads_with_norm_(parameters: Any, max_norm: Number, total_norm: Any, foreach: Any = None) -> None:
    pass


@model("torch.nn.utils.parameters_to_vector")
def parameters_to_vector(parameters: Any) -> Tensor:
    items = parameters if isinstance(parameters, Unknown) else machine().items(parameters)
    if isinstance(items, Unknown | Repeated) or not all(isinstance(each, TensorValue) for each in items):
        return opaque("parameters", [], Type(dtypes.f32, (symbol(machine().fresh("parameters")),)), TorchTensor)
    count: Dim = 0
    for each in items:
        count = count + tensor_of(each).size
    return opaque("parameters", items, Type(dtypes.f32, (count,)), TorchTensor)


@model("torch.nn.utils.vector_to_parameters")
def vector_to_parameters(vec: Tensor, parameters: Any) -> None:
    pass


@model(
    "torch.nn.utils.weight_norm", "torch.nn.utils.spectral_norm", "torch.nn.utils.parametrizations.weight_norm",
    "torch.nn.utils.parametrizations.spectral_norm", "torch.nn.utils.parametrizations.orthogonal",
)  # fmt: skip
def reparametrised(module: Any, *args: Any, **kwargs: Any) -> Any:
    """The module itself: its weight is computed of other parameters, but of the same shape."""
    return module


@model("torch.nn.utils.remove_weight_norm", "torch.nn.utils.remove_spectral_norm")
def plain_again(module: Any, name: Any = "weight") -> Any:
    return module


@model("torch.nn.utils.parametrize.register_parametrization")
def register_parametrization(module: Any, tensor_name: Any, parametrization: Any, *, unsafe: bool = False) -> Any:
    """The tensor is what the parametrisation makes of it."""
    if isinstance(module, Module) and isinstance(tensor_name, str) and tensor_name in module.cells:
        machine().call(parametrization, module.cells[tensor_name])
    return module


@model("torch.nn.utils.parametrize.remove_parametrizations")
def remove_parametrizations(module: Any, tensor_name: Any, leave_parametrized: bool = True) -> Any:
    return module


@model("torch.nn.utils.fuse_conv_bn_eval")
def fuse_conv_bn_eval(conv: Any, bn: Any, transpose: bool = False) -> Any:
    return conv


@model("torch.nn.utils.prune.l1_unstructured", "torch.nn.utils.prune.random_unstructured",
    "torch.nn.utils.prune.ln_structured", "torch.nn.utils.prune.remove", "torch.nn.utils.prune.identity")  # fmt: skip
def pruned(module: Any, *args: Any, **kwargs: Any) -> Any:
    return module
