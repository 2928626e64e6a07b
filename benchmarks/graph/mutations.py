"""Single changes to an ONNX model, of the kind that people make by accident, drawn with a given random source."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from onnx import AttributeProto, ModelProto, TensorProto, numpy_helper

FLOATS = (TensorProto.FLOAT, TensorProto.DOUBLE, TensorProto.FLOAT16)
INTEGERS = (TensorProto.INT64, TensorProto.INT32)
SWITCHES = frozenset(
    {"keepdims", "transA", "transB", "ceil_mode", "exclusive", "reverse", "count_include_pad", "align_corners",
     "spatial", "storage_order", "select_last_index", "largest", "sorted", "is_causal", "onesided", "inverse", "layout",
     "channels_last", "interleaved", "linear_before_reset", "noop_with_empty_axes", "training_mode", "upper",
     "saturate"}
)  # fmt: skip
FAMILIES = (
    ("Add", "Mul", "MatMul", "Sub", "Div", "Pow"),
    ("Relu", "Softmax", "Transpose", "Flatten", "Exp", "Shape", "Not", "GlobalAveragePool", "Squeeze"),
    ("ReduceSum", "ReduceMax", "Softmax", "ArgMax", "ReduceL2"),
    ("Reshape", "Expand", "Tile", "Unsqueeze", "Squeeze"),
    ("Conv", "ConvTranspose"),
    ("MaxPool", "AveragePool", "LpPool"),
    ("And", "Equal", "Less", "Or", "Add"),
    ("Gather", "GatherElements", "GatherND"),
)


def mutate(model: ModelProto, rng: random.Random) -> str:
    """Change a model in place at one place; the word for the change, or nothing if the draw found no place."""
    name = rng.choice(list(_MUTATIONS))
    return name if _MUTATIONS[name](model, rng) else ""


def graphs(graph: Any) -> Iterator[Any]:
    """A graph and all graphs inside its nodes."""
    yield graph
    for node in graph.node:
        for attribute in node.attribute:
            if attribute.type == AttributeProto.GRAPH:
                yield from graphs(attribute.g)


def _graph(model: ModelProto, rng: random.Random) -> Any:
    return rng.choice([graph for graph in graphs(model.graph) if graph.node])


def _size(old: int, rng: random.Random) -> int:
    return max(0, rng.choice([old + 1, old - 1, 1, old * 2, old + 3]))


def _resized(shape: list[int], rng: random.Random) -> list[int] | None:
    """A shape with one dim changed, added or taken away."""
    changed = list(shape)
    way = rng.random()
    if way < 0.7 and changed:
        axis = rng.randrange(len(changed))
        changed[axis] = _size(changed[axis], rng)
    elif way < 0.85 and changed:
        del changed[rng.randrange(len(changed))]
    else:
        changed.insert(rng.randint(0, len(changed)), rng.choice([1, 2]))
    return None if changed == shape or int(np.prod(changed, dtype=np.int64)) > 1 << 22 else changed


def _input_shape(model: ModelProto, rng: random.Random) -> bool:
    inputs = [i for i in model.graph.input if i.type.HasField("tensor_type") and i.type.tensor_type.HasField("shape")]
    if not inputs:
        return False
    shape = rng.choice(inputs).type.tensor_type.shape
    if any(not dim.HasField("dim_value") for dim in shape.dim):
        return False
    changed = _resized([dim.dim_value for dim in shape.dim], rng)
    if changed is None:
        return False
    del shape.dim[:]
    for size in changed:
        shape.dim.add().dim_value = size
    return True


def _input_type(model: ModelProto, rng: random.Random) -> bool:
    inputs = [
        i
        for i in model.graph.input
        if i.type.HasField("tensor_type") and i.type.tensor_type.elem_type != TensorProto.STRING
    ]
    if not inputs:
        return False
    kind = rng.choice(inputs).type.tensor_type
    new = rng.choice([t for t in (*FLOATS, *INTEGERS, TensorProto.BOOL) if t != kind.elem_type])
    kind.elem_type = new
    return True


def _stored(model: ModelProto, rng: random.Random, fits: Callable[[Any], bool]) -> Any:
    """An initializer, or the tensor of a Constant, that fits."""
    found = []
    for graph in graphs(model.graph):
        found += [tensor for tensor in graph.initializer if fits(tensor)]
        for node in graph.node:
            found += [a.t for a in node.attribute if node.op_type == "Constant" and a.name == "value" and fits(a.t)]
    return rng.choice(found) if found else None


def _replace(tensor: Any, array: Any) -> None:
    name = tensor.name
    tensor.CopyFrom(numpy_helper.from_array(np.asarray(array), name))


def _weight_shape(model: ModelProto, rng: random.Random) -> bool:
    tensor = _stored(model, rng, lambda t: t.data_type in (*FLOATS, *INTEGERS) and np.prod(t.dims) < 1 << 18)
    if tensor is None:
        return False
    array = numpy_helper.to_array(tensor)
    changed = _resized(list(array.shape), rng)
    if changed is None or not array.size:
        return False
    _replace(tensor, np.resize(array, changed))
    return True


def _weight_type(model: ModelProto, rng: random.Random) -> bool:
    tensor = _stored(model, rng, lambda t: t.data_type in (*FLOATS, *INTEGERS) and np.prod(t.dims) < 1 << 18)
    if tensor is None:
        return False
    array = numpy_helper.to_array(tensor)
    kinds = [np.float32, np.float64, np.float16, np.int64, np.int32]
    with np.errstate(all="ignore"):
        _replace(tensor, array.astype(rng.choice([kind for kind in kinds if kind != array.dtype])))
    return True


def _numbers(model: ModelProto, rng: random.Random) -> bool:
    """Change, drop or add one element of a small integer constant: a shape, axes, pads, ends of a slice."""
    tensor = _stored(model, rng, lambda t: t.data_type in INTEGERS and len(t.dims) <= 1 and np.prod(t.dims) <= 10)
    if tensor is None:
        return False
    array = numpy_helper.to_array(tensor)
    values = array.reshape(-1).tolist()
    way = rng.random()
    if array.ndim and way < 0.12 and values:
        del values[rng.randrange(len(values))]
    elif array.ndim and way < 0.24:
        values.insert(rng.randint(0, len(values)), rng.choice([1, 2, 0, -1]))
    elif array.ndim and way < 0.32 and len(values) > 1:
        left, right = rng.sample(range(len(values)), 2)
        values[left], values[right] = values[right], values[left]
    elif values:
        index = rng.randrange(len(values))
        old = values[index]
        if abs(old) > 1 << 20:
            return False
        values[index] = rng.choice([old + 1, old - 1, -old, old * 2, 0, 1, -1, old + 5])
    changed = np.asarray(values, array.dtype).reshape(array.shape if not array.ndim else -1)
    if np.array_equal(changed, array):
        return False
    _replace(tensor, changed)
    return True


def _attribute(model: ModelProto, rng: random.Random) -> bool:
    found = [
        (node, attribute)
        for graph in graphs(model.graph)
        for node in graph.node
        for attribute in node.attribute
        if attribute.type in (AttributeProto.INT, AttributeProto.INTS, AttributeProto.STRING)
    ]
    if not found:
        return False
    node, attribute = rng.choice(found)
    if rng.random() < 0.1:
        node.attribute.remove(attribute)
        return True
    if attribute.type == AttributeProto.STRING:
        if attribute.name != "auto_pad":
            return False
        attribute.s = rng.choice([b"SAME_UPPER", b"SAME_LOWER", b"VALID", b"NOTSET"])
        return True
    if attribute.type == AttributeProto.INT:
        old = attribute.i
        if attribute.name in SWITCHES and old in (0, 1):
            attribute.i = 1 - old
        elif attribute.name in ("to", "dtype"):
            attribute.i = rng.choice([*FLOATS, *INTEGERS, TensorProto.BOOL])
        else:
            attribute.i = rng.choice([old + 1, old - 1, -old, 1 - old, old * 2, 0, 1, 2, -1, 5])
        return bool(attribute.i != old)
    values = list(attribute.ints)
    way = rng.random()
    if values and way < 0.12:
        del values[rng.randrange(len(values))]
    elif way < 0.24:
        values.insert(rng.randint(0, len(values)), rng.choice([1, 2, 0]))
    elif len(values) > 1 and way < 0.4:
        left, right = rng.sample(range(len(values)), 2)
        values[left], values[right] = values[right], values[left]
    elif values:
        index = rng.randrange(len(values))
        values[index] = rng.choice([values[index] + 1, values[index] - 1, 1, 2, 0, values[index] + 4])
    if values == list(attribute.ints):
        return False
    attribute.ints[:] = values
    return True


def _swap_operands(model: ModelProto, rng: random.Random) -> bool:
    nodes = [node for graph in graphs(model.graph) for node in graph.node if len(set(node.input)) > 1]
    if not nodes:
        return False
    node = rng.choice(nodes)
    left, right = rng.sample(range(len(node.input)), 2)
    if node.input[left] == node.input[right]:
        return False
    node.input[left], node.input[right] = node.input[right], node.input[left]
    return True


def _drop_operand(model: ModelProto, rng: random.Random) -> bool:
    nodes = [node for graph in graphs(model.graph) for node in graph.node if node.input]
    if not nodes:
        return False
    node = rng.choice(nodes)
    index = rng.randrange(len(node.input))
    if rng.random() < 0.5:
        if not node.input[index]:
            return False
        node.input[index] = ""
    else:
        del node.input[index]
    return True


def _other_operand(model: ModelProto, rng: random.Random) -> bool:
    """Let a node read another value that exists before it."""
    graph = _graph(model, rng)
    position = rng.randrange(len(graph.node))
    node = graph.node[position]
    if not node.input:
        return False
    earlier = [i.name for i in graph.input] + [t.name for t in graph.initializer]
    earlier += [name for before in graph.node[max(0, position - 12) : position] for name in before.output if name]
    index = rng.randrange(len(node.input))
    others = [name for name in earlier if name != node.input[index]]
    if not others:
        return False
    node.input[index] = rng.choice(others)
    return True


def _remove_node(model: ModelProto, rng: random.Random) -> bool:
    """Take a node out; its users read its first operand instead."""
    graph = _graph(model, rng)
    names = {output.name for output in graph.output}
    nodes = [n for n in graph.node if n.input and n.input[0] and n.output and not names & set(n.output)]
    if not nodes:
        return False
    node = rng.choice(nodes)
    new, old = node.input[0], set(node.output)
    graph.node.remove(node)
    for inner in graphs(graph):
        for user in inner.node:
            user.input[:] = [new if name in old else name for name in user.input]
    return True


def _other_operator(model: ModelProto, rng: random.Random) -> bool:
    nodes = [node for graph in graphs(model.graph) for node in graph.node if any(node.op_type in f for f in FAMILIES)]
    if not nodes:
        return False
    node = rng.choice(nodes)
    family = rng.choice([family for family in FAMILIES if node.op_type in family])
    node.op_type = rng.choice([name for name in family if name != node.op_type])
    return True


_MUTATIONS: dict[str, Callable[[ModelProto, random.Random], bool]] = {
    "shape of an input": _input_shape,
    "element type of an input": _input_type,
    "shape of a weight": _weight_shape,
    "element type of a weight": _weight_type,
    "a constant integer": _numbers,
    "another constant integer": _numbers,
    "an attribute": _attribute,
    "another attribute": _attribute,
    "operands swapped": _swap_operands,
    "operand left out": _drop_operand,
    "another operand": _other_operand,
    "node removed": _remove_node,
    "another operator": _other_operator,
}
