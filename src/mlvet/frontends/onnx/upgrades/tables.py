"""Operators on tables (ai.onnx.ml) that are plain arithmetic, taken apart into standard ones."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from mlvet.domains import dtypes
from mlvet.frontends.onnx.source import Source
from mlvet.frontends.onnx.upgrades.upgrade import ALWAYS, upgrade
from mlvet.ir.builder import Builder
from mlvet.ir.graph import Value

_DOMAIN = "ai.onnx.ml"


def _floats(source: Source, builder: Builder, name: str, shape: Sequence[int] = (-1,)) -> Value:
    numbers = np.asarray(source.attributes[name], np.float32)
    return source.constant(builder, name, numbers.reshape(shape))


def _single_precision(source: Source, builder: Builder) -> Value:
    return source.step(builder, "cast", source.operand(0), to=dtypes.f32)


@upgrade("Scaler", since=ALWAYS, domain=_DOMAIN)
def _scaler(source: Source, builder: Builder) -> Sequence[Value]:
    """(x - offset) * scale, in single precision."""
    x = _single_precision(source, builder)
    if source.attributes.get("offset"):
        x = source.step(builder, "sub", x, _floats(source, builder, "offset"))
    if source.attributes.get("scale"):
        x = source.step(builder, "mul", x, _floats(source, builder, "scale"))
    return source.results(builder, "identity", x)


@upgrade("Imputer", since=ALWAYS, domain=_DOMAIN)
def _imputer(source: Source, builder: Builder) -> Sequence[Value]:
    """Elements equal to the replaced value, which may be NaN, become those of their column."""
    known = source.attributes
    kind, dtype = ("float", np.float32) if known.get("imputed_value_floats") else ("int64", np.int64)
    imputed, replaced = known.get(f"imputed_value_{kind}s"), known.get(f"replaced_value_{kind}", 0)
    x = source.operand(0)
    if not imputed or x is None:
        return source.opaque(builder)
    if replaced != replaced:
        missing = source.step(builder, "is_nan", x)
    else:
        missing = source.step(builder, "equal", x, source.constant(builder, "replaced", np.asarray(replaced, dtype)))
    return source.results(builder, "where", missing, source.constant(builder, "imputed", np.asarray(imputed, dtype)), x)


@upgrade("Normalizer", since=ALWAYS, domain=_DOMAIN)
def _normalizer(source: Source, builder: Builder) -> Sequence[Value]:
    """Rows divided by their norm; what MAX means for negative elements differs, so it stays opaque."""
    orders = {"L1": 1, "L2": 2}
    norm = source.attributes.get("norm", "MAX")
    if norm not in orders:
        return source.opaque(builder)
    return source.results(builder, "lp_normalization", _single_precision(source, builder), axis=-1, p=orders[norm])


@upgrade("LinearRegressor", since=ALWAYS, domain=_DOMAIN)
def _linear_regressor(source: Source, builder: Builder) -> Sequence[Value]:
    targets = int(source.attributes.get("targets", 1))
    if source.attributes.get("post_transform", "NONE") != "NONE" or not _has_rows(source, targets):
        return source.opaque(builder)
    return source.results(builder, "gemm", *_linear(source, builder, targets), transB=1)


@upgrade("LinearClassifier", since=ALWAYS, domain=_DOMAIN)
def _linear_classifier(source: Source, builder: Builder) -> Sequence[Value]:
    """With scores for two or more classes: the label of the greatest, and all scores, transformed."""
    known = source.attributes
    labels = _labels(known)
    transform = _TRANSFORMS.get(known.get("post_transform", "NONE"))
    if len(source.outputs) != 2 or labels is None or transform is None:
        return source.opaque(builder)
    classes = len(known.get("intercepts") or ())
    if classes < 2 or classes != labels.size or not _has_rows(source, classes):
        return source.opaque(builder)
    scores = source.step(builder, "gemm", *_linear(source, builder, classes), transB=1)
    best = source.step(builder, "arg_max", scores, axis=1, keepdims=0)
    label, transformed = source.values(builder)
    table = source.constant(builder, "labels", labels)
    source.add(builder, "gather", [table, best], [label], {"axis": 0}, name=f"{source.name}.label")
    op, options = transform
    source.add(builder, op, [scores], [transformed], options)
    return [label, transformed]


_TRANSFORMS: dict[str, tuple[str, dict[str, Any]]] = {
    "NONE": ("identity", {}),
    "SOFTMAX": ("softmax", {"axis": -1}),
    "LOGISTIC": ("sigmoid", {}),
}


def _labels(known: Any) -> Any:
    if known.get("classlabels_strings"):
        return np.asarray(known["classlabels_strings"], dtype=object)
    return np.asarray(known["classlabels_ints"], np.int64) if known.get("classlabels_ints") else None


def _has_rows(source: Source, rows: int) -> bool:
    """Whether the coefficients are a matrix of that many rows."""
    coefficients = source.attributes.get("coefficients") or ()
    intercepts = source.attributes.get("intercepts") or ()
    return bool(coefficients) and len(coefficients) % max(rows, 1) == 0 and len(intercepts) in (0, rows)


def _linear(source: Source, builder: Builder, rows: int) -> list[Value]:
    operands = [_single_precision(source, builder), _floats(source, builder, "coefficients", (rows, -1))]
    if source.attributes.get("intercepts"):
        operands.append(_floats(source, builder, "intercepts"))
    return operands


@upgrade("OneHotEncoder", since=ALWAYS, domain=_DOMAIN)
def _one_hot_encoder(source: Source, builder: Builder) -> Sequence[Value]:
    """One column per category, 1 where the element is that category."""
    known = source.attributes
    x = source.operand(0)
    if known.get("cats_strings"):
        categories = np.asarray(known["cats_strings"], dtype=object)
    elif known.get("cats_int64s"):
        categories = np.asarray(known["cats_int64s"], np.int64)
        x = source.step(builder, "cast", x, to=dtypes.i64)
    else:
        return source.opaque(builder)
    column = source.step(builder, "unsqueeze", x, source.constant(builder, "last", [-1]))
    same = source.step(builder, "equal", column, source.constant(builder, "categories", categories))
    return source.results(builder, "cast", same, to=dtypes.f32)
