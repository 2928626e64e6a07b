"""Every model has an agreement case and models something that the library has."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable
from fnmatch import fnmatchcase
from importlib.util import find_spec
from typing import Any

import pytest
from case_uses import names_put_to_use, used_names
from library_cases import CASES, cases, files, libraries
from recordings import AGAIN, missing_names, recorded_names

from mlvet.frontends.python.libraries import registry
from mlvet.frontends.python.libraries.stdlib.annotations import Annotation


def listed(kind: str) -> frozenset[str]:
    """Names that libraries list in a file of their own beside their cases; a star stands for anything."""
    files = CASES.glob(f"*/{kind}.names")
    return frozenset(name for file in files for name in file.read_text(encoding="utf-8").split())


EFFECTS_ONLY = listed("effects") | {"dataclasses.dataclass"}
"""Names of functions that yield nothing and change nothing that mlvet follows, or that need the network."""
GONE = listed("gone") | frozenset((
    "builtins.int.is_integer", "builtins.tuple._asdict", "builtins.tuple._fields", "builtins.tuple._replace",
    "collections.Callable", "collections.Hashable", "collections.Iterable", "collections.Mapping",
    "collections.MutableMapping", "collections.MutableSequence", "collections.Sequence", "collections.Set",
    "copy.replace", "itertools.batched", "math.sumprod", "os.process_cpu_count", "time.clock", "typing.ReadOnly",
    "typing.TypeAliasType", "typing.TypeIs", "typing.override", "urllib.urlretrieve",
))  # fmt: skip
"""Names that programs use and that only another version of the library has, or only some values of a class."""
OLDER = {"tensorflow": "tensorflow_contrib", "keras": "tf_keras"}
"""The recordings of older versions of libraries, which have names that the installed ones have no longer."""
HOMES = {
    "builtins.Counter.": "collections.Counter.", "builtins.OrderedDict.": "collections.OrderedDict.",
    "builtins.chain.": "itertools.chain.", "builtins.defaultdict.": "collections.defaultdict.",
    "builtins.deque.": "collections.deque.", "builtins.dtype.kind": "numpy.dtype.kind",
    "builtins.dtype.itemsize": "numpy.dtype.itemsize", "builtins.dtype.type": "numpy.dtype.type",
    "builtins.dtype.is_floating_point": "torch.dtype.is_floating_point",
    "builtins.dtype.": "tensorflow.dtypes.DType.", "builtins.iterator.": "types.GeneratorType.",
}  # fmt: skip
"""Where the methods of values are that the interpreter takes for builtin."""


def load_all() -> None:
    for top in registry.PACKAGES:
        assert registry.load(top)


def _needs_none(name: str, thing: Any) -> bool:
    """Whether a model needs no case: it yields nothing, stands for itself, or is a base of classes of programs."""
    made_by_effects = getattr(thing, "__qualname__", "").startswith("effects.")
    itself = isinstance(thing, type) and (issubclass(thing, BaseException) or not thing.__module__.startswith("mlvet."))
    return made_by_effects or itself or name in EFFECTS_ONLY or name in GONE or hasattr(thing, "subclassed")


def named_only() -> dict[str, str]:
    """Models whose cases can do no more than name them, each with the reason, as libraries list them."""
    lines = [
        line for file in CASES.glob("*/named_only.names") for line in file.read_text(encoding="utf-8").splitlines()
    ]
    return {name.strip(): reason.strip() for name, _, reason in (line.partition("#") for line in lines)}


def untried(names_of: Callable[[str], set[str]]) -> dict[str, Any]:
    """The models that no case has among the names that its program is asked for."""
    load_all()
    tried: set[int] = set()
    names: set[str] = set()
    for library in libraries():
        for file in files(library):
            for case in cases(file):
                for name in names_of(case.program):
                    names.add(name)
                    try:
                        tried.add(id(registry.find(name)))
                    except KeyError:
                        continue
    return {
        name: thing
        for name, thing in registry.MODELS.items()
        if name not in names
        and not (name.startswith("builtins.") and f"builtins.*.{name.rpartition('.')[2]}" in names)
        and id(thing) not in tried
        and not _needs_none(name, thing)
    }


def _can_be_called(thing: Any) -> bool:
    return (callable(thing) or isinstance(thing, registry.Overloads)) and not isinstance(thing, Annotation)


def test_every_model_is_tried() -> None:
    found = untried(used_names).keys() - named_only().keys()
    counts = Counter(name.partition(".")[0] for name in found)
    assert not found, f"{dict(counts)} models have no case: {', '.join(sorted(found))}"


def test_every_model_that_can_be_called_is_called() -> None:
    found = {name for name, thing in untried(names_put_to_use).items() if _can_be_called(thing)}
    listed = named_only().keys()
    assert not found - listed, (
        f"cases only name these models, and do not call them: {', '.join(sorted(found - listed))}"
    )
    assert not listed - found, f"cases call these, so no list should have them: {', '.join(sorted(listed - found))}"


def test_what_is_only_named_has_a_reason() -> None:
    assert [name for name, reason in named_only().items() if not reason] == []


@pytest.mark.parametrize(
    ("program", "used"),
    [
        ("import m; m.f(1)", True),
        ("import m; x = m.f; x(1)", True),
        ("import m; [g(1) for g in (m.e, m.f)]", True),
        ("import m; map(m.f, [1])", True),
        ("import m; isinstance(1, m.f)", True),
        ("import m; m.f.A", True),
        ("from m import f\nclass K(f): pass", True),
        ("import m; m.f is None", False),
        ("import m; callable(m.f)", False),
        ("import m; isinstance(m.f, type)", False),
        ("import m; m.f.__name__", False),
        ("import m; [g is None for g in (m.e, m.f)]", False),
        ("import m; m.f; m.e(1)", False),
        ("import m; m.f(1) if a > 9 else a", False),
    ],
)
def test_to_name_is_not_to_use(program: str, used: bool) -> None:
    assert ("m.f" in names_put_to_use(program)) is used


@pytest.mark.parametrize("top", sorted(registry.PACKAGES) or ["none"])
def test_every_model_is_of_something_that_the_library_has(top: str) -> None:
    registry.load(top)
    names = [name for name in registry.MODELS if name.partition(".")[0] == top]
    recorded = recorded_names(top)
    if recorded is not None:
        assert [name for name in names if name not in recorded | GONE] == [], f"not in {top}, or new: {AGAIN}"
        return
    assert not names or find_spec(top), f"{top} is neither installed nor recorded: {AGAIN}"
    names = [
        next((new + name[len(old) :] for old, new in HOMES.items() if name.startswith(old)), name) for name in names
    ]
    older = recorded_names(OLDER.get(top, "")) or frozenset()
    missing = [name for name in missing_names(sys.executable, names) if name not in older]
    assert [name for name in missing if not any(fnmatchcase(name, gone) for gone in GONE)] == []
