"""Damaged, hostile and unknown ONNX files: each is refused with one clear line, in bounded time and memory."""

from __future__ import annotations

import io
import random
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import onnx
import pytest
from onnx import TensorProto, helper

from mlvet.core.errors import UnsupportedInput
from mlvet.frontends.onnx import from_onnx, read_onnx
from mlvet.frontends.onnx.opsets import NEWEST

FLOAT = TensorProto.FLOAT


def info(name: str, *dims: Any) -> Any:
    return helper.make_tensor_value_info(name, FLOAT, list(dims) or None)


def model(nodes: list[Any], *, opset: int = 18, functions: tuple[Any, ...] = (), **graph: Any) -> Any:
    made = helper.make_graph(nodes, "g", [info("x", 2)], [info("y")], **graph)
    opsets = [helper.make_opsetid("", opset), helper.make_opsetid("local", 1)]
    return helper.make_model(
        made, opset_imports=opsets if functions else opsets[:1], ir_version=9, functions=list(functions)
    )


def good() -> bytes:
    weight = helper.make_tensor("w", FLOAT, [2], [1.0, 2.0])
    nodes = [helper.make_node("Add", ["x", "w"], ["h"]), helper.make_node("Relu", ["h"], ["y"])]
    data: bytes = model(nodes, initializer=[weight]).SerializeToString()
    return data


def refused(data: bytes | Any, folder: Path) -> str:
    """The line with which a file of these bytes is refused."""
    path = folder / "model.onnx"
    path.write_bytes(data if isinstance(data, bytes) else data.SerializeToString())
    with pytest.raises(UnsupportedInput) as caught:
        read_onnx(path, "model.onnx")
    line = str(caught.value)
    assert line
    assert "\n" not in line
    assert len(line) < 300
    return line


def test_a_good_model_is_read(tmp_path: Path) -> None:
    path = tmp_path / "model.onnx"
    path.write_bytes(good())
    assert [node.op for node in read_onnx(path, "model.onnx").nodes()] == ["add", "relu"]


def test_every_truncation_is_refused(tmp_path: Path) -> None:
    data = good()
    for cut in range(len(data)):
        refused(data[:cut], tmp_path)


def test_changed_bytes_are_refused_or_read_but_never_crash() -> None:
    data = good()
    chance = random.Random(0)
    lines = []
    for _ in range(3000):
        changed = bytearray(data)
        for _ in range(chance.randint(1, 4)):
            changed[chance.randrange(len(data))] = chance.randrange(256)
        try:
            from_onnx(bytes(changed))
        except UnsupportedInput as error:
            lines.append(str(error))
    assert lines
    assert all("\n" not in line for line in lines)


def _zip() -> bytes:
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w") as archive:
        archive.writestr("data.pkl", b"x" * 100)
    return held.getvalue()


@pytest.mark.parametrize(
    "data",
    [
        random.Random(1).randbytes(4096),
        bytes(1024),
        b"\xff" * 1024,
        b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR" + bytes(64),
        b"version https://git-lfs.github.com/spec/v1\noid sha256:0123\nsize 1\n",
        b"<html><body>404</body></html>",
        _zip(),
        b"\x80\x04\x95" + bytes(64),
    ],
    ids=["random", "zeros", "ones", "png", "pointer", "html", "zip", "pickle"],
)
def test_other_files_are_no_onnx_models(data: bytes, tmp_path: Path) -> None:
    assert refused(data, tmp_path).startswith("not an ONNX model: ")


def test_an_empty_file_is_named_as_such(tmp_path: Path) -> None:
    assert refused(b"", tmp_path) == "the file is empty"


def test_a_folder_and_a_missing_file_cannot_be_read(tmp_path: Path) -> None:
    for path in (tmp_path, tmp_path / "none.onnx"):
        with pytest.raises(UnsupportedInput, match="cannot be read"):
            read_onnx(path, "model.onnx")


def test_lengths_beyond_the_file_are_refused(tmp_path: Path) -> None:
    billion = b"\x08\x08" + b"\x3a\xff\xff\xff\xff\x7f" + b"\x0a\x00" * 8
    assert "truncated" in refused(billion, tmp_path)


def test_a_cyclic_graph_names_the_circle(tmp_path: Path) -> None:
    nodes = [
        helper.make_node("Add", ["x", "b"], ["a"], name="first"),
        helper.make_node("Relu", ["a"], ["b"], name="second"),
        helper.make_node("Relu", ["b"], ["y"], name="third"),
    ]
    line = refused(model(nodes), tmp_path)
    assert line.startswith("the graph is cyclic: ")
    assert "first" in line
    assert "second" in line
    assert "third" not in line


def test_a_node_that_needs_itself_is_a_circle(tmp_path: Path) -> None:
    assert "cyclic: loop" in refused(model([helper.make_node("Add", ["x", "y"], ["y"], name="loop")]), tmp_path)


def test_names_that_nothing_defines(tmp_path: Path) -> None:
    line = refused(model([helper.make_node("Add", ["x", "gone"], ["y"], name="sum")]), tmp_path)
    assert line == "`gone`, which node `sum` needs, is defined nowhere"
    line = refused(model([helper.make_node("Relu", ["x"], ["z"])]), tmp_path)
    assert line == "`y`, which the list of outputs needs, is defined nowhere"


def test_two_nodes_of_one_result(tmp_path: Path) -> None:
    nodes = [helper.make_node("Relu", ["x"], ["y"]), helper.make_node("Neg", ["x"], ["y"])]
    assert refused(model(nodes), tmp_path) == "`y` is defined by two nodes"


def test_a_result_that_is_an_input_too(tmp_path: Path) -> None:
    nodes = [helper.make_node("Neg", ["x"], ["x"], name="again"), helper.make_node("Relu", ["x"], ["y"])]
    assert refused(model(nodes), tmp_path) == "`x`, a result of node `again`, is an input or weight too"


def test_two_inputs_of_one_name(tmp_path: Path) -> None:
    graph = helper.make_graph([helper.make_node("Relu", ["x"], ["y"])], "g", [info("x"), info("x")], [info("y")])
    assert refused(helper.make_model(graph, ir_version=9), tmp_path) == "two inputs are called `x`"


def test_nodes_of_one_name_are_told_apart(tmp_path: Path) -> None:
    path = tmp_path / "model.onnx"
    nodes = [helper.make_node("Relu", ["x"], ["h"], name="n"), helper.make_node("Neg", ["h"], ["y"], name="n")]
    path.write_bytes(model(nodes).SerializeToString())
    assert [node.name for node in read_onnx(path, "model.onnx").nodes()] == ["n", "n#1"]


@pytest.mark.parametrize(
    ("version", "line"),
    [
        (NEWEST[""] + 1, f"opset {NEWEST[''] + 1} of domain '' is newer than {NEWEST['']}, the newest known"),
        (2**62, f"opset {2**62} of domain '' is newer than {NEWEST['']}, the newest known"),
        (0, "opset 0 of domain '' does not exist"),
        (-3, "opset -3 of domain '' does not exist"),
    ],
)
def test_unknown_opsets(version: int, line: str, tmp_path: Path) -> None:
    assert refused(model([helper.make_node("Relu", ["x"], ["y"])], opset=version), tmp_path) == line


def test_a_model_without_opset(tmp_path: Path) -> None:
    made = model([helper.make_node("Relu", ["x"], ["y"])])
    del made.opset_import[:]
    assert refused(made, tmp_path) == "the file uses Relu of domain '', but names no opset of it"


def test_the_newest_known_opset_is_that_of_the_onnx_package_or_older() -> None:
    assert onnx.defs.onnx_opset_version() >= NEWEST[""] or onnx.__version__ < "1.23"


def test_an_unknown_ir_version_is_noted() -> None:
    made = model([helper.make_node("Relu", ["x"], ["y"])])
    made.ir_version = 99
    assert from_onnx(made).notes == ("ONNX IR version 99 is newer than 14, the newest known",)


def function(name: str, *calls: str) -> Any:
    nodes = []
    for place, call in enumerate(calls):
        domain = "" if call == "Relu" else "local"
        nodes.append(helper.make_node(call, [f"v{place}"], [f"v{place + 1}"], domain=domain))
    imports = [helper.make_opsetid("", 18), helper.make_opsetid("local", 1)]
    return helper.make_function("local", name, ["v0"], [f"v{len(calls)}"], nodes, imports)


def test_functions_that_call_themselves(tmp_path: Path) -> None:
    nodes = [helper.make_node("A", ["x"], ["y"], domain="local")]
    assert refused(model(nodes, functions=(function("A", "A"),)), tmp_path) == "function `A` calls itself: A -> A"
    line = refused(model(nodes, functions=(function("A", "B"), function("B", "Relu", "A"))), tmp_path)
    assert line == "function `A` calls itself: A -> B -> A"


def test_functions_that_double_thirty_times(tmp_path: Path) -> None:
    levels = [function("F0", "Relu", "Relu"), *(function(f"F{n}", f"F{n - 1}", f"F{n - 1}") for n in range(1, 30))]
    nodes = [helper.make_node("F29", ["x"], ["y"], domain="local")]
    line = refused(model(nodes, functions=tuple(levels)), tmp_path)
    assert line == "the model has more than 2000000 nodes, functions counted at each call"


def test_functions_that_call_too_deep(tmp_path: Path) -> None:
    levels = [function("F0", "Relu"), *(function(f"F{n}", f"F{n - 1}") for n in range(1, 5000))]
    nodes = [helper.make_node("F4999", ["x"], ["y"], domain="local")]
    assert "to a depth of more than 50" in refused(model(nodes, functions=tuple(levels)), tmp_path)


def test_calls_from_deep_within_subgraphs(tmp_path: Path) -> None:
    """Neither calls nor subgraphs are too deep alone."""

    def nested(call: str, domain: str, depth: int) -> Any:
        node = helper.make_node(call, ["v0"], ["v1"], domain=domain)
        for _ in range(depth):
            branch = helper.make_graph([node], "b", [], [info("v1")])
            node = helper.make_node("If", ["v0"], ["v1"], then_branch=branch, else_branch=branch)
        return node

    imports = [helper.make_opsetid("", 18), helper.make_opsetid("local", 1)]
    bodies = [nested("Relu", "", 3), *(nested(f"F{n - 1}", "local", 3) for n in range(1, 40))]
    functions = tuple(
        helper.make_function("local", f"F{n}", ["v0"], ["v1"], [body], imports) for n, body in enumerate(bodies)
    )
    nodes = [helper.make_node("F39", ["x"], ["y"], domain="local")]
    assert "to a depth of more than 50" in refused(model(nodes, functions=functions), tmp_path)
    shallow = model([helper.make_node("F1", ["x"], ["y"], domain="local")], functions=functions[:2])
    assert len(list(from_onnx(shallow).nodes())) == 1 + 15 + 8 * 15


def _message(field: int, payload: bytes) -> bytes:
    return _varint(field << 3 | 2) + _varint(len(payload)) + payload


def _varint(number: int) -> bytes:
    octets = bytearray()
    while number > 0x7F:
        octets.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes([*octets, number])


@pytest.mark.parametrize("depth", [200, 20_000])
def test_subgraphs_nested_too_deep(depth: int, tmp_path: Path) -> None:
    graph = b""
    for _ in range(depth):
        graph = _message(1, _message(5, _message(6, graph)))
    assert refused(b"\x08\x09" + _message(7, graph), tmp_path) == (
        "not an ONNX model: messages are nested deeper than 100"
    )


def test_names_that_are_no_text(tmp_path: Path) -> None:
    node = _message(1, b"x") + _message(2, b"\xff\xfe\x80")
    line = refused(b"\x08\x09" + _message(7, _message(1, node)), tmp_path)
    assert line == "not an ONNX model: field output of NodeProto is no text"


def stored(**fields: Any) -> Any:
    tensor = TensorProto(name="w", data_type=FLOAT, **fields)
    return model([helper.make_node("Add", ["x", "w"], ["y"])], initializer=[tensor])


def external(location: str, **entries: Any) -> Any:
    made = stored(dims=[4], data_location=TensorProto.EXTERNAL)
    for key, value in {"location": location, **entries}.items():
        made.graph.initializer[0].external_data.add(key=key, value=str(value))
    return made


@pytest.mark.parametrize("dims", [[2**60], [2**31, 2**31], [2**20] * 40, [-1]])
def test_tensors_that_claim_too_much(dims: list[int], tmp_path: Path) -> None:
    assert refused(stored(dims=dims), tmp_path).startswith("tensor `w` claims the shape [")


def test_tensors_whose_elements_are_not_those_claimed(tmp_path: Path) -> None:
    line = refused(stored(dims=[3], raw_data=bytes(8)), tmp_path)
    assert line == "tensor `w` of shape [3] needs 12 bytes, but the file holds 8"
    line = refused(stored(dims=[3], float_data=[1.0]), tmp_path)
    assert line == "tensor `w` of shape [3] needs 3 elements, but the file holds 1"


def test_an_unknown_element_type(tmp_path: Path) -> None:
    tensor = TensorProto(name="w", data_type=200, dims=[1])
    assert refused(model([], initializer=[tensor]), tmp_path) == "unknown element type 200"


def test_missing_external_data(tmp_path: Path) -> None:
    line = refused(external("weights.bin"), tmp_path)
    assert line == "the external data file `weights.bin` of tensor `w` is missing"


def test_external_data_that_is_too_short(tmp_path: Path) -> None:
    (tmp_path / "weights.bin").write_bytes(bytes(15))
    line = refused(external("weights.bin"), tmp_path)
    assert line == "tensor `w` needs 16 bytes at 0 of `weights.bin`, which has 15 bytes"
    (tmp_path / "weights.bin").write_bytes(bytes(16))
    for entries in ({"offset": 4}, {"offset": -4}, {"length": 8}, {"offset": 2**70}):
        assert "needs 16 bytes at" in refused(external("weights.bin", **entries), tmp_path)
    assert "no valid place" in refused(external("weights.bin", offset="four"), tmp_path)


def _through_a_link(folder: Path) -> str:
    (folder / "weights.bin").symlink_to("/etc/passwd")
    return "weights.bin"


def _through_a_linked_folder(folder: Path) -> str:
    (folder / "data").symlink_to("/etc")
    return "data/passwd"


@pytest.mark.parametrize(
    "place",
    [
        lambda _: "../../etc/passwd",
        lambda _: "a/../../secret",
        lambda _: "/etc/passwd",
        lambda _: "",
        lambda _: "a\0b",
        _through_a_link,
        _through_a_linked_folder,
    ],
    ids=["parent", "through a folder", "absolute", "none", "nul", "link", "linked folder"],
)
def test_external_data_outside_of_the_folder(place: Callable[[Path], str], tmp_path: Path) -> None:
    assert refused(external(place(tmp_path)), tmp_path).endswith("outside of the model's folder")


def test_external_data_of_a_model_that_is_in_memory_is_missed_when_it_is_asked_for() -> None:
    graph = from_onnx(external("weights.bin"))
    data = graph.parameters[0].data
    assert data is not None
    with pytest.raises(UnsupportedInput, match="the model has no folder"):
        data.load()


def test_constants_and_attributes_without_content(tmp_path: Path) -> None:
    line = refused(model([helper.make_node("Constant", [], ["y"], name="c")]), tmp_path)
    assert line == "constant `c` has no value"
    node = helper.make_node("If", ["x"], ["y"], name="c")
    node.attribute.add(name="then_branch", type=onnx.AttributeProto.GRAPH)
    assert refused(model([node]), tmp_path) == "attribute `then_branch` of node `c` has no graph"


def test_attributes_that_no_operator_has_are_left_out_and_noted() -> None:
    nodes = [
        helper.make_node("Relu", ["x"], ["h"], vendor_hint=3),
        helper.make_node("Softmax", ["h"], ["y"], axes=1),
    ]
    graph = from_onnx(model(nodes))
    assert all("vendor_hint" not in node.attributes and "axes" not in node.attributes for node in graph.nodes())
    assert "attribute `vendor_hint` of Relu is not known and was left out" in graph.notes


def test_attributes_of_the_wrong_kind_make_a_node_opaque() -> None:
    graph = from_onnx(model([helper.make_node("Slice", ["x"], ["y"], name="cut", starts=1.5, ends="two")], opset=9))
    (node,) = graph.nodes()
    assert (node.op, node.source_op) == ("opaque", "Slice")
    assert graph.notes == ("Slice of node `cut` has attributes of the wrong kind and is not understood",)


def test_a_constant_without_result(tmp_path: Path) -> None:
    nodes = [helper.make_node("Constant", [], [], name="c", value_int=1), helper.make_node("Relu", ["x"], ["y"])]
    assert refused(model(nodes), tmp_path) == "constant `c` has no result"
