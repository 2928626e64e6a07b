"""flax.training, flax.jax_utils and flax.metrics: the state of a training, checkpoints, devices, curves."""

from __future__ import annotations

from typing import Any, ClassVar

from mlvet.domains import dtypes
from mlvet.domains.dims import floor_div, symbol
from mlvet.domains.tensors import Tensor as Known
from mlvet.frontends.python.active import machine, store
from mlvet.frontends.python.emission import opaque
from mlvet.frontends.python.libraries.binding import Size, as_items
from mlvet.frontends.python.libraries.jax.array import Array, as_jax, canonical
from mlvet.frontends.python.libraries.jax.devices import device_total
from mlvet.frontends.python.libraries.jax.numpy.creation import sized
from mlvet.frontends.python.libraries.jax.transformations import derivatives, like, with_axis, without_axis
from mlvet.frontends.python.libraries.jax.trees import changed, leaves_of, mapped
from mlvet.frontends.python.libraries.registry import model
from mlvet.frontends.python.values.containers import DictValue, ListValue, Repeated
from mlvet.frontends.python.values.numbers import Scalar
from mlvet.frontends.python.values.objects import ClassValue, Object
from mlvet.frontends.python.values.tensors import TensorValue, dims_of, dtype_of
from mlvet.frontends.python.values.unknown import Reason, Undecided, Unknown


@model("flax.training.train_state.TrainState")
class TrainState(Object):
    """A step, the function of the model, its parameters and the state of the optimiser. Programs add fields."""

    pytree: ClassVar[bool] = True

    def __init__(
        self, step: Any = None, apply_fn: Any = None, params: Any = None, tx: Any = None, opt_state: Any = None,
        **keywords: Any,
    ) -> None:  # fmt: skip
        self.step = 0 if step is None else step
        self.apply_fn = apply_fn
        self.params = params
        self.tx = tx
        self.opt_state = opt_state
        for name, value in keywords.items():
            setattr(self, name, value)

    @classmethod
    def create(cls: Any, *, apply_fn: Any = None, params: Any = None, tx: Any = None, **keywords: Any) -> Any:
        """`cls` is a class of the program where that has one."""
        state = None
        if tx is not None and not isinstance(tx, Unknown):
            inner = params.cells.get("params", params) if isinstance(params, DictValue) else params
            state = machine().call(machine().attribute(tx, "init"), inner)
        kind = cls if isinstance(cls, ClassValue) else None
        made = TrainState.__new__(kind.native if kind is not None else cls)
        object.__setattr__(made, "kind", kind)
        for owner in reversed(kind.order) if kind is not None else ():
            if isinstance(owner, ClassValue):
                names = owner.cells.get("__annotations__")
                for name in names.cells if isinstance(names, DictValue) else ():
                    made.cells[name] = owner.cells.get(name)
        made.cells.update({"step": 0, "apply_fn": apply_fn, "params": params, "tx": tx, "opt_state": state, **keywords})
        return made

    def apply_gradients(self, *, grads: Any, **keywords: Any) -> Any:
        step = opaque("step", [], Known(dtypes.i32, ()), Array)
        same = {"step": step, "params": like(self.params, "params"), "opt_state": like(self.opt_state, "opt_state")}
        return changed(self, {**same, **keywords})

    def replace(self, **updates: Any) -> Any:
        return changed(self, updates)


@model("flax.training.checkpoints.restore_checkpoint")
def restore_checkpoint(ckpt_dir: Any, target: Any, *rest: Any, **options: Any) -> Any:
    if target is None:
        raise Undecided(Reason.EXTERNAL_DATA, "a checkpoint")
    return target


@model("flax.training.checkpoints.save_checkpoint", "flax.training.checkpoints.save_checkpoint_multiprocess",
    "flax.training.checkpoints.latest_checkpoint")  # fmt: skip
def save_checkpoint(*args: Any, **keywords: Any) -> Any:
    return Scalar(str)


@model("flax.training.early_stopping.EarlyStopping")
class EarlyStopping(Object):
    """Whether a metric has stopped to improve."""

    def __init__(self, min_delta: Any = 0, patience: Any = 0, **options: Any) -> None:
        self.should_stop = Scalar(bool, "should_stop")
        self.best_metric = Scalar(float)
        self.patience_count = Scalar(int)
        self.has_improved = Scalar(bool, "has_improved")

    def update(self, metric: Any) -> Any:
        return self

    def reset(self) -> Any:
        return self


@model("flax.training.dynamic_scale.DynamicScale")
class DynamicScale(Object):
    """The scale of a loss in half precision."""

    pytree: ClassVar[bool] = True

    def __init__(self, *args: Any, **options: Any) -> None:
        self.scale = opaque("scale", [], Known(dtypes.f32, ()), Array)

    def value_and_grad(self, fun: Any, argnums: Any = 0, has_aux: bool = False, axis_name: Any = None) -> Any:
        def run(*args: Any, **keywords: Any) -> Any:
            value, gradients = derivatives(argnums, has_aux, like, with_value=True, fun=fun)(*args, **keywords)
            return self, opaque("is_finite", [], Known(dtypes.bool_, ()), Array), value, gradients

        return run

    def replace(self, **updates: Any) -> Any:
        return changed(self, updates)


# flax.training.common_utils


@model("flax.training.common_utils.shard")
def shard(xs: Any) -> Any:
    """The batch in as many parts as there are devices."""

    def split(leaf: Any) -> Any:
        x = as_jax(leaf)
        dims = dims_of(x)
        if not dims:
            return x
        count = device_total()
        return opaque(
            "shard", [x], Known(x.graph_value.declared.dtype, (count, floor_div(dims[0], count), *dims[1:])), Array
        )

    return mapped(lambda _, leaf: split(leaf) if isinstance(leaf, TensorValue) else leaf, xs)


@model("flax.training.common_utils.shard_prng_key")
def shard_prng_key(prng_key: Any) -> Any:
    from mlvet.frontends.python.libraries.jax.random import split

    return split(as_jax(prng_key), device_total())


@model("flax.training.common_utils.onehot")
def onehot(labels: Any, num_classes: Size, on_value: Any = 1.0, off_value: Any = 0.0) -> Any:
    x = as_jax(labels)
    dims = dims_of(x)
    if dims is None:
        raise Undecided(Reason.UNMODELLED_ARGUMENTS, "labels of unknown rank")
    return opaque("onehot", [x], Known(dtypes.f32, (*dims, num_classes)), Array)


@model("flax.training.common_utils.stack_forest")
def stack_forest(forest: Any) -> Any:
    """A list of trees as one tree of longer arrays."""
    items = machine().items(forest)
    first, size = (items.element, items.length) if isinstance(items, Repeated) else (items[0], len(items))
    return mapped(lambda _, leaf: with_axis(leaf, 0, size), first)


@model("flax.training.common_utils.get_metrics")
def get_metrics(device_metrics: Any) -> Any:
    def first(leaf: Any) -> Any:
        return without_axis(leaf, 0, []) if isinstance(leaf, TensorValue) and dims_of(leaf) else leaf

    items = machine().items(device_metrics)
    trees = (items.element,) if isinstance(items, Repeated) else items
    if not trees:
        raise Undecided(Reason.DYNAMIC_CONTAINER, "no metrics")
    shortened = [mapped(lambda _, leaf: first(leaf), tree) for tree in trees]
    length = items.length if isinstance(items, Repeated) else len(items)
    return mapped(lambda _, leaf: with_axis(leaf, 0, length), shortened[0])


@model("flax.training.lr_schedule.create_cosine_learning_rate_schedule",
    "flax.training.lr_schedule.create_stepped_learning_rate_schedule")  # fmt: skip
def learning_rate_schedule(*args: Any, **keywords: Any) -> Any:
    return lambda step: opaque("learning_rate", [], Known(dtypes.f32, ()), Array)


@model("flax.training.lr_schedule.create_constant_learning_rate_schedule")
def constant_learning_rate(base_learning_rate: Any, steps_per_epoch: Any, *rest: Any, **options: Any) -> Any:
    return lambda step: base_learning_rate


# flax.jax_utils


@model("flax.jax_utils.replicate")
def replicate(tree: Any, devices: Any = None) -> Any:
    return mapped(lambda _, leaf: with_axis(leaf, 0, device_total()), tree)


@model("flax.jax_utils.unreplicate")
def unreplicate(tree: Any) -> Any:
    if isinstance(tree, Unknown):
        raise Undecided(tree)
    return mapped(lambda _, leaf: without_axis(leaf, 0, []) if isinstance(leaf, TensorValue) else leaf, tree)


@model("flax.jax_utils.prefetch_to_device")
def prefetch_to_device(iterator: Any, size: Any, devices: Any = None, axis_name: Any = None) -> Any:
    from mlvet.frontends.python.values.containers import IteratorValue

    items = machine().items(iterator)

    def arrays(tree: Any) -> Any:
        return mapped(lambda _, leaf: as_jax(leaf) if isinstance(leaf, TensorValue) else leaf, tree)

    if isinstance(items, Repeated):
        return IteratorValue(Repeated(arrays(items.element), items.length))
    return IteratorValue(tuple(arrays(item) for item in items))


@model("flax.jax_utils.pad_shard_unpad")
def pad_shard_unpad(wrapped: Any, static_argnums: Any = (0,), static_argnames: Any = (), **options: Any) -> Any:
    """The function on a batch that is dealt out to all devices; what it yields is as long as that batch."""

    def run(*args: Any, **keywords: Any) -> Any:
        given = [arg for place, arg in enumerate(args) if place not in as_items(static_argnums)]
        batches = [
            dims[0] for leaf in leaves_of(tuple(given)) if isinstance(leaf, TensorValue) and (dims := dims_of(leaf))
        ]
        devices = device_total()
        share = symbol(machine().fresh("share"))

        def padded(tree: Any) -> Any:
            return mapped(lambda _, leaf: _with_first(leaf, (devices, share)), tree)

        split = [arg if place in as_items(static_argnums) else padded(arg) for place, arg in enumerate(args)]
        named = {name: arg if name in as_items(static_argnames) else padded(arg) for name, arg in keywords.items()}
        result = machine().call(wrapped, *split, **named)
        if not batches:
            raise Undecided(Reason.UNMODELLED_ARGUMENTS, "no batch")
        return mapped(lambda _, leaf: _with_first(leaf, (batches[0],), 2), result)

    return run


def _with_first(leaf: Any, first: tuple[Any, ...], instead_of: int = 1) -> Any:
    """An array with other sizes in place of its first ones."""
    dims = dims_of(leaf) if isinstance(leaf, TensorValue) else None
    if dims is None:
        return leaf
    return opaque("sharded", [leaf], Known(dtype_of(leaf), (*first, *dims[instead_of:])), type(leaf))


@model("flax.jax_utils.partial_eval_by_shape")
def partial_eval_by_shape(fn: Any, input_spec: Any, *args: Any, **keywords: Any) -> Any:
    """What a function of arrays that are known by their shapes alone yields."""
    made = []
    for spec in as_items(input_spec):
        items = as_items(spec)
        nested = len(items) == 2 and isinstance(items[0], tuple | ListValue)
        shape, dtype = (as_items(items[0]), items[1]) if nested else (items, dtypes.f32)
        made.append(opaque("argument", [], Known(canonical(dtype), sized(shape)), Array))
    return machine().call(fn, *made, *args, **keywords)


@model("flax.metrics.tensorboard.SummaryWriter")
class SummaryWriter(Object):
    """Curves for TensorBoard."""

    def __init__(self, log_dir: Any, auto_flush: bool = True) -> None:
        store(self.cells, "@log_dir", log_dir)

    def scalar(self, *args: Any, **keywords: Any) -> None:
        return None

    image = audio = histogram = text = hparams = write = flush = close = scalar
