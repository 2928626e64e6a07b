"""Activations, softmax and dropout of torch.nn.functional."""

from __future__ import annotations

from typing import Any

from mlvet.domains import dtypes
from mlvet.domains.dtypes import DType
from mlvet.frontends.python.arrays.arithmetic import cast, operand
from mlvet.frontends.python.arrays.operators import become
from mlvet.frontends.python.emission import demand, emit_all
from mlvet.frontends.python.libraries.binding import Number
from mlvet.frontends.python.libraries.registry import MODELS, model
from mlvet.frontends.python.libraries.torch.arithmetic import combined
from mlvet.frontends.python.libraries.torch.axes import axis_of, is_scalar, placed, ranked_dims
from mlvet.frontends.python.libraries.torch.element_types import as_float, wants_floats
from mlvet.frontends.python.libraries.torch.tensor import Tensor, changing, made, method
from mlvet.frontends.python.libraries.torch.training import dropout_noted
from mlvet.frontends.python.values.tensors import TensorValue, dims_of, dtype_of, rank_of

PLAIN = {
    "relu": "relu", "relu6": "relu6", "selu": "selu", "silu": "silu", "mish": "mish", "hardswish": "hard_swish",
}  # fmt: skip


def _plain(name: str, op: str) -> Any:
    def function(input: Tensor, inplace: bool = False) -> Tensor:
        if op not in ("relu", "relu6"):
            wants_floats(input, name)
        return _kept(input, made(op, input), inplace)

    return function


def _kept(x: TensorValue, result: Tensor, inplace: bool) -> Tensor:
    """The result, which also is the operand's new contents if the call works in place."""
    return become(x, result) if inplace else result


for _name, _op in PLAIN.items():
    _function = model(f"torch.nn.functional.{_name}")(_plain(_name, _op))
    if _name in ("relu", "selu"):
        model(f"torch.nn.functional.{_name}_")(changing(_function))
method("torch.selu", in_place=True)(_plain("selu", "selu"))
relu = MODELS["torch.nn.functional.relu"]


def _number(value: Any, default: float) -> float:
    return float(value) if isinstance(value, int | float) else default


@model("torch.nn.functional.softsign")
def softsign(input: Tensor) -> Tensor:
    return made("softsign", as_float(input))


@model("torch.nn.functional.sigmoid")
def sigmoid(input: Tensor) -> Tensor:
    found: Tensor = input.sigmoid()
    return found


@model("torch.nn.functional.tanh")
def tanh(input: Tensor) -> Tensor:
    found: Tensor = input.tanh()
    return found


@model("torch.nn.functional.logsigmoid")
def logsigmoid(input: Tensor) -> Tensor:
    wants_floats(input, "logsigmoid")
    return made("log_sigmoid", input)


@model("torch.nn.functional.hardsigmoid")
def hardsigmoid(input: Tensor, inplace: bool = False) -> Tensor:
    wants_floats(input, "hardsigmoid")
    return _kept(input, made("hard_sigmoid", input, alpha=1 / 6, beta=0.5), inplace)


@model("torch.nn.functional.hardtanh", "torch.nn.functional.hardtanh_")
def hardtanh(input: Tensor, min_val: Number = -1.0, max_val: Number = 1.0, inplace: bool = False) -> Tensor:
    low, high = (operand(bound, dtype_of(input), Tensor) for bound in (min_val, max_val))
    return _kept(input, made("min", made("max", input, low), high), inplace)


@model("torch.nn.functional.gelu")
def gelu(input: Tensor, approximate: str = "none") -> Tensor:
    wants_floats(input, "gelu")
    return made("gelu", input, approximate=approximate)


@model("torch.nn.functional.leaky_relu", "torch.nn.functional.leaky_relu_")
def leaky_relu(input: Tensor, negative_slope: Number = 0.01, inplace: bool = False) -> Tensor:
    wants_floats(input, "leaky_relu")
    return _kept(input, made("leaky_relu", input, alpha=_number(negative_slope, 0.01)), inplace)


@model("torch.nn.functional.elu", "torch.nn.functional.elu_")
def elu(input: Tensor, alpha: Number = 1.0, inplace: bool = False) -> Tensor:
    wants_floats(input, "elu")
    return _kept(input, made("elu", input, alpha=_number(alpha, 1.0)), inplace)


@model("torch.nn.functional.celu", "torch.nn.functional.celu_", "torch.celu")
def celu(input: Tensor, alpha: Number = 1.0, inplace: bool = False) -> Tensor:
    wants_floats(input, "celu")
    return _kept(input, made("celu", input, alpha=_number(alpha, 1.0)), inplace)


@model("torch.nn.functional.softplus")
def softplus(input: Tensor, beta: Number = 1, threshold: Number = 20) -> Tensor:
    """log(1 + exp(beta * x)) / beta; beyond the threshold torch takes the line, which is the same in floats."""
    wants_floats(input, "softplus")
    if beta == 1:
        return made("softplus", input)
    return combined("div", made("softplus", combined("mul", input, beta)), beta)


@model("torch.nn.functional.softshrink")
def softshrink(input: Tensor, lambd: Number = 0.5) -> Tensor:
    wants_floats(input, "softshrink")
    return made("shrink", input, bias=_number(lambd, 0.5), lambd=_number(lambd, 0.5))


@model("torch.nn.functional.hardshrink", "torch.hardshrink")
def hardshrink(input: Tensor, lambd: Number = 0.5) -> Tensor:
    wants_floats(input, "hardshrink")
    return made("shrink", input, bias=0.0, lambd=_number(lambd, 0.5))


@model("torch.nn.functional.tanhshrink")
def tanhshrink(input: Tensor) -> Tensor:
    return combined("sub", input, tanh(input))


@model("torch.nn.functional.threshold", "torch.nn.functional.threshold_", "torch.threshold")
def threshold(input: Tensor, threshold: Number, value: Number, inplace: bool = False) -> Tensor:
    """x where it is above the threshold, else the value."""
    above = combined("greater", input, threshold)
    return _kept(input, made("where", above, input, made("cast", value, to=dtype_of(input) or dtypes.f32)), inplace)


@model("torch.nn.functional.prelu", "torch.prelu")
def prelu(input: Tensor, weight: Tensor) -> Tensor:
    """The slope has one element, or one per channel, the second dim of the operand."""
    slopes, dims = dims_of(weight), dims_of(input)
    if slopes is not None and dims is not None and slopes and slopes != (1,):
        channels = dims[1] if len(dims) > 1 else 1
        demand(slopes[0] == channels or not all(isinstance(n, int) for n in (slopes[0], channels)),
            f"prelu has {slopes[0]} slopes for {channels} channels", "dims-differ")  # fmt: skip
        if len(dims) > 2:
            weight = made("unsqueeze", weight, tuple(range(1, len(dims) - 1)))
    return made("prelu", input, weight)


@model("torch.nn.functional.rrelu", "torch.nn.functional.rrelu_", "torch.rrelu")
def rrelu(
    input: Tensor, lower: Number = 1 / 8, upper: Number = 1 / 3, training: bool = False, inplace: bool = False
) -> Tensor:
    wants_floats(input, "rrelu")
    return _kept(input, made("leaky_relu", input, alpha=(_number(lower, 1 / 8) + _number(upper, 1 / 3)) / 2), inplace)


@model("torch.nn.functional.glu")
def glu(input: Tensor, dim: Any = -1) -> Tensor:
    """The first half along a dim times the sigmoid of the second."""
    wants_floats(input, "glu")
    dims = ranked_dims(input)
    axis = placed(axis_of(dim), len(dims))
    demand(bool(dims), "glu needs a tensor of at least 1 dim", "rank-differs")
    if dims and isinstance(dims[axis], int):
        demand(dims[axis] % 2 == 0, f"glu needs an even size to halve, but gets {dims[axis]}", "not-divisible")
    first, second = emit_all("split", input, None, count=2, axis=axis, num_outputs=2, kind=Tensor)
    return made("mul", first, made("sigmoid", second))


def _softmax(op: str) -> Any:
    def function(input: Tensor, dim: Any = None, _stacklevel: Any = 3, dtype: DType | None = None) -> Tensor:
        return normalised(op, input, dim, dtype)

    return function


def normalised(op: str, x: TensorValue, dim: Any, dtype: DType | None = None) -> Tensor:
    """`softmax` or `log_softmax` along a dim; the one that torch takes if none is named hangs on the rank."""
    x = cast(x, dtype)
    wants_floats(x, op)
    if is_scalar(x):
        return made("identity", x)
    axis = axis_of(dim) if dim is not None else 0 if rank_of(x) in (1, 3) else 1
    count = rank_of(x)
    return made(op, x, axis=axis if count is None else placed(axis, count))


softmax = model("torch.nn.functional.softmax")(_softmax("softmax"))
log_softmax = model("torch.nn.functional.log_softmax")(_softmax("log_softmax"))


@method("torch.softmax", "torch.special.softmax")
def torch_softmax(input: Tensor, dim: Any, dtype: DType | None = None, *, out: Any = None) -> Tensor:
    return normalised("softmax", input, dim, dtype)


@method("torch.log_softmax", "torch.special.log_softmax")
def torch_log_softmax(input: Tensor, dim: Any, dtype: DType | None = None, *, out: Any = None) -> Tensor:
    return normalised("log_softmax", input, dim, dtype)


@model("torch.nn.functional.softmin")
def softmin(input: Tensor, dim: Any = None, _stacklevel: Any = 3, dtype: DType | None = None) -> Tensor:
    return normalised("softmax", made("neg", input), dim, dtype)


@model("torch.nn.functional.gumbel_softmax")
def gumbel_softmax(logits: Tensor, tau: Number = 1, hard: bool = False, eps: Number = 1e-10, dim: Any = -1) -> Tensor:
    wants_floats(logits, "gumbel_softmax")
    return normalised("softmax", combined("div", logits, tau), dim)


def _dropout() -> Any:
    def function(input: Tensor, p: Number = 0.5, training: bool = True, inplace: bool = False) -> Tensor:
        return dropped(input, p, training, inplace)

    return function


def dropped(x: TensorValue, p: Any, training: bool, inplace: bool = False) -> Tensor:
    """Elements that are left out with a probability while training."""
    if isinstance(p, int | float):
        demand(0 <= p <= 1, f"a dropout probability must be between 0 and 1, but is {p}")
    if training:
        wants_floats(x, "dropout")
        dropout_noted(p)
    ratio = float(p) if isinstance(p, int | float) else 0.5
    return _kept(x, made("dropout", x, ratio, bool(training)), inplace)


dropout = model("torch.nn.functional.dropout")(_dropout())
for _name in ("dropout1d", "dropout2d", "dropout3d", "alpha_dropout", "feature_alpha_dropout"):
    model(f"torch.nn.functional.{_name}")(_dropout())


@model("torch.dropout", "torch.alpha_dropout", "torch.feature_dropout")
def torch_dropout(input: Tensor, p: Number, train: bool) -> Tensor:
    return dropped(input, p, train)
