"""Recurrent cells and layers of nnx."""

from __future__ import annotations

from typing import Any

from mlvet.domains import dtypes
from mlvet.domains.dims import Dim
from mlvet.domains.dtypes import DType
from mlvet.domains.tensors import Tensor as Known
from mlvet.frontends.python.active import machine
from mlvet.frontends.python.emission import emit, opaque
from mlvet.frontends.python.libraries.binding import Size, Sizes
from mlvet.frontends.python.libraries.flax.linen.attention import pair_of
from mlvet.frontends.python.libraries.flax.linen.dense import dims_or_refuse
from mlvet.frontends.python.libraries.flax.nnx.functions import Module
from mlvet.frontends.python.libraries.flax.nnx.layers import Linear
from mlvet.frontends.python.libraries.jax.array import Array, ArrayLike, as_jax
from mlvet.frontends.python.libraries.jax.transformations import like, with_axis, without_axis
from mlvet.frontends.python.libraries.jax.trees import mapped
from mlvet.frontends.python.libraries.registry import model
from mlvet.frontends.python.values.unknown import Reason, Undecided


@model("flax.nnx.RNNCellBase")
class RNNCellBase(Module):
    """Cells; the program may have some of its own."""

    @property
    def num_feature_axes(self) -> int:
        return 1


class Cell(RNNCellBase):
    """A cell of one product of the input and one of the state."""

    def __init__(
        self, in_features: Size, hidden_features: Size, *, dtype: DType | None = None, param_dtype: DType = dtypes.f32,
        rngs: Any, **options: Any,
    ) -> None:  # fmt: skip
        given: dict[str, Any] = {"dtype": dtype, "param_dtype": param_dtype, "rngs": rngs}
        self.in_features = in_features
        self.hidden_features = hidden_features
        self.cells["@input"] = Linear(in_features, hidden_features, **given)
        self.cells["@state"] = Linear(hidden_features, hidden_features, **given)

    def _next(self, inputs: Any, state: Any) -> Any:
        return emit("tanh", emit("add", self.cells["@input"](inputs), self.cells["@state"](as_jax(state))))

    def _zeros(self, input_shape: tuple[Dim, ...]) -> Any:
        return opaque("carry", [], Known(dtypes.f32, (*input_shape[:-1], self.hidden_features)), Array)


@model("flax.nnx.LSTMCell", "flax.nnx.OptimizedLSTMCell")
class LSTMCell(Cell):
    def __call__(self, carry: Any, inputs: ArrayLike) -> Any:
        memory, hidden = pair_of(carry)
        made = self._next(inputs, hidden)
        return (emit("add", as_jax(memory), made, kind=Array), made), made

    def initialize_carry(self, input_shape: Sizes, rngs: Any = None, carry_init: Any = None) -> Any:
        return self._zeros(input_shape), self._zeros(input_shape)


@model("flax.nnx.GRUCell", "flax.nnx.SimpleCell")
class GRUCell(Cell):
    def __call__(self, carry: Any, inputs: ArrayLike) -> Any:
        made = emit("add", as_jax(carry), self._next(inputs, carry), kind=Array)
        return made, made

    def initialize_carry(self, input_shape: Sizes, rngs: Any = None, carry_init: Any = None) -> Any:
        return self._zeros(input_shape)


@model("flax.nnx.RNN")
class RNN(Module):
    def __init__(
        self, cell: Any, time_major: bool = False, return_carry: bool = False, reverse: bool = False,
        keep_order: bool = False, unroll: Any = 1, **options: Any,
    ) -> None:  # fmt: skip
        self.cell = cell
        self.time_major = time_major
        self.return_carry = return_carry

    def __call__(
        self, inputs: ArrayLike, *, initial_carry: Any = None, seq_lengths: Any = None, return_carry: Any = None,
        time_major: Any = None, reverse: Any = None, keep_order: Any = None, rngs: Any = None,
    ) -> Any:  # fmt: skip
        dims = dims_or_refuse(inputs)
        first = self.time_major if time_major is None else time_major
        axis = 0 if first is True else len(dims) - 2
        sizes: list[Dim] = []
        step = without_axis(inputs, axis, sizes)
        carry = initial_carry
        if carry is None:
            carry = machine().send(self.cell, "initialize_carry", dims_or_refuse(step), rngs)
        result = machine().call(self.cell, like(carry, "carry"), step)
        if not (isinstance(result, tuple) and len(result) == 2):
            raise Undecided(Reason.DYNAMIC_CONTAINER, "a cell that does not yield a pair")
        outputs = mapped(lambda _, leaf: with_axis(leaf, axis, sizes[0]), result[1])
        wanted = self.return_carry if return_carry is None else return_carry
        return (result[0], outputs) if wanted is True else outputs


@model("flax.nnx.Bidirectional")
class Bidirectional(Module):
    def __init__(
        self, forward_rnn: Any, backward_rnn: Any, *, merge_fn: Any = None, time_major: bool = False,
        return_carry: bool = False, rngs: Any = None,
    ) -> None:  # fmt: skip
        self.forward_rnn = forward_rnn
        self.backward_rnn = backward_rnn
        self.merge_fn = merge_fn
        self.return_carry = return_carry

    def __call__(self, inputs: ArrayLike, **options: Any) -> Any:
        options.pop("initial_carry", None)
        options.pop("return_carry", None)
        left, right = (
            machine().call(each, inputs, return_carry=True, **options) for each in (self.forward_rnn, self.backward_rnn)
        )
        outputs = left[1], right[1]
        merged = machine().call(self.merge_fn, *outputs) if self.merge_fn else emit("concat", *outputs, axis=-1)
        return ((left[0], right[0]), merged) if self.return_carry else merged
