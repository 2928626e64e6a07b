"""keras_rs.losses and keras_rs.metrics: of rankings."""

from __future__ import annotations

from typing import Any

from mlvet.domains import dtypes
from mlvet.domains.tensors import Tensor as Known
from mlvet.frontends.python.emission import opaque
from mlvet.frontends.python.libraries.keras.losses import Loss
from mlvet.frontends.python.libraries.keras.metrics import Metric
from mlvet.frontends.python.libraries.keras.tensor import array
from mlvet.frontends.python.libraries.registry import model
from mlvet.frontends.python.values.containers import DictValue
from mlvet.frontends.python.values.tensors import dims_of, dtype_of


@model(
    "keras_rs.losses.PairwiseHingeLoss", "keras_rs.losses.PairwiseLogisticLoss",
    "keras_rs.losses.PairwiseMeanSquaredError", "keras_rs.losses.PairwiseSoftZeroOneLoss", "keras_rs.losses.ListMLELoss",
)  # fmt: skip
class RankingLoss(Loss):
    """One number for each item of each list."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(**{key: kwargs[key] for key in ("name", "reduction") if key in kwargs})

    def __call__(self, y_true: Any, y_pred: Any, sample_weight: Any = None) -> Any:
        labels = y_true.cells.get("labels") if isinstance(y_true, DictValue) else y_true
        return super().__call__(labels, y_pred, sample_weight)

    def call(self, y_true: Any, y_pred: Any) -> Any:
        made = array(y_pred)
        return opaque("RankingLoss", [made], Known(dtype_of(made) or dtypes.f32, dims_of(made) or ()), type(made))


@model(
    "keras_rs.metrics.NDCG", "keras_rs.metrics.DCG", "keras_rs.metrics.MeanReciprocalRank",
    "keras_rs.metrics.MeanAveragePrecision", "keras_rs.metrics.PrecisionAtK", "keras_rs.metrics.RecallAtK",
)  # fmt: skip
class RankingMetric(Metric):
    def __init__(self, k: Any = None, *args: Any, name: Any = None, dtype: Any = None, **kwargs: Any) -> None:
        super().__init__(dtype, name)
