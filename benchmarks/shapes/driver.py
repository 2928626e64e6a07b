"""Runs programs in forks of a process that has already imported the framework.

One job per line of standard input, one answer per line of standard output, both JSON. A job names the folder to run
in, the program, its arguments, the processor seconds it may take and whether the executed lines are wanted. The answer
says how the program ended: `ended`, `stopped` (the seconds were over), `raised` with the exception and its traceback,
or `died`. The file runs under every Python that a framework needs, 3.7 included, and needs the standard library alone.
"""

from __future__ import annotations

import contextlib
import importlib
import json
import os
import re
import resource
import signal
import sys
import traceback
import types

NAMED = re.compile(r'File "([^"\n]+)", line (\d+)(?:, in (\S+))?|(\S+\.py):(\d+)')
MESSAGE = 4000
WALL = 8
"""A run that takes this many times its processor seconds is killed."""


def serve(modules):
    """Answer the jobs of standard input until it ends."""
    import standins

    for name in modules:
        standins.before(name)
        with contextlib.suppress(ImportError):
            importlib.import_module(name)
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    for line in sys.stdin:
        answers.write(json.dumps(in_fork(json.loads(line))) + "\n")
        answers.flush()


def in_fork(job):
    """The answer of a child process, which is killed with its children when it does not end by itself."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reading)
        os.setsid()
        try:
            run(job, lambda told: _leave(writing, told))
        finally:
            _leave(writing, {"outcome": "died", "message": "no answer"})
    os.close(writing)
    timer = _Alarm(child, WALL * job["seconds"] + 30)
    with timer, os.fdopen(reading) as pipe:
        text = pipe.read()
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(child, signal.SIGKILL)
    _, status, usage = os.wait4(child, 0)
    told = json.loads(text) if text else {"outcome": "died", "message": f"status {status}"}
    told["seconds"] = round(usage.ru_utime + usage.ru_stime, 1)
    return told


def _leave(writing, told):
    """Answer and end this process at once, whatever it is doing."""
    with os.fdopen(writing, "w") as pipe:
        pipe.write(json.dumps(told))
    os._exit(0)


class _Alarm:
    """Kills a process group after some seconds."""

    def __init__(self, group, seconds):
        self.group, self.seconds = group, seconds

    def __enter__(self):
        signal.signal(signal.SIGALRM, self._kill)
        signal.setitimer(signal.ITIMER_REAL, self.seconds)

    def __exit__(self, *_):
        signal.setitimer(signal.ITIMER_REAL, 0)

    def _kill(self, *_):
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.group, signal.SIGKILL)


def run(job, answer):
    """Run one program in this process, as if it were the main one; `answer` does not return."""
    folder, entry = os.path.realpath(job["folder"]), job["entry"]
    os.chdir(folder)
    root = os.path.realpath(job["root"])
    for number, name in ((1, "stdout"), (2, "stderr")):
        written = os.open(os.path.join(root, name), os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        os.dup2(written, number)
    resource.setrlimit(resource.RLIMIT_DATA, (job["memory"], job["memory"]))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    sys.stdin = open(os.devnull)  # noqa: SIM115
    sys.path[:0] = [os.path.join(folder, os.path.dirname(entry)), folder]
    import standins

    standins.install(job["store"], job["eager"])
    sys.argv = [entry] + job["arguments"]
    module = types.ModuleType("__main__")
    module.__file__ = os.path.join(folder, entry)
    module.__builtins__ = __builtins__
    sys.modules["__main__"] = module
    lines = {}
    signal.signal(signal.SIGPROF, lambda *_: answer(_with_lines({"outcome": "stopped"}, lines)))
    signal.setitimer(signal.ITIMER_PROF, job["seconds"])
    try:
        with open(module.__file__, encoding="utf-8") as source:
            code = compile(source.read(), module.__file__, "exec")
        if job["lines"]:
            sys.settrace(_tracer(folder + os.sep, lines))
        exec(code, module.__dict__)
        told = {"outcome": "ended"}
    except SystemExit as exit_of:
        told = {"outcome": "ended" if exit_of.code in (None, 0) else "raised", "type": "SystemExit", "frames": [],
                "message": str(exit_of.code), "named": []}  # fmt: skip
    except BaseException as error:
        told = _told(error, folder + os.sep)
        traceback.print_exc()
    finally:
        sys.settrace(None)
        signal.setitimer(signal.ITIMER_PROF, 0)
    answer(_with_lines(told, lines))


def _with_lines(told, lines):
    return {**told, "lines": {name: sorted(found) for name, found in lines.items()}}


def _tracer(folder, lines):
    def local(frame, event, _):
        if event == "line":
            lines[frame.f_code.co_filename[len(folder) :]].add(frame.f_lineno)
        return local

    def enter(frame, _, __):
        name = frame.f_code.co_filename
        if not name.startswith(folder):
            return None
        lines.setdefault(name[len(folder) :], set()).add(frame.f_lineno)
        return local

    return enter


def _ends(message):
    """The beginning and the end of a message: some frameworks put the reason last."""
    return message if len(message) <= 2 * MESSAGE else message[:MESSAGE] + " ... " + message[-MESSAGE:]


def _told(error, folder):
    """The exception, the frames of its traceback that are in the program, and the places that its message names."""
    frames = [
        [each.filename[len(folder) :], each.lineno, each.name]
        for each in traceback.extract_tb(error.__traceback__)
        if each.filename.startswith(folder)
    ]
    try:
        message = str(error)
    except Exception as second:
        message = repr(second)
    below = os.sep + os.sep.join(folder.rstrip(os.sep).split(os.sep)[-3:]) + os.sep
    named = []
    for match in NAMED.finditer(message):
        name, line = match.group(1) or match.group(4), match.group(2) or match.group(5)
        if below in name:
            named.append([name.split(below)[-1], int(line), match.group(3) or ""])
    kinds = [each.__name__ for each in type(error).__mro__]
    message = message.replace(folder, "")
    return {"outcome": "raised", "type": kinds[0], "kinds": kinds, "message": _ends(message), "frames": frames,
            "named": named}  # fmt: skip


if __name__ == "__main__":
    sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
    serve(sys.argv[1:])
