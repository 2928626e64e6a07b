"""A trial that hangs, or ends its process, is told and does not stop the next."""

from __future__ import annotations

from typing import Any

from mlvet.runtime.trial import trials


def call(name: str, *args: Any) -> dict[str, Any]:
    return {"names": [name], "method": "", "args": list(args), "keywords": {}}


def test_one_that_takes_too_long_is_stopped_and_the_next_is_tried() -> None:
    ones = {"tensor": "numpy.ndarray", "dims": [3000, 3000], "dtype": "float64"}
    slow, quick = trials([call("numpy.linalg.matrix_power", ones, 1 << 62), call("numpy.zeros", 3)], seconds=4)
    assert slow["outcome"] == "unknown"
    assert "took more than 4 s" in slow["reason"]
    assert quick["outcome"] == "accepts"


def test_one_that_ends_its_process_is_told() -> None:
    ended, quick = trials([call("numpy.lib._datasource.os._exit", 3), call("numpy.zeros", 3)])
    assert ended["outcome"] == "unknown"
    assert "ended its process" in ended["reason"]
    assert quick["outcome"] == "accepts"


def test_one_that_makes_no_sense_is_told() -> None:
    (answer,) = trials([{"names": ["numpy.zeros"]}])
    assert answer["outcome"] == "unknown"
