"""Operators that a loop builds: which are told, which twins are not, and that what is moved computes the same."""

from __future__ import annotations

from pathlib import Path

import pytest
from suggesting import edited, lines, told

from mlvet.core.fix import Applicability

RULE = "operators-built-in-loop"
HEAD = """\
import numpy as np
import tensorflow.compat.v1 as tf
tf.disable_v2_behavior()

x = tf.placeholder(tf.float32, [None, 4])
weights = tf.Variable(tf.ones([4]))
cached = None
values = []
"""
SESSION = """\
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
"""
LOOP = "    for step in range(50):\n"


def program(*body: str, before: str = "") -> str:
    return HEAD + before + SESSION + LOOP + "".join(f"        {line}\n" for line in body)


BUILT = [
    ("shrunk = weights * 0.99", "sess.run(tf.assign(weights, shrunk))", "values.append(sess.run(weights))"),
    ("values.append(sess.run(tf.reduce_sum(weights)))",),
    ("total = tf.reduce_sum(weights)", "values.append(total.eval())"),
    ("values.append(sess.run(weights[0]))",),
]


@pytest.mark.parametrize("body", BUILT, ids=lambda body: body[0])
def test_what_is_built_in_the_loop_is_told_and_moved(body: tuple[str, ...], tmp_path: Path) -> None:
    text = program(*body)
    found = told(text, tmp_path, RULE)
    assert [each.location.line for each in found] == [12]
    assert found[0].fix is not None
    assert found[0].fix.applicability is Applicability.SAFE
    after = edited(text, found)
    old, new = ran(text), ran(after)
    assert [each.tolist() for each in new["values"]] == [each.tolist() for each in old["values"]]
    assert new["size"] < old["size"]
    assert lines(after, tmp_path, RULE) == []


def test_what_varies_is_fed_through_a_placeholder(tmp_path: Path) -> None:
    found = told(program("raised = weights + step", "sess.run(raised)"), tmp_path, RULE)
    assert found[0].fix is not None
    assert found[0].fix.applicability is Applicability.MANUAL
    assert "`step_fed = tf.placeholder(tf.float32)`, `raised = weights + step_fed`" in found[0].fix.title
    assert "feed_dict={step_fed: step}" in found[0].fix.title


def test_a_value_that_grows_with_the_graph_becomes_an_update(tmp_path: Path) -> None:
    found = told(program("weights = weights + 1", "sess.run(weights)"), tmp_path, RULE)
    assert found[0].fix is not None
    assert "tf.assign(weights, weights + 1)" in found[0].fix.title


def test_a_function_that_the_loop_calls_builds_too(tmp_path: Path) -> None:
    text = program("values.append(sess.run(norm()))", before="def norm():\n    return tf.norm(weights)\n")
    found = told(text, tmp_path, RULE)
    assert [each.location.line for each in found] == [10]


@pytest.mark.parametrize(
    "body",
    [
        ("values.append(sess.run(weights))",),
        ("values.append(np.sum(sess.run(weights)) + step)",),
        ("if cached is None:", "    cached = tf.reduce_sum(weights)", "sess.run(cached)"),
        ("if step == 0:", "    cached = tf.reduce_sum(weights)", "sess.run(cached)"),
        ("tf.reset_default_graph()", "y = tf.ones([3])", "tf.Session().run(y)"),
        ("with tf.Graph().as_default():", "    y = tf.ones([3])", "    tf.Session().run(y)"),
        ("total = tf.reduce_sum(weights)", "for _ in range(9):", "    sess.run(total)"),
    ],
    ids=lambda body: body[0],
)
def test_what_is_not_built_anew_is_not_told(body: tuple[str, ...], tmp_path: Path) -> None:
    assert lines(program(*body), tmp_path, RULE) == []


def test_layers_stacked_before_any_run_are_not_told(tmp_path: Path) -> None:
    stacked = "h = x\nfor _ in range(20):\n    h = tf.nn.relu(h * weights)\n"
    assert lines(program("sess.run(h, {x: [[1, 2, 3, 4]]})", before=stacked), tmp_path, RULE) == []


def test_eager_programs_build_nothing(tmp_path: Path) -> None:
    text = "import tensorflow as tf\nw = tf.Variable(tf.ones([4]))\nfor _ in range(50):\n    w.assign(w * 0.9)\n"
    assert lines(text, tmp_path, RULE) == []


def test_few_iterations_are_not_worth_it(tmp_path: Path) -> None:
    text = program("sess.run(tf.reduce_sum(weights))").replace("range(50)", "range(3)")
    assert lines(text, tmp_path, RULE) == []


def ran(text: str) -> dict[str, object]:
    """The names of a program after it has run, and the size of its graph."""
    import tensorflow as tf

    names: dict[str, object] = {}
    graph = tf.Graph()
    with graph.as_default():
        exec(compile(text, "program.py", "exec"), names)
    names["size"] = len(graph.get_operations())
    return names


def test_what_is_built_once_in_many_iterations_is_not_told(tmp_path: Path) -> None:
    every = ("if step % every == 0:", "    sess.run(tf.assign(weights, weights * 0.5))")
    often, seldom = program(*every, before="every = 5\n"), program(*every, before="every = 800\n")
    assert len(lines(often, tmp_path, RULE)) == 1
    assert lines(seldom, tmp_path, RULE) == []


def test_what_is_built_beside_a_loop_of_many_runs_is_not_told(tmp_path: Path) -> None:
    epoch = ("sess.run(tf.assign(weights, weights * 0.5))", "for _ in range(count):", "    sess.run(weights)")
    few, many = program(*epoch, before="count = 3\n"), program(*epoch, before="count = 400\n")
    assert len(lines(few, tmp_path, RULE)) == 1
    assert lines(many, tmp_path, RULE) == []
