"""`zip(*rows)` of rows of which there are any number yields as many columns as a row has items."""

from __future__ import annotations

from looking import seen

from mlvet.frontends.python.program import interpret_text


def test_rows_of_a_file() -> None:
    found = interpret_text(
        "rows = []\nfor line in open('pairs'):\n    a, b = line.split(':')\n    rows.append((a, int(b)))\n"
        "texts, numbers = zip(*rows)\n"
    )
    assert seen(found, "texts").startswith("[str] * ")
    assert seen(found, "numbers").startswith("[?] * ")


def test_a_schedule_is_called_with_the_step() -> None:
    found = interpret_text(
        "import keras\nclass Warm(keras.optimizers.schedules.LearningRateSchedule):\n"
        "    def __call__(self, step):\n        rate = keras.ops.cast(step, 'float32') * 0.1\n        return rate\n"
        "optimizer = keras.optimizers.Adam(Warm())\n"
    )
    assert seen(found, "rate") == "f32[]"
