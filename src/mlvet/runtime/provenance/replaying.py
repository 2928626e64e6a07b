"""A replay: the traced program once more, with numbers that carry derivatives."""

from __future__ import annotations

import ast
import builtins
import gc
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from mlvet.runtime.provenance import arrays, functions, gathering, labels, looping, losses, nan_origins
from mlvet.runtime.provenance.breaks import is_users
from mlvet.runtime.provenance.capture import APPENDED, INPUT, KEPT, STORED, Captures
from mlvet.runtime.provenance.fused import Sites
from mlvet.runtime.provenance.inputs import Inputs, Path
from mlvet.runtime.provenance.log import Log
from mlvet.runtime.provenance.predicates import PREDICATES, Deciding, Place
from mlvet.runtime.provenance.rerunning import Rerun, rerun
from mlvet.runtime.provenance.specification import Specification
from mlvet.runtime.provenance.tape import TAPE


@dataclass(slots=True)
class Replay:
    """One replay of a log; `kept` has the last value of each named output.

    `changed` is added to inputs, `forced` decides comparisons: such a run is not the traced one any more.
    """

    log: Log
    inputs: Sequence[Specification]
    outputs: Sequence[Specification] = ()
    changed: Mapping[str, float] = field(default_factory=dict)
    forced: Mapping[Place, Mapping[int, Deciding]] = field(default_factory=dict)
    labels: bool = False
    """Whether values between inputs and outputs get names."""
    origins: bool = False
    """Whether this run looks for the first NaN, and for nothing else."""
    losses: bool = False
    """Whether this run looks for calls that lose the chain."""
    found: Inputs = field(default_factory=Inputs)
    kept: dict[int, Any] = field(default_factory=dict)
    rerun: Rerun | None = None
    _modules: int = 0

    def run(self) -> None:
        """Run the program to its end, however it ends."""
        self.found.changed = dict(self.changed)
        PREDICATES.forced = self.forced
        captures = Captures(self.inputs, self.outputs)
        hooks = {INPUT: self._input, STORED: self._stored, APPENDED: self._appended, KEPT: self._keep}
        for helpers in (hooks, *(each.HELPERS for each in (gathering, looping, labels, losses, nan_origins))):
            vars(builtins).update(helpers)
        functions.installed(self.found.wrapped)
        arrays.install()
        if self.origins:
            nan_origins.watched()
        gc.set_threshold(200_000, 20, 100)
        process, leave = os.getpid(), os._exit
        try:
            self.rerun = rerun(self.log, (captures.applied, self._fused))
        finally:
            if os.getpid() != process:
                leave(0)
            arrays.uninstall()
            functions.removed()
        TAPE.finish()
        captures.complain()

    @property
    def namespace(self) -> dict[str, Any]:
        assert self.rerun is not None
        return self.rerun.namespace

    @property
    def stopped(self) -> str | None:
        """Why the program did not come to its end in the replay, in words."""
        if self.rerun is None:
            return None
        ending = self.rerun.ending
        footer = self.log.footer
        as_traced = footer is not None and footer.how == "exception"
        if self.rerun.diverged is None and isinstance(ending, Exception) and not as_traced:
            return f"{_where(ending)}{type(ending).__name__}: {ending}, which the traced run did not raise"
        return self.rerun.diverged

    @property
    def difference(self) -> str | None:
        """Where the replay left the path of the traced run, in words."""
        if self.rerun is None or self.changed or self.forced:
            return None
        if self.stopped is not None:
            return self.stopped
        return None if self.rerun.difference is None else self.rerun.difference.words

    def _fused(self, tree: ast.Module, module: str, path: str) -> ast.Module:
        del module
        if self.origins:
            return nan_origins.looked_at(tree)
        if self.losses:
            tree = losses.looked_at(tree)
        if self.labels:
            tree = labels.labelled(tree)
        self._modules += 1
        sites = Sites(path, self._modules)
        changed = looping.marked(gathering.replayed(tree, sites))
        sites.install(vars(builtins))
        return changed

    def _input(self, number: int, name: str, value: Any) -> Any:
        del number
        return self.found.wrapped(value, (name,))

    def _stored(self, number: int, name: str, value: Any, container: Any, key: Any, *leading: Any) -> None:
        del number
        container[key] = self.found.wrapped(value, _path(name, (*leading, key)))

    def _appended(self, number: int, name: str, container: Any, value: Any, *leading: Any) -> None:
        del number
        length = len(container) if hasattr(container, "__len__") else 0
        container.append(self.found.wrapped(value, _path(name, (*leading, length))))

    def _keep(self, number: int, value: Any) -> Any:
        self.kept[number] = value
        return value


def _path(name: str, keys: tuple[Any, ...]) -> Path:
    path: Path = (name,)
    for key in keys:
        path = (path, "[", tuple(map(_Range.of, key)) if type(key) is tuple else _Range.of(key))
    return path


@dataclass(frozen=True, slots=True)
class _Range:
    """A slice in a name, `1:n`."""

    start: Any
    stop: Any
    step: Any

    @staticmethod
    def of(key: Any) -> Any:
        return _Range(key.start, key.stop, key.step) if type(key) is slice else key

    def __repr__(self) -> str:
        ends = ["" if each is None else repr(each) for each in (self.start, self.stop, self.step)]
        return ":".join(ends if self.step is not None else ends[:2])


def _where(error: BaseException) -> str:
    """The last line of the user's program in a traceback, as `file.py:7: `."""
    place = ""
    trace = error.__traceback__
    while trace is not None:
        path = trace.tb_frame.f_code.co_filename
        if is_users(path):
            place = f"{path}:{trace.tb_lineno}: "
        trace = trace.tb_next
    return place
