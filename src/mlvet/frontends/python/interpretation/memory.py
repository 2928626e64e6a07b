"""Calls remembered by their abstract arguments and the names they read from outside.

A call is remembered if it did nothing but compute: it changed no state that is older than itself, added nothing to the
graph, made no symbol, read nothing from outside that can change without being assigned anew, and returned what cannot
be changed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from mlvet.domains.dims import Expr
from mlvet.domains.dtypes import DType
from mlvet.frontends.python.trail import MISSING, now
from mlvet.frontends.python.values.objects import ClassValue, FunctionValue, ModuleValue

if TYPE_CHECKING:
    from mlvet.frontends.python.machine import Machine

_PLAIN = (bool, int, float, complex, str, bytes, type(None), Expr, DType)
_NAMED = (ClassValue, FunctionValue, ModuleValue, type)
Reads = list[tuple[dict[Any, Any], str, Any]]


@dataclass(slots=True)
class Recording:
    """What a call under way has read from outside; `spoiled` says that it cannot be remembered."""

    key: Any
    started: int
    mark: int
    nodes: tuple[int, int]
    symbols: int
    reads: Reads = field(default_factory=list)
    spoiled: bool = False


def key_of(machine: Machine, function: FunctionValue, args: Sequence[Any], keywords: Mapping[str, Any]) -> Any:
    """What a call is remembered by, None if an argument can change or has no identity."""
    values = (*args, *keywords.values(), *function.defaults, *function.keyword_defaults.values())
    if not all(map(is_fixed, values)):
        return None
    kinds = tuple(map(type, values))
    return (function.node, function.scope, len(args), tuple(keywords), values, kinds, machine.path)


def is_fixed(value: Any) -> bool:
    """Whether a value cannot change and equals only what it cannot be told from."""
    if type(value) is tuple:
        return all(map(is_fixed, value))
    return isinstance(value, (*_PLAIN, *_NAMED))


def recalled(machine: Machine, key: Any) -> Any:
    """The result of an equal call before, MISSING if there was none or what it read has changed."""
    found = machine.memory_of_calls.get(key)
    if found is None:
        return MISSING
    reads, value = found
    if all(cells.get(name, MISSING) is seen for cells, name, seen in reads):
        machine.recalled += 1
        if machine.recordings:
            machine.recordings[-1].reads += reads
        return value
    return MISSING


def begin(machine: Machine, key: Any) -> Recording:
    """Start to record a call."""
    recording = Recording(key, now(), machine.trail.mark(), machine.builder.mark(), machine.symbols_made)
    machine.recordings.append(recording)
    return recording


def read(machine: Machine, cells: dict[Any, Any], name: str, value: Any) -> None:
    """A call under way reads a name of a scope."""
    recording = machine.recordings[-1]
    if getattr(cells, "born", 0) < recording.started:
        recording.reads.append((cells, name, value))
        if not is_fixed(value) and not callable(value):
            recording.spoiled = True


def end(machine: Machine, recording: Recording, value: Any) -> None:
    """Remember a call that is over, if it can be."""
    machine.recordings.pop()
    if machine.recordings:
        outer = machine.recordings[-1]
        outer.reads += [each for each in recording.reads if getattr(each[0], "born", 0) < outer.started]
        outer.spoiled = outer.spoiled or recording.spoiled
    if recording.key is None or recording.spoiled or value is MISSING or not is_fixed(value):
        return
    if machine.builder.mark() != recording.nodes or machine.symbols_made != recording.symbols:
        return
    delta = machine.trail.since(recording.mark)
    if any(getattr(cells, "born", 0) < recording.started for cells, _, _ in delta.after.values()):
        return
    machine.memory_of_calls[recording.key] = (recording.reads, value)
