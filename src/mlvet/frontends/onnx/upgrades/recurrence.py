"""Recurrent layers and scans of older opsets."""

from __future__ import annotations

from collections.abc import Sequence

from mlvet.domains.tensors import Tensor, Unranked
from mlvet.frontends.onnx.source import Source
from mlvet.frontends.onnx.upgrades.upgrade import upgrade
from mlvet.ir.builder import Builder
from mlvet.ir.graph import Value


@upgrade("RNN", "GRU", "LSTM", since=7)
def _whole_sequence(source: Source, _: Builder) -> Source:
    """`output_sequence` only told whether the first result is wanted; its default direction was once misspelt."""
    direction = source.attributes.get("direction", "forward")
    return source.without("output_sequence").having(direction="forward" if direction == "foward" else direction)


@upgrade("Scan", since=9)
def _scan_over_a_batch(source: Source, builder: Builder) -> Sequence[Value]:
    """Once every operand had a batch as its first dim: a scan over the batch of scans as they are now."""
    body = source.regions.get("body")
    operands = source.operands[1:]
    count = int(source.attributes.get("num_scan_inputs", 0))
    if source.operand(0) is not None or body is None or None in operands:
        return source.opaque(builder)
    outer = builder.region("loop", f"{source.name}.batch")
    inputs = [outer.input(value.name, _sample(value.declared)) for value in operands if value is not None]
    results = [outer.value(f"{source.name}.{place}") for place in range(len(source.outputs))]
    inner = {
        "num_scan_inputs": count,
        "scan_input_directions": tuple(source.attributes.get("directions", (0,) * count)),
    }
    source.add(outer, "scan", inputs, results, inner, name=f"{source.name}.sample", regions=[body])
    every = {"num_scan_inputs": len(operands)}
    return source.add(builder, "scan", operands, source.values(builder), every, regions=[outer.close(results)])


def _sample(declared: Tensor) -> Tensor:
    """The type of one sample of a batch."""
    return declared if isinstance(declared.shape, Unranked) else declared.with_shape(declared.shape[1:])
