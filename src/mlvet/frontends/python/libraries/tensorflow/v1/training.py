"""tf.train of older programs: optimisers, savers, queues, schedules; summaries, losses and metrics."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from mlvet.domains import dtypes
from mlvet.domains.dims import symbol
from mlvet.domains.dtypes import DType
from mlvet.frontends.python.active import machine
from mlvet.frontends.python.emission import demand_same
from mlvet.frontends.python.libraries.binding import as_items, as_size
from mlvet.frontends.python.libraries.registry import model
from mlvet.frontends.python.libraries.tensorflow.arguments import cast_to, chosen
from mlvet.frontends.python.libraries.tensorflow.environment import Scope, Stored
from mlvet.frontends.python.libraries.tensorflow.gradients import gradient_of
from mlvet.frontends.python.libraries.tensorflow.losses import (
    sigmoid_cross_entropy_with_logits,
    softmax_cross_entropy_with_logits,
    sparse_softmax_cross_entropy_with_logits,
)  # fmt: skip
from mlvet.frontends.python.libraries.tensorflow.tensor import Tensor, convert, like, matched, op_of, typed
from mlvet.frontends.python.libraries.tensorflow.v1.sessions import Operation
from mlvet.frontends.python.libraries.tensorflow.v1.variables import (
    add_to_collection,
    all_variables,
    get_collection,
    new_variable,
    trainable,
)  # fmt: skip
from mlvet.frontends.python.values.containers import ListValue, Repeated
from mlvet.frontends.python.values.numbers import Scalar
from mlvet.frontends.python.values.objects import Object
from mlvet.frontends.python.values.tensors import TensorValue, dims_of, dtype_of


@model("tensorflow.compat.v1.train.Optimizer")
class Optimizer(Object):
    def __init__(self, *args: Any, **keywords: Any) -> None:
        del args, keywords

    def compute_gradients(self, loss: Any, var_list: Any = None, *rest: Any, **keywords: Any) -> Any:
        del rest, keywords
        variables = (
            as_items(var_list) if var_list is not None else [each for each in all_variables() if trainable(each)]
        )
        return ListValue((gradient_of(loss, each), each) for each in variables)

    def apply_gradients(self, grads_and_vars: Any, global_step: Any = None, name: Any = None) -> Any:
        del global_step, name
        return Operation(grads_and_vars)

    def minimize(self, loss: Any, global_step: Any = None, var_list: Any = None, *rest: Any, **keywords: Any) -> Any:
        del global_step, rest, keywords
        self.compute_gradients(loss, var_list)
        return Operation(loss)

    def variables(self) -> Any:
        return ListValue()

    def get_slot_names(self) -> Any:
        return ListValue()


for _name in (
    "GradientDescentOptimizer AdamOptimizer AdagradOptimizer MomentumOptimizer RMSPropOptimizer AdadeltaOptimizer "
    "FtrlOptimizer ProximalGradientDescentOptimizer ProximalAdagradOptimizer AdagradDAOptimizer SyncReplicasOptimizer"
).split():
    model(f"tensorflow.compat.v1.train.{_name}")(type(_name, (Optimizer,), {}))


@model("tensorflow.compat.v1.train.Saver")
class Saver(Stored):
    def restore(self, sess: Any, save_path: Any) -> None:
        """The variables have other contents."""

    def recover_last_checkpoints(self, paths: Any) -> None:
        """Known again."""


@model("tensorflow.train.ExponentialMovingAverage")
class ExponentialMovingAverage(Object):
    def __init__(self, *args: Any, **keywords: Any) -> None:
        del args, keywords

    def apply(self, var_list: Any = None) -> Any:
        del var_list
        return Operation()

    def average(self, var: Any) -> Any:
        return convert(var)

    def average_name(self, var: Any) -> Any:
        del var
        return Scalar(str, "average_name")

    def variables_to_restore(self, moving_avg_variables: Any = None) -> Any:
        del moving_avg_variables
        return ListValue(all_variables())


@model("tensorflow.compat.v1.train.get_or_create_global_step", "tensorflow.compat.v1.train.create_global_step")
@model("tensorflow.compat.v1.train.get_global_step")
def global_step(graph: Any = None) -> Any:
    del graph
    return new_variable("global_step", (), dtypes.i64, False)


def _schedule(*args: Any, **keywords: Any) -> Any:
    """A learning rate that changes with the step."""
    del args, keywords
    return typed("learning_rate", [], dtypes.f32)


for _name in (
    "exponential_decay piecewise_constant polynomial_decay natural_exp_decay inverse_time_decay cosine_decay "
    "piecewise_constant_decay cosine_decay_restarts linear_cosine_decay noisy_linear_cosine_decay"
).split():
    model(f"tensorflow.compat.v1.train.{_name}")(_schedule)


# Summaries are text.


def _summary(*args: Any, **keywords: Any) -> Tensor:
    del args, keywords
    return typed("summary", [], dtypes.text)


for _name in ("merge_all", "merge", "tensor_summary"):
    model(f"tensorflow.compat.v1.summary.{_name}")(_summary)


@model("tensorflow.compat.v1.summary.FileWriter")
class FileWriter(Scope):
    def add_summary(self, summary: Any, global_step: Any = None) -> None:
        """Written."""

    def add_graph(self, graph: Any, global_step: Any = None, graph_def: Any = None) -> None:
        """Written."""

    def add_run_metadata(self, run_metadata: Any, tag: Any, global_step: Any = None) -> None:
        """Written."""


# Losses reduce to one number; metrics are pairs of a value and its update.


def _loss(compute: Callable[[Tensor, Tensor], Tensor]) -> Callable[..., Any]:
    def function(
        labels: Any = None, predictions: Any = None, weights: Any = 1.0, scope: Any = None, *rest: Any, **keywords: Any
    ) -> Tensor:
        del weights, scope, rest
        wanted, given = (_as_floats(each) for each in matched(labels, chosen(predictions, keywords.get("logits"))))
        ours, theirs = dims_of(wanted), dims_of(given)
        if ours is not None and theirs is not None:
            demand_same(ours, theirs, f"labels of shape {list(ours)} for predictions of shape {list(theirs)}")
        return _reduced(compute(wanted, given), keywords)

    return function


def _as_floats(x: Tensor) -> Tensor:
    """Losses are computed in f32, whatever their operands are."""
    return cast_to(x, dtypes.f32)


def _reduced(each: Tensor, keywords: dict[str, Any]) -> Tensor:
    """The losses or their mean, which the program can ask for later as one of its losses."""
    made = each if keywords.get("reduction") == "none" else op_of("reduce_mean", each, None, keepdims=False)
    kept = keywords.get("loss_collection", "losses")
    if kept is not None:
        add_to_collection(kept, made)
    return made


def _difference(name: str) -> Callable[[Tensor, Tensor], Tensor]:
    return lambda wanted, given: like(name, op_of("sub", given, wanted), given, wanted)


model("tensorflow.compat.v1.losses.mean_squared_error")(_loss(lambda a, b: op_of("squared_difference", b, a)))
model("tensorflow.compat.v1.losses.absolute_difference")(_loss(lambda a, b: op_of("abs", op_of("sub", b, a))))
for _name in ("huber_loss", "log_loss", "hinge_loss", "mean_pairwise_squared_error"):
    model(f"tensorflow.compat.v1.losses.{_name}")(_loss(_difference(_name)))
model("tensorflow.compat.v1.losses.Reduction.NONE")("none")
for _name in ("SUM", "MEAN", "SUM_OVER_BATCH_SIZE", "SUM_BY_NONZERO_WEIGHTS", "SUM_OVER_NONZERO_WEIGHTS"):
    model(f"tensorflow.compat.v1.losses.Reduction.{_name}")(_name.lower())


@model("tensorflow.compat.v1.losses.softmax_cross_entropy")
def softmax_cross_entropy(onehot_labels: Any, logits: Any, *rest: Any, **keywords: Any) -> Tensor:
    del rest
    return _reduced(softmax_cross_entropy_with_logits(onehot_labels, logits), keywords)


@model("tensorflow.compat.v1.losses.sparse_softmax_cross_entropy")
def sparse_softmax_cross_entropy(labels: Any, logits: Any, *rest: Any, **keywords: Any) -> Tensor:
    del rest
    return _reduced(sparse_softmax_cross_entropy_with_logits(labels, logits), keywords)


@model("tensorflow.compat.v1.losses.sigmoid_cross_entropy")
def sigmoid_cross_entropy(multi_class_labels: Any, logits: Any, *rest: Any, **keywords: Any) -> Tensor:
    del rest
    given = convert(logits)
    wanted = cast_to(convert(multi_class_labels, hint=dtype_of(given)), dtype_of(given))
    return _reduced(sigmoid_cross_entropy_with_logits(wanted, given), keywords)


@model("tensorflow.compat.v1.losses.cosine_distance")
def cosine_distance(labels: Any, predictions: Any, *rest: Any, **keywords: Any) -> Tensor:
    del rest
    return _reduced(op_of("mul", *(_as_floats(each) for each in matched(labels, predictions))), keywords)


@model("tensorflow.compat.v1.losses.compute_weighted_loss")
def compute_weighted_loss(losses: Any, weights: Any = 1.0, *rest: Any, **keywords: Any) -> Tensor:
    del weights, rest
    return _reduced(convert(losses), keywords)


@model("tensorflow.compat.v1.losses.get_total_loss", "tensorflow.compat.v1.losses.get_regularization_loss")
def get_total_loss(*args: Any, **keywords: Any) -> Tensor:
    del args, keywords
    return typed("total_loss", [], dtypes.f32)


@model("tensorflow.compat.v1.losses.get_losses")
def get_losses(scope: Any = None, loss_collection: Any = "losses") -> Any:
    return get_collection(loss_collection, scope)


@model("tensorflow.compat.v1.losses.get_regularization_losses")
def get_regularization_losses(scope: Any = None) -> Any:
    del scope
    penalty = typed("regularization_loss", [], dtypes.f32)
    return ListValue(Repeated(penalty, symbol(machine().fresh("penalties"))))


@model("tensorflow.compat.v1.losses.add_loss")
def add_loss(loss: Any, loss_collection: Any = "losses") -> None:
    add_to_collection(loss_collection, loss)


def _metric(name: str, dtype: DType = dtypes.f32) -> Callable[..., Any]:
    def function(*args: Any, **keywords: Any) -> Any:
        given = [
            convert(each)
            for each in (*args, keywords.get("labels"), keywords.get("predictions"))
            if isinstance(each, TensorValue)
        ]
        return typed(name, given, dtype), typed(name, given, dtype)

    return function


for _name in (
    "accuracy auc mean precision recall mean_absolute_error mean_squared_error root_mean_squared_error "
    "false_negatives false_positives true_negatives true_positives percentage_below"
).split():
    model(f"tensorflow.compat.v1.metrics.{_name}")(_metric(_name))
for _name in ("recall_at_k", "precision_at_k"):
    model(f"tensorflow.compat.v1.metrics.{_name}")(_metric(_name, dtypes.f64))


@model("tensorflow.compat.v1.metrics.mean_per_class_accuracy")
def mean_per_class_accuracy(labels: Any, predictions: Any, num_classes: Any, *rest: Any, **keywords: Any) -> Any:
    del rest, keywords
    given, classes = [convert(labels), convert(predictions)], as_size(num_classes, "classes")
    return typed("accuracy", given, dtypes.f32), typed("accuracies", given, dtypes.f32, classes)
