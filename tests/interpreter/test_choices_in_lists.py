"""A list whose items differ between paths is taken by a library model once for each of them."""

from __future__ import annotations

from looking import seen, violated

from mlvet.domains.dims import symbol
from mlvet.frontends.python.program import interpret_text

NAMES = {"n": symbol("n", low=1)}
EVEN = "if n % 2 == 0:\n    left = 2\nelse:\n    left = 3\n"


def test_sizes_in_nested_lists() -> None:
    found = interpret_text(f"import tensorflow as tf\n{EVEN}x = tf.pad(tf.zeros((n, 4)), [[left, 1], [0, 0]])\n", NAMES)
    assert seen(found, "x") == "f32[n + 3, 4] | f32[n + 4, 4]"
    assert not violated(found)
    assert not found.refusals


def test_numbers_in_lists() -> None:
    found = interpret_text(f"import tensorflow as tf\n{EVEN}x = tf.constant([[left, 1], [0, 0]])\n", NAMES)
    assert seen(found, "x") == "i32[2, 2]"
    assert not found.refusals
