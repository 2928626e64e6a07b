"""Variables by name: scopes, get_variable, collections and initialisers."""

from __future__ import annotations

from typing import Any

from mlvet.domains import dtypes
from mlvet.domains.dims import Dim
from mlvet.domains.dtypes import DType
from mlvet.domains.tensors import Tensor as Known
from mlvet.domains.tensors import unknown
from mlvet.frontends.python.active import machine, store
from mlvet.frontends.python.libraries.registry import model
from mlvet.frontends.python.libraries.tensorflow.arguments import sizes_of
from mlvet.frontends.python.libraries.tensorflow.creation import normal, ones, uniform, zeros
from mlvet.frontends.python.libraries.tensorflow.shapes import partial_sizes
from mlvet.frontends.python.libraries.tensorflow.static import demand_static, use_references
from mlvet.frontends.python.libraries.tensorflow.tensor import (
    Tensor,
    Variable,
    convert,
    remember_variable,
)
from mlvet.frontends.python.values.choices import Choice
from mlvet.frontends.python.values.containers import ListValue, Repeated
from mlvet.frontends.python.values.numbers import Scalar
from mlvet.frontends.python.values.objects import Object
from mlvet.frontends.python.values.tensors import TensorValue, dims_of
from mlvet.frontends.python.values.unknown import Reason, Undecided, Unknown

for _name in (
    "GLOBAL_VARIABLES LOCAL_VARIABLES MODEL_VARIABLES TRAINABLE_VARIABLES SUMMARIES QUEUE_RUNNERS TABLE_INITIALIZERS "
    "UPDATE_OPS LOSSES REGULARIZATION_LOSSES WEIGHTS BIASES ACTIVATIONS GLOBAL_STEP MOVING_AVERAGE_VARIABLES INIT_OP "
    "LOCAL_INIT_OP READY_OP SUMMARY_OP SAVERS TRAIN_OP CONCATENATED_VARIABLES ASSET_FILEPATHS EVAL_STEP COND_CONTEXT"
).split():
    model(f"tensorflow.compat.v1.GraphKeys.{_name}")(_name.lower())
model("tensorflow.compat.v1.AUTO_REUSE")(1)
for _name in ("AUTO", "NONE", "ON_WRITE", "ON_READ"):
    model(f"tensorflow.VariableSynchronization.{_name}")(_name)
for _name in ("NONE", "SUM", "MEAN", "ONLY_FIRST_REPLICA"):
    model(f"tensorflow.VariableAggregation.{_name}")(_name)


def memory() -> dict[Any, Any]:
    return machine().memory.setdefault("tensorflow", {})


def prefix() -> str:
    found = memory().get("scope", "")
    return found if isinstance(found, str) else ""


def full_name(name: Any) -> str:
    label = name if isinstance(name, str) else unique("Variable")
    return f"{prefix()}/{label}" if prefix() else label


def unique(default: str) -> str:
    """A name that this scope has not given yet; a scope that is entered again gives the same names again."""
    key = ("label", prefix(), default)
    count = memory().get(key, 0)
    if not isinstance(count, int):
        return machine().fresh(f"{prefix()}/{default}").removeprefix(f"{prefix()}/")
    store(memory(), key, count + 1)
    return f"{default}_{count}" if count else default


@model("tensorflow.compat.v1.VariableScope")
class VariableScope(Object):
    """A part of the names of variables."""

    def __init__(self, *args: Any, **keywords: Any) -> None:
        del keywords
        self.name = args[-1] if args and isinstance(args[-1], str) else prefix()
        self.reuse = False
        self.before: Any = None

    @property
    def original_name_scope(self) -> Any:
        return f"{self.name}/"

    def reuse_variables(self) -> None:
        self.reuse = True

    def set_initializer(self, initializer: Any) -> None:
        """Of variables to come."""

    def set_regularizer(self, regularizer: Any) -> None:
        """Of variables to come."""

    def set_partitioner(self, partitioner: Any) -> None:
        """Of variables to come."""

    def global_variables(self) -> Any:
        return ListValue(kept_variables("global", self.name))

    def trainable_variables(self) -> Any:
        return ListValue(kept_variables("trainable", self.name))

    def __enter__(self) -> Any:
        self.before = prefix()
        store(memory(), "scope", self.name)
        for key in list(memory()):
            if isinstance(key, tuple) and key[:2] == ("label", self.name):
                store(memory(), key, 0)
        return self

    def __exit__(self, *error: Any) -> None:
        store(memory(), "scope", self.before or "")


@model("tensorflow.compat.v1.variable_scope", "tensorflow.compat.v1.variable_op_scope")
def variable_scope(name_or_scope: Any = None, default_name: Any = None, *rest: Any, **keywords: Any) -> Any:
    if keywords.get("use_resource") not in (None, False):
        use_references(False)
    del rest
    if isinstance(name_or_scope, VariableScope):
        return VariableScope(name_or_scope.name)
    if isinstance(name_or_scope, str):
        return VariableScope(full_name(name_or_scope))
    return VariableScope(full_name(unique(default_name if isinstance(default_name, str) else "scope")))


@model("tensorflow.compat.v1.get_variable_scope")
def get_variable_scope() -> Any:
    return VariableScope(prefix())


def all_variables() -> tuple[Variable, ...]:
    return tuple(each for each in memory().get("variables", ()) if "@value" in each.cells)


def trainable(variable: Any) -> bool:
    return variable.cells.get("trainable", True) is not False


def _within(variable: Any, scope: Any) -> bool:
    name = variable.cells.get("@name")
    return not isinstance(scope, str) or not isinstance(name, str) or name.startswith(scope)


def new_variable(
    name: str, dims: tuple[Dim, ...] | None, dtype: DType | None = dtypes.f32, train: Any = True
) -> Variable:
    """A variable of the graph; one of the same name and shape is the same variable."""
    for each in all_variables():
        if each.cells.get("@name") == name and dims_of(each) == dims:
            return each
    made = Variable.__new__(Variable)
    assert isinstance(made, Variable)
    like = unknown(machine().fresh(name), dtype) if dims is None else Known(dtype, dims)
    value = machine().builder.parameter(name, like, trainable=train is not False)
    made.cells.update({"@value": value, "@name": name, "trainable": train})
    remember_variable(made)
    return made


@model("tensorflow.compat.v1.get_variable")
def get_variable(
    name: Any, shape: Any = None, dtype: DType | None = None, initializer: Any = None, regularizer: Any = None,
    trainable: Any = None, *rest: Any, **keywords: Any,
) -> Tensor:  # fmt: skip
    del regularizer, rest
    sizes: tuple[Dim, ...] | None
    if shape is None and isinstance(initializer, TensorValue | int | float | ListValue):
        start = convert(initializer, hint=dtype)
        demand_static(start, keywords.get("validate_shape", True), keywords.get("use_resource"))
        return new_variable(
            full_name(name), dims_of(start), start.dtype if isinstance(start.dtype, DType) else None, trainable
        )
    try:
        sizes = None if shape is None else partial_sizes(shape)
    except Undecided:
        sizes = None
    return new_variable(full_name(name), sizes, dtype or dtypes.f32, trainable)


@model("tensorflow.compat.v1.get_local_variable")
def get_local_variable(name: Any, shape: Any = None, dtype: DType | None = None, initializer: Any = None, *rest: Any,
                       **keywords: Any) -> Tensor:  # fmt: skip
    del rest, keywords
    made = get_variable(name, shape, dtype, initializer, None, False)
    store(made.cells, "local", True)
    return made


def kept_variables(kind: str = "global", scope: Any = None) -> list[Variable]:
    """The variables of one kind: global, trainable, local, or of a model that was built from layers."""
    return [
        each
        for each in all_variables()
        if _within(each, scope)
        and (each.cells.get("local") is True) == (kind == "local")
        and (kind != "trainable" or trainable(each))
        and (kind != "model" or each.cells.get("model") is True)
    ]


def _selected(kind: str) -> Any:
    def function(scope: Any = None) -> Any:
        return ListValue(kept_variables(kind, scope))

    return function


for _kind in ("global", "trainable", "local", "model"):
    model(f"tensorflow.compat.v1.{_kind}_variables")(_selected(_kind))
model("tensorflow.compat.v1.all_variables")(_selected("global"))


@model("tensorflow.compat.v1.moving_average_variables")
def moving_average_variables(scope: Any = None) -> Any:
    del scope
    raise Undecided(Reason.UNMODELLED_CALL, "moving averages")


@model("tensorflow.compat.v1.get_collection", "tensorflow.compat.v1.get_collection_ref")
def get_collection(key: Any, scope: Any = None) -> Any:
    kind = key.removesuffix("_variables") if isinstance(key, str) else ""
    if kind in ("trainable", "global", "model", "local") and key != kind:
        return ListValue(kept_variables(kind, scope))
    if isinstance(key, Scalar | Unknown):
        raise Undecided(key if isinstance(key, Unknown) else Reason.UNKNOWN_DISPATCH, "a collection")
    return ListValue(_collected(str(key)))


@model("tensorflow.compat.v1.add_to_collection", "tensorflow.compat.v1.add_to_collections")
def add_to_collection(name: Any, value: Any) -> None:
    store(memory(), ("collection", str(name)), (*_collected(str(name)), value))


def _collected(name: str) -> tuple[Any, ...]:
    found = memory().get(("collection", name), ())
    if isinstance(found, Choice):
        found = found.alternatives[0][1]
    return (found.element,) if isinstance(found, Repeated) else tuple(found)


class Initializer(Object):
    """Makes the first contents of a variable."""

    def __init__(self, *args: Any, **keywords: Any) -> None:
        self.first = args[0] if args else keywords.get("value")

    def __call__(
        self, shape: Any = None, dtype: DType | None = None, partition_info: Any = None, **rest: Any
    ) -> Tensor:
        del partition_info, rest
        return self.made(shape, dtype or dtypes.f32)

    def made(self, shape: Any, dtype: DType) -> Tensor:
        return normal(sizes_of(shape), dtype=dtype)


class Zeros(Initializer):
    def made(self, shape: Any, dtype: DType) -> Tensor:
        return zeros(sizes_of(shape), dtype)


class Ones(Initializer):
    def made(self, shape: Any, dtype: DType) -> Tensor:
        return ones(sizes_of(shape), dtype)


class Uniform(Initializer):
    def made(self, shape: Any, dtype: DType) -> Tensor:
        return uniform(sizes_of(shape), dtype=dtype)


for _class, _names in (
    (Zeros, "zeros_initializer constant_initializer"), (Ones, "ones_initializer"),
    (Uniform, "random_uniform_initializer uniform_unit_scaling_initializer glorot_uniform_initializer"),
    (Initializer, "random_normal_initializer truncated_normal_initializer variance_scaling_initializer "
                  "orthogonal_initializer glorot_normal_initializer"),
):  # fmt: skip
    for _name in _names.split():
        model(f"tensorflow.compat.v1.{_name}")(type(_name, (_class,), {}))


@model("tensorflow.compat.v1.make_template")
def make_template(name_: Any, func_: Any, *rest: Any, **keywords: Any) -> Any:
    """A function with some arguments given; its variables are made once."""
    del name_, rest
    given = {
        key: each
        for key, each in keywords.items()
        if key not in ("create_scope_now_", "unique_name_", "custom_getter_")
    }

    def call(*args: Any, **more: Any) -> Any:
        return machine().call(func_, *args, **{**given, **more})

    return call


@model("tensorflow.compat.v1.fixed_size_partitioner", "tensorflow.compat.v1.min_max_variable_partitioner")
def partitioner(*args: Any, **keywords: Any) -> Any:
    del args, keywords
    return None
