"""The text form of protocol buffers."""

from __future__ import annotations

import math

import pytest

from mlvet.frontends.protobuf import schema, textform
from mlvet.frontends.protobuf.wire import Malformed

TYPES = schema.load("tensorflow")


def parse(text: str, message: str = "GraphDef"):  # type: ignore[no-untyped-def]
    return textform.parse(text, TYPES[message])


def test_fields_messages_maps_and_lists() -> None:
    graph = parse("""
        # a comment
        node { name: "a" op: "Const" input: ["x", "y"] attr { key: "N" value { i: -3 } } }
        node <name: 'b', op: "Add"; input: "a:1">
        versions: { producer: 0x10 }
    """)
    first, second = graph.node
    assert (first.name, first.op, first.input) == ("a", "Const", ["x", "y"])
    assert first.attr["N"].i == -3
    assert (second.name, second.input) == ("b", ["a:1"])
    assert graph.versions.producer == 16


def test_escapes_adjacent_strings_and_bytes() -> None:
    tensor = parse(r'tensor_content: "\000\377\x41\n" "\"q\" \u00e9"', "TensorProto")
    assert bytes(tensor.tensor_content) == b'\x00\xffA\n"q" ' + "é".encode()


def test_numbers_truth_and_enums() -> None:
    tensor = parse(
        "float_val: [1, -2.5e3, inf, -inf, nan, 1.5f] bool_val: true bool_val: 0 dtype: DT_INT64", "TensorProto"
    )
    assert tensor.float_val[:4] == [1.0, -2500.0, math.inf, -math.inf]
    assert math.isnan(tensor.float_val[4])
    assert tensor.float_val[5] == 1.5
    assert tensor.bool_val == [True, False]
    assert tensor.dtype == 9


def test_unknown_fields_of_every_form_are_passed_over() -> None:
    graph = parse("""
        strange: 5 odd { deep { x: "}" } y: [1, 2] } [type.googleapis.com/a.B] { z: -1.5 } more: WORD text: "a" 'b'
        node { name: "kept" new_field: "later" }
    """)
    assert [node.name for node in graph.node] == ["kept"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("node {\n  name: 5\n}", "line 2: expected a quoted text for name, found `5`"),
        ('node {\n  name: "a"\n', "line 3: expected `}`, found the end of the file"),
        ("node {\n  name 'a' }", "line 2: expected `:` or `{`, found `'a'`"),
        ("versions { producer: many }", "line 1: expected a int32 for producer, found `many`"),
        ("versions { producer: 99999999999 }", "line 1: expected a int32 for producer, found `99999999999`"),
        ('node { name: "a }', "line 1: expected a name, a number, a text or a bracket"),
        ("}", "line 1: expected the name of a field, found `}`"),
        ("node: 3", "line 1: expected `{` for node, found `3`"),
    ],
)
def test_a_mistake_is_told_with_its_line(text: str, message: str) -> None:
    with pytest.raises(Malformed) as caught:
        parse(text)
    assert message in str(caught.value)


def test_deep_nesting_is_refused() -> None:
    with pytest.raises(Malformed, match="nested deeper than 100"):
        parse("a {" * 100_000)
