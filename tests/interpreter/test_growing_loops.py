"""Loops whose iterations only let sizes grow: followed one by one while that is cheap, else one stands for the rest."""

from __future__ import annotations

from textwrap import dedent

import pytest

from mlvet.core.source import Source
from mlvet.frontends.python.program import Interpreted, interpret

GROWING = """
import torch
from torch import nn


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(8, 8)

    def forward(self, x):
        x = torch.relu(self.linear(x)) + x
        return x


class Net(nn.Module):
    def __init__(self, depth):
        super().__init__()
        self.layers = nn.ModuleList([Block() for _ in range(depth)])

    def forward(self, x):
        for layer in self.layers:
            x = layer(x)
        return x


net = Net({depth})
words = torch.zeros(2, 1, 8)
for _ in range({steps}):
    new = net(words)[:, -1:]
    words = torch.cat([words, new], dim=1)
after = words
"""


def followed(depth: int, steps: int) -> Interpreted:
    return interpret(Source("t.py", dedent(GROWING.format(depth=depth, steps=steps))))


def rows(found: Interpreted) -> str:
    return str(found.names["after"].graph_value.declared.shape[1])


def test_a_cheap_loop_is_followed_to_its_end() -> None:
    assert rows(followed(1, 19)) == "20"


def test_of_a_costly_loop_one_iteration_stands_for_most() -> None:
    few, many = followed(40, 12), followed(40, 60)
    assert many.steps < 1.2 * few.steps
    assert not rows(many).isdigit()


@pytest.mark.parametrize("depth", [1, 40])
def test_what_is_wrong_in_every_iteration_is_told_either_way(depth: int) -> None:
    text = GROWING.format(depth=depth, steps=30).replace("nn.Linear(8, 8)", "nn.Linear(8, 9)")
    found = interpret(Source("t.py", dedent(text)))
    assert any(each.constraint.decided is False for each in found.demands)
