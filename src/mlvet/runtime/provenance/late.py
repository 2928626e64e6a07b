"""Libraries that are replaced for a replay once the program imports them, and not before."""

from __future__ import annotations

import importlib
import importlib.util
import sys
from collections.abc import Callable, Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

_PATCHES: dict[str, tuple[str, ...]] = {
    "scipy.sparse": ("sparse", "sparse_lists"),
    "scipy.sparse.linalg": ("sparse_linear",),
    "networkx": ("graphs",),
    "sklearn.utils.validation": ("learning",),
    "sklearn.preprocessing._data": ("learning_preprocessing",),
    "pandas": ("frame_hooks",),
    "torch": ("torch_values",),
    "jax": ("jax_values",),
}
"""By library: the modules of this package that replace its functions, by `install(module)` and `uninstall()`."""

_done: list[tuple[str, ModuleType]] = []


def _patch(name: str, module: ModuleType) -> None:
    for own in _PATCHES[name]:
        path = f"{__package__}.{own}"
        if importlib.util.find_spec(path) is None or (path, module) in _done:
            continue
        importlib.import_module(path).install(module)
        _done.append((path, module))


class _Patching(Loader):
    """A loader that replaces functions of a module when it has run."""

    def __init__(self, name: str, real: Any) -> None:
        self.name = name
        self.real = real

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        found: ModuleType | None = self.real.create_module(spec)
        return found

    def exec_module(self, module: ModuleType) -> None:
        self.real.exec_module(module)
        if module.__spec__ is not None:
            module.__spec__.loader = self.real
        _patch(self.name, module)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.real, name)


class _Finder(MetaPathFinder):
    """Finds the named libraries by the other finders."""

    def __init__(self) -> None:
        self.searching: set[str] = set()

    def find_spec(self, name: str, path: Sequence[str] | None = None, target: Any = None) -> ModuleSpec | None:
        if name not in _PATCHES or name in self.searching:
            return None
        self.searching.add(name)
        try:
            spec = importlib.util.find_spec(name) if path is None else _spec(name, path, target)
        finally:
            self.searching.discard(name)
        if spec is not None and spec.loader is not None:
            spec.loader = _Patching(name, spec.loader)
        return spec


def _spec(name: str, path: Sequence[str], target: Any) -> ModuleSpec | None:
    for finder in sys.meta_path:
        find: Callable[..., ModuleSpec | None] | None = getattr(finder, "find_spec", None)
        spec = None if find is None else find(name, path, target)
        if spec is not None:
            return spec
    return None


_finder = _Finder()


def install() -> None:
    """Replace what is imported already, and the rest when it is."""
    for name in _PATCHES:
        module = sys.modules.get(name)
        if module is not None:
            _patch(name, module)
    sys.meta_path.insert(0, _finder)


def uninstall() -> None:
    if _finder in sys.meta_path:
        sys.meta_path.remove(_finder)
    while _done:
        path, _ = _done.pop()
        importlib.import_module(path).uninstall()
