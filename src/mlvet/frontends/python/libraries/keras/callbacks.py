"""keras.callbacks: what they do leaves shapes alone; those of the program are called by `fit`."""

from __future__ import annotations

from typing import Any

from mlvet.frontends.python.active import machine, store
from mlvet.frontends.python.libraries.registry import model
from mlvet.frontends.python.values.containers import DictValue
from mlvet.frontends.python.values.numbers import Scalar
from mlvet.frontends.python.values.objects import Object


@model("keras.callbacks.Callback")
class Callback(Object):
    """A callback; `model` is set when training begins."""

    def __init__(self) -> None:
        self.validation_data = None
        self.params = DictValue({}, rest=1)

    def set_params(self, params: Any) -> None:
        self.params = params

    def set_model(self, model: Any) -> None:
        self.model = model


def _inert(self: Any, *args: Any, **kwargs: Any) -> None:
    """A moment at which a callback of the library does nothing that an analysis sees."""


for _moment in (
    "on_epoch_begin", "on_epoch_end", "on_train_begin", "on_train_end", "on_train_batch_begin", "on_train_batch_end",
    "on_test_begin", "on_test_end", "on_test_batch_begin", "on_test_batch_end", "on_predict_begin", "on_predict_end",
    "on_predict_batch_begin", "on_predict_batch_end", "on_batch_begin", "on_batch_end",
):  # fmt: skip
    setattr(Callback, _moment, _inert)


class Ready(Callback):
    """A callback that comes with Keras; its arguments are its attributes."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__()
        for name, value in kwargs.items():
            store(self.cells, name, value)
        self.best = Scalar(float, "best")
        self.stopped_epoch = 0


for _name in (
    "EarlyStopping", "ModelCheckpoint", "ReduceLROnPlateau", "TensorBoard", "CSVLogger", "TerminateOnNaN",
    "BackupAndRestore", "ProgbarLogger", "RemoteMonitor", "SwapEMAWeights", "CallbackList",
    "OrbaxCheckpoint",
):  # fmt: skip
    _made = type(_name, (Ready,), {"__slots__": (), "__module__": __name__})
    model(f"keras.callbacks.{_name}")(_made)


@model("keras.callbacks.LearningRateScheduler")
class LearningRateScheduler(Callback):
    def __init__(self, schedule: Any, verbose: Any = 0) -> None:
        super().__init__()
        self.schedule = schedule


@model("keras.callbacks.LambdaCallback")
class LambdaCallback(Callback):
    def __init__(
        self, on_epoch_begin: Any = None, on_epoch_end: Any = None, on_train_begin: Any = None,
        on_train_end: Any = None, on_train_batch_begin: Any = None, on_train_batch_end: Any = None, **kwargs: Any,
    ) -> None:  # fmt: skip
        super().__init__()
        from mlvet.domains.dims import symbol

        logs = DictValue({"loss": Scalar(float, "loss")}, rest=Scalar(float, "metric"))
        for each in (on_epoch_begin, on_epoch_end, on_train_batch_begin, on_train_batch_end):
            if each is not None:
                machine().call(each, symbol("epoch"), logs)
        for each in (on_train_begin, on_train_end):
            if each is not None:
                machine().call(each, logs)
