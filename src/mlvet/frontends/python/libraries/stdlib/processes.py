"""subprocess, threading, multiprocessing, concurrent, queue, asyncio: work done elsewhere is done here and now."""

from __future__ import annotations

import queue
import subprocess
from typing import Any

from mlvet.frontends.python.active import machine
from mlvet.frontends.python.libraries.builtins.effects import File
from mlvet.frontends.python.libraries.builtins.elements import integer
from mlvet.frontends.python.libraries.builtins.sequences import mapped
from mlvet.frontends.python.libraries.registry import model
from mlvet.frontends.python.libraries.stdlib.iterators import starmap
from mlvet.frontends.python.libraries.stdlib.typed import (
    constants,
    data,
    effects,
    text,
    truth,
    typed,
    whole,
)
from mlvet.frontends.python.values.containers import ListValue, Repeated, SetValue
from mlvet.frontends.python.values.numbers import Scalar
from mlvet.frontends.python.values.objects import Object
from mlvet.frontends.python.values.unknown import Reason

constants(subprocess, ["CalledProcessError", "TimeoutExpired", "SubprocessError", "PIPE", "STDOUT", "DEVNULL"])
typed("subprocess", {"call": whole("status"), "check_call": whole("status"), "check_output": data, "getoutput": text})


@model("subprocess.run", "subprocess.Popen", "subprocess.CompletedProcess")
class Process(Object):
    """A program that runs beside this one."""

    __slots__ = ()

    def __init__(self, args: Any = None, *rest: Any, **options: Any) -> None:
        del rest
        as_text = options.get("text") is True or options.get("universal_newlines") is True
        kind = str if as_text else bytes
        self.cells.update(
            args=args, returncode=integer("status"), stdout=Scalar(kind), stderr=Scalar(kind), pid=integer("pid"),
            stdin=File(None, "w"),
        )  # fmt: skip

    def communicate(self, *args: Any, **keywords: Any) -> Any:
        del args, keywords
        return self.cells["stdout"], self.cells["stderr"]

    def wait(self, timeout: Any = None) -> Any:
        del timeout
        return integer("status")

    poll = wait

    def kill(self) -> None: ...

    terminate = check_returncode = kill

    def __enter__(self) -> Any:
        return self

    def __exit__(self, *details: Any) -> None: ...


@model(
    "threading.Lock", "threading.RLock", "threading.Condition", "threading.Semaphore", "threading.BoundedSemaphore",
    "threading.Event", "threading.Barrier", "multiprocessing.Lock", "multiprocessing.RLock", "multiprocessing.Event",
    "multiprocessing.Semaphore", "multiprocessing.Barrier", "asyncio.Lock", "asyncio.Event",
)  # fmt: skip
class Lock(Object):
    __slots__ = ()

    def __enter__(self) -> Any:
        return True

    def __exit__(self, *details: Any) -> None: ...

    def acquire(self, *args: Any, **keywords: Any) -> Any:
        del args, keywords
        return True

    def release(self, *args: Any) -> None: ...

    set = clear = notify = notify_all = release

    def is_set(self) -> Any:
        return Scalar(bool)

    def wait(self, timeout: Any = None) -> Any:
        del timeout
        return Scalar(bool)

    locked = is_set


@model("threading.local")
class Local(Object):
    __slots__ = ()


@model("threading.Thread", "multiprocessing.Process", "threading.Timer")
class Thread(Object):
    """Work that is done when it is started."""

    __slots__ = ()

    def __init__(
        self,
        group: Any = None,
        target: Any = None,
        name: Any = None,
        args: Any = (),
        kwargs: Any = None,
        *,
        daemon: Any = None,
    ) -> None:
        del group
        self.cells.update(
            {"@target": target, "@args": args, "@kwargs": kwargs, "name": name, "daemon": daemon, "exitcode": 0}
        )

    def start(self) -> None:
        machine().send(self, "run")

    def run(self) -> None:
        target = self.cells.get("@target")
        if target is not None:
            args = machine().items(self.cells["@args"])
            named = getattr(self.cells["@kwargs"], "cells", {})
            machine().call(target, *(args if isinstance(args, tuple) else ()), **named)

    def join(self, timeout: Any = None) -> None: ...

    def is_alive(self) -> Any:
        return Scalar(bool)

    def terminate(self) -> None: ...

    kill = close = terminate


typed("threading", {"active_count": whole("threads"), "get_ident": whole("thread"), "current_thread": Thread})
typed("multiprocessing", {"cpu_count": whole("cpus", 1), "current_process": Thread, "get_start_method": text})
effects("multiprocessing", ("set_start_method", "freeze_support"))


class Result(Object):
    """What work done elsewhere yields."""

    __slots__ = ()

    def __init__(self, value: Any = None) -> None:
        self.cells["@value"] = value

    def get(self, timeout: Any = None) -> Any:
        del timeout
        return self.cells["@value"]

    result = get

    def wait(self, timeout: Any = None) -> None: ...

    def done(self) -> Any:
        return Scalar(bool)

    ready = successful = done

    def add_done_callback(self, fn: Any) -> None:
        machine().call(fn, self)

    def exception(self, timeout: Any = None) -> Any:
        del timeout


@model(
    "multiprocessing.Pool", "multiprocessing.pool.Pool", "multiprocessing.pool.ThreadPool",
    "multiprocessing.dummy.Pool", "concurrent.futures.ThreadPoolExecutor", "concurrent.futures.ProcessPoolExecutor",
)  # fmt: skip
class Pool(Object):
    """Workers; each task is done here and now."""

    __slots__ = ()

    def __enter__(self) -> Any:
        return self

    def __exit__(self, *details: Any) -> None: ...

    def map(self, func: Any, *iterables: Any, **options: Any) -> Any:
        del options
        return ListValue(mapped(func, *iterables[:1]).items)

    imap = imap_unordered = map

    def starmap(self, func: Any, iterable: Any, chunksize: Any = None) -> Any:
        del chunksize
        return ListValue(starmap(func, iterable).items)

    def apply(self, func: Any, args: Any = (), kwds: Any = None) -> Any:
        given = machine().items(args)
        return machine().call(func, *(given if isinstance(given, tuple) else ()), **getattr(kwds, "cells", {}))

    def apply_async(self, func: Any, args: Any = (), kwds: Any = None, *rest: Any, **options: Any) -> Any:
        del rest, options
        return Result(self.apply(func, args, kwds))

    def map_async(self, func: Any, iterable: Any, *rest: Any, **options: Any) -> Any:
        del rest, options
        return Result(self.map(func, iterable))

    def submit(self, fn: Any, /, *args: Any, **kwargs: Any) -> Any:
        return Result(machine().call(fn, *args, **kwargs))

    def close(self) -> None: ...

    def join(self) -> None: ...

    terminate = close

    def shutdown(self, wait: Any = True, **options: Any) -> None: ...


@model("concurrent.futures.as_completed")
def as_completed(fs: Any, timeout: Any = None) -> Any:
    del timeout
    return ListValue(machine().items(fs))


@model("concurrent.futures.wait")
def wait_for(fs: Any, *rest: Any, **options: Any) -> Any:
    del rest, options
    return ListValue(machine().items(fs)), ListValue()


@model("queue.Queue", "queue.LifoQueue", "queue.PriorityQueue", "queue.SimpleQueue", "multiprocessing.Queue",
       "multiprocessing.SimpleQueue", "multiprocessing.JoinableQueue", "asyncio.Queue")  # fmt: skip
class Queue(Object):
    """A queue: what is put in stands for what is taken out."""

    __slots__ = ()

    def __init__(self, maxsize: Any = 0) -> None:
        self.cells.update({"@items": ListValue(), "maxsize": maxsize})

    def put(self, item: Any, *rest: Any, **options: Any) -> None:
        del rest, options
        machine().send(self.cells["@items"], "append", item)

    put_nowait = put

    def get(self, *rest: Any, **options: Any) -> Any:
        del rest, options
        items = self.cells["@items"]
        if items.items == ():
            return machine().unknown(Reason.DYNAMIC_CONTAINER, "an item of an empty queue")
        return machine().send(items, "pop", 0)

    get_nowait = get

    def empty(self) -> Any:
        return Scalar(bool)

    full = empty

    def qsize(self) -> Any:
        return integer("queued")

    def task_done(self) -> None: ...

    def join(self) -> None: ...

    close = task_done


constants(queue, ["Empty", "Full"])
effects("asyncio", ("set_event_loop",))
typed("asyncio", {"iscoroutinefunction": truth})


@model("asyncio.run", "asyncio.create_task")
def run_coroutine(main: Any, **options: Any) -> Any:
    del options
    return main


@model("asyncio.sleep")
def sleep(delay: Any, result: Any = None) -> Any:
    del delay
    return result


@model("asyncio.all_tasks")
def all_tasks(loop: Any = None) -> Any:
    del loop
    return SetValue(Repeated(machine().unknown(Reason.EXTERNAL_DATA, "a task"), integer("tasks")))


@model("asyncio.get_event_loop", "asyncio.new_event_loop", "asyncio.get_running_loop")
class EventLoop(Object):
    """What runs coroutines, each at once."""

    __slots__ = ()

    def run_until_complete(self, future: Any) -> Any:
        return future

    create_task = run_until_complete

    def is_running(self) -> Any:
        return Scalar(bool)

    is_closed = is_running

    def close(self) -> None: ...

    run_forever = stop = close
