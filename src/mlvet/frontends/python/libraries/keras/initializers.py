"""Initializers: how variables get their first elements."""

from __future__ import annotations

from typing import Any

from mlvet.domains.dtypes import DType
from mlvet.domains.tensors import Tensor as Known
from mlvet.frontends.keras.stored import snake_case
from mlvet.frontends.python.active import machine
from mlvet.frontends.python.arrays.creation import drawn, full
from mlvet.frontends.python.emission import opaque
from mlvet.frontends.python.libraries.binding import Sizes, Tensor
from mlvet.frontends.python.libraries.keras.held import held
from mlvet.frontends.python.libraries.keras.settings import floats
from mlvet.frontends.python.libraries.registry import MODELS, model
from mlvet.frontends.python.values.objects import Object
from mlvet.ir.graph import Initialiser


@model("keras.initializers.Initializer")
class Initializer(Object):
    """A way to make the first elements of a variable; `figures` are its numbers."""

    def __init__(self, **figures: Any) -> None:
        for name, value in figures.items():
            setattr(self, name, value)

    def __call__(self, shape: Sizes, dtype: DType | None = None, **keywords: Any) -> Tensor:
        from mlvet.frontends.python.libraries.keras.tensor import KerasTensor

        del keywords
        return opaque(f"initializers.{type(self).__name__}", [], Known(dtype or floats(), shape), KerasTensor)

    def get_config(self) -> Any:
        return dict(self.cells)

    @classmethod
    def from_config(cls, config: Any) -> Any:
        del config
        return cls()

    def clone(self) -> Any:
        return self


@model("keras.initializers.Zeros", "keras.initializers.zeros")
class Zeros(Initializer):
    def __call__(self, shape: Sizes, dtype: DType | None = None, **keywords: Any) -> Tensor:
        from mlvet.frontends.python.libraries.keras.tensor import KerasTensor

        del keywords
        return full(shape, 0, dtype or floats(), KerasTensor)


@model("keras.initializers.Ones", "keras.initializers.ones")
class Ones(Initializer):
    def __call__(self, shape: Sizes, dtype: DType | None = None, **keywords: Any) -> Tensor:
        from mlvet.frontends.python.libraries.keras.tensor import KerasTensor

        del keywords
        return full(shape, 1, dtype or floats(), KerasTensor)


@model("keras.initializers.Constant", "keras.initializers.constant")
class Constant(Initializer):
    def __init__(self, value: Any = 0.0) -> None:
        super().__init__(value=value)

    def __call__(self, shape: Sizes, dtype: DType | None = None, **keywords: Any) -> Tensor:
        from mlvet.frontends.python.libraries.keras.tensor import KerasTensor

        del keywords
        return full(shape, held(self)["value"], dtype or floats(), KerasTensor)


@model("keras.initializers.RandomNormal", "keras.initializers.random_normal")
class RandomNormal(Initializer):
    def __init__(self, mean: Any = 0.0, stddev: Any = 0.05, seed: Any = None) -> None:
        super().__init__(mean=mean, stddev=stddev, seed=seed)

    def __call__(self, shape: Sizes, dtype: DType | None = None, **keywords: Any) -> Tensor:
        from mlvet.frontends.python.libraries.keras.tensor import KerasTensor

        del keywords
        return drawn("random_normal", shape, dtype or floats(), KerasTensor)


@model("keras.initializers.TruncatedNormal", "keras.initializers.truncated_normal")
class TruncatedNormal(RandomNormal):
    pass


@model("keras.initializers.RandomUniform", "keras.initializers.random_uniform")
class RandomUniform(Initializer):
    def __init__(self, minval: Any = -0.05, maxval: Any = 0.05, seed: Any = None) -> None:
        super().__init__(minval=minval, maxval=maxval, seed=seed)


@model("keras.initializers.VarianceScaling", "keras.initializers.variance_scaling")
class VarianceScaling(Initializer):
    def __init__(
        self, scale: Any = 1.0, mode: Any = "fan_in", distribution: Any = "truncated_normal", seed: Any = None
    ) -> None:
        super().__init__(scale=scale, mode=mode, distribution=distribution, seed=seed)


@model("keras.initializers.Orthogonal", "keras.initializers.orthogonal", "keras.initializers.OrthogonalInitializer")
class Orthogonal(Initializer):
    def __init__(self, gain: Any = 1.0, seed: Any = None) -> None:
        super().__init__(gain=gain, seed=seed)


@model("keras.initializers.Identity", "keras.initializers.identity", "keras.initializers.IdentityInitializer")
class Identity(Initializer):
    def __init__(self, gain: Any = 1.0) -> None:
        super().__init__(gain=gain)


@model("keras.initializers.STFT", "keras.initializers.STFTInitializer")
class STFT(Initializer):
    def __init__(
        self, side: Any = "real", window: Any = "hann", scaling: Any = "density", periodic: Any = False
    ) -> None:
        super().__init__(side=side, window=window, scaling=scaling, periodic=periodic)


class Seeded(Initializer):
    """Those of Glorot, He and LeCun, whose figures follow from the sizes."""

    def __init__(self, seed: Any = None) -> None:
        super().__init__(seed=seed)


for _name in ("GlorotUniform", "GlorotNormal", "HeUniform", "HeNormal", "LecunUniform", "LecunNormal"):
    _made = type(_name, (Seeded,), {"__slots__": (), "__module__": __name__})
    model(f"keras.initializers.{_name}", f"keras.initializers.{snake_case(_name)}")(_made)


@model("keras.initializers.get", "keras.initializers.deserialize")
def get(identifier: Any) -> Any:
    """The initializer that a name means; anything else is one already."""
    if isinstance(identifier, str):
        found = MODELS.get(f"keras.initializers.{identifier}")
        return found() if isinstance(found, type) else Initializer(name=identifier)
    return identifier


@model("keras.initializers.serialize")
def serialize(initializer: Any) -> Any:
    return {"class_name": type(initializer).__name__, "config": {}}


def initialiser_of(given: Any) -> Initialiser | None:
    """What the graph says of it."""
    if isinstance(given, str):
        return Initialiser(snake_case(given))
    if isinstance(given, type) and issubclass(given, Initializer):
        return Initialiser(snake_case(given.__name__))
    if not isinstance(given, Initializer):
        return None
    cells = given.cells
    figures = tuple(
        (name, float(value))
        for name, value in cells.items()
        if name != "seed" and isinstance(value, int | float) and not isinstance(value, bool)
    )
    words = [str(cells[key]) for key in ("mode", "distribution") if isinstance(cells.get(key), str)]
    return Initialiser("_".join([snake_case(type(given).__name__), *words]), figures)


def sampled(given: Any, sizes: tuple[Any, ...], dtype: Any) -> None:
    """Run an initializer of the program, whose errors are its own."""
    if isinstance(given, Initializer) and given.kind is not None:
        machine().send(given, "__call__", sizes, dtype=dtype)
