"""Metrics."""

from __future__ import annotations

from typing import Any

from mlvet.domains import dtypes
from mlvet.domains.dims import symbol
from mlvet.domains.tensors import Tensor as Type
from mlvet.frontends.python.active import machine
from mlvet.frontends.python.emission import demand, opaque
from mlvet.frontends.python.libraries.numpy.arrays import as_ndarray, ndarray
from mlvet.frontends.python.libraries.plotting.figures import Inert
from mlvet.frontends.python.libraries.registry import model
from mlvet.frontends.python.libraries.sklearn.splitting import needs_rank, rows_of
from mlvet.frontends.python.values.containers import ListValue
from mlvet.frontends.python.values.numbers import Scalar
from mlvet.frontends.python.values.tensors import TensorValue

SCORES = (
    "accuracy_score", "balanced_accuracy_score", "precision_score", "recall_score", "f1_score", "fbeta_score",
    "roc_auc_score", "average_precision_score", "log_loss", "mean_squared_error", "mean_absolute_error", "r2_score",
    "root_mean_squared_error", "mean_absolute_percentage_error", "median_absolute_error", "explained_variance_score",
    "jaccard_score", "matthews_corrcoef", "cohen_kappa_score", "hamming_loss", "silhouette_score", "auc",
    "adjusted_rand_score", "normalized_mutual_info_score", "max_error", "brier_score_loss", "zero_one_loss",
    "hinge_loss",
)  # fmt: skip


def _score(name: str) -> None:
    @model(f"sklearn.metrics.{name}")
    def apply(y_true: Any, y_pred: Any, **rest: Any) -> Any:
        known = [rows_of(each) for each in (y_true, y_pred) if isinstance(each, TensorValue | ListValue)]
        if len(known) == 2 and isinstance(known[0], int) and isinstance(known[1], int):
            demand(known[0] == known[1], f"{name} of {known[0]} and {known[1]} rows", "dims-differ")
        if rest.get("average", "binary") is None or rest.get("multioutput") == "raw_values":
            return opaque(name, [], Type(dtypes.f64, (symbol(machine().fresh("classes")),)), ndarray)
        return Scalar(float)


for _name in SCORES:
    _score(_name)


@model("sklearn.metrics.confusion_matrix")
def confusion_matrix(y_true: Any, y_pred: Any, *, labels: Any = None, normalize: Any = None, **rest: Any) -> Any:
    count = symbol(machine().fresh("classes")) if labels is None else rows_of(labels)
    wanted = dtypes.i64 if normalize is None else dtypes.f64
    return opaque("confusion_matrix", [], Type(wanted, (count, count)), ndarray)


@model("sklearn.metrics.classification_report")
def classification_report(y_true: Any, y_pred: Any, **rest: Any) -> Any:
    return Scalar(str)


@model("sklearn.metrics.roc_curve", "sklearn.metrics.precision_recall_curve")
def roc_curve(y_true: Any, y_score: Any, **rest: Any) -> Any:
    points = symbol(machine().fresh("thresholds"))
    return tuple(opaque("curve", [], Type(dtypes.f64, (points,)), ndarray) for _ in range(3))


@model(
    "sklearn.metrics.pairwise.cosine_similarity", "sklearn.metrics.pairwise.euclidean_distances",
    "sklearn.metrics.pairwise_distances", "sklearn.metrics.pairwise.rbf_kernel",
    "sklearn.metrics.pairwise.linear_kernel",
)  # fmt: skip
def pairwise(X: Any, Y: Any = None, **rest: Any) -> Any:
    left = as_ndarray(X)
    right = left if Y is None else as_ndarray(Y)
    dims, others = needs_rank(left), needs_rank(right)
    if isinstance(dims[-1], int) and isinstance(others[-1], int):
        demand(dims[-1] == others[-1], f"rows of {dims[-1]} and {others[-1]} features", "dims-differ")
    return opaque("pairwise", [left, right], Type(dtypes.f64, (dims[0], others[0])), ndarray)


for _name in ("ConfusionMatrixDisplay", "RocCurveDisplay", "PrecisionRecallDisplay"):
    model(f"sklearn.metrics.{_name}")(Inert())
