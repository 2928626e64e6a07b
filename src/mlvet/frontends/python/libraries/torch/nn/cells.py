"""Recurrent cells: one step of a recurrence."""

from __future__ import annotations

from typing import Any, ClassVar

from mlvet.domains.dims import Dim, equal
from mlvet.domains.dtypes import DType
from mlvet.frontends.python.active import store
from mlvet.frontends.python.arrays.creation import full
from mlvet.frontends.python.arrays.shaping import split
from mlvet.frontends.python.emission import demand, emit
from mlvet.frontends.python.libraries.binding import Size, Tensor, as_items, as_tensor
from mlvet.frontends.python.libraries.registry import model
from mlvet.frontends.python.libraries.torch.nn.expectations import expected
from mlvet.frontends.python.libraries.torch.nn.module import Module
from mlvet.frontends.python.libraries.torch.nn.parameter import fan_in_uniform, parameter
from mlvet.frontends.python.libraries.torch.tensor import Tensor as TorchTensor
from mlvet.frontends.python.values.tensors import TensorValue, dims_of, dtype_of, rank_of
from mlvet.frontends.python.values.unknown import Unknown


class Cell(Module):
    """What cells share: two linear maps, of the input and of the state, to the gates."""

    __slots__ = ()
    gates: ClassVar[int] = 1

    def _prepare(self, input_size: Dim, hidden_size: Dim, bias: bool, dtype: DType | None) -> None:
        self.input_size, self.hidden_size = input_size, hidden_size
        name, wide = type(self).__name__, self.gates * hidden_size
        drawn = fan_in_uniform([hidden_size])
        self.weight_ih = parameter(f"{name}.weight_ih", (wide, input_size), dtype, drawn)
        self.weight_hh = parameter(f"{name}.weight_hh", (wide, hidden_size), dtype, drawn)
        self.bias_ih = parameter(f"{name}.bias_ih", (wide,), dtype, drawn) if bias else None
        self.bias_hh = parameter(f"{name}.bias_hh", (wide,), dtype, drawn) if bias else None
        store(self.cells, "@bias", bias)

    @property
    def bias(self) -> Any:
        return self.cells.get("@bias", True)

    def _states(self, input: TensorValue, hx: Any, count: int) -> tuple[Any, list[Any]]:
        """The input and the states; no states are zeros."""
        input = expected(input, "batch", self.input_size)
        dims, rank = dims_of(input) or (), rank_of(input)
        demand(rank in (1, 2), f"a recurrent cell takes 1 or 2 dims, but got {rank}", "rank-differs")
        if hx is None:
            zeros = full((*dims[:-1], self.hidden_size), 0.0, dtype_of(self.weight_ih) or dtype_of(input), TorchTensor)  # type: ignore[arg-type]
            return input, [zeros] * count
        given = [hx] * count if isinstance(hx, TensorValue | Unknown) else list(as_items(hx))
        demand(len(given) == count, "the states are (h, c) for an LSTM, else h alone")
        states = []
        for each in given:
            state = expected(as_tensor(each, "torch"), *dims[:-1], self.hidden_size)
            found = dims_of(state) or ()
            demand(len(found) == rank, f"the state of such an input has {rank} dims", "rank-differs")
            if len(found) == rank == 2:
                demand(equal(found[0], dims[0]), "input and state are of one batch", "dims-differ")
            states.append(state)
        return input, states

    def _maps(self, x: Any, h: Any) -> tuple[Any, Any]:
        return emit("linear", x, self.weight_ih, self.bias_ih), emit("linear", h, self.weight_hh, self.bias_hh)


@model("torch.nn.RNNCell")
class RNNCell(Cell):
    __slots__ = ()

    def __init__(
        self, input_size: Size, hidden_size: Size, bias: bool = True, nonlinearity: str = "tanh", device: Any = None,
        dtype: DType | None = None,
    ) -> None:  # fmt: skip
        super().__init__()
        self.nonlinearity = nonlinearity
        self._prepare(input_size, hidden_size, bias, dtype)

    def forward(self, input: Tensor, hx: Tensor | None = None) -> Tensor:
        input, (h,) = self._states(input, hx, 1)
        inner, outer = self._maps(input, h)
        return emit("relu" if self.nonlinearity == "relu" else "tanh", emit("add", inner, outer))


@model("torch.nn.LSTMCell")
class LSTMCell(Cell):
    __slots__ = ()
    gates: ClassVar[int] = 4

    def __init__(
        self, input_size: Size, hidden_size: Size, bias: bool = True, device: Any = None, dtype: DType | None = None
    ) -> None:
        super().__init__()
        self._prepare(input_size, hidden_size, bias, dtype)

    def forward(self, input: Tensor, hx: Any = None) -> Any:
        input, (h, c) = self._states(input, hx, 2)
        inner, outer = self._maps(input, h)
        i, f, g, o = split(emit("add", inner, outer), [self.hidden_size] * 4, -1)
        kept = emit("mul", emit("sigmoid", f), c)
        c = emit("add", kept, emit("mul", emit("sigmoid", i), emit("tanh", g)))
        return emit("mul", emit("sigmoid", o), emit("tanh", c)), c


@model("torch.nn.GRUCell")
class GRUCell(Cell):
    __slots__ = ()
    gates: ClassVar[int] = 3

    def __init__(
        self, input_size: Size, hidden_size: Size, bias: bool = True, device: Any = None, dtype: DType | None = None
    ) -> None:
        super().__init__()
        self._prepare(input_size, hidden_size, bias, dtype)

    def forward(self, input: Tensor, hx: Tensor | None = None) -> Tensor:
        input, (h,) = self._states(input, hx, 1)
        inner, outer = self._maps(input, h)
        reset, update, new = split(inner, [self.hidden_size] * 3, -1)
        reset_h, update_h, new_h = split(outer, [self.hidden_size] * 3, -1)
        r = emit("sigmoid", emit("add", reset, reset_h))
        z = emit("sigmoid", emit("add", update, update_h))
        n = emit("tanh", emit("add", new, emit("mul", r, new_h)))
        return emit("add", n, emit("mul", z, emit("sub", h, n)))
