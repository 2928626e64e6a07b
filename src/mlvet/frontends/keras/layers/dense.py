"""Layers that are one product with a matrix: Dense, EinsumDense, Embedding."""

from __future__ import annotations

from mlvet.domains import dtypes
from mlvet.domains.dims import Dim, symbol
from mlvet.frontends.keras.application import Call, NotLowered, whole
from mlvet.frontends.keras.layers.activations import activation
from mlvet.frontends.keras.layers.tables import layer
from mlvet.ir.graph import Value


@layer("Dense")
def _dense(call: Call) -> Value:
    x = call.floats(call.x)
    units = call.integer("units", call.option("output_dim"))
    result = call.emit("matmul", x, call.weight("kernel", (call.dim(x, -1, "in"), units), "glorot_uniform"))
    if call.flag("use_bias", True):
        result = call.emit("add", result, call.weight("bias", (units,), "zeros"))
    return activation(call, result, call.option("activation"))


@layer("EinsumDense")
def _einsum_dense(call: Call) -> Value:
    x = call.floats(call.x)
    equation = call.text("equation", "").replace(" ", "")
    operands, arrow, result = equation.partition("->")
    left, comma, kernel = operands.partition(",")
    if not arrow or not comma or not left or not kernel:
        raise NotLowered("equation")
    sizes = _letters(call, x, left, result)
    shape = tuple(sizes.get(letter, symbol(f"{call.path}.{letter}")) for letter in kernel)
    value = call.emit("einsum", x, call.weight("kernel", shape, "glorot_uniform"), equation=equation)
    axes = call.text("bias_axes", "")
    if axes:
        letters = result.replace("...", "")
        first = min(letters.index(letter) for letter in axes if letter in letters) if set(axes) & set(letters) else 0
        bias = [
            sizes.get(letter, symbol(f"{call.path}.{letter}")) if letter in axes else 1 for letter in letters[first:]
        ]
        value = call.emit("add", value, call.weight("bias", bias, "zeros"))
    return activation(call, value, call.option("activation"))


def _letters(call: Call, x: Value, left: str, result: str) -> dict[str, Dim]:
    """The sizes that the letters of the equation stand for, as far as input and options tell."""
    raw = call.option("output_shape")
    wanted = [raw] if isinstance(raw, int) else raw if isinstance(raw, list | tuple) else []
    sizes: dict[str, Dim] = {}
    for letter, dim in zip(reversed(result.replace("...", "")), reversed(list(wanted)), strict=False):
        if dim is not None:
            sizes[letter] = whole(dim, "output_shape")
    tensor = call.tensor(x)
    if tensor.ranked and "..." not in left and len(left) == tensor.rank:
        sizes.update(zip(left, tensor.dims, strict=True))
    elif tensor.ranked and left.startswith("..."):
        sizes.update(zip(reversed(left[3:]), reversed(tensor.dims), strict=False))
    return sizes


@layer("Embedding")
def _embedding(call: Call) -> Value:
    table = call.weight("embeddings", (call.integer("input_dim"), call.integer("output_dim")), "uniform")
    indices = call.x
    dtype = call.tensor(indices).dtype
    if dtype is None or not dtype.is_integer:
        indices = call.cast(indices, dtypes.i32)
    if call.flag("mask_zero"):
        call.lowering.note(f"`{call.path}` masks zeros; layers after it are taken without the mask")
    return call.emit("gather", table, indices, axis=0)
