"""A worker of Keras 3 asked directly: values inside models that are inside models, and files of other versions."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import h5py
import numpy as np
import pytest

from mlvet.runtime.backends.process import Command, Failure, Worker
from tests.compare.test_keras_backends import POOLED, made

SECONDS = 300.0


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
