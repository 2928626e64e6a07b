"""Variants of layers: what is varied, what makes no sense, and that variants find what the model does not have."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
import onnx.parser
import pytest

from mlvet.analyses.compare.inputs import made
from mlvet.analyses.compare.mutation.domains import alternatives
from mlvet.analyses.compare.mutation.loop import Search
from mlvet.analyses.compare.mutation.onnx_domains import attribute_alternatives, with_consequences
from mlvet.analyses.compare.mutation.onnx_model import in_pieces, put_together
from mlvet.analyses.compare.mutation.sizes import other_sizes
from mlvet.analyses.compare.search.searching import breed_of, origin_of
from tests.compare.conftest import written
from tests.compare.laboratories import laboratory

BY_COLUMNS = ("openvino", "MaxPool", "kernel_shape", "storage_order")
POOL = """
<ir_version: 9, opset_import: ["": 17]>
model (float[2, 3, 8, 8] x) => (float[2, 3, 4, 4] y) {
  y = MaxPool <kernel_shape = [2, 2], strides = [2, 2]> (x)
}
"""


def test_what_an_entry_could_be_follows_from_its_type_and_name() -> None:
    assert alternatives("padding", "valid") == ["same", "causal"]
    assert alternatives("use_bias", True) == [False]
    assert [2, 2] in alternatives("pool_size", [3, 3])
    assert any(len({*each}) > 1 for each in alternatives("strides", [1, 1]))
    assert -2 in alternatives("axis", -1)
    assert alternatives("stateful", False) == []
    assert alternatives("cell", {"class_name": "GRUCell"}) == []


@pytest.mark.parametrize("value", ["same", True, 3, 0.5, [3, 3], None])
def test_an_entry_is_no_alternative_to_itself(value: object) -> None:
    assert value not in alternatives("padding", value)


def test_attributes_are_varied_by_the_schema() -> None:
    node = onnx.parser.parse_model(POOL).graph.node[0]
    found = attribute_alternatives(node, 17, rank=4)
    assert found["storage_order"] == [0, 1]
    assert {"SAME_UPPER", "SAME_LOWER", "VALID"} <= {*found["auto_pad"]}
    assert [1, 1] in found["strides"]
    assert [2, 2] not in found["strides"]


def test_a_convolution_keeps_the_size_of_its_stored_kernel() -> None:
    node = onnx.helper.make_node("Conv", ["x", "w"], ["y"], kernel_shape=[3, 3])
    assert "kernel_shape" not in attribute_alternatives(node, 17, rank=4)


def test_attributes_that_exclude_each_other_do_not_meet() -> None:
    assert with_consequences({"auto_pad": "SAME_UPPER"}) == {"auto_pad": "SAME_UPPER", "pads": None}
    assert with_consequences({"auto_pad": "NOTSET"}) == {"auto_pad": "NOTSET"}


def test_a_model_whose_shapes_do_not_agree_is_not_put_together() -> None:
    pieces = in_pieces(onnx.parser.parse_model(POOL), ["pool"])
    assert put_together(pieces, {"x": np.zeros((2, 3, 8, 8), np.float32)}) is not None
    assert put_together(pieces, {"x": np.zeros((2, 3), np.float32)}) is None


def test_arrays_of_other_sizes_are_never_constant() -> None:
    random = np.random.default_rng(0)
    shapes = set()
    for _ in range(8):
        found = other_sizes(np.ones((4, 6, 6, 3), np.float32), random)
        assert found.dtype == np.float32
        assert float(np.std(found)) > 0
        shapes.add(found.shape)
    assert {shape[0] for shape in shapes} == {2}
    assert len(shapes) > 1


def test_places_by_columns_are_found_wrong_from_a_model_that_has_none(tmp_path: Path) -> None:
    model = written(tmp_path / "model.onnx", storage_order=0)
    with laboratory(model, "onnxruntime", "openvino") as (lab, subject, request):
        origin = origin_of(lab, subject, request, tmp_path)
        breed = breed_of(lab, subject, origin, tmp_path, made(subject, count=2))
        assert breed is not None
        search = Search(lab, breed, tmp_path, 0, set(), lambda _: None, lambda *_: None)
        causes: set[tuple[str, ...]] = set()
        for _ in range(20):
            search.variants("pool")
            causes = {deviant.least.cause for deviant in search.result.deviants}
            if BY_COLUMNS in causes:
                break
    assert BY_COLUMNS in causes
    assert search.result.variants > 0
