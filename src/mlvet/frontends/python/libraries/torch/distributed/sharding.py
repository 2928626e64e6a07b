"""Models spread over devices: they compute what the whole model computes."""

from __future__ import annotations

from typing import Any

from mlvet.frontends.python.active import store
from mlvet.frontends.python.libraries.registry import alias, model
from mlvet.frontends.python.libraries.torch.nn.module import Module
from mlvet.frontends.python.libraries.torch.placement import anywhere
from mlvet.frontends.python.libraries.torch.services import Scope
from mlvet.frontends.python.values.containers import DictValue
from mlvet.frontends.python.values.objects import Object
from mlvet.frontends.python.values.unknown import Reason, Undecided

PLANS = (
    "ColwiseParallel", "RowwiseParallel", "SequenceParallel", "PrepareModuleInput", "PrepareModuleOutput",
    "PrepareModuleInputOutput", "ParallelStyle",
)  # fmt: skip

MOVING = (
    "unshard", "reshard", "set_modules_to_forward_prefetch", "set_modules_to_backward_prefetch",
    "set_requires_gradient_sync", "set_is_last_backward", "set_reshard_after_backward",
)  # fmt: skip


@model("torch.distributed.fsdp.fully_shard", "torch.distributed._composable.fsdp.fully_shard")
def fully_shard(module: Any, **kwargs: Any) -> Any:
    """The module itself, with methods that move its parameters about."""
    if isinstance(module, Module):
        for name in MOVING:
            store(module.cells, name, quiet)
    return _handed_out(module)


def _handed_out(value: Any) -> Any:
    """What is spread over devices may be anywhere."""
    if isinstance(value, Module):
        value.handed_out()
    return anywhere(value)


@model("torch.distributed.fsdp.FSDPModule")
class FSDPModule(Module):
    __slots__ = ()


@model("torch.distributed.tensor.parallel.parallelize_module")
def parallelize_module(module: Any, device_mesh: Any = None, parallelize_plan: Any = None, **kwargs: Any) -> Any:
    return _handed_out(module)


@model("torch.distributed.tensor.distribute_tensor", "torch.distributed.tensor.DTensor.from_local")
def distribute_tensor(tensor: Any, device_mesh: Any = None, placements: Any = None, **kwargs: Any) -> Any:
    return _handed_out(tensor)


@model("torch.distributed.tensor.distribute_module")
def distribute_module(module: Any, *args: Any, **kwargs: Any) -> Any:
    return _handed_out(module)


@model(
    *(f"torch.distributed.tensor.parallel.{name}" for name in PLANS), "torch.distributed.tensor.Shard",
    "torch.distributed.tensor.Replicate", "torch.distributed.tensor.Partial", "torch.distributed.fsdp.MixedPrecision",
    "torch.distributed.fsdp.MixedPrecisionPolicy", "torch.distributed.fsdp.CPUOffload",
    "torch.distributed.fsdp.CPUOffloadPolicy", "torch.distributed.fsdp.FullStateDictConfig",
    "torch.distributed.fsdp.LocalStateDictConfig", "torch.distributed.fsdp.FullOptimStateDictConfig",
    "torch.distributed.checkpoint.FileSystemReader", "torch.distributed.checkpoint.FileSystemWriter",
    "torch.distributed.checkpoint.state_dict.StateDictOptions",
)  # fmt: skip
class Plan(Object):
    """Settings of a distribution, which change no results."""

    __slots__ = ()


@model("torch.distributed.device_mesh.init_device_mesh")
def init_device_mesh(device_type: Any, mesh_shape: Any, **kwargs: Any) -> Any:
    return Mesh()


@model("torch.distributed.device_mesh.DeviceMesh")
class Mesh(Object):
    __slots__ = ()

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Whatever it is told."""

    def __getitem__(self, name: Any) -> Any:
        return self

    def get_rank(self) -> Any:
        from mlvet.domains.dims import symbol

        return symbol("rank")

    get_local_rank = get_rank
    get_coordinate = get_rank

    def size(self, dim: Any = None) -> Any:
        from mlvet.domains.dims import symbol

        return symbol("world_size", 1)

    def get_group(self, dim: Any = None) -> Any:
        return self


for strategy in ("FULL_SHARD", "SHARD_GRAD_OP", "NO_SHARD", "HYBRID_SHARD"):
    model(f"torch.distributed.fsdp.ShardingStrategy.{strategy}")(strategy)
for kind in ("FULL_STATE_DICT", "LOCAL_STATE_DICT", "SHARDED_STATE_DICT"):
    model(f"torch.distributed.fsdp.StateDictType.{kind}")(kind)
for policy in ("BACKWARD_PRE", "BACKWARD_POST"):
    model(f"torch.distributed.fsdp.BackwardPrefetch.{policy}")(policy)
alias("torch.distributed.fsdp.fully_sharded_data_parallel", "torch.distributed.fsdp")
alias("torch.distributed._tensor.device_mesh", "torch.distributed.device_mesh")
alias("torch.distributed._tensor", "torch.distributed.tensor")
alias("torch.distributed.tensor.device_mesh", "torch.distributed.device_mesh")


@model(
    "torch.distributed.fsdp.wrap.transformer_auto_wrap_policy",
    "torch.distributed.fsdp.wrap.size_based_auto_wrap_policy",
    "torch.distributed.fsdp.wrap.enable_wrap", "torch.distributed.checkpoint.save", "torch.distributed.checkpoint.load",
    "torch.distributed.checkpoint.save_state_dict", "torch.distributed.checkpoint.load_state_dict",
    "torch.distributed.checkpoint.state_dict.set_model_state_dict", "torch.distributed.checkpoint.async_save",
    "torch.distributed.checkpoint.state_dict.set_optimizer_state_dict",
    "torch.distributed.checkpoint.state_dict._init_optim_state",
    "torch.distributed.algorithms._checkpoint.checkpoint_wrapper.apply_activation_checkpointing",
)  # fmt: skip
def quiet(*args: Any, **kwargs: Any) -> None:
    pass


@model(
    "torch.distributed.fsdp.wrap.wrap", "torch.distributed.algorithms._checkpoint.checkpoint_wrapper.checkpoint_wrapper"
)
def wrap(module: Any, *args: Any, **kwargs: Any) -> Any:
    return _handed_out(module)


@model("torch.distributed.checkpoint.state_dict.get_model_state_dict")
def get_model_state_dict(model: Any, **kwargs: Any) -> Any:
    return model.state_dict() if isinstance(model, Module) else DictValue()


@model("torch.distributed.checkpoint.state_dict.get_optimizer_state_dict")
def get_optimizer_state_dict(*args: Any, **kwargs: Any) -> Any:
    raise Undecided(Reason.EXTERNAL_DATA, "the state of an optimiser")


@model("torch.distributed.algorithms.join.Join")
class Join(Scope):
    __slots__ = ()
