"""Runs that need what they are not fed, and the many ways in which programs feed what is needed."""

from __future__ import annotations

from pathlib import Path

import pytest

from mlvet.core.finding import Finding
from mlvet.core.grade import Certainty
from mlvet.core.source import Source
from mlvet.programs import Program, vet_program

GRAPH = """
import numpy as np
import tensorflow as tf

tf.app.flags.DEFINE_string("mode", "train", "")
FLAGS = tf.app.flags.FLAGS
x = tf.placeholder(tf.float32, [None, 10])
y = tf.placeholder(tf.float32, [None, 3])
keep = tf.placeholder(tf.float32)
scale = tf.placeholder_with_default(tf.constant(1.0), [])
all_rows = tf.placeholder(tf.float32, [100, 10])
iterator = tf.data.Dataset.from_tensor_slices(all_rows).batch(4).make_initializable_iterator()
queue = tf.FIFOQueue(10, tf.float32, [[10]])
enqueue = queue.enqueue_many([all_rows])
w = tf.Variable(tf.zeros([10, 3]))
scores = tf.matmul(x, w) * scale
dropped = tf.nn.dropout(scores, keep)
loss = tf.reduce_mean(tf.square(scores - y))
train = tf.train.AdamOptimizer().minimize(loss)
a, b, rows = np.zeros((4, 10)), np.zeros((4, 3)), np.zeros((100, 10))


def feeds(train):
    made = {x: a}
    if train:
        made[y] = b
    return made


def go(sess, given):
    return sess.run(loss, feed_dict=given)


sess = tf.Session()
sess.run(tf.global_variables_initializer())
"""


def found_in(lines: str, folder: Path) -> list[Finding]:
    path = folder / "program.py"
    text = GRAPH + lines
    path.write_text(text, encoding="utf-8")
    return vet_program(Program(path, Source("program.py", text), folder)).findings


@pytest.mark.parametrize(
    ("line", "missing"),
    [
        ("sess.run(loss, feed_dict={x: a})", "y"),
        ("sess.run(loss)", "x y"),
        ("sess.run([scores, train], {x: a})", "y"),
        ("train.run(feed_dict={y: b}, session=sess)", "x"),
        ("loss.eval(feed_dict={y: b}, session=sess)", "x"),
        ("sess.run(dropped, feed_dict={x: a})", "keep"),
        ("go(sess, {y: b})", "x"),
        ("sess.run(loss, feeds(False))", "y"),
        ("sess.run(scores, {x: a})\nsess.run(tf.reduce_sum(scores - y), {x: a})", "y"),
    ],
)
def test_a_placeholder_that_is_not_fed(line: str, missing: str, tmp_path: Path) -> None:
    findings = found_in(line, tmp_path)
    assert {each.rule for each in findings} == {"placeholder-not-fed"}
    assert {each.certainty for each in findings} == {Certainty.PROVED}
    assert sorted(each.evidence.data["needed"] for each in findings if each.evidence is not None) == missing.split()


def test_the_message_names_what_is_needed_and_what_is_fed(tmp_path: Path) -> None:
    (finding,) = found_in("sess.run(loss, feed_dict={x: a})", tmp_path)
    assert finding.message == "this run needs `y` f32[batch_2, 3] for `loss`, but feeds `x`, so it cannot run"
    assert [each.message for each in finding.related] == ["`y` is made here"]


def test_a_placeholder_that_is_written_twice(tmp_path: Path) -> None:
    findings = found_in("sess.run(loss, feed_dict={y: a, y: b})", tmp_path)
    assert sorted(each.rule for each in findings) == ["placeholder-fed-twice", "placeholder-not-fed"]


def test_a_run_on_a_path_that_something_unmodelled_decides_is_doubtful(tmp_path: Path) -> None:
    (finding,) = found_in("import shop\nif shop.is_open():\n    sess.run(loss, {x: a})", tmp_path)
    assert finding.certainty is Certainty.POSSIBLE


@pytest.mark.parametrize(
    "lines",
    [
        "sess.run(loss, feed_dict={x: a, y: b})",
        "sess.run(w)",
        "sess.run(scores, {x: a, y: b})",
        "sess.run(dropped, {x: a, keep: 0.5})",
        "sess.run(loss, {scores: b, y: b})",
        "go(sess, {x: a, y: b})",
        "sess.run(loss, feeds(True))",
        "sess.run(loss, dict(zip([x, y], [a, b])))",
        "sess.run(loss, {p: v for p, v in zip([x, y], [a, b])})",
        "given = {}\nfor p, v in zip([x, y], [a, b]):\n    given[p] = v\nsess.run(loss, given)",
        'sess.run(loss, feed_dict={"Placeholder:0": a, y: b})',
        'sess.run("loss:0")',
        "def unknown(given):\n    sess.run(loss, given)",
        "def unknown(given):\n    sess.run(loss, {x: a, **given})",
        'found = sess.graph.get_tensor_by_name("Placeholder:0")\nsess.run(loss, {found: a, y: b})',
        "call = sess.make_callable(loss, [x, y])\ncall(a, b)",
        "sess.run(loss, {x: a, y: b, y: b})",
        "total = tf.Variable(tf.zeros([10, 3]))\ntotal.assign_add(tf.transpose(x))\nsess.run(total)",
        "try:\n    sess.run(loss)\nexcept Exception:\n    pass",
        "x.set_shape([4, 10])\nsess.run(loss, {x: a, y: b})",
        "sess.run(tf.zeros_like(all_rows) + 1.0)",
        "s = sess.run(scores, {x: a})\nsess.run(tf.assign(w, w + tf.reduce_sum(tf.constant(s))))",
        "sess.run(iterator.initializer, {all_rows: rows})\nsess.run(tf.matmul(iterator.get_next(), w))",
        "sess.run(enqueue, {all_rows: rows})\nsess.run(queue.dequeue())",
        "part = loss if FLAGS.mode == 'train' else scores\n"
        "if FLAGS.mode == 'train':\n    sess.run(part, {x: a, y: b})\nelse:\n    sess.run(part, {x: a})",
    ],
)
def test_what_is_fed_in_some_way_is_no_finding(lines: str, tmp_path: Path) -> None:
    assert found_in(lines, tmp_path) == []
