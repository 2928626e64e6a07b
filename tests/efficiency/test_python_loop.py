"""Loops of Python where the library has one: which are told, which twins are not, on what condition."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from suggesting import edited, lines, told

RULE = "python-loop"
CELLS = """\
import torch
from torch import nn

class Encoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.cell = nn.GRUCell(32, 64)
        self.low = nn.LSTMCell(32, 64)
        self.top = nn.LSTMCell(64, 64)
        self.head = nn.Linear(64, 32)

    def forward(self, values):
        state = torch.zeros(values.size(0), 64)
        h = c = k = d = state
        word = values[:, 0]
        mask = torch.ones(64)
        outputs = []
        {loop}
            {body}
        return state

model = Encoder()
model(torch.randn(8, 100, 32))
"""


def cells(loop: str, *body: str) -> str:
    return CELLS.format(loop=loop, body="\n            ".join(body))


def test_a_cell_that_gets_one_step_after_the_other_is_a_layer(tmp_path: Path) -> None:
    text = cells("for t in range(values.size(1)):", "state = self.cell(values[:, t], state)", "outputs.append(state)")
    found = told(text, tmp_path, RULE)
    assert [each.location.line for each in found] == [19]
    assert found[0].fix is not None
    assert "`self.cell = nn.GRU(32, 64, batch_first=True)`" in found[0].fix.title


def test_cells_on_top_of_each_other_are_layers(tmp_path: Path) -> None:
    text = cells("for x in values.split(1, dim=1):", "h, c = self.low(x, (h, c))", "k, d = self.top(h, (k, d))")
    assert lines(text, tmp_path, RULE) == [19, 20]


@pytest.mark.parametrize(
    "body",
    [
        ("state = self.cell(word, state)", "word = self.head(state)"),
        ("state = self.cell(values[:, t], state)", "state = state * mask"),
        ("state = self.cell(values[:, t], state * mask)",),
        ("if t % 2:", "    state = self.cell(values[:, t], state)"),
        ("values = values + 1", "state = self.cell(values[:, t], state)"),
    ],
)
def test_a_cell_that_is_fed_back_or_changed_is_not_told(body: tuple[str, ...], tmp_path: Path) -> None:
    text = cells("for t in range(values.size(1)):", *body)
    assert lines(text, tmp_path, RULE) == []


def test_few_steps_are_not_worth_it(tmp_path: Path) -> None:
    assert lines(cells("for t in range(5):", "state = self.cell(values[:, t], state)"), tmp_path, RULE) == []


JAX = """\
import functools
import jax
import jax.numpy as jnp

def rows(weights, values):
    state = jnp.zeros(16)
    for t in range(values.shape[0]):
        state = jnp.tanh(weights @ state + values[t])
    return state

{compiled}
run(jnp.ones((16, 16)), jnp.ones((100, 16)))
"""


@pytest.mark.parametrize(
    "compiled",
    [
        "run = jax.jit(rows)",
        "run = jax.jit(jax.checkpoint(rows))",
        "run = jax.jit(jax.grad(lambda w, v: rows(w, v).sum()))",
        "@jax.jit\ndef run(weights, values):\n    return rows(weights, values)",
        "@functools.partial(jax.jit, donate_argnums=0)\ndef run(w, v):\n    return jax.vjp(rows, w, v)[0]",
    ],
)
def test_a_loop_that_is_traced_is_told_with_its_condition(compiled: str, tmp_path: Path) -> None:
    found = told(JAX.format(compiled=compiled), tmp_path, RULE)
    assert [each.location.line for each in found] == [7]
    assert "compiling costs more" in found[0].assumptions[0].text
    assert found[0].fix is not None
    assert "jax.lax.fori_loop(0, values.shape[0], body, state)" in found[0].fix.title


def test_a_loop_that_counts_down_gets_an_example_that_does(tmp_path: Path) -> None:
    text = JAX.format(compiled="run = jax.jit(rows)").replace(
        "range(values.shape[0])", "reversed(range(values.shape[0]))"
    )
    for each in told(text, tmp_path, RULE):
        assert each.fix is not None
        assert "jax.lax.scan(body, state, jnp.array(list(reversed(range(values.shape[0])))))" in each.fix.title


def test_a_loop_that_is_not_compiled_is_not_told(tmp_path: Path) -> None:
    assert lines(JAX.format(compiled="run = rows"), tmp_path, RULE) == []


def test_a_loop_over_layers_is_not_told(tmp_path: Path) -> None:
    text = """
import jax
import jax.numpy as jnp

@jax.jit
def run(layers, x):
    for i in range(len(layers)):
        x = jnp.tanh(x @ layers[i])
    return x

run([jnp.ones((4, 4)) for _ in range(60)], jnp.ones((2, 4)))
"""
    assert lines(text, tmp_path, RULE) == []


GRAPH = """\
import numpy as np
import tensorflow.compat.v1 as tf
tf.disable_v2_behavior()

values = tf.placeholder(tf.float32, [None, 60, 8])
weights = tf.Variable(tf.ones([8, 8]))
stack = [tf.Variable(tf.ones([8, 8])) for _ in range(60)]
state = tf.zeros_like(values[:, 0])
{loop}
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    sess.run(state, {{values: np.ones([2, 60, 8])}})
"""


def test_steps_built_one_by_one_are_told_with_the_condition(tmp_path: Path) -> None:
    text = GRAPH.format(loop="for t in range(60):\n    state = tf.tanh(tf.matmul(state, weights) + values[:, t])")
    found = told(text, tmp_path, RULE)
    assert [each.location.line for each in found] == [9]
    assert "building the graph costs more than the steps" in found[0].assumptions[0].text


def test_layers_built_one_by_one_are_not_told(tmp_path: Path) -> None:
    text = GRAPH.format(loop="for i in range(60):\n    state = tf.tanh(tf.matmul(state, stack[i]))")
    assert lines(text, tmp_path, RULE) == []


def test_rows_are_one_batch(tmp_path: Path) -> None:
    text = """\
import torch
from torch import nn
torch.manual_seed(0)
model = nn.Sequential(nn.Linear(10, 20), nn.ReLU(), nn.Linear(20, 5))
batch = torch.randn(64, 10)
found = torch.stack([model(row) for row in batch])
"""
    found = told(text, tmp_path, RULE)
    assert [each.location.line for each in found] == [6]
    after = edited(text, found)
    assert "found = model(batch)" in after
    old, new = ran(text), ran(after)
    np.testing.assert_allclose(new["found"].detach(), old["found"].detach(), rtol=1e-5, atol=1e-6)  # type: ignore[attr-defined]


def test_a_function_of_rows_is_mapped(tmp_path: Path) -> None:
    text = """\
import jax
import jax.numpy as jnp

def length(row):
    return jnp.sqrt((row * row).sum())

found = jnp.stack([length(row) for row in jnp.ones((50, 3))])
"""
    found = told(text, tmp_path, RULE)
    after = edited(text, found)
    assert "found = jax.vmap(length)(jnp.ones((50, 3)))" in after
    np.testing.assert_allclose(ran(after)["found"], ran(text)["found"])  # type: ignore[arg-type]


def test_a_loop_that_tensorflow_stages_is_not_taken_for_one_of_jax(tmp_path: Path) -> None:
    text = """\
import tensorflow as tf

@tf.function
def total(values):
    state = tf.zeros(())
    for index in tf.range(tf.shape(values)[0]):
        state = state * 0.5 + values[index]
    return state

found = total(tf.ones(500))
"""
    assert lines(text, tmp_path, RULE) == []


def ran(text: str) -> dict[str, object]:
    """The names of a program after it has run."""
    names: dict[str, object] = {}
    exec(compile(text, "program.py", "exec"), names)
    return names


@pytest.mark.parametrize(
    ("rows", "width", "device", "conditions"),
    [
        ("8", 64, "cpu", []),
        ("256", 512, "cpu", None),
        ("256", 512, "cuda", ["a GPU is used"]),
        ("len(open('rows.txt').read())", 64, "cpu", ["a batch has fewer than about 60 rows, or a GPU is used"]),
    ],
)
def test_a_cell_is_told_where_its_steps_are_small(
    rows: str, width: int, device: str, conditions: list[str] | None, tmp_path: Path
) -> None:
    text = f"""\
import torch
from torch import nn

rows = {rows}
device = "{device}"
cell = nn.LSTMCell({width}, {width}).to(device)
values = torch.randn(rows, 100, {width}).to(device)
h = c = torch.zeros(rows, {width}).to(device)
for step in range(100):
    h, c = cell(values[:, step], (h, c))
"""
    found = told(text, tmp_path, RULE)
    assert [[each.text for each in one.assumptions] for one in found] == ([] if conditions is None else [conditions])


@pytest.mark.parametrize(
    ("rows", "dtype", "expected"),
    [("8", "double", 1), ("64", "double", 0), ("64", "float", 1), ("len(open('rows.txt').read())", "double", 0)],
)
def test_a_cell_in_double_precision_is_told_where_its_few_rows_are_known(
    rows: str, dtype: str, expected: int, tmp_path: Path
) -> None:
    text = f"""\
import torch
from torch import nn

rows = {rows}
cell = nn.LSTMCell(51, 51).to(torch.{dtype})
values = torch.randn(rows, 100, 51, dtype=torch.{dtype})
h = c = torch.zeros(rows, 51, dtype=torch.{dtype})
for step in range(100):
    h, c = cell(values[:, step], (h, c))
"""
    assert len(told(text, tmp_path, RULE)) == expected
