"""Pooling over windows and over all of space."""

from __future__ import annotations

from typing import Any

from mlvet.domains.dims import Dim
from mlvet.domains.tensors import Tensor as Known
from mlvet.frontends.python.emission import emit, opaque
from mlvet.frontends.python.libraries.binding import ArrayLike, Tensor
from mlvet.frontends.python.libraries.keras.held import held
from mlvet.frontends.python.libraries.keras.layers.convolution import Spatial, layout, several, spatial
from mlvet.frontends.python.libraries.keras.settings import image_data_format
from mlvet.frontends.python.libraries.limits import one_of, positive
from mlvet.frontends.python.libraries.registry import model
from mlvet.frontends.python.values.tensors import dims_of, dtype_of


class Pooling(Spatial):
    """The greatest element or the mean of each window."""

    OP = "max_pool"

    def __init__(
        self, pool_size: Any = 2, strides: Any = None, padding: str = "valid", data_format: Any = None,
        name: Any = None, **kwargs: Any,
    ) -> None:  # fmt: skip
        super().__init__(name=name, **kwargs)
        self.pool_size = several(pool_size, self.SPACE, "pool_size")
        self.strides = self.pool_size if strides is None else several(strides, self.SPACE, "strides")
        self.padding = padding.lower()
        positive("pool_size", *self.pool_size)
        positive("strides", *self.strides)
        self.data_format = data_format if isinstance(data_format, str) else image_data_format()
        self.built = True

    def call(self, inputs: ArrayLike) -> Tensor:
        cells = held(self)
        one_of("padding", cells["padding"], ("valid", "same"))
        x = spatial(inputs, self.SPACE, self._format)
        return emit(
            self.OP, x, kernel_shape=cells["pool_size"], strides=cells["strides"],
            auto_pad="SAME_UPPER" if cells["padding"] == "same" else "VALID",
            data_format=layout(self._format, self.SPACE),
        )  # fmt: skip


class GlobalPooling(Spatial):
    """The greatest element or the mean of all of space."""

    OP = "global_max_pool"

    def __init__(self, data_format: Any = None, keepdims: bool = False, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.data_format = data_format if isinstance(data_format, str) else image_data_format()
        self.keepdims = keepdims
        self.supports_masking = False
        self.built = True

    def call(self, inputs: ArrayLike, mask: Any = None) -> Tensor:
        x = spatial(inputs, self.SPACE, self._format)
        pooled = emit(self.OP, x, data_format=layout(self._format, self.SPACE))
        if held(self)["keepdims"]:
            return pooled
        first = 2 if self._format == "channels_first" else 1
        return emit("squeeze", pooled, tuple(range(first, first + self.SPACE)))


class AdaptivePooling(Spatial):
    """Windows that divide space into a given number of places."""

    OP = "adaptive_max_pool"

    def __init__(self, output_size: Any, data_format: Any = None, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.output_size = several(output_size, self.SPACE, "output_size")
        self.data_format = data_format if isinstance(data_format, str) else image_data_format()
        self.built = True

    def call(self, inputs: ArrayLike) -> Tensor:
        x = spatial(inputs, self.SPACE, self._format)
        dims = dims_of(x) or ()
        sizes: tuple[Dim, ...] = held(self)["output_size"]
        made = (*dims[:2], *sizes) if self._format == "channels_first" else (dims[0], *sizes, dims[-1])
        return opaque(self.OP, [x], Known(dtype_of(x), made), type(x))


def _register(base: type[Spatial], kind: str, op: str, space: int, *names: str) -> None:
    made = type(f"{kind}{space}D", (base,), {"SPACE": space, "OP": op, "__slots__": (), "__module__": __name__})
    model(*(f"keras.layers.{name}{space}D" for name in (kind, *names)))(made)


for _space in (1, 2, 3):
    for _name, _op in (("Max", "max_pool"), ("Average", "average_pool")):
        _short = {"Max": "MaxPool", "Average": "AvgPool"}[_name]
        _register(Pooling, f"{_name}Pooling", _op, _space, _short)
        _register(GlobalPooling, f"Global{_name}Pooling", f"global_{_op}", _space, f"Global{_short}")
        _register(AdaptivePooling, f"Adaptive{_name}Pooling", f"adaptive_{_op}", _space)
