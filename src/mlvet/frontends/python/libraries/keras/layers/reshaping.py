"""Layers that move, repeat, cut or pad elements."""

from __future__ import annotations

from typing import Any

from mlvet.domains.dims import Dim, product
from mlvet.domains.tensors import Tensor as Known
from mlvet.frontends.python.arrays.shaping import reshape, transpose
from mlvet.frontends.python.emission import demand, emit, opaque
from mlvet.frontends.python.libraries.binding import ArrayLike, Size, Tensor, as_items, as_size
from mlvet.frontends.python.libraries.keras.held import held
from mlvet.frontends.python.libraries.keras.layer import Layer, label
from mlvet.frontends.python.libraries.keras.layers.convolution import Spatial, several, spatial
from mlvet.frontends.python.libraries.keras.settings import image_data_format
from mlvet.frontends.python.libraries.registry import model
from mlvet.frontends.python.values.tensors import dims_of, dtype_of, rank_of, tensor_of
from mlvet.frontends.python.values.unknown import Reason, Undecided


@model("keras.layers.Flatten")
class Flatten(Layer):
    def __init__(self, data_format: Any = None, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.data_format = data_format if isinstance(data_format, str) else image_data_format()
        self.built = True

    def call(self, inputs: ArrayLike) -> Tensor:
        rank = rank_of(inputs)
        if rank is not None and rank > 2 and held(self)["data_format"] == "channels_first":
            inputs = transpose(inputs, (0, *range(2, rank), 1))
        return emit("flatten", inputs, axis=1) if rank != 1 else reshape(inputs, (-1, 1))


@model("keras.layers.Reshape")
class Reshape(Layer):
    def __init__(self, target_shape: Any, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        items = (target_shape,) if isinstance(target_shape, int) else as_items(target_shape)
        self.target_shape = tuple(-1 if each is None else as_size(each) for each in items)
        self.built = True

    def call(self, inputs: ArrayLike) -> Tensor:
        dims = dims_of(inputs)
        sizes = held(self)["target_shape"]
        if dims is None:
            return emit("reshape", inputs, (0, *sizes)) if 0 not in sizes else reshape(inputs, (-1, *sizes))
        return reshape(inputs, resolved(dims[0], dims[1:], sizes))


def resolved(batch: Dim, rest: tuple[Dim, ...], sizes: tuple[Dim, ...]) -> tuple[Dim, ...]:
    """The sizes of a reshape that leaves the batch alone, -1 made what it must be where that can be told."""
    if sum(1 for size in sizes if size == -1) != 1:
        return (batch, *sizes)
    known = product(size for size in sizes if size != -1)
    total = product(rest)
    if isinstance(known, int) and isinstance(total, int) and known > 0 and total % known == 0:
        return (batch, *(total // known if size == -1 else size for size in sizes))
    return (batch, *sizes)


@model("keras.layers.Permute")
class Permute(Layer):
    def __init__(self, dims: Any, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.dims = as_items(dims)
        self.built = True

    def call(self, inputs: ArrayLike) -> Tensor:
        return emit("transpose", inputs, perm=(0, *held(self)["dims"]))


@model("keras.layers.RepeatVector")
class RepeatVector(Layer):
    def __init__(self, n: Size, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.n = n
        self.built = True

    def call(self, inputs: ArrayLike) -> Tensor:
        rank = rank_of(inputs)
        demand(rank in (None, 2), f"`{label(self)}` needs 2 dims but gets {tensor_of(inputs)}", "rank-differs")
        return emit("tile", emit("unsqueeze", inputs, (1,)), (1, held(self)["n"], 1))


def pairs(value: Any, space: int, name: str) -> list[tuple[int, int]]:
    """What to take or give before and after, per dim of space: one number, one each, or two each."""
    if isinstance(value, int):
        return [(value, value)] * space
    items = as_items(value)
    if space == 1 and len(items) == 2:
        items = (items,)
    made = []
    for each in items:
        two = (each, each) if isinstance(each, int) else as_items(each)
        if len(two) != 2 or not all(isinstance(one, int) for one in two):
            raise Undecided(Reason.UNMODELLED_ARGUMENTS, name)
        made.append((two[0], two[1]))
    demand(len(made) == space, f"`{name}` must be of {space} parts, but has {len(made)}")
    return made if len(made) == space else [(0, 0)] * space


class Cropping(Spatial):
    """Space with its edges cut off."""

    def __init__(self, cropping: Any = 1, data_format: Any = None, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.cropping = pairs(cropping, self.SPACE, "cropping")
        self.data_format = data_format if isinstance(data_format, str) else image_data_format()
        self.built = True

    def call(self, inputs: ArrayLike) -> Tensor:
        x = spatial(inputs, self.SPACE, self._format)
        dims = list(dims_of(x) or ())
        first = 2 if self._format == "channels_first" else 1
        starts, ends, axes = [], [], []
        for place, (before, after) in enumerate(held(self)["cropping"]):
            axis = first + place
            size = dims[axis]
            if isinstance(size, int):
                demand(
                    before + after < size, f"`{label(self)}` takes {before} and {after} of {size}", "size-out-of-range"
                )
            starts.append(before)
            ends.append(-after if after else 1 << 62)
            axes.append(axis)
        return emit("slice", x, tuple(starts), tuple(ends), tuple(axes), (1,) * len(axes))


class ZeroPadding(Spatial):
    """Space with zeros around it."""

    def __init__(self, padding: Any = 1, data_format: Any = None, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.padding = pairs(padding, self.SPACE, "padding")
        self.data_format = data_format if isinstance(data_format, str) else image_data_format()
        self.built = True

    def call(self, inputs: ArrayLike) -> Tensor:
        x = spatial(inputs, self.SPACE, self._format)
        given = held(self)["padding"]
        around = [(0, 0), (0, 0), *given] if self._format == "channels_first" else [(0, 0), *given, (0, 0)]
        pads = [before for before, _ in around] + [after for _, after in around]
        return emit("pad", x, tuple(pads), mode="constant")


class UpSampling(Spatial):
    """Every element of space repeated, or space sampled anew."""

    def __init__(self, size: Any = 2, data_format: Any = None, interpolation: Any = "nearest", **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.size = several(size, self.SPACE, "size")
        self.data_format = data_format if isinstance(data_format, str) else image_data_format()
        self.interpolation = interpolation
        self.built = True

    def call(self, inputs: ArrayLike) -> Tensor:
        x = spatial(inputs, self.SPACE, self._format)
        dims = list(dims_of(x) or ())
        first = 2 if self._format == "channels_first" else 1
        axes = tuple(range(first, first + self.SPACE))
        for axis, times in zip(axes, held(self)["size"], strict=True):
            dims[axis] = dims[axis] * times
        return resized(x, [dims[axis] for axis in axes], axes, held(self)["interpolation"])


def resized(x: Any, sizes: list[Dim], axes: tuple[int, ...], mode: Any) -> Any:
    """Space sampled anew to these sizes."""
    ways: dict[Any, dict[str, Any]] = {
        "nearest": {"mode": "nearest", "nearest_mode": "floor", "coordinate_transformation_mode": "half_pixel"},
        "bilinear": {"mode": "linear", "coordinate_transformation_mode": "half_pixel"},
        "bicubic": {"mode": "cubic", "coordinate_transformation_mode": "half_pixel", "cubic_coeff_a": -0.5},
    }
    dims = dims_of(x)
    if mode in ways:
        return emit("resize", x, None, None, tuple(sizes), axes=axes, **ways[mode])
    if dims is None:
        raise Undecided(Reason.UNMODELLED_ARGUMENTS, "a tensor of unknown rank")
    made = list(dims)
    for axis, size in zip(axes, sizes, strict=True):
        made[axis] = size
    return opaque("resize", [x], Known(dtype_of(x), tuple(made)), type(x))


for _space in (1, 2, 3):
    for _name, _base in (("Cropping", Cropping), ("ZeroPadding", ZeroPadding), ("UpSampling", UpSampling)):
        _made = type(f"{_name}{_space}D", (_base,), {"SPACE": _space, "__slots__": (), "__module__": __name__})
        model(f"keras.layers.{_name}{_space}D")(_made)
