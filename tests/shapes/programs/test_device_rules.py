"""Which mixtures of devices operators refuse, as PyTorch says of tensors that have a device but no data."""

from __future__ import annotations

from itertools import product
from pathlib import Path

import pytest
from judging import judged

torch = pytest.importorskip("torch")
fakes = pytest.importorskip("torch._subclasses.fake_tensor")

HEAD = "import torch\nimport torch.nn.functional as F\nfrom torch import nn\n"
FLOATS = "torch.ones({sizes}, device={device!r})"
PLACES = "torch.zeros({sizes}, dtype=torch.long, device={device!r})"
TRUTHS = "torch.ones({sizes}, dtype=torch.bool, device={device!r})"

CASES: list[tuple[str, dict[str, str]]] = [
    *((f"a {sign} b", {"a": "2, 3", "b": "2, 3"}) for sign in ("+", "-", "*", "/", "**", "==", "<", "%", "//")),
    ("a + b", {"a": "2, 3", "b": "()"}),
    ("a + b", {"a": "()", "b": "()"}),
    ("a > b", {"a": "2, 3", "b": "()"}),
    ("a @ b", {"a": "2, 3", "b": "3, 4"}),
    ("torch.bmm(a, b)", {"a": "1, 2, 3", "b": "1, 3, 2"}),
    ("torch.cat([a, b])", {"a": "2", "b": "3"}),
    ("torch.stack([a, b])", {"a": "2", "b": "2"}),
    ("torch.where(m, a, b)", {"m": "2", "a": "2", "b": "2"}),
    ("torch.where(m, a, b)", {"m": "2", "a": "2", "b": "()"}),
    ("torch.maximum(a, b)", {"a": "2", "b": "2"}),
    ("torch.einsum('ij,jk->ik', a, b)", {"a": "2, 3", "b": "3, 4"}),
    ("torch.dot(a, b)", {"a": "2", "b": "2"}),
    ("torch.outer(a, b)", {"a": "2", "b": "2"}),
    ("torch.gather(a, 0, i)", {"a": "3", "i": "2"}),
    ("torch.addmm(a, b, c)", {"a": "2, 2", "b": "2, 2", "c": "2, 2"}),
    ("torch.isclose(a, b)", {"a": "2", "b": "2"}),
    ("a.masked_fill(m, 0.0)", {"a": "2", "m": "2"}),
    ("a.masked_fill(m, b)", {"a": "2", "m": "2", "b": "()"}),
    ("F.linear(a, b)", {"a": "2, 3", "b": "4, 3"}),
    ("F.linear(a, b, c)", {"a": "2, 3", "b": "4, 3", "c": "4"}),
    ("F.embedding(i, a)", {"i": "2", "a": "3, 4"}),
    ("F.cross_entropy(a, i)", {"a": "2, 3", "i": "2"}),
    ("F.cross_entropy(a, i, b)", {"a": "2, 3", "i": "2", "b": "3"}),
    ("F.nll_loss(a, i)", {"a": "2, 3", "i": "2"}),
    ("F.mse_loss(a, b)", {"a": "2", "b": "2"}),
    ("F.l1_loss(a, b)", {"a": "2", "b": "2"}),
    ("F.binary_cross_entropy(a, b)", {"a": "2", "b": "2"}),
    ("F.binary_cross_entropy_with_logits(a, b)", {"a": "2", "b": "2"}),
    ("F.layer_norm(a, (2,), b, c)", {"a": "3, 2", "b": "2", "c": "2"}),
    ("F.scaled_dot_product_attention(a, b, c)", {"a": "1, 2, 3", "b": "1, 2, 3", "c": "1, 2, 3"}),
    ("F.prelu(a, b)", {"a": "2", "b": "1"}),
]


def texts(case: tuple[str, dict[str, str]]) -> list[str]:
    """The program of a case, once for each way to put its tensors on two devices."""
    expression, sizes = case
    kinds = {"i": PLACES, "m": TRUTHS}
    found = []
    for devices in product(("cpu", "cuda"), repeat=len(sizes)):
        rows = zip(sizes.items(), devices, strict=True)
        made = [f"{name} = {kinds.get(name, FLOATS).format(sizes=size, device=on)}\n" for (name, size), on in rows]
        found.append(f"{HEAD}{''.join(made)}result = {expression}\n")
    return found


def refused(text: str) -> bool:
    """Whether PyTorch refuses the devices of the tensors."""
    with fakes.FakeTensorMode():
        try:
            exec(compile(text, "case", "exec"), {})
        except (RuntimeError, fakes.FakeTensorDeviceMismatchError) as error:
            if "device" not in str(error):
                raise
            return True
    return False


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case[0]} {' '.join(case[1].values())}")
def test_what_is_reported_is_what_pytorch_refuses(case: tuple[str, dict[str, str]], tmp_path: Path) -> None:
    for text in texts(case):
        reported = any(each.rule == "device-differs" for each in judged(text, tmp_path))
        assert reported == refused(text), text
