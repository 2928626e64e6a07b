"""Layers that are one product with a matrix: Dense, EinsumDense, Embedding."""

from __future__ import annotations

from typing import Any

from mlvet.domains import dtypes
from mlvet.domains.dims import Dim, symbol
from mlvet.frontends.python.active import machine
from mlvet.frontends.python.arrays.arithmetic import cast
from mlvet.frontends.python.emission import demand, emit
from mlvet.frontends.python.libraries.binding import ArrayLike, Size, Tensor, as_items, as_size
from mlvet.frontends.python.libraries.keras.activations import applied
from mlvet.frontends.python.libraries.keras.held import held
from mlvet.frontends.python.libraries.keras.layer import Layer, label
from mlvet.frontends.python.libraries.keras.tensor import floating
from mlvet.frontends.python.libraries.limits import positive
from mlvet.frontends.python.libraries.registry import model
from mlvet.frontends.python.values.tensors import dims_of, dtype_of, tensor_of
from mlvet.frontends.python.values.unknown import Unknown


def last_of(input_shape: Any, name: str = "features") -> Dim:
    """The last size of the shape that a layer is built for."""
    if isinstance(input_shape, tuple) and input_shape:
        return as_size(input_shape[-1], name)
    if isinstance(input_shape, Unknown):
        return symbol(machine().fresh(name))
    items = as_items(input_shape)
    return as_size(items[-1], name) if items else symbol(machine().fresh(name))


@model("keras.layers.Dense")
class Dense(Layer):
    def __init__(
        self, units: Size, activation: Any = None, use_bias: bool = True, kernel_initializer: Any = "glorot_uniform",
        bias_initializer: Any = "zeros", kernel_regularizer: Any = None, bias_regularizer: Any = None,
        activity_regularizer: Any = None, kernel_constraint: Any = None, bias_constraint: Any = None,
        lora_rank: Any = None, lora_alpha: Any = None, **kwargs: Any,
    ) -> None:  # fmt: skip
        del kernel_regularizer, bias_regularizer, kernel_constraint, bias_constraint, lora_rank, lora_alpha
        super().__init__(activity_regularizer=activity_regularizer, **kwargs)
        positive("units", units)
        self.units = units
        self.activation = activation
        self.use_bias = use_bias
        self.kernel_initializer = kernel_initializer
        self.bias_initializer = bias_initializer

    def build(self, input_shape: Any) -> None:
        cells = held(self)
        self._weight("kernel", (last_of(input_shape), cells["units"]), cells["kernel_initializer"])
        if cells["use_bias"]:
            self._weight("bias", (cells["units"],), cells["bias_initializer"])
        self.built = True

    def call(self, inputs: ArrayLike, training: Any = None) -> Tensor:
        del training
        x = floating(inputs, self._compute)
        rank = dims_of(x)
        if rank is not None and len(rank) < 2:
            demand(False, f"`{label(self)}` needs at least 2 dims but gets {tensor_of(x)}", "rank-differs")
        made = emit("matmul", x, self._read("kernel"))
        if held(self)["use_bias"]:
            made = emit("add", made, self._read("bias"))
        return applied(held(self)["activation"], made)

    def compute_output_shape(self, input_shape: Any) -> Any:
        return (*as_items(input_shape)[:-1], held(self)["units"])


@model("keras.layers.EinsumDense")
class EinsumDense(Layer):
    def __init__(
        self, equation: str, output_shape: Any, activation: Any = None, bias_axes: Any = None,
        kernel_initializer: Any = "glorot_uniform", bias_initializer: Any = "zeros", **kwargs: Any,
    ) -> None:  # fmt: skip
        for key in (
            "kernel_regularizer",
            "bias_regularizer",
            "kernel_constraint",
            "bias_constraint",
            "lora_rank",
            "lora_alpha",
        ):
            kwargs.pop(key, None)
        super().__init__(**kwargs)
        self.equation = equation.replace(" ", "")
        self.partial_output_shape = (output_shape,) if isinstance(output_shape, int) else as_items(output_shape)
        self.activation = activation
        self.bias_axes = bias_axes
        self.kernel_initializer = kernel_initializer
        self.bias_initializer = bias_initializer

    def build(self, input_shape: Any) -> None:
        cells = held(self)
        left, _, result = cells["equation"].partition("->")
        left, _, kernel = left.partition(",")
        sizes = self._letters(left, result, input_shape)
        shape = [sizes.get(letter, symbol(machine().fresh(letter))) for letter in kernel.replace("...", "")]
        self._weight("kernel", tuple(shape), cells["kernel_initializer"])
        axes = cells["bias_axes"]
        if isinstance(axes, str) and axes:
            letters = result.replace("...", "")
            first = min((letters.index(letter) for letter in axes if letter in letters), default=0)
            bias = [sizes.get(letter, 1) if letter in axes else 1 for letter in letters[first:]]
            self._weight("bias", tuple(bias), cells["bias_initializer"])
        self.built = True

    def _letters(self, left: str, result: str, input_shape: Any) -> dict[str, Dim]:
        """The sizes that the letters of the equation stand for."""
        sizes: dict[str, Dim] = {}
        wanted = held(self)["partial_output_shape"]
        for letter, dim in zip(reversed(result.replace("...", "")), reversed(wanted), strict=False):
            if dim is not None:
                sizes[letter] = as_size(dim)
        if isinstance(input_shape, Unknown):
            return sizes
        dims = as_items(input_shape)
        if "..." in left:
            before, _, after = left.partition("...")
            sizes.update(zip(before, dims, strict=False))
            sizes.update(zip(reversed(after), reversed(dims), strict=False))
        elif len(left) == len(dims):
            sizes.update(zip(left, dims, strict=True))
        return sizes

    def call(self, inputs: ArrayLike, training: Any = None) -> Tensor:
        del training
        made = emit("einsum", floating(inputs, self._compute), self._read("kernel"), equation=held(self)["equation"])
        if "bias" in self.cells:
            made = emit("add", made, self._read("bias"))
        return applied(held(self)["activation"], made)


@model("keras.layers.Embedding")
class Embedding(Layer):
    def __init__(
        self, input_dim: Size, output_dim: Size, embeddings_initializer: Any = "uniform",
        embeddings_regularizer: Any = None, embeddings_constraint: Any = None, mask_zero: bool = False,
        weights: Any = None, lora_rank: Any = None, lora_alpha: Any = None, input_length: Any = None, **kwargs: Any,
    ) -> None:  # fmt: skip
        del embeddings_regularizer, embeddings_constraint, weights, lora_rank, lora_alpha
        if input_length is not None and "input_shape" not in kwargs:
            kwargs["input_shape"] = (input_length,)
        super().__init__(**kwargs)
        positive("input_dim", input_dim)
        positive("output_dim", output_dim)
        self.input_dim = input_dim
        self.output_dim = output_dim
        self.mask_zero = mask_zero
        self.supports_masking = mask_zero
        self.embeddings_initializer = embeddings_initializer

    def build(self, input_shape: Any = None) -> None:
        del input_shape
        cells = held(self)
        self._weight("embeddings", (cells["input_dim"], cells["output_dim"]), cells["embeddings_initializer"])
        self.built = True

    def call(self, inputs: ArrayLike) -> Tensor:
        known = dtype_of(inputs)
        indices = inputs if known is None or known.is_integer else cast(inputs, dtypes.i32)
        return emit("gather", self._read("embeddings"), indices, axis=0, kind=type(inputs))

    @property
    def _makes_mask(self) -> bool:
        return bool(held(self)["mask_zero"])

    def compute_mask(self, inputs: Any, previous_mask: Any = None) -> Any:
        del previous_mask
        return inputs != 0 if held(self)["mask_zero"] else None


@model("keras.layers.ReversibleEmbedding", "keras_hub.layers.ReversibleEmbedding")
class ReversibleEmbedding(Embedding):
    """An embedding whose table also turns features into scores of tokens."""

    def __init__(
        self, input_dim: Size, output_dim: Size, tie_weights: Any = True, embeddings_initializer: Any = "uniform",
        embeddings_regularizer: Any = None, embeddings_constraint: Any = None, mask_zero: bool = False,
        reverse_dtype: Any = None, logit_soft_cap: Any = None, **kwargs: Any,
    ) -> None:  # fmt: skip
        super().__init__(input_dim, output_dim, embeddings_initializer, mask_zero=mask_zero, **kwargs)

    def call(self, inputs: ArrayLike, reverse: Any = False) -> Tensor:
        if reverse is True:
            return emit(
                "matmul", floating(inputs, self._compute), emit("transpose", self._read("embeddings"), perm=(1, 0))
            )
        return Embedding.call(self, inputs)
