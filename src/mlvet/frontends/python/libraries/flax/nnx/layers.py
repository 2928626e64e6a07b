"""Layers of nnx, which make their parameters when they are made."""

from __future__ import annotations

from typing import Any

from mlvet.domains import dtypes
from mlvet.domains.dims import Dim
from mlvet.domains.dtypes import DType
from mlvet.domains.tensors import Tensor as Known
from mlvet.frontends.python.active import machine
from mlvet.frontends.python.arrays.operators import assumed
from mlvet.frontends.python.emission import demand, emit, opaque
from mlvet.frontends.python.libraries.binding import Number, Size, SizeOrSizes, as_sizes
from mlvet.frontends.python.libraries.flax.linen.dense import (
    SPACE,
    conv_pads,
    convolved_by,
    dims_or_refuse,
    each_of,
    kernels,
    promoted,
    zeros,
)  # fmt: skip
from mlvet.frontends.python.libraries.flax.linen.normalization import ones, standard
from mlvet.frontends.python.libraries.flax.linen.pooling import dot_product_attention
from mlvet.frontends.python.libraries.flax.nnx.functions import Module
from mlvet.frontends.python.libraries.flax.nnx.variables import Param
from mlvet.frontends.python.libraries.jax.array import Array, ArrayLike, Tensor, as_jax, axes_named, cast_to
from mlvet.frontends.python.libraries.jax.lax.windows import transposed_length
from mlvet.frontends.python.libraries.jax.numpy.searching import gathered
from mlvet.frontends.python.libraries.registry import MODELS, model
from mlvet.frontends.python.values.tensors import dims_of, dtype_of, rank_of, tensor_of


def parameter(init: Any, shape: tuple[Dim, ...], dtype: Any) -> Any:
    """A parameter as an initialiser makes it."""
    return Param(machine().call(init, None, shape, dtype))


def _with_bias(x: Any, kernel: Any, bias: Any, dtype: Any) -> tuple[Any, ...]:
    held = None if bias is None else as_jax(bias)
    return promoted(dtype, x, as_jax(kernel), held)


@model("flax.nnx.Linear")
class Linear(Module):
    def __init__(
        self, in_features: Size, out_features: Size, *, use_bias: bool = True, dtype: DType | None = None,
        param_dtype: DType = dtypes.f32, precision: Any = None, kernel_init: Any = None, bias_init: Any = None,
        rngs: Any, **options: Any,
    ) -> None:  # fmt: skip
        self.kernel = parameter(kernel_init or kernels(), (in_features, out_features), param_dtype)
        self.bias = parameter(bias_init or zeros(), (out_features,), param_dtype) if use_bias else None
        self.in_features = in_features
        self.out_features = out_features
        self.use_bias = use_bias
        self.dtype = dtype

    def __call__(self, inputs: ArrayLike, out_sharding: Any = None) -> Tensor:
        x, kernel, bias = _with_bias(inputs, self.kernel, self.bias, self.dtype)
        made = emit("matmul", x, kernel)
        return made if bias is None else emit("add", made, bias)


@model("flax.nnx.LinearGeneral")
class LinearGeneral(Module):
    def __init__(
        self, in_features: SizeOrSizes, out_features: SizeOrSizes, *, axis: Any = -1, batch_axis: Any = None,
        use_bias: bool = True, dtype: DType | None = None, param_dtype: DType = dtypes.f32, kernel_init: Any = None,
        bias_init: Any = None, rngs: Any, **options: Any,
    ) -> None:  # fmt: skip
        ins, outs = (each if isinstance(each, tuple) else (each,) for each in (in_features, out_features))
        self.kernel = parameter(kernel_init or kernels(), (*ins, *outs), param_dtype)
        self.bias = parameter(bias_init or zeros(), outs, param_dtype) if use_bias else None
        self.axis = axis
        self.dtype = dtype

    def __call__(self, inputs: ArrayLike, out_sharding: Any = None) -> Tensor:
        x, kernel, bias = _with_bias(inputs, self.kernel, self.bias, self.dtype)
        dims = dims_or_refuse(x)
        axes = tuple(axis % max(len(dims), 1) for axis in axes_named(self.axis) or (-1,))
        made = emit("dot_general", x, kernel, dimension_numbers=((axes, tuple(range(len(axes)))), ((), ())))
        return made if bias is None else emit("add", made, bias)


@model("flax.nnx.Einsum")
class Einsum(Module):
    def __init__(
        self, einsum_str: str, kernel_shape: Any, bias_shape: Any = None, *, dtype: DType | None = None,
        param_dtype: DType = dtypes.f32, precision: Any = None, kernel_init: Any = None, bias_init: Any = None,
        rngs: Any, **options: Any,
    ) -> None:  # fmt: skip
        self.kernel = parameter(kernel_init or kernels(), as_sizes(kernel_shape), param_dtype)
        self.bias = None if bias_shape is None else parameter(bias_init or zeros(), as_sizes(bias_shape), param_dtype)
        self.einsum_str = einsum_str
        self.dtype = dtype

    def __call__(self, inputs: ArrayLike, einsum_str: Any = None, out_sharding: Any = None) -> Tensor:
        x, kernel, bias = _with_bias(inputs, self.kernel, self.bias, self.dtype)
        made = emit("einsum", x, kernel, equation=einsum_str or self.einsum_str)
        return made if bias is None else emit("add", made, bias)


@model("flax.nnx.Embed")
class Embed(Module):
    def __init__(
        self, num_embeddings: Size, features: Size, *, dtype: DType | None = None, param_dtype: DType = dtypes.f32,
        embedding_init: Any = None, rngs: Any, **options: Any,
    ) -> None:  # fmt: skip
        self.embedding = parameter(embedding_init or kernels(), (num_embeddings, features), param_dtype)
        self.num_embeddings = num_embeddings
        self.features = features
        self.dtype = dtype

    def __call__(self, inputs: ArrayLike, out_sharding: Any = None) -> Tensor:
        known = dtype_of(inputs)
        demand(known is None or not known.is_float, f"positions are integers, not {known}", "dtype-differs")
        (table,) = promoted(self.dtype, as_jax(self.embedding))
        return gathered(table, inputs, 0)

    def attend(self, query: ArrayLike, out_sharding: Any = None) -> Tensor:
        x, table = promoted(self.dtype, query, as_jax(self.embedding))
        return emit("matmul", x, emit("transpose", table, perm=(1, 0)))


@model("flax.nnx.Conv")
class Conv(Module):
    def __init__(
        self, in_features: Size, out_features: Size, kernel_size: SizeOrSizes, strides: SizeOrSizes | None = 1, *,
        padding: Any = "SAME", input_dilation: SizeOrSizes | None = 1, kernel_dilation: SizeOrSizes | None = 1,
        feature_group_count: Size = 1, use_bias: bool = True, mask: Any = None, dtype: DType | None = None,
        param_dtype: DType = dtypes.f32, precision: Any = None, kernel_init: Any = None, bias_init: Any = None,
        rngs: Any, **options: Any,
    ) -> None:  # fmt: skip
        self.kernel_size = kernel_size if isinstance(kernel_size, tuple) else (kernel_size,)
        self.strides = strides
        self.padding = padding
        self.input_dilation = input_dilation
        self.kernel_dilation = kernel_dilation
        self.feature_group_count = feature_group_count
        self.dtype = dtype
        shape = (*self.kernel_size, in_features // feature_group_count, out_features)
        self.kernel = parameter(kernel_init or kernels(), shape, param_dtype)
        self.bias = parameter(bias_init or zeros(), (out_features,), param_dtype) if use_bias else None

    def __call__(self, inputs: ArrayLike, out_sharding: Any = None) -> Tensor:
        count = len(self.kernel_size)
        inputs = assumed(inputs, count + 2, "batch", *SPACE[-count:], "channels")
        x, kernel, bias = _with_bias(inputs, self.kernel, self.bias, self.dtype)
        made = convolved_by(self, x, kernel, dims_or_refuse(x), count)
        return made if bias is None else emit("add", made, bias)


@model("flax.nnx.ConvTranspose")
class ConvTranspose(Module):
    def __init__(
        self, in_features: Size, out_features: Size, kernel_size: SizeOrSizes, strides: SizeOrSizes | None = None, *,
        padding: Any = "SAME", kernel_dilation: SizeOrSizes | None = None, use_bias: bool = True, mask: Any = None,
        dtype: DType | None = None, param_dtype: DType = dtypes.f32, precision: Any = None, kernel_init: Any = None,
        bias_init: Any = None, transpose_kernel: bool = False, rngs: Any, **options: Any,
    ) -> None:  # fmt: skip
        self.kernel_size = kernel_size if isinstance(kernel_size, tuple) else (kernel_size,)
        self.strides = strides
        self.padding = padding
        self.kernel_dilation = kernel_dilation
        self.dtype = dtype
        self.in_features = in_features
        self.out_features = out_features
        ends = (out_features, in_features) if transpose_kernel else (in_features, out_features)
        self.kernel = parameter(kernel_init or kernels(), (*self.kernel_size, *ends), param_dtype)
        self.bias = parameter(bias_init or zeros(), (out_features,), param_dtype) if use_bias else None

    def __call__(self, inputs: ArrayLike) -> Tensor:
        count = len(self.kernel_size)
        inputs = assumed(inputs, count + 2, "batch", *SPACE[-count:], "channels")
        x, kernel, bias = _with_bias(inputs, self.kernel, self.bias, self.dtype)
        dims = dims_or_refuse(x)
        if isinstance(dims[-1], int) and isinstance(self.in_features, int):
            because = f"{tensor_of(x)} has {dims[-1]} channels, the kernel takes {self.in_features}"
            demand(dims[-1] == self.in_features, because, "dims-differ")
        pads = conv_pads(self.padding, count)
        strides, gaps = each_of(self.strides, count), each_of(self.kernel_dilation, count)
        space = [
            transposed_length(
                dims[place - count - 1], (self.kernel_size[place] - 1) * gaps[place] + 1, strides[place],
                ("SAME" if pads == "CIRCULAR" else pads) if isinstance(pads, str) else pads[place],
            )
            for place in range(count)
        ]  # fmt: skip
        sizes = (*dims[: -(count + 1)], *space, self.out_features)
        made = opaque("conv_transpose", [x, kernel], Known(dtype_of(x), sizes), Array)
        return made if bias is None else emit("add", made, bias)


def _features_match(layer: Any, x: Any, axis: int = -1) -> None:
    dims = dims_of(x)
    wanted = layer.cells.get("num_features")
    if dims is not None and -len(dims) <= axis < len(dims):
        size = dims[axis]
        if isinstance(size, int) and isinstance(wanted, int):
            fits = size in (wanted, 1) or wanted == 1
            demand(fits, f"{type(layer).__name__} of {wanted} features is given {tensor_of(x)}", "dims-differ")


def _scaled(layer: Any, normal: Any, axes: tuple[int, ...]) -> Any:
    count = rank_of(normal)
    for name, op in (("scale", "mul"), ("bias", "add")):
        part = layer.cells.get(name)
        if part is not None:
            held = as_jax(part)
            if count is not None and axes[0] % count != count - 1:
                held = emit("reshape", held, tuple(-1 if n == axes[0] % count else 1 for n in range(count)))
            left, right = promoted(layer.dtype, normal, held)
            normal = emit(op, left, right)
    return normal


class Normalization(Module):
    """Layers with a scale and a bias along the features."""

    def _start(
        self, num_features: Any, epsilon: Any, dtype: Any, param_dtype: Any, use_bias: bool, use_scale: bool
    ) -> None:
        self.num_features = num_features
        self.epsilon = epsilon
        self.dtype = dtype
        self.scale = parameter(ones(), (num_features,), param_dtype) if use_scale else None
        self.bias = parameter(zeros(), (num_features,), param_dtype) if use_bias else None


@model("flax.nnx.LayerNorm")
class LayerNorm(Normalization):
    def __init__(
        self, num_features: Size, *, epsilon: Number = 1e-6, dtype: DType | None = None,
        param_dtype: DType = dtypes.f32, use_bias: bool = True, use_scale: bool = True, reduction_axes: Any = -1,
        feature_axes: Any = -1, rngs: Any = None, **options: Any,
    ) -> None:  # fmt: skip
        self._start(num_features, epsilon, dtype, param_dtype, use_bias, use_scale)
        self.reduction_axes = reduction_axes
        self.feature_axes = feature_axes

    def __call__(self, x: ArrayLike, *, mask: Any = None) -> Tensor:
        (x,) = promoted(None, x)
        features = axes_named(self.feature_axes) or (-1,)
        _features_match(self, x, features[0])
        return _scaled(self, standard(x, axes_named(self.reduction_axes), self.epsilon), features)


@model("flax.nnx.RMSNorm")
class RMSNorm(Normalization):
    def __init__(
        self, num_features: Size, *, epsilon: Number = 1e-6, dtype: DType | None = None,
        param_dtype: DType = dtypes.f32, use_scale: bool = True, reduction_axes: Any = -1, feature_axes: Any = -1,
        rngs: Any = None, **options: Any,
    ) -> None:  # fmt: skip
        self._start(num_features, epsilon, dtype, param_dtype, False, use_scale)

    def __call__(self, x: ArrayLike, mask: Any = None) -> Tensor:
        (x,) = promoted(None, x)
        _features_match(self, x)
        return _scaled(self, standard(x, (-1,), self.epsilon, centred=False), (-1,))


@model("flax.nnx.BatchNorm")
class BatchNorm(Normalization):
    def __init__(
        self, num_features: Size, *, use_running_average: Any = False, axis: int = -1, momentum: Number = 0.99,
        epsilon: Number = 1e-5, dtype: DType | None = None, param_dtype: DType = dtypes.f32, use_bias: bool = True,
        use_scale: bool = True, rngs: Any = None, **options: Any,
    ) -> None:  # fmt: skip
        self._start(num_features, epsilon, dtype, param_dtype, use_bias, use_scale)
        self.axis = axis
        stat = MODELS["flax.nnx.BatchStat"]
        self.mean = stat(zeros()(None, (num_features,), dtypes.f32))
        self.var = stat(ones()(None, (num_features,), dtypes.f32))

    def __call__(self, x: ArrayLike, use_running_average: Any = None, *, mask: Any = None) -> Tensor:
        (x,) = promoted(None, x)
        _features_match(self, x, self.axis)
        count = rank_of(x)
        if count is None:
            return opaque("batch_norm", [x], tensor_of(x).without_value(), Array)
        rest = tuple(axis for axis in range(count) if axis != self.axis % count)
        return _scaled(self, standard(x, rest, self.epsilon), (self.axis,))


@model("flax.nnx.GroupNorm", "flax.nnx.InstanceNorm")
class GroupNorm(Normalization):
    def __init__(
        self, num_features: Size, num_groups: Size | None = 32, group_size: Size | None = None, *,
        epsilon: Number = 1e-6, dtype: DType | None = None, param_dtype: DType = dtypes.f32, use_bias: bool = True,
        use_scale: bool = True, rngs: Any = None, **options: Any,
    ) -> None:  # fmt: skip
        self._start(num_features, epsilon, dtype, param_dtype, use_bias, use_scale)

    def __call__(self, x: ArrayLike, *, mask: Any = None) -> Tensor:
        (x,) = promoted(None, x)
        _features_match(self, x)
        return _scaled(self, opaque("group_norm", [x], tensor_of(x).without_value(), Array), (-1,))


@model("flax.nnx.Dropout")
class Dropout(Module):
    def __init__(
        self, rate: Number, *, broadcast_dims: Any = (), deterministic: Any = False, rng_collection: Any = "dropout",
        rngs: Any = None,
    ) -> None:  # fmt: skip
        self.rate = rate
        self.deterministic = deterministic

    def __call__(self, inputs: ArrayLike, *, deterministic: Any = None, rngs: Any = None) -> Tensor:
        if deterministic is True or self.rate == 0:
            return inputs
        return emit("dropout", inputs, self.rate if isinstance(self.rate, float) else 0.5, True)


@model("flax.nnx.PReLU")
class PReLU(Module):
    def __init__(self, negative_slope_init: Any = 0.01, **options: Any) -> None:
        self.negative_slope = Param(opaque("slope", [], Known(dtypes.f32, ()), Array))

    def __call__(self, inputs: ArrayLike) -> Tensor:
        (x,) = promoted(None, inputs)
        below = emit("mul", x, cast_to(as_jax(self.negative_slope), dtype_of(x)))
        return emit("where", emit("greater_or_equal", x, cast_to(as_jax(0), dtype_of(x))), x, below)


@model("flax.nnx.Sequential")
class Sequential(Module):
    def __init__(self, *fns: Any) -> None:
        from mlvet.frontends.python.values.containers import ListValue

        self.layers = ListValue(fns)

    def __call__(self, *args: Any, rngs: Any = None, **keywords: Any) -> Any:
        from mlvet.frontends.python.libraries.binding import as_items

        layers = as_items(self.layers)
        outputs: Any = machine().call(layers[0], *args, **keywords)
        for layer in layers[1:]:
            outputs = machine().call(layer, *outputs) if isinstance(outputs, tuple) else machine().call(layer, outputs)
        return outputs


@model("flax.nnx.MultiHeadAttention")
class MultiHeadAttention(Module):
    def __init__(
        self, num_heads: Size, in_features: Size, qkv_features: Size | None = None, out_features: Size | None = None, *,
        num_kv_heads: Size | None = None, in_kv_features: Size | None = None, dtype: DType | None = None,
        param_dtype: DType = dtypes.f32, use_bias: bool = True, decode: Any = None, rngs: Any, **options: Any,
    ) -> None:  # fmt: skip
        features = in_features if qkv_features is None else qkv_features
        out = in_features if out_features is None else out_features
        if isinstance(features, int) and isinstance(num_heads, int):
            because = f"{features} features do not fall into {num_heads} heads"
            demand(features % num_heads == 0, because, "not-divisible")
        size = features // num_heads
        taken = in_features if in_kv_features is None else in_kv_features
        given: dict[str, Any] = {"dtype": dtype, "param_dtype": param_dtype, "use_bias": use_bias, "rngs": rngs}
        self.query = LinearGeneral(in_features, (num_heads, size), **given)
        self.key = LinearGeneral(taken, (num_kv_heads or num_heads, size), **given)
        self.value = LinearGeneral(taken, (num_kv_heads or num_heads, size), **given)
        self.out = LinearGeneral((num_heads, size), out, axis=(-2, -1), **given)
        self.num_heads = num_heads
        self.in_features = in_features
        self.dtype = dtype

    def __call__(
        self, inputs_q: ArrayLike, inputs_k: Any = None, inputs_v: Any = None, *, mask: Any = None,
        deterministic: Any = None, rngs: Any = None, sow_weights: bool = False, decode: Any = None, **options: Any,
    ) -> Any:  # fmt: skip
        keys = inputs_q if inputs_k is None else as_jax(inputs_k)
        values = keys if inputs_v is None else as_jax(inputs_v)
        query, key, value = self.query(inputs_q), self.key(keys), self.value(values)
        return self.out(dot_product_attention(query, key, value, None, mask, dtype=self.dtype))

    def init_cache(self, input_shape: Any, dtype: Any = None) -> None:
        return None


@model("flax.nnx.LoRA")
class LoRA(Module):
    def __init__(
        self, in_features: Size, lora_rank: Size, out_features: Size, *, base_module: Any = None,
        dtype: DType | None = None, param_dtype: DType = dtypes.f32, rngs: Any, **options: Any,
    ) -> None:  # fmt: skip
        self.lora_a = parameter(kernels(), (in_features, lora_rank), param_dtype)
        self.lora_b = parameter(kernels(), (lora_rank, out_features), param_dtype)
        self.base_module = base_module
        self.dtype = dtype

    def __call__(self, x: ArrayLike, **options: Any) -> Tensor:
        held, low, high = promoted(self.dtype, x, as_jax(self.lora_a), as_jax(self.lora_b))
        made = emit("matmul", emit("matmul", held, low), high)
        return made if self.base_module is None else emit("add", made, machine().call(self.base_module, x))
