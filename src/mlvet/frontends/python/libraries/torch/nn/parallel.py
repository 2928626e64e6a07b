"""Modules that run another module on several devices: they call it."""

from __future__ import annotations

from typing import Any

from mlvet.frontends.python.active import machine
from mlvet.frontends.python.libraries.registry import model
from mlvet.frontends.python.libraries.torch.nn.module import Module
from mlvet.frontends.python.libraries.torch.placement import anywhere
from mlvet.frontends.python.values.unknown import Reason, Undecided


class Wrapper(Module):
    """A module around another, which its attribute `module` is. It brings tensors to the devices where it runs it."""

    __slots__ = ()
    scatters = True

    def _wrap(self, module: Any) -> None:
        self.module = module
        if isinstance(module, Module):
            module.handed_out()

    def forward(self, *inputs: Any, **kwargs: Any) -> Any:
        given = [anywhere(each) for each in inputs]
        return machine().call(self.module, *given, **{name: anywhere(each) for name, each in kwargs.items()})


@model("torch.nn.DataParallel", "torch.nn.parallel.DataParallel")
class DataParallel(Wrapper):
    __slots__ = ()

    def __init__(self, module: Any, device_ids: Any = None, output_device: Any = None, dim: Any = 0) -> None:
        super().__init__()
        self._wrap(module)


@model("torch.nn.parallel.DistributedDataParallel", "torch.nn.parallel.distributed.DistributedDataParallel")
class DistributedDataParallel(Wrapper):
    __slots__ = ()

    def __init__(self, module: Any, *args: Any, **kwargs: Any) -> None:
        super().__init__()
        self._wrap(module)
        self.require_backward_grad_sync = True

    def no_sync(self) -> Any:
        from mlvet.frontends.python.libraries.torch.services import Scope

        return Scope()

    def register_comm_hook(self, state: Any, hook: Any) -> None:
        pass


@model(
    "torch.distributed.fsdp.FullyShardedDataParallel",
    "torch.distributed.fsdp.fully_sharded_data_parallel.FullyShardedDataParallel",
)
class FullyShardedDataParallel(Wrapper):
    __slots__ = ()

    def __init__(self, module: Any, *args: Any, **kwargs: Any) -> None:
        super().__init__()
        self._wrap(module)

    def clip_grad_norm_(self, max_norm: Any, norm_type: Any = 2.0) -> Any:
        from mlvet.frontends.python.libraries.torch.nn.clipping import total_norm

        return total_norm()

    @staticmethod
    def state_dict_type(*args: Any, **kwargs: Any) -> Any:
        from mlvet.frontends.python.libraries.torch.services import Scope

        return Scope()

    @staticmethod
    def full_optim_state_dict(*args: Any, **kwargs: Any) -> Any:
        raise Undecided(Reason.EXTERNAL_DATA, "the state of an optimiser")

    scatter_full_optim_state_dict = full_optim_state_dict
    optim_state_dict = full_optim_state_dict


@model("torch.nn.parallel.data_parallel")
def data_parallel(
    module: Any, inputs: Any, device_ids: Any = None, output_device: Any = None, dim: Any = 0, module_kwargs: Any = None
) -> Any:
    given = inputs if isinstance(inputs, tuple) else (inputs,)
    if isinstance(module, Module):
        module.handed_out()
    return machine().call(module, *map(anywhere, given))
