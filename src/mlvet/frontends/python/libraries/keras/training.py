"""compile, fit, evaluate and predict: one batch through the model, its loss, and what the program does with them."""

from __future__ import annotations

from typing import Any

from mlvet.domains import dtypes
from mlvet.domains.dims import Dim, symbol
from mlvet.domains.tensors import Tensor as Known
from mlvet.frontends.python.active import machine, store
from mlvet.frontends.python.emission import opaque
from mlvet.frontends.python.libraries.keras.batches import batches_of, count_of, one_batch, same_length, unpacked
from mlvet.frontends.python.libraries.keras.held import held
from mlvet.frontends.python.libraries.keras.layer import TRAINING, every_layer, inside, method, variables
from mlvet.frontends.python.libraries.keras.losses import loss_of, scalar_loss
from mlvet.frontends.python.libraries.keras.metrics import Metric, halved, metric_of
from mlvet.frontends.python.libraries.keras.optimizers import optimizer_of
from mlvet.frontends.python.libraries.keras.settings import put, setting
from mlvet.frontends.python.libraries.keras.tensor import numpy_class
from mlvet.frontends.python.libraries.optimiser_state import facts_of
from mlvet.frontends.python.libraries.registry import model
from mlvet.frontends.python.values.containers import DictValue, ListValue, Repeated
from mlvet.frontends.python.values.numbers import Scalar
from mlvet.frontends.python.values.objects import Object
from mlvet.frontends.python.values.tensors import TensorValue, dims_of, dtype_of
from mlvet.frontends.python.values.unknown import Unknown
from mlvet.ir.program import Act


@model("keras.callbacks.History")
class History(Object):
    """What `fit` returns: a list of numbers, one per epoch, for the loss and each metric."""

    def __init__(self) -> None:
        epochs = symbol(machine().fresh("epochs"))
        numbers = ListValue(Repeated(Scalar(float, "loss"), epochs))
        self.history = DictValue({"loss": numbers}, rest=numbers)
        self.epoch = ListValue(Repeated(symbol(machine().fresh("epoch")), epochs))
        self.params = DictValue({}, rest=1)


class Trainer(Object):
    """What a model has besides a layer."""

    def compile(
        self, optimizer: Any = "rmsprop", loss: Any = None, loss_weights: Any = None, metrics: Any = None,
        weighted_metrics: Any = None, run_eagerly: Any = False, steps_per_execution: Any = 1, jit_compile: Any = "auto",
        auto_scale_loss: Any = True, **kwargs: Any,
    ) -> None:  # fmt: skip
        del loss_weights, weighted_metrics, steps_per_execution, auto_scale_loss, kwargs
        self.optimizer = optimizer_of(optimizer)
        self.loss = loss
        self.run_eagerly = run_eagerly
        self.jit_compile = jit_compile
        self.compiled = True
        store(self.cells, "@fitted", None)
        store(self.cells, "@metrics", metrics)

    def fit(
        self, x: Any = None, y: Any = None, batch_size: Any = None, epochs: Any = 1, verbose: Any = "auto",
        callbacks: Any = None, validation_split: Any = 0.0, validation_data: Any = None, shuffle: Any = True,
        class_weight: Any = None, sample_weight: Any = None, initial_epoch: Any = 0, steps_per_epoch: Any = None,
        validation_steps: Any = None, validation_batch_size: Any = None, validation_freq: Any = 1, **kwargs: Any,
    ) -> Any:  # fmt: skip
        del epochs, verbose, validation_split, shuffle, class_weight, initial_epoch, steps_per_epoch
        del validation_steps, validation_batch_size, validation_freq, kwargs
        same_length(x, y)
        _fit_noted(self)
        batches_of(x, 32 if batch_size is None else batch_size)
        history = History()
        self.history = history
        listening = list(_listeners(callbacks))
        for each in listening:
            tell(each, "set_model", self)
            tell(each, "on_train_begin")
            tell(each, "on_epoch_begin", symbol("epoch"))
        self._step("train_step", one_batch(x, y, sample_weight), training=True)
        if validation_data is not None:
            given = validation_data if isinstance(validation_data, tuple) else (validation_data,)
            if isinstance(validation_data, ListValue) and isinstance(validation_data.items, tuple):
                given = validation_data.items
            self._step("test_step", one_batch(*given[:3]), training=False)
        for each in listening:
            tell(each, "on_train_batch_end", symbol("step"))
            tell(each, "on_epoch_end", symbol("epoch"))
            tell(each, "on_train_end")
        return history

    fit_generator = fit

    def evaluate(
        self, x: Any = None, y: Any = None, batch_size: Any = None, verbose: Any = "auto", sample_weight: Any = None,
        steps: Any = None, callbacks: Any = None, return_dict: bool = False, **kwargs: Any,
    ) -> Any:  # fmt: skip
        del batch_size, verbose, steps, callbacks, kwargs
        same_length(x, y)
        self._step("test_step", one_batch(x, y, sample_weight), training=False)
        return self._figures(return_dict)

    def predict(
        self,
        x: Any,
        batch_size: Any = None,
        verbose: Any = "auto",
        steps: Any = None,
        callbacks: Any = None,
        **kwargs: Any,
    ) -> Any:
        del batch_size, verbose, steps, callbacks, kwargs
        result = self._step("predict_step", one_batch(x, alone=True), training=False)
        return whole(result, count_of(x), numpy_class())

    predict_generator = predict

    def train_on_batch(
        self, x: Any, y: Any = None, sample_weight: Any = None, class_weight: Any = None, return_dict: bool = False,
        **kwargs: Any,
    ) -> Any:  # fmt: skip
        del class_weight, kwargs
        self._step("train_step", _present(x, y, sample_weight), training=True)
        return self._figures(return_dict)

    def test_on_batch(
        self, x: Any, y: Any = None, sample_weight: Any = None, return_dict: bool = False, **kwargs: Any
    ) -> Any:
        del kwargs
        self._step("test_step", _present(x, y, sample_weight), training=False)
        return self._figures(return_dict)

    def predict_on_batch(self, x: Any) -> Any:
        result = self._step("predict_step", (x,), training=False)
        return whole(result, None, numpy_class())

    def _step(self, name: str, data: Any, training: bool) -> Any:
        token = TRAINING.set(training)
        outer = setting("training", None)
        put("training", training)
        try:
            return machine().send(self, name, data)
        finally:
            TRAINING.reset(token)
            put("training", outer)

    def train_step(self, data: Any) -> Any:
        return self._loss_on(data, training=True)

    def test_step(self, data: Any) -> Any:
        return self._loss_on(data, training=False)

    def predict_step(self, data: Any) -> Any:
        x, _, _ = unpacked(data)
        return machine().call(self, x, training=False)

    def _loss_on(self, data: Any, training: bool) -> Any:
        x, y, weight = unpacked(data)
        predicted = machine().call(self, x, training=training)
        loss = machine().send(self, "compute_loss", x, y, predicted, weight)
        if training:
            _step_noted(self, loss)
        return {"loss": loss, **{each: Scalar(float, each) for each in self._names()[1:]}}

    def compute_loss(
        self, x: Any = None, y: Any = None, y_pred: Any = None, sample_weight: Any = None, training: Any = True
    ) -> Any:
        del x, sample_weight, training
        spec = held(self).get("loss")
        for each in inside(held(self).get("@metrics")):
            found = metric_of(each)
            if each == "binary_accuracy" or (each in ("accuracy", "acc") and _is_single(y_pred)):
                halved(y_pred)
            if found is not None and y is not None and isinstance(y_pred, TensorValue):
                machine().send(found, "update_state", y, y_pred)
        if spec is None or isinstance(spec, Unknown):
            own = [each for each in held(self).get("@losses", ()) if isinstance(each, TensorValue)]
            return own[0] if own else scalar_loss()
        return loss_of(spec, y, self._by_name(y_pred) if DictValue in (type(spec), type(y)) else y_pred)

    def _by_name(self, outputs: Any) -> Any:
        """Several outputs by the names of the layers that make them, where the model knows them."""
        if not isinstance(outputs, ListValue | tuple) or "@outputs" not in self.cells:
            return outputs
        names = machine().attribute(self, "output_names").items
        named = dict(zip(names, inside(outputs), strict=False))
        return DictValue(named) if all(isinstance(name, str) for name in named) else outputs

    def compute_metrics(self, x: Any, y: Any, y_pred: Any, sample_weight: Any = None) -> Any:
        del x, y, y_pred, sample_weight
        return self.get_metrics_result()

    def get_metrics_result(self) -> Any:
        return DictValue({name: Scalar(float, name) for name in self._names()}, rest=Scalar(float, "metric"))

    def compiled_loss(self, y: Any, y_pred: Any, sample_weight: Any = None, regularization_losses: Any = None) -> Any:
        del regularization_losses
        return Trainer.compute_loss(self, None, y, y_pred, sample_weight)

    @property
    def compiled_metrics(self) -> Any:
        return Metric(name="compile_metrics")

    @property
    def metrics(self) -> Any:
        found = [each for each in inside(ListValue(self.cells.values())) if isinstance(each, Metric)]
        return ListValue(found)

    @property
    def metrics_names(self) -> Any:
        return ListValue(self._names())

    def _names(self) -> list[str]:
        return ["loss", *(_name_of(each) for each in inside(held(self).get("@metrics")) if each is not None)]

    def _figures(self, as_dict: bool) -> Any:
        names = self._names()
        if as_dict:
            return DictValue({name: Scalar(float, name) for name in names}, rest=Scalar(float, "metric"))
        if len(names) == 1 and not any(isinstance(each, Metric) for each in self.cells.values()):
            return Scalar(float, "loss")
        return ListValue(Scalar(float, name) for name in names)

    def reset_metrics(self) -> None:
        return None

    def make_train_function(self, force: Any = False) -> Any:
        del force
        return self.train_step

    def make_predict_function(self, force: Any = False) -> Any:
        del force
        return self.predict_step

    def compile_from_config(self, config: Any) -> None:
        del config


def _is_single(y_pred: Any) -> bool:
    """Whether there is one output per example, whose accuracy Keras takes for one of two classes."""
    dims = dims_of(y_pred) if isinstance(y_pred, TensorValue) else None
    return dims is not None and len(dims) > 1 and dims[-1] == 1


def _fit_noted(it: Trainer) -> None:
    """Note a fit, and whether layers were set to train, or not to, since the last one without compiling again."""
    modes = {id(each): each.cells.get("trainable") for each in (it, *every_layer(it))}
    last = held(it).get("@fitted")
    before = last.modes if isinstance(last, _Fitted) else {}
    changed = any({before.get(key, mode), mode} == {True, False} for key, mode in modes.items())
    machine().event(Act.FITTED, it, (), *(("changed",) if changed else ()))
    store(it.cells, "@fitted", _Fitted(modes))


def _step_noted(it: Trainer, loss: Any) -> None:
    """Note that gradients of a loss are computed, and by which optimizer the variables are changed."""
    if not isinstance(loss, TensorValue):
        return
    optimizer = held(it).get("optimizer")
    trained = [each.graph_value for each in variables(it) if held(each).get("trainable", True) is not False]
    if isinstance(optimizer, Object):
        machine().event(Act.MADE, optimizer, trained, *facts_of(type(optimizer).__name__, optimizer.cells))
    machine().event(Act.DERIVED, loss, (loss.graph_value,))


class _Fitted:
    """Which layers of a model trained in a fit."""

    __slots__ = ("modes",)

    def __init__(self, modes: dict[int, Any]) -> None:
        self.modes = modes


def whole(result: Any, count: Dim | None, kind: Any) -> Any:
    """What `predict` makes of the result of one batch: arrays of as many rows as there are examples."""
    if isinstance(result, TensorValue):
        dims, dtype = dims_of(result), dtype_of(result) or dtypes.f32
        if dims is None:
            return kind.of(result.graph_value)
        if not dims:
            return opaque("predict", [result], Known(dtype, ()), kind)
        return opaque("predict", [result], Known(dtype, (dims[0] if count is None else count, *dims[1:])), kind)
    if isinstance(result, ListValue) and isinstance(result.items, tuple):
        return ListValue(whole(each, count, kind) for each in result.items)
    if isinstance(result, tuple):
        return tuple(whole(each, count, kind) for each in result)
    if isinstance(result, DictValue):
        return DictValue({key: whole(each, count, kind) for key, each in result.cells.items()})
    return result


def tell(listener: Any, name: str, *args: Any) -> None:
    """Call a method of a callback that the program defines."""
    if name == "set_model":
        store(listener.cells, "model", args[0])
        return
    written = method(listener, name)
    if written is None or callable(written):
        return
    logs = DictValue({"loss": Scalar(float, "loss")}, rest=Scalar(float, "metric"))
    machine().send(listener, name, *args, logs)


def _listeners(callbacks: Any) -> list[Any]:
    """The callbacks whose methods are the program's own."""
    return [each for each in inside(callbacks) if isinstance(each, Object) and each.kind is not None]


def _present(*parts: Any) -> tuple[Any, ...]:
    kept = list(parts)
    while len(kept) > 1 and kept[-1] is None:
        kept.pop()
    return tuple(kept)


def _name_of(metric: Any) -> str:
    if isinstance(metric, str):
        return metric
    found = held(metric).get("name") if isinstance(metric, Object) else getattr(metric, "name", None)
    return found if isinstance(found, str) else getattr(metric, "__name__", "metric")
