"""contextlib: what `with` enters and leaves."""

from __future__ import annotations

from abc import ABCMeta
from typing import Any

from mlvet.frontends.python.active import machine
from mlvet.frontends.python.libraries.builtins.classes import instance_of
from mlvet.frontends.python.libraries.builtins.sequences import taken
from mlvet.frontends.python.libraries.registry import model
from mlvet.frontends.python.values.containers import IteratorValue
from mlvet.frontends.python.values.objects import BoundMethod, Object


class Managed(Object):
    """What a generator function yields once, entered and left."""

    __slots__ = ()

    def __init__(self, generator: Any = None) -> None:
        self.cells["@generator"] = generator

    def __enter__(self) -> Any:
        generator = self.cells["@generator"]
        return taken(generator, None) if isinstance(generator, IteratorValue) else generator

    def __exit__(self, *details: Any) -> None: ...

    def __call__(self, function: Any) -> Any:
        return function


class Manager(Object):
    """A generator function decorated with `contextmanager`."""

    __slots__ = ()

    def __init__(self, function: Any) -> None:
        self.cells["@function"] = function

    def __call__(self, *args: Any, **keywords: Any) -> Any:
        return Managed(machine().call(self.cells["@function"], *args, **keywords))

    def bound(self, receiver: Any) -> Any:
        return Manager(BoundMethod(receiver, self.cells["@function"]))


@model("contextlib.contextmanager", "contextlib.asynccontextmanager")
def contextmanager(func: Any) -> Any:
    return Manager(func)


@model("contextlib.nullcontext", "contextlib.closing")
class nullcontext(Object):
    __slots__ = ()

    def __init__(self, enter_result: Any = None) -> None:
        self.cells["enter_result"] = enter_result

    def __enter__(self) -> Any:
        return self.cells["enter_result"]

    def __exit__(self, *details: Any) -> None: ...


@model("contextlib.suppress")
class suppress(Object):
    """A block whose exceptions of these kinds end it quietly."""

    __slots__ = ()

    def __init__(self, *exceptions: Any) -> None:
        self.cells["exceptions"] = exceptions

    def __enter__(self) -> None: ...

    def __exit__(self, *details: Any) -> None: ...

    def swallows(self, error: Any) -> bool:
        """Whether an exception ends the block and no more."""
        return any(instance_of(error, each) is not False for each in self.cells["exceptions"])


@model("contextlib.redirect_stdout", "contextlib.redirect_stderr", "contextlib.chdir")
class redirect_stdout(nullcontext):
    __slots__ = ()


@model("contextlib.ExitStack", "contextlib.AsyncExitStack")
class ExitStack(Object):
    __slots__ = ()

    def __enter__(self) -> Any:
        return self

    def __exit__(self, *details: Any) -> None: ...

    def enter_context(self, cm: Any) -> Any:
        return machine().send(cm, "__enter__")

    def callback(self, callback: Any, /, *args: Any, **keywords: Any) -> Any:
        del args, keywords
        return callback

    def push(self, exit: Any) -> Any:
        return exit

    def close(self) -> None: ...

    def pop_all(self) -> Any:
        return self


@model("contextlib.AbstractContextManager")
class AbstractContextManager(Object, metaclass=ABCMeta):
    """A base class of context managers, to which whatever can be entered and left belongs."""

    __slots__ = ()

    @classmethod
    def __subclasshook__(cls, kind: Any) -> Any:
        can_be_entered = hasattr(kind, "__enter__") and hasattr(kind, "__exit__")
        return can_be_entered if cls is AbstractContextManager else NotImplemented

    def __enter__(self) -> Any:
        return self

    def __exit__(self, *details: Any) -> None: ...


@model("contextlib.ContextDecorator")
class ContextDecorator(Object):
    """A base class of context managers that decorate functions too."""

    __slots__ = ()

    def __call__(self, func: Any) -> Any:
        return func

    def __exit__(self, *details: Any) -> None: ...
