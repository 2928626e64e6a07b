"""basic-pitch ships one network as a SavedModel and as ONNX: both files must tell the same story."""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path

from mlvet.analyses.shapes.inference import infer
from mlvet.domains.dims import symbols
from mlvet.frontends.models import read_model
from mlvet.ir.graph import Graph

FOLDER = Path(sys.prefix) / "models" / "basic_pitch" / "saved_models" / "icassp_2022"

CONVERTED = {
    "add": "biases became part of convolutions; normalisations became multiplications and additions",
    "assert": "checks of the input range are dropped",
    "batch_normalization": "written out or folded into the convolution before it",
    "call": "functions are written out",
    "cast": "conversions of computed shapes are folded",
    "concat": "the converter joins where TensorFlow stacks",
    "div": "a division by the constant log(10) became a multiplication",
    "equal": "only the checks used the others",
    "identity": "dropped; TensorFlow has one at every read of a variable",
    "log": "log(10) was computed",
    "mul": "from divisions and normalisations",
    "ones_like": "folded",
    "pad": "zero padding became the convolution's own",
    "pow": "2 ** octaves was computed",
    "reduce_all": "only the checks used them",
    "reshape": "squeeze, expand_dims and transposes of dims of size 1",
    "shape": "computed shapes became constants",
    "slice": "from strided_slice",
    "sqrt": "of constants, was computed",
    "square": "became a multiplication",
    "squeeze": "became reshape",
    "stack": "became concat",
    "strided_slice": "became slice, or was computed",
    "transpose": "the converter moves channels to the front once, not at every convolution",
    "unsqueeze": "became reshape",
    "where": "that of the check is dropped",
    "zeros_like": "folded",
}
"""What tf2onnx changed, by operator; every other operator occurs as often in both files."""


def counts(graph: Graph) -> Counter[str]:
    return Counter(node.op for node in graph.nodes())


def output_shapes(graph: Graph) -> list[list[str]]:
    """Known sizes of the outputs, symbols all called `n`, in an order that does not hang on names."""
    inference = infer(graph)
    shapes = [inference.type_of(value).dims for value in graph.outputs]
    return sorted(["n" if symbols(dim) else str(dim) for dim in shape] for shape in shapes)


def test_both_files_yield_the_same_shapes() -> None:
    saved, converted = read_model(FOLDER / "nmp", "nmp"), read_model(FOLDER / "nmp.onnx", "nmp.onnx")
    assert (
        output_shapes(saved)
        == output_shapes(converted)
        == [["n", "172", "264"], ["n", "172", "88"], ["n", "172", "88"]]
    )


def test_the_operators_differ_only_where_the_converter_rewrites() -> None:
    saved, converted = counts(read_model(FOLDER / "nmp", "nmp")), counts(read_model(FOLDER / "nmp.onnx", "nmp.onnx"))
    differing = {op for op in saved | converted if saved[op] != converted[op]}
    assert differing == set(CONVERTED)
    assert saved["conv"] == converted["conv"] == 32


def test_the_saved_model_has_no_operator_without_a_rule() -> None:
    inference = infer(read_model(FOLDER / "nmp", "nmp"))
    assert not inference.unanalysed
    assert inference.violated == inference.disagreements == inference.failures == []
