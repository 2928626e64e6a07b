"""The least models of live defects, and the scripts that show them without mlvet."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

from mlvet.analyses.compare.reproduction.literals import array_text
from mlvet.analyses.compare.reproduction.reduction import Budget, Shown, reduced, smaller_numbers
from tests.compare.conftest import Compare, written
from tests.compare.laboratories import keras_model, shown

POOLED = """
x = image = keras.Input((10, 10, 3), name="image")
x = keras.layers.Conv2D(4, 3, activation="relu", name="conv")(x)
x = keras.layers.AveragePooling2D(3, strides=2, padding="same", name="pool")(x)
model = keras.Model(image, keras.layers.Flatten(name="flat")(x))
"""


def test_average_pooling_on_torch_is_one_layer_and_two_numbers(compare: Compare, tmp_path: Path) -> None:
    keras_model(tmp_path / "model.keras", POOLED)
    _, report, _ = compare("model.keras", "--backends", "jax,torch", "--reproduce", "found")
    (finding,) = report["findings"]
    told = finding["evidence"]["reproduction"]
    folder = tmp_path / told["folder"]
    assert {path.name for path in folder.iterdir()} == {"model.keras", "input.npz", "show.py"}
    assert any(str(told["folder"]) in note["message"] for note in finding["related"])
    script = (folder / "show.py").read_text(encoding="utf-8")
    assert "keras.layers.AveragePooling2D(" in script
    assert "mlvet" not in script
    with np.load(folder / "input.npz") as given:
        assert sum(given[name].size for name in given.files) <= 4
    seen = shown(folder / "show.py")
    assert {*seen} == {"torch", "jax", "expected"}
    assert seen["jax"] == seen["expected"] != seen["torch"]


def test_places_of_the_greatest_on_openvino_are_one_node(compare: Compare, tmp_path: Path) -> None:
    written(tmp_path / "model.onnx", storage_order=1)
    _, report, _ = compare("model.onnx", "--backends", "onnxruntime,openvino", "--reproduce", "found")
    (finding,) = report["findings"]
    told = finding["evidence"]["reproduction"]
    assert told["config"]["storage_order"] == 1
    script = (tmp_path / told["folder"] / "show.py").read_text(encoding="utf-8")
    assert "onnx.parser.parse_model" in script
    assert "mlvet" not in script
    seen = shown(tmp_path / told["folder"] / "show.py")
    assert seen["onnxruntime"] == seen["expected"] != seen["openvino"]


@dataclass(frozen=True)
class Sum:
    """A case whose defect is that a number above 5 is in its input."""

    inputs: Mapping[str, np.ndarray]
    flag: bool = True

    def given(self, inputs: Mapping[str, np.ndarray]) -> Sum:
        return Sum(inputs, self.flag)

    def simpler(self) -> Sequence[Callable[[Sum], Iterator[Sum]]]:
        return (lambda case: iter([Sum(case.inputs, False)] if case.flag else []),)


def shows_large(case: Sum) -> tuple[Sum, Shown] | None:
    large = case.inputs["x"] > 5
    return (case, Shown(1e6, (case.inputs["x"],), (np.zeros_like(case.inputs["x"]),))) if large.any() else None


def test_a_case_shrinks_to_the_number_that_matters() -> None:
    start = Sum({"x": np.where(np.arange(24).reshape(4, 6) == 14, 9.0, 0.5)})
    found = reduced(start, shows_large, Budget())
    assert found is not None
    assert found[0].inputs["x"].tolist() == [[9.0]]
    assert not found[0].flag


def test_a_case_that_does_not_show_the_defect_is_not_reduced() -> None:
    assert reduced(Sum({"x": np.zeros((2, 2))}), shows_large, Budget()) is None


def test_a_reduction_ends_with_its_tries() -> None:
    start = Sum({"x": np.full((4, 6), 9.0)})
    found = reduced(start, shows_large, Budget(tries=1))
    assert found is not None
    assert found[0].inputs["x"].shape == (1, 6)


def test_counts_become_smaller_alike_first_then_one_by_one() -> None:
    assert list(smaller_numbers([3, 3]))[:2] == [[1, 1], [2, 2]]
    assert [1, 3] in list(smaller_numbers([3, 3]))
    assert list(smaller_numbers(True)) == []
    assert list(smaller_numbers([1, 1])) == []


@pytest.mark.parametrize(
    "array",
    [
        np.arange(1, 7, dtype=np.float32).reshape(1, 2, 3),
        np.zeros((2, 2), np.float32),
        np.full(3, 0.1, np.float32),
        np.array([[0.1, -2.5e-8], [np.inf, 3.0]], np.float32),
        np.array([1, 5, 2], np.int64),
        np.array([True, False]),
    ],
)
def test_an_array_is_written_as_what_it_is(array: np.ndarray) -> None:
    text = array_text(array)
    ast.parse(text)
    found = eval(text, {"np": np, "nan": np.nan})
    assert found.dtype == array.dtype
    np.testing.assert_array_equal(found, array)
