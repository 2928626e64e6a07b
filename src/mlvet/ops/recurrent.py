"""Recurrent layers over whole sequences, as ONNX has them: RNN, GRU and LSTM in one or both directions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from mlvet.domains.dims import Dim
from mlvet.domains.tensors import Tensor
from mlvet.ops.activations import logistic
from mlvet.ops.danger import OVERFLOW
from mlvet.ops.enclosures_recurrent import GRU, LSTM, RNN
from mlvet.ops.op import pure
from mlvet.ops.precision import narrow, wide
from mlvet.ops.require import Require
from mlvet.ops.samples import Draw, Sample

Array: TypeAlias = NDArray[Any]
Activation: TypeAlias = Callable[[Array], Array]
Step: TypeAlias = Callable[[Array, tuple[Array, ...]], tuple[Array, ...]]
GATES = {"rnn": 1, "gru": 3, "lstm": 4}

recurrent = partial(pure, family="recurrent", danger=(OVERFLOW,))


ALPHA = {"affine": 1.0, "leakyrelu": 0.01, "thresholdedrelu": 1.0, "scaledtanh": 1.0, "hardsigmoid": 0.2, "elu": 1.0}
BETA = {"affine": 0.0, "scaledtanh": 1.0, "hardsigmoid": 0.5}
FUNCTIONS: dict[str, Callable[[Array, float, float], Any]] = {
    "relu": lambda x, *_: np.maximum(x, 0),
    "tanh": lambda x, *_: np.tanh(x),
    "sigmoid": lambda x, *_: logistic(x),
    "affine": lambda x, a, b: a * x + b,
    "leakyrelu": lambda x, a, _b: np.where(x >= 0, x, a * x),
    "thresholdedrelu": lambda x, a, _b: np.where(x > a, x, 0),
    "scaledtanh": lambda x, a, b: a * np.tanh(b * x),
    "hardsigmoid": lambda x, a, b: np.clip(a * x + b, 0, 1),
    "elu": lambda x, a, _b: np.where(x >= 0, x, a * np.expm1(np.minimum(x, 0))),
    "softsign": lambda x, *_: x / (1 + np.abs(x)),
    "softplus": lambda x, *_: np.logaddexp(x, 0),
}


def activation_functions(
    names: Sequence[str], alphas: Sequence[float] | None, betas: Sequence[float] | None
) -> list[Activation]:
    """The functions named; alphas and betas go to those that take one, in order."""
    alpha, beta = iter(alphas or ()), iter(betas or ())
    functions: list[Activation] = []
    for name in (name.lower() for name in names):
        a = next(alpha, ALPHA[name]) if name in ALPHA else 0.0
        b = next(beta, BETA[name]) if name in BETA else 0.0
        functions.append(partial(_activate, FUNCTIONS[name], a, b))
    return functions


def _activate(function: Callable[[Array, float, float], Any], a: float, b: float, x: Array) -> Array:
    return np.asarray(function(x, a, b)).astype(x.dtype)


def infer_recurrent(
    kind: str,
    x: Tensor,
    w: Tensor,
    r: Tensor,
    b: Tensor | None = None,
    sequence_lens: Tensor | None = None,
    *states: Tensor | None,
    require: Require,
    direction: str = "forward",
    hidden_size: int | None = None,
    layout: int = 0,
    **_: Any,
) -> tuple[Tensor, ...]:
    """All outputs and the last state(s). Layout 0 is [T, B, I] -> [T, D, B, H], 1 is [B, T, I] -> [B, T, D, H]."""
    gates = GATES[kind]
    count = 2 if kind == "lstm" else 1
    dtype = require.same_dtype(x, w, r, b, *states)
    ranked = [require.rank(tensor, 3, what) for tensor, what in ((x, "input"), (w, "weights"), (r, "recurrence"))]
    if not all(ranked):
        return (require.unknown_tensor(dtype, 4), *(require.unknown_tensor(dtype, 3) for _ in range(count)))
    steps, batch, features = (x.dims[1], x.dims[0], x.dims[2]) if layout else x.dims
    directions = 2 if direction == "bidirectional" else 1
    hidden: Dim = r.dims[2] if hidden_size is None else hidden_size
    wide_gates = gates * hidden
    wanted: list[tuple[Dim, Dim, str]] = [
        (w.dims[0], directions, f"the weights are for {directions} direction(s)"),
        (r.dims[0], directions, f"the recurrence is for {directions} direction(s)"),
        (features, w.dims[2], "the weights take the features of the input"),
        (w.dims[1], wide_gates, f"the weights feed {gates} gates of the hidden size"),
        (r.dims[1], wide_gates, f"the recurrence feeds {gates} gates of the hidden size"),
        (r.dims[2], hidden, "the recurrence takes the hidden state"),
    ]
    if b is not None and require.rank(b, 2, "bias"):
        wanted += [
            (b.dims[0], directions, "the biases are for each direction"),
            (b.dims[1], 2 * wide_gates, "two biases per gate"),
        ]
    state: tuple[Dim, ...] = (batch, directions, hidden) if layout else (directions, batch, hidden)
    for initial in states[:count]:
        if initial is not None and require.rank(initial, 3, "initial state"):
            wanted += [
                (*pair, "the initial state has the shape of the last") for pair in zip(initial.dims, state, strict=True)
            ]
    if len(states) > 2 and states[2] is not None and require.rank(states[2], 2, "peepholes"):
        wanted.append((states[2].dims[1], 3 * hidden, "three peepholes per hidden element"))
    if sequence_lens is not None and require.rank(sequence_lens, 1, "sequence lengths"):
        wanted.append((sequence_lens.dims[0], batch, "one length per sequence"))
    for found, right, because in wanted:
        require.equal(found, right, because=because)
    every = (batch, steps, directions, hidden) if layout else (steps, directions, batch, hidden)
    return (Tensor(dtype, every), *(Tensor(dtype, state) for _ in range(count)))


def rnn_step(w: Array, r: Array, b: Array, f: Sequence[Activation], clip: Activation) -> Step:
    """H = f(x W' + h R' + Wb + Rb)."""
    wb, rb = np.split(b, 2)
    return lambda x, s: (f[0](clip(x @ w.T + s[0] @ r.T + wb + rb)),)


def gru_step(w: Array, r: Array, b: Array, f: Sequence[Activation], clip: Activation, linear: bool) -> Step:
    """Gates in the order update, reset, hidden."""
    wb, rb = np.split(b, 2)

    def step(x: Array, s: tuple[Array, ...]) -> tuple[Array, ...]:
        h, size = s[0], r.shape[1]
        given = x @ w.T + wb
        kept = h @ r[: 2 * size].T + rb[: 2 * size]
        update, reset = (f[0](clip(part)) for part in np.split(given[:, : 2 * size] + kept, 2, axis=1))
        rh, bias = r[2 * size :].T, rb[2 * size :]
        past = reset * (h @ rh + bias) if linear else (reset * h) @ rh + bias
        fresh = f[1](clip(given[:, 2 * size :] + past))
        return ((1 - update) * fresh + update * h,)

    return step


def lstm_step(
    w: Array, r: Array, b: Array, f: Sequence[Activation], clip: Activation, peep: Array, coupled: bool
) -> Step:
    """Gates in the order input, output, forget, cell; peepholes in the order input, output, forget."""
    bias = sum(np.split(b, 2))
    peep_in, peep_out, peep_forget = np.split(peep, 3)

    def step(x: Array, s: tuple[Array, ...]) -> tuple[Array, ...]:
        h, c = s
        into, out, forget, cell = np.split(x @ w.T + h @ r.T + bias, 4, axis=1)
        into = f[0](clip(into + peep_in * c))
        forget = 1 - into if coupled else f[0](clip(forget + peep_forget * c))
        c = forget * c + into * f[1](clip(cell))
        return f[0](clip(out + peep_out * c)) * f[2](c), c

    return step


def run(
    x: Array, states: tuple[Array, ...], step: Step, lengths: Array | None, backward: bool
) -> tuple[Array, tuple[Array, ...]]:
    """One direction over [T, B, I]; a sequence that has ended keeps its state and yields zeros."""
    steps, batch = x.shape[:2]
    ends = np.full(batch, steps) if lengths is None else lengths.astype(np.int64)
    outputs = np.zeros((steps, batch, states[0].shape[1]), x.dtype)
    rows = np.arange(batch)
    for t in range(steps):
        alive = t < ends
        at = np.where(alive, ends - 1 - t, t) if backward else np.full(batch, t)
        moved = step(x[at, rows], states)
        states = tuple(np.where(alive[:, None], new, old) for new, old in zip(moved, states, strict=True))
        outputs[at[alive], rows[alive]] = states[0][alive]
    return outputs, states


def recurrent_reference(
    kind: str,
    x: Array,
    w: Array,
    r: Array,
    b: Array | None = None,
    sequence_lens: Array | None = None,
    initial_h: Array | None = None,
    initial_c: Array | None = None,
    p: Array | None = None,
    *,
    direction: str = "forward",
    hidden_size: int | None = None,
    layout: int = 0,
    activations: Sequence[str] | None = None,
    activation_alpha: Sequence[float] | None = None,
    activation_beta: Sequence[float] | None = None,
    clip: float | None = None,
    linear_before_reset: int = 0,
    input_forget: int = 0,
) -> tuple[Array, ...]:
    del hidden_size
    directions, gates, size = w.shape[0], GATES[kind], r.shape[2]
    broad = wide(x).swapaxes(0, 1) if layout else wide(x)
    batch = broad.shape[1]

    def initial(given: Array | None) -> Array:
        if given is None:
            return np.zeros((directions, batch, size), broad.dtype)
        return wide(given).swapaxes(0, 1) if layout else wide(given)

    defaults = {"rnn": ("Tanh",), "gru": ("Sigmoid", "Tanh"), "lstm": ("Sigmoid", "Tanh", "Tanh")}[kind]
    functions = activation_functions(activations or defaults * directions, activation_alpha, activation_beta)
    biases = np.zeros((directions, 2 * gates * size), broad.dtype) if b is None else wide(b)
    peeps = np.zeros((directions, 3 * size), broad.dtype) if p is None else wide(p)
    bound: Activation = (lambda z: z) if clip is None else (lambda z: np.clip(z, -clip, clip))
    starts = [initial(initial_h)] + ([initial(initial_c)] if kind == "lstm" else [])
    everything, last = [], []
    with np.errstate(all="ignore"):
        for index in range(directions):
            chosen = functions[index * len(defaults) : (index + 1) * len(defaults)] or functions
            parts = (wide(w)[index], wide(r)[index], biases[index], chosen, bound)
            if kind == "lstm":
                step = lstm_step(*parts, peeps[index], bool(input_forget))
            else:
                step = gru_step(*parts, bool(linear_before_reset)) if kind == "gru" else rnn_step(*parts)
            backward = direction == "reverse" or index == 1
            outputs, states = run(broad, tuple(start[index] for start in starts), step, sequence_lens, backward)
            everything.append(outputs)
            last.append(states)
        y = np.stack(everything, axis=1)
        finals = [np.stack([states[i] for states in last]) for i in range(len(starts))]
    if layout:
        y, finals = y.transpose(2, 0, 1, 3), [final.swapaxes(0, 1) for final in finals]
    return tuple(narrow(part, x) for part in (y, *finals))


def _sample(kind: str, draw: Draw) -> Sample:
    steps, batch, features, size = (draw.integer(1, 3) for _ in range(4))
    direction = draw.choice(["forward", "reverse", "bidirectional"])
    layout, count, gates = draw.integer(0, 1), 2 if direction == "bidirectional" else 1, GATES[kind]
    attributes: dict[str, Any] = {"direction": direction, "layout": layout, "hidden_size": size}
    if kind == "gru":
        attributes["linear_before_reset"] = draw.integer(0, 1)
    if draw.choice([True, False]):
        attributes["clip"] = 2.0
    x = draw.array((batch, steps, features) if layout else (steps, batch, features), low=-1, high=1)
    w = draw.array((count, gates * size, features), low=-1, high=1)
    r = draw.array((count, gates * size, size), low=-1, high=1)
    b = draw.choice([None, draw.array((count, 2 * gates * size), low=-1, high=1)])
    lengths = draw.choice([None, np.asarray([draw.integer(1, steps) for _ in range(batch)], np.int32)])
    state = (batch, count, size) if layout else (count, batch, size)
    states = [draw.choice([None, draw.array(state, low=-1, high=1)]) for _ in range(2 if kind == "lstm" else 1)]
    peep = [draw.choice([None, draw.array((count, 3 * size), low=-1, high=1)])] if kind == "lstm" else []
    return Sample((x, w, r, b, lengths, *states, *peep), attributes)


rnn, gru, lstm = (
    recurrent(
        kind,
        partial(infer_recurrent, kind),
        partial(recurrent_reference, kind),
        partial(_sample, kind),
        numeric=numeric,
    )
    for kind, numeric in (("rnn", RNN), ("gru", GRU), ("lstm", LSTM))
)
