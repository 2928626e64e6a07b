"""LightningModule and LightningDataModule."""

from __future__ import annotations

from typing import Any

from mlvet.domains.dims import symbol
from mlvet.frontends.python.active import machine
from mlvet.frontends.python.libraries.registry import find, model
from mlvet.frontends.python.libraries.torch.nn.module import Module
from mlvet.frontends.python.values.objects import Object
from mlvet.frontends.python.values.unknown import Reason, Undecided

HOOKS = (
    "on_fit_start", "on_fit_end", "on_train_start", "on_train_end", "on_train_epoch_start", "on_train_epoch_end",
    "on_train_batch_start", "on_train_batch_end", "on_validation_start", "on_validation_epoch_start",
    "on_validation_epoch_end", "on_validation_end", "on_test_epoch_start", "on_test_epoch_end", "on_before_backward",
    "on_after_backward", "on_before_optimizer_step", "on_save_checkpoint", "on_load_checkpoint", "on_predict_epoch_end",
    "configure_optimizers", "configure_callbacks", "configure_model", "prepare_data", "setup", "teardown",
    "train_dataloader", "val_dataloader", "test_dataloader", "predict_dataloader", "training_step", "validation_step",
    "test_step", "log", "log_dict", "manual_backward", "print", "freeze", "unfreeze", "toggle_optimizer",
    "untoggle_optimizer", "clip_gradients", "optimizer_zero_grad",
)  # fmt: skip


def _nothing(self: Any, *args: Any, **kwargs: Any) -> None:
    """A hook that the program leaves as it is."""


class Settings(Object):
    """Hyperparameters by attribute and by key."""

    __slots__ = ()

    def __getitem__(self, key: Any) -> Any:
        if key in self.cells:
            return self.cells[key]
        raise Undecided(Reason.DYNAMIC_ATTRIBUTE, str(key))

    def __contains__(self, key: Any) -> Any:
        return key in self.cells

    def update(self, other: Any) -> None:
        for key, value in getattr(other, "cells", {}).items():
            setattr(self, str(key), value)


def _remember(self: Any, ignored: tuple[Any, ...]) -> None:
    """The arguments of the constructor that is running, as attributes of `hparams`."""
    made = Settings()
    scope = machine().scopes[-1] if machine().scopes else None
    function = getattr(scope, "function", None)
    names = [each.arg for each in (*function.node.args.args, *function.node.args.kwonlyargs)] if function else []
    for name in names:
        if name != "self" and name not in ignored and scope is not None and name in scope.cells:
            setattr(made, name, scope.cells[name])
    self.hparams = made


def _words(value: Any) -> tuple[Any, ...]:
    if value is None:
        return ()
    return (value,) if isinstance(value, str) else tuple(machine().items(value))  # type: ignore[arg-type]


@model("pytorch_lightning.LightningModule", "pytorch_lightning.core.LightningModule")
class LightningModule(Module):
    __slots__ = ()

    def save_hyperparameters(self, *args: Any, ignore: Any = None, frame: Any = None, logger: Any = True) -> None:
        _remember(self, _words(ignore))

    @property
    def device(self) -> Any:
        return machine().call(find("torch.device"), "cuda")

    @property
    def global_step(self) -> Any:
        return symbol("global_step")

    @property
    def current_epoch(self) -> Any:
        return symbol("current_epoch")

    @property
    def logger(self) -> Any:
        return Object()

    def optimizers(self, use_pl_optimizer: bool = True) -> Any:
        return machine().send(self, "configure_optimizers")

    def lr_schedulers(self) -> Any:
        raise Undecided(Reason.UNKNOWN_DISPATCH, "schedules of learning rates")

    def predict_step(self, batch: Any, *args: Any) -> Any:
        return machine().call(self, batch)

    def all_gather(self, data: Any, **kwargs: Any) -> Any:
        return data

    @classmethod
    def load_from_checkpoint(cls, checkpoint_path: Any, *args: Any, **kwargs: Any) -> Any:
        settings = {
            name: each for name, each in kwargs.items() if name not in ("map_location", "hparams_file", "strict")
        }
        return machine().call(cls, **settings)


@model("pytorch_lightning.LightningDataModule", "pytorch_lightning.core.LightningDataModule")
class LightningDataModule(Object):
    __slots__ = ()

    def save_hyperparameters(self, *args: Any, ignore: Any = None, frame: Any = None, logger: Any = True) -> None:
        _remember(self, _words(ignore))


for hook in HOOKS:
    setattr(LightningModule, hook, _nothing)
for hook in (
    "prepare_data",
    "setup",
    "teardown",
    "train_dataloader",
    "val_dataloader",
    "test_dataloader",
    "predict_dataloader",
):
    setattr(LightningDataModule, hook, _nothing)
