"""Work that functions have in common: which pairs are told, which twins are not, and that edits keep the results."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from suggesting import edited, lines, results, told

from mlvet.core.fix import Applicability

RULE = "common-computation"
MODULES = """\
import torch
from torch import nn

torch.manual_seed(0)


class Encoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = nn.Linear(64, 512)
        self.outer = nn.Linear(512, 512)

    def forward(self, x):
        h = torch.relu(self.inner(x))
        return torch.relu(self.outer(h)){dropped}


class Head(nn.Module):
    def __init__(self, encoder, size):
        super().__init__()
        self.encoder = encoder
        self.last = nn.Linear(512, size)

    def forward(self, x):
        return self.last(self.encoder(x))


class Critic(nn.Module):
    def __init__(self, encoder):
        super().__init__()
        self.encoder = encoder
        self.last = nn.Linear(512, 1)

    def forward(self, states):
        return self.last(self.encoder(states)).mean()

    @torch.no_grad()
    def worth(self, states):
        return self.last(self.encoder(states)).amax()


encoder = Encoder()
policy, critic = Head(encoder, 4), Critic(encoder)
optimizer = torch.optim.SGD(policy.parameters(), lr=0.01)
data = torch.randn(4, 256, 64)
batches = iter(torch.utils.data.DataLoader(torch.randn(4096, 64), batch_size=256))
result = []
for step in range(4):
    rows = data[step]
    {body}
"""


def program(*body: str, dropped: str = "") -> str:
    return MODULES.format_map({"body": "\n    ".join(body), "dropped": dropped})


@pytest.mark.parametrize(
    "body",
    [
        ("a = policy(rows)", "b = critic(rows)"),
        ("a = policy(rows).sum()", "print(a)", "b = critic(rows)"),
        ("a, b = policy(rows).sum(), critic(rows)",),
        ("a = encoder(rows).sum()", "b = critic(rows)"),
        ("a = critic(rows)", "b = critic.worth(rows)"),
    ],
)
def test_modules_that_run_the_same_part_on_the_same_rows(body: tuple[str, ...], tmp_path: Path) -> None:
    assert len(lines(program(*body), tmp_path, RULE)) == 1


@pytest.mark.parametrize(
    "body",
    [
        ("a = policy(rows)", "b = critic(rows + 1)"),
        ("a = policy(rows[:8])", "b = critic(rows[8:])"),
        ("a = policy(rows)", "rows = rows * 2", "b = critic(rows)"),
        ("a = policy(rows)", "rows.mul_(2)", "b = critic(rows)"),
        ("view = rows.view(-1)", "a = policy(rows)", "view.zero_()", "b = critic(rows)"),
        ("a = policy(rows).sum()", "a.backward()", "optimizer.step()", "b = critic(rows)"),
        ("a = policy(rows)", "encoder.load_state_dict(torch.load('file'))", "b = critic(rows)"),
        ("a = policy(rows)", "policy.eval()", "b = critic(rows)"),
        ("a = policy(next(batches))", "b = critic(next(batches))"),
        ("one, other = next(batches), next(batches)", "a = policy(one)", "b = critic(other)"),
        ("if step > 2:", "    a = policy(rows)", "b = critic(rows)"),
        ("a = policy(rows)", "encoder.inner = nn.Linear(64, 512)", "b = critic(rows)"),
    ],
)
def test_what_differs_keeps_them_apart(body: tuple[str, ...], tmp_path: Path) -> None:
    assert lines(program(*body), tmp_path, RULE) == []


def test_what_is_drawn_in_between_is_not_shared(tmp_path: Path) -> None:
    dropped = " * (torch.rand(512) > 0.5)"
    found = told(program("a = policy(rows)", "b = critic(rows)", dropped=dropped), tmp_path, RULE)
    assert all("`self.encoder(x)`" not in each.message for each in found)


def test_a_place_in_no_loop_is_left_alone(tmp_path: Path) -> None:
    text = program("pass") + "a = policy(data[0])\nb = critic(data[0])\n"
    assert lines(text, tmp_path, RULE) == []


def test_the_work_is_handed_through_modules(tmp_path: Path) -> None:
    text = program("a = policy(rows)", "b = critic(rows)", "result += [a, b]")
    found = told(text, tmp_path, RULE)
    assert "`self.encoder(x)` of line 25 yields the same as on line 35" in found[0].message
    changed = edited(text, found)
    assert "encoder_of_rows = policy.encoder(rows)" in changed
    for one, other in zip(results(text, tmp_path), results(changed, tmp_path), strict=True):
        np.testing.assert_array_equal(one, other)


def test_two_backward_passes_make_the_edit_unsafe(tmp_path: Path) -> None:
    text = program("a = policy(rows)", "b = critic(rows)", "(a.mean() + b).backward()")
    found = told(text, tmp_path, RULE)
    assert found[0].fix is not None
    assert found[0].fix.applicability is Applicability.UNSAFE


def test_the_work_with_gradients_is_detached_for_who_records_none(tmp_path: Path) -> None:
    text = program(
        "w = critic.worth(rows)", "a = critic(rows)", "optimizer.zero_grad()", "a.backward()", "optimizer.step()",
        "result += [w, a]",
    )  # fmt: skip
    found = told(text, tmp_path, RULE)
    assert found[0].fix is not None
    assert found[0].fix.applicability is Applicability.SAFE
    changed = edited(text, found)
    assert "w = critic.worth(rows, encoder_of_rows=encoder_of_rows.detach())" in changed
    for one, other in zip(results(text, tmp_path), results(changed, tmp_path), strict=True):
        np.testing.assert_array_equal(one, other)


def test_a_layer_that_works_in_place_makes_the_edit_unsafe(tmp_path: Path) -> None:
    text = program("a = policy(rows)", "b = critic(rows)").replace("nn.Linear(512, size)", "nn.ReLU(inplace=True)")
    found = told(text, tmp_path, RULE)
    assert found[0].fix is not None
    assert found[0].fix.applicability is Applicability.UNSAFE


def test_a_result_that_is_handed_out_and_changed_makes_the_edit_unsafe(tmp_path: Path) -> None:
    text = program("a = embedded(rows)", "a.add_(1)", "b = critic(rows)").replace(
        "encoder = Encoder()", "def embedded(x):\n    return encoder(x)\n\n\nencoder = Encoder()"
    )
    found = told(text, tmp_path, RULE)
    assert all(each.fix is None or each.fix.applicability is not Applicability.SAFE for each in found)


METHODS = """\
import torch


class Machine:
    def __init__(self):
        generator = torch.Generator().manual_seed(1)
        self.weights = torch.randn(256, 300, generator=generator) / 16
        self.calls = 0

    def hidden(self, seen):
        return torch.sigmoid(seen @ self.weights)

    def recalled(self, rows):
        return torch.sigmoid(self.hidden(rows) @ self.weights.T)

    def error(self, rows, scale=1.0):
        self.calls += 1
        return scale * (rows - self.recalled(rows)).abs().mean()

    def energy(self, seen):
        made = self.hidden(seen)
        return -(made * made).sum(1).mean()

    def learn(self, rows):
        self.weights += 0.001 * rows.T @ self.hidden(rows)


def trained(machine, data):
    history = []
    for rows in data.split(64):
        {body}
    return torch.stack(history)


result = trained(Machine(), torch.rand(640, 256, generator=torch.Generator().manual_seed(0)))
"""


def methods(*body: str) -> str:
    return METHODS.replace("{body}", "\n        ".join(body))


def test_methods_get_what_was_computed_before_them(tmp_path: Path) -> None:
    text = methods("error = machine.error(rows)", "energy = machine.energy(rows)", "history.append(error + energy)")
    found = told(text, tmp_path, RULE)
    assert [each.location.line for each in found] == [32]
    assert found[0].fix is not None
    assert found[0].fix.applicability is Applicability.SAFE
    changed = edited(text, found)
    assert "def recalled(self, rows, hidden_of_rows=None):" in changed
    assert "made = self.hidden(seen) if hidden_of_rows is None else hidden_of_rows" in changed
    np.testing.assert_array_equal(results(text, tmp_path)[0], results(changed, tmp_path)[0])


@pytest.mark.parametrize(
    "body",
    [
        ("error = machine.error(rows)", "machine.learn(rows)", "energy = machine.energy(rows)"),
        ("error = machine.error(rows)", "machine.weights = machine.weights * 2", "energy = machine.energy(rows)"),
        ("error = machine.error(rows)", "energy = machine.energy(rows.flip(0))"),
        ("error = machine.error(rows)", "machine = Machine()", "energy = machine.energy(rows)"),
    ],
)
def test_methods_of_another_state_are_left_alone(body: tuple[str, ...], tmp_path: Path) -> None:
    assert lines(methods(*body, "history.append(error + energy)"), tmp_path, RULE) == []


COMPILED = """\
import jax
import jax.numpy as jnp


def features(weights, x):
    return jnp.tanh(jnp.tanh(x @ weights) @ weights)


{jit}
def spread(weights, x):
    return features(weights, x).std()


{jit}
def norm(weights, x):
    return jnp.linalg.norm(features(weights, x), axis=1).mean()


def both(weights, x):
    s = spread(weights, x)
    n = norm(weights, x)
    return s + n


{whole}
weights = jnp.ones((512, 512)) / 512
result = []
for seed in range(5):
    x = jax.random.normal(jax.random.key(seed), (1024, 512))
    result.append(both(weights, x))
"""


def test_compiled_functions_are_compiled_as_one(tmp_path: Path) -> None:
    found = told(COMPILED.format(jit="@jax.jit", whole=""), tmp_path, RULE)
    assert [each.location.line for each in found] == [21]
    assert found[0].fix is not None
    assert "joined = jax.jit(lambda weights, x: (spread(weights, x), norm(weights, x)))" in found[0].fix.title
    assert "`s, n = joined(weights, x)`" in found[0].fix.title


def test_a_compiler_around_both_finds_out_by_itself(tmp_path: Path) -> None:
    assert lines(COMPILED.format(jit="@jax.jit", whole="both = jax.jit(both)"), tmp_path, RULE) == []


KERAS = """\
import keras
import numpy as np
import tensorflow as tf
from keras import layers

keras.utils.set_random_seed(0)
inputs = keras.Input((32, 32, 3))
x = layers.Conv2D(32, 3, activation="relu")(inputs)
x = layers.Conv2D(32, 3, activation="relu")(x)
pooled = layers.GlobalAveragePooling2D()(x)
classify = keras.Model(inputs, layers.Dense(10)(pooled))
locate = keras.Model(inputs, layers.Dense(4)(pooled))
pictures = np.random.RandomState(0).rand(96, 32, 32, 3).astype("float32")
result = []
for start in range(0, 96, 32):
    batch = tf.constant(pictures[start : start + 32])
    {body}
"""


def test_models_with_layers_in_common_are_one(tmp_path: Path) -> None:
    body = "scores = classify(batch)\n    boxes = locate(batch)\n    result.append([scores, boxes])"
    found = told(KERAS.replace("{body}", body), tmp_path, RULE)
    assert [each.location.line for each in found] == [18]
    assert found[0].fix is not None
    assert "joined = keras.Model(classify.input, [classify.output, locate.output])" in found[0].fix.title
    assert "`scores, boxes = joined(batch)`" in found[0].fix.title


def test_models_in_a_loop_with_layers_in_common(tmp_path: Path) -> None:
    body = "for model in (classify, locate):\n        result.append(model(batch))"
    assert lines(KERAS.replace("{body}", body), tmp_path, RULE) == [18]


@pytest.mark.parametrize(
    "body",
    [
        "for model in (classify, locate):\n        result.append(model(batch * (len(result) + 1)))",
        "scores = classify(batch)\n    boxes = locate(batch[::-1])",
        "scores = classify(batch)\n    classify.layers[1].kernel.assign(classify.layers[1].kernel * 2)\n"
        "    boxes = locate(batch)",
    ],
)
def test_models_with_layers_in_common_on_other_pictures(body: str, tmp_path: Path) -> None:
    assert lines(KERAS.replace("{body}", body), tmp_path, RULE) == []


def test_items_of_a_list_are_not_the_same_list(tmp_path: Path) -> None:
    text = """\
import torch
from torch import nn

count = int(input())
layers = [nn.Linear(512, 512) for _ in range(count)]
rows = [torch.randn(64, 512) for _ in range(count)]
for step in range(100):
    a = layers[0](rows[0])
    b = layers[1](rows[0])
    c = layers[0](rows[1])
"""
    assert lines(text, tmp_path, RULE) == []


@pytest.mark.parametrize(
    "made", ["copy.deepcopy(model)", "torch.optim.swa_utils.AveragedModel(model)", "copy.deepcopy(model).eval()"]
)
def test_a_copy_has_parameters_of_its_own(made: str, tmp_path: Path) -> None:
    text = f"""\
import copy
import torch
from torch import nn

model = nn.Sequential(nn.Linear(512, 512), nn.ReLU(), nn.Linear(512, 512))
first = {made}
both = [model, first]
for step in range(100):
    rows = torch.randn(64, 512)
    drift = (model(rows) - first(rows)).mean()
    for each in both:
        print(each(rows).mean())
"""
    assert lines(text, tmp_path, RULE) == []


SESSION = """\
import numpy as np
import tensorflow.compat.v1 as tf
tf.disable_v2_behavior()

data = np.random.RandomState(0).rand(300, 64).astype(np.float32)
x = tf.placeholder(tf.float32, [None, 64])
y = tf.placeholder(tf.float32, [None, 8])
w = tf.Variable(tf.ones([64, 256]) / 64)
h = tf.nn.sigmoid(tf.matmul(x, w))
o = tf.matmul(h, tf.ones([256, 8]) / 256)
loss = tf.reduce_mean(tf.square(o - y))
result = []
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for start in range(0, 300, 100):
        rows = data[start:start + 100]
        goal = rows[:, :8]
        {body}
        result.append(b)
"""


def session(*body: str) -> str:
    return SESSION.replace("{body}", "\n        ".join(body))


@pytest.mark.parametrize(
    "body",
    [
        ("a = sess.run(o, {x: rows})", "b = sess.run(loss, {x: rows, y: goal})"),
        ("feed = {x: rows, y: goal}", "a = sess.run(o, {x: rows})", "b = sess.run(loss, feed_dict=feed)"),
        ("b = sess.run(loss, {x: rows, y: goal})", "a = sess.run(o, {x: rows})"),
    ],
)
def test_a_run_that_feeds_a_part_of_what_the_next_does(body: tuple[str, ...], tmp_path: Path) -> None:
    text = session(*body)
    found = told(text, tmp_path, RULE)
    assert len(found) == 1
    changed = edited(text, found)
    assert changed.count("sess.run(") == 2
    for one, other in zip(results(text, tmp_path), results(changed, tmp_path), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-6)


@pytest.mark.parametrize(
    "body",
    [
        ("a = sess.run(o, {x: rows})", "b = sess.run(loss, {x: rows, y: goal + a})"),
        ("a = sess.run(o, {x: rows})", "goal = goal - a", "b = sess.run(loss, {x: rows, y: goal})"),
        ("a = sess.run(o, {x: rows + 1})", "b = sess.run(loss, {x: rows, y: goal})"),
        ("feed = {x: rows, y: goal}", "rows = rows * 2", "a = sess.run(o, {x: rows})", "b = sess.run(loss, feed)"),
        ("feed = {x: rows}", "a = sess.run(o, feed)", "feed[y] = goal", "b = sess.run(loss, feed)"),
    ],
)
def test_runs_of_which_one_needs_the_other_are_two(body: tuple[str, ...], tmp_path: Path) -> None:
    assert lines(session(*body), tmp_path, RULE) == []


def test_a_share_that_nobody_knows_is_not_told(tmp_path: Path) -> None:
    text = """\
import torch

def double(x):
    return x * 2 + 1

traced = torch.jit.trace(double, torch.ones(9, 9))
for _ in range(50):
    x = torch.randn(90, 90)
    torch.testing.assert_close(traced(x), double(x))
    torch.testing.assert_close(traced(x + 0), double(x))
"""
    assert lines(text, tmp_path, RULE) == []


def test_a_number_is_told_only_where_it_is_always_the_same() -> None:
    from mlvet.analyses.efficiency.analysis import outline
    from mlvet.core.source import Source
    from mlvet.frontends.python.program import interpret

    source = Source("program.py", "def f(n):\n    return n\n\n\nf(1)\nf(2)\nm = 3\nk = m\n")
    host = outline(source)
    assert host is not None
    seen = interpret(source, watched=host.watched, hosting=True).host.seen
    assert seen["program.py", 2, 11, 2, 12].number is None
    assert seen["program.py", 8, 4, 8, 5].number == 3
