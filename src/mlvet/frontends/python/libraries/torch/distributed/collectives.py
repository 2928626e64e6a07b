"""Process groups: how many processes there are, and what they exchange."""

from __future__ import annotations

from typing import Any

from mlvet.domains.dims import symbol
from mlvet.frontends.python.libraries.registry import alias, model
from mlvet.frontends.python.values.numbers import Scalar
from mlvet.frontends.python.values.objects import Object

QUIET = (
    "init_process_group", "destroy_process_group", "barrier", "all_reduce", "reduce", "broadcast", "all_gather",
    "gather", "scatter", "reduce_scatter", "all_to_all", "send", "recv", "all_gather_into_tensor",
    "reduce_scatter_tensor", "all_to_all_single", "broadcast_object_list", "all_gather_object", "gather_object",
    "scatter_object_list", "monitored_barrier", "set_debug_level", "set_debug_level_from_env",
)  # fmt: skip


@model("torch.distributed.Work")
class Work(Object):
    """What an exchange under way is."""

    __slots__ = ()

    def wait(self, timeout: Any = None) -> bool:
        return True

    def is_completed(self) -> bool:
        return True


@model(*(f"torch.distributed.{name}" for name in QUIET))
def exchange(*args: Any, **kwargs: Any) -> Any:
    return Work() if kwargs.get("async_op") is True else None


@model("torch.distributed.isend", "torch.distributed.irecv")
def exchange_soon(*args: Any, **kwargs: Any) -> Any:
    return Work()


@model("torch.distributed.get_rank", "torch.distributed.get_node_local_rank", "torch.distributed.get_group_rank")
def get_rank(*args: Any, **kwargs: Any) -> Any:
    return symbol("rank")


@model("torch.distributed.get_world_size")
def get_world_size(group: Any = None) -> Any:
    return symbol("world_size", 1)


@model("torch.distributed.is_initialized")
def is_initialized() -> Any:
    return Scalar(bool, "distributed", False, True)


@model("torch.distributed.is_available", "torch.distributed.is_nccl_available", "torch.distributed.is_gloo_available",
    "torch.distributed.is_mpi_available", "torch.distributed.is_torchelastic_launched")  # fmt: skip
def is_available() -> Any:
    return Scalar(bool, "available")


@model("torch.distributed.get_backend", "torch.distributed.get_default_backend_for_device")
def get_backend(*args: Any) -> Any:
    return Scalar(str, "backend")


@model("torch.distributed.new_group")
def new_group(*args: Any, **kwargs: Any) -> Any:
    return Object()


for name in ("SUM", "AVG", "MAX", "MIN", "PRODUCT", "BAND", "BOR", "BXOR"):
    model(f"torch.distributed.ReduceOp.{name}")(name)
for name in ("WORLD",):
    model(f"torch.distributed.group.{name}")(None)
alias("torch.distributed.distributed_c10d", "torch.distributed")
