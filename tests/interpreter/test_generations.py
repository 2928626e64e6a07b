"""A file that uses what only an earlier generation of a library has is taken to be written for that one."""

from __future__ import annotations

from looking import seen, violated

from mlvet.frontends.python.program import interpret_text


def test_placeholders_mean_the_first_generation_of_tensorflow() -> None:
    found = interpret_text(
        "import tensorflow as tf\n"
        "x = tf.placeholder(tf.float32, [5, 10])\n"
        "loss = tf.losses.mean_squared_error(x, x)\n"
        "rows = tf.where(tf.zeros([5], tf.bool), x, x)\n"
    )
    assert violated(found) == []
    assert seen(found, "loss") == "f32[]"
    assert seen(found, "rows") == "f32[5, 10]"


def test_without_them_tensorflow_is_the_present_one() -> None:
    found = interpret_text(
        "import tensorflow as tf\n"
        "x = tf.zeros([5, 10])\n"
        "loss = tf.losses.mean_squared_error(x, x)\n"
        "rows = tf.where(tf.zeros([5], tf.bool), x, x)\n"
    )
    assert seen(found, "loss") == "f32[5]"
    assert violated(found) != []
