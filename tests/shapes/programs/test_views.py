"""Views of permuted tensors: refused where PyTorch refuses them, told where the strides are known."""

from __future__ import annotations

from math import prod
from pathlib import Path
from random import Random

import pytest
from judging import judged, line_of

from mlvet.core.grade import Certainty
from mlvet.frontends.python.libraries.torch.strides import fits

torch = pytest.importorskip("torch")
HEADS = """
    import torch


    def attend(x):
        heads = torch.nn.functional.softmax(x @ x.transpose(-2, -1), dim=-1) @ x
        return heads.permute(ORDER).view(SHAPE)  # HERE


    attend(torch.randn(8, 6, 32, 16))
"""


def sizes(random: Random) -> tuple[int, ...]:
    return tuple(random.choice((1, 2, 2, 3, 4)) for _ in range(random.randint(1, 4)))


@pytest.mark.parametrize("seed", range(300))
def test_a_view_is_refused_where_pytorch_refuses_it(seed: int) -> None:
    random = Random(seed)
    shape = sizes(random)
    order = random.sample(range(len(shape)), len(shape))
    tensor = torch.zeros(shape).permute(order)
    wanted = next(each for each in iter(lambda: sizes(random), None) if prod(each) == prod(shape))
    axes = list(zip(tensor.shape, tensor.stride(), strict=True))
    try:
        tensor.view(wanted)
    except RuntimeError:
        assert not fits(axes, wanted)
    else:
        assert fits(axes, wanted)


def test_axes_torn_apart_cannot_be_joined_by_a_view(tmp_path: Path) -> None:
    program = HEADS.replace("ORDER", "0, 2, 1, 3").replace("SHAPE", "8, 32, 96")
    (found,) = judged(program, tmp_path)
    assert (found.rule, found.certainty) == ("view-of-permuted", Certainty.LIKELY)
    assert found.location.line == line_of(program)
    assert "f32[8, 32, 6, 16]" in found.message


@pytest.mark.parametrize(("order", "shape"), [("0, 1, 3, 2", "48, 16, 32"), ("0, 2, 1, 3", "8, 4, 8, 6, 16")])
def test_axes_that_stay_together_can_be_joined_and_each_can_be_divided(tmp_path: Path, order: str, shape: str) -> None:
    assert judged(HEADS.replace("ORDER", order).replace("SHAPE", shape), tmp_path) == []


def test_a_copy_can_be_viewed(tmp_path: Path) -> None:
    program = HEADS.replace("ORDER).view", "0, 2, 1, 3).contiguous().view").replace("SHAPE", "8, 32, 96")
    assert judged(program, tmp_path) == []


def test_what_is_taken_to_lie_in_order_does_so_whatever_its_operands_do() -> None:
    x, square = torch.randn(4, 5, 6).transpose(0, 1), torch.randn(3, 4, 5, 5).transpose(0, 1).transpose(-2, -1)
    layer, table = torch.nn.Linear(6, 7), torch.nn.Embedding(9, 6)
    words = torch.randint(0, 9, (4, 5)).transpose(0, 1)
    for made in (layer(x), torch.nn.functional.linear(x, layer.weight), table(words), square @ square, x @ x.mT):
        assert made.is_contiguous()


def test_a_convolution_of_what_lies_in_order_does_so_too(tmp_path: Path) -> None:
    program = """
        import torch

        picture = torch.nn.Conv2d(3, 8, 3, padding=1)(torch.zeros(2, 3, 8, 8))
        flat = picture.permute(0, 2, 3, 1).view(2, -1)
    """
    (found,) = judged(program, tmp_path)
    assert found.rule == "view-of-permuted"
