"""Trainer: one batch of each loader through each step stands for all."""

from __future__ import annotations

from typing import Any

from mlvet.domains.dims import symbol
from mlvet.frontends.python.active import machine
from mlvet.frontends.python.libraries.lightning.modules import LightningDataModule
from mlvet.frontends.python.libraries.registry import model
from mlvet.frontends.python.libraries.torch.data.loaders import DataLoader
from mlvet.frontends.python.values.containers import DictValue, ListValue, Repeated
from mlvet.frontends.python.values.numbers import Scalar
from mlvet.frontends.python.values.objects import Object
from mlvet.frontends.python.values.unknown import Unknown


@model("pytorch_lightning.Trainer", "pytorch_lightning.trainer.Trainer")
class Trainer(Object):
    __slots__ = ()

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        self.max_epochs, self.callback_metrics = kwargs.get("max_epochs"), DictValue({}, rest=Scalar(float, "metric"))
        self.logger, self.is_global_zero, self.global_rank = Object(), True, 0

    def fit(
        self, model: Any, train_dataloaders: Any = None, val_dataloaders: Any = None, datamodule: Any = None,
        ckpt_path: Any = None, **kwargs: Any,
    ) -> None:  # fmt: skip
        train_dataloaders, datamodule = _told_apart(train_dataloaders, datamodule)
        self._attach(model)
        send = machine().send
        _prepare(datamodule, "fit")
        for hook in ("prepare_data", "setup"):
            send(model, hook, *(("fit",) if hook == "setup" else ()))
        send(model, "configure_optimizers")
        self._steps(model, train_dataloaders, datamodule, "train_dataloader", "training_step")
        send(model, "on_train_epoch_end")
        self._steps(model, val_dataloaders, datamodule, "val_dataloader", "validation_step")
        send(model, "on_validation_epoch_end")

    def validate(
        self, model: Any = None, dataloaders: Any = None, *args: Any, datamodule: Any = None, **kwargs: Any
    ) -> Any:
        return self._only(model, dataloaders, datamodule, "val_dataloader", "validation_step")

    def test(
        self, model: Any = None, dataloaders: Any = None, *args: Any, datamodule: Any = None, **kwargs: Any
    ) -> Any:
        return self._only(model, dataloaders, datamodule, "test_dataloader", "test_step")

    def predict(
        self, model: Any = None, dataloaders: Any = None, datamodule: Any = None, *args: Any, **kwargs: Any
    ) -> Any:
        self._attach(model)
        found = self._steps(self.cells.get("@module"), dataloaders, datamodule, "predict_dataloader", "predict_step")
        return ListValue(Repeated(found, symbol(machine().fresh("batches"))))

    def _only(self, model: Any, loaders: Any, datamodule: Any, source: str, step: str) -> Any:
        loaders, datamodule = _told_apart(loaders, datamodule)
        self._attach(model)
        _prepare(datamodule, "test")
        self._steps(self.cells.get("@module"), loaders, datamodule, source, step)
        return ListValue([DictValue({}, rest=Scalar(float, "metric"))])

    def _attach(self, module: Any) -> None:
        if isinstance(module, Object):
            module.trainer = self
            self.cells["@module"] = module

    def _steps(self, module: Any, loaders: Any, datamodule: Any, source: str, step: str) -> Any:
        if not isinstance(module, Object):
            return None
        if loaders is None:
            loaders = machine().send(datamodule if datamodule is not None else module, source)
        result = None
        for loader in _each(loaders):
            found = machine().items(loader)
            batch = found.element if isinstance(found, Repeated) else found[0] if found else None
            if batch is not None:
                result = machine().send(module, step, batch, symbol(machine().fresh("batch_idx")))
        return result

    def save_checkpoint(self, *args: Any, **kwargs: Any) -> None:
        pass

    tune = save_checkpoint
    add_callback = save_checkpoint


def _told_apart(loaders: Any, datamodule: Any) -> tuple[Any, Any]:
    return (None, loaders) if isinstance(loaders, LightningDataModule) else (loaders, datamodule)


def _prepare(datamodule: Any, stage: str) -> None:
    if datamodule is not None:
        machine().send(datamodule, "prepare_data")
        machine().send(datamodule, "setup", stage)


def _each(loaders: Any) -> tuple[Any, ...]:
    if loaders is None or isinstance(loaders, Unknown):
        return ()
    if isinstance(loaders, DictValue):
        return tuple(loaders.cells.values())
    if isinstance(loaders, ListValue | tuple) and not isinstance(loaders, DataLoader):
        found = machine().items(loaders)
        return (found.element,) if isinstance(found, Repeated) else found
    return (loaders,)


@model("pytorch_lightning.seed_everything", "pytorch_lightning.utilities.seed.seed_everything")
def seed_everything(seed: Any = None, *args: Any, **kwargs: Any) -> Any:
    return seed


CALLBACKS = (
    "ModelCheckpoint", "EarlyStopping", "LearningRateMonitor", "Callback", "TQDMProgressBar", "RichProgressBar",
    "StochasticWeightAveraging", "GradientAccumulationScheduler", "DeviceStatsMonitor", "Timer", "ModelSummary",
)  # fmt: skip


@model("pytorch_lightning.Callback", *(f"pytorch_lightning.callbacks.{name}" for name in CALLBACKS))
class Callback(Object):
    __slots__ = ()

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        self.best_model_path, self.best_model_score = Scalar(str, "path"), Scalar(float, "score")


@model(
    *(f"pytorch_lightning.loggers.{name}" for name in ("TensorBoardLogger", "CSVLogger", "WandbLogger", "MLFlowLogger"))
)
class Logger(Object):
    __slots__ = ()

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Whatever it is told."""

    def log_metrics(self, *args: Any, **kwargs: Any) -> None:
        pass

    log_hyperparams = log_metrics
    watch = log_metrics
