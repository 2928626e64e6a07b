"""What is asked of something unknown is answered alike each time, on whatever path."""

from __future__ import annotations

from looking import seen, violated

from mlvet.frontends.python.program import interpret_text

SPACES = """
import gym
import torch
from gym import spaces
class Env(gym.Env):
    pass
env = Env()
"""


def test_two_tests_of_the_class_of_one_space_are_one_condition() -> None:
    found = interpret_text(
        SPACES
        + "n = 5 if isinstance(env.action_space, spaces.Box) else 7\n"
        + "x = torch.zeros(3, 5) if isinstance(env.action_space, spaces.Box) else torch.zeros(3, 7)\n"
        + "y = x @ torch.zeros(n, 2)\n"
    )
    assert violated(found) == []
    assert seen(found, "y") == "f32[3, 2]"


def test_the_spaces_of_one_environment_are_two() -> None:
    found = interpret_text(
        SPACES
        + "n = 5 if isinstance(env.action_space, spaces.Box) else 7\n"
        + "x = torch.zeros(3, 5) if isinstance(env.observation_space, spaces.Box) else torch.zeros(3, 7)\n"
        + "y = x @ torch.zeros(n, 2)\n"
    )
    assert violated(found) != []


def test_classes_of_a_library_without_a_model_go_by_name() -> None:
    found = interpret_text(
        "import torch\nimport shop\n"
        "def build(thing):\n"
        "    n = 5 if isinstance(thing, shop.Cart) else 7\n"
        "    x = torch.zeros(3, 5) if isinstance(thing, shop.Cart) else torch.zeros(3, 7)\n"
        "    return x @ torch.zeros(n, 2)\n"
    )
    assert violated(found) == []


def test_whether_something_has_an_attribute_or_can_be_called_is_one_condition() -> None:
    found = interpret_text(
        "import torch\n"
        "def build(thing):\n"
        "    n = 5 if hasattr(thing, 'width') else 7\n"
        "    x = torch.zeros(3, 5) if hasattr(thing, 'width') else torch.zeros(3, 7)\n"
        "    m = 2 if callable(thing) else 4\n"
        "    y = torch.zeros(2, 3) if callable(thing) else torch.zeros(4, 3)\n"
        "    return x @ torch.zeros(n, 2), torch.zeros(1, m) @ y\n"
    )
    assert violated(found) == []


def test_the_dictionary_of_an_object_shares_its_attributes() -> None:
    found = interpret_text(
        "class Box:\n    def __init__(self, **parts):\n        self.depth = 1\n        self.__dict__.update(parts)\n"
        "box = Box(depth=2, width=3)\nbox.height = 4\n"
        "depth, width, has = box.depth, box.width, 'height' in box.__dict__\n"
    )
    assert (found.names["depth"], found.names["width"], found.names["has"]) == (2, 3, True)


def test_a_question_to_something_unknown_is_answered_alike_for_the_same_arguments() -> None:
    program = (
        "import torch\n"
        "def build(spec, kind, other):\n"
        "    n = 5 if spec.is_large(kind) else 7\n"
        "    x = torch.zeros(3, 5) if spec.is_large(kind) else torch.zeros(3, 7)\n"
        "    return x @ torch.zeros(n, 2)\n"
    )
    assert violated(interpret_text(program)) == []
    assert violated(interpret_text(program.replace("zeros(3, 5) if spec.is_large(kind)", "zeros(3, 5) if other"))) != []


def test_a_number_that_is_computed_twice_is_compared_alike() -> None:
    found = interpret_text(
        "import torch\n"
        "def divisible(v):\n"
        "    new = max(8, int(v + 4) // 8 * 8)\n"
        "    if new < 0.9 * v:\n"
        "        new += 8\n"
        "    return new\n"
        "def build(dim):\n"
        "    return torch.zeros(3, divisible(dim)) @ torch.zeros(divisible(dim), 2)\n"
    )
    assert violated(found) == []
