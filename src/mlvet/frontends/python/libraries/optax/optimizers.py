"""Transformations of gradients: their state and their updates are trees like the parameters."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

from mlvet.domains import dtypes
from mlvet.domains.tensors import Tensor as Known
from mlvet.frontends.python.active import machine
from mlvet.frontends.python.emission import opaque
from mlvet.frontends.python.libraries.jax.array import Array, Tensor, as_jax
from mlvet.frontends.python.libraries.jax.transformations import like
from mlvet.frontends.python.libraries.jax.trees import leaves_of, mapped
from mlvet.frontends.python.libraries.registry import model
from mlvet.frontends.python.values.containers import DictValue
from mlvet.frontends.python.values.objects import Object
from mlvet.frontends.python.values.tensors import TensorValue
from mlvet.frontends.python.values.unknown import Reason

OPTIMIZERS = (
    "adabelief", "adadelta", "adafactor", "adagrad", "adam", "adamax", "adamaxw", "adamw", "adan", "amsgrad", "fromage",
    "lamb", "lars", "lbfgs", "lion", "nadam", "nadamw", "noisy_sgd", "novograd", "optimistic_adam",
    "optimistic_gradient_descent", "polyak_sgd", "radam", "rmsprop", "rprop", "sgd", "sign_sgd", "sm3", "yogi",
)  # fmt: skip
PARTS = (
    "adaptive_grad_clip", "add_decayed_weights", "add_noise", "apply_every", "centralize", "clip", "clip_by_block_rms",
    "clip_by_global_norm", "ema", "identity", "keep_params_nonnegative", "normalize_by_update_norm", "scale",
    "scale_by_adam", "scale_by_adamax", "scale_by_amsgrad", "scale_by_belief", "scale_by_learning_rate",
    "scale_by_lion", "scale_by_radam", "scale_by_rms", "scale_by_rss", "scale_by_schedule", "scale_by_stddev",
    "scale_by_trust_ratio", "scale_by_yogi", "set_to_zero", "trace", "zero_nans",
)  # fmt: skip


class OptState(Object):
    """The state of an optimiser; of its moments only the form is known."""

    pytree: ClassVar[bool] = True

    def __init__(self, params: Any) -> None:
        self.count = opaque("count", [], Known(dtypes.i32, ()), Array)
        self.mu = like(params, "mu")
        self.nu = like(params, "nu")

    def __getitem__(self, index: Any) -> Any:
        return self

    def _replace(self, **updates: Any) -> Any:
        return self

    def missing(self, name: str) -> Any:
        if name == "hyperparams":
            return DictValue({"learning_rate": opaque("learning_rate", [], Known(dtypes.f32, ()), Array)})
        return machine().unknown(Reason.EXTERNAL_DATA, f"optimiser state {name}")


@model("optax.GradientTransformation", "optax.GradientTransformationExtraArgs")
class GradientTransformation(Object):
    """What makes updates of gradients: by functions of the program where it is made of such."""

    def __init__(self, init: Any = None, update: Any = None) -> None:
        self.cells["@init"] = init
        self.cells["@update"] = update

    def init(self, params: Any) -> Any:
        own = self.cells.get("@init")
        return OptState(params) if own is None else machine().call(own, params)

    def update(self, updates: Any, state: Any = None, params: Any = None, **extra_args: Any) -> Any:
        own = self.cells.get("@update")
        if own is not None:
            return machine().call(own, updates, state, params, **extra_args)
        return like(updates, "updates"), like(state, "opt_state")

    def unpack(self, count: int) -> tuple[Any, ...]:
        return (self.init, self.update)[:count]


def _optimizer(name: str) -> Callable[..., Any]:
    def make(*args: Any, **keywords: Any) -> Any:
        return GradientTransformation()

    make.__name__ = name
    return make


for _name in (*OPTIMIZERS, *PARTS):
    model(f"optax.{_name}")(_optimizer(_name))


@model("optax.chain")
def chain(*args: Any) -> Any:
    return GradientTransformation()


@model("optax.named_chain")
def named_chain(*transforms: Any) -> Any:
    return GradientTransformation()


@model("optax.masked", "optax.apply_if_finite", "optax.lookahead", "optax.flatten", "optax.with_extra_args_support",
    "optax.conditionally_mask", "optax.conditionally_transform")  # fmt: skip
def masked(inner: Any, *rest: Any, **options: Any) -> Any:
    return GradientTransformation()


@model("optax.multi_transform", "optax.partition")
def multi_transform(transforms: Any, param_labels: Any, **options: Any) -> Any:
    return GradientTransformation()


@model("optax.inject_hyperparams", "optax.inject_stateful_hyperparams")
def inject_hyperparams(inner_factory: Any, *rest: Any, **options: Any) -> Any:
    return lambda *args, **keywords: machine().call(inner_factory, *args, **keywords)


@model("optax.MultiSteps")
class MultiSteps(GradientTransformation):
    """Updates every so many steps."""

    def __init__(self, opt: Any, every_k_schedule: Any, *rest: Any, **options: Any) -> None:
        super().__init__()

    def gradient_transformation(self) -> Any:
        return self

    def has_updated(self, state: Any) -> Any:
        return opaque("has_updated", [], Known(dtypes.bool_, ()), Array)


@model("optax.EmptyState")
class EmptyState(Object):
    """The state of what has none."""

    pytree: ClassVar[bool] = True


@model("optax.stateless", "optax.stateless_with_tree_map")
def stateless(f: Any) -> Any:
    return GradientTransformation(lambda params: EmptyState(), lambda updates, state, params=None: (updates, state))


@model("optax.apply_updates")
def apply_updates(params: Any, updates: Any) -> Any:
    """Trees of one form, added; each result has the type of its parameter."""

    def added(leaf: Any, update: Any) -> Any:
        if isinstance(leaf, TensorValue) and isinstance(update, TensorValue):
            made = as_jax(leaf) + as_jax(update)
            like_leaf = leaf.graph_value.declared.dtype
            return opaque("params", [made], made.graph_value.declared.with_dtype(like_leaf), Array)
        return leaf

    return mapped(lambda _, leaf, update: added(leaf, update), params, updates)


@model("optax.incremental_update", "optax.periodic_update")
def incremental_update(new_tensors: Any, old_tensors: Any, step_size: Any, *rest: Any) -> Any:
    return like(old_tensors, "params")


@model("optax.global_norm", "optax.tree_utils.tree_norm", "optax.tree.norm")
def global_norm(updates: Any, *rest: Any, **options: Any) -> Tensor:
    found = [leaf for leaf in leaves_of(updates) if isinstance(leaf, TensorValue)]
    return opaque("global_norm", found, Known(dtypes.f32, ()), Array)


@model("optax.tree_utils.tree_zeros_like", "optax.tree.zeros_like", "optax.tree_utils.tree_ones_like",
    "optax.tree.ones_like")  # fmt: skip
def tree_zeros_like(tree: Any, *rest: Any, **options: Any) -> Any:
    return like(tree, "zeros")


@model("optax.LookaheadParams")
class LookaheadParams(Object):
    """Fast and slow parameters."""

    pytree: ClassVar[bool] = True

    def __init__(self, fast: Any, slow: Any) -> None:
        self.fast = fast
        self.slow = slow

    @classmethod
    def init_synced(cls, params: Any) -> Any:
        made = LookaheadParams.__new__(LookaheadParams)
        made.cells.update({"fast": params, "slow": params})
        return made


@model("optax.safe_increment", "optax.safe_int32_increment")
def safe_increment(count: Any) -> Any:
    return as_jax(count) + 1


@model("optax.ScaleByAdamState", "optax.TraceState", "optax.ScaleByScheduleState", "optax.InjectHyperparamsState",
    "optax.MultiStepsState")  # fmt: skip
class NamedState(Object):
    """A state that programs put together themselves."""

    pytree: ClassVar[bool] = True

    def __init__(self, *args: Any, **keywords: Any) -> None:
        for name, value in keywords.items():
            setattr(self, name, value)
