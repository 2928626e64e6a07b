"""What the program never calls runs in the state it ends in; nothing is surely wrong there that hangs on that state."""

from __future__ import annotations

from looking import places, violated

from mlvet.frontends.python.program import interpret_text

NET = """
import torch
import torch.nn as nn
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Linear(4, 8)
        self.second = nn.Linear({width}, 2)
        self.flat = True
    def forward(self, x):
        x = self.first(x.reshape(-1, 4))
        return self.second(x) if self.flat else self.second(x.reshape(-1, 5))
"""


def test_what_no_state_makes_right_is_wrong() -> None:
    assert places(interpret_text(NET.format(width=9))) == [12]
    assert places(interpret_text(NET.format(width=9) + "net = Net()\n")) == [12]


def test_objects_whose_attributes_the_program_sets_may_have_been_others_before() -> None:
    assert not violated(interpret_text(NET.format(width=8) + "net = Net()\nnet.flat = False\n"))
    assert violated(interpret_text(NET.format(width=8) + "net = Net()\nnet.flat = False\nnet(torch.zeros(3, 4))\n"))


def test_names_that_are_bound_again_may_have_been_others_before() -> None:
    program = "import torch\nsize = 4\ndef f():\n    return torch.zeros(size) + torch.zeros(4)\n"
    assert places(interpret_text(program.replace("4)\n", "5)\n"))) == [4]
    assert not violated(interpret_text(program + "size = 5\n"))


def test_a_class_of_which_only_subclasses_are_used_may_need_them() -> None:
    program = NET.format(width=9) + (
        "class Wide(Net):\n    def __init__(self):\n        super().__init__()\n        self.second = nn.Linear(8, 2)\n"
        "    def forward(self, x):\n        return self.second(self.first(x))\nWide()(torch.zeros(3, 4))\n"
    )
    assert not violated(interpret_text(program))
