"""Broken and hostile Keras files end in one clear line, never in a crash or in a run of what they hold."""

from __future__ import annotations

import copy
import json
import os
import pickle
import random
import zipfile
import zlib

import h5py
import numpy as np
import pytest

from mlvet.core.errors import UnsupportedInput
from mlvet.frontends.keras import archive, read_keras, read_weights

DENSE = {"class_name": "Dense", "config": {"name": "dense", "trainable": True, "units": 3, "activation": "relu"}}
MODEL = {
    "class_name": "Functional",
    "config": {
        "name": "model",
        "layers": [
            {"class_name": "InputLayer", "config": {"batch_shape": [None, 8, 8, 4], "name": "x"}, "inbound_nodes": []},
            {
                "class_name": "Conv2D",
                "config": {"name": "conv", "trainable": True, "filters": 2, "kernel_size": [3, 3], "padding": "same"},
                "inbound_nodes": [[["x", 0, 0, {}]]],
            },
            {
                "class_name": "MaxPooling2D",
                "config": {"name": "pool", "trainable": True, "pool_size": [2, 2], "strides": [2, 2]},
                "inbound_nodes": [[["conv", 0, 0, {}]]],
            },
            {**DENSE, "inbound_nodes": [[["pool", 0, 0, {}]]]},
            {
                "class_name": "Concatenate",
                "config": {"name": "join", "trainable": True, "axis": -1},
                "inbound_nodes": [[["pool", 0, 0, {}], ["dense", 0, 0, {}]]],
            },
        ],
        "input_layers": [["x", 0, 0]],
        "output_layers": [["join", 0, 0]],
    },
}


def written(path, **members):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as file:
        for name, content in members.items():
            file.writestr(name.replace("_json", ".json"), content)
    return path


def assert_refused(path, match):
    with pytest.raises(UnsupportedInput, match=match) as caught:
        read_keras(path, "shown")
    assert "\n" not in str(caught.value)


def test_the_model_that_the_others_break_is_read(tmp_path):
    graph = read_keras(written(tmp_path / "m.keras", config_json=json.dumps(MODEL)), "m")
    assert [node.op for node in graph.nodes()] == ["conv", "max_pool", "matmul", "add", "relu", "concat"]


@pytest.mark.parametrize("ending", ["keras", "h5"])
@pytest.mark.parametrize("content", [b"", b"hello", b"PK\x03\x04 cut", b"\x89HDF\r\n\x1a\n cut"])
def test_a_file_of_another_kind_is_refused(ending, content, tmp_path):
    path = tmp_path / f"m.{ending}"
    path.write_bytes(content)
    assert_refused(path, "not a readable|damaged")


def test_a_truncated_archive_is_refused(tmp_path):
    path = written(tmp_path / "m.keras", config_json=json.dumps(MODEL))
    path.write_bytes(path.read_bytes()[:-30])
    assert_refused(path, "truncated")


def test_an_archive_whose_member_is_damaged_is_refused(tmp_path):
    path = written(tmp_path / "m.keras", config_json=json.dumps(MODEL))
    content = bytearray(path.read_bytes())
    content[80:120] = os.urandom(40)
    path.write_bytes(content)
    assert_refused(path, "not a readable .keras archive|not valid JSON")


@pytest.mark.parametrize(
    ("config", "match"),
    [
        ("{", "not valid JSON"),
        ("[" * 100_000, "nested too deeply"),
        ('{"class_name":"Sequential","config":{"layers":[' * 9000 + "]}}" * 9000, "nested too deeply"),
        ("[]", "without a class name"),
        ("null", "no config.json|without a class name"),
        ('{"class_name": "Mine", "config": {}}', "subclassed"),
        ('{"class_name": "Functional", "config": {"layers": [3]}}', "without a class name"),
    ],
)
def test_a_bad_configuration_is_refused(config, match, tmp_path):
    assert_refused(written(tmp_path / "m.keras", config_json=config), match)


def test_an_archive_without_configuration_is_refused(tmp_path):
    assert_refused(written(tmp_path / "m.keras", other="x"), r"no config\.json")


def test_a_cycle_and_a_missing_layer_are_refused(tmp_path):
    cycle = copy.deepcopy(MODEL)
    cycle["config"]["layers"][1]["inbound_nodes"] = [[["dense", 0, 0, {}]]]
    assert_refused(written(tmp_path / "a.keras", config_json=json.dumps(cycle)), "its own output")
    gap = copy.deepcopy(MODEL)
    gap["config"]["layers"][1]["inbound_nodes"] = [[["ghost", 0, 0, {}]]]
    assert_refused(written(tmp_path / "b.keras", config_json=json.dumps(gap)), "`ghost`, which does not exist")


def test_a_zip_bomb_is_stopped_by_the_bytes_that_come_out(tmp_path, monkeypatch):
    monkeypatch.setattr(archive, "JSON_LIMIT", 1 << 20)
    path = written(tmp_path / "m.keras", config_json=b" " * (8 << 20))
    assert_refused(path, "zip bomb")
    content = path.read_bytes()
    claimed, small = (8 << 20).to_bytes(4, "little"), (100).to_bytes(4, "little")
    assert claimed in content
    path.write_bytes(content.replace(claimed, small))
    assert_refused(path, "zip bomb|not a readable|not valid JSON")


def test_bombs_among_the_weights_are_stopped(tmp_path):
    path = tmp_path / "m.keras"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr("config.json", json.dumps(MODEL))
        file.writestr("model.weights.h5", b"\0" * (64 << 20))
    with pytest.raises(UnsupportedInput, match="zip bomb"):
        read_weights(path)


def test_an_array_much_larger_than_what_is_stored_is_not_loaded(tmp_path):
    with h5py.File(tmp_path / "w.h5", "w") as file:
        file.create_dataset("huge", shape=(1 << 40,), chunks=(1 << 20,), dtype="f4", compression="gzip")
    data = read_weights(tmp_path / "w.h5")["huge"]
    assert data.shape == (1 << 40,)
    with pytest.raises(UnsupportedInput, match="far more than"):
        data.load()


def test_links_to_other_files_are_not_followed(tmp_path):
    with h5py.File(tmp_path / "secret.h5", "w") as file:
        file["key"] = np.arange(3.0)
    (tmp_path / "raw").write_bytes(b"\1" * 64)
    with h5py.File(tmp_path / "w.h5", "w") as file:
        file["own"] = np.arange(2.0)
        file["out"] = h5py.ExternalLink(str(tmp_path / "secret.h5"), "key")
        file.create_dataset("raw", (8,), "f8", external=[(str(tmp_path / "raw"), 0, 64)])
        layout = h5py.VirtualLayout((3,), "f8")
        layout[:] = h5py.VirtualSource(str(tmp_path / "secret.h5"), "key", (3,))
        file.create_virtual_dataset("virtual", layout)
    assert set(read_weights(tmp_path / "w.h5")) == {"own"}


class Harmful:
    def __init__(self, path):
        self.path = path

    def __reduce__(self):
        return (open, (self.path, "w"))


def test_a_pickle_in_the_archive_is_not_opened(tmp_path):
    trace = tmp_path / "trace"
    path = written(tmp_path / "m.keras", config_json=json.dumps(MODEL), assets=pickle.dumps(Harmful(str(trace))))
    with zipfile.ZipFile(path, "a") as file:
        file.writestr("../../escaped.json", "x")
        file.writestr("model.weights.h5", pickle.dumps(Harmful(str(trace))))
    graph = read_keras(path, "m")
    assert not trace.exists()
    assert not (tmp_path.parent.parent / "escaped.json").exists()
    assert graph.notes


def test_any_value_in_the_place_of_any_other_ends_in_a_graph_or_in_one_line(tmp_path):
    strange = [None, -1, 0, 2.5, "x", [], {}, [None], True, 10**30, {"class_name": "x"}, [["x", 0, 0]], "NaN"]
    rng = random.Random(3)
    places = list(_places(MODEL))
    outcomes = set()
    for place in places:
        for value in rng.sample(strange, 5):
            broken = copy.deepcopy(MODEL)
            holder = broken
            for key in place[:-1]:
                holder = holder[key]
            holder[place[-1]] = value
            path = written(tmp_path / "m.keras", config_json=json.dumps(broken))
            outcomes.add(outcome(path))
    assert outcomes == {"graph", "line"}


def outcome(path):
    """What became of a file; anything but a graph or a line of its own kind is an error of the test."""
    try:
        read_keras(path, "m")
    except UnsupportedInput as error:
        return "line" if "\n" not in str(error) else "lines"
    return "graph"


def _places(tree, at=()):
    items = tree.items() if isinstance(tree, dict) else enumerate(tree) if isinstance(tree, list) else ()
    for key, value in items:
        yield (*at, key)
        yield from _places(value, (*at, key))


def test_hdf5_cut_anywhere_ends_in_one_line(tmp_path):
    path = tmp_path / "m.h5"
    with h5py.File(path, "w") as file:
        file.attrs["model_config"] = json.dumps(MODEL)
        file["model_weights/conv/kernel"] = np.zeros((3, 3, 4, 2), "f4")
    whole = path.read_bytes()
    for part in range(20):
        path.write_bytes(whole[: len(whole) * part // 20])
        assert_refused(path, "HDF5")


def test_the_deflate_stream_may_lie(tmp_path):
    path = written(tmp_path / "m.keras", config_json=json.dumps(MODEL))
    content = path.read_bytes()
    packed = zlib.compress(json.dumps(MODEL).encode())[2:-4]
    assert packed[:40] in content
    path.write_bytes(content.replace(packed[:40], packed[:40][::-1]))
    assert_refused(path, "not a readable .keras archive|not valid JSON")
