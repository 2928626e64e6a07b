"""The layers of TF-Slim."""

from __future__ import annotations

from typing import Any

from mlvet.domains import dtypes
from mlvet.domains.dims import Dim, product
from mlvet.frontends.python.active import machine
from mlvet.frontends.python.arrays.operators import assumed
from mlvet.frontends.python.emission import emit_all
from mlvet.frontends.python.libraries.binding import as_items, as_size
from mlvet.frontends.python.libraries.registry import find, model
from mlvet.frontends.python.libraries.tensorflow.arguments import dims_or_undecided
from mlvet.frontends.python.libraries.tensorflow.convolution import bias_add, convolved, images, pooled
from mlvet.frontends.python.libraries.tensorflow.slim.scopes import scoped
from mlvet.frontends.python.libraries.tensorflow.tensor import Tensor, convert, like, op_of, typed
from mlvet.frontends.python.libraries.tensorflow.v1.layers import (
    activated,
    label_of,
    layout_of,
    normalized,
    separable_layer,
    transposed_layer,
    weight,
    window_of,
)  # fmt: skip
from mlvet.frontends.python.libraries.tensorflow.v1.sessions import operation
from mlvet.frontends.python.libraries.tensorflow.v1.training import global_step
from mlvet.frontends.python.libraries.tensorflow.v1.variables import Initializer, Uniform
from mlvet.frontends.python.values.containers import DictValue, ListValue
from mlvet.frontends.python.values.tensors import dtype_of
from mlvet.frontends.python.values.unknown import Reason, Undecided, Unknown

RELU = find("tensorflow.nn.relu")


def finished(made: Tensor, count: Dim, layer: str, layout: str, rest: dict[str, Any], activation: Any) -> Any:
    """A layer's normalisation or bias, then its activation."""
    normalizer = rest.get("normalizer_fn")
    if normalizer is not None:
        given = rest.get("normalizer_params")
        figures = {str(key): each for key, each in given.cells.items()} if isinstance(given, DictValue) else {}
        made = machine().call(normalizer, made, **figures)
    elif rest.get("biases_initializer", True) is not None:
        made = bias_add(made, weight(layer, "biases", (count,), dtype_of(made)), layout)
    return activated(made, activation)


def _convolution(dims: int) -> Any:
    def function(
        inputs: Any, num_outputs: Any, kernel_size: Any, stride: Any = 1, padding: Any = "SAME",
        data_format: Any = None, rate: Any = 1, activation_fn: Any = RELU, *others: Any, scope: Any = None, **rest: Any,
    ) -> Tensor:  # fmt: skip
        del others
        layout = layout_of(data_format, dims)
        x = images(inputs, dims, layout)
        count, layer = as_size(num_outputs, "filters"), label_of(scope, "Conv")
        sizes = (*window_of(kernel_size, dims), dims_or_undecided(x)[layout.index("C")], count)
        made = convolved(x, weight(layer, "weights", sizes, dtype_of(x)), stride, padding, layout, rate, dims)
        found: Tensor = finished(made, count, layer, layout, rest, activation_fn)
        return found

    return function


scoped("tf_slim.conv2d", "tf_slim.convolution", "tf_slim.convolution2d")(_convolution(2))
scoped("tf_slim.conv1d")(_convolution(1))
scoped("tf_slim.conv3d", "tf_slim.convolution3d")(_convolution(3))


@scoped("tf_slim.conv2d_transpose", "tf_slim.convolution2d_transpose")
def conv2d_transpose(
    inputs: Any, num_outputs: Any, kernel_size: Any, stride: Any = 1, padding: Any = "SAME", data_format: Any = None,
    activation_fn: Any = RELU, *others: Any, scope: Any = None, **rest: Any,
) -> Tensor:  # fmt: skip
    del others
    layer = label_of(scope, "Conv2d_transpose")
    made = transposed_layer(inputs, num_outputs, kernel_size, stride, padding, data_format, None, False, layer)
    found: Tensor = finished(
        made, as_size(num_outputs, "filters"), layer, layout_of(data_format, 2), rest, activation_fn
    )
    return found


@scoped("tf_slim.separable_conv2d", "tf_slim.separable_convolution2d")
def separable_conv2d(
    inputs: Any, num_outputs: Any, kernel_size: Any, depth_multiplier: Any = 1, stride: Any = 1, padding: Any = "SAME",
    data_format: Any = None, rate: Any = 1, activation_fn: Any = RELU, *others: Any, scope: Any = None, **rest: Any,
) -> Tensor:  # fmt: skip
    del others
    layer, layout = label_of(scope, "SeparableConv2d"), layout_of(data_format, 2)
    times = 1 if depth_multiplier is None else depth_multiplier
    made = separable_layer(inputs, num_outputs, kernel_size, stride, padding, layout, rate, times, None, False, layer)
    count = dims_or_undecided(made)[layout.index("C")]
    found: Tensor = finished(made, count, layer, layout, rest, activation_fn)
    return found


@scoped("tf_slim.fully_connected", "tf_slim.linear", "tf_slim.relu")
def fully_connected(
    inputs: Any, num_outputs: Any, activation_fn: Any = RELU, *others: Any, scope: Any = None, **rest: Any
) -> Tensor:
    del others
    x: Tensor = assumed(convert(inputs), 2, "batch", "features")
    count, layer = as_size(num_outputs, "units"), label_of(scope, "fully_connected")
    made = op_of("matmul", x, weight(layer, "weights", (dims_or_undecided(x)[-1], count), dtype_of(x)))
    found: Tensor = finished(made, count, layer, "NHWC", rest, activation_fn)
    return found


def _pooling(op: str, dims: int) -> Any:
    def function(
        inputs: Any, kernel_size: Any, stride: Any = 2, padding: Any = "VALID", data_format: Any = None,
        outputs_collections: Any = None, scope: Any = None,
    ) -> Tensor:  # fmt: skip
        del outputs_collections, scope
        return pooled(op, inputs, kernel_size, stride, padding, layout_of(data_format, dims), dims)

    return function


for _dims in (2, 3):
    scoped(f"tf_slim.max_pool{_dims}d")(_pooling("max_pool", _dims))
    scoped(f"tf_slim.avg_pool{_dims}d")(_pooling("average_pool", _dims))


@scoped("tf_slim.batch_norm")
def batch_norm(
    inputs: Any, decay: Any = 0.999, center: Any = True, scale: Any = False, epsilon: Any = 0.001,
    activation_fn: Any = None, *others: Any, data_format: Any = None, scope: Any = None, **rest: Any,
) -> Tensor:  # fmt: skip
    del decay, others, rest
    axis = 1 if isinstance(data_format, str) and data_format.startswith("NC") else -1
    made = normalized(convert(inputs), axis, center, scale, epsilon, label_of(scope, "BatchNorm"))
    found: Tensor = activated(made, activation_fn)
    return found


def _normalised(name: str) -> Any:
    def function(inputs: Any, *others: Any, activation_fn: Any = None, scope: Any = None, **rest: Any) -> Tensor:
        del others, rest, scope
        found: Tensor = activated(like(name, convert(inputs)), activation_fn)
        return found

    return function


for _name in ("group_norm", "instance_norm", "layer_norm", "unit_norm"):
    scoped(f"tf_slim.{_name}")(_normalised(_name))


@scoped("tf_slim.dropout")
def dropout(inputs: Any, keep_prob: Any = 0.5, *others: Any, **rest: Any) -> Tensor:
    del others, rest
    ratio = 1.0 - keep_prob if isinstance(keep_prob, float) else 0.5
    made: Tensor = emit_all("dropout", convert(inputs), ratio, True, count=1, kind=Tensor)[0]
    return made


@scoped("tf_slim.flatten")
def flatten(inputs: Any, outputs_collections: Any = None, scope: Any = None) -> Tensor:
    del outputs_collections, scope
    x = convert(inputs)
    dims = dims_or_undecided(x)
    return op_of("reshape", x, (dims[0], product(dims[1:])))


@scoped("tf_slim.softmax")
def softmax(logits: Any, scope: Any = None) -> Tensor:
    del scope
    return op_of("softmax", convert(logits), axis=-1)


@scoped("tf_slim.one_hot_encoding")
def one_hot_encoding(
    labels: Any, num_classes: Any = None, on_value: Any = 1.0, off_value: Any = 0.0, outputs_collections: Any = None,
    scope: Any = None,
) -> Tensor:  # fmt: skip
    del on_value, off_value, outputs_collections, scope
    x = convert(labels)
    return typed("one_hot", [x], dtypes.f32, *dims_or_undecided(x), as_size(num_classes, "classes"))


@scoped("tf_slim.bias_add")
def biased(inputs: Any, activation_fn: Any = None, *others: Any, scope: Any = None, **rest: Any) -> Tensor:
    del others
    x = convert(inputs)
    found: Tensor = finished(x, dims_or_undecided(x)[-1], label_of(scope, "BiasAdd"), "NHWC", rest, activation_fn)
    return found


@model("tf_slim.repeat")
def repeat(inputs: Any, repetitions: Any, layer: Any, *args: Any, **kwargs: Any) -> Any:
    """A layer several times; more than are worth following leave a tensor of the same shape."""
    scope = kwargs.pop("scope", None)
    if not isinstance(repetitions, int) or repetitions > machine().limits.unrolled:
        raise Undecided(Reason.UNMODELLED_ARGUMENTS, "an unknown number of repetitions")
    made = inputs
    for count in range(repetitions):
        label = f"{scope}_{count + 1}" if isinstance(scope, str) else None
        made = machine().call(layer, made, *args, **kwargs, scope=label)
    return made


@model("tf_slim.stack")
def stack(inputs: Any, layer: Any, stack_args: Any, **kwargs: Any) -> Any:
    scope = kwargs.pop("scope", None)
    made = inputs
    for count, each in enumerate(as_items(stack_args)):
        given = as_items(each) if isinstance(each, tuple | list | ListValue) else (each,)
        label = f"{scope}_{count + 1}" if isinstance(scope, str) else None
        made = machine().call(layer, made, *given, **kwargs, scope=label)
    return made


def _regularizer(scale: Any = 0.0, scope: Any = None) -> Any:
    del scale, scope

    def penalty(weights: Any) -> Tensor:
        return op_of("reduce_sum_square", convert(weights), None, keepdims=False)

    return penalty


for _name in ("l1_regularizer", "l2_regularizer", "l1_l2_regularizer", "sum_regularizer"):
    model(f"tf_slim.{_name}")(_regularizer)
for _name in ("xavier_initializer", "xavier_initializer_conv2d"):
    model(f"tf_slim.{_name}")(type(_name, (Uniform,), {}))
model("tf_slim.variance_scaling_initializer")(type("variance_scaling_initializer", (Initializer,), {}))
for _name in ("get_or_create_global_step", "create_global_step", "get_global_step"):
    model(f"tf_slim.{_name}")(global_step)
for _name in ("learning.train", "assign_from_checkpoint_fn", "summarize_collection", "model_analyzer.analyze_vars"):
    model(f"tf_slim.{_name}")(operation)


@model("tf_slim.learning.create_train_op")
def create_train_op(total_loss: Any, optimizer: Any, *rest: Any, **keywords: Any) -> Tensor:
    del optimizer, rest, keywords
    return convert(total_loss)


@model("tf_slim.utils.convert_collection_to_dict", "tf_slim.layers.utils.convert_collection_to_dict")
def convert_collection_to_dict(*args: Any, **keywords: Any) -> Any:
    del args, keywords
    return DictValue(rest=Unknown(Reason.DYNAMIC_CONTAINER, "the outputs of layers"))


@model("tf_slim.utils.collect_named_outputs", "tf_slim.layers.utils.collect_named_outputs")
def collect_named_outputs(collections: Any, alias: Any, outputs: Any) -> Any:
    del collections, alias
    return outputs


@model("tf_slim.utils.last_dimension", "tf_slim.layers.utils.last_dimension")
def last_dimension(shape: Any, min_rank: Any = 1) -> Any:
    del min_rank
    return shape[-1]
