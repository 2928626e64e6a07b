"""The files of the user's project: which module is where, and what small configuration files say."""

from __future__ import annotations

import ast
import os
import tomllib
from collections.abc import Container, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from mlvet.core.errors import UnsupportedInput
from mlvet.core.source import Source
from mlvet.frontends.source import read_source

_MARKS = ("pyproject.toml", "setup.py", "setup.cfg", ".git", "mlvet.toml")
_LARGEST_CONFIG = 1 << 20
_HIGHEST = 8


@dataclass(slots=True)
class Project:
    """Where the modules that a program imports are looked for: beside it, in its packages' root, in `src`.

    `models` are files that stand in for modules of libraries. `library` is the library whose checkout the project is,
    if programs beside its package are better read with mlvet's models of it. `texts` are read in place of the files
    that they are shown as.
    """

    script: Path
    roots: tuple[Path, ...]
    shown: Path
    models: Mapping[str, Path] = field(default_factory=dict)
    library: str = ""
    texts: Mapping[str, str] = field(default_factory=dict)
    _sources: dict[str, Source | None] = field(default_factory=dict)
    _trees: dict[str, ast.Module | None] = field(default_factory=dict)

    @classmethod
    def of(
        cls,
        script: Path,
        base: Path | None = None,
        models: Mapping[str, Path] | None = None,
        modelled: Container[str] = (),
    ) -> Project:
        """The project that a script belongs to, given which libraries have models."""
        folder = script.parent
        roots = [folder]
        library = ""
        package = folder
        while (package / "__init__.py").exists() and package.parent != package:
            package = package.parent
        roots.append(package)
        for above in [folder, *folder.parents][:_HIGHEST]:
            if any((above / mark).exists() for mark in _MARKS):
                roots += [above, above / "src"]
                name = _published_name(above)
                if name in modelled and name not in script.relative_to(above).parts:
                    library = name
                break
        shown = base if base is not None else Path.cwd()
        return cls(script, tuple(dict.fromkeys(roots)), shown, dict(models or {}), library)

    def module(self, dotted: str) -> Source | None:
        """The text of a module of the project, None if it is not one."""
        if dotted not in self._sources:
            self._sources[dotted] = self._find(dotted)
        return self._sources[dotted]

    def tree(self, source: Source) -> ast.Module | None:
        """The syntax tree of a module, None if it has none."""
        if source.path not in self._trees:
            self._trees[source.path] = parsed(source.text)
        return self._trees[source.path]

    def package_of(self, shown: str, level: int) -> str:
        """The package that a relative import of so many dots starts from."""
        file = Path(os.path.abspath(self.shown / shown))
        folder = file.parent
        for _ in range(level - 1):
            folder = folder.parent
        for root in sorted(self.roots, key=lambda each: len(each.parts)):
            if folder.is_relative_to(root) and folder != root:
                return ".".join(folder.relative_to(root).parts)
        return ""

    def read_text(self, path: str) -> str | None:
        """The text of a small file that the program names, None if it is not in the project."""
        for base in (self.script.parent, *self.roots):
            file = base / path
            try:
                inside = any(file.resolve().is_relative_to(root.resolve()) for root in self.roots)
                if inside and file.is_file() and file.stat().st_size <= _LARGEST_CONFIG:
                    return file.read_text(encoding="utf-8", errors="replace")
            except (OSError, ValueError):
                continue
        return None

    def _find(self, dotted: str) -> Source | None:
        parts = dotted.split(".")
        if not all(part.isidentifier() for part in parts):
            return None
        if dotted in self.models:
            return self._read(self.models[dotted])
        if any(module.startswith(f"{dotted}.") for module in self.models):
            return Source(f"<{dotted}>", "")
        if parts[0] == self.library:
            return None
        for root in (*self.roots, *self._namespaces(parts[0])):
            base = root.joinpath(*parts)
            for file in (base.with_suffix(".py"), base / "__init__.py"):
                if file.is_file() and file != self.script:
                    return self._read(file)
            if base.is_dir() and any(base.glob("*.py")):
                return Source(self._shown(base / "__init__.py"), "")
        return None

    def _namespaces(self, name: str) -> Iterator[Path]:
        """Folders above the script that hold it below this name, as a package without `__init__.py` does."""
        yield from (above.parent for above in list(self.script.parents)[:_HIGHEST] if above.name == name)

    def _read(self, file: Path) -> Source | None:
        shown = self._shown(file)
        if shown in self.texts:
            return Source(shown, self.texts[shown])
        try:
            return read_source(file, shown)
        except UnsupportedInput:
            return None

    def _shown(self, file: Path) -> str:
        absolute = Path(os.path.abspath(file))
        return (
            absolute.relative_to(self.shown).as_posix() if absolute.is_relative_to(self.shown) else absolute.as_posix()
        )


def _published_name(root: Path) -> str:
    """The module that a project installs, by the name it is published under; empty if it does not say."""
    try:
        said = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return ""
    match said:
        case {"project": {"name": str(name)}} | {"tool": {"poetry": {"name": str(name)}}}:
            return name.lower().replace("-", "_")
    return ""


def parsed(text: str) -> ast.Module | None:
    """The syntax tree of a text, None if Python cannot parse it."""
    try:
        return ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
