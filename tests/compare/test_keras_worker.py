"""A worker of Keras 3 asked directly: values inside models that are inside models, and files of other versions."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest
from numpy.typing import NDArray

from mlvet.runtime.backends.process import Command, Failure, Worker
from tests.compare.test_keras_backends import POOLED, made

SECONDS = 300.0
ATTENTION = """
words = keras.Input((6, 8), name="words")
mask = keras.Input((6, 6), dtype="bool", name="mask")
heads = keras.layers.GroupQueryAttention(4, 4, 2, name="heads")
model = keras.Model([words, mask], heads(words, words, attention_mask=mask, use_causal_mask=True))
for index, variable in enumerate(model.weights):
    variable.assign(np.random.default_rng(index).normal(size=variable.shape))
"""


@pytest.fixture(scope="module")
def worker() -> Iterator[Worker]:
    started = Worker(Command(environment={"KERAS_BACKEND": "jax", "JAX_PLATFORMS": "cpu"}))
    yield started
    started.close()


def test_the_model_can_end_with_a_value_inside_a_nested_model(worker: Worker, tmp_path: Path) -> None:
    made(tmp_path, POOLED)
    worker.ask({"do": "open", "driver": "keras", "model": str(tmp_path / "model.keras")}, SECONDS)
    np.save(tmp_path / "image.npy", np.random.default_rng(0).normal(size=(2, 10, 10, 3)).astype(np.float32))
    value = {"image": str(tmp_path / "image.npy")}
    for node in ("conv", "inner/norm", "inner/pool"):
        step = {"do": "step", "node": node, "inputs": value, "to": str(tmp_path / node.replace("/", "_"))}
        value = {node: worker.ask(step, SECONDS)["outputs"][0]}
    run = {"do": "run", "inputs": {"image": str(tmp_path / "image.npy")}, "to": str(tmp_path / "whole")}
    for target in ("inner/pool", "inner/norm"):
        found = np.load(worker.ask({**run, "target": target}, SECONDS)["outputs"][0])
        expected = np.load(tmp_path / f"{target.replace('/', '_')}.0.npy")
        assert np.allclose(found, expected, atol=1e-6)


def test_a_file_of_an_older_keras_that_does_not_open_is_no_crash(worker: Worker, tmp_path: Path) -> None:
    layers = [{"class_name": "Dense", "config": {"name": "dense", "units": 2, "batch_input_shape": [None, 3]}}]
    with h5py.File(tmp_path / "old.h5", "w") as file:
        file.attrs["keras_version"] = "2.2.0"
        file.attrs["backend"] = "tensorflow"
        file.attrs["model_config"] = json.dumps({"class_name": "Sequential", "config": layers})
        file.create_group("model_weights").attrs["layer_names"] = []
    with pytest.raises(Failure) as caught:
        worker.ask({"do": "open", "driver": "keras", "model": str(tmp_path / "old.h5")}, SECONDS)
    assert caught.value.kind == "unsupported"
    assert "a file of keras 2.2.0" in caught.value.words


def test_attention_in_double_precision_is_not_rounded_on_the_way(tmp_path: Path) -> None:
    made(tmp_path, f"import numpy as np\n{ATTENTION}")
    random = np.random.default_rng(0)
    words, mask = random.normal(size=(3, 6, 8)), random.random((3, 6, 6)) < 0.7
    mask[2] = False
    np.save(tmp_path / "words.npy", words)
    np.save(tmp_path / "mask.npy", mask)
    given = {name: str(tmp_path / f"{name}.npy") for name in ("words", "mask")}
    started = Worker(Command(environment={"KERAS_BACKEND": "jax", "JAX_PLATFORMS": "cpu", "JAX_ENABLE_X64": "1"}))
    try:
        opening = {"do": "open", "driver": "keras", "model": str(tmp_path / "model.keras"), "double": True}
        started.ask(opening, SECONDS)
        step = {"do": "step", "node": "heads", "inputs": given, "to": str(tmp_path / "heads")}
        found = np.load(started.ask(step, SECONDS)["outputs"][0])
    finally:
        started.close()
    assert np.abs(found - _attended(words, mask)).max() < 1e-13


def _attended(words: NDArray[Any], mask: NDArray[Any]) -> NDArray[Any]:
    """Four heads that share two keys and values, with the weights of ATTENTION."""
    shapes = [(8, 4, 4), (4, 4), (8, 2, 4), (2, 4), (8, 2, 4), (2, 4), (4, 4, 8), (8,)]
    drawn = [np.random.default_rng(index).normal(size=shape) for index, shape in enumerate(shapes)]
    held = [each.astype(np.float32).astype(np.float64) for each in drawn]
    query, key, value = (np.einsum("btd,dnh->btnh", words, held[at]) + held[at + 1] for at in (0, 2, 4))
    logits = np.einsum("btnh,bsnh->bnts", query, np.repeat(key, 2, axis=2)) / 2
    logits = np.where(mask[:, None] & np.tril(np.ones((6, 6), bool)), logits, -1e300)
    shares = np.exp(logits - logits.max(-1, keepdims=True))
    shares /= shares.sum(-1, keepdims=True)
    joined = np.einsum("bnts,bsnh->btnh", shares, np.repeat(value, 2, axis=2))
    return np.asarray(np.einsum("btnh,nhd->btd", joined, held[6]) + held[7])
