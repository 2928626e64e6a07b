"""Branches are taken under guards and meet again; loops of any length are followed; what is too much is said."""

from __future__ import annotations

from looking import places, seen, violated

from mlvet.frontends.python.machine import Limits
from mlvet.frontends.python.program import interpret_text
from mlvet.frontends.python.values.choices import Choice
from mlvet.frontends.python.values.unknown import Reason
from mlvet.ir.graph import Literal
from mlvet.ir.verify import verify

SETTINGS = """
import argparse
import torch
import torch.nn as nn
parser = argparse.ArgumentParser()
parser.add_argument("--width", type=int, default=64)
parser.add_argument("--kind", default="small", choices=["small", "large"])
parser.add_argument("--deep", action="store_true")
args = parser.parse_args()
"""


def test_branches_that_agree_meet_in_one_value() -> None:
    found = interpret_text(SETTINGS + "x = torch.zeros(3, 4) if args.deep else torch.ones(3, 4)\ny = x + 1\n")
    assert seen(found, "y") == "f32[3, 4]"
    assert sum(node.op == "add" for node in found.graph.nodes()) == 1


def test_branches_that_differ_are_kept_apart_under_their_guards() -> None:
    found = interpret_text(SETTINGS + "x = torch.zeros(3) if args.deep else torch.zeros(3, 4)\ny = x.sum(-1)\n")
    assert seen(found, "y") == "f32[] | f32[3]"
    guards = {node.guards for node in found.graph.nodes() if node.op == "reduce_sum"}
    assert guards == {(Literal("deep"),), (Literal("deep", False),)}


def test_two_tests_of_one_setting_are_one_condition() -> None:
    found = interpret_text(
        SETTINGS
        + "n = 5 if args.kind == 'small' else 7\n"
        + "w = torch.zeros(n, 2)\n"
        + "x = torch.zeros(3, 5) if args.kind == 'small' else torch.zeros(3, 7)\n"
        + "y = x @ w\n"
    )
    assert violated(found) == []
    assert seen(found, "y") == "f32[3, 2]"


def test_a_defect_on_one_path_carries_its_condition() -> None:
    found = interpret_text(
        SETTINGS + "x = torch.zeros(3, 4)\nif args.kind == 'large':\n    y = x @ torch.zeros(5, 2)\n"
    )
    assert places(found) == [12]
    (node,) = [demand.node for demand in found.demands if demand.constraint.decided is False]
    assert node.guards == (Literal("kind == 'large'"),)
    assert found.conditions["kind == 'large'"].default is False


def test_an_early_return_leaves_its_state_behind() -> None:
    found = interpret_text(
        SETTINGS
        + "class Box:\n    value = 1\n"
        + "def change(box):\n    if args.deep:\n        box.value = 2\n        return 'early'\n"
        + "    box.value = 3\n    return 'late'\n"
        + "box = Box()\nresult = change(box)\nvalue = box.value\n"
    )
    value = found.names["value"]
    assert isinstance(value, Choice)
    assert sorted(part for _, part in value.alternatives) == [2, 3]


def test_after_a_raise_the_opposite_holds() -> None:
    found = interpret_text(
        SETTINGS
        + "if args.kind != 'small':\n    raise ValueError('no')\n"
        + "n = 4 if args.kind == 'small' else 'never'\n"
    )
    assert found.names["n"] == 4


def test_the_third_iteration_is_seen() -> None:
    found = interpret_text(
        "import torch\nfrom torch import nn\nwidths = [8, 8, 8, 9, 8]\nlayers = []\n"
        "for i in range(4):\n    layers.append(nn.Linear(widths[i], widths[i + 1]))\n"
        "before, x = torch.zeros(2, 8), torch.zeros(2, 8)\n"
        "for layer in layers:\n    before, x = x, layer(x) + before\n"
    )
    assert set(places(found)) == {9}


def test_a_shape_that_changes_in_a_loop_of_unknown_length_becomes_a_symbol() -> None:
    found = interpret_text(SETTINGS + "x = torch.zeros(1, 4)\nfor _ in range(args.width):\n    x = torch.cat([x, x])\n")
    assert seen(found, "x").endswith(", 4]")
    assert "width" not in seen(found, "x")


def test_a_list_filled_in_a_loop_has_as_many_items_as_the_loop_says_at_most() -> None:
    found = interpret_text(
        SETTINGS + "rows = []\nfor _ in range(args.width):\n    rows.append(torch.zeros(3))\nx = torch.stack(rows)\n"
    )
    assert seen(found, "x").startswith("f32[")
    assert seen(found, "x").endswith(", 3]")


def test_a_comprehension_over_a_setting_keeps_its_length() -> None:
    found = interpret_text(SETTINGS + "x = torch.stack([torch.zeros(3) for _ in range(args.width)])\n")
    assert seen(found, "x") == "f32[width, 3]"


def test_shapes_follow_list_slicing() -> None:
    found = interpret_text("import torch\nx = torch.zeros(2, 3, 4)\ny = torch.zeros(list(x.shape[1:]) + [5])\n")
    assert seen(found, "y") == "f32[3, 4, 5]"


def test_a_setting_is_a_symbol_with_a_default() -> None:
    found = interpret_text(SETTINGS + "x = torch.zeros(args.width * 2, 3)\n")
    assert seen(found, "x") == "f32[2*width, 3]"
    assert found.settings["width"].default == 64


def test_integers_know_the_expression_they_came_from() -> None:
    found = interpret_text("n = 64*12*12\n")
    assert found.names["n"] == 9216
    assert found.names["n"].origin.text == "64*12*12"
    assert found.names["n"].origin.location.line == 1


def test_too_many_alternatives_are_joined_and_said() -> None:
    branches = "".join(f"elif code == {n}:\n    x = torch.zeros({n})\n" for n in range(2, 30))
    start = "import torch, os\ncode = int(os.environ['CODE'])\nif code == 1:\n    x = torch.zeros(1)\n"
    text = f"{start}{branches}y = x + 1\n"
    found = interpret_text(text)
    assert any("more alternatives" in note for note in found.notes)
    assert found.unknowns[Reason.TOO_MANY_PATHS] > 0
    assert seen(found, "y").startswith("f32[")


def test_work_is_bounded_and_said() -> None:
    found = interpret_text("n = 0\nwhile n < 10**9:\n    n += 1\n", limits=Limits(steps=2000))
    assert found.complete or any("allows itself" in note for note in found.notes)
    endless = interpret_text("def f(n):\n    return f(n + 1) + f(n + 2)\nx = f(0)\n", limits=Limits(steps=3000))
    assert not endless.complete or endless.unknowns[Reason.RECURSION] > 0


def test_graphs_are_well_formed_and_remember_loops() -> None:
    found = interpret_text(
        SETTINGS + "x = torch.zeros(2, 2)\nfor step in range(args.width):\n    for i in range(3):\n        x = x @ x\n"
    )
    assert verify(found.graph) == []
    (node, *_) = [node for node in found.graph.nodes() if node.op == "matmul"]
    assert [each.index is None for each in node.loops] == [True, False]
    assert {loop.name for loop in found.graph.loops} >= {each.loop for each in node.loops}


def test_a_value_that_is_given_where_it_is_not_missing_is_never_missing() -> None:
    found = interpret_text(
        "import os, pickle\n"
        "import torch\n"
        "size = None\n"
        "if os.path.exists('meta'):\n"
        "    size = pickle.load(open('meta', 'rb'))['size']\n"
        "size = size if size is not None else 50304\n"
        "table = torch.nn.Embedding(size, 3)\n"
    )
    assert found.refusals == []


def test_what_is_not_known_holds_what_each_path_writes_into_it() -> None:
    found = interpret_text(
        "import torch\n"
        "from somewhere import settings\n"
        "if settings.large:\n"
        "    settings.size = 4\n"
        "else:\n"
        "    settings.size = 3\n"
        "x = torch.zeros(settings.size, 2)\n"
    )
    assert seen(found, "x") == "f32[4, 2] | f32[3, 2]"


def test_items_of_an_unknown_sequence_are_things_of_their_own() -> None:
    found = interpret_text(
        "import torch\n"
        "from somewhere import model\n"
        "for a, b in zip([torch.zeros(2, 3), torch.zeros(4, 3)], model.parameters()):\n"
        "    b.data = b.data * 0.5 + a\n"
    )
    assert violated(found) == []


def test_keys_of_an_unknown_dictionary_have_values_of_their_own() -> None:
    found = interpret_text(
        "import torch\n"
        "from somewhere import names, values\n"
        "parts = dict(zip(names, values))\n"
        "parts['image'] = parts['image'].reshape(2, 3)\n"
        "x = torch.squeeze(parts['image'] + 1, 1)\n"
        "parts['mask'].shape = (4, 5)\n"
        "y = torch.zeros(parts['other'].shape[0], 1)\n"
    )
    assert violated(found) == []


def test_functions_are_keys() -> None:
    found = interpret_text(
        "import torch\n"
        "def double(x): return x + x\n"
        "def times(x, y): return x @ y\n"
        "class Kind: pass\n"
        "wanted = {double: ('x',), times: ('x', 'y'), Kind: (), torch.relu: ('x',)}\n"
        "given = {'x': torch.zeros(2, 3), 'y': torch.zeros(3, 4)}\n"
        "made = [f(*[given[name] for name in wanted[f]]) for f in (double, times, torch.relu) if f in wanted]\n"
        "a, b, c = made\n"
    )
    assert [seen(found, name) for name in "abc"] == ["f32[2, 3]", "f32[2, 4]", "f32[2, 3]"]


def test_a_block_that_is_meant_to_fail_is_no_defect() -> None:
    found = interpret_text(
        "import unittest, torch\n"
        "class Test(unittest.TestCase):\n"
        "    def test(self):\n"
        "        with self.assertRaises(RuntimeError):\n"
        "            torch.zeros(2, 3) @ torch.zeros(4, 5)\n"
        "        torch.zeros(2, 3) + torch.zeros(4, 5)\n"
    )
    assert places(found) == [6, 6] or places(found) == [6]


def test_classes_of_one_unknown_are_one_question_each_and_exclude_one_another() -> None:
    found = interpret_text(
        "import gym\n"
        "import torch\n"
        "from somewhere import space\n"
        "if isinstance(space, gym.spaces.Box):\n"
        "    x = torch.zeros(2, 3)\n"
        "elif isinstance(space, gym.spaces.Discrete):\n"
        "    x = torch.zeros(4, 5)\n"
        "if isinstance(space, gym.spaces.Discrete):\n"
        "    y = x @ torch.zeros(5, 1)\n"
        "elif isinstance(space, gym.spaces.Box):\n"
        "    y = x @ torch.zeros(3, 1)\n"
    )
    assert violated(found) == []


def test_an_unknown_is_one_constant_at_a_time() -> None:
    found = interpret_text(
        "import torch\n"
        "from somewhere import kind\n"
        "x = torch.zeros(2, 3) if kind == 'flat' else torch.zeros(4, 5)\n"
        "if kind != 'flat':\n"
        "    y = x @ torch.zeros(5, 1)\n"
        "elif kind == 'deep':\n"
        "    y = x @ torch.zeros(7, 1)\n"
        "else:\n"
        "    y = x @ torch.zeros(3, 1)\n"
    )
    assert violated(found) == []


def test_a_loop_over_nothing_on_one_path_runs_on_the_others_only() -> None:
    found = interpret_text(
        "import numpy as np\n"
        "from somewhere import small, run\n"
        "places = np.array([]) if small else run()\n"
        "scores = np.array([]) if small else run()\n"
        "for i in range(len(scores)):\n"
        "    y = places[i, 0]\n"
        "z = scores.sum()\n"
    )
    assert violated(found) == []


def test_constants_of_an_unknown_enumeration_differ() -> None:
    found = interpret_text(
        "import torch\n"
        "from somewhere import Kind\n"
        "kind = Kind.FLAT\n"
        "x = torch.zeros(2, 3) if kind == Kind.FLAT else torch.zeros(4, 5)\n"
        "y = x @ torch.zeros(3, 1) if kind != Kind.DEEP else x @ torch.zeros(5, 1)\n"
    )
    assert violated(found) == []
    assert seen(found, "y") == "f32[2, 1]"


def test_a_search_in_an_unknown_text_may_find_nothing() -> None:
    found = interpret_text(
        "import re, torch\n"
        "from somewhere import name\n"
        "x = torch.zeros(2, 3)\n"
        "if re.match('[a-z]+', name):\n"
        "    x = torch.zeros(4, 3)\n"
        "y = x + 1\n"
    )
    assert seen(found, "y") == "f32[4, 3] | f32[2, 3]"


def test_the_space_of_an_unknown_environment_may_be_of_any_kind() -> None:
    found = interpret_text(
        "import gym, torch\n"
        "from somewhere import name\n"
        "space = gym.make(name).action_space\n"
        "if isinstance(space, gym.spaces.Discrete):\n"
        "    x = torch.zeros(2)\n"
        "elif isinstance(space, gym.spaces.Box):\n"
        "    x = torch.zeros(3)\n"
        "else:\n"
        "    raise NotImplementedError\n"
        "y = x + 1\n"
    )
    assert seen(found, "y") == "f32[2] | f32[3]"


def test_multiples_of_one_size_differ() -> None:
    found = interpret_text(
        "import torch\n"
        "def block(x, width):\n"
        "    x = torch.zeros(2, 16 * width)\n"
        "    y = x if x.shape[1] == 32 * width else torch.zeros(2, 32 * width)\n"
        "    return y + torch.zeros(2, 32 * width)\n"
    )
    assert violated(found) == []
    assert seen(found, "y") == "f32[2, 32*width]"
