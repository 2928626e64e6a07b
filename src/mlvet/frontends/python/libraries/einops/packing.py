"""pack and unpack: tensors put together along one dim and taken apart again."""

from __future__ import annotations

from typing import Any

from mlvet.domains.dims import Expr, product
from mlvet.frontends.python.arrays import shaping
from mlvet.frontends.python.libraries.binding import as_items, as_sizes
from mlvet.frontends.python.libraries.einops.rearranging import operands_of, tensor_from
from mlvet.frontends.python.libraries.registry import model
from mlvet.frontends.python.values.raising import Raised
from mlvet.frontends.python.values.tensors import dims_of
from mlvet.frontends.python.values.unknown import Reason, Undecided


def _sides(pattern: Any) -> tuple[int, int]:
    """How many dims stand before and after the star."""
    if not isinstance(pattern, str):
        raise Undecided(Reason.UNMODELLED_ARGUMENTS, "a pattern that is not known")
    axes = pattern.split()
    if axes.count("*") != 1:
        raise Raised(ValueError(f"a pattern has one star: {pattern!r}"))
    return axes.index("*"), len(axes) - axes.index("*") - 1


@model("einops.pack")
def pack(tensors: Any, pattern: Any) -> Any:
    before, after = _sides(pattern)
    parts, shapes = [], []
    for each in operands_of(tensors):
        dims = dims_of(each)
        if dims is None:
            raise Undecided(Reason.UNMODELLED_ARGUMENTS, "a tensor of unknown rank")
        if len(dims) < before + after:
            raise Raised(ValueError(f"{pattern!r} needs {before + after} dims, the tensor has {len(dims)}"))
        end = len(dims) - after
        shapes.append(dims[before:end])
        parts.append(shaping.reshape(each, (*dims[:before], product(dims[before:end]), *dims[end:])))
    return (shaping.joined(parts, before) if len(parts) > 1 else parts[0]), list(shapes)


@model("einops.unpack")
def unpack(tensor: Any, packed_shapes: Any, pattern: Any) -> Any:
    before, after = _sides(pattern)
    x = tensor_from(tensor)
    dims = dims_of(x)
    if dims is None:
        raise Undecided(Reason.UNMODELLED_ARGUMENTS, "a tensor of unknown rank")
    if len(dims) != before + after + 1:
        raise Raised(ValueError(f"{pattern!r} needs {before + after + 1} dims, the tensor has {len(dims)}"))
    shapes = [(each,) if isinstance(each, int | Expr) else as_sizes(each) for each in as_items(packed_shapes)]
    counts = [product(shape) for shape in shapes]
    open_places = [place for place, shape in enumerate(shapes) if -1 in shape]
    if len(open_places) > 1:
        raise Raised(ValueError("only one part may be of unknown size"))
    if open_places:
        rest: Any = dims[before]
        for place, count in enumerate(counts):
            if place != open_places[0]:
                rest = rest - count
        counts[open_places[0]] = rest
    pieces = shaping.split(x, counts, before) if len(counts) > 1 else (x,)
    return [
        shaping.reshape(piece, (*dims[:before], *shape, *dims[before + 1 :]))
        for piece, shape in zip(pieces, shapes, strict=True)
    ]
