"""keras.random, and the seeds it takes."""

from __future__ import annotations

from typing import Any

from mlvet.domains import dtypes
from mlvet.domains.dtypes import DType
from mlvet.domains.tensors import Tensor as Known
from mlvet.frontends.python.arrays.creation import drawn
from mlvet.frontends.python.emission import emit, opaque
from mlvet.frontends.python.libraries.binding import ArrayLike, Tensor, as_size
from mlvet.frontends.python.libraries.keras.activations import alike
from mlvet.frontends.python.libraries.keras.layers.normalization import small
from mlvet.frontends.python.libraries.keras.ops.axes import ranked_dims
from mlvet.frontends.python.libraries.keras.ops.shaping import sizes
from mlvet.frontends.python.libraries.keras.settings import floats
from mlvet.frontends.python.libraries.keras.tensor import KerasTensor, array
from mlvet.frontends.python.libraries.registry import model
from mlvet.frontends.python.values.objects import Object


@model("keras.random.SeedGenerator")
class SeedGenerator(Object):
    def __init__(self, seed: Any = None, name: Any = None, **kwargs: Any) -> None:
        self.seed = seed

    def next(self, ordered: Any = True) -> Tensor:
        return opaque("random.seed", [], Known(dtypes.i64, (2,)), KerasTensor)


def _figures(**figures: Any) -> dict[str, float]:
    """Those numbers of a distribution that are known."""
    return {name: float(value) for name, value in figures.items() if isinstance(value, int | float)}


@model("keras.random.normal", "keras.backend.random_normal")
def normal(shape: Any, mean: Any = 0.0, stddev: Any = 1.0, dtype: DType | None = None, seed: Any = None) -> Tensor:
    return drawn("random_normal", sizes(shape), dtype or floats(), KerasTensor, **_figures(mean=mean, scale=stddev))


@model("keras.random.truncated_normal")
def truncated_normal(
    shape: Any, mean: Any = 0.0, stddev: Any = 1.0, dtype: DType | None = None, seed: Any = None
) -> Tensor:
    return opaque("random.truncated_normal", [], Known(dtype or floats(), sizes(shape)), KerasTensor)


@model("keras.random.uniform", "keras.backend.random_uniform")
def uniform(shape: Any, minval: Any = 0.0, maxval: Any = 1.0, dtype: DType | None = None, seed: Any = None) -> Tensor:
    wanted = dtype or floats()
    if not wanted.is_float:
        return opaque("random.uniform", [], Known(wanted, sizes(shape)), KerasTensor)
    return drawn("random_uniform", sizes(shape), wanted, KerasTensor, **_figures(low=minval, high=maxval))


@model("keras.random.randint")
def randint(shape: Any, minval: Any, maxval: Any, dtype: DType | None = dtypes.i32, seed: Any = None) -> Tensor:
    return opaque("random.randint", [], Known(dtype or dtypes.i32, sizes(shape)), KerasTensor)


@model("keras.random.beta")
def beta(shape: Any, alpha: Any, beta: Any, dtype: DType | None = None, seed: Any = None) -> Tensor:
    return opaque("random.beta", [], Known(dtype or floats(), sizes(shape)), KerasTensor)


@model("keras.random.gamma")
def gamma(shape: Any, alpha: Any, dtype: DType | None = None, seed: Any = None) -> Tensor:
    return opaque("random.gamma", [], Known(dtype or floats(), sizes(shape)), KerasTensor)


@model("keras.random.binomial")
def binomial(shape: Any, counts: Any, probabilities: Any, dtype: DType | None = None, seed: Any = None) -> Tensor:
    return opaque("random.binomial", [], Known(dtype or floats(), sizes(shape)), KerasTensor)


@model("keras.random.categorical")
def categorical(logits: ArrayLike, num_samples: Any, dtype: DType | None = dtypes.i32, seed: Any = None) -> Tensor:
    made = array(logits)
    dims = ranked_dims(made)
    return opaque("random.categorical", [made], Known(dtype or dtypes.i32, (dims[0], as_size(num_samples))), type(made))


@model("keras.random.shuffle")
def shuffle(x: ArrayLike, axis: Any = 0, seed: Any = None) -> Tensor:
    return alike("random.shuffle", array(x))


@model("keras.random.dropout")
def dropout(inputs: ArrayLike, rate: Any, noise_shape: Any = None, seed: Any = None) -> Tensor:
    return emit("dropout", array(inputs), small(rate, 0.5), True)
