"""Recurrent layers: one layer of the canonical operators after the other, gates in their order."""

from __future__ import annotations

from typing import Any, ClassVar

from mlvet.domains import dims as sizes
from mlvet.domains.dims import Dim
from mlvet.domains.dtypes import DType
from mlvet.domains.tensors import Tensor as Type
from mlvet.frontends.python.active import store
from mlvet.frontends.python.arrays.shaping import joined, reshape, split, squeezed, stacked, transpose, unsqueezed
from mlvet.frontends.python.emission import demand, emit, emit_all, opaque
from mlvet.frontends.python.libraries.binding import Number, Size, as_items
from mlvet.frontends.python.libraries.limits import fraction, positive
from mlvet.frontends.python.libraries.registry import model
from mlvet.frontends.python.libraries.torch.nn.expectations import expected
from mlvet.frontends.python.libraries.torch.nn.module import Module
from mlvet.frontends.python.libraries.torch.nn.parameter import fan_in_uniform, parameter
from mlvet.frontends.python.libraries.torch.nn.sequences import PackedSequence, packed
from mlvet.frontends.python.libraries.torch.tensor import Tensor
from mlvet.frontends.python.values.containers import ListValue
from mlvet.frontends.python.values.numbers import Scalar
from mlvet.frontends.python.values.tensors import TensorValue, dims_of, dtype_of, rank_of
from mlvet.frontends.python.values.unknown import Unknown

GATES = {"lstm": (0, 3, 1, 2), "gru": (1, 0, 2), "rnn": (0,)}
"""For each canonical gate its place in torch: i, o, f, c of i, f, g, o; z, r, h of r, z, n."""


@model("torch.nn.RNNBase")
class Recurrent(Module):
    """What recurrent layers share: weights of each layer and direction, and the run over a sequence."""

    __slots__ = ()
    op: ClassVar[str] = "rnn"

    def _prepare(
        self, input_size: Dim, hidden_size: Dim, num_layers: Dim, bias: bool, batch_first: bool, dropout: Any,
        bidirectional: bool, proj_size: Dim, dtype: DType | None,
    ) -> None:  # fmt: skip
        positive("hidden_size", hidden_size)
        positive("num_layers", num_layers)
        fraction("dropout", dropout)
        self.input_size, self.hidden_size, self.num_layers = input_size, hidden_size, num_layers
        self.batch_first, self.dropout, self.bidirectional, self.proj_size = (
            batch_first,
            dropout,
            bidirectional,
            proj_size,
        )
        store(self.cells, "@bias", bias)
        wide = len(GATES[self.op]) * hidden_size
        state = proj_size if proj_size != 0 else hidden_size
        drawn = fan_in_uniform([hidden_size])
        name = type(self).__name__
        for layer in range(num_layers if isinstance(num_layers, int) else 1):
            for suffix in ("", "_reverse")[: self._directions]:
                inner = input_size if layer == 0 else state * self._directions
                rows: list[tuple[str, tuple[Dim, ...]]] = [("weight_ih", (wide, inner)), ("weight_hh", (wide, state))]
                rows += [("bias_ih", (wide,)), ("bias_hh", (wide,))] if bias else []
                rows += [("weight_hr", (proj_size, hidden_size))] if proj_size != 0 else []
                for kind, shape in rows:
                    key = f"{kind}_l{layer}{suffix}"
                    store(self.cells, key, parameter(f"{name}.{key}", shape, dtype, drawn))

    @property
    def _directions(self) -> int:
        return 2 if self.bidirectional is True else 1

    @property
    def bias(self) -> Any:
        return self.cells.get("@bias", True)

    def flatten_parameters(self) -> None:
        pass

    def reset_parameters(self) -> None:
        pass

    def forward(self, input: Any, hx: Any = None) -> Any:
        if isinstance(input, PackedSequence):
            y, states = self._run(input.cells["@padded"], self._initial(hx, 3))
            return packed(y), self._last(states)
        from mlvet.frontends.python.libraries.binding import as_tensor

        names = ("batch", "steps") if self.batch_first else ("steps", "batch")
        input = expected(as_tensor(input, "torch"), *names, self.input_size)
        rank = rank_of(input)
        demand(rank in (2, 3), f"a recurrent layer takes 2 or 3 dims, but got {rank}", "rank-differs")
        single = rank == 2
        initial = self._initial(hx, 2 if single else 3)
        if single:
            input, initial = unsqueezed(input, (1,)), [unsqueezed(each, (1,)) for each in initial]
        elif self.batch_first:
            input = transpose(input, (1, 0, 2))
        y, states = self._run(input, initial)
        if single:
            return squeezed(y, (1,)), self._last([squeezed(each, (1,)) for each in states])
        return (transpose(y, (1, 0, 2)) if self.batch_first else y), self._last(states)

    def _last(self, states: list[Any]) -> Any:
        return tuple(states) if self.op == "lstm" else states[0]

    def _initial(self, hx: Any, rank: int) -> list[Any]:
        """The states to start from; none means zeros."""
        if hx is None or isinstance(hx, Unknown | Scalar):
            return []
        given = as_items(hx) if isinstance(hx, tuple | list | ListValue) else (hx,)
        tensors = [each for each in given if isinstance(each, TensorValue)]
        demand(len(given) == (2 if self.op == "lstm" else 1), "the states are (h, c) for an LSTM, else h alone")
        ranks = [rank_of(each) for each in tensors]
        fit = all(found in (None, rank) for found in ranks)
        demand(fit, f"the states of such an input have {rank} dims", "rank-differs")
        return tensors if fit and len(tensors) == len(given) and None not in ranks else []

    def _run(self, x: Any, initial: list[Any]) -> tuple[Any, list[Any]]:
        """Over [steps, batch, features]: all results, and the last states of all layers."""
        if not isinstance(self.num_layers, int) or self.proj_size != 0:
            return self._untold(x)
        finals: list[list[Any]] = []
        for layer in range(self.num_layers):
            part = [self._part(state, layer) for state in initial]
            x, last = self._layer(x, layer, part)
            finals.append(last)
            dropped = isinstance(self.dropout, int | float) and self.dropout > 0
            if dropped and self.training is not False and layer < self.num_layers - 1:
                x = emit("dropout", x, float(self.dropout), True)
        if not finals:
            return x, []
        columns = zip(*finals, strict=True)
        return x, [joined(column, 0) if len(column) > 1 else column[0] for column in columns]

    def _part(self, state: Any, layer: int) -> Any:
        if self.num_layers == 1:
            return state
        dims = dims_of(state) or ()
        wanted = self.num_layers * self._directions
        found = sizes.equal(dims[0], wanted) if dims else None
        demand(found, f"there is a state for each of {wanted} layers and directions", "dims-differ")
        if found is False:
            return None
        start = layer * self._directions
        return emit("slice", state, (start,), (start + self._directions,), (0,))

    def _layer(self, x: Any, layer: int, states: list[Any]) -> tuple[Any, list[Any]]:
        suffixes = ("", "_reverse")[: self._directions]
        w = stacked([self._weight("weight_ih", layer, suffix) for suffix in suffixes], 0)
        r = stacked([self._weight("weight_hh", layer, suffix) for suffix in suffixes], 0)
        b = None
        if self.bias:
            kinds = ("bias_ih", "bias_hh")
            b = stacked([joined([self._weight(kind, layer, s) for kind in kinds], 0) for s in suffixes], 0)
        attributes: dict[str, Any] = {"direction": "bidirectional" if self._directions == 2 else "forward"}
        attributes["hidden_size"] = self.hidden_size
        if self.op == "gru":
            attributes["linear_before_reset"] = 1
        if self.op == "rnn":
            attributes["activations"] = (self._activation,) * self._directions
        count = 3 if self.op == "lstm" else 2
        y, *last = emit_all(self.op, x, w, r, b, None, *states, count=count, **attributes)
        dims = dims_of(x)
        moved = transpose(y, (0, 2, 1, 3))
        if dims is None or len(dims) != 3:
            return reshape(moved, (-1, 1, self._directions * self.hidden_size)), last
        return reshape(moved, (dims[0], dims[1], self._directions * self.hidden_size)), last

    @property
    def _activation(self) -> str:
        return "Relu" if self.cells.get("nonlinearity") == "relu" else "Tanh"

    def _weight(self, kind: str, layer: int, suffix: str) -> Any:
        """A weight with the gates in canonical order."""
        weight = self.cells[f"{kind}_l{layer}{suffix}"]
        order = GATES[self.op]
        if len(order) == 1:
            return weight
        parts = split(weight, [self.hidden_size] * len(order), 0)
        return joined([parts[place] for place in order], 0)

    def _untold(self, x: Any) -> tuple[Any, list[Any]]:
        """Layers of unknown number, or with projections: only the types of the results."""
        steps, batch, features = dims_of(x) or (0, 0, 0)
        demand(sizes.equal(features, self.input_size), "the layer takes input_size features", "dims-differ")
        out = self.proj_size if self.proj_size != 0 else self.hidden_size
        count = self.num_layers * self._directions
        name = type(self).__name__
        y = opaque(name, [x], Type(dtype_of(x), (steps, batch, self._directions * out)), Tensor)
        widths = (out, self.hidden_size) if self.op == "lstm" else (out,)
        return y, [opaque(name, [x], Type(dtype_of(x), (count, batch, width)), Tensor) for width in widths]


@model("torch.nn.RNN")
class RNN(Recurrent):
    __slots__ = ()

    def __init__(
        self, input_size: Size, hidden_size: Size, num_layers: Size = 1, nonlinearity: str = "tanh", bias: bool = True,
        batch_first: bool = False, dropout: Number = 0.0, bidirectional: bool = False, device: Any = None,
        dtype: DType | None = None,
    ) -> None:  # fmt: skip
        super().__init__()
        self.nonlinearity = nonlinearity
        demand(nonlinearity in ("tanh", "relu"), f"an RNN has no nonlinearity {nonlinearity!r}")
        self.bidirectional = bidirectional
        self._prepare(input_size, hidden_size, num_layers, bias, batch_first, dropout, bidirectional, 0, dtype)


@model("torch.nn.LSTM")
class LSTM(Recurrent):
    __slots__ = ()
    op: ClassVar[str] = "lstm"

    def __init__(
        self, input_size: Size, hidden_size: Size, num_layers: Size = 1, bias: bool = True, batch_first: bool = False,
        dropout: Number = 0.0, bidirectional: bool = False, proj_size: Size = 0, device: Any = None,
        dtype: DType | None = None,
    ) -> None:  # fmt: skip
        super().__init__()
        self.bidirectional = bidirectional
        self._prepare(input_size, hidden_size, num_layers, bias, batch_first, dropout, bidirectional, proj_size, dtype)


@model("torch.nn.GRU")
class GRU(Recurrent):
    __slots__ = ()
    op: ClassVar[str] = "gru"

    def __init__(
        self, input_size: Size, hidden_size: Size, num_layers: Size = 1, bias: bool = True, batch_first: bool = False,
        dropout: Number = 0.0, bidirectional: bool = False, device: Any = None, dtype: DType | None = None,
    ) -> None:  # fmt: skip
        super().__init__()
        self.bidirectional = bidirectional
        self._prepare(input_size, hidden_size, num_layers, bias, batch_first, dropout, bidirectional, 0, dtype)
