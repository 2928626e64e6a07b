"""torch.nn.init: how parameters get their first elements. A parameter stays a parameter that starts differently."""

from __future__ import annotations

from math import sqrt
from typing import Any

from mlvet.domains.dims import Dim
from mlvet.frontends.python.emission import demand
from mlvet.frontends.python.libraries.binding import Number, Size, Tensor
from mlvet.frontends.python.libraries.registry import model
from mlvet.frontends.python.libraries.torch.nn.parameter import filled, is_parameter, normal, redeclared, uniform
from mlvet.frontends.python.values.tensors import TensorValue, dims_of
from mlvet.frontends.python.values.unknown import Reason, Undecided
from mlvet.ir.graph import Initialiser

GAINS = {"tanh": 5 / 3, "relu": sqrt(2.0), "selu": 3 / 4}
LINEAR = ("linear", "sigmoid", "conv1d", "conv2d", "conv3d", "conv_transpose1d", "conv_transpose2d", "conv_transpose3d")


@model("torch.nn.init.uniform_")
def uniform_(tensor: Tensor, a: Number = 0.0, b: Number = 1.0, generator: Any = None) -> Tensor:
    return _start(tensor, Initialiser("uniform", (("low", a), ("high", b))) if _plain(a, b) else None)


@model("torch.nn.init.normal_")
def normal_(tensor: Tensor, mean: Number = 0.0, std: Number = 1.0, generator: Any = None) -> Tensor:
    return _start(tensor, normal(float(mean), float(std)) if _plain(mean, std) else None)


@model("torch.nn.init.trunc_normal_")
def trunc_normal_(
    tensor: Tensor, mean: Number = 0.0, std: Number = 1.0, a: Number = -2.0, b: Number = 2.0, generator: Any = None
) -> Tensor:
    """Normal, cut at a and b, which are not counted in deviations."""
    if not _plain(mean, std, a, b):
        return _start(tensor, None)
    low, high = max(a, mean - 6 * std), min(b, mean + 6 * std)
    return _start(tensor, Initialiser("uniform", (("low", float(low)), ("high", float(high)))))


@model("torch.nn.init.constant_")
def constant_(tensor: Tensor, val: Number) -> Tensor:
    return _start(tensor, filled(float(val)) if _plain(val) else None)


@model("torch.nn.init.ones_")
def ones_(tensor: Tensor) -> Tensor:
    return _start(tensor, Initialiser("ones"))


@model("torch.nn.init.zeros_")
def zeros_(tensor: Tensor) -> Tensor:
    return _start(tensor, Initialiser("zeros"))


@model("torch.nn.init.eye_")
def eye_(tensor: Tensor) -> Tensor:
    dims = dims_of(tensor)
    demand(dims is None or len(dims) == 2, "only matrices can be made an identity", "rank-differs")
    return _start(tensor, Initialiser("identity"))


@model("torch.nn.init.dirac_")
def dirac_(tensor: Tensor, groups: Size = 1) -> Tensor:
    dims = dims_of(tensor)
    demand(dims is None or len(dims) in (3, 4, 5), "a Dirac kernel has 3, 4 or 5 dims", "rank-differs")
    return _start(tensor, Initialiser("identity"))


@model("torch.nn.init.orthogonal_")
def orthogonal_(tensor: Tensor, gain: Number = 1, generator: Any = None) -> Tensor:
    dims = dims_of(tensor)
    demand(dims is None or len(dims) >= 2, "an orthogonal start needs at least 2 dims", "rank-differs")
    return _start(tensor, Initialiser("orthogonal", (("gain", float(gain)),)) if _plain(gain) else None)


@model("torch.nn.init.sparse_")
def sparse_(tensor: Tensor, sparsity: Number, std: Number = 0.01, generator: Any = None) -> Tensor:
    return _start(tensor, normal(0.0, float(std)) if _plain(std) else None)


@model("torch.nn.init.xavier_uniform_")
def xavier_uniform_(tensor: Tensor, gain: Number = 1.0, generator: Any = None) -> Tensor:
    deviation = _xavier(tensor, gain)
    return _start(tensor, uniform(sqrt(3) * deviation) if deviation is not None else Initialiser("xavier_uniform"))


@model("torch.nn.init.xavier_normal_")
def xavier_normal_(tensor: Tensor, gain: Number = 1.0, generator: Any = None) -> Tensor:
    deviation = _xavier(tensor, gain)
    return _start(tensor, normal(0.0, deviation) if deviation is not None else Initialiser("xavier_normal"))


@model("torch.nn.init.kaiming_uniform_")
def kaiming_uniform_(
    tensor: Tensor, a: Number = 0, mode: str = "fan_in", nonlinearity: str = "leaky_relu", generator: Any = None
) -> Tensor:
    deviation = _kaiming(tensor, a, mode, nonlinearity)
    return _start(tensor, uniform(sqrt(3) * deviation) if deviation is not None else Initialiser("kaiming_uniform"))


@model("torch.nn.init.kaiming_normal_")
def kaiming_normal_(
    tensor: Tensor, a: Number = 0, mode: str = "fan_in", nonlinearity: str = "leaky_relu", generator: Any = None
) -> Tensor:
    deviation = _kaiming(tensor, a, mode, nonlinearity)
    return _start(tensor, normal(0.0, deviation) if deviation is not None else Initialiser("kaiming_normal"))


for name, function in (
    ("uniform", uniform_), ("normal", normal_), ("constant", constant_), ("xavier_uniform", xavier_uniform_),
    ("xavier_normal", xavier_normal_), ("kaiming_uniform", kaiming_uniform_), ("kaiming_normal", kaiming_normal_),
    ("orthogonal", orthogonal_),
):  # fmt: skip
    model(f"torch.nn.init.{name}")(function)


@model("torch.nn.init.calculate_gain")
def calculate_gain(nonlinearity: str, param: Any = None) -> Any:
    if nonlinearity in GAINS:
        return GAINS[nonlinearity]
    if nonlinearity in LINEAR:
        return 1
    if nonlinearity == "leaky_relu" and (param is None or _plain(param)):
        return sqrt(2.0 / (1 + (0.01 if param is None else param) ** 2))
    raise Undecided(Reason.UNMODELLED_ARGUMENTS, "the gain of an unknown function")


@model("torch.nn.init._calculate_fan_in_and_fan_out")
def fans(tensor: Tensor) -> Any:
    dims = dims_of(tensor)
    if dims is None:
        raise Undecided(Reason.UNMODELLED_ARGUMENTS, "a tensor of unknown rank")
    demand(len(dims) >= 2, "fans need at least 2 dims", "rank-differs")
    field: Dim = 1
    for dim in dims[2:]:
        field = field * dim
    return (dims[1] * field, dims[0] * field) if len(dims) >= 2 else (1, 1)


def _start(tensor: TensorValue, initialiser: Initialiser | None) -> TensorValue:
    if is_parameter(tensor):
        redeclared(tensor, initialiser=initialiser)
    return tensor


def _xavier(tensor: Any, gain: Any) -> float | None:
    """The standard deviation: gain * sqrt(2 / (inputs + outputs))."""
    if dims_of(tensor) is None:
        return None
    inputs, outputs = fans(tensor)
    if not _plain(gain) or not isinstance(inputs, int) or not isinstance(outputs, int) or inputs + outputs <= 0:
        return None
    return float(gain * sqrt(2.0 / (inputs + outputs)))


def _kaiming(tensor: Any, a: Any, mode: str, nonlinearity: str) -> float | None:
    """The standard deviation: gain / sqrt(inputs or outputs)."""
    if dims_of(tensor) is None or not _plain(a):
        return None
    units = fans(tensor)[0 if mode == "fan_in" else 1]
    gain = calculate_gain(nonlinearity, a)
    return float(gain / sqrt(units)) if isinstance(units, int) and units > 0 else None


def _plain(*values: Any) -> bool:
    return all(isinstance(value, int | float) for value in values)
