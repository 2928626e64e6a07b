"""Instrumentation of a program's own modules as they are imported; libraries are left alone."""

from __future__ import annotations

import ast
import io
import os
import sys
from _blake2 import blake2b
from importlib.machinery import PathFinder, SourceFileLoader

from mlvet.runtime.provenance.branches import Branches
from mlvet.runtime.provenance.counting import counted
from mlvet.runtime.provenance.relevance import relevant
from mlvet.runtime.provenance.world_clock import asking

TYPE_CHECKING = False

if TYPE_CHECKING:
    import types
    from collections.abc import Callable, Mapping, Sequence
    from importlib.machinery import ModuleSpec

    from mlvet.runtime.provenance.outcomes import Outcomes

_OURS = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
_STANDARD = os.path.dirname(os.path.abspath(os.__file__))
_known: dict[str, bool] = {}


def of_program(filename: str) -> bool:
    """Whether a file of source belongs to the user's program: not to Python, an installed package or mlvet."""
    found = _known.get(filename)
    if found is None:
        path = os.path.abspath(filename)
        parts = path.split(os.sep)
        found = _known[filename] = not (
            filename.startswith("<")
            or "site-packages" in parts
            or "dist-packages" in parts
            or path.startswith((_OURS + os.sep, _STANDARD + os.sep))
        )
    return found


def digest(source: bytes) -> str:
    """By which a changed source or file is known."""
    return blake2b(source, digest_size=16).hexdigest()


class Instrumentation:
    """Turns source into code that counts.

    `marks` are further constants to bind, `sourced` is told module, file and text of each source, `passes` are
    applied to the tree after counting, with the name of the module; `outcomes` take those of a full log.
    """

    def __init__(
        self,
        branches: Branches,
        marks: Mapping[str, object],
        inputs: Sequence[str] = (),
        sourced: Callable[[str, str, bytes], None] | None = None,
        passes: Sequence[Callable[[ast.Module, str, str], ast.Module]] = (),
        outcomes: Outcomes | None = None,
    ) -> None:
        self.branches = branches
        self.marks = marks
        self.inputs = inputs
        self.sourced = sourced
        self.passes = passes
        self.outcomes = outcomes

    def used(self, module: str, filename: str, source: bytes) -> None:
        """The code of a module is about to run."""
        if self.sourced is not None:
            self.sourced(module, filename, source)

    def code(self, source: bytes, filename: str, module: str) -> types.CodeType:
        """The instrumented code of a module; the plain code of one that defeats the instrumentation."""
        tree = compile(source, filename, "exec", ast.PyCF_ONLY_AST, dont_inherit=True)
        assert isinstance(tree, ast.Module)
        try:
            chosen = relevant(tree, self.inputs)
            asking(tree)
            tree, sites = counted(tree, chosen)
            marks = dict(self.marks)
            if self.outcomes is not None:
                from mlvet.runtime.provenance.outcomes_source import outcomes_told

                marks.update(self.outcomes.marks(module, outcomes_told(tree, chosen)))
            for each in self.passes:
                tree = each(tree, module, filename)
            compiled = compile(tree, filename, "exec", dont_inherit=True)
        except (RecursionError, MemoryError):
            return compile(source, filename, "exec", dont_inherit=True)
        return self.branches.attached(compiled, module, sites, marks)


class Loader(SourceFileLoader):
    """Loads a module of the program with instrumentation; `get_source` is as for every source file."""

    def __init__(self, fullname: str, path: str, code: types.CodeType, used: Callable[[], None]) -> None:
        super().__init__(fullname, path)
        self._code = code
        self._used = used

    def get_code(self, fullname: str) -> types.CodeType:
        del fullname
        self._used()
        return self._code


class Finder:
    """Stands before Python's own path finder and puts `Loader` in the place of the loader of a program's module."""

    def __init__(self, instrumentation: Instrumentation, imported: Mapping[str, Callable[[types.ModuleType], None]]):
        self._instrumentation = instrumentation
        self._imported = imported

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: types.ModuleType | None = None
    ) -> ModuleSpec | None:
        spec = PathFinder.find_spec(fullname, path, target)
        if spec is None:
            return None
        if fullname in self._imported and spec.loader is not None:
            spec.loader = _Watching(spec.loader, self._imported[fullname])  # type: ignore[assignment]
        elif type(spec.loader) is SourceFileLoader and spec.origin and of_program(spec.origin):
            spec.loader = self._loader(fullname, spec.loader.path) or spec.loader
        return spec

    def _loader(self, fullname: str, path: str) -> Loader | None:
        """None if the source is not Python: the usual loader says so with the usual traceback."""
        instrumentation = self._instrumentation
        try:
            with io.open_code(path) as file:
                source = file.read()
            code = instrumentation.code(source, path, fullname)
        except (OSError, SyntaxError, ValueError):
            return None
        return Loader(fullname, path, code, lambda: instrumentation.used(fullname, path, source))

    def installed(self) -> None:
        """From now on modules are found by this finder."""
        at = next((i for i, each in enumerate(sys.meta_path) if each is PathFinder), len(sys.meta_path))
        sys.meta_path.insert(at, self)

    def removed(self) -> None:
        """Modules are found as before."""
        sys.meta_path[:] = [each for each in sys.meta_path if each is not self]


class _Watching:
    """A loader that tells when a module of the library has been loaded, and leaves no trace of itself on it."""

    def __init__(self, loader: object, loaded: Callable[[types.ModuleType], None]) -> None:
        self._loader = loader
        self._loaded = loaded

    def create_module(self, spec: ModuleSpec) -> types.ModuleType | None:
        created: types.ModuleType | None = self._loader.create_module(spec)  # type: ignore[attr-defined]
        return created

    def exec_module(self, module: types.ModuleType) -> None:
        module.__loader__ = self._loader  # type: ignore[assignment]
        if module.__spec__ is not None:
            module.__spec__.loader = self._loader  # type: ignore[assignment]
        self._loader.exec_module(module)  # type: ignore[attr-defined]
        self._loaded(module)
