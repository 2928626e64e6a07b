"""Attention with several heads, and recurrent cells and layers."""

from __future__ import annotations

from typing import Any

from mlvet.domains import dtypes
from mlvet.domains.dims import Dim
from mlvet.domains.dtypes import DType
from mlvet.domains.tensors import Tensor as Known
from mlvet.frontends.python.active import machine
from mlvet.frontends.python.emission import demand, emit, opaque
from mlvet.frontends.python.libraries.binding import Number, Size, SizeOrSizes, Sizes
from mlvet.frontends.python.libraries.flax.linen.dense import Conv, Dense, DenseGeneral, dims_or_refuse
from mlvet.frontends.python.libraries.flax.linen.module import UNSET, Module
from mlvet.frontends.python.libraries.flax.linen.pooling import dot_product_attention
from mlvet.frontends.python.libraries.jax.array import Array, ArrayLike, as_jax
from mlvet.frontends.python.libraries.jax.transformations import like, with_axis, without_axis
from mlvet.frontends.python.libraries.jax.trees import mapped
from mlvet.frontends.python.libraries.registry import model
from mlvet.frontends.python.values.tensors import dims_of, dtype_of, tensor_of
from mlvet.frontends.python.values.unknown import Reason, Undecided


@model("flax.linen.MultiHeadDotProductAttention", "flax.linen.MultiHeadAttention",
    "flax.linen.attention.MultiHeadDotProductAttention")  # fmt: skip
class MultiHeadDotProductAttention(Module):
    def __init__(
        self, num_heads: Size, dtype: DType | None = None, param_dtype: DType = dtypes.f32,
        qkv_features: Size | None = None, out_features: Size | None = None, broadcast_dropout: bool = True,
        dropout_rate: Number = 0.0, deterministic: Any = None, precision: Any = None, kernel_init: Any = None,
        out_kernel_init: Any = None, bias_init: Any = None, out_bias_init: Any = None, use_bias: bool = True,
        attention_fn: Any = None, decode: bool = False, normalize_qk: bool = False, *, parent: Any = UNSET,
        name: Any = None, **options: Any,
    ) -> None:  # fmt: skip
        self.num_heads = num_heads
        self.dtype = dtype
        self.param_dtype = param_dtype
        self.qkv_features = qkv_features
        self.out_features = out_features
        self.use_bias = use_bias
        self.decode = decode
        super().__init__(parent=parent, name=name)

    def __call__(
        self, inputs_q: ArrayLike, inputs_k: Any = None, inputs_v: Any = None, *, inputs_kv: Any = None,
        mask: Any = None, deterministic: Any = None, dropout_rng: Any = None, sow_weights: bool = False,
    ) -> Any:  # fmt: skip
        keys = inputs_kv if inputs_kv is not None else inputs_q if inputs_k is None else inputs_k
        values = keys if inputs_v is None else inputs_v
        return self._attended(inputs_q, as_jax(keys), as_jax(values), mask)

    def _attended(self, inputs_q: Any, keys: Any, values: Any, mask: Any) -> Any:
        last = tensor_of(inputs_q).dim(-1)
        features = last if self.qkv_features is None else self.qkv_features
        out = last if self.out_features is None else self.out_features
        if isinstance(features, int) and isinstance(self.num_heads, int):
            because = f"{features} features do not fall into {self.num_heads} heads"
            demand(features % self.num_heads == 0, because, "not-divisible")
        size = features // self.num_heads
        query, key, value = (
            self._projected(name, x, (self.num_heads, size), -1)
            for name, x in (("query", inputs_q), ("key", keys), ("value", values))
        )
        if self.decode:
            self._cached(key, value)
        made = dot_product_attention(query, key, value, None, None if self.decode else mask, dtype=self.dtype)
        return self._projected("out", made, (out,), (-2, -1), plain=True)

    def _projected(self, name: str, x: Any, features: tuple[Dim, ...], axis: Any, *, plain: bool = False) -> Any:
        wanted = features[0] if plain else features
        layer = DenseGeneral(
            wanted, axis, use_bias=self.use_bias, dtype=self.dtype, param_dtype=self.param_dtype, parent=self, name=name
        )
        return layer(x)

    def _cached(self, key: Any, value: Any) -> None:
        for name, x in (("cached_key", key), ("cached_value", value)):
            if not self.has_variable("cache", name):
                self.put_variable("cache", name, opaque(name, [x], tensor_of(x).without_value(), Array))
        if not self.has_variable("cache", "cache_index"):
            self.put_variable("cache", "cache_index", opaque("cache_index", [], Known(dtypes.i32, ()), Array))


@model("flax.linen.SelfAttention", "flax.linen.attention.SelfAttention")
class SelfAttention(MultiHeadDotProductAttention):
    def __call__(  # type: ignore[override]
        self, inputs_q: ArrayLike, mask: Any = None, deterministic: Any = None, dropout_rng: Any = None,
        sow_weights: bool = False,
    ) -> Any:  # fmt: skip
        return self._attended(inputs_q, inputs_q, inputs_q, mask)


@model("flax.linen.RNNCellBase", "flax.linen.recurrent.RNNCellBase")
class RNNCellBase(Module):
    """Cells; the program may have some of its own."""

    def initialize_carry(self, rng: Any, input_shape: Sizes) -> Any:
        return self._state(input_shape[:-1])

    def _state(self, batch: tuple[Dim, ...]) -> Any:
        return opaque("carry", [], Known(self.cells.get("param_dtype") or dtypes.f32, (*batch, self.features)), Array)

    @property
    def num_feature_axes(self) -> int:
        return 1


class Cell(RNNCellBase):
    """A cell of gates: each a product of the input and one of the state."""

    _inputs: tuple[tuple[str, bool], ...] = ()
    _states: tuple[tuple[str, bool], ...] = ()

    def __init__(
        self, features: Size, gate_fn: Any = None, activation_fn: Any = None, kernel_init: Any = None,
        recurrent_kernel_init: Any = None, bias_init: Any = None, dtype: DType | None = None,
        param_dtype: DType = dtypes.f32, carry_init: Any = None, *, parent: Any = UNSET, name: Any = None,
        **options: Any,
    ) -> None:  # fmt: skip
        self.features = features
        self.dtype = dtype
        self.param_dtype = param_dtype
        super().__init__(parent=parent, name=name)

    def _gates(self, inputs: Any, state: Any) -> Any:
        """The state that comes in says how many features there are, whatever the cell was made for."""
        total: Any = None
        known = dims_of(state)
        features = known[-1] if known else self.features
        for parts, x in ((self._inputs, inputs), (self._states, state)):
            for gate, bias in parts:
                layer = Dense(features, bias, self.dtype, self.param_dtype, parent=self, name=gate)
                made = layer(x)
                total = made if total is None else emit("add", total, made)
        return emit("tanh", total)


def pair_of(carry: Any) -> Any:
    if not isinstance(carry, tuple) or len(carry) != 2:
        raise Undecided(Reason.DYNAMIC_CONTAINER, "a carry that is not known")
    return carry


class LongCell(Cell):
    """Cells whose carry is a pair."""

    _inputs = (("ii", False), ("if", False), ("ig", False), ("io", False))
    _states = (("hi", True), ("hf", True), ("hg", True), ("ho", True))

    def initialize_carry(self, rng: Any, input_shape: Sizes) -> Any:
        return self._state(input_shape[:-1]), self._state(input_shape[:-1])

    def __call__(self, carry: Any, inputs: ArrayLike) -> Any:
        memory, hidden = pair_of(carry)
        made = self._gates(inputs, as_jax(hidden))
        after = emit("add", as_jax(memory), made, kind=Array)
        return (after, made), made


@model("flax.linen.LSTMCell", "flax.linen.recurrent.LSTMCell")
class LSTMCell(LongCell):
    pass


@model("flax.linen.OptimizedLSTMCell", "flax.linen.recurrent.OptimizedLSTMCell")
class OptimizedLSTMCell(LongCell):
    pass


class ShortCell(Cell):
    """Cells whose carry is one array."""

    def __call__(self, carry: Any, inputs: ArrayLike) -> Any:
        made = self._gates(inputs, as_jax(carry))
        after = emit("add", as_jax(carry), made, kind=Array)
        return after, after


@model("flax.linen.GRUCell", "flax.linen.recurrent.GRUCell")
class GRUCell(ShortCell):
    _inputs = (("ir", True), ("iz", True), ("in", True))
    _states = (("hr", False), ("hz", False), ("hn", True))


@model("flax.linen.MGUCell")
class MGUCell(ShortCell):
    _inputs = (("if", True), ("in", True))
    _states = (("hf", False), ("hn", True))


@model("flax.linen.SimpleCell")
class SimpleCell(ShortCell):
    _inputs = (("i", True),)
    _states = (("h", False),)


@model("flax.linen.ConvLSTMCell", "flax.linen.recurrent.ConvLSTMCell")
class ConvLSTMCell(RNNCellBase):
    def __init__(
        self, features: Size, kernel_size: SizeOrSizes, strides: Any = None, padding: Any = "SAME",
        use_bias: bool = True, dtype: DType | None = None, param_dtype: DType = dtypes.f32, carry_init: Any = None,
        *, parent: Any = UNSET, name: Any = None,
    ) -> None:  # fmt: skip
        self.features = features
        self.kernel_size = kernel_size
        self.strides = strides
        self.padding = padding
        self.use_bias = use_bias
        self.dtype = dtype
        self.param_dtype = param_dtype
        super().__init__(parent=parent, name=name)

    def initialize_carry(self, rng: Any, input_shape: Sizes) -> Any:
        return self._state(input_shape[:-1]), self._state(input_shape[:-1])

    @property
    def num_feature_axes(self) -> int:
        return len(self.kernel_size) + 1

    def __call__(self, carry: Any, inputs: ArrayLike) -> Any:
        memory, hidden = pair_of(carry)
        gates: Any = None
        for name, x in (("ih", inputs), ("hh", as_jax(hidden))):
            layer = Conv(
                self.features * 4, self.kernel_size, self.strides or 1, self.padding, use_bias=self.use_bias,
                dtype=self.dtype, param_dtype=self.param_dtype, parent=self, name=name,
            )  # fmt: skip
            made = layer(x)
            gates = made if gates is None else emit("add", gates, made)
        sizes = (*dims_or_refuse(gates)[:-1], self.features)
        state = opaque("conv_lstm", [gates], Known(dtype_of(gates), sizes), Array)
        after = emit("add", as_jax(memory), state, kind=Array)
        return (after, state), state


@model("flax.linen.RNN", "flax.linen.recurrent.RNN")
class RNN(Module):
    def __init__(
        self, cell: Any, time_major: bool = False, return_carry: bool = False, reverse: bool = False,
        keep_order: bool = False, unroll: Any = 1, *rest: Any, parent: Any = UNSET, name: Any = None, **options: Any,
    ) -> None:  # fmt: skip
        self.cell = cell
        self.time_major = time_major
        self.return_carry = return_carry
        super().__init__(parent=parent, name=name)

    def __call__(
        self, inputs: ArrayLike, *, initial_carry: Any = None, init_key: Any = None, seq_lengths: Any = None,
        return_carry: Any = None, time_major: Any = None, reverse: Any = None, keep_order: Any = None,
    ) -> Any:  # fmt: skip
        dims = dims_of(inputs)
        if dims is None:
            raise Undecided(Reason.UNMODELLED_ARGUMENTS, "an array of unknown rank")
        wide = machine().attribute(self.cell, "num_feature_axes")
        first = self.time_major if time_major is None else time_major
        axis = 0 if first is True else len(dims) - (wide if isinstance(wide, int) else 1) - 1
        sizes: list[Dim] = []
        step = without_axis(inputs, axis, sizes)
        carry = initial_carry
        if carry is None:
            carry = machine().send(self.cell, "initialize_carry", None, dims_or_refuse(step))
        result = machine().call(self.cell, like(carry, "carry"), step)
        if not (isinstance(result, tuple) and len(result) == 2):
            raise Undecided(Reason.DYNAMIC_CONTAINER, "a cell that does not yield a pair")
        outputs = mapped(lambda _, leaf: with_axis(leaf, axis, sizes[0]), result[1])
        wanted = self.return_carry if return_carry is None else return_carry
        return (result[0], outputs) if wanted is True else outputs


@model("flax.linen.Bidirectional")
class Bidirectional(Module):
    def __init__(
        self, forward_rnn: Any, backward_rnn: Any, merge_fn: Any = None, time_major: bool = False,
        return_carry: bool = False, *, parent: Any = UNSET, name: Any = None,
    ) -> None:  # fmt: skip
        self.forward_rnn = forward_rnn
        self.backward_rnn = backward_rnn
        self.merge_fn = merge_fn
        self.return_carry = return_carry
        super().__init__(parent=parent, name=name)

    def __call__(self, inputs: ArrayLike, **options: Any) -> Any:
        options.pop("initial_carry", None)
        options.pop("return_carry", None)
        left, right = (
            machine().call(each, inputs, return_carry=True, **options) for each in (self.forward_rnn, self.backward_rnn)
        )
        outputs = left[1], right[1]
        merged = machine().call(self.merge_fn, *outputs) if self.merge_fn else emit("concat", *outputs, axis=-1)
        return ((left[0], right[0]), merged) if self.return_carry else merged
