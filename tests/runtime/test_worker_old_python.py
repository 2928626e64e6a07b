"""The worker runs by itself in environments from Python 3.6 on. MLVET_HISTORY names a folder of those of history.md."""

from __future__ import annotations

import ast
import json
import os
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from mlvet.runtime.backends import worker

FILE = Path(worker.__file__)
TEXT = FILE.read_text(encoding="utf-8")
TREE = ast.parse(TEXT)

STANDARD_LIBRARY_OF_3_6 = {
    "collections": {"OrderedDict"},
    "contextlib": {"contextmanager", "suppress"},
    "copy": {"copy"},
    "importlib": {"import_module"},
    "inspect": {"Parameter", "signature"},
    "json": {"dumps", "loads"},
    "operator": {"getitem"},
    "os": {"dup", "dup2", "environ", "fdopen", "getcwd", "path"},
    "pathlib": {"Path"},
    "re": {"DOTALL", "IGNORECASE", "compile", "findall", "search", "sub"},
    "resource": {"RLIMIT_DATA", "RUSAGE_SELF", "getrusage", "setrlimit"},
    "sys": {"modules", "path", "stderr", "stdin", "version"},
    "time": {"time"},
    "traceback": {"extract_tb"},
    "typing": {"Any", "Callable", "Dict", "List", "Optional", "Sequence", "Tuple"},
    "zipfile": {"is_zipfile"},
}
METHODS_AFTER_3_6 = {"removeprefix", "removesuffix", "is_relative_to", "with_stem", "bit_count", "isascii", "readlink"}


def test_it_is_written_in_the_grammar_of_python_3_6() -> None:
    with pytest.raises(SyntaxError):
        ast.parse("if (found := 1): pass", feature_version=(3, 6))
    ast.parse(TEXT, feature_version=(3, 6))


def test_it_imports_numpy_and_what_python_3_6_has() -> None:
    imports = [node for node in ast.walk(TREE) if isinstance(node, ast.Import)]
    modules = {alias.name for node in imports for alias in node.names}
    assert modules - STANDARD_LIBRARY_OF_3_6.keys() == {"numpy"}
    parts = [node for node in ast.walk(TREE) if isinstance(node, ast.ImportFrom)]
    taken = {(node.module, alias.name) for node in parts for alias in node.names if not _of_keras_3(node)}
    assert not {each for each in taken if each[1] not in STANDARD_LIBRARY_OF_3_6.get(each[0] or "", ())}


def test_it_calls_nothing_that_came_after_python_3_6() -> None:
    attributes = [node for node in ast.walk(TREE) if isinstance(node, ast.Attribute)]
    assert not {node.attr for node in attributes} & METHODS_AFTER_3_6
    used = {(node.value.id, node.attr) for node in attributes if isinstance(node.value, ast.Name)}
    of_library = {each for each in used if each[0] in STANDARD_LIBRARY_OF_3_6}
    assert ("os", "dup2") in of_library
    assert not {each for each in of_library if each[1] not in STANDARD_LIBRARY_OF_3_6[each[0]]}


def _of_keras_3(node: ast.ImportFrom) -> bool:
    return (node.module or "").startswith("keras.src")


MODEL = """
import sys
import numpy as np
from keras import layers, models
rng = np.random.RandomState(0)
inner = models.Sequential([layers.Conv2D(4, 3, padding="same", input_shape=(7, 9, 3), name="conv")], name="inner")
image = layers.Input((7, 9, 3), name="image")
norm = layers.BatchNormalization(name="norm")
x = layers.AveragePooling2D(3, strides=2, padding="same", name="average")(norm(inner(image)))
x = layers.Dropout(0.5, name="dropout")(layers.MaxPooling2D(2, name="largest")(x))
x = layers.LSTM(3, name="lstm")(layers.Masking(name="mask")(layers.Reshape((4, 4), name="rows")(x)))
model = models.Model(image, layers.Dense(2, name="dense")(x))
model.set_weights([rng.normal(size=each.shape) * 0.3 for each in model.get_weights()])
norm.set_weights([rng.uniform(0.5, 1.5, 4), rng.normal(size=4), rng.normal(size=4), rng.uniform(1e-4, 1e-2, 4)])
model.save(sys.argv[1])
"""
LAYERS = ["inner/conv", "norm", "average", "largest", "dropout", "rows", "mask", "lstm", "dense"]
DEFECTS: dict[str, set[tuple[str, str]]] = {
    "2.1.4": {("theano", "inner/conv"), ("theano", "average"), ("cntk", "norm")},
    "2.2.0": {("cntk", "norm")},
    "2.2.4": {("cntk", "lstm")},
}
ENVIRONMENTS = sorted(Path(os.environ.get("MLVET_HISTORY", os.devnull)).glob("*/bin/python"))

if ENVIRONMENTS:

    @pytest.mark.parametrize("python", ENVIRONMENTS, ids=lambda python: python.parts[-3])
    def test_each_layer_alone_gives_what_the_model_gives_and_shows_the_defects(python: Path, tmp_path: Path) -> None:
        subprocess.run([python, "-c", MODEL, tmp_path / "model.h5"], check=True, env=_environment("tensorflow"))
        np.save(tmp_path / "image.npy", np.random.default_rng(0).normal(size=(5, 7, 9, 3)).astype("float32"))
        values = {"image": str(tmp_path / "image.npy")}
        found = set()
        version = ""
        for backend in ("tensorflow", "theano", "cntk"):
            with _Worker(python, backend) as ask:
                opened = ask(do="open", driver="keras", model=str(tmp_path / "model.h5"))
                version = opened["version"].split()[1]
                assert [node["name"] for node in opened["nodes"]] == LAYERS
                own = _image(values)
                for node in opened["nodes"]:
                    own.update(_step(ask, node, own, tmp_path / f"{backend}-own"))
                    if backend != "tensorflow":
                        local = _step(ask, node, values, tmp_path / f"{backend}-local")
                        if not _same(local[node["name"]], values[node["name"]]):
                            found.add((backend, node["name"]))
                    part = ask(do="run", inputs=_image(values), batch=2, target=node["name"], to=str(tmp_path / "part"))
                    assert _same(part["outputs"][0], own[node["name"]])
                whole = ask(do="run", inputs=_image(values), batch=2, to=str(tmp_path / "whole"))
                assert _same(whole["outputs"][0], own[opened["outputs"][0]])
                values = own if backend == "tensorflow" else values
        assert found == DEFECTS[version]


class _Worker:
    def __init__(self, python: Path, backend: str) -> None:
        self.command = [str(python), "-W", "ignore", str(FILE)]
        self.environment = _environment(backend)

    def __enter__(self) -> Any:
        pipe = subprocess.PIPE
        self.process = subprocess.Popen(self.command, stdin=pipe, stdout=pipe, text=True, env=self.environment)
        return self._ask

    def _ask(self, **request: Any) -> dict[str, Any]:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(json.dumps(request) + "\n")
        self.process.stdin.flush()
        answer: dict[str, Any] = json.loads(self.process.stdout.readline())
        assert "failure" not in answer, answer
        return answer

    def __exit__(self, *_: object) -> None:
        self.process.communicate()


def _environment(backend: str) -> dict[str, str]:
    left = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    return {**left, "KERAS_BACKEND": backend, "CUDA_VISIBLE_DEVICES": "", "TF_CPP_MIN_LOG_LEVEL": "3"}


def _step(ask: Any, node: dict[str, Any], values: dict[str, str], to: Path) -> dict[str, str]:
    given = {value: values[value] for value in node["inputs"]}
    answer = ask(do="step", node=node["name"], inputs=given, to=f"{to}-{node['name'].replace('/', '-')}")
    return dict(zip(node["outputs"], answer["outputs"], strict=True))


def _image(values: dict[str, str]) -> dict[str, str]:
    return {"image": values["image"]}


def _same(one: str, other: str) -> bool:
    return bool(np.allclose(np.load(one), np.load(other), rtol=1e-4, atol=1e-4))
