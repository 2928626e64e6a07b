"""Runs that compute the same: which pairs are told, which twins are not, and that the edits keep what is computed."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from suggesting import edited, lines, told

from mlvet.core.fix import Applicability

RULE = "common-computation"
SESSION = """\
import numpy as np
import tensorflow.compat.v1 as tf
tf.disable_v2_behavior()

data = np.random.RandomState(0).rand(300, 64).astype(np.float32)
x = tf.placeholder(tf.float32, [None, 64])
y = tf.placeholder(tf.float32, [None, 8])
w = tf.Variable(tf.ones([64, 256]) / 64)
v = tf.Variable(tf.ones([256, 8]) / 256)
h = tf.nn.sigmoid(tf.matmul(x, w))
o = tf.matmul(h, v)
loss = tf.reduce_mean(tf.square(o - y))
error = tf.reduce_mean(tf.abs(o - y))
train = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
grow = tf.assign(w, w * 1.1)
history = []
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for start in range(0, 300, 100):
        rows = data[start:start + 100]
        goal = rows[:, :8]
        {first}
        {between}
        {second}
        history.append([a, b])
"""
FIRST = "a = sess.run(loss, feed_dict={x: rows, y: goal})"
SECOND = "b = sess.run(error, feed_dict={x: rows, y: goal})"


def session(first: str = FIRST, between: str = "pass", second: str = SECOND) -> str:
    return SESSION.format_map({"first": first, "between": between, "second": second})


@pytest.mark.parametrize(
    "between",
    ["pass", "print(a)", "history.append(a)", "sess.run(h, feed_dict={x: rows})"],
)
def test_runs_in_a_row_with_the_same_feeds_are_one(between: str, tmp_path: Path) -> None:
    assert lines(session(between=between), tmp_path, RULE) == [22]


@pytest.mark.parametrize(
    "between",
    ["sess.run(grow)", "rows = rows + 1", "rows[0] = 0", "np.random.shuffle(rows)"],
)
def test_what_changes_in_between_keeps_them_apart(between: str, tmp_path: Path) -> None:
    assert lines(session(between=between), tmp_path, RULE) == []


@pytest.mark.parametrize("step", ["tf.group(train, grow)", "elsewhere.step(loss)"])
def test_a_step_of_training_in_the_first_keeps_them_apart(step: str, tmp_path: Path) -> None:
    text = session(first="_, a = sess.run([step, loss], feed_dict={x: rows, y: goal})")
    begins = text.replace("history = []", f"step = {step}\nhistory = []", 1)
    assert lines(f"import elsewhere\n{begins}", tmp_path, RULE) == []


def test_other_feeds_keep_them_apart(tmp_path: Path) -> None:
    assert lines(session(second="b = sess.run(error, feed_dict={x: goal, y: rows})"), tmp_path, RULE) == []


def test_a_feed_that_is_made_anew_keeps_them_apart(tmp_path: Path) -> None:
    fed = "{x: np.random.rand(9, 64), y: goal}"
    text = session(f"a = sess.run(loss, feed_dict={fed})", second=f"b = sess.run(error, feed_dict={fed})")
    assert lines(text, tmp_path, RULE) == []


def test_a_loss_read_before_training_on_it_is_part_of_the_training(tmp_path: Path) -> None:
    found = told(session(second="sess.run(train, feed_dict={x: rows, y: goal})\n        b = 0"), tmp_path, RULE)
    assert len(found) == 1
    assert found[0].fix is not None
    assert found[0].fix.applicability is Applicability.UNSAFE


def test_a_loss_read_after_training_is_another(tmp_path: Path) -> None:
    first = "sess.run(train, feed_dict={x: rows, y: goal}); a = 0"
    assert lines(session(first=first), tmp_path, RULE) == []


def test_shared_random_numbers_are_an_assumption(tmp_path: Path) -> None:
    text = session().replace("tf.matmul(x, w))", "tf.matmul(x, w) + tf.random_normal([256]))")
    found = told(text, tmp_path, RULE)
    assert any("random" in each.text for each in found[0].assumptions)
    assert found[0].fix is not None
    assert found[0].fix.applicability is Applicability.UNSAFE


def test_one_run_of_three_yields_what_three_do(tmp_path: Path) -> None:
    three = SECOND + "\n        c = sess.run(h, feed_dict={x: rows, y: goal})"
    text = session(second=three)
    found = told(text, tmp_path, RULE)
    assert [each.fix.applicability for each in found if each.fix] == [Applicability.SAFE]
    after = edited(text, found)
    assert "a, b, c = sess.run([loss, error, h], feed_dict={x: rows, y: goal})" in after
    assert after.count("sess.run") == 2
    np.testing.assert_allclose(ran(after)["history"], ran(text)["history"], rtol=1e-6)


TURNS = """\
import numpy as np
import tensorflow.compat.v1 as tf
tf.disable_v2_behavior()

x = tf.placeholder(tf.float32, [None, 64])
filters = np.random.RandomState(0).rand(64, 64).astype(np.float32) / 64
layers = [x]
for _ in range(4):
    layers.append(tf.nn.relu(tf.matmul(layers[-1], filters)))
rows = np.ones([100, 64], np.float32)
values = []
with tf.Session() as sess:
    {turns}
"""


def test_fetches_in_turn_are_one_run(tmp_path: Path) -> None:
    text = TURNS.format(turns="values = [sess.run(layer, {x: rows}) for layer in layers[1:]]")
    found = told(text, tmp_path, RULE)
    assert [each.location.line for each in found] == [13]
    after = edited(text, found)
    assert "values = sess.run([layer for layer in layers[1:]], {x: rows})" in after
    np.testing.assert_allclose(ran(after)["values"], ran(text)["values"])  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "turns",
    [
        "values = [sess.run(layers[4], {x: rows}) for _ in range(9)]",
        "for layer in layers[1:]:\n        rows = sess.run(layer, {x: rows})",
        "for layer in layers[1:]:\n        rows = rows + 1\n        values.append(sess.run(layer, {x: rows}))",
    ],
)
def test_fetches_that_need_another_feed_stay(turns: str, tmp_path: Path) -> None:
    assert lines(TURNS.format(turns=turns), tmp_path, RULE) == []


def test_two_draws_of_one_value_stay_two(tmp_path: Path) -> None:
    text = session(second="b = sess.run(loss, feed_dict={x: rows, y: goal})")
    assert lines(text.replace("tf.matmul(x, w))", "tf.matmul(x, w) + tf.random_normal([256]))"), tmp_path, RULE) == []


MODEL = """\
import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(64, 256), {layer}, nn.Linear(256, 8))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
images, labels = torch.randn(32, 64), torch.randint(8, (32,))
history = []
for _ in range(5):
    loss = nn.functional.cross_entropy(model(images), labels)
    {between}
    {second}
    history.append([loss.item(), correct.item()])
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
"""
CORRECT = "correct = (model(images).argmax(1) == labels).float().mean()"


def model(layer: str = "nn.ReLU()", between: str = "pass", second: str = CORRECT) -> str:
    return MODEL.format(layer=layer, between=between, second=second)


def test_two_forward_passes_are_one(tmp_path: Path) -> None:
    text = model()
    found = told(text, tmp_path, RULE)
    assert [each.location.line for each in found] == [12]
    assert ran(edited(text, found))["history"] == ran(text)["history"]


def test_a_pass_without_gradients_takes_a_detached_result(tmp_path: Path) -> None:
    text = model(second=f"with torch.no_grad():\n        {CORRECT}")
    found = told(text, tmp_path, RULE)
    after = edited(text, found)
    assert "output.detach().argmax(1)" in after
    assert found[0].fix is not None
    assert found[0].fix.applicability is Applicability.SAFE
    assert ran(after)["history"] == ran(text)["history"]


@pytest.mark.parametrize(
    "between",
    ["optimizer.step()", "model.eval()", "images = images + 1", "images += 1", "loss.backward()"],
)
def test_what_moves_model_or_input_keeps_passes_apart(between: str, tmp_path: Path) -> None:
    assert lines(model(between=between), tmp_path, RULE) == []


@pytest.mark.parametrize("layer", ["nn.Dropout(0.5)", "nn.BatchNorm1d(256)"])
def test_layers_with_a_state_keep_passes_apart(layer: str, tmp_path: Path) -> None:
    assert lines(model(layer=layer), tmp_path, RULE) == []


def test_layers_made_twice_are_two(tmp_path: Path) -> None:
    text = """
import keras
inputs = keras.Input((64,))
for _ in range(3):
    one = keras.layers.Dense(512)(inputs)
    two = keras.layers.Dense(512)(inputs)
"""
    assert lines(text, tmp_path, RULE) == []


def test_a_jitted_function_runs_once(tmp_path: Path) -> None:
    text = """\
import jax
import jax.numpy as jnp

@jax.jit
def predict(weights, rows):
    return jnp.tanh(rows @ weights)

weights = jnp.ones((64, 64))
rows = jnp.ones((32, 64))
for step in range(10):
    weights = weights * 0.9
    mean = predict(weights, rows).mean()
    top = predict(weights, rows).max()
"""
    found = told(text, tmp_path, RULE)
    assert [each.location.line for each in found] == [13]
    after = ran(edited(text, found))
    assert (after["mean"], after["top"]) == (ran(text)["mean"], ran(text)["top"])


def ran(text: str) -> dict[str, object]:
    """The names of a program after it has run."""
    import tensorflow as tf

    names: dict[str, object] = {}
    with tf.Graph().as_default() if "compat.v1" in text else tf.device("cpu"):
        exec(compile(text, "program.py", "exec"), names)
    return names


def test_tensors_made_twice_are_two(tmp_path: Path) -> None:
    text = (
        "import torch\n\n"
        "for step in range(10):\n"
        "    a = torch.ones(3000, 3000)\n"
        "    b = torch.ones(3000, 3000)\n"
        "    print((a + b).sum())\n"
    )
    assert lines(text, tmp_path, RULE) == []
