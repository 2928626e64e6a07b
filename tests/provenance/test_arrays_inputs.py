"""Arrays, sparse matrices, frames and tensors as inputs: each element has a place and a name."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from array_checks import clear, slopes

from mlvet.runtime.provenance.array_inputs import elements
from mlvet.runtime.provenance.arrays import install, uninstall
from mlvet.runtime.provenance.inputs import Inputs


@pytest.fixture(autouse=True)
def replaced() -> Iterator[None]:
    clear()
    install()
    yield
    uninstall()


def influence(inputs: Inputs, place: int) -> dict[str, float]:
    found = slopes({place: 1.0})[inputs.all_places()]
    return {inputs.name(index): value for index, value in enumerate(found.tolist()) if value}


def test_array() -> None:
    inputs = Inputs()
    array = inputs.wrapped(np.arange(6.0).reshape(2, 3), ("weights",))
    (_, _, place), *_ = elements(array[:, 1] * 2)
    assert influence(inputs, place) == {"weights[0, 1]": 2.0}


def test_sparse_matrix() -> None:
    sparse = pytest.importorskip("scipy.sparse")
    inputs = Inputs()
    matrix = inputs.wrapped(sparse.csr_array(np.array([[0.0, 2.0], [3.0, 4.0]])), ("matrix",))
    _, (_, number, place) = elements(matrix @ np.array([1.0, 10.0]))
    assert number == 43.0
    assert influence(inputs, place) == {"matrix.data[1]": 1.0, "matrix.data[2]": 10.0}


def test_frame() -> None:
    pandas = pytest.importorskip("pandas")
    inputs = Inputs()
    frame = inputs.wrapped(pandas.DataFrame({"key": ["a", "b", "a"], "x": [1.0, 2.0, 3.0]}), ("frame",))
    (_, number, place), _ = elements(frame.groupby("key")["x"].mean())
    assert number == 2.0
    assert influence(inputs, place) == {'frame["x"][0]': 0.5, 'frame["x"][2]': 0.5}


def test_labels_of_rows_name_inputs_and_outputs() -> None:
    pandas = pytest.importorskip("pandas")
    inputs = Inputs(changed={'weights["b"]': 0.5, 'table["x"][20]': 2.0})
    weights = inputs.wrapped(pandas.Series({"a": 1.0, "b": 2.0}), ("weights",))
    table = inputs.wrapped(pandas.DataFrame({"x": [1.0, 3.0]}, index=[10, 20]), ("table",))
    dated = inputs.wrapped(pandas.Series([1.0], index=pandas.date_range("2024-01-01", periods=1)), ("dated",))
    assert [inputs.name(index) for index in range(inputs.count)] == [
        'weights["a"]', 'weights["b"]', 'table["x"][10]', 'table["x"][20]', "dated[0]",
    ]  # fmt: skip
    (first, _, _), (second, number, place) = elements(weights * table["x"].sum() * dated.iloc[0])
    assert (first, second, number) == (("a",), ("b",), 2.5 * 6.0)
    assert influence(inputs, place) == {
        'weights["b"]': 6.0, 'table["x"][10]': 2.5, 'table["x"][20]': 2.5, "dated[0]": 15.0,
    }  # fmt: skip


def test_tensor() -> None:
    torch = pytest.importorskip("torch")
    inputs = Inputs()
    tensor = inputs.wrapped(torch.tensor([1.0, 2.0, 3.0]), ("tensor",))
    assert influence(inputs, (tensor[1] * tensor[2]).item().i) == {"tensor[1]": 3.0, "tensor[2]": 2.0}


def test_jax() -> None:
    jnp = pytest.importorskip("jax").numpy
    inputs = Inputs()
    array = inputs.wrapped(jnp.array([1.0, 2.0, 3.0]), ("array",))
    assert influence(inputs, (array[1] * array[2]).item().i) == {"array[1]": 3.0, "array[2]": 2.0}
