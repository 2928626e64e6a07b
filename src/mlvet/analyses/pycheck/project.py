"""What the project's own text says about names, read from syntax trees only where a question is asked."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from mlvet.analyses.pycheck.imports import import_root, imported_names
from mlvet.analyses.pycheck.tree import Tree, parse
from mlvet.core.source import Source

_DYNAMIC_ATTRIBUTES = re.compile(r"__dict__|\bsetattr\s*\(|\bvars\s*\(|__getattr")
_CLASS = re.compile(r"^[ \t]*class\s+(\w+)\s*\(([^)]*)\)", re.MULTILINE)
_DYNAMIC_NAMES = re.compile(
    r"\bexec\s*\(|\bglobals\s*\(\)|\blocals\s*\(\)\s*(?:\[|\.update)|\bbuiltins\.\w+\s*=|__builtins__"
)


class Project:
    """All sources of a run by the path that checkers know them by.

    A run may hold many programs. Questions about a file are answered from its own program: the files that are connected
    with it by imports. `neighbours` gives the texts of files that the run was not asked to check; they answer too.
    """

    def __init__(self, sources: Mapping[str, Source], neighbours: Callable[[], Mapping[str, Source]] = dict) -> None:
        self.sources = sources
        self._neighbours = neighbours
        self._known: dict[str, Source] = dict(sources)
        self._trees: dict[str, Tree | None] = {}
        self._programs: dict[str, frozenset[str]] | None = None
        self._dynamic: dict[str, bool] = {}
        self._lineages: dict[str, dict[str, set[str]]] = {}
        self._families: dict[tuple[str, str], frozenset[str]] = {}

    def tree(self, path: str) -> Tree | None:
        """The syntax tree of a file, or None if it has no valid one."""
        if path not in self._trees:
            source = self._known.get(path)
            self._trees[path] = parse(source) if source else None
        return self._trees[path]

    def text(self, path: str) -> str:
        """The text of a file of the project, empty for any other."""
        return self._known[path].text if path in self._known else ""

    def path_of(self, tree: Tree) -> str:
        return next(path for path, source in self._known.items() if source is tree.source)

    def program(self, path: str) -> frozenset[str]:
        """The files of the program that a file belongs to."""
        if self._programs is None:
            self._known = {**self._neighbours(), **self.sources}
            self._programs = programs({path: source.text for path, source in self._known.items()})
        return self._programs.get(path, frozenset({path}))

    def trees_with(self, word: str, path: str) -> Iterator[Tree]:
        """The trees of a file's program whose text has a word."""
        for member in sorted(self.program(path)):
            tree = self.tree(member) if word in self._known[member].text else None
            if tree is not None:
                yield tree

    def attribute_stores(self, name: str, path: str) -> int:
        """In how many places of a program something could give an object an attribute of this name."""
        return sum(len(tree.attribute_owners.get(name, ())) for tree in self.trees_with(name, path))

    def may_have(self, kind: str, name: str, path: str) -> bool:
        """Whether an instance of a class of the program may have an attribute: a class of its family defines it, or
        something outside of classes assigns it."""
        relatives = {"", *self.family(kind, path)}
        return any(
            not relatives.isdisjoint(tree.attribute_owners.get(name, ())) for tree in self.trees_with(name, path)
        )

    def family(self, kind: str, path: str) -> frozenset[str]:
        """A class, the classes that derive from it, and all classes that any of these derive from."""
        program = min(self.program(path))
        key = (kind, program)
        if key not in self._families:
            bases = self._bases(program)
            below = _closure({kind}, lambda name: {other for other, above in bases.items() if name in above})
            self._families[key] = frozenset(_closure(below, lambda name: bases.get(name, set())))
        return self._families[key]

    def _bases(self, program: str) -> dict[str, set[str]]:
        """All classes of a program with their bases."""
        if program not in self._lineages:
            bases: dict[str, set[str]] = {}
            for member in self.program(program):
                for name, above in _CLASS.findall(self._known[member].text):
                    bases.setdefault(name, set()).update(re.findall(r"(\w+)\s*(?:\[[^\]]*\])?\s*(?:,|$)", above))
            self._lineages[program] = bases
        return self._lineages[program]

    def name_stores(self, path: str, name: str) -> int:
        """How often a file binds a plain name."""
        tree = self.tree(path)
        return tree.bound_names[name] if tree else 0

    def classes(self, name: str, path: str) -> list[tuple[Tree, ast.ClassDef]]:
        """The classes of that name in a file's program."""
        return [
            (tree, node)
            for tree in self.trees_with(f"class {name}", path)
            for node in tree.nodes
            if isinstance(node, ast.ClassDef) and node.name == name
        ]

    def functions(self, name: str, path: str) -> list[tuple[Tree, ast.FunctionDef]]:
        """The functions and methods of that name in a file's program."""
        return [
            (tree, node)
            for tree in self.trees_with(f"def {name}", path)
            for node in tree.nodes
            if isinstance(node, ast.FunctionDef) and node.name == name
        ]

    def adds_attributes_dynamically(self, path: str) -> bool:
        return path not in self._known or bool(_DYNAMIC_ATTRIBUTES.search(self._known[path].text))

    def adds_names_dynamically(self, path: str) -> bool:
        if path not in self._dynamic:
            self._dynamic[path] = path not in self._known or bool(_DYNAMIC_NAMES.search(self._known[path].text))
        return self._dynamic[path]


def _closure(start: set[str], step: Callable[[str], set[str]]) -> set[str]:
    reached, fresh = set(start), set(start)
    while fresh:
        fresh = {found for name in fresh for found in step(name)} - reached
        reached |= fresh
    return reached


def programs(texts: Mapping[str, str]) -> dict[str, frozenset[str]]:
    """Each file with the files that imports connect it with, in either direction.

    A module is looked for by its top-level name in the folder where the importing file's imports start, then above.
    Files of one package belong together, and so do those of a folder that is imported by its name.
    """
    parent = {path: path for path in texts}

    def leader(path: str) -> str:
        while parent[path] != path:
            parent[path] = parent[parent[path]]
            path = parent[path]
        return path

    homes = {path: import_root(Path(path)) for path in texts}
    modules: dict[tuple[Path, str], str] = {}
    for path, home in homes.items():
        first, *deeper = Path(path).relative_to(home).parts
        known = modules.setdefault((home, first if deeper else first.removesuffix(".py")), path)
        parent[leader(path)] = leader(known)
    scripts: dict[Path, list[str]] = {}
    for path, home in homes.items():
        scripts.setdefault(home, []).append(path)
    for path, text in texts.items():
        for name in imported_names(text):
            for folder in (homes[path], *homes[path].parents):
                found = [modules[(folder, name)]] if (folder, name) in modules else scripts.get(folder / name, ())
                for other in found:
                    parent[leader(other)] = leader(path)
                if found:
                    break
    members: dict[str, set[str]] = {}
    for path in texts:
        members.setdefault(leader(path), set()).add(path)
    return {path: frozenset(members[leader(path)]) for path in texts}
