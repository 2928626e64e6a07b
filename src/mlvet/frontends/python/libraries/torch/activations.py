"""Elementwise functions of torch.nn.functional, most of which are functions of torch too."""

from __future__ import annotations

from typing import Any

from mlvet.frontends.python.arrays.arithmetic import unary
from mlvet.frontends.python.libraries.binding import Tensor
from mlvet.frontends.python.libraries.registry import model


@model("torch.relu", "torch.nn.functional.relu", "torch.nn.functional.relu_")
def relu(input: Tensor, inplace: bool = False) -> Tensor:
    del inplace
    return _made(unary("relu", input))


def _made(result: Any) -> Tensor:
    return result
