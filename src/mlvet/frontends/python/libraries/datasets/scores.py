"""Scores of predictions: dictionaries of numbers."""

from __future__ import annotations

from typing import Any

from mlvet.frontends.python.libraries.registry import model
from mlvet.frontends.python.values.containers import DictValue
from mlvet.frontends.python.values.numbers import Scalar
from mlvet.frontends.python.values.objects import Object


@model("evaluate.EvaluationModule", "evaluate.Metric", "datasets.Metric")
class Metric(Object):
    __slots__ = ()

    def compute(self, *args: Any, **kwargs: Any) -> Any:
        return DictValue({}, rest=Scalar(float, "score"))

    def add_batch(self, *args: Any, **kwargs: Any) -> None:
        """Takes predictions."""

    add = add_batch
