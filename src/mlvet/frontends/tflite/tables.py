"""TFLite's operators in canonical form. What is not here, or in another form, is unsupported."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from mlvet.core.errors import UnsupportedInput
from mlvet.domains import dtypes
from mlvet.frontends.tflite.call import Call, Lowering
from mlvet.ir.graph import Value

_PADDING = {0: "SAME_UPPER", 1: "VALID"}
_MASKS = {"begin_mask": "beginMask", "end_mask": "endMask", "ellipsis_mask": "ellipsisMask",
          "new_axis_mask": "newAxisMask", "shrink_axis_mask": "shrinkAxisMask"}  # fmt: skip


def _named(op: str, **attributes: Any) -> Lowering:
    return lambda call: call.add(op, *call.inputs, **attributes)


def _activated(op: str) -> Lowering:
    return lambda call: call.activated(call.add(op, *call.inputs))


def _window(call: Call) -> dict[str, Any]:
    dilations = (call.option("dilationHFactor", 1), call.option("dilationWFactor", 1))
    found: dict[str, Any] = {
        "data_format": "NHWC", "strides": (call.option("strideH"), call.option("strideW")),
        "auto_pad": _PADDING[call.option("padding")],
    }  # fmt: skip
    return found if dilations == (1, 1) else {**found, "dilations": dilations}


def _biased(call: Call, value: Value, bias: Value | None) -> Value:
    return call.activated(value if bias is None else call.add("add", value, bias))


def _conv(call: Call) -> Value:
    kernel = call.add("transpose", call.input(1), perm=(1, 2, 3, 0))
    made = call.add("conv", call.input(0), kernel, **_window(call), kernel_format="HWIO", group=0)
    return _biased(call, made, call.optional(2))


def _depthwise(call: Call) -> Value:
    """A kernel of one row, whose channels are those of the input times the multiplier."""
    array = call.known.get(call.input(1))
    times = call.option("depthMultiplier", 1)
    if array is None or array.shape[-1] % times:
        raise UnsupportedInput("DEPTHWISE_CONV_2D with a kernel that is computed")
    _, height, width, channels = array.shape
    kernel = call.add("reshape", call.input(1), call.constant([height, width, channels // times, times]))
    made = call.add("conv", call.input(0), kernel, **_window(call), kernel_format="HWCM")
    return _biased(call, made, call.optional(2))


def _transposed(call: Call) -> Value:
    """The operands are the shape of the result, a kernel with the channels of the result first, and the input."""
    kernel = call.add("transpose", call.input(1), perm=(1, 2, 0, 3))
    window = {**_window(call), "kernel_format": "HWOI"}
    made = call.add("conv_transpose_to", call.input(2), kernel, call.input(0), **window)
    return _biased(call, made, call.optional(3))


def _pool(op: str) -> Lowering:
    def lower(call: Call) -> Value:
        sizes = (call.option("filterHeight"), call.option("filterWidth"))
        return call.activated(call.add(op, call.input(0), **_window(call), kernel_shape=sizes))

    return lower


def _fully_connected(call: Call) -> Value:
    """Rows as long as the weights are wide, unless the dims in front are kept."""
    weights = call.known.get(call.input(1))
    if call.option("weightsFormat") or weights is None or weights.ndim != 2:
        raise UnsupportedInput("FULLY_CONNECTED with weights in another form")
    rows = call.input(0)
    if not call.option("keepNumDims"):
        rows = call.add("reshape", rows, call.constant([-1, weights.shape[1]]))
    made = call.add("matmul", rows, call.add("transpose", call.input(1), perm=(1, 0)))
    return _biased(call, made, call.optional(2))


def _batch_matmul(call: Call) -> Value:
    left, right = bool(call.option("adjX")), bool(call.option("adjY"))
    if not left and not right:
        return call.add("matmul", call.input(0), call.input(1))
    return call.add("batch_matmul", call.input(0), call.input(1), adj_x=left, adj_y=right)


def _softmax(call: Call) -> Value:
    if call.option("beta", 1.0) != 1.0:
        raise UnsupportedInput("SOFTMAX with another beta")
    return call.add("softmax", call.input(0), axis=-1)


def _reshape(call: Call) -> Value:
    shape = call.optional(1)
    if shape is None:
        shape = call.constant([int(each) for each in call.option("newShape")])
    return call.add("reshape", call.input(0), shape, allowzero=True)


def _squeeze(call: Call) -> Value:
    axes = call.option("squeezeDims", None)
    listed = [] if axes is None else [int(each) for each in axes]
    return call.add("squeeze", call.input(0), call.constant(listed) if listed else None)


def _concatenation(call: Call) -> Value:
    return call.activated(call.add("concat", *call.inputs, axis=call.option("axis")))


def _pads(call: Call) -> Value:
    """One row of all widths before, then all after, from a column of each."""
    widths = np.asarray(call.ints(1), np.int64).reshape(-1, 2)
    return call.constant(widths.T.reshape(-1))


def _mirror_pad(call: Call) -> Value:
    mode = ("reflect", "symmetric")[call.option("mode")]
    return call.add("pad", call.input(0), _pads(call), mode=mode)


def _strided_slice(call: Call) -> Value:
    if call.option("offset", False):
        raise UnsupportedInput("STRIDED_SLICE with ends counted from begins")
    masks = {ours: call.option(theirs) for ours, theirs in _MASKS.items()}
    return call.add("strided_slice", *(call.input(index) for index in range(4)), **masks)


def _slice(call: Call) -> Value:
    return call.add("slice_sizes", call.input(0), call.input(1), call.input(2))


def _split(call: Call) -> Sequence[Value]:
    (axis,) = call.ints(0)
    parts = call.option("numSplits")
    return call.builder.node("split", [call.input(1), None], parts, {"axis": axis, "num_outputs": parts}).outputs


def _reduction(op: str) -> Lowering:
    def lower(call: Call) -> Value:
        axes = call.constant(list(call.ints(1)))
        keep = bool(call.option("keepDims"))
        return call.add(op, call.input(0), axes, keepdims=keep, noop_with_empty_axes=True)

    return lower


def _extreme(op: str) -> Lowering:
    def lower(call: Call) -> Value:
        (axis,) = call.ints(1)
        return call.add("cast", call.add(op, call.input(0), axis=axis, keepdims=False), to=call.types[0])

    return lower


def _cast(call: Call) -> Value:
    return call.add("cast", call.input(0), to=call.types[0])


def _dequantize(call: Call) -> Value:
    """Numbers of half precision, stored ones at once; the reader refuses what is quantised."""
    stored = call.known.get(call.input(0))
    if stored is not None:
        return call.constant(stored.astype(np.float32))
    return call.add("cast", call.input(0), to=dtypes.f32)


def _resize(mode: str) -> Lowering:
    def lower(call: Call) -> Value:
        half, align = bool(call.option("halfPixelCenters")), bool(call.option("alignCorners"))
        places = "align_corners" if align else "half_pixel" if half else "asymmetric"
        attributes: dict[str, Any] = {"mode": mode, "axes": (1, 2), "coordinate_transformation_mode": places}
        if mode == "nearest":
            attributes["nearest_mode"] = "round_prefer_ceil" if half or align else "floor"
        return call.add("resize", call.input(0), None, None, call.input(1), **attributes)

    return lower


def _gather(call: Call) -> Value:
    if call.option("batchDims"):
        raise UnsupportedInput("GATHER in batches")
    return call.add("gather", call.input(0), call.input(1), axis=call.option("axis"))


def _hard_swish(call: Call) -> Value:
    raised = call.add("relu6", call.add("add", call.input(0), call.constant(3.0)))
    return call.add("div", call.add("mul", call.input(0), raised), call.constant(6.0))


def _prelu(call: Call) -> Value:
    zero = call.constant(0.0)
    below = call.add("mul", call.input(1), call.add("min", call.input(0), zero))
    return call.add("add", call.add("max", call.input(0), zero), below)


_PLAIN = (
    "RELU RELU6 LOGISTIC=sigmoid TANH EXP LOG SQRT RSQRT SQUARE NEG ABS SIN COS FLOOR CEIL ELU SIGN MAXIMUM=max "
    "MINIMUM=min POW SQUARED_DIFFERENCE FLOOR_DIV EQUAL NOT_EQUAL GREATER LESS GREATER_EQUAL=greater_or_equal "
    "LESS_EQUAL=less_or_equal LOGICAL_AND=and LOGICAL_OR=or LOGICAL_NOT=not SELECT_V2=where TILE "
    "BROADCAST_TO ZEROS_LIKE"
)


def _plain() -> dict[str, Lowering]:
    entries = (each.partition("=") for each in _PLAIN.split())
    return {name: _named(op or name.lower()) for name, _, op in entries}


TABLE: dict[str, Lowering] = {
    **_plain(),
    **{name: _activated(op) for name, op in (("ADD", "add"), ("SUB", "sub"), ("MUL", "mul"), ("DIV", "div"))},
    "CONV_2D": _conv,
    "DEPTHWISE_CONV_2D": _depthwise,
    "TRANSPOSE_CONV": _transposed,
    "AVERAGE_POOL_2D": _pool("average_pool"),
    "MAX_POOL_2D": _pool("max_pool"),
    "FULLY_CONNECTED": _fully_connected,
    "BATCH_MATMUL": _batch_matmul,
    "SOFTMAX": _softmax,
    "LOG_SOFTMAX": _named("log_softmax", axis=-1),
    "LEAKY_RELU": lambda call: call.add("leaky_relu", call.input(0), alpha=float(call.option("alpha"))),
    "PRELU": _prelu,
    "HARD_SWISH": _hard_swish,
    "RESHAPE": _reshape,
    "TRANSPOSE": lambda call: call.add("transpose", call.input(0), perm=call.ints(1)),
    "EXPAND_DIMS": lambda call: call.add("unsqueeze", call.input(0), call.constant(list(call.ints(1)))),
    "SQUEEZE": _squeeze,
    "CONCATENATION": _concatenation,
    "PACK": lambda call: call.add("stack", *call.inputs, axis=call.option("axis")),
    "PAD": lambda call: call.add("pad", call.input(0), _pads(call), None, mode="constant"),
    "PADV2": lambda call: call.add("pad", call.input(0), _pads(call), call.input(2), mode="constant"),
    "MIRROR_PAD": _mirror_pad,
    "STRIDED_SLICE": _strided_slice,
    "SLICE": _slice,
    "SPLIT": _split,
    "GATHER": _gather,
    "CAST": _cast,
    "SHAPE": lambda call: call.add("cast", call.add("shape", call.input(0)), to=call.types[0]),
    "DEQUANTIZE": _dequantize,
    "MEAN": _reduction("reduce_mean"),
    "SUM": _reduction("reduce_sum"),
    "REDUCE_MAX": _reduction("reduce_max"),
    "REDUCE_MIN": _reduction("reduce_min"),
    "REDUCE_PROD": _reduction("reduce_prod"),
    "ARG_MAX": _extreme("arg_max"),
    "ARG_MIN": _extreme("arg_min"),
    "RESIZE_BILINEAR": _resize("linear"),
    "RESIZE_NEAREST_NEIGHBOR": _resize("nearest"),
}
