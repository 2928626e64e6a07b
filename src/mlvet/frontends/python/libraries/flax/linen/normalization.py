"""Normalisation, dropout, and other layers without a product."""

from __future__ import annotations

from typing import Any

from mlvet.domains import dtypes
from mlvet.domains.dims import Dim
from mlvet.domains.dtypes import DType
from mlvet.frontends.python.active import machine
from mlvet.frontends.python.arrays.reductions import reduced
from mlvet.frontends.python.emission import demand, emit, opaque
from mlvet.frontends.python.libraries.binding import Number, Size, as_items
from mlvet.frontends.python.libraries.flax.linen.dense import dims_or_refuse, promoted, zeros
from mlvet.frontends.python.libraries.flax.linen.module import UNSET, Module, is_running
from mlvet.frontends.python.libraries.jax.array import Array, ArrayLike, Tensor, as_jax, axes_named, cast_to
from mlvet.frontends.python.libraries.jax.nn.initializers import Initializer
from mlvet.frontends.python.libraries.registry import model
from mlvet.frontends.python.values.tensors import dims_of, dtype_of, tensor_of


def ones() -> Any:
    return Initializer(value=1)


def given_somewhere(layer: Module, given: tuple[Any, ...], because: str) -> None:
    """An option of which the layer or the call must tell; modules that are not run yet may be told later."""
    demand(any(each is not None for each in given) or not is_running(layer), because, "illegal-argument")


def scaled(layer: Any, x: Any, normal: Any, dims: tuple[Dim, ...], axes: tuple[int, ...]) -> Any:
    """The normalised input times its scale plus its bias, which lie along the feature axes."""
    features = tuple(dims[axis] for axis in axes)
    shape = tuple(dims[n] if n in {axis % len(dims) for axis in axes} else 1 for n in range(len(dims)))
    result_type = layer.dtype
    parts = []
    for flag, name, init in (("use_scale", "scale", ones), ("use_bias", "bias", zeros)):
        if layer.cells.get(flag, False):
            made = layer.param(name, layer.cells.get(f"{name}_init") or init(), features, layer.param_dtype)
            parts.append((name, made))
    (normal,) = promoted(result_type, normal) if result_type else (normal,)
    for name, part in parts:
        wide = emit("reshape", part, shape) if len(axes) != 1 or axes[0] % len(dims) != len(dims) - 1 else part
        left, right = promoted(result_type, normal, wide)
        normal = emit("mul" if name == "scale" else "add", left, right)
    del x
    return normal


def standard(x: Any, axes: tuple[int, ...] | None, epsilon: Any, *, centred: bool = True) -> Any:
    """(x - mean) / sqrt(variance + epsilon) along the axes; without the mean it is the root mean square."""
    tiny = cast_to(as_jax(epsilon if isinstance(epsilon, int | float) else 1e-6), dtype_of(x))
    if not centred:
        square = reduced("reduce_mean", emit("square", x), axes, True)
        return emit("mul", x, emit("rsqrt", emit("add", square, tiny)))
    middle, spread = reduced("reduce_mean", x, axes, True), reduced("reduce_variance", x, axes, True)
    return emit("mul", emit("sub", x, middle), emit("rsqrt", emit("add", spread, tiny)))


@model("flax.linen.LayerNorm", "flax.linen.normalization.LayerNorm")
class LayerNorm(Module):
    def __init__(
        self, epsilon: Number = 1e-6, dtype: DType | None = None, param_dtype: DType = dtypes.f32,
        use_bias: bool = True, use_scale: bool = True, bias_init: Any = None, scale_init: Any = None,
        reduction_axes: Any = -1, feature_axes: Any = -1, axis_name: Any = None, axis_index_groups: Any = None,
        use_fast_variance: bool = True, force_float32_reductions: bool = True, *, parent: Any = UNSET, name: Any = None,
    ) -> None:  # fmt: skip
        self.epsilon = epsilon
        self.dtype = dtype
        self.param_dtype = param_dtype
        self.use_bias = use_bias
        self.use_scale = use_scale
        self.bias_init = bias_init
        self.scale_init = scale_init
        self.reduction_axes = reduction_axes
        self.feature_axes = feature_axes
        super().__init__(parent=parent, name=name)

    def __call__(self, x: ArrayLike, *, mask: Any = None) -> Tensor:
        (x,) = promoted(None, x)
        dims = dims_of(x)
        if dims is None:
            return opaque("layer_norm", [x], tensor_of(x).without_value(), Array)
        normal = standard(x, axes_named(self.reduction_axes), self.epsilon)
        return scaled(self, x, normal, dims, axes_named(self.feature_axes) or (-1,))


@model("flax.linen.RMSNorm", "flax.linen.normalization.RMSNorm")
class RMSNorm(Module):
    def __init__(
        self, epsilon: Number = 1e-6, dtype: DType | None = None, param_dtype: DType = dtypes.f32,
        use_scale: bool = True, scale_init: Any = None, reduction_axes: Any = -1, feature_axes: Any = -1,
        axis_name: Any = None, axis_index_groups: Any = None, use_fast_variance: bool = True,
        force_float32_reductions: bool = True, *, parent: Any = UNSET, name: Any = None,
    ) -> None:  # fmt: skip
        self.epsilon = epsilon
        self.dtype = dtype
        self.param_dtype = param_dtype
        self.use_scale = use_scale
        self.scale_init = scale_init
        self.reduction_axes = reduction_axes
        self.feature_axes = feature_axes
        super().__init__(parent=parent, name=name)

    def __call__(self, x: ArrayLike, *, mask: Any = None) -> Tensor:
        (x,) = promoted(None, x)
        dims = dims_or_refuse(x)
        normal = standard(x, axes_named(self.reduction_axes), self.epsilon, centred=False)
        return scaled(self, x, normal, dims, axes_named(self.feature_axes) or (-1,))


@model("flax.linen.InstanceNorm")
class InstanceNorm(Module):
    def __init__(
        self, epsilon: Number = 1e-6, dtype: DType | None = None, param_dtype: DType = dtypes.f32,
        use_bias: bool = True, use_scale: bool = True, bias_init: Any = None, scale_init: Any = None,
        feature_axes: Any = -1, axis_name: Any = None, axis_index_groups: Any = None, use_fast_variance: bool = True,
        force_float32_reductions: bool = True, *, parent: Any = UNSET, name: Any = None,
    ) -> None:  # fmt: skip
        self.epsilon = epsilon
        self.dtype = dtype
        self.param_dtype = param_dtype
        self.use_bias = use_bias
        self.use_scale = use_scale
        self.feature_axes = feature_axes
        super().__init__(parent=parent, name=name)

    def __call__(self, x: ArrayLike, *, mask: Any = None) -> Tensor:
        (x,) = promoted(None, x)
        dims = dims_or_refuse(x)
        features = axes_named(self.feature_axes) or (-1,)
        own = {axis % len(dims) for axis in features}
        space = tuple(axis for axis in range(1, len(dims)) if axis not in own)
        return scaled(self, x, standard(x, space, self.epsilon), dims, features)


@model("flax.linen.BatchNorm", "flax.linen.normalization.BatchNorm")
class BatchNorm(Module):
    def __init__(
        self, use_running_average: Any = None, axis: Any = -1, momentum: Number = 0.99, epsilon: Number = 1e-5,
        dtype: DType | None = None, param_dtype: DType = dtypes.f32, use_bias: bool = True, use_scale: bool = True,
        bias_init: Any = None, scale_init: Any = None, axis_name: Any = None, axis_index_groups: Any = None,
        use_fast_variance: bool = True, force_float32_reductions: bool = True, *, parent: Any = UNSET, name: Any = None,
    ) -> None:  # fmt: skip
        self.use_running_average = use_running_average
        self.axis = axis
        self.epsilon = epsilon
        self.dtype = dtype
        self.param_dtype = param_dtype
        self.use_bias = use_bias
        self.use_scale = use_scale
        self.bias_init = bias_init
        self.scale_init = scale_init
        super().__init__(parent=parent, name=name)

    def __call__(self, x: ArrayLike, use_running_average: Any = None, *, mask: Any = None) -> Tensor:
        given = (self.use_running_average, use_running_average)
        given_somewhere(self, given, "use_running_average is given nowhere")
        (x,) = promoted(None, x)
        dims = dims_of(x)
        if dims is None:
            return opaque("batch_norm", [x], tensor_of(x).without_value(), Array)
        features = axes_named(self.axis) or (-1,)
        own = {axis % len(dims) for axis in features}
        rest = tuple(axis for axis in range(len(dims)) if axis not in own)
        shape = tuple(dims[axis] for axis in features)
        self.variable("batch_stats", "mean", Initializer(value=0), None, shape, dtypes.f32)
        self.variable("batch_stats", "var", Initializer(value=1), None, shape, dtypes.f32)
        return scaled(self, x, standard(x, rest, self.epsilon), dims, features)


@model("flax.linen.GroupNorm", "flax.linen.normalization.GroupNorm")
class GroupNorm(Module):
    def __init__(
        self, num_groups: Size | None = 32, group_size: Size | None = None, epsilon: Number = 1e-6,
        dtype: DType | None = None, param_dtype: DType = dtypes.f32, use_bias: bool = True, use_scale: bool = True,
        bias_init: Any = None, scale_init: Any = None, reduction_axes: Any = None, axis_name: Any = None,
        axis_index_groups: Any = None, use_fast_variance: bool = True, force_float32_reductions: bool = True, *,
        parent: Any = UNSET, name: Any = None,
    ) -> None:  # fmt: skip
        self.num_groups = num_groups
        self.group_size = group_size
        self.epsilon = epsilon
        self.dtype = dtype
        self.param_dtype = param_dtype
        self.use_bias = use_bias
        self.use_scale = use_scale
        super().__init__(parent=parent, name=name)

    def __call__(self, x: ArrayLike, *, mask: Any = None) -> Tensor:
        (x,) = promoted(None, x)
        dims = dims_or_refuse(x)
        groups, channels = self.num_groups if self.group_size is None else None, dims[-1]
        if isinstance(groups, int) and isinstance(channels, int):
            demand(groups > 0 and channels % groups == 0, f"{channels} channels in {groups} groups", "not-divisible")
        normal = opaque("group_norm", [x], tensor_of(x).without_value(), Array)
        return scaled(self, x, normal, dims, (-1,))


@model("flax.linen.Dropout", "flax.linen.stochastic.Dropout")
class Dropout(Module):
    def __init__(
        self, rate: Number, broadcast_dims: Any = (), deterministic: Any = None, rng_collection: Any = "dropout", *,
        parent: Any = UNSET, name: Any = None,
    ) -> None:  # fmt: skip
        self.rate = rate
        self.deterministic = deterministic
        super().__init__(parent=parent, name=name)

    def __call__(self, inputs: ArrayLike, deterministic: Any = None, rng: Any = None) -> Tensor:
        given = (self.deterministic, deterministic)
        given_somewhere(self, given, "deterministic is given nowhere")
        flag = self.deterministic if deterministic is None else deterministic
        if flag is True or self.rate == 0:
            return inputs
        return emit("dropout", inputs, self.rate if isinstance(self.rate, float) else 0.5, True)


@model("flax.linen.PReLU")
class PReLU(Module):
    def __init__(
        self, param_dtype: DType = dtypes.f32, negative_slope_init: Any = 0.01, *, parent: Any = UNSET, name: Any = None
    ) -> None:
        self.param_dtype = param_dtype
        super().__init__(parent=parent, name=name)

    def __call__(self, inputs: ArrayLike) -> Tensor:
        slope = self.param("negative_slope", Initializer(value=0.01), (), self.param_dtype)
        x, slope = promoted(None, inputs, slope)
        return emit("where", emit("greater_or_equal", x, cast_to(as_jax(0), dtype_of(x))), x, emit("mul", x, slope))


@model("flax.linen.SpectralNorm", "flax.linen.WeightNorm")
class SpectralNorm(Module):
    """A layer whose kernel is normalised; the shapes are the layer's own."""

    def __init__(self, layer_instance: Any, *rest: Any, parent: Any = UNSET, name: Any = None, **options: Any) -> None:
        self.layer_instance = layer_instance
        super().__init__(parent=parent, name=name)

    def __call__(self, *args: Any, update_stats: Any = None, **keywords: Any) -> Any:
        return machine().call(self.layer_instance, *args, **keywords)


@model("flax.linen.Sequential", "flax.linen.combinators.Sequential")
class Sequential(Module):
    def __init__(self, layers: Any, *, parent: Any = UNSET, name: Any = None) -> None:
        self.layers = layers
        super().__init__(parent=parent, name=name)

    def __call__(self, *args: Any, **keywords: Any) -> Any:
        outputs: Any = machine().call(as_items(self.layers)[0], *args, **keywords)
        for layer in as_items(self.layers)[1:]:
            outputs = machine().call(layer, *outputs) if isinstance(outputs, tuple) else machine().call(layer, outputs)
        return outputs
