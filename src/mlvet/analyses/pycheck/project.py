"""What the project's own text says about names, read from syntax trees only where a question is asked."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from functools import cached_property

from mlvet.core.source import Source

_DYNAMIC_ATTRIBUTES = re.compile(r"__dict__|\bsetattr\s*\(|\bvars\s*\(|__getattr")
_DYNAMIC_NAMES = re.compile(
    r"\bexec\s*\(|\bglobals\s*\(\)|\blocals\s*\(\)\s*(?:\[|\.update)|\bbuiltins\.\w+\s*=|__builtins__"
)


class Tree:
    """The syntax tree of one source, with parents and character columns."""

    def __init__(self, source: Source, root: ast.Module) -> None:
        self.source = source
        self.root = root

    @cached_property
    def nodes(self) -> list[ast.AST]:
        """Every node, outer before inner."""
        return _all_nodes(self.root)

    @cached_property
    def parents(self) -> dict[ast.AST, ast.AST]:
        return {child: parent for parent in self.nodes for child in ast.iter_child_nodes(parent)}

    @cached_property
    def attribute_words(self) -> Counter[str]:
        """Names that something here could give to an object as an attribute, with the number of places."""
        return Counter(word for node in self.nodes for word in _attribute_words(node))

    @cached_property
    def bound_names(self) -> Counter[str]:
        """Plain names that something here binds, imports and definitions included, with the number of places."""
        return Counter(name for node in self.nodes if (name := _bound_name(node)))

    def ancestors(self, node: ast.AST) -> Iterator[ast.AST]:
        while node in self.parents:
            node = self.parents[node]
            yield node

    def span(self, node: ast.expr | ast.stmt) -> tuple[int, int, int, int]:
        """Line and column of start and end, counted from 1 in characters."""
        end_line, end_offset = node.end_lineno or node.lineno, node.end_col_offset or node.col_offset
        return (
            node.lineno,
            self._characters(node.lineno, node.col_offset),
            end_line,
            self._characters(end_line, end_offset),
        )

    def _characters(self, line: int, offset: int) -> int:
        text = self.source.lines[line - 1]
        return (offset if text.isascii() else len(text.encode()[:offset].decode("utf-8", "replace"))) + 1

    def scope(self, node: ast.AST) -> ast.AST:
        """The function, lambda or module that a node belongs to."""
        scopes = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
        return next((parent for parent in self.ancestors(node) if isinstance(parent, scopes)), self.root)

    def binds_here(self, name: ast.Name) -> bool:
        """Whether the scope that reads a name also assigns it, so that a checker follows its flow."""
        scope = self.scope(name)
        assigned = (node for node in ast.walk(scope) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store))
        shared = (node for node in self.nodes if isinstance(node, (ast.Global, ast.Nonlocal)))
        return any(node.id == name.id and self.scope(node) is scope for node in assigned) and not any(
            name.id in node.names for node in shared
        )

    @cached_property
    def _expressions(self) -> dict[tuple[int, int, int, int], ast.expr]:
        found: dict[tuple[int, int, int, int], ast.expr] = {}
        for node in self.nodes:
            if isinstance(node, ast.expr):
                found.setdefault(self.span(node), node)
        return found

    def expression(self, line: int, column: int, end_line: int, end_column: int) -> ast.expr | None:
        """The outermost expression with exactly this span."""
        return self._expressions.get((line, column, end_line, end_column))

    def innermost(self, line: int, column: int) -> ast.AST:
        """The smallest node that contains a position."""
        best: ast.AST = self.root
        for node in self.nodes:
            if isinstance(node, (ast.expr, ast.stmt, ast.arg, ast.excepthandler)) and self._contains(
                node, line, column
            ):
                best = node
        return best

    def call_around(self, line: int, column: int) -> ast.Call | None:
        """The smallest call that contains a position."""
        node = self.innermost(line, column)
        return next((found for found in (node, *self.ancestors(node)) if isinstance(found, ast.Call)), None)

    def _contains(self, node: ast.expr | ast.stmt | ast.arg | ast.excepthandler, line: int, column: int) -> bool:
        start = (node.lineno, self._characters(node.lineno, node.col_offset))
        end_line = node.end_lineno or node.lineno
        end = (end_line, self._characters(end_line, node.end_col_offset or 0))
        return start <= (line, column) < end


class Project:
    """All sources of a run by the path that checkers know them by."""

    def __init__(self, sources: Mapping[str, Source]) -> None:
        self.sources = sources
        self._trees: dict[str, Tree | None] = {}
        self._definers: dict[str, int] = {}

    def tree(self, path: str) -> Tree | None:
        """The syntax tree of a file, or None if it has no valid one."""
        if path not in self._trees:
            source = self.sources.get(path)
            self._trees[path] = _parse(source) if source else None
        return self._trees[path]

    def trees_with(self, word: str) -> Iterator[Tree]:
        for path, source in self.sources.items():
            if word in source.text:
                tree = self.tree(path)
                if tree is not None:
                    yield tree

    def attribute_stores(self, name: str) -> int:
        """In how many places of the project something could give an object an attribute of this name."""
        if name not in self._definers:
            self._definers[name] = sum(tree.attribute_words[name] for tree in self.trees_with(name))
        return self._definers[name]

    def name_stores(self, path: str, name: str) -> int:
        """How often a file binds a plain name."""
        tree = self.tree(path)
        return tree.bound_names[name] if tree else 0

    def classes(self, name: str) -> Iterator[tuple[Tree, ast.ClassDef]]:
        for tree in self.trees_with(f"class {name}"):
            for node in tree.nodes:
                if isinstance(node, ast.ClassDef) and node.name == name:
                    yield tree, node

    def has_subclasses(self, name: str) -> bool:
        pattern = re.compile(rf"class\s+\w+\s*\([^)]*\b{re.escape(name)}\b")
        return any(pattern.search(source.text) for source in self.sources.values())

    def adds_attributes_dynamically(self, path: str) -> bool:
        source = self.sources.get(path)
        return source is None or bool(_DYNAMIC_ATTRIBUTES.search(source.text))

    def adds_names_dynamically(self, path: str) -> bool:
        source = self.sources.get(path)
        return source is None or bool(_DYNAMIC_NAMES.search(source.text))


def _all_nodes(root: ast.AST) -> list[ast.AST]:
    """The nodes of a tree in the order of `ast.walk`, made without generators: this step costs most."""
    nodes = [root]
    for node in nodes:
        for name in node._fields:
            value = getattr(node, name, None)
            if isinstance(value, ast.AST):
                nodes.append(value)
            elif isinstance(value, list):
                nodes.extend([item for item in value if isinstance(item, ast.AST)])
    return nodes


def _parse(source: Source) -> Tree | None:
    import warnings

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return Tree(source, ast.parse(source.text))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


_NAMESPACES = frozenset(
    {"SimpleNamespace", "Namespace", "dict", "update", "EasyDict", "Munch", "Bunch", "replace", "type"}
)


def _attribute_words(node: ast.AST) -> Iterator[str]:
    """Attributes that a piece of syntax may define: by assignment, by a class body, or by a call that takes the name
    as text or makes a namespace of its keywords."""
    match node:
        case ast.Attribute(attr=attr, ctx=ast.Store() | ast.Del()):
            yield attr
        case ast.ClassDef(body=body):
            for statement in body:
                yield from _class_words(statement)
        case ast.Call(func=func, args=args, keywords=keywords):
            for argument in args:
                yield from _text_words(argument)
            callee = func.attr if isinstance(func, ast.Attribute) else func.id if isinstance(func, ast.Name) else ""
            if callee in _NAMESPACES:
                yield from (keyword.arg for keyword in keywords if keyword.arg)


def _class_words(statement: ast.stmt) -> Iterator[str]:
    if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        yield statement.name
    else:
        yield from (name for node in ast.walk(statement) if (name := _bound_name(node)))


def _text_words(argument: ast.expr) -> Iterator[str]:
    parts = argument.elts if isinstance(argument, (ast.List, ast.Tuple)) else [argument]
    for part in parts:
        if isinstance(part, ast.Constant) and isinstance(part.value, str) and len(part.value) < 200:
            yield from part.value.replace(",", " ").split()


def _bound_name(node: ast.AST) -> str | None:
    match node:
        case ast.Name(id=name, ctx=ast.Store() | ast.Del()):
            return name
        case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
            return node.name
        case ast.alias(name=imported, asname=alias):
            return alias or imported.split(".")[0]
        case ast.arg(arg=argument):
            return argument
        case ast.ExceptHandler(name=caught):
            return caught
        case ast.MatchAs(name=captured) | ast.MatchStar(name=captured):
            return captured
    return None
