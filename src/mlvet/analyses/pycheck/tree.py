"""A syntax tree with what questions about a program need: parents, scopes, spans in characters, bound names."""

from __future__ import annotations

import ast
import sys
import warnings
from collections import Counter, defaultdict
from collections.abc import Iterator
from functools import cached_property
from typing import Any, TypeGuard

from mlvet.core.source import Source

_NAMESPACES = frozenset(
    {"SimpleNamespace", "Namespace", "dict", "update", "EasyDict", "Munch", "Bunch", "replace", "type"}
)
_NAME_LISTS = frozenset({"namedtuple", "Enum", "IntEnum", "make_dataclass", "NamedTuple"})


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
    def attribute_owners(self) -> dict[str, list[str]]:
        """For every name that something here could make an attribute, the classes that do, once for each place.

        A place that concerns no class of its own, such as `model.name = ...` or `setattr(model, "name", ...)`, counts
        for the empty name.
        """
        owners: dict[str, list[str]] = defaultdict(list)
        own: set[ast.AST] = set()
        for node in self.nodes:
            if isinstance(node, ast.ClassDef):
                for word in (word for statement in node.body for word in _class_words(statement)):
                    owners[word].append(node.name)
                for store in ast.walk(node):
                    if _is_own_store(store):
                        owners[store.attr].append(node.name)
                        own.add(store)
        for node in self.nodes:
            for word in _loose_words(node) if node not in own else ():
                owners[word].append("")
        return owners

    @cached_property
    def imports(self) -> dict[str, str]:
        """What the imported names of the file stand for: `nn` for `torch.nn`. Relative imports begin with a dot."""
        found: dict[str, str] = {}
        for node in self.nodes:
            if isinstance(node, ast.Import):
                for alias in node.names:
                    top = alias.name.split(".")[0]
                    found[alias.asname or top] = alias.name if alias.asname else top
            elif isinstance(node, ast.ImportFrom):
                for alias in node.names:
                    found[alias.asname or alias.name] = f"{'.' * node.level}{node.module or ''}.{alias.name}"
        return found

    @cached_property
    def bound_names(self) -> Counter[str]:
        """Plain names that something here binds, imports and definitions included, with the number of places."""
        return Counter(name for node in self.nodes if (name := _bound_name(node)))

    @cached_property
    def stores(self) -> dict[str, list[ast.Name]]:
        """The places that assign plain names."""
        found: dict[str, list[ast.Name]] = defaultdict(list)
        for node in self.nodes:
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                found[node.id].append(node)
        return found

    @cached_property
    def shared_names(self) -> frozenset[str]:
        """Names that some function takes from an outer scope by `global` or `nonlocal`."""
        shared = (node for node in self.nodes if isinstance(node, (ast.Global, ast.Nonlocal)))
        return frozenset(name for node in shared for name in node.names)

    @cached_property
    def unbound_names(self) -> frozenset[str]:
        """Names that a `del` statement or the end of an `except` clause takes away again."""
        deleted = {node.id for node in self.nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Del)}
        caught = {node.name for node in self.nodes if isinstance(node, ast.ExceptHandler) and node.name}
        return frozenset(deleted | caught)

    @cached_property
    def has_star_import(self) -> bool:
        return any(isinstance(node, ast.ImportFrom) and node.names[0].name == "*" for node in self.nodes)

    def qualified(self, node: ast.expr) -> str:
        """A dotted expression with its first name replaced by what it stands for; empty for anything else."""
        parts: list[str] = []
        while isinstance(node, ast.Attribute):
            parts.append(node.attr)
            node = node.value
        if not isinstance(node, ast.Name):
            return ""
        return ".".join([self.imports.get(node.id, node.id), *reversed(parts)])

    def keeps_shape(self, decorator: ast.expr) -> bool:
        """Whether a decorator leaves the parameters and attributes of what it decorates as a checker sees them."""
        name = self.qualified(decorator.func if isinstance(decorator, ast.Call) else decorator)
        owner, _, last = name.rpartition(".")
        top = owner.partition(".")[0]
        return last in _KEEPS_SHAPE and (top in ("", "torch", "typing_extensions") or top in sys.stdlib_module_names)

    def built_in_sight(self, node: ast.ClassDef) -> bool:
        """Whether no decorator of a class, or of what builds its instances, can add to what is written in it."""
        builders = (part for part in node.body if isinstance(part, ast.FunctionDef) and part.name in _BUILDERS)
        decorators = [*node.decorator_list, *(each for builder in builders for each in builder.decorator_list)]
        return all(self.keeps_shape(decorator) for decorator in decorators)

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
        assigned = any(self.scope(store) is scope for store in self.stores.get(name.id, ()))
        return assigned and name.id not in self.shared_names

    def values_of(self, name: ast.Name) -> list[ast.expr]:
        """What the scope of a name assigns to it; a loop, a `with` or an unpacking counts with what it takes from."""
        scope = self.scope(name)
        values: list[ast.expr] = []
        for node in ast.walk(scope):
            match node:
                case ast.Assign(targets=targets, value=value):
                    pass
                case (
                    ast.AnnAssign(target=target, value=ast.expr() as value) | ast.AugAssign(target=target, value=value)
                ):
                    targets = [target]
                case ast.NamedExpr(target=target, value=value) | ast.For(target=target, iter=value):
                    targets = [target]
                case ast.withitem(optional_vars=ast.expr() as target, context_expr=value):
                    targets = [target]
                case _:
                    continue
            for target in targets:
                for place, given in _pairs(target, value):
                    parts = [part for part in ast.walk(place) if isinstance(part, ast.Name) and part.id == name.id]
                    if any(self.scope(part) is scope for part in parts):
                        values.append(given)
        return values

    def parameter(self, name: ast.Name) -> ast.arg | None:
        """The parameter that a name is, in the function that reads it."""
        scope = self.scope(name)
        if not isinstance(scope, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)):
            return None
        given = scope.args
        every = [*given.posonlyargs, *given.args, *given.kwonlyargs, *(p for p in (given.vararg, given.kwarg) if p)]
        return next((parameter for parameter in every if parameter.arg == name.id), None)

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
        text = self.source.lines[line - 1] if 0 < line <= len(self.source.lines) else ""
        place = (line, column - 1 if text.isascii() else len(text[: column - 1].encode()))
        best: ast.AST = self.root
        waiting: list[ast.AST] = [self.root]
        while waiting:
            for child in ast.iter_child_nodes(waiting.pop()):
                start = getattr(child, "lineno", None)
                if start is None:
                    waiting.append(child)
                elif _contains(child, place):
                    best = child
                    waiting = [child]
                    break
        return best

    def call_around(self, line: int, column: int) -> ast.Call | None:
        """The smallest call that contains a position."""
        node = self.innermost(line, column)
        return next((found for found in (node, *self.ancestors(node)) if isinstance(found, ast.Call)), None)


def last_name(node: ast.expr) -> str:
    """The last part of a dotted name, also behind a subscript; empty for anything else."""
    match node:
        case ast.Attribute(attr=name) | ast.Name(id=name):
            return name
        case ast.Subscript(value=value):
            return last_name(value)
    return ""


_BUILDERS = frozenset({"__init__", "__new__", "__post_init__", "setup", "build"})
_KEEPS_SHAPE = frozenset(
    {"dataclass", "total_ordering", "unique", "final", "staticmethod", "classmethod", "abstractmethod", "override",
     "cache", "lru_cache", "contextmanager", "no_grad", "inference_mode", "profile", "overload"}
)  # fmt: skip


def parse(source: Source) -> Tree | None:
    """The tree of a source, or None if it has no valid one."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return Tree(source, ast.parse(source.text))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def _contains(node: Any, place: tuple[int, int]) -> bool:
    """Whether a node covers a line and a byte offset."""
    return (node.lineno, node.col_offset) <= place < (node.end_lineno, node.end_col_offset)


def _pairs(target: ast.expr, value: ast.expr) -> Iterator[tuple[ast.expr, ast.expr]]:
    """A target with its value; a tuple of targets with the parts of a tuple that is written out."""
    match target, value:
        case (ast.Tuple(elts=places), ast.Tuple(elts=parts)) if len(places) == len(parts):
            for place, part in zip(places, parts, strict=True):
                yield from _pairs(place, part)
        case _:
            yield target, value


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


def _is_own_store(node: ast.AST) -> TypeGuard[ast.Attribute]:
    match node:
        case ast.Attribute(value=ast.Name(id="self" | "cls"), ctx=ast.Store() | ast.Del()):
            return True
    return False


def _loose_words(node: ast.AST) -> Iterator[str]:
    """Attributes that syntax outside of a class's own methods may define: by assignment, or by a call that takes the
    name as text or makes a namespace of its keywords."""
    match node:
        case ast.Attribute(attr=attr, ctx=ast.Store() | ast.Del()):
            yield attr
        case ast.Call(func=func, args=args, keywords=keywords):
            callee = last_name(func)
            for argument in args:
                yield from _text_words(argument, split=callee in _NAME_LISTS)
            if callee in _NAMESPACES:
                yield from (keyword.arg for keyword in keywords if keyword.arg)


def _class_words(statement: ast.stmt) -> Iterator[str]:
    if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        yield statement.name
    else:
        yield from (name for node in ast.walk(statement) if (name := _bound_name(node)))


def _text_words(argument: ast.expr, *, split: bool) -> Iterator[str]:
    parts = argument.elts if isinstance(argument, (ast.List, ast.Tuple)) else [argument]
    for part in parts:
        if isinstance(part, ast.Constant) and isinstance(part.value, str):
            yield from part.value.replace(",", " ").split() if split else (part.value,)


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
