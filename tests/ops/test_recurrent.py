"""Recurrent layers: shapes on symbols, and the values of PyTorch, padding included."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from shape_rules import inferred
from shape_rules import shaped as t

from mlvet.domains.dims import Dim, symbol
from mlvet.ops import REGISTRY

T, B = symbol("T"), symbol("B")
ORDER = {"lstm": (0, 3, 1, 2), "gru": (1, 0, 2), "rnn": (0,)}
"""Where ONNX's gates are among PyTorch's."""


def test_both_directions_of_an_lstm() -> None:
    weights = t(2, 40, 3), t(2, 40, 10), t(2, 80)
    results, broken = inferred("lstm", t(T, B, 3), *weights, direction="bidirectional", hidden_size=10)
    assert results == (t(T, 2, B, 10), t(2, B, 10), t(2, B, 10))
    assert broken == []


def test_batch_first() -> None:
    results, _ = inferred("gru", t(B, T, 3), t(1, 30, 3), t(1, 30, 10), layout=1)
    assert results == (t(B, T, 1, 10), t(B, 1, 10))


@pytest.mark.parametrize(
    ("x", "w", "r"),
    [
        ((T, B, 4), (1, 40, 3), (1, 40, 10)),
        ((T, B, 3), (1, 30, 3), (1, 40, 10)),
        ((T, B, 3), (2, 40, 3), (2, 40, 10)),
    ],
)
def test_weights_that_do_not_fit(x: tuple[Dim, ...], w: tuple[Dim, ...], r: tuple[Dim, ...]) -> None:
    assert set(inferred("lstm", t(*x), t(*w), t(*r), hidden_size=10)[1]) == {"dims-differ"}


@pytest.mark.parametrize("padded", [False, True])
@pytest.mark.parametrize("kind", ["rnn", "gru", "lstm"])
def test_layers_are_those_of_torch(kind: str, padded: bool) -> None:
    import torch

    torch.manual_seed(0)
    features, size, lengths = 3, 4, [5, 3]
    layer = getattr(torch.nn, kind.upper())(features, size, bidirectional=True)
    x = torch.randn(5, 2, features)
    given = torch.nn.utils.rnn.pack_padded_sequence(x, lengths) if padded else x
    with torch.no_grad():
        wanted, last = layer(given)
    if padded:
        wanted, _ = torch.nn.utils.rnn.pad_packed_sequence(wanted)
    w, r, b = (_stacked(layer, kind, size, names) for names in (["weight_ih"], ["weight_hh"], ["bias_ih", "bias_hh"]))
    options = {"linear_before_reset": 1} if kind == "gru" else {}
    results = REGISTRY[kind].reference(
        x.numpy(), w, r, b, np.asarray(lengths) if padded else None, direction="bidirectional", **options
    )
    forward_and_back = results[0].transpose(0, 2, 1, 3).reshape(5, 2, 2 * size)
    np.testing.assert_allclose(forward_and_back, wanted.numpy(), rtol=1e-4, atol=1e-5)
    for state, right in zip(results[1:], last if kind == "lstm" else (last,), strict=True):
        np.testing.assert_allclose(state, right.numpy(), rtol=1e-4, atol=1e-5)


def _stacked(layer: Any, kind: str, size: int, names: list[str]) -> np.ndarray[Any, Any]:
    """The parameters of both directions with the gates in ONNX's order."""
    directions = []
    for suffix in ("_l0", "_l0_reverse"):
        parts = []
        for name in names:
            whole = getattr(layer, name + suffix).detach().numpy()
            gates = whole.reshape(len(ORDER[kind]), size, *whole.shape[1:])
            parts.append(gates[list(ORDER[kind])].reshape(whole.shape))
        directions.append(np.concatenate(parts))
    return np.stack(directions)


@pytest.mark.parametrize(("kind", "gates"), [("rnn", 1), ("gru", 3), ("lstm", 4)])
def test_cells_are_those_of_torch(kind: str, gates: int) -> None:
    import torch

    rng = np.random.default_rng(1)
    x, w, r = (rng.standard_normal(s).astype(np.float32) for s in ((2, 3), (gates * 4, 3), (gates * 4, 4)))
    b = [rng.standard_normal(gates * 4).astype(np.float32) for _ in range(2)]
    states = [rng.standard_normal((2, 4)).astype(np.float32) for _ in range(2 if kind == "lstm" else 1)]
    results = REGISTRY[f"{kind}_cell"].reference(x, *states, w, r, *b)
    cell = getattr(torch, f"{kind}_tanh_cell" if kind == "rnn" else f"{kind}_cell")
    hidden = [torch.tensor(state) for state in states]
    wanted = cell(torch.tensor(x), hidden if kind == "lstm" else hidden[0], *map(torch.tensor, (w, r, *b)))
    pairs = zip(results, wanted, strict=True) if kind == "lstm" else [(results, wanted)]
    for result, right in pairs:
        np.testing.assert_allclose(result, right.numpy(), rtol=1e-4, atol=1e-5)
