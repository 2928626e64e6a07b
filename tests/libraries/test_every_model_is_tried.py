"""Every model has an agreement case and models something that the library has."""

from __future__ import annotations

import ast
import sys
from collections import Counter
from fnmatch import fnmatchcase
from importlib.util import find_spec
from typing import Any

import pytest
from library_cases import CASES, cases, files, libraries
from recordings import AGAIN, missing_names, recorded_names

from mlvet.frontends.python.libraries import registry


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


def used_names(program: str) -> set[str]:
    """The dotted names that a program uses, with the modules that its own names stand for written out."""
    tree = ast.parse(program)
    modules: dict[str, str] = {}
    for node in ast.walk(tree):
        match node:
            case ast.Import(names):
                for each in names:
                    top = each.name.partition(".")[0]
                    modules[each.asname or top] = each.name if each.asname else top
            case ast.ImportFrom(module=str(module), names=names):
                modules |= {each.asname or each.name: f"{module}.{each.name}" for each in names}
    found = set()
    for node in ast.walk(tree):
        if dotted := _dotted(node, modules):
            found.add(dotted)
        if isinstance(node, ast.Attribute):
            found.add(f"builtins.*.{node.attr}")
    return found | set(modules.values())


def _dotted(node: ast.AST, modules: dict[str, str]) -> str:
    match node:
        case ast.Name(name):
            return modules.get(name, f"builtins.{name}")
        case ast.Attribute(value, name):
            before = _dotted(value, modules)
            return f"{before}.{name}" if before else ""
    return ""


def _needs_none(name: str, thing: Any) -> bool:
    """Whether a model needs no case: it yields nothing, stands for itself, or is a base of classes of programs."""
    made_by_effects = getattr(thing, "__qualname__", "").startswith("effects.")
    itself = isinstance(thing, type) and (issubclass(thing, BaseException) or not thing.__module__.startswith("mlvet."))
    return made_by_effects or itself or name in EFFECTS_ONLY or name in GONE or hasattr(thing, "subclassed")


def test_every_model_is_tried() -> None:
    load_all()
    tried: set[int] = set()
    names: set[str] = set()
    for library in libraries():
        for file in files(library):
            for case in cases(file):
                for name in used_names(case.program):
                    names.add(name)
                    try:
                        tried.add(id(registry.find(name)))
                    except KeyError:
                        continue
    untried = [
        name
        for name, thing in registry.MODELS.items()
        if not {name, f"builtins.*.{name.rpartition('.')[2]}"} & names
        and id(thing) not in tried
        and not _needs_none(name, thing)
    ]
    counts = Counter(name.partition(".")[0] for name in untried)
    assert not untried, f"{dict(counts)} models have no case: {', '.join(sorted(untried))}"


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
