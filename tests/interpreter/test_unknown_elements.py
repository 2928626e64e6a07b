"""Elements of a data set of which nothing is known: what one is used as says nothing of a batch of them."""

from __future__ import annotations

from looking import seen, violated

from mlvet.frontends.python.program import interpret_text


def test_a_batch_of_what_was_given_a_shape_has_one_dim_more() -> None:
    found = interpret_text(
        "import json\nimport tensorflow as tf\nrows = json.load(open('rows.json'))\n"
        "def shaped(x):\n    x.set_shape([8, 3])\n    return x\n"
        "ds = tf.data.Dataset.from_tensor_slices(rows).map(shaped).batch(4, drop_remainder=True)\n"
        "for x in ds:\n    y = x[:, :, :2]\n"
    )
    assert not violated(found)
    assert seen(found, "y").endswith("[4, 8, 2]")


def test_what_a_function_does_by_chance_has_one_shape() -> None:
    found = interpret_text(
        "import tensorflow as tf\n"
        "def crop(x):\n    if tf.random.uniform(()) > 0.5:\n        x = x[:3]\n    return x, tf.shape(x)\n"
        "ds = tf.data.Dataset.from_tensor_slices(tf.zeros((10, 4, 2))).map(crop)\nfor x, y in ds:\n    pass\n"
    )
    assert seen(found, "x") == "f32[either, 2]"
    assert seen(found, "y") == "i32[2]"


def test_an_unknown_number_of_arguments_is_not_none() -> None:
    found = interpret_text(
        "import pickle, torch\nparts = pickle.load(open('parts', 'rb'))\n"
        "def count(*given):\n    return len(given)\nn = count(*parts, torch.ones(3))\nx = torch.zeros(n)\n"
    )
    assert found.names["n"] != 1
    assert seen(found, "x").startswith("f32[count")
