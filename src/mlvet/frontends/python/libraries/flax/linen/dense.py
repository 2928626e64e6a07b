"""Layers that are products with a kernel: Dense, DenseGeneral, Einsum, Embed, convolutions."""

from __future__ import annotations

from typing import Any

from mlvet.domains import dtypes
from mlvet.domains.dims import Dim, product
from mlvet.domains.dtypes import DType
from mlvet.domains.tensors import Tensor as Known
from mlvet.frontends.python.arrays.operators import assumed
from mlvet.frontends.python.arrays.shaping import reshape
from mlvet.frontends.python.emission import demand, emit, opaque
from mlvet.frontends.python.libraries.binding import Size, SizeOrSizes, as_items, as_sizes
from mlvet.frontends.python.libraries.flax.linen.module import UNSET, Module
from mlvet.frontends.python.libraries.jax.array import (
    Array,
    ArrayLike,
    Tensor,
    as_jax,
    axes_named,
    cast_to,
    common_of,
    inexact,
)  # fmt: skip
from mlvet.frontends.python.libraries.jax.lax.windows import Pads, convolved, pads_of, transposed_length
from mlvet.frontends.python.libraries.jax.nn.initializers import Initializer
from mlvet.frontends.python.libraries.jax.numpy.searching import gathered
from mlvet.frontends.python.libraries.registry import model
from mlvet.frontends.python.values.tensors import dims_of, dtype_of, rank_of, tensor_of
from mlvet.frontends.python.values.unknown import Reason, Undecided


def kernels() -> Any:
    return Initializer()


def zeros() -> Any:
    return Initializer(value=0)


def promoted(dtype: DType | None, *xs: Any) -> tuple[Any, ...]:
    """Operands in the element type asked for, or in their common one, which is a float."""
    xs = tuple(None if x is None else as_jax(x) for x in xs)
    to = dtype or common_of(*(inexact(x) for x in xs if x is not None))
    return tuple(None if x is None else cast_to(x, to) for x in xs)


def dims_or_refuse(x: Any) -> tuple[Dim, ...]:
    dims = dims_of(x)
    if dims is None:
        raise Undecided(Reason.UNMODELLED_ARGUMENTS, "an array of unknown rank")
    return dims


@model("flax.linen.Dense", "flax.linen.linear.Dense")
class Dense(Module):
    def __init__(
        self, features: Size, use_bias: bool = True, dtype: DType | None = None, param_dtype: DType = dtypes.f32,
        precision: Any = None, kernel_init: Any = None, bias_init: Any = None, promote_dtype: Any = None,
        dot_general: Any = None, dot_general_cls: Any = None, *, parent: Any = UNSET, name: Any = None,
    ) -> None:  # fmt: skip
        self.features = features
        self.use_bias = use_bias
        self.dtype = dtype
        self.param_dtype = param_dtype
        self.kernel_init = kernel_init
        self.bias_init = bias_init
        super().__init__(parent=parent, name=name)

    def __call__(self, inputs: ArrayLike) -> Tensor:
        known = tensor_of(inputs)
        demand(rank_of(inputs) != 0, "Dense takes arrays with dims", "rank-differs")
        kernel = self.param("kernel", self.kernel_init or kernels(), (known.dim(-1), self.features), self.param_dtype)
        bias = (
            self.param("bias", self.bias_init or zeros(), (self.features,), self.param_dtype) if self.use_bias else None
        )
        x, kernel, bias = promoted(self.dtype, inputs, kernel, bias)
        made = emit("matmul", x, kernel)
        return made if bias is None else emit("add", made, bias)


@model("flax.linen.DenseGeneral", "flax.linen.linear.DenseGeneral")
class DenseGeneral(Module):
    def __init__(
        self, features: SizeOrSizes, axis: Any = -1, batch_dims: Any = (), use_bias: bool = True,
        dtype: DType | None = None, param_dtype: DType = dtypes.f32, kernel_init: Any = None, bias_init: Any = None,
        precision: Any = None, promote_dtype: Any = None, dot_general: Any = None, dot_general_cls: Any = None, *,
        parent: Any = UNSET, name: Any = None,
    ) -> None:  # fmt: skip
        self.features = features
        self.axis = axis
        self.use_bias = use_bias
        self.dtype = dtype
        self.param_dtype = param_dtype
        self.kernel_init = kernel_init
        self.bias_init = bias_init
        super().__init__(parent=parent, name=name)

    def __call__(self, inputs: ArrayLike) -> Tensor:
        features = self.features if isinstance(self.features, tuple) else (self.features,)
        axes = axes_named(self.axis) or (-1,)
        dims = dims_of(inputs)
        if dims is None:
            if axes != (-1,):
                raise Undecided(Reason.UNMODELLED_ARGUMENTS, "an array of unknown rank")
            contracted: tuple[Dim, ...] = (tensor_of(inputs).dim(-1),)
        else:
            fits = all(-len(dims) <= axis < len(dims) for axis in axes)
            demand(fits, f"axes {axes} of {tensor_of(inputs)}", "axis-out-of-range")
            axes = tuple(axis % max(len(dims), 1) for axis in axes)
            contracted = tuple(dims[axis] for axis in axes)
        kernel = self.param("kernel", self.kernel_init or kernels(), (*contracted, *features), self.param_dtype)
        bias = self.param("bias", self.bias_init or zeros(), features, self.param_dtype) if self.use_bias else None
        x, kernel, bias = promoted(self.dtype, inputs, kernel, bias)
        if dims is None:
            made = emit("matmul", x, reshape(kernel, (contracted[0], product(features))))
            return made if len(features) > 1 or bias is None else emit("add", made, bias)
        places = tuple(range(len(axes)))
        made = emit("dot_general", x, kernel, dimension_numbers=((axes, places), ((), ())))
        return made if bias is None else emit("add", made, bias)


@model("flax.linen.Einsum")
class Einsum(Module):
    def __init__(
        self, shape: Any, einsum_str: Any = None, use_bias: bool = True, dtype: DType | None = None,
        param_dtype: DType = dtypes.f32, precision: Any = None, kernel_init: Any = None, bias_init: Any = None,
        promote_dtype: Any = None, preferred_element_type: Any = None, *, parent: Any = UNSET, name: Any = None,
    ) -> None:  # fmt: skip
        self.shape = shape
        self.einsum_str = einsum_str
        self.use_bias = use_bias
        self.dtype = dtype
        self.param_dtype = param_dtype
        self.kernel_init = kernel_init
        super().__init__(parent=parent, name=name)

    def __call__(self, inputs: ArrayLike, einsum_str: Any = None) -> Tensor:
        equation = einsum_str or self.einsum_str
        shape = as_sizes(self.shape)
        kernel = self.param("kernel", self.kernel_init or kernels(), shape, self.param_dtype)
        bias = None
        if self.use_bias:
            left, _, out = equation.replace(" ", "").partition("->")
            letters = left.split(",")[1]
            kept = [shape[letters.index(letter)] for letter in out.replace("...", "") if letter in letters]
            bias = self.param("bias", zeros(), tuple(kept), self.param_dtype)
        x, kernel, bias = promoted(self.dtype, inputs, kernel, bias)
        made = emit("einsum", x, kernel, equation=equation)
        return made if bias is None else emit("add", made, bias)


@model("flax.linen.Embed", "flax.linen.linear.Embed")
class Embed(Module):
    def __init__(
        self, num_embeddings: Size, features: Size, dtype: DType | None = None, param_dtype: DType = dtypes.f32,
        embedding_init: Any = None, promote_dtype: Any = None, *, parent: Any = UNSET, name: Any = None,
    ) -> None:  # fmt: skip
        self.num_embeddings = num_embeddings
        self.features = features
        self.dtype = dtype
        self.param_dtype = param_dtype
        self.embedding_init = embedding_init
        super().__init__(parent=parent, name=name)

    @property
    def embedding(self) -> Any:
        shape = (self.num_embeddings, self.features)
        return self.param("embedding", self.cells["embedding_init"] or kernels(), shape, self.param_dtype)

    def __call__(self, inputs: ArrayLike) -> Tensor:
        known = dtype_of(inputs)
        demand(known is None or not known.is_float, f"positions are integers, not {known}", "dtype-differs")
        (table,) = promoted(self.dtype, self.embedding)
        return gathered(table, inputs, 0)

    def attend(self, query: ArrayLike) -> Tensor:
        x, table = promoted(self.dtype, query, self.embedding)
        return emit("matmul", x, emit("transpose", table, perm=(1, 0)))


SPACE = ("depth", "height", "width")


def each_of(value: Any, count: int) -> tuple[Any, ...]:
    """One number for each spatial dim."""
    if value is None:
        return (1,) * count
    return as_sizes(value) if not isinstance(value, int) else (value,) * count


def conv_pads(padding: Any, count: int) -> Pads:
    """Padding in any of the forms that Flax takes."""
    if isinstance(padding, str):
        return padding.upper()
    if isinstance(padding, int):
        return ((padding, padding),) * count
    pairs = [(each, each) if isinstance(each, int) else as_sizes(each) for each in as_items(padding)]
    pairs = pairs * count if len(pairs) == 1 else pairs
    return pads_of(tuple(pairs))


@model("flax.linen.Conv", "flax.linen.linear.Conv", "flax.linen.ConvLocal")
class Conv(Module):
    """Channels are last; dims before the batch are folded into it."""

    def __init__(
        self, features: Size, kernel_size: SizeOrSizes, strides: SizeOrSizes | None = 1, padding: Any = "SAME",
        input_dilation: SizeOrSizes | None = 1, kernel_dilation: SizeOrSizes | None = 1, feature_group_count: Size = 1,
        use_bias: bool = True, mask: Any = None, dtype: DType | None = None, param_dtype: DType = dtypes.f32,
        precision: Any = None, kernel_init: Any = None, bias_init: Any = None, promote_dtype: Any = None,
        conv_general_dilated: Any = None, conv_general_dilated_cls: Any = None, *, parent: Any = UNSET,
        name: Any = None,
    ) -> None:  # fmt: skip
        demand(not isinstance(kernel_size, int), "kernel_size is a sequence of sizes", "illegal-argument")
        self.features = features
        self.kernel_size = kernel_size if isinstance(kernel_size, tuple) else (kernel_size,)
        self.strides = strides
        self.padding = padding
        self.input_dilation = input_dilation
        self.kernel_dilation = kernel_dilation
        self.feature_group_count = feature_group_count
        self.use_bias = use_bias
        self.dtype = dtype
        self.param_dtype = param_dtype
        self.kernel_init = kernel_init
        self.bias_init = bias_init
        super().__init__(parent=parent, name=name)

    def __call__(self, inputs: ArrayLike) -> Tensor:
        count = len(self.kernel_size)
        inputs = assumed(inputs, count + 2, "batch", *SPACE[-count:], "channels")
        dims = dims_or_refuse(inputs)
        channels, groups = dims[-1], self.feature_group_count
        if isinstance(channels, int) and isinstance(groups, int):
            demand(channels % groups == 0, f"{channels} channels do not fall into {groups} groups", "not-divisible")
        shape = (*self.kernel_size, channels // groups, self.features)
        kernel = self.param("kernel", self.kernel_init or kernels(), shape, self.param_dtype)
        bias = (
            self.param("bias", self.bias_init or zeros(), (self.features,), self.param_dtype) if self.use_bias else None
        )
        x, kernel, bias = promoted(self.dtype, inputs, kernel, bias)
        made = convolved_by(self, x, kernel, dims, count)
        return made if bias is None else emit("add", made, bias)


def convolved_by(layer: Any, x: Any, kernel: Any, dims: tuple[Dim, ...], count: int) -> Any:
    letters = "DHW"[-count:]
    front = dims[: -(count + 1)]
    folded = len(front) != 1
    if folded:
        x = reshape(x, (product(front), *dims[-(count + 1) :]))
    strides, dilation = each_of(layer.strides, count), each_of(layer.kernel_dilation, count)
    spread = each_of(layer.input_dilation, count)
    pads = conv_pads(layer.padding, count)
    if pads in ("CIRCULAR", "CAUSAL", "REFLECT"):
        widths = [(size - 1) * gap for size, gap in zip(layer.kernel_size, dilation, strict=False)]
        pairs = [(w, 0) if pads == "CAUSAL" else (w // 2, w - w // 2) for w in widths]
        pads = tuple(pairs)
    attributes: dict[str, Any] = {"strides": strides, "dilations": dilation, "group": layer.feature_group_count}
    if any(gap != 1 for gap in spread):
        attributes["input_dilation"] = spread
    made = convolved(x, kernel, pads, f"N{letters}C", f"{letters}IO", attributes)
    if folded:
        made = reshape(made, (*front, *dims_or_refuse(made)[1:]))
    return made


@model("flax.linen.ConvTranspose", "flax.linen.linear.ConvTranspose")
class ConvTranspose(Module):
    def __init__(
        self, features: Size, kernel_size: SizeOrSizes, strides: SizeOrSizes | None = None, padding: Any = "SAME",
        kernel_dilation: SizeOrSizes | None = None, use_bias: bool = True, mask: Any = None, dtype: DType | None = None,
        param_dtype: DType = dtypes.f32, precision: Any = None, kernel_init: Any = None, bias_init: Any = None,
        transpose_kernel: bool = False, promote_dtype: Any = None, preferred_element_type: Any = None, *,
        parent: Any = UNSET, name: Any = None,
    ) -> None:  # fmt: skip
        self.features = features
        self.kernel_size = kernel_size if isinstance(kernel_size, tuple) else (kernel_size,)
        self.strides = strides
        self.padding = padding
        self.kernel_dilation = kernel_dilation
        self.use_bias = use_bias
        self.dtype = dtype
        self.param_dtype = param_dtype
        self.kernel_init = kernel_init
        self.bias_init = bias_init
        self.transpose_kernel = transpose_kernel
        super().__init__(parent=parent, name=name)

    def __call__(self, inputs: ArrayLike) -> Tensor:
        count = len(self.kernel_size)
        inputs = assumed(inputs, count + 2, "batch", *SPACE[-count:], "channels")
        dims = dims_or_refuse(inputs)
        ends = (self.features, dims[-1]) if self.transpose_kernel else (dims[-1], self.features)
        kernel = self.param("kernel", self.kernel_init or kernels(), (*self.kernel_size, *ends), self.param_dtype)
        bias = (
            self.param("bias", self.bias_init or zeros(), (self.features,), self.param_dtype) if self.use_bias else None
        )
        x, kernel, bias = promoted(self.dtype, inputs, kernel, bias)
        pads = conv_pads(self.padding, count)
        strides, gaps = each_of(self.strides, count), each_of(self.kernel_dilation, count)
        space = [
            transposed_length(
                dims[place - count - 1], (self.kernel_size[place] - 1) * gaps[place] + 1, strides[place],
                ("SAME" if pads == "CIRCULAR" else pads) if isinstance(pads, str) else pads[place],
            )
            for place in range(count)
        ]  # fmt: skip
        sizes = (*dims[: -(count + 1)], *space, self.features)
        made = opaque("conv_transpose", [x, kernel], Known(dtype_of(x), sizes), Array)
        return made if bias is None else emit("add", made, bias)
