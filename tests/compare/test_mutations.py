"""Mutants of whole models: how they are made, which are changed further, and what they find."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

import mlvet
from mlvet.analyses.compare.inputs import made
from mlvet.analyses.compare.mutation.breed import Breed, Mutant
from mlvet.analyses.compare.mutation.guidance import Guidance, Parent
from mlvet.analyses.compare.mutation.keras_breed import KerasBreed
from mlvet.analyses.compare.mutation.keras_operators import OPERATORS
from mlvet.analyses.compare.mutation.loop import Search
from mlvet.analyses.compare.mutation.weights import WEIGHT_CHANGES
from mlvet.analyses.compare.search.architecture import Architecture
from mlvet.analyses.compare.search.laboratory import Laboratory
from mlvet.analyses.compare.search.searching import breed_of, origin_of
from tests.compare.conftest import written
from tests.compare.laboratories import keras_model, laboratory

CNN = """
x = image = keras.Input((9, 9, 2), name="image")
x = keras.layers.Conv2D(3, 3, activation="relu", name="conv")(x)
x = keras.layers.AveragePooling2D(2, name="pool")(x)
x = keras.layers.Flatten(name="flat")(x)
model = keras.Model(image, keras.layers.Dense(4, activation="softmax", name="classes")(x))
"""


@pytest.fixture(scope="module")
def breeding(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Laboratory, Breed, Path]]:
    """A small network with a pooling that is right everywhere, on warm backends."""
    folder = tmp_path_factory.mktemp("mutants")
    model = keras_model(folder / "model.keras", CNN)
    with laboratory(model, "jax", "torch") as (lab, subject, request):
        origin = origin_of(lab, subject, request, folder)
        breed = breed_of(lab, subject, origin, folder, made(subject, count=2))
        assert isinstance(breed, KerasBreed)
        yield lab, breed, folder


def test_the_pooling_that_is_wrong_on_torch_is_found_from_one_that_is_right(
    breeding: tuple[Laboratory, Breed, Path],
) -> None:
    lab, breed, folder = breeding
    search = Search(lab, breed, folder, 0, set(), lambda _: None, lambda *_: None)
    for _ in range(40):
        search.round()
        if search.result.deviants:
            break
    (found,) = search.result.deviants
    assert (found.error.backend, found.error.layer.kind, found.layer) == ("torch", "AveragePooling2D", "pool")
    assert found.least.config["padding"] == "same"
    assert not search.result.crashes


@pytest.mark.parametrize("operator", OPERATORS)
def test_an_operator_makes_models_that_can_be_built(breeding: tuple[Laboratory, Breed, Path], operator: str) -> None:
    _, breed, _ = breeding
    random = np.random.default_rng(1)
    made = [bred for _ in range(4) if (bred := breed.child(breed.first(), operator, random)) is not None]
    assert made
    for bred in made:
        assert bred.specimen.path.exists()
        assert len(bred.mutant.steps) == 1


def test_a_removed_layer_is_bridged(breeding: tuple[Laboratory, Breed, Path]) -> None:
    _, breed, _ = breeding
    model = breed.first().model
    assert isinstance(model, Architecture)
    random = np.random.default_rng(0)
    for _ in range(10):
        done = OPERATORS["layer removal"](model, random)
        assert done is not None
        known = {port.name for port in done.architecture.ports}
        for call in done.architecture.calls:
            assert {*call.inputs} <= known
            known |= {*call.outputs}
        assert {*done.architecture.outputs} <= known


@pytest.mark.parametrize("kind", WEIGHT_CHANGES)
def test_weights_change_and_keep_their_shape_and_type(kind: str) -> None:
    weights = np.random.default_rng(0).normal(size=(3, 3, 2, 4)).astype(np.float32)
    before = weights.copy()
    found = WEIGHT_CHANGES[kind](weights, np.random.default_rng(1))
    assert (found.shape, found.dtype) == (weights.shape, weights.dtype)
    assert not np.array_equal(found, weights)
    np.testing.assert_array_equal(weights, before)


def guided() -> tuple[Guidance, Parent]:
    parent = Parent(Mutant(None, {}), 1.0)
    return Guidance(("good", "bad", "worse"), np.random.default_rng(0), [parent]), parent


def test_a_mutant_whose_deviation_grows_becomes_a_parent_and_others_do_not() -> None:
    guidance, parent = guided()
    guidance.learn("good", parent, Mutant(None, {}, ("up",)), 2.0)
    guidance.learn("bad", parent, Mutant(None, {}, ("down",)), 0.5)
    guidance.learn("bad", parent, None, 0.0)
    assert [each.mutant.steps for each in guidance.parents] == [(), ("up",)]


def test_operators_that_raise_the_deviation_are_chosen_more_often() -> None:
    guidance, parent = guided()
    for _ in range(10):
        guidance.learn("good", parent, Mutant(None, {}), 2.0)
        guidance.learn("bad", parent, Mutant(None, {}), 0.5)
        guidance.learn("worse", parent, None, 0.0)
    chosen = [guidance.operator() for _ in range(400)]
    assert chosen.count("good") > chosen.count("worse") > 0


def test_what_was_found_is_kept_when_the_user_ends_the_search(tmp_path: Path) -> None:
    written(tmp_path / "model.onnx", storage_order=0)
    command = [sys.executable, "-m", "mlvet", "compare", "model.onnx", "--backends", "onnxruntime,openvino"]
    command += ["--mutate", "30", "--reproduce", "found", "--output-format", "json"]
    environment = {**os.environ, "PYTHONPATH": str(Path(mlvet.__file__).parents[1])}
    with subprocess.Popen(
        command, cwd=tmp_path, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stderr is not None
        assert process.stderr.readline().startswith("mlvet: found: a variant of `pool` (MaxPool) is wrong")
        process.send_signal(signal.SIGINT)
        answer, _ = process.communicate(timeout=300)
    report = json.loads(answer)
    assert process.returncode == 1
    assert report["summary"]["analyses"]["compare"]["search"]["interrupted"]
    assert {finding["evidence"]["kind"] for finding in report["findings"]} == {"MaxPool"}
