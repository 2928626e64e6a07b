"""Compares what a library did with what mlvet says of the same program.

What mlvet leaves open agrees with anything: a symbolic size with any size, an unknown element type with any type. All
else must be the same: the structure of containers, rank, sizes, element type, and whether the program raises.
"""

from __future__ import annotations

import fcntl
import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from library_cases import ANSWER, IMPORTED, Case
from recordings import AGAIN, is_recorded, recorded_answers, run

from mlvet.domains.dims import Expr
from mlvet.domains.dtypes import DType
from mlvet.domains.tensors import Unranked
from mlvet.frontends.python.libraries.element_types import dtype_named
from mlvet.frontends.python.values.choices import Choice
from mlvet.frontends.python.values.containers import DictValue, IteratorValue, ListValue, Repeated, SetValue
from mlvet.frontends.python.values.numbers import Scalar
from mlvet.frontends.python.values.objects import Object
from mlvet.frontends.python.values.tensors import TensorValue
from mlvet.frontends.python.values.unknown import Reason, Unknown

Json = dict[str, Any]
PLAIN = ("none", "tensor", "bool", "int", "float", "str")
SEQUENCES = ("list", "tuple", "set", "iterator")


@dataclass(frozen=True, slots=True)
class Answer:
    """What mlvet says of a program: the value of the answer, or why the program raises."""

    value: Any = None
    raises: str = ""

    @property
    def is_unknown(self) -> bool:
        """Whether so little is known of the answer that nothing can be compared."""
        match self.value:
            case Unknown():
                return True
            case TensorValue():
                return isinstance(self.value.graph_value.declared.shape, Unranked)
        return False


def interpreted(program: str, sizes: Mapping[str, int]) -> Answer:
    """What mlvet says of a program."""
    from mlvet.frontends.python.program import interpret_text

    found = interpret_text(program, dict(sizes))
    for demand in found.demands:
        if demand.constraint.decided is False and not demand.constraint.assumed:
            return Answer(raises=f"{demand.constraint.rule}: {demand.constraint.because}")
    if found.raised:
        return Answer(raises=repr(found.raised))
    value = found.names.get(ANSWER, Answer)
    if isinstance(value, Unknown) and value.reason is Reason.EXCEPTION:
        return Answer(raises=value.detail)
    return Answer(value)


def real_outcomes(library: str, folder: Path) -> dict[str, list[Json]]:
    """What the library makes of its cases, by their text: as recorded, or worked out once per test run."""
    if is_recorded(library):
        return recorded_answers(library)
    if find_spec(IMPORTED.get(library, library)) is None:
        raise AssertionError(f"{library} is neither installed nor recorded: install the extra 'dev', or {AGAIN}")
    store = folder / f"{library}.jsonl"
    with (folder / f"{library}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not store.exists():
            store.write_text(run(sys.executable, library), encoding="utf-8")
    return dict(json.loads(line) for line in store.read_text(encoding="utf-8").splitlines())


def differences(real: Json, answer: Answer) -> Iterator[str]:
    """Where the answer is not what the library did."""
    if real["kind"] == "faulty":
        yield f"the case is faulty: {real['type']}: {real['message']}"
    elif real["kind"] == "raises":
        if not answer.raises and not answer.is_unknown:
            yield f"it raises {real['type']}: {real['message']!r}, but mlvet says {_shown(answer.value)}"
    elif answer.raises:
        yield f"it is {_told(real)}, but mlvet says that it raises: {answer.raises}"
    elif answer.value is Answer:
        yield f"it is {_told(real)}, but mlvet has no answer"
    else:
        yield from _differs(real, answer.value, "it")


def _differs(real: Json, value: Any, what: str) -> Iterator[str]:
    kind = real["kind"]
    match value:
        case Unknown():
            return
        case Choice():
            found = [list(_differs(real, each, what)) for _, each in value.alternatives]
            yield from () if [] in found else found[0]
        case TensorValue():
            if kind == "tensor":
                yield from _tensor(real, value, what)
            elif kind != "anything":
                yield f"{what} is {_told(real)}, but mlvet says {_shown(value)}"
        case Scalar() | Expr() | bool() | int() | float() | complex() | str() | bytes():
            yield from _scalar(real, value, what)
        case DType():
            if kind != "dtype" or dtype_named(real["value"]) not in (None, value):
                yield f"{what} is {_told(real)}, but mlvet says the element type {value}"
        case tuple() | ListValue() | DictValue() | list() | dict():
            yield from _container(real, value, what)
        case None:
            if kind != "none":
                yield f"{what} is {_told(real)}, but mlvet says None"
        case _:
            if kind in PLAIN or (kind in (*SEQUENCES, "dict") and not _may_be_many(value)):
                yield f"{what} is {_told(real)}, but mlvet says {_shown(value)}"


def _may_be_many(value: Any) -> bool:
    """Whether an object of mlvet's may stand for a container: such as an ordered dictionary or a range."""
    return hasattr(value, "iterate") or isinstance(value, Object | range | frozenset)


def _tensor(real: Json, value: TensorValue, what: str) -> Iterator[str]:
    declared = value.graph_value.declared
    dtype = dtype_named(real["dtype"])
    if declared.dtype is not None and dtype is not None and declared.dtype != dtype:
        yield f"{what} has elements of {dtype}, but mlvet says {declared.dtype}"
    if isinstance(declared.shape, Unranked) or real["shape"] is None:
        return
    pairs = list(zip(declared.shape, real["shape"], strict=False))
    if len(declared.shape) != len(real["shape"]) or any(
        isinstance(said, int) and (is_ is not None and said != is_) for said, is_ in pairs
    ):
        yield f"{what} has the shape {real['shape']}, but mlvet says {list(declared.shape)}"
    elif declared.value is not None and "elements" in real:
        for said, is_ in zip(np.ravel(declared.value).tolist(), real["elements"], strict=True):
            if not isinstance(said, Expr) and said != is_:
                yield f"{what} has the elements {real['elements']}, but mlvet says {declared.value.tolist()}"
                return


def _scalar(real: Json, value: Any, what: str) -> Iterator[str]:
    kind = real["kind"]
    if kind == "tensor" and real.get("scalar"):
        return
    if kind == "anything":
        return
    said = value.kind if isinstance(value, Scalar) else int if isinstance(value, Expr) else type(value)
    name = "int" if said.__mro__[1] is int and said is not bool else said.__name__
    if name != kind and not (kind == "object" and issubclass(said, str | int)):
        yield f"{what} is {_told(real)}, but mlvet says {_shown(value)}"
    elif isinstance(value, Scalar | Expr) or "value" not in real:
        return
    elif isinstance(value, float):
        is_ = float(real["value"])
        if not (np.isclose(value, is_, equal_nan=True) or value == is_):
            yield f"{what} is {is_}, but mlvet says {value}"
    elif (repr(value) if isinstance(value, complex | bytes) else value) != real["value"]:
        yield f"{what} is {real['value']!r}, but mlvet says {value!r}"


def _container(real: Json, value: Any, what: str) -> Iterator[str]:
    kind = real["kind"]
    if kind == "anything":
        return
    said = _kind(value)
    fits = said == kind or (kind == "iterator" and said in SEQUENCES) or (said == "iterator" and kind == "object")
    if not fits:
        yield f"{what} is {_told(real)}, but mlvet says {_shown(value)}"
        return
    if real.get("items") is None:
        return
    if isinstance(value, DictValue | dict):
        yield from _dictionary(real, value, what)
        return
    items = value.cells["items"] if isinstance(value, ListValue) else tuple(value)
    if isinstance(items, Choice):
        return
    if isinstance(items, Repeated):
        if isinstance(items.length, int) and items.length != len(real["items"]):
            yield f"{what} has {len(real['items'])} items, but mlvet says {items.length}"
        items = (items.element,) * len(real["items"])
    if len(items) != len(real["items"]):
        yield f"{what} has {len(real['items'])} items, but mlvet says {len(items)}"
        return
    for index, (each, item) in enumerate(zip(real["items"], items, strict=True)):
        yield from _differs(each, item, f"{what}[{index}]")


def _dictionary(real: Json, value: DictValue | dict[Any, Any], what: str) -> Iterator[str]:
    cells = value.cells if isinstance(value, DictValue) else value
    keys = [key.get("value") for key in real["keys"]]
    if set(map(str, keys)) != set(map(str, cells)) and not (isinstance(value, DictValue) and value.rest is not None):
        yield f"{what} has the keys {keys}, but mlvet says {list(cells)}"
        return
    by_key = {str(key): each for key, each in zip(keys, real["items"], strict=True)}
    for key, each in cells.items():
        if str(key) in by_key:
            yield from _differs(by_key[str(key)], each, f"{what}[{key!r}]")


def _kind(value: Any) -> str:
    match value:
        case SetValue():
            return "set"
        case IteratorValue():
            return "iterator"
        case ListValue() | list():
            return "list"
        case tuple():
            return "tuple"
    return "dict"


def _told(real: Json) -> str:
    match real["kind"]:
        case "tensor":
            return f"{real['dtype']}{real['shape']}"
        case "object" | "callable" | "module":
            return f"{real['kind']} {real['type']}"
        case "none":
            return "None"
    detail = f" {real['value']!r}" if "value" in real else ""
    return f"{real['kind']}{detail}"


def _shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 100 else f"{text[:97]}..."


def report(case: Case, sizes: Mapping[str, int], found: Sequence[str]) -> str:
    """A disagreement for the reader of the test's output."""
    drawn = ", ".join(f"{name}={size}" for name, size in sizes.items() if name in case.text)
    return f"{case.place}: {case.text}\n    with {drawn or 'no sizes'}: {'; '.join(found)}"
