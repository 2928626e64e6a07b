"""Operators that move elements: shapes, joins, parts, padding."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from mlvet.frontends.tensorflow.lowering.pointwise import named
from mlvet.frontends.tensorflow.lowering.reduction import axes_operand
from mlvet.frontends.tensorflow.site import Lowering, Site
from mlvet.ir.graph import Value

_END = np.iinfo(np.int64).max


def _transpose(site: Site) -> Sequence[Value] | None:
    perm = site.ints(site.input(1))
    if perm is None:
        return None
    return site.emit("transpose", site.inputs[:1], {"perm": perm})


def _expand_dims(site: Site) -> Sequence[Value] | None:
    if site.number(site.input(1)) is None:
        return None
    return site.emit("unsqueeze", [site.inputs[0], site.constant([site.number(site.inputs[1])], "axes")])


def _squeeze(site: Site) -> Sequence[Value]:
    axes = site.attributes.ints("squeeze_dims") or site.attributes.ints("axis")
    return site.emit("squeeze", [site.inputs[0], site.constant(list(axes), "axes") if axes else None])


def _concat(site: Site) -> Sequence[Value] | None:
    """The axis is the last operand, in the first version of the operator the first."""
    if len(site.inputs) < 2:
        return None
    first = site.step.op == "Concat"
    axis = site.number(site.inputs[0 if first else -1])
    if axis is None:
        return None
    return site.emit("concat", site.inputs[1:] if first else site.inputs[:-1], {"axis": axis})


def _split(site: Site) -> Sequence[Value] | None:
    axis = site.number(site.input(0))
    if axis is None or len(site.inputs) != 2:
        return None
    parts = site.attributes.int("num_split", 1)
    return site.emit("split", [site.inputs[1], None], {"axis": axis, "num_outputs": parts})


def _split_sizes(site: Site) -> Sequence[Value] | None:
    """A size of -1 means what is left, which has to be known."""
    if len(site.inputs) != 3:
        return None
    x, sizes, axis = site.inputs[0], site.ints(site.inputs[1]), site.number(site.inputs[2])
    if axis is None:
        return None
    if sizes is None:
        return None
    if -1 in sizes:
        rank = site.rank(x)
        whole = x.declared.dims[axis] if rank is not None and -rank <= axis < rank else None
        if not isinstance(whole, int) or sizes.count(-1) > 1:
            return None
        left = whole - sum(size for size in sizes if size >= 0)
        sizes = tuple(left if size == -1 else size for size in sizes)
    return site.emit("split", [x, site.constant(list(sizes), "sizes")], {"axis": axis})


def _stack(site: Site) -> Sequence[Value]:
    return site.emit("stack", attributes={"axis": site.attributes.int("axis")})


def _unstack(site: Site) -> Sequence[Value]:
    attributes = {"axis": site.attributes.int("axis"), "num": site.attributes.int("num", len(site.declared))}
    return site.emit("unstack", attributes=attributes)


def _pads(site: Site) -> Value:
    """One row of all widths before, then all after, from a column of each."""
    known = site.array(site.inputs[1])
    if known is not None and known.ndim == 2:
        return site.constant(known.T.reshape(-1).astype(np.int64), "pads")
    turned = site.extra("transpose", site.inputs[1], perm=(1, 0))
    return site.extra("reshape", turned, site.constant([-1], "row"))


def _pad(site: Site) -> Sequence[Value] | None:
    if len(site.inputs) not in (2, 3):
        return None
    value = site.inputs[2] if len(site.inputs) == 3 else None
    return site.emit("pad", [site.inputs[0], _pads(site), value], {"mode": "constant"})


def _mirror_pad(site: Site) -> Sequence[Value] | None:
    mode = site.attributes.text("mode").lower()
    if mode not in ("reflect", "symmetric") or len(site.inputs) != 2:
        return None
    return site.emit("pad", [site.inputs[0], _pads(site)], {"mode": mode})


def _slice(site: Site) -> Sequence[Value] | None:
    """A size of -1 means up to the end."""
    if len(site.inputs) != 3:
        return None
    x, begin, size = site.inputs
    begins, sizes = site.ints(begin), site.ints(size)
    if begins is not None and sizes is not None and len(begins) == len(sizes):
        axes = site.constant(list(range(len(sizes))), "axes")
        ends = [_END if extent < 0 else start + extent for start, extent in zip(begins, sizes, strict=True)]
        return site.emit("slice", [x, site.constant(list(begins), "starts"), site.constant(ends, "ends"), axes])
    return site.emit("slice_sizes")


def _strided_slice(site: Site) -> Sequence[Value]:
    masks = ("begin_mask", "end_mask", "ellipsis_mask", "new_axis_mask", "shrink_axis_mask")
    return site.emit("strided_slice", attributes={mask: site.attributes.int(mask) for mask in masks})


def _flip(site: Site) -> Sequence[Value] | None:
    axes = site.ints(site.input(1))
    return site.emit("flip", site.inputs[:1], {"axes": axes}) if axes is not None else None


def _roll(site: Site) -> Sequence[Value] | None:
    shifts, axes = site.ints(site.input(1)), site.ints(site.input(2))
    if shifts is None or axes is None:
        return None
    return site.emit("roll", site.inputs[:1], {"shifts": shifts, "axes": axes})


def _reverse_sequence(site: Site) -> Sequence[Value]:
    attributes = {"time_axis": site.attributes.int("seq_dim"), "batch_axis": site.attributes.int("batch_dim")}
    return site.emit("reverse_sequence", attributes=attributes)


def _blocks(op: str) -> Lowering:
    def lower(site: Site) -> Sequence[Value] | None:
        data_format = site.attributes.text("data_format", "NHWC")
        if data_format not in ("NHWC", "NCHW"):
            return None
        size = site.attributes.int("block_size")
        return site.emit(op, attributes={"blocksize": size, "data_format": data_format})

    return lower


def _reshape(site: Site) -> Sequence[Value]:
    return site.emit("reshape", [*site.inputs[:1], axes_operand(site, site.input(1))], {"allowzero": True})


TABLE: dict[str, Lowering] = {
    "Reshape": _reshape,
    "Transpose": _transpose,
    "ExpandDims": _expand_dims,
    "Squeeze": _squeeze,
    "Concat": _concat,
    "ConcatV2": _concat,
    "Split": _split,
    "SplitV": _split_sizes,
    "Pack": _stack,
    "Unpack": _unstack,
    "Pad": _pad,
    "PadV2": _pad,
    "MirrorPad": _mirror_pad,
    "Tile": named("tile"),
    "BroadcastTo": named("broadcast_to"),
    "Slice": _slice,
    "StridedSlice": _strided_slice,
    "ReverseV2": _flip,
    "Roll": _roll,
    "ReverseSequence": _reverse_sequence,
    "SpaceToBatchND": named("space_to_batch_nd"),
    "BatchToSpaceND": named("batch_to_space_nd"),
    "SpaceToDepth": _blocks("space_to_depth"),
    "DepthToSpace": _blocks("depth_to_space"),
}
