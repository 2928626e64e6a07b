"""Faults of one node of an ONNX graph: whatever holds the node, the whole or a part, is changed before it is loaded.

What a fault changes is measured by running the part that holds the node alone, right and wrong.
"""

import json
import os

import numpy as np

FAULTS = {}


def install(module):
    """Make graphs that are loaded from now on wrong."""
    name = module.__name__
    if name == "onnxruntime":
        right = module.InferenceSession

        def session(path, *args, **kwargs):
            return right(_wrong(path, lambda model: model.SerializeToString(), path), *args, **kwargs)

        module.InferenceSession = session
    elif name == "openvino":
        read = module.Core.read_model

        def read_model(core, path, *args, **kwargs):
            return read(core, _wrong(path, lambda model: model.SerializeToString(), path), *args, **kwargs)

        module.Core.read_model = read_model
    elif name == "onnx.reference":
        evaluator = module.ReferenceEvaluator

        def evaluate(path, *args, **kwargs):
            return evaluator(_wrong(path, lambda model: model, path), *args, **kwargs)

        module.ReferenceEvaluator = evaluate


def _wrong(path, form, otherwise):
    import onnx

    with open(os.environ["MLVET_FAULT"]) as file:
        fault = json.load(file)
    if not fault or not os.path.exists(str(path)):
        return otherwise
    model = onnx.load(str(path))
    node = next((each for each in model.graph.node if each.name == fault["layer"]), None)
    if node is None:
        return otherwise
    FAULTS[fault["kind"]](model.graph, node, fault.get("settings", {}))
    return form(model)


def _attribute(node, name, value):
    from onnx import helper

    for each in [each for each in node.attribute if each.name == name]:
        node.attribute.remove(each)
    node.attribute.append(helper.make_attribute(name, value))


def _weights(graph, node, index, change):
    """Other weights for one node: those that it shares with others stay."""
    from onnx import numpy_helper

    held = next(each for each in graph.initializer if each.name == node.input[index])
    changed = numpy_helper.from_array(np.ascontiguousarray(change(numpy_helper.to_array(held))), held.name + "_wrong")
    graph.initializer.append(changed)
    node.input[index] = changed.name


def fault(function):
    FAULTS[function.__name__] = function
    return function


@fault
def sets_attribute(graph, node, settings):
    """Another padding, epsilon, axis or counting of borders."""
    _attribute(node, settings["name"], settings["value"])


@fault
def flips_kernel(graph, node, settings):
    _weights(graph, node, 1, lambda kernel: kernel[..., ::-1, ::-1])


@fault
def transposes_weights(graph, node, settings):
    _weights(graph, node, 1, lambda held: np.swapaxes(held, *settings["axes"]))


@fault
def scales_weights(graph, node, settings):
    """Weights that are off by so many roundings, at random."""
    random = np.random.default_rng(settings["seed"])
    _weights(graph, node, 1, lambda held: (
        held * (1 + settings["roundings"] * 2.0**-24 * random.normal(size=held.shape))).astype(held.dtype))  # fmt: skip


@fault
def rounds_weights(graph, node, settings):
    """Weights kept in half precision."""
    _weights(graph, node, 1, lambda held: held.astype(np.float16).astype(held.dtype))


@fault
def rolls_bias(graph, node, settings):
    _weights(graph, node, 2, lambda held: np.roll(held, 1))


@fault
def swaps_channels(graph, node, settings):
    """Two input channels in the other order."""
    first, second = settings["swapped"]

    def swapped(kernel):
        found = kernel.copy()
        found[:, [first, second]] = kernel[:, [second, first]]
        return found

    _weights(graph, node, 1, swapped)
