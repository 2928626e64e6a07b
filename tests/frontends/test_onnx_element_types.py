"""The table of element types says what the onnx package says, and a node that breaks it is an error."""

from __future__ import annotations

import json
from importlib.resources import files
from typing import Any

import onnx
import pytest

from mlvet.analyses.shapes.inference import infer
from mlvet.frontends.onnx import from_onnx

TABLE = json.loads((files("mlvet.frontends.onnx") / "element_types.json").read_text(encoding="utf-8"))
SCHEMAS = [
    schema
    for schema in onnx.defs.get_all_schemas_with_history()
    if schema.domain in ("", "ai.onnx.ml") and schema.inputs
]
NAMES = {"float": "FLOAT", "double": "DOUBLE"}


def codes(names: Any) -> list[int] | None:
    """ONNX's numbers of the types, None if some of them are not tensors."""
    if not all(name.startswith("tensor(") for name in names):
        return None
    plain = [name.removeprefix("tensor(").removesuffix(")") for name in names]
    return sorted(onnx.TensorProto.DataType.Value(NAMES.get(name, name.upper())) for name in plain)


def in_table(schema: Any) -> Any:
    versions = TABLE["operators"][f"{schema.domain}:{schema.name}"]
    return next(entry for entry in versions if entry[0] <= schema.since_version)


@pytest.mark.parametrize("schema", SCHEMAS, ids=lambda schema: f"{schema.name}-{schema.since_version}")
def test_every_operand_takes_what_the_standard_says(schema: Any) -> None:
    allowed = {entry.type_param_str: entry.allowed_type_strs for entry in schema.type_constraints}
    _, places, repeats = in_table(schema)
    assert repeats == (schema.inputs[-1].option == onnx.defs.OpSchema.FormalParameterOption.Variadic)
    listed = [None if number < 0 else TABLE["types"][number] for number, _ in places]
    assert listed == [codes(allowed.get(item.type_str, [item.type_str])) for item in schema.inputs]
    variables = {}
    for item, (_, group) in zip(schema.inputs, places, strict=True):
        if group >= 0:
            assert variables.setdefault(group, item.type_str) == item.type_str


def violated(op: str, kinds: str, opset: int = 18) -> list[str]:
    helper = onnx.helper
    codes_of = {"f": onnx.TensorProto.FLOAT, "d": onnx.TensorProto.DOUBLE, "i": onnx.TensorProto.INT64}
    inputs = [helper.make_tensor_value_info(f"x{i}", codes_of[kind], [2]) for i, kind in enumerate(kinds)]
    node = helper.make_node(op, [info.name for info in inputs], ["y"])
    graph = helper.make_graph([node], "one", inputs, [helper.make_empty_tensor_value_info("y")])
    found = infer(from_onnx(helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)])))
    return [demand.constraint.rule for demand in found.violated]


@pytest.mark.parametrize(("op", "kinds"), [("Exp", "i"), ("Reshape", "ff"), ("Add", "fd"), ("Max", "ffd")])
def test_an_element_type_that_the_standard_forbids_is_an_error(op: str, kinds: str) -> None:
    assert violated(op, kinds) == ["dtype-differs"]


@pytest.mark.parametrize(
    ("op", "kinds"), [("Exp", "d"), ("Reshape", "ii"), ("Add", "dd"), ("Pow", "fi"), ("Max", "fff")]
)
def test_those_that_it_allows_are_none(op: str, kinds: str) -> None:
    assert "dtype-differs" not in violated(op, kinds)


def test_what_a_later_opset_allows_is_forbidden_before() -> None:
    assert violated("Relu", "i", opset=14) == []
    assert violated("Relu", "i", opset=13) == ["dtype-differs"]
