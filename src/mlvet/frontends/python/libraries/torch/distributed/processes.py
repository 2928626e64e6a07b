"""Processes that a program starts: their function is called, once, by a rank that is not known."""

from __future__ import annotations

from typing import Any

from mlvet.domains.dims import symbol
from mlvet.frontends.python.active import machine
from mlvet.frontends.python.libraries.registry import model
from mlvet.frontends.python.values.containers import DictValue, ListValue, Repeated
from mlvet.frontends.python.values.numbers import Scalar
from mlvet.frontends.python.values.objects import Object
from mlvet.frontends.python.values.unknown import Reason, Undecided


@model("torch.multiprocessing.Process")
class Process(Object):
    __slots__ = ()

    def __init__(
        self, group: Any = None, target: Any = None, name: Any = None, args: Any = (), kwargs: Any = None, *,
        daemon: Any = None,
    ) -> None:  # fmt: skip
        self.target, self.args, self.kwargs, self.pid, self.exitcode = target, args, kwargs, symbol("pid"), 0

    def start(self) -> None:
        if self.target is not None:
            named = self.kwargs.cells if isinstance(self.kwargs, DictValue) else {}
            machine().call(self.target, *_items(self.args), **named)

    def join(self, timeout: Any = None) -> None:
        pass

    terminate = join
    kill = join
    close = join

    def is_alive(self) -> Any:
        return Scalar(bool, "alive")


@model("torch.multiprocessing.spawn", "torch.multiprocessing.start_processes")
def spawn(fn: Any, args: Any = (), nprocs: Any = 1, join: Any = True, daemon: Any = False, **kwargs: Any) -> None:
    machine().call(fn, symbol("rank"), *_items(args))


def _items(args: Any) -> tuple[Any, ...]:
    found = machine().items(args)
    if isinstance(found, Repeated):
        raise Undecided(Reason.DYNAMIC_CONTAINER, "an unknown number of arguments")
    return found


@model(
    "torch.multiprocessing.set_start_method",
    "torch.multiprocessing.set_sharing_strategy",
    "torch.multiprocessing.freeze_support",
)
def nothing(*args: Any, **kwargs: Any) -> None:
    pass


@model("torch.multiprocessing.cpu_count")
def cpu_count() -> Any:
    return symbol("cpus", 1)


@model("torch.multiprocessing.Queue", "torch.multiprocessing.SimpleQueue", "torch.multiprocessing.JoinableQueue")
class Queue(Object):
    """What was put in comes out."""

    __slots__ = ()

    def put(self, item: Any, *args: Any, **kwargs: Any) -> None:
        self.item = item

    def get(self, *args: Any, **kwargs: Any) -> Any:
        if "item" not in self.cells:
            raise Undecided(Reason.EXTERNAL_DATA, "an item of a queue")
        return self.item

    def empty(self) -> Any:
        return Scalar(bool, "empty")

    def close(self) -> None:
        pass


@model("torch.multiprocessing.Pool")
class Pool(Object):
    __slots__ = ()

    def map(self, function: Any, items: Any, *args: Any) -> Any:
        found = machine().items(items)
        if isinstance(found, Repeated):
            return ListValue(Repeated(machine().call(function, found.element), found.length))
        return [machine().call(function, each) for each in found]

    def close(self) -> None:
        pass

    join = close

    def __enter__(self) -> Any:
        return self

    def __exit__(self, *error: Any) -> None:
        pass


@model("torch.multiprocessing.get_context")
def get_context(method: Any = None) -> Any:
    return Context()


class Context(Object):
    __slots__ = ()

    def missing(self, name: str) -> Any:
        from mlvet.frontends.python.libraries.registry import find

        try:
            return find(f"torch.multiprocessing.{name}")
        except KeyError:
            raise Undecided(Reason.UNMODELLED_CALL, f"torch.multiprocessing.{name}") from None


@model("torch.multiprocessing.Lock", "torch.multiprocessing.Event", "torch.multiprocessing.Barrier")
class Lock(Object):
    __slots__ = ()

    def acquire(self, *args: Any, **kwargs: Any) -> bool:
        return True

    def release(self) -> None:
        pass

    set = release
    clear = release

    def wait(self, timeout: Any = None) -> bool:
        return True

    def __enter__(self) -> Any:
        return self

    def __exit__(self, *error: Any) -> None:
        pass


@model("torch.multiprocessing.Value")
def shared_value(typecode: Any, *args: Any, **kwargs: Any) -> Any:
    made = Lock()
    made.value = args[0] if args else 0
    made.get_lock = Lock
    return made
