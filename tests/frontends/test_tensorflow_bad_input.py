"""Files that are no graphs, or hostile ones: one clear line, in bounded time and memory."""

from __future__ import annotations

import random
import shutil
from pathlib import Path

import pytest

from mlvet.core.errors import UnsupportedInput
from mlvet.frontends.tensorflow import read_tensorflow

FILES = Path(__file__).parent / "tensorflow_files"


def problem(path: Path) -> str:
    with pytest.raises(UnsupportedInput) as caught:
        read_tensorflow(path, "shown")
    message = str(caught.value)
    assert "\n" not in message
    assert path.name not in message
    return message


def text(tmp_path: Path, content: str) -> Path:
    path = tmp_path / "graph.pbtxt"
    path.write_text(content, encoding="utf-8")
    return path


@pytest.mark.parametrize("name", ["graph.pb", "graph.pbtxt", "saved_model.pb"])
def test_an_empty_file(tmp_path: Path, name: str) -> None:
    (tmp_path / name).touch()
    assert problem(tmp_path / name) == "the file is empty"


def test_a_folder_without_a_model(tmp_path: Path) -> None:
    assert problem(tmp_path) == "the folder holds no saved_model.pb"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"\x89PNG\r\n\x1a\n" + bytes(100), "no TensorFlow graph"),
        (b"PK\x03\x04" + bytes(100), "no TensorFlow graph"),
        (b"\x80\x04\x95" + bytes(range(200)), "no TensorFlow graph"),
        (b"def f(x):\n    return x\n", "no TensorFlow graph: the text starts with `def`"),
        (b"\xff\xfe" * 40, "neither a TensorFlow graph in text form nor in binary form"),
        (b"\x08\x01", "the saved model holds no graph"),
        (b"\x22\x02\x08\x01", "no TensorFlow graph: it holds no operators"),
    ],
)
def test_files_of_other_kinds(tmp_path: Path, content: bytes, message: str) -> None:
    path = tmp_path / "graph.pb"
    path.write_bytes(content)
    assert problem(path).startswith(message)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ('node { name: "a" op: "Neg" input: "b" }', "node `a` takes `b`, which the graph does not have"),
        ('node { name: "a" op: "Neg" input: "^b" }', "node `a` takes `b`, which the graph does not have"),
        ('node { name: "a" op: "Neg" input: "a:x" }', "`a:x` names no tensor"),
        ('node { name: "a" op: "Neg" input: "a:99999999999999" }', "`a:99999999999999` names no tensor"),
        ('node { name: "a" op: "A" } node { name: "a" op: "B" }', "two nodes are called `a`"),
        (
            'node { name: "a" op: "Neg" input: "b" } node { name: "b" op: "Neg" input: "a" }',
            "node `a` depends on itself",
        ),
        ('node { name: "a" op: "Neg" input: "a" }', "node `a` depends on itself"),
        ('node { name: "a"\n op: }', "line 2: expected a quoted text for op, found `}`"),
        (
            'node { name: "a" op: "Split" attr { key: "num_split" value { i: 1000000000 } } }',
            "an operator claims 1000000000 results",
        ),
        (
            'node { name: "c" op: "Const" attr { key: "value" value { tensor { dtype: DT_FLOAT tensor_shape'
            ' { dim { size: 1000000000 } } tensor_content: "abcd" } } } }',
            "constant `c` holds 4 bytes where its shape needs 4000000000",
        ),
        (
            'node { name: "c" op: "Const" attr { key: "value" value { tensor { dtype: DT_INT32 tensor_shape'
            " { dim { size: 1 } } int_val: [1, 2] } } } }",
            "constant `c` holds 2 elements where its shape has 1",
        ),
        (
            'node { name: "c" op: "Const" attr { key: "value" value { tensor { dtype: DT_INT32 tensor_shape'
            " { dim { size: -1 } } } } } }",
            "constant `c` has no definite shape",
        ),
        ("library { function { } }", "the library holds a function without a name"),
        (
            'library { function { signature { name: "f" output_arg { name: "y" } } ret { key: "y" value: "z:0" } } }',
            "the function returns `z`, which the graph does not have",
        ),
    ],
)
def test_graphs_that_cannot_be(tmp_path: Path, content: str, message: str) -> None:
    assert problem(text(tmp_path, content)) == message


def test_functions_that_multiply_are_refused(tmp_path: Path) -> None:
    """Forty functions, each of which calls the next one twice, are a million million calls."""
    functions = []
    for index in range(40):
        called = f"f{index + 1}" if index < 39 else "Neg"
        result = "out" if index < 39 else "y"
        functions.append(
            f'function {{ signature {{ name: "f{index}" input_arg {{ name: "v" type: DT_FLOAT }}'
            f' output_arg {{ name: "out" type: DT_FLOAT }} }}'
            f' node_def {{ name: "a" op: "{called}" input: "v" }}'
            f' node_def {{ name: "b" op: "{called}" input: "a:{result}:0" }}'
            f' ret {{ key: "out" value: "b:{result}:0" }} }}'
        )
    start = 'node { name: "x" op: "Placeholder" } node { name: "y" op: "f0" input: "x" }'
    message = problem(text(tmp_path, f"{start} library {{ {' '.join(functions)} }}"))
    assert message == "with its functions written out the graph has more than 1000000 nodes"


def test_a_long_chain_of_functions_is_cut_with_a_note(tmp_path: Path) -> None:
    functions = []
    for index in range(300):
        called = f"f{index + 1}" if index < 299 else "Neg"
        functions.append(
            f'function {{ signature {{ name: "f{index}" input_arg {{ name: "v" type: DT_FLOAT }}'
            f' output_arg {{ name: "out" type: DT_FLOAT }} }} node_def {{ name: "a" op: "{called}" input: "v" }}'
            f' ret {{ key: "out" value: "a:{"out" if index < 299 else "y"}:0" }} }}'
        )
    start = 'node { name: "x" op: "Placeholder" } node { name: "y" op: "f0" input: "x" }'
    graph = read_tensorflow(text(tmp_path, f"{start} library {{ {' '.join(functions)} }}"), "shown")
    assert graph.notes == ("calls are nested deeper than 64; the innermost are left opaque",)


def test_frames_nested_without_end_are_refused(tmp_path: Path) -> None:
    content = 'node { name: "x" op: "Placeholder" }'
    for index in range(200):
        before = f"e{index - 1}" if index else "x"
        attribute = f'attr {{ key: "frame_name" value {{ s: "f{index}" }} }}'
        content += f'node {{ name: "e{index}" op: "Enter" input: "{before}" {attribute} }}'
    assert problem(text(tmp_path, content)) == "loops are nested deeper than 64"


def test_a_checkpoint_that_is_damaged_leaves_the_graph_readable(tmp_path: Path) -> None:
    folder = tmp_path / "saved"
    shutil.copytree(FILES / "saved_v2", folder)
    index = folder / "variables" / "variables.index"
    index.write_bytes(index.read_bytes()[:-10])
    graph = read_tensorflow(folder, "shown")
    assert graph.notes == ("the values of the variables cannot be read: the index of the checkpoint is no table",)
    assert all(parameter.data is None for parameter in graph.parameters)


def test_a_missing_shard_is_told_when_the_values_are_asked_for(tmp_path: Path) -> None:
    folder = tmp_path / "saved"
    shutil.copytree(FILES / "saved_v2", folder)
    (folder / "variables" / "variables.data-00000-of-00001").unlink()
    data = next(parameter.data for parameter in read_tensorflow(folder, "shown").parameters)
    assert data is not None
    with pytest.raises(UnsupportedInput, match=r"the checkpoint lacks variables\.data-00000-of-00001"):
        data.load()


@pytest.mark.parametrize(
    "name", ["nested_while.pb", "conditional.pb", "gradients_shapes.pb", "saved_v2/saved_model.pb"]
)
def test_damage_anywhere_never_crashes(tmp_path: Path, name: str) -> None:
    """Truncated and altered files are read, or refused with one line."""
    original = (FILES / name).read_bytes()
    draw = random.Random(7)
    path = tmp_path / Path(name).name
    refused = []
    for turn in range(120):
        damaged = bytearray(original)
        if turn % 3 == 0:
            del damaged[draw.randrange(len(damaged)) :]
        else:
            for _ in range(draw.randint(1, 4)):
                damaged[draw.randrange(len(damaged))] = draw.randrange(256)
        path.write_bytes(damaged)
        try:
            read_tensorflow(path, "shown")
        except UnsupportedInput as error:
            refused.append(str(error))
    assert len(refused) > 20
    assert not any("\n" in message for message in refused)
