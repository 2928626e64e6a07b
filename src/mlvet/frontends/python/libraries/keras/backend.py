"""keras.backend as Keras 2 had it: functions of keras.ops under other names."""

from __future__ import annotations

from typing import Any

from mlvet.domains import dtypes
from mlvet.domains.dtypes import DType
from mlvet.domains.tensors import Tensor as Known
from mlvet.frontends.python.arrays.arithmetic import cast
from mlvet.frontends.python.emission import demand, opaque
from mlvet.frontends.python.libraries.binding import ArrayLike, Items, Tensor
from mlvet.frontends.python.libraries.keras.ops.axes import ranked_dims
from mlvet.frontends.python.libraries.keras.settings import floats, nothing
from mlvet.frontends.python.libraries.keras.tensor import KerasTensor, array
from mlvet.frontends.python.libraries.registry import MODELS, find, load, model
from mlvet.frontends.python.values.containers import ListValue
from mlvet.frontends.python.values.numbers import Scalar
from mlvet.frontends.python.values.tensors import dims_of, dtype_of, rank_of

SAME = (
    "abs", "all", "any", "arange", "cast", "clip", "cos", "dot", "elu", "equal", "exp", "expand_dims", "flatten=ravel",
    "greater", "greater_equal", "hard_sigmoid",
    "less", "less_equal", "log", "logsumexp", "max", "maximum", "mean", "min", "minimum", "not_equal", "one_hot",
    "ones", "ones_like", "permute_dimensions=transpose", "pow=power", "prod", "relu", "repeat_elements=repeat",
    "reshape", "reverse=flip", "round", "sigmoid", "sign", "sin", "softmax", "softplus", "softsign", "sqrt",
    "square", "squeeze", "stack", "std", "stop_gradient", "sum", "tanh", "tile", "transpose", "var", "zeros",
    "zeros_like", "ndim", "binary_crossentropy", "categorical_crossentropy", "sparse_categorical_crossentropy",
    "is_tensor", "gather", "l2_normalize=normalize",
)  # fmt: skip

for _entry in SAME:
    _name, _, _other = _entry.partition("=")
    if _name != "gather":
        model(f"keras.backend.{_name}")(MODELS[f"keras.ops.{_other or _name}"])


@model("keras.backend.gather")
def gather(reference: ArrayLike, indices: ArrayLike) -> Tensor:
    take = MODELS["keras.ops.take"]
    return take(reference, indices, 0)


@model("keras.backend.int_shape")
def int_shape(x: ArrayLike) -> Any:
    return ranked_dims(array(x))


@model("keras.backend.count_params")
def count_params(x: ArrayLike) -> Any:
    from mlvet.domains.dims import product

    return product(ranked_dims(array(x)))


@model("keras.backend.dtype")
def dtype(x: ArrayLike) -> Any:
    from mlvet.frontends.python.libraries.keras.settings import name_of

    return name_of(dtype_of(array(x)))


def _place(name: str) -> Any:
    def function(x: ArrayLike, axis: Any = -1) -> Tensor:
        return cast(MODELS[f"keras.ops.{name}"](x, axis), dtypes.i64)

    return function


def _cumulative(name: str) -> Any:
    def function(x: ArrayLike, axis: Any = 0) -> Tensor:
        return MODELS[f"keras.ops.{name}"](x, axis)

    return function


for _name in ("argmax", "argmin"):
    model(f"keras.backend.{_name}")(_place(_name))
for _name in ("cumsum", "cumprod"):
    model(f"keras.backend.{_name}")(_cumulative(_name))


@model("keras.backend.concatenate")
def concatenate(tensors: Items, axis: Any = -1) -> Tensor:
    return MODELS["keras.ops.concatenate"](tensors, axis)


@model("keras.backend.eye")
def eye(size: Any, dtype: DType | None = None, name: Any = None) -> Tensor:
    demand(not isinstance(size, tuple | ListValue), "an identity has one size")
    return MODELS["keras.ops.eye"](size, None, 0, dtype)


@model("keras.backend.in_top_k")
def in_top_k(predictions: ArrayLike, targets: ArrayLike, k: Any) -> Tensor:
    return MODELS["keras.ops.in_top_k"](targets, predictions, k)


@model("keras.backend.shape")
def shape(x: ArrayLike) -> Tensor:
    """The sizes as a tensor, whose elements are known as far as the sizes are."""
    load("tensorflow")
    return find("tensorflow.shape")(x)


@model("keras.backend.constant", "keras.backend.variable")
def constant(value: Any, dtype: DType | None = None, *rest: Any, shape: Any = None, **keywords: Any) -> Tensor:
    """A tensor of floats, unless another type is named."""
    wanted = dtype or floats()
    given = shape if shape is not None else rest[0] if rest and isinstance(rest[0], tuple | ListValue) else None
    return MODELS["keras.ops.full"](given, value, wanted) if given is not None else cast(array(value), wanted)


@model("keras.backend.batch_dot")
def batch_dot(x: ArrayLike, y: ArrayLike, axes: Any = None) -> Tensor:
    from mlvet.frontends.python.libraries.keras.layers.merging import contracted

    left, right = array(x), array(y)
    if axes is None:
        ranks = rank_of(left), rank_of(right)
        axes = ((ranks[0] or 2) - 1, (ranks[1] or 2) - 2 if (ranks[1] or 2) > 2 else (ranks[1] or 2) - 1)
    return contracted(left, right, axes)


@model("keras.backend.get_value", "keras.backend.eval")
def get_value(x: Any) -> Any:
    return x.numpy() if isinstance(x, KerasTensor) else x


@model("keras.backend.set_value", "keras.backend.update", "keras.backend.batch_set_value")
def set_value(x: Any, value: Any = None) -> None:
    return nothing()


@model("keras.backend.function")
def function(inputs: Any, outputs: Any, updates: Any = None, name: Any = None) -> Any:
    from mlvet.frontends.python.libraries.keras.model import Model

    return Model(inputs, outputs)


@model("keras.backend.switch")
def switch(condition: Any, then_expression: Any, else_expression: Any) -> Any:
    where = MODELS["keras.ops.where"]
    return where(condition, then_expression, else_expression)


@model("keras.backend.ctc_batch_cost")
def ctc_batch_cost(y_true: ArrayLike, y_pred: ArrayLike, input_length: ArrayLike, label_length: ArrayLike) -> Tensor:
    made = array(y_pred)
    return opaque(
        "backend.ctc_batch_cost", [array(y_true), made], Known(dtypes.f32, (ranked_dims(made)[0], 1)), type(made)
    )


@model("keras.backend.ctc_decode")
def ctc_decode(
    y_pred: ArrayLike, input_length: Any, greedy: Any = True, beam_width: Any = 100, top_paths: Any = 1
) -> Any:
    made = array(y_pred)
    dims = dims_of(made) or (1, 1)
    count = top_paths if isinstance(top_paths, int) else 1
    paths = [
        opaque("backend.ctc_decode", [made], Known(dtypes.i64, (dims[0], dims[1])), type(made)) for _ in range(count)
    ]
    return paths, opaque("backend.ctc_decode", [made], Known(dtypes.f32, (dims[0], count)), type(made))


@model("keras.backend.standardize_dtype", "keras.utils.standardize_dtype")
def standardize_dtype(dtype: Any) -> Any:
    from mlvet.frontends.python.libraries.element_types import dtype_named
    from mlvet.frontends.python.libraries.keras.settings import name_of

    return name_of(dtype_named(dtype)) or Scalar(str, "dtype")


@model("keras.backend.is_float_dtype")
def is_float_dtype(dtype: Any) -> Any:
    from mlvet.frontends.python.libraries.element_types import dtype_named

    found = dtype_named(dtype)
    return found.is_float if found is not None else Scalar(bool, "is_float")


@model("keras.backend.is_int_dtype")
def is_int_dtype(dtype: Any) -> Any:
    from mlvet.frontends.python.libraries.element_types import dtype_named

    found = dtype_named(dtype)
    return found.is_integer if found is not None else Scalar(bool, "is_int")


@model("keras.backend.result_type")
def result_type(*types: Any) -> Any:
    return types[0] if types and isinstance(types[0], str) else Scalar(str, "dtype")


@model("keras.backend.get_uid")
def get_uid(prefix: Any = "") -> Any:
    return 1
