"""Python's own functions on sizes that are not known: exact where floats are exact, a named size otherwise."""

from __future__ import annotations

import textwrap
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mlvet.domains.dims import Expr, evaluate, symbol
from mlvet.frontends.python.program import Interpreted, interpret_text
from mlvet.frontends.python.values.containers import ListValue, Repeated
from mlvet.frontends.python.values.numbers import Scalar

EXACT = (
    "int(h / 2)", "int(h / 3)", "int((h + 5) / 3 + 1)", "int(h * 0.5)", "int(h * 0.75)", "int(2 * h / 3)",
    "h // 2 * 2", "math.ceil(h / 4)", "math.floor(h / 4)", "math.ceil((h + 2 * 3 - 5) / 2) + 1", "round(h / 3)",
    "int(math.sqrt(h * h))", "int((4 * h * h) ** 0.5)", "h ** 2", "h % 8", "max(h, 3)", "min(h, w, 7)", "abs(-h)",
    "sum([h, w, 1])", "len(range(h))", "len(range(0, h, 2))", "math.prod([h, w])", "divmod(h, 3)[1]",
    "int(float(h))", "(h << 1) >> 1", "int(h / w * 4) // 4", "len([0] * h)", "len([1, 2] * h)",
    "len(list(range(h))[1:])", "len(list(range(h))[:-1])", "len(list(zip(range(h), range(w))))",
)  # fmt: skip
NAMES = {"h": symbol("h", low=1), "w": symbol("w", low=1)}


def run(program: str) -> Interpreted:
    return interpret_text(textwrap.dedent(program), dict(NAMES))


@pytest.mark.parametrize("text", EXACT)
@settings(deadline=None)
@given(h=st.integers(1, 60), w=st.integers(1, 60))
def test_what_python_computes_is_what_the_symbols_say(text: str, h: int, w: int) -> None:
    said = _known(text)
    is_ = eval(text, {"math": __import__("math"), "h": h, "w": w})
    assert evaluate(said, {"h": h, "w": w}) == is_


_ANSWERS: dict[str, Any] = {}


def _known(text: str) -> Any:
    if text not in _ANSWERS:
        _ANSWERS[text] = run(f"import math\nx = {text}").names["x"]
    assert isinstance(_ANSWERS[text], int | Expr), _ANSWERS[text]
    return _ANSWERS[text]


@pytest.mark.parametrize(
    "text", ["int(h * 0.1)", "int(h / 3 * 3)", "int(h ** 0.5)", "round(h / 2)", "int(math.log2(h))"]
)
def test_what_floats_may_round_is_a_size_of_its_own(text: str) -> None:
    said = _known(text)
    assert isinstance(said, Expr)
    assert "h" not in str(said).split("_")


def test_options_of_the_command_line_are_settings() -> None:
    found = run("""
        import argparse
        p = argparse.ArgumentParser()
        p.add_argument('--batch-size', type=int, default=64)
        p.add_argument('--lr', type=float, default=0.1)
        p.add_argument('--cuda', action='store_true')
        p.add_argument('--arch', choices=['a', 'b'], default='a')
        p.add_argument('--gpu', type=int)
        p.add_argument('--sizes', type=int, nargs='+')
        p.add_argument('depth', type=int)
        train = p.add_subparsers(dest='command').add_parser('train')
        train.add_argument('--epochs', type=int, default=3)
        args = p.parse_args()
        doubled = 2 * args.batch_size
        never = args.arch == 'c'
        held = vars(args)['epochs']
    """)
    args = found.names["args"].cells
    assert str(found.names["doubled"]) == "2*batch_size"
    assert found.settings["batch_size"].default == 64
    assert (args["lr"].kind, args["lr"].default, args["cuda"].kind, args["cuda"].default) == (float, 0.1, bool, False)
    assert args["arch"].choices == ("a", "b")
    assert found.names["never"] is False
    assert isinstance(args["gpu"], Scalar)
    assert args["gpu"].default is None
    assert isinstance(args["sizes"], ListValue)
    assert isinstance(args["sizes"].items, Repeated)
    assert str(args["depth"]) == "depth"
    assert str(found.names["held"]) == "epochs"


def test_flags_commands_and_configurations_are_settings() -> None:
    found = run("""
        from absl import app, flags
        import click
        import ml_collections
        flags.DEFINE_integer('batch', 32, 'help')
        rate = flags.DEFINE_float('rate', 0.1, 'help')

        def main(argv):
            global doubled
            doubled = 2 * flags.FLAGS.batch

        app.run(main)

        @click.command()
        @click.option('--hidden-size', default=16)
        @click.argument('depth', type=int)
        def build(hidden_size, depth):
            global sizes
            sizes = [hidden_size, depth]

        build()
        config = ml_collections.ConfigDict({'model': {'width': 5}})
        width = config.model.width
    """)
    assert str(found.names["doubled"]) == "2*batch"
    assert [str(size) for size in found.names["sizes"].items] == ["hidden_size", "depth"]
    assert found.names["width"] == 5
    assert {name: setting.default for name, setting in found.settings.items()} == {
        "batch": 32, "hidden_size": 16, "depth": None,
    }  # fmt: skip


def test_files_that_are_not_the_program_s_are_of_unknown_length() -> None:
    found = run("""
        import json, os
        lines = [line.split(',') for line in open('data.csv')]
        names = sorted(os.listdir('images'))
        with open('labels.json') as file:
            labels = json.load(file)
    """)
    assert isinstance(found.names["lines"].items, Repeated)
    assert isinstance(found.names["names"].items.element, Scalar)


def test_a_tensor_and_the_sizes_of_one_of_unknown_rank() -> None:
    found = interpret_text("import torch\nx = torch.load('x')\ny = torch.zeros(2) + torch.relu(x).shape\nz = 1\n")
    assert found.complete
    assert found.names["z"] == 1
