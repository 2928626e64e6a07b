"""Windows that slide over the spatial dims: layouts, output sizes, padding, and the windows of an array as a view."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mlvet.domains.dims import Dim, ceil_div, floor_div, maximum, minimum
from mlvet.domains.tensors import Dims, Tensor
from mlvet.ops.require import Require

TOO_LARGE = "kernel-larger-than-input"


@dataclass(frozen=True, slots=True)
class Layout:
    """Where the two special dims of a layout lie (batch and channels, or output and input channels), and space."""

    first: int
    second: int
    space: tuple[int, ...]

    @property
    def order(self) -> tuple[int, ...]:
        """The permutation that brings the two special dims to the front."""
        return (self.first, self.second, *self.space)

    def dims(self, tensor: Tensor) -> tuple[Dim, Dim, Dims]:
        """The two special dims and those of space."""
        return tensor.dims[self.first], tensor.dims[self.second], tuple(tensor.dims[axis] for axis in self.space)

    def place(self, first: Dim, second: Dim, space: Sequence[Dim]) -> Dims:
        """The dims of a tensor in this layout."""
        placed: dict[int, Dim] = {self.first: first, self.second: second, **dict(zip(self.space, space, strict=True))}
        return tuple(placed[axis] for axis in sorted(placed))

    def to_front(self, array: NDArray[Any]) -> NDArray[Any]:
        return np.transpose(array, self.order)

    def from_front(self, array: NDArray[Any]) -> NDArray[Any]:
        return np.transpose(array, np.argsort(self.order))


def layout(letters: str, rank: int, first: str = "N", second: str = "C") -> Layout | None:
    """The layout that letters such as NHWC name. The two special letters alone mean that space follows them."""
    if first not in letters or second not in letters or rank < 2:
        return None
    if len(letters) == 2:
        return Layout(letters.index(first), letters.index(second), tuple(range(2, rank)))
    if len(letters) != rank:
        return None
    space = tuple(index for index, letter in enumerate(letters) if letter not in (first, second))
    return Layout(letters.index(first), letters.index(second), space)


def required_layout(
    tensor: Tensor, letters: str, require: Require, first: str = "N", second: str = "C"
) -> Layout | None:
    """The layout of an operand, or None with a record if the operand has another number of dims."""
    found = layout(letters, tensor.rank, first, second)
    require.holds(found is not None, f"{tensor} does not have the layout {letters}", rule="rank-differs")
    return found


@dataclass(frozen=True, slots=True)
class Window:
    """How a window slides along one spatial dim. With `cut` one that does not fit takes what there is."""

    size: Dim
    stride: int = 1
    dilation: int = 1
    before: int = 0
    after: int = 0
    auto_pad: str = "NOTSET"
    ceil_mode: bool = False
    cut: bool = False

    @property
    def extent(self) -> Dim:
        """How many elements the window reaches over."""
        return (self.size - 1) * self.dilation + 1

    @property
    def same(self) -> bool:
        return self.auto_pad in ("SAME_UPPER", "SAME_LOWER")

    @property
    def padding(self) -> int:
        return self.before + self.after if self.auto_pad == "NOTSET" else 0

    def steps(self, length: Dim, require: Require) -> Dim:
        """How many places the window takes; it must fit into the padded input at least once, unless it is cut."""
        if self.same:
            return ceil_div(length, self.stride)
        padded = length + self.padding
        lacking = self.extent - padded
        cut = self.cut and isinstance(lacking, int) and lacking > 0
        slack = 2 * self.stride - 1 if cut else self.stride - 1 if self.ceil_mode else 0
        require.at_least(
            padded + slack,
            self.extent,
            because="the window fits into the padded input",
            rule=TOO_LARGE,
        )
        if cut:
            return maximum(1 - floor_div(lacking, self.stride), 0)
        if not self.ceil_mode:
            return floor_div(padded - self.extent, self.stride) + 1
        steps = ceil_div(padded - self.extent, self.stride) + 1
        after = self.after if self.auto_pad == "NOTSET" else 0
        if isinstance(self.extent, int) and after + self.stride <= self.extent:
            return steps
        return minimum(steps, ceil_div(length + self.padding - after, self.stride))

    def pads(self, length: int) -> tuple[int, int]:
        """The padding before and after an input of known length."""
        if self.auto_pad == "NOTSET":
            return self.before, self.after
        if not self.same:
            return 0, 0
        assert isinstance(self.extent, int)
        steps = -(-length // self.stride)
        total = max((steps - 1) * self.stride + self.extent - length, 0)
        less = total // 2
        return (less, total - less) if self.auto_pad == "SAME_UPPER" else (total - less, less)


def windows(
    sizes: Sequence[Dim],
    require: Require,
    *,
    strides: Sequence[int] | None = None,
    pads: Sequence[int] | None = None,
    dilations: Sequence[int] | None = None,
    auto_pad: str = "NOTSET",
    ceil_mode: bool = False,
    cut: bool = False,
) -> list[Window] | None:
    """One window per spatial dim. Options that are left out are 1 for strides and dilations and 0 for pads."""
    count = len(sizes)
    strides, dilations = strides or (1,) * count, dilations or (1,) * count
    pads = pads or (0,) * (2 * count)
    lengths = {"strides": (len(strides), count), "dilations": (len(dilations), count), "pads": (len(pads), 2 * count)}
    fits = [
        require.holds(found == wanted, f"{found} {name} are given for {count} spatial dims, which need {wanted}")
        for name, (found, wanted) in lengths.items()
    ]
    positive = require.holds(min((*strides, *dilations), default=1) > 0, "strides and dilations must be positive")
    if not (all(fits) and positive):
        return None
    return [
        Window(size, stride, dilation, before, after, auto_pad or "NOTSET", bool(ceil_mode), cut)
        for size, stride, dilation, before, after in zip(
            sizes, strides, dilations, pads[:count], pads[count:], strict=True
        )
    ]


def pad(x: NDArray[Any], pads: Sequence[tuple[int, int]], fill: Any) -> NDArray[Any]:
    """The array with its last dims padded, or cropped where a pad is negative."""
    lead = x.ndim - len(pads)
    crop = [
        slice(max(-before, 0), length - max(-after, 0))
        for length, (before, after) in zip(x.shape[lead:], pads, strict=True)
    ]
    part: Any = (..., *crop)
    x = x[part]
    width = [(0, 0)] * lead + [(max(before, 0), max(after, 0)) for before, after in pads]
    return np.pad(x, width, constant_values=fill)


def view(x: NDArray[Any], sliding: Sequence[Window], steps: Sequence[int]) -> NDArray[Any]:
    """The windows of the last dims of a padded array as further dims: [..., *steps, *sizes], without copying."""
    lead = x.ndim - len(sliding)
    sizes = [int(window.size) for window in sliding if isinstance(window.size, int)]
    strides = x.strides[lead:]
    outer = [stride * window.stride for stride, window in zip(strides, sliding, strict=True)]
    inner = [stride * window.dilation for stride, window in zip(strides, sliding, strict=True)]
    shape = (*x.shape[:lead], *steps, *sizes)
    if 0 in shape:
        return np.zeros(shape, dtype=x.dtype)
    return np.lib.stride_tricks.as_strided(x, shape, (*x.strides[:lead], *outer, *inner), writeable=False)
