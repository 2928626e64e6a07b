"""Schedules of learning rates."""

from __future__ import annotations

from typing import Any

from mlvet.frontends.python.libraries.registry import model
from mlvet.frontends.python.values.containers import DictValue, ListValue, Repeated
from mlvet.frontends.python.values.numbers import Scalar
from mlvet.frontends.python.values.objects import Object

NAMES = (
    "StepLR", "MultiStepLR", "ExponentialLR", "CosineAnnealingLR", "CosineAnnealingWarmRestarts", "LambdaLR",
    "MultiplicativeLR", "LinearLR", "ConstantLR", "PolynomialLR", "CyclicLR", "OneCycleLR", "SequentialLR",
    "ChainedScheduler", "ReduceLROnPlateau",
)  # fmt: skip


@model("torch.optim.lr_scheduler.LRScheduler", "torch.optim.lr_scheduler._LRScheduler", "torch.optim.swa_utils.SWALR",
    *(f"torch.optim.lr_scheduler.{name}" for name in NAMES))  # fmt: skip
class LRScheduler(Object):
    """Changes the learning rates of an optimiser's groups, each step."""

    __slots__ = ()

    def __init__(self, optimizer: Any, *args: Any, **kwargs: Any) -> None:
        self.optimizer = optimizer
        self.last_epoch = kwargs.get("last_epoch", -1)
        self.base_lrs = _rates(optimizer)

    def step(self, *args: Any, **kwargs: Any) -> None:
        pass

    def get_last_lr(self) -> Any:
        return _rates(self.optimizer)

    get_lr = get_last_lr

    def state_dict(self) -> Any:
        return DictValue({"last_epoch": self.last_epoch})

    def load_state_dict(self, state_dict: Any) -> None:
        pass

    def print_lr(self, *args: Any, **kwargs: Any) -> None:
        pass


def _rates(optimizer: Any) -> ListValue:
    """One rate for each group of parameters."""
    groups = getattr(optimizer, "cells", {}).get("param_groups")
    items = groups.items if isinstance(groups, ListValue) else ()
    if isinstance(items, Repeated):
        return ListValue(Repeated(Scalar(float, "lr"), items.length))
    return ListValue(Scalar(float, "lr") for _ in range(max(len(items), 1)))
