"""Averages of a model's weights over training."""

from __future__ import annotations

from typing import Any

from mlvet.frontends.python.libraries.registry import model
from mlvet.frontends.python.libraries.torch.nn.module import Module, copied
from mlvet.frontends.python.libraries.torch.nn.parallel import Wrapper


@model("torch.optim.swa_utils.AveragedModel")
class AveragedModel(Wrapper):
    __slots__ = ()

    def __init__(self, model: Any, *args: Any, **kwargs: Any) -> None:
        super().__init__()
        self.module = copied(model, {}) if isinstance(model, Module) else model

    def update_parameters(self, model: Any) -> None:
        pass


@model("torch.optim.swa_utils.update_bn")
def update_bn(loader: Any, model: Any, device: Any = None) -> None:
    pass


@model("torch.optim.swa_utils.get_ema_multi_avg_fn", "torch.optim.swa_utils.get_ema_avg_fn")
def averaging(decay: Any = 0.999) -> None:
    pass
