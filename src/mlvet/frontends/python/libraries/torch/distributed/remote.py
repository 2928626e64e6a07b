"""torch.distributed.rpc: calls on other processes, run here."""

from __future__ import annotations

from typing import Any, ClassVar

from mlvet.domains.dims import symbol
from mlvet.frontends.python.active import machine, store
from mlvet.frontends.python.libraries.registry import model
from mlvet.frontends.python.libraries.torch.nn.module import Module, parameters_of
from mlvet.frontends.python.libraries.torch.optim.optimisers import Optimizer
from mlvet.frontends.python.libraries.torch.services import Scope
from mlvet.frontends.python.values.containers import DictValue, ListValue, Repeated
from mlvet.frontends.python.values.numbers import Scalar
from mlvet.frontends.python.values.objects import BoundMethod, Object
from mlvet.frontends.python.values.unknown import Reason, Undecided


class Held(Object):
    """Something that another process holds or computes."""

    __slots__ = ()
    joinable: ClassVar[bool] = True

    def __init__(self, value: Any = None, *args: Any, **kwargs: Any) -> None:
        store(self.cells, "@held", value)

    def set_result(self, result: Any) -> None:
        store(self.cells, "@held", result)

    def wait(self) -> Any:
        return self.cells["@held"]

    def to_here(self, timeout: Any = None) -> Any:
        return self.cells["@held"]

    def local_value(self) -> Any:
        return self.cells["@held"]

    def value(self) -> Any:
        return self.cells["@held"]

    def done(self) -> Any:
        return Scalar(bool, "done")

    def then(self, callback: Any) -> Any:
        return Held(machine().call(callback, self))


@model("torch.distributed.rpc.RRef", "torch.distributed.rpc.PyRRef")
class RRef(Held):
    __slots__ = ()

    def owner(self) -> Any:
        return _worker()

    def owner_name(self) -> Any:
        return Scalar(str, "worker")

    def is_owner(self) -> Any:
        return Scalar(bool, "owner")

    def confirmed_by_owner(self) -> bool:
        return True

    def rpc_sync(self, timeout: Any = None) -> Any:
        return self.cells["@held"]

    def rpc_async(self, timeout: Any = None) -> Any:
        return Far(self.cells["@held"], Held)

    def remote(self, timeout: Any = None) -> Any:
        return Far(self.cells["@held"], RRef)

    def backward(self, *args: Any, **kwargs: Any) -> None:
        pass


model("torch.futures.Future")(Held)


class Far(Object):
    """Methods of an object elsewhere, whose results are held there."""

    __slots__ = ()

    def __init__(self, value: Any, kind: type[Held]) -> None:
        self.cells["@held"], self.cells["@kind"] = value, kind

    def missing(self, name: str) -> Any:
        held, kind = self.cells["@held"], self.cells["@kind"]

        def method(receiver: Any, *args: Any, **kwargs: Any) -> Any:
            return kind(machine().send(held, name, *args, **kwargs))

        return BoundMethod(self, method, name)


@model("torch.distributed.rpc.rpc_sync")
def rpc_sync(to: Any, func: Any, args: Any = None, kwargs: Any = None, timeout: Any = None) -> Any:
    given = () if args is None else machine().items(args)
    if isinstance(given, Repeated):
        raise Undecided(Reason.DYNAMIC_CONTAINER, "an unknown number of arguments")
    found = machine().call(func, *given, **(kwargs.cells if isinstance(kwargs, DictValue) else {}))
    return found.cells["@held"] if type(found) is Held else found


@model("torch.distributed.rpc.rpc_async")
def rpc_async(to: Any, func: Any, args: Any = None, kwargs: Any = None, timeout: Any = None) -> Any:
    return Held(rpc_sync(to, func, args, kwargs))


@model("torch.distributed.rpc.remote")
def remote(to: Any, func: Any, args: Any = None, kwargs: Any = None, timeout: Any = None) -> Any:
    return RRef(rpc_sync(to, func, args, kwargs))


@model("torch.distributed.rpc.init_rpc", "torch.distributed.rpc.shutdown")
def nothing(*args: Any, **kwargs: Any) -> None:
    pass


@model("torch.distributed.rpc.TensorPipeRpcBackendOptions")
class Options(Object):
    __slots__ = ()

    def set_device_map(self, *args: Any) -> None:
        pass


@model("torch.distributed.rpc.get_worker_info")
def _worker(worker_name: Any = None) -> Any:
    made = Object()
    made.id, made.name = symbol("rank"), Scalar(str, "worker")
    return made


@model("torch.distributed.rpc.functions.async_execution")
def async_execution(fn: Any) -> Any:
    return fn


@model("torch.futures.wait_all")
def wait_all(futures: Any) -> Any:
    found = machine().items(futures)
    if isinstance(found, Repeated):
        return ListValue(Repeated(_waited(found.element), found.length))
    return [_waited(each) for each in found]


@model("torch.futures.collect_all")
def collect_all(futures: Any) -> Any:
    return Held(futures)


def _waited(future: Any) -> Any:
    return future.cells["@held"] if isinstance(future, Held) else future


@model("torch.distributed.autograd.context")
class Context(Scope):
    __slots__ = ()

    def __enter__(self) -> Any:
        return symbol(machine().fresh("context"))


@model("torch.distributed.autograd.backward")
def backward(context_id: Any, roots: Any, retain_graph: Any = False) -> None:
    pass


@model("torch.distributed.autograd.get_gradients")
def get_gradients(context_id: Any) -> Any:
    raise Undecided(Reason.EXTERNAL_DATA, "gradients")


@model("torch.distributed.optim.DistributedOptimizer", "torch.distributed.optim.ZeroRedundancyOptimizer")
class DistributedOptimizer(Optimizer):
    __slots__ = ()

    def __init__(self, optimizer_class: Any, params_rref: Any = None, *args: Any, **kwargs: Any) -> None:
        self._prepare(params_rref if params_rref is not None else optimizer_class, {})

    def step(self, context_id: Any = None) -> None:
        pass


@model("torch.distributed.nn.RemoteModule", "torch.distributed.nn.api.remote_module.RemoteModule")
class RemoteModule(Module):
    __slots__ = ()

    def __init__(self, remote_device: Any, module_cls: Any, args: Any = None, kwargs: Any = None, **rest: Any) -> None:
        super().__init__()
        self.held = rpc_sync(remote_device, module_cls, args, kwargs)

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        return machine().call(self.held, *args, **kwargs)

    def remote_parameters(self, recurse: bool = True) -> Any:
        found = parameters_of(self.held) if isinstance(self.held, Module) else ()
        return ListValue(RRef(each) for _, each in found)

    def get_module_rref(self) -> Any:
        return RRef(self.held)
