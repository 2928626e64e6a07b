"""Keras for tests: models filled with random weights, and graphs run by the operators' references."""

from __future__ import annotations

import os

os.environ.setdefault("KERAS_BACKEND", "torch")

import keras
import numpy as np

from mlvet.ir.graph import OPAQUE
from mlvet.ops import REGISTRY


def filled(model, seed=0):
    """The model with weights drawn anew, variances among them positive."""
    random = np.random.default_rng(seed)
    for weight in model.weights:
        drawn = random.normal(size=weight.shape) / 2
        weight.assign(np.abs(drawn) + 0.05 if "variance" in weight.path else drawn)
    return model


def drawn_inputs(model, below=None, seed=1):
    """Inputs of a batch of two."""
    random = np.random.default_rng(seed)
    shapes = [(2, *tensor.shape[1:]) for tensor in model.inputs]
    return [
        (random.integers(0, below, shape) if below else random.normal(size=shape)).astype(tensor.dtype)
        for shape, tensor in zip(shapes, model.inputs, strict=True)
    ]


def predicted(model, inputs):
    """What Keras computes, as a list of arrays."""
    outputs = model(inputs if len(inputs) > 1 else inputs[0], training=False)
    return [np.asarray(keras.ops.convert_to_numpy(output)) for output in keras.tree.flatten(outputs)]


def executed(graph, inputs):
    """What the graph computes, by the reference of each operator."""
    arrays = dict(zip(graph.inputs, inputs, strict=True))
    arrays.update({parameter.value: parameter.data.load() for parameter in graph.parameters})
    arrays.update({constant.value: constant.data.load() for constant in graph.body.constants})
    for node in graph.body.nodes:
        assert node.op != OPAQUE, f"{node.source_op} is opaque"
        operands = [None if value is None else arrays[value] for value in node.inputs]
        results = REGISTRY[node.op].reference(*operands, **node.attributes)
        results = results if isinstance(results, tuple | list) else (results,)
        arrays.update(zip(node.outputs, map(np.asarray, results), strict=False))
    return [arrays[value] for value in graph.outputs]
