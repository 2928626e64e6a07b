"""Trainer: one batch through the model stands for all; what programs override is called."""

from __future__ import annotations

import ast
from typing import Any

from mlvet.domains.dims import symbol
from mlvet.frontends.python.active import machine, store
from mlvet.frontends.python.emission import opaque
from mlvet.frontends.python.libraries.binding import TENSORS
from mlvet.frontends.python.libraries.registry import find, model
from mlvet.frontends.python.libraries.torch.data.datasets import length_of, sample_of
from mlvet.frontends.python.libraries.torch.devices import Device
from mlvet.frontends.python.libraries.torch.nn.module import Module
from mlvet.frontends.python.libraries.torch.optim.schedulers import LRScheduler
from mlvet.frontends.python.libraries.transformers.collators import DataCollatorWithPadding, default_data_collator
from mlvet.frontends.python.libraries.transformers.records import Record, entries_of
from mlvet.frontends.python.values.containers import DictValue, ListValue, Repeated
from mlvet.frontends.python.values.numbers import Scalar
from mlvet.frontends.python.values.objects import BoundMethod, FunctionValue, Object
from mlvet.frontends.python.values.placements import ANYWHERE
from mlvet.frontends.python.values.tensors import TensorValue, tensor_of
from mlvet.frontends.python.values.unknown import Reason, Undecided, Unknown


@model(
    "transformers.TrainingArguments",
    "transformers.Seq2SeqTrainingArguments",
    "transformers.training_args.TrainingArguments",
)
class TrainingArguments(Object):
    """The settings of a training."""

    __slots__ = ()

    def __init__(self, output_dir: Any = None, **kwargs: Any) -> None:
        store(self.cells, "output_dir", output_dir)
        for name, value in kwargs.items():
            store(self.cells, name, value)

    @property
    def device(self) -> Any:
        return Device.of(ANYWHERE)

    def missing(self, name: str) -> Any:
        if name.startswith(("per_device", "num_", "max_steps", "n_gpu", "seed", "world_size", "local_rank")):
            return symbol(name)
        if name.startswith(("do_", "fp16", "bf16", "should_", "predict_", "group_", "load_", "push_")):
            return Scalar(bool, name)
        if name.endswith(("_rate", "_decay", "_ratio", "_norm", "_epsilon")):
            return Scalar(float, name)
        raise Undecided(Unknown(Reason.EXTERNAL_DATA, f"args.{name}", name))

    def to_dict(self) -> Any:
        return DictValue({}, rest=Unknown(Reason.EXTERNAL_DATA, "a setting"))

    to_sanitized_dict = to_dict

    def to_json_string(self) -> Any:
        return Scalar(str, "arguments")


@model("transformers.EvalPrediction", "transformers.trainer_utils.EvalPrediction")
class EvalPrediction(Object):
    """What a model says and what it should have said."""

    __slots__ = ()

    def __init__(
        self, predictions: Any, label_ids: Any, inputs: Any = None, losses: Any = None, metrics: Any = None
    ) -> None:
        self.predictions, self.label_ids = predictions, label_ids
        self.metrics = DictValue({}, rest=Scalar(float, "metric")) if metrics is None else metrics

    def unpack(self, count: int) -> tuple[Any, ...]:
        return (self.predictions, self.label_ids, self.metrics)[:count]

    def __getitem__(self, index: Any) -> Any:
        return (self.predictions, self.label_ids, self.metrics)[index]

    def iterate(self) -> Any:
        return (self.predictions, self.label_ids)


@model("transformers.Trainer", "transformers.Seq2SeqTrainer", "transformers.trainer.Trainer")
class Trainer(Object):
    __slots__ = ()

    def __init__(
        self, model: Any = None, args: Any = None, data_collator: Any = None, train_dataset: Any = None,
        eval_dataset: Any = None, processing_class: Any = None, model_init: Any = None,
        compute_loss_func: Any = None, compute_metrics: Any = None, callbacks: Any = None,
        optimizers: Any = (None, None), *rest: Any, tokenizer: Any = None, **kwargs: Any,
    ) -> None:  # fmt: skip
        self.model = machine().call(model_init) if model is None and model_init is not None else model
        if isinstance(self.model, Module):
            self.model.handed_out()
        self.args, self.train_dataset, self.eval_dataset = args, train_dataset, eval_dataset
        self.processing_class = tokenizer if processing_class is None else processing_class
        self.tokenizer, self.compute_metrics = self.processing_class, compute_metrics
        self.data_collator = data_collator
        if data_collator is None and self.processing_class is not None:
            self.data_collator = DataCollatorWithPadding(self.processing_class)
        self.optimizer, self.lr_scheduler = optimizers if isinstance(optimizers, tuple) else (None, None)
        self.label_smoother, self.is_in_train = None, False
        store(self.cells, "@loss", compute_loss_func)

    def train(self, *args: Any, **kwargs: Any) -> Any:
        batch = _batch(self, self.train_dataset)
        if batch is not None:
            machine().send(self, "training_step", self.model, batch)
        if self.eval_dataset is not None and self.compute_metrics is not None:
            machine().send(self, "evaluate")
        made = Object()
        made.metrics, made.global_step = DictValue({}, rest=Scalar(float, "metric")), symbol("global_step")
        made.training_loss = Scalar(float, "training_loss")
        return made

    def training_step(self, model: Any, inputs: Any, num_items_in_batch: Any = None) -> Any:
        return machine().send(self, "compute_loss", model, inputs)

    def compute_loss(
        self, model: Any, inputs: Any, return_outputs: bool = False, num_items_in_batch: Any = None
    ) -> Any:
        outputs = machine().call(model, **(entries_of(inputs) or {}))
        loss = _part(outputs, "loss", 0)
        own = self.cells.get("@loss")
        if own is not None:
            loss = machine().call(own, outputs, machine().send(inputs, "__getitem__", "labels"))
        return (loss, outputs) if return_outputs else loss

    def prediction_step(self, model: Any, inputs: Any, prediction_loss_only: Any, ignore_keys: Any = None) -> Any:
        outputs = machine().call(model, **(entries_of(inputs) or {}))
        return _part(outputs, "loss", 0), _part(outputs, "logits", 1), (entries_of(inputs) or {}).get("labels")

    def evaluate(self, eval_dataset: Any = None, *args: Any, **kwargs: Any) -> Any:
        said = self._said(self.eval_dataset if eval_dataset is None else eval_dataset)
        if self.compute_metrics is not None:
            machine().call(self.compute_metrics, said)
        return DictValue({}, rest=Scalar(float, "metric"))

    def predict(self, test_dataset: Any, *args: Any, **kwargs: Any) -> Any:
        return self._said(test_dataset)

    def _said(self, dataset: Any) -> Any:
        batch = _batch(self, dataset, whole=True)
        if batch is None:
            unknown = Unknown(Reason.EXTERNAL_DATA, "predictions", "predictions")
            return EvalPrediction(unknown, Unknown(Reason.EXTERNAL_DATA, "labels", "labels"))
        step = machine().send(self, "prediction_step", self.model, batch, False)
        if not isinstance(step, tuple) or len(step) != 3:
            step = (None, Unknown(Reason.EXTERNAL_DATA, "predictions"), None)
        _, logits, labels = step
        return EvalPrediction(_array(logits), _array(labels))

    def get_train_dataloader(self) -> Any:
        return _loader(self, self.train_dataset)

    def get_eval_dataloader(self, eval_dataset: Any = None) -> Any:
        return _loader(self, self.eval_dataset if eval_dataset is None else eval_dataset)

    get_test_dataloader = get_eval_dataloader

    def _prepare_inputs(self, inputs: Any) -> Any:
        return inputs

    def is_world_process_zero(self) -> bool:
        return True

    is_local_process_zero = is_world_process_zero

    def create_optimizer(self, *args: Any, **kwargs: Any) -> Any:
        return self.optimizer

    create_scheduler = create_optimizer

    def save_model(self, *args: Any, **kwargs: Any) -> None:
        """Writes files."""

    save_state = log = log_metrics = save_metrics = push_to_hub = add_callback = remove_callback = save_model
    create_model_card = create_optimizer_and_scheduler = pop_callback = save_model

    @property
    def state(self) -> Any:
        made = Object()
        made.log_history = ListValue(Repeated(DictValue({}, rest=Scalar(float)), symbol("logs")))
        made.global_step = symbol("global_step")
        made.best_metric, made.epoch = Scalar(float, "best_metric"), Scalar(float, "epoch")
        made.best_model_checkpoint = Scalar(str, "path")
        return made


def _loader(trainer: Trainer, dataset: Any) -> Any:
    size = machine().attribute(trainer.args, "per_device_train_batch_size") if trainer.args is not None else 8
    collate = trainer.data_collator if trainer.data_collator is not None else default_data_collator
    return machine().call(find("torch.utils.data.DataLoader"), dataset, size, collate_fn=collate)


def _batch(trainer: Trainer, dataset: Any, *, whole: bool = False) -> Any:
    """One batch of a data set as the model takes it, or all of it at once; None if there is no telling."""
    if dataset is None or isinstance(dataset, Unknown) or trainer.model is None:
        return None
    example = sample_of(dataset)
    if isinstance(example, Unknown) or entries_of(example) is None:
        return None
    count = length_of(dataset) if whole else symbol(machine().fresh("batch"))
    collate = trainer.data_collator if trainer.data_collator is not None else default_data_collator
    batch = machine().call(collate, ListValue(Repeated(example, count)))
    entries = entries_of(batch)
    if entries is None:
        return None
    names = _taken(trainer.model)
    if names is not None:
        entries = {name: value for name, value in entries.items() if name in names or "label" in name}
    return DictValue(entries)


def _taken(model: Any) -> set[str] | None:
    """The arguments of a model of the program; None if it takes all."""
    method = machine().attribute(model, "forward") if isinstance(model, Object) and model.kind is not None else None
    function = method.function if isinstance(method, BoundMethod) else None
    if not isinstance(function, FunctionValue) or isinstance(function.node, ast.Lambda):
        return None
    taken = function.node.args
    return None if taken.kwarg is not None else {each.arg for each in (*taken.args, *taken.kwonlyargs)}


def _part(outputs: Any, name: str, index: int) -> Any:
    if isinstance(outputs, Record):
        return outputs.missing(name)
    entries = entries_of(outputs)
    if entries is not None:
        return entries.get(name)
    if isinstance(outputs, tuple) and len(outputs) > index:
        return outputs[index]
    return Unknown(Reason.EXTERNAL_DATA, name, name)


def _array(value: Any) -> Any:
    if not isinstance(value, TensorValue):
        return value if value is None or isinstance(value, Unknown) else Unknown(Reason.EXTERNAL_DATA, "predictions")
    return opaque("gathered", [value], tensor_of(value).without_value(), TENSORS["numpy"])


@model(
    "transformers.get_scheduler", "transformers.get_linear_schedule_with_warmup",
    "transformers.get_cosine_schedule_with_warmup", "transformers.get_constant_schedule_with_warmup",
    "transformers.get_constant_schedule", "transformers.get_polynomial_decay_schedule_with_warmup",
    "transformers.get_cosine_with_hard_restarts_schedule_with_warmup",
    "transformers.optimization.get_linear_schedule_with_warmup", "transformers.optimization.get_scheduler",
    "transformers.optimization.get_cosine_schedule_with_warmup",
)  # fmt: skip
def get_scheduler(*args: Any, **kwargs: Any) -> Any:
    optimizer = kwargs.get("optimizer", next((each for each in args if isinstance(each, Object)), None))
    return LRScheduler(optimizer)


@model(
    "transformers.AdamW",
    "transformers.Adafactor",
    "transformers.optimization.AdamW",
    "transformers.optimization.Adafactor",
)
def adamw(params: Any, lr: Any = 1e-3, *args: Any, **kwargs: Any) -> Any:
    return machine().call(find("torch.optim.AdamW"), params, lr=lr)
