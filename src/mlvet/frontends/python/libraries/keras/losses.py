"""Losses: the functions, one number per example, and the classes, which reduce them to one."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from mlvet.domains import dtypes
from mlvet.domains.tensors import Tensor as Known
from mlvet.frontends.keras.stored import snake_case
from mlvet.frontends.python.active import machine
from mlvet.frontends.python.arrays.arithmetic import cast
from mlvet.frontends.python.arrays.reductions import reduced
from mlvet.frontends.python.emission import emit, opaque
from mlvet.frontends.python.libraries.binding import ArrayLike, Tensor
from mlvet.frontends.python.libraries.keras.agreement import fits, same_rank
from mlvet.frontends.python.libraries.keras.cross_entropy import binary_entropy, categorical_entropy, sparse_entropy
from mlvet.frontends.python.libraries.keras.held import held
from mlvet.frontends.python.libraries.keras.layer import inside
from mlvet.frontends.python.libraries.keras.settings import floats
from mlvet.frontends.python.libraries.keras.tensor import KerasTensor, array, combined, floating
from mlvet.frontends.python.libraries.registry import MODELS, model
from mlvet.frontends.python.values.containers import DictValue, ListValue
from mlvet.frontends.python.values.objects import Object
from mlvet.frontends.python.values.tensors import TensorValue, dtype_of, rank_of
from mlvet.frontends.python.values.unknown import Unknown


def register(function: Any, *names: str) -> Any:
    """Register a loss under its names, which are names of metrics too but for a few."""
    for name in names:
        model(f"keras.losses.{name}")(function)
        if name not in ("cosine_similarity", "ctc", "dice", "tversky"):
            model(f"keras.metrics.{name}")(function)
    return function


def pair(y_true: Any, y_pred: Any) -> tuple[Any, Any]:
    """Labels and predictions as floats of one rank."""
    predicted = floating(array(y_pred))
    return same_rank(cast(array(y_true), dtype_of(predicted)), predicted)


def last_mean(x: Any) -> Any:
    return reduced("reduce_mean", x, (-1,)) if rank_of(x) != 0 else x


def mean_squared_error(y_true: ArrayLike, y_pred: ArrayLike) -> Tensor:
    true, predicted = pair(y_true, y_pred)
    difference = combined("sub", true, predicted)
    return last_mean(combined("mul", difference, difference))


def mean_absolute_error(y_true: ArrayLike, y_pred: ArrayLike) -> Tensor:
    true, predicted = pair(y_true, y_pred)
    return last_mean(abs(combined("sub", true, predicted)))


def mean_absolute_percentage_error(y_true: ArrayLike, y_pred: ArrayLike) -> Tensor:
    true, predicted = pair(y_true, y_pred)
    share = combined("div", combined("sub", true, predicted), combined("max", abs(true), 1e-7))
    return last_mean(abs(share)) * 100.0


def mean_squared_logarithmic_error(y_true: ArrayLike, y_pred: ArrayLike) -> Tensor:
    true, predicted = (emit("log", combined("max", each, 1e-7) + 1.0) for each in pair(y_true, y_pred))
    difference = combined("sub", true, predicted)
    return last_mean(combined("mul", difference, difference))


def log_cosh(y_true: ArrayLike, y_pred: ArrayLike) -> Tensor:
    true, predicted = pair(y_true, y_pred)
    difference = combined("sub", predicted, true)
    return last_mean(difference + emit("softplus", difference * -2.0) - math.log(2.0))


def huber(y_true: ArrayLike, y_pred: ArrayLike, delta: Any = 1.0) -> Tensor:
    true, predicted = pair(y_true, y_pred)
    figure = float(delta) if isinstance(delta, int | float) else 1.0
    return last_mean(emit("huber_loss", predicted, true, reduction="none", delta=figure))


def poisson(y_true: ArrayLike, y_pred: ArrayLike) -> Tensor:
    true, predicted = pair(y_true, y_pred)
    return last_mean(combined("sub", predicted, combined("mul", true, emit("log", predicted + 1e-7))))


def kl_divergence(y_true: ArrayLike, y_pred: ArrayLike) -> Tensor:
    true, predicted = pair(y_true, y_pred)
    true, predicted = (
        emit("clip", each, 1e-7, 1.0) if dtype_of(each) is dtypes.f32 else each for each in (true, predicted)
    )
    share = combined("mul", true, emit("log", combined("div", true, predicted)))
    return reduced("reduce_sum", share, (-1,))


def hinge(y_true: ArrayLike, y_pred: ArrayLike) -> Tensor:
    true, predicted = pair(y_true, y_pred)
    return last_mean(combined("max", 1.0 - combined("mul", true, predicted), 0.0))


def squared_hinge(y_true: ArrayLike, y_pred: ArrayLike) -> Tensor:
    true, predicted = pair(y_true, y_pred)
    low = combined("max", 1.0 - combined("mul", true, predicted), 0.0)
    return last_mean(low * low)


def categorical_hinge(y_true: ArrayLike, y_pred: ArrayLike) -> Tensor:
    true, predicted = pair(y_true, y_pred)
    best = reduced("reduce_sum", combined("mul", true, predicted), (-1,))
    other = reduced("reduce_max", combined("mul", 1.0 - true, predicted), (-1,))
    return combined("max", other - best + 1.0, 0.0)


def cosine_similarity(y_true: ArrayLike, y_pred: ArrayLike, axis: Any = -1) -> Tensor:
    true, predicted = pair(y_true, y_pred)
    place = axis if isinstance(axis, int) else -1
    true, predicted = (emit("lp_normalization", each, axis=place, p=2) for each in (true, predicted))
    return -reduced("reduce_sum", combined("mul", true, predicted), (place,))


def binary_crossentropy(
    y_true: ArrayLike, y_pred: ArrayLike, from_logits: bool = False, label_smoothing: Any = 0.0, axis: Any = -1
) -> Tensor:
    del label_smoothing
    predicted = floating(array(y_pred))
    return reduced(
        "reduce_mean", binary_entropy(cast(array(y_true), dtype_of(predicted)), predicted, from_logits), axis
    )


def binary_focal_crossentropy(
    y_true: ArrayLike, y_pred: ArrayLike, apply_class_balancing: bool = False, alpha: Any = 0.25, gamma: Any = 2.0,
    from_logits: bool = False, label_smoothing: Any = 0.0, axis: Any = -1,
) -> Tensor:  # fmt: skip
    del apply_class_balancing, alpha, gamma, label_smoothing
    return binary_crossentropy(y_true, y_pred, from_logits, 0.0, axis)


def categorical_crossentropy(
    y_true: ArrayLike, y_pred: ArrayLike, from_logits: bool = False, label_smoothing: Any = 0.0, axis: Any = -1
) -> Tensor:
    del label_smoothing
    predicted = floating(array(y_pred))
    return categorical_entropy(cast(array(y_true), dtype_of(predicted)), predicted, from_logits, axis)


def categorical_focal_crossentropy(
    y_true: ArrayLike, y_pred: ArrayLike, alpha: Any = 0.25, gamma: Any = 2.0, from_logits: bool = False,
    label_smoothing: Any = 0.0, axis: Any = -1,
) -> Tensor:  # fmt: skip
    del alpha, gamma, label_smoothing
    return categorical_crossentropy(y_true, y_pred, from_logits, 0.0, axis)


def sparse_categorical_crossentropy(
    y_true: ArrayLike, y_pred: ArrayLike, from_logits: bool = False, ignore_class: Any = None, axis: Any = -1
) -> Tensor:
    del ignore_class
    return sparse_entropy(array(y_true), floating(array(y_pred)), from_logits, axis)


def ctc(y_true: ArrayLike, y_pred: ArrayLike) -> Tensor:
    predicted = array(y_pred)
    return opaque(
        "losses.ctc", [array(y_true), predicted], Known(floats(), (predicted.graph_value.declared.dim(0),)), KerasTensor
    )


def dice(y_true: ArrayLike, y_pred: ArrayLike, axis: Any = None) -> Tensor:
    true, predicted = pair(y_true, y_pred)
    axes = axis if isinstance(axis, int | tuple) else None
    common = reduced("reduce_sum", combined("mul", true, predicted), axes)
    total = reduced("reduce_sum", true, axes) + reduced("reduce_sum", predicted, axes)
    return 1.0 - combined("div", common * 2.0, total + 1e-7)


def tversky(y_true: ArrayLike, y_pred: ArrayLike, alpha: Any = 0.5, beta: Any = 0.5, axis: Any = None) -> Tensor:
    del alpha, beta
    return dice(y_true, y_pred, axis)


register(mean_squared_error, "mean_squared_error", "mse", "MSE")
register(mean_absolute_error, "mean_absolute_error", "mae", "MAE")
register(mean_absolute_percentage_error, "mean_absolute_percentage_error", "mape", "MAPE")
register(mean_squared_logarithmic_error, "mean_squared_logarithmic_error", "msle", "MSLE")
register(log_cosh, "log_cosh", "logcosh")
register(kl_divergence, "kl_divergence", "kullback_leibler_divergence", "kld", "KLD")
for _function in (
    huber, poisson, hinge, squared_hinge, categorical_hinge, cosine_similarity, binary_crossentropy,
    binary_focal_crossentropy, categorical_crossentropy, categorical_focal_crossentropy,
    sparse_categorical_crossentropy, ctc, dice, tversky,
):  # fmt: skip
    register(_function, _function.__name__)


@model("keras.losses.Loss", "keras.Loss")
class Loss(Object):
    """A loss as an object. `call` of the program's own yields one number per example."""

    def __init__(
        self, name: Any = None, reduction: Any = "sum_over_batch_size", dtype: Any = None, **kwargs: Any
    ) -> None:
        del dtype, kwargs
        self.name = name if isinstance(name, str) else snake_case(self.kind.name if self.kind else type(self).__name__)
        self.reduction = reduction

    def __call__(self, y_true: Any, y_pred: Any, sample_weight: Any = None) -> Any:
        losses = machine().send(self, "call", _tensors(y_true), _tensors(y_pred))
        if not isinstance(losses, TensorValue):
            return losses
        if sample_weight is not None and not isinstance(sample_weight, Unknown):
            weight = cast(array(sample_weight), dtype_of(losses))
            losses = combined("mul", *same_rank(losses, weight))
        return self._reduced(losses)

    def call(self, y_true: Any, y_pred: Any) -> Any:
        raise NotImplementedError

    def _reduced(self, losses: Any) -> Any:
        wanted = held(self).get("reduction", "sum_over_batch_size")
        if wanted is None or wanted == "none":
            return losses
        return reduced("reduce_sum" if wanted == "sum" else "reduce_mean", losses, None)

    def get_config(self) -> Any:
        return {"name": held(self).get("name"), "reduction": held(self).get("reduction")}

    @classmethod
    def from_config(cls, config: Any) -> Any:
        known = config.cells if isinstance(config, DictValue) else {}
        return cls(**{str(key): value for key, value in known.items()})


class Wrapped(Loss):
    """A loss that is one of the functions with some of its arguments settled."""

    def call(self, y_true: Any, y_pred: Any) -> Any:
        true, predicted = array(y_true), array(y_pred)
        function = held(self)["@function"]
        if function is not sparse_categorical_crossentropy:
            true, predicted = same_rank(true, predicted)
        before = len(machine().events)
        result = function(true, predicted, **held(self)["@settled"])
        if held(self)["@unsure"]:
            del machine().events[before:]
        return result


def _wrapped(name: str, function: Callable[..., Any], *settled: tuple[str, Any]) -> None:
    """Register the class of a loss function; `settled` are its own arguments with their defaults."""
    import inspect

    def __init__(self: Any, *args: Any, **kwargs: Any) -> None:  # noqa: N807
        bound = signature.bind(*args, **kwargs)
        bound.apply_defaults()
        given = dict(bound.arguments)
        rest = {key: given.pop(key) for key in ("reduction", "name", "dtype")}
        Loss.__init__(self, **{key: value for key, value in rest.items() if value is not None or key == "reduction"})
        if rest["name"] is None:
            self.name = snake_case(name)
        self.cells["@function"] = function
        self.cells["@unsure"] = not isinstance(given.get("from_logits", False), bool)
        self.cells["@settled"] = {key: _plain(value, defaults[key]) for key, value in given.items()}

    defaults = dict(settled)
    names = [*settled, ("reduction", "sum_over_batch_size"), ("name", None), ("dtype", None)]
    signature = inspect.Signature(
        [inspect.Parameter(key, inspect.Parameter.POSITIONAL_OR_KEYWORD, default=value) for key, value in names]
    )
    first = inspect.Parameter("self", inspect.Parameter.POSITIONAL_OR_KEYWORD)
    __init__.__signature__ = inspect.Signature([first, *signature.parameters.values()])  # type: ignore[attr-defined]
    made = type(name, (Wrapped,), {"__init__": __init__, "__slots__": (), "__module__": __name__})
    model(f"keras.losses.{name}")(made)


def _plain(value: Any, default: Any) -> Any:
    """An option as the functions want it: what is not known is the default."""
    return default if isinstance(value, Unknown) else value


_FOCAL = (("alpha", 0.25), ("gamma", 2.0), ("from_logits", False), ("label_smoothing", 0.0), ("axis", -1))
_SMOOTH = (("from_logits", False), ("label_smoothing", 0.0), ("axis", -1))
for _name, _function, *_settled in (
    ("MeanSquaredError", mean_squared_error), ("MeanAbsoluteError", mean_absolute_error),
    ("MeanAbsolutePercentageError", mean_absolute_percentage_error),
    ("MeanSquaredLogarithmicError", mean_squared_logarithmic_error),
    ("CosineSimilarity", cosine_similarity, ("axis", -1)),
    ("Huber", huber, ("delta", 1.0)), ("LogCosh", log_cosh), ("Hinge", hinge), ("SquaredHinge", squared_hinge),
    ("CategoricalHinge", categorical_hinge), ("KLDivergence", kl_divergence), ("Poisson", poisson),
    ("BinaryCrossentropy", binary_crossentropy, *_SMOOTH),
    ("BinaryFocalCrossentropy", binary_focal_crossentropy, ("apply_class_balancing", False), *_FOCAL),
    ("CategoricalCrossentropy", categorical_crossentropy, *_SMOOTH),
    ("CategoricalFocalCrossentropy", categorical_focal_crossentropy, *_FOCAL),
    ("SparseCategoricalCrossentropy", sparse_categorical_crossentropy, ("from_logits", False), ("ignore_class", None),
     ("axis", -1)),
    ("CTC", ctc), ("Dice", dice, ("axis", None)),
    ("Tversky", tversky, ("alpha", 0.5), ("beta", 0.5), ("axis", None)),
):  # fmt: skip
    _wrapped(str(_name), _function, *_settled)


@model("keras.losses.get", "keras.losses.deserialize")
def get(identifier: Any) -> Any:
    if isinstance(identifier, str):
        found = MODELS.get(f"keras.losses.{identifier}")
        return found() if isinstance(found, type) else found
    return identifier


class Reduction(Object):
    """How losses are reduced, as Keras 2 names it."""


for _key, _text in (
    ("AUTO", "sum_over_batch_size"),
    ("NONE", "none"),
    ("SUM", "sum"),
    ("SUM_OVER_BATCH_SIZE", "sum_over_batch_size"),
):
    model(f"keras.losses.Reduction.{_key}")(_text)


def scalar_loss() -> Any:
    """A loss of which nothing is known but that it is one number."""
    return opaque("loss", [], Known(floats(), ()), KerasTensor)


def loss_of(spec: Any, y: Any, y_pred: Any) -> Any:
    """The loss of `compile` on labels and predictions: one, one per output in order, or one per name."""
    if isinstance(spec, DictValue):
        parts = [(each, _part(y, name), _part(y_pred, name)) for name, each in spec.cells.items()]
    elif isinstance(spec, ListValue) and isinstance(spec.items, tuple):
        labels, outputs = ([*_listed(side)] for side in (y, y_pred))
        parts = list(zip(spec.items, labels, outputs, strict=False))
    elif isinstance(y_pred, TensorValue) or (
        isinstance(y_pred, Unknown) or not isinstance(y_pred, ListValue | tuple | DictValue)
    ):
        parts = [(spec, y, y_pred)]
    else:
        labels, outputs = ([*_listed(side)] for side in (y, y_pred))
        parts = [(spec, label, output) for label, output in zip(labels, outputs, strict=False)]
    total = None
    for each, label, output in parts:
        if each is None or label is None or not isinstance(output, TensorValue):
            continue
        loss, sides = get(each), (label if isinstance(label, TensorValue) else array(label), output)
        found = machine().call(loss, *(sides if isinstance(loss, Loss) else same_rank(*sides)))
        if isinstance(found, TensorValue):
            one = reduced("reduce_mean", found, None) if rank_of(found) != 0 else found
            total = one if total is None else combined("add", total, one)
    return total if total is not None else scalar_loss()


def _part(value: Any, name: Any) -> Any:
    return value.cells.get(name) if isinstance(value, DictValue) else value if isinstance(value, TensorValue) else None


def _listed(value: Any) -> list[Any]:
    return list(inside(value))


def _tensors(value: Any) -> Any:
    if isinstance(value, DictValue | tuple) or (
        isinstance(value, ListValue) and any(isinstance(e, TensorValue) for e in inside(value))
    ):
        return value
    return array(value)


__all__ = ["Loss", "fits", "get", "loss_of", "scalar_loss"]
