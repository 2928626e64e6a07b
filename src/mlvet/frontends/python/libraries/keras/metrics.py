"""Metrics: objects that take labels and predictions, and yield one number."""

from __future__ import annotations

from typing import Any

from mlvet.domains.dtypes import DType
from mlvet.domains.tensors import Tensor as Known
from mlvet.frontends.keras.stored import snake_case
from mlvet.frontends.python.active import machine, store
from mlvet.frontends.python.emission import opaque
from mlvet.frontends.python.libraries.binding import ArrayLike, Size, Tensor, as_size, as_sizes
from mlvet.frontends.python.libraries.keras.agreement import same_rank
from mlvet.frontends.python.libraries.keras.held import held
from mlvet.frontends.python.libraries.keras.initializers import initialiser_of
from mlvet.frontends.python.libraries.keras.settings import floats
from mlvet.frontends.python.libraries.keras.tensor import KerasTensor, array, parameter
from mlvet.frontends.python.libraries.registry import MODELS, model
from mlvet.frontends.python.values.containers import DictValue, ListValue
from mlvet.frontends.python.values.objects import Object
from mlvet.frontends.python.values.tensors import TensorValue, dims_of
from mlvet.frontends.python.values.unknown import Reason, Undecided
from mlvet.ir.program import Act


@model("keras.metrics.Metric", "keras.Metric")
class Metric(Object):
    """A metric; those of the program define `update_state` and `result`."""

    def __init__(self, dtype: Any = None, name: Any = None, **kwargs: Any) -> None:
        del dtype, kwargs
        self.name = name if isinstance(name, str) else snake_case(self.kind.name if self.kind else type(self).__name__)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        machine().send(self, "update_state", *args, **kwargs)
        return machine().send(self, "result")

    def update_state(self, *args: Any, **kwargs: Any) -> Any:
        del args, kwargs
        return None

    def result(self) -> Tensor:
        return number(f"{type(self).__name__}.result")

    def reset_state(self) -> None:
        return None

    reset_states = reset_state

    def merge_state(self, metrics: Any) -> None:
        del metrics

    def add_variable(
        self, shape: Any, initializer: Any, dtype: DType | None = None, aggregation: Any = "sum", name: Any = None
    ) -> Any:
        del aggregation
        sizes = () if shape is None else as_sizes(shape, "n")
        made = parameter(
            f"{held(self).get('name', 'metric')}/{name}", sizes, dtype or floats(), initialiser_of(initializer), False
        )
        store(self.cells, "@weights", (*held(self).get("@weights", ()), made))
        return made

    def add_weight(
        self, shape: Any = (), initializer: Any = None, dtype: DType | None = None, name: Any = None, **rest: Any
    ) -> Any:
        del rest
        if isinstance(shape, str):
            shape, name = (), shape
        return self.add_variable(shape, initializer, dtype, name=name)

    @property
    def variables(self) -> Any:
        return ListValue(held(self).get("@weights", ()))

    @property
    def dtype(self) -> str:
        return "float32"

    def stateless_update_state(self, metric_variables: Any, *args: Any, **kwargs: Any) -> Any:
        machine().send(self, "update_state", *args, **kwargs)
        return metric_variables

    def stateless_result(self, metric_variables: Any) -> Any:
        del metric_variables
        return machine().send(self, "result")

    def stateless_reset_state(self) -> Any:
        return self.variables

    def get_config(self) -> Any:
        return {"name": held(self).get("name")}

    @classmethod
    def from_config(cls, config: Any) -> Any:
        known = config.cells if isinstance(config, DictValue) else {}
        return cls(**{str(key): value for key, value in known.items()})


def number(name: str) -> Any:
    """A metric's result: one float."""
    return opaque(name, [], Known(floats(), ()), KerasTensor)


@model("keras.metrics.Mean")
class Mean(Metric):
    def __init__(self, name: Any = "mean", dtype: Any = None) -> None:
        super().__init__(dtype, name)


@model("keras.metrics.Sum")
class Sum(Metric):
    def __init__(self, name: Any = "sum", dtype: Any = None) -> None:
        super().__init__(dtype, name)


class Compared(Metric):
    """A metric of labels and predictions, which must fit one another."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        names = [each for each in args if isinstance(each, str)]
        super().__init__(None, kwargs.get("name") or (names[-1] if names else None))

    def update_state(self, y_true: Any, y_pred: Any, sample_weight: Any = None) -> Any:
        del sample_weight
        if not isinstance(y_true, DictValue) and not isinstance(y_pred, DictValue):
            same_rank(array(y_true), array(y_pred))


@model("keras.metrics.MeanMetricWrapper")
class MeanMetricWrapper(Metric):
    def __init__(self, fn: Any, name: Any = None, dtype: Any = None, **kwargs: Any) -> None:
        super().__init__(dtype, name)
        self.fn = fn
        store(self.cells, "@settled", kwargs)

    def update_state(self, y_true: Any, y_pred: Any, sample_weight: Any = None) -> Any:
        del sample_weight
        machine().call(held(self)["fn"], y_true, y_pred, **held(self)["@settled"])


@model("keras.metrics.MeanIoU")
class MeanIoU(Compared):
    def __init__(self, num_classes: Size, name: Any = None, dtype: Any = None, **kwargs: Any) -> None:
        super().__init__(name=name)
        del dtype, kwargs
        store(self.cells, "num_classes", num_classes)


@model("keras.metrics.BinaryAccuracy")
class BinaryAccuracy(Compared):
    def __init__(self, name: Any = None, dtype: Any = None, threshold: Any = 0.5) -> None:
        super().__init__(name=name)
        del dtype
        store(self.cells, "threshold", threshold)

    def update_state(self, y_true: Any, y_pred: Any, sample_weight: Any = None) -> Any:
        halved(y_pred, held(self).get("threshold"))
        return super().update_state(y_true, y_pred, sample_weight)


def halved(y_pred: Any, threshold: Any = 0.5) -> None:
    """Note that predictions are compared with a half."""
    if isinstance(y_pred, TensorValue) and threshold == 0.5:
        machine().event(Act.HALVED, y_pred, (y_pred.graph_value,))


for _name in (
    "Accuracy", "CategoricalAccuracy", "SparseCategoricalAccuracy", "TopKCategoricalAccuracy",
    "SparseTopKCategoricalAccuracy", "AUC", "Precision", "Recall", "TruePositives", "TrueNegatives", "FalsePositives",
    "FalseNegatives", "PrecisionAtRecall", "RecallAtPrecision", "SensitivityAtSpecificity", "SpecificityAtSensitivity",
    "MeanSquaredError", "RootMeanSquaredError", "MeanAbsoluteError", "MeanAbsolutePercentageError",
    "MeanSquaredLogarithmicError", "CosineSimilarity", "LogCoshError", "R2Score", "BinaryCrossentropy",
    "CategoricalCrossentropy", "SparseCategoricalCrossentropy", "KLDivergence", "Poisson", "Hinge", "SquaredHinge",
    "CategoricalHinge", "IoU", "BinaryIoU", "OneHotIoU", "OneHotMeanIoU", "FBetaScore", "F1Score",
    "ConcordanceCorrelation", "PearsonCorrelation",
):  # fmt: skip
    model(f"keras.metrics.{_name}")(type(_name, (Compared,), {"__slots__": (), "__module__": __name__}))


def _per_row(name: str, y_pred: Any) -> Any:
    """One number per row of predictions."""
    predicted = array(y_pred)
    dims = dims_of(predicted)
    if dims is None:
        raise Undecided(Reason.EXTERNAL_DATA, "predictions of unknown rank")
    return opaque(name, [predicted], Known(floats(), dims[:-1]), KerasTensor)


@model("keras.metrics.sparse_categorical_accuracy")
def sparse_categorical_accuracy(y_true: ArrayLike, y_pred: ArrayLike) -> Tensor:
    del y_true
    return _per_row("sparse_categorical_accuracy", y_pred)


@model("keras.metrics.categorical_accuracy")
def categorical_accuracy(y_true: ArrayLike, y_pred: ArrayLike) -> Tensor:
    del y_true
    return _per_row("categorical_accuracy", y_pred)


@model("keras.metrics.binary_accuracy")
def binary_accuracy(y_true: ArrayLike, y_pred: ArrayLike, threshold: Any = 0.5) -> Tensor:
    del threshold
    predicted = same_rank(array(y_true), array(y_pred))[1]
    return opaque("binary_accuracy", [predicted], predicted.graph_value.declared.with_dtype(floats()), KerasTensor)


@model("keras.metrics.top_k_categorical_accuracy")
def top_k_categorical_accuracy(y_true: ArrayLike, y_pred: ArrayLike, k: Any = 5) -> Tensor:
    del y_true, k
    return _per_row("top_k_categorical_accuracy", y_pred)


@model("keras.metrics.sparse_top_k_categorical_accuracy")
def sparse_top_k_categorical_accuracy(y_true: ArrayLike, y_pred: ArrayLike, k: Any = 5) -> Tensor:
    del y_true, k
    return _per_row("sparse_top_k_categorical_accuracy", y_pred)


@model("keras.metrics.get", "keras.metrics.deserialize")
def get(identifier: Any) -> Any:
    if isinstance(identifier, str):
        found = MODELS.get(f"keras.metrics.{identifier}")
        return found() if isinstance(found, type) else None if found is None else MeanMetricWrapper(found)
    return identifier


def metric_of(spec: Any) -> Metric | None:
    """The metric object that an entry of `compile(metrics=...)` is, None if it has nothing to say."""
    if isinstance(spec, Metric):
        return spec
    if isinstance(spec, str):
        found = get(spec)
        return found if isinstance(found, Metric) else None
    if spec is None or isinstance(spec, int | float):
        return None
    return MeanMetricWrapper(spec) if not isinstance(spec, Object) else None


__all__ = ["Mean", "Metric", "as_size", "metric_of", "number"]
