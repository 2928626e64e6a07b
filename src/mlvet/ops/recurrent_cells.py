"""One step of a recurrent layer, with the gates in PyTorch's order."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from mlvet.domains.dims import Dim
from mlvet.domains.tensors import Tensor
from mlvet.ops.activations import logistic
from mlvet.ops.enclosures_recurrent import GRU_CELL, LSTM_CELL, RNN_CELL
from mlvet.ops.precision import narrow, wide
from mlvet.ops.recurrent import GATES, recurrent
from mlvet.ops.require import Require
from mlvet.ops.samples import Draw, Sample


def _cell(
    x: Tensor,
    states: tuple[Tensor, ...],
    w_ih: Tensor,
    w_hh: Tensor,
    b_ih: Tensor | None,
    b_hh: Tensor | None,
    gates: int,
    require: Require,
) -> Tensor:
    """The next state: [batch, hidden] of a batch, [hidden] of a single input."""
    dtype = require.same_dtype(x, *states, w_ih, w_hh, b_ih, b_hh)
    if not (require.rank(w_ih, 2, "input weights") and require.rank(w_hh, 2, "hidden weights")):
        return require.unknown_tensor(dtype)
    if not require.holds(x.rank in (1, 2), f"the input must have 1 or 2 dims, but is {x}", rule="rank-differs"):
        return require.unknown_tensor(dtype)
    hidden = w_hh.dims[1]
    shape: tuple[Dim, ...] = (*x.dims[:-1], hidden)
    wanted: list[tuple[Dim, Dim, str]] = [
        (x.dims[-1], w_ih.dims[1], "the weights take the features of the input"),
        (w_ih.dims[0], gates * hidden, f"the weights feed {gates} gates of the hidden size"),
        (w_hh.dims[0], gates * hidden, f"the recurrence feeds {gates} gates of the hidden size"),
    ]
    for state in states:
        if require.rank(state, x.rank, "state"):
            wanted += [(*pair, "the state is [batch, hidden]") for pair in zip(state.dims, shape, strict=True)]
    for bias in (b_ih, b_hh):
        if bias is not None and require.rank(bias, 1, "bias"):
            wanted.append((bias.dims[0], gates * hidden, "one bias per gate and hidden element"))
    for found, right, because in wanted:
        require.equal(found, right, because=because)
    return Tensor(dtype, shape)


def infer_rnn_cell(
    x: Tensor, h: Tensor, w_ih: Tensor, w_hh: Tensor, b_ih: Tensor | None = None, b_hh: Tensor | None = None, *,
    require: Require, nonlinearity: str = "tanh",
) -> Tensor:  # fmt: skip
    """The next hidden state."""
    require.holds(nonlinearity in ("tanh", "relu"), f"the nonlinearity {nonlinearity!r} is neither tanh nor relu")
    return _cell(x, (h,), w_ih, w_hh, b_ih, b_hh, GATES["rnn"], require)


def infer_gru_cell(
    x: Tensor, h: Tensor, w_ih: Tensor, w_hh: Tensor, b_ih: Tensor | None = None, b_hh: Tensor | None = None, *,
    require: Require,
) -> Tensor:  # fmt: skip
    """The next hidden state."""
    return _cell(x, (h,), w_ih, w_hh, b_ih, b_hh, GATES["gru"], require)


def infer_lstm_cell(
    x: Tensor, h: Tensor, c: Tensor, w_ih: Tensor, w_hh: Tensor, b_ih: Tensor | None = None,
    b_hh: Tensor | None = None, *, require: Require,
) -> tuple[Tensor, Tensor]:  # fmt: skip
    """The next hidden state and the next cell."""
    result = _cell(x, (h, c), w_ih, w_hh, b_ih, b_hh, GATES["lstm"], require)
    return result, result


def _fed(x: NDArray[Any], w: NDArray[Any], b: NDArray[Any] | None) -> NDArray[Any]:
    product = np.asarray(wide(x) @ wide(w).T)
    return product if b is None else np.asarray(product + wide(b))


def rnn_cell_reference(
    x: Any, h: Any, w_ih: Any, w_hh: Any, b_ih: Any = None, b_hh: Any = None, *, nonlinearity: str = "tanh"
) -> NDArray[Any]:
    with np.errstate(all="ignore"):
        total = _fed(x, w_ih, b_ih) + _fed(h, w_hh, b_hh)
        return narrow(np.tanh(total) if nonlinearity == "tanh" else np.maximum(total, 0), x)


def gru_cell_reference(x: Any, h: Any, w_ih: Any, w_hh: Any, b_ih: Any = None, b_hh: Any = None) -> NDArray[Any]:
    with np.errstate(all="ignore"):
        given, kept = np.split(_fed(x, w_ih, b_ih), 3, axis=-1), np.split(_fed(h, w_hh, b_hh), 3, axis=-1)
        reset, update = logistic(given[0] + kept[0]), logistic(given[1] + kept[1])
        fresh = np.tanh(given[2] + reset * kept[2])
        return narrow((1 - update) * fresh + update * wide(h), x)


def lstm_cell_reference(
    x: Any, h: Any, c: Any, w_ih: Any, w_hh: Any, b_ih: Any = None, b_hh: Any = None
) -> tuple[NDArray[Any], NDArray[Any]]:
    with np.errstate(all="ignore"):
        into, forget, cell, out = np.split(_fed(x, w_ih, b_ih) + _fed(h, w_hh, b_hh), 4, axis=-1)
        state = logistic(forget) * wide(c) + logistic(into) * np.tanh(cell)
        return narrow(logistic(out) * np.tanh(state), x), narrow(state, x)


def _sample(draw: Draw, gates: int, states: int) -> Sample:
    features, hidden = draw.integer(1, 3), draw.integer(1, 3)
    batch = draw.shape(0, 1)
    weights = draw.array((gates * hidden, features)), draw.array((gates * hidden, hidden))
    bias = [draw.choice([None, draw.array((gates * hidden,))]) for _ in range(2)]
    return Sample(
        (draw.array((*batch, features)), *(draw.array((*batch, hidden)) for _ in range(states)), *weights, *bias)
    )


def _sample_rnn_cell(draw: Draw) -> Sample:
    return Sample(_sample(draw, 1, 1).operands, {"nonlinearity": draw.choice(["tanh", "relu"])})


rnn_cell = recurrent("rnn_cell", infer_rnn_cell, rnn_cell_reference, _sample_rnn_cell, numeric=RNN_CELL)
gru_cell = recurrent("gru_cell", infer_gru_cell, gru_cell_reference, lambda draw: _sample(draw, 3, 1), numeric=GRU_CELL)
lstm_cell = recurrent(
    "lstm_cell", infer_lstm_cell, lstm_cell_reference, lambda draw: _sample(draw, 4, 2), numeric=LSTM_CELL
)
