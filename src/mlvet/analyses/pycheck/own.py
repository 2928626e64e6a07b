"""mlvet's own checker: what type checkers cannot see in machine-learning programs.

Attributes of networks that are never assigned, calls of networks that do not fit their `__init__` or `forward`, keys
that a written dictionary lacks, names that exist for type checkers only, and names that left the standard library.
"""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from difflib import get_close_matches

from mlvet.analyses.pycheck.arguments import mismatch
from mlvet.analyses.pycheck.checker import Diagnosis
from mlvet.analyses.pycheck.environment import Environment
from mlvet.analyses.pycheck.frameworks import Base, base_of, provided_in, provides
from mlvet.analyses.pycheck.guards import type_checking_only
from mlvet.analyses.pycheck.installed import names_bound_in
from mlvet.analyses.pycheck.packages import DEPARTED, misspelling_of
from mlvet.analyses.pycheck.project import Project
from mlvet.analyses.pycheck.tree import Tree

NAME = "mlvet"

_FRAMEWORK_CLASS = re.compile(r"class\s+(\w+)\s*\([^)]*\b(?:Module|Layer|Model|Dataset|Callback|Sequence|PyDataset)\b")
_READ = re.compile(r"\bself\.(\w+)")
_ASSIGNED = re.compile(r"\bself\.(\w+)\s*(?::[^=\n]+)?=(?!=)")
_TUPLE_OF_TARGETS = re.compile(r"^\s*\(?((?:self\.\w+\s*,\s*)+self\.\w+)\)?\s*=(?!=)", re.MULTILINE)
_DYNAMIC = re.compile(r"__getattr|setattr\(|__dict__|add_module\(|register_\w+\(")
_DEFINED = re.compile(r"\bdef\s+(\w+)")
_DICT_LITERAL = re.compile(r"^\s*(\w+)\s*=\s*\{", re.MULTILINE)
_FROM_COLLECTIONS = re.compile(r"from\s+collections\s+import|import\s+collections\b")
_ABSTRACT = frozenset(
    """
    AsyncGenerator AsyncIterable AsyncIterator Awaitable ByteString Callable Collection Container Coroutine Generator
    Hashable ItemsView Iterable Iterator KeysView Mapping MappingView MutableMapping MutableSequence MutableSet
    Reversible Sequence Set Sized ValuesView
    """.split()
)


def examine(project: Project, environment: Environment) -> list[Diagnosis]:
    """Every diagnosis of the own checker, over all files; a file is parsed only if its text gives a reason to."""
    found: list[Diagnosis] = []
    for path, source in project.sources.items():
        text = source.text
        reasons = (
            (_mentions_networks(text), _networks),
            ("TYPE_CHECKING" in text, _type_checking_names),
            ("tensorflow" in text and environment.has("tensorflow"), _tensorflow_names(environment)),
            ("collections" in text and _FROM_COLLECTIONS.search(text), _left_collections),
            (_reads_constant_key(text), _dictionary_keys),
        )
        for reason, check in reasons:
            tree = project.tree(path) if reason else None
            if tree is not None:
                found += check(path, tree, project)
    return found


def _mentions_networks(text: str) -> bool:
    """Whether a text has a network that is used here, or that reads an attribute of `self` which it never assigns."""
    classes = _FRAMEWORK_CLASS.findall(text)
    if len(classes) != 1:
        return bool(classes)
    read = set(_READ.findall(text))
    assigned = set(_ASSIGNED.findall(text)) | set(_DEFINED.findall(text))
    for targets in _TUPLE_OF_TARGETS.findall(text):
        assigned |= set(_READ.findall(targets))
    bases = provided_in(text)
    if any(not any(provides(base, name) for base in bases) for name in read - assigned):
        return True
    return bool(re.search(rf"(?<!class )\b(?:{'|'.join(classes)})\(", text))


def _reads_constant_key(text: str) -> bool:
    """Whether a text subscripts, by a constant, a name that it assigns a written dictionary."""
    names = _DICT_LITERAL.findall(text)
    return bool(names) and bool(re.search(rf"\b(?:{'|'.join(set(names))})\[[\"'\d]", text))


def _say(path: str, tree: Tree, node: ast.expr | ast.stmt, code: str, rule: str, message: str) -> Diagnosis:
    line, column, end_line, end_column = tree.span(node)
    return Diagnosis(NAME, code, rule, path, line, column, end_line, end_column, message)


@dataclass(frozen=True, slots=True)
class Network:
    """A class of this file that derives, through classes of this file only, from a framework class.

    `own` are the attributes that the lineage gives itself; a `dynamic` one may get others at run time.
    """

    node: ast.ClassDef
    base: Base
    lineage: tuple[ast.ClassDef, ...]
    own: frozenset[str]
    dynamic: bool

    def method(self, name: str) -> ast.FunctionDef | None:
        for member in self.lineage:
            for statement in member.body:
                if isinstance(statement, ast.FunctionDef) and statement.name == name:
                    return statement
        return None


def networks(tree: Tree) -> Iterator[Network]:
    """The networks of a file whose every base is known."""
    defined = (node for node in tree.root.body if isinstance(node, ast.ClassDef))
    local = {node.name: node for node in defined if tree.bound_names[node.name] == 1}
    for node in local.values():
        lineage: list[ast.ClassDef] = []
        base: Base | None = None
        current: ast.ClassDef | None = node
        while current is not None and current not in lineage and len(current.bases) == 1 and not current.keywords:
            lineage.append(current)
            parent = current.bases[0]
            current = local.get(parent.id) if isinstance(parent, ast.Name) else None
            if current is None:
                base = base_of(tree.qualified(parent))
        if base is not None and all(tree.built_in_sight(member) for member in lineage):
            dynamic = any(_DYNAMIC.search(_text_of(tree, member)) for member in lineage)
            yield Network(node, base, tuple(lineage), _assigned_to_self(lineage), dynamic)


def _networks(path: str, tree: Tree, project: Project) -> Iterator[Diagnosis]:
    found = list(networks(tree))
    for network in found:
        yield from _own_attributes(path, tree, project, network)
    named = {network.node.name: network for network in found}
    instances = _instances(tree, named)
    yield from _network_calls(path, tree, named, instances)
    yield from _instance_attributes(path, tree, project, instances)


def _own_attributes(path: str, tree: Tree, project: Project, network: Network) -> Iterator[Diagnosis]:
    """`self.name` that no class of the lineage, and nothing in the project, ever sets."""
    if network.dynamic:
        return
    for function in (statement for statement in network.node.body if isinstance(statement, ast.FunctionDef)):
        receiver = function.args.args[0].arg if function.args.args else ""
        decorators = {ast.unparse(decorator) for decorator in function.decorator_list}
        if receiver != "self" or decorators & {"staticmethod", "classmethod"}:
            continue
        for node in ast.walk(function):
            match node:
                case ast.Attribute(value=ast.Name(id="self"), attr=attr, ctx=ast.Load()) if (
                    attr not in network.own
                    and not provides(network.base, attr)
                    and not project.may_have(network.node.name, attr, path)
                ):
                    near = get_close_matches(attr, sorted(network.own), n=1, cutoff=0.6)
                    offer = f"\nDid you mean `{near[0]}`?" if near else ""
                    message = (
                        f"`self.{attr}` is never assigned in `{network.node.name}`, so this line raises AttributeError"
                    )
                    yield _say(path, tree, node, "unassigned-attribute", "missing-attribute", message + offer)


def _instance_attributes(path: str, tree: Tree, project: Project, instances: dict[str, Network]) -> Iterator[Diagnosis]:
    """`net.name` of a network that this file constructs and that nothing ever gives the attribute."""
    for node in tree.nodes if instances else ():
        if not isinstance(node, ast.Attribute) or not isinstance(node.ctx, ast.Load):
            continue
        network = instances.get(_plain_name(node.value))
        if network is None or node.attr in network.own or provides(network.base, node.attr):
            continue
        if not network.dynamic and not project.may_have(network.node.name, node.attr, path):
            near = get_close_matches(node.attr, sorted(network.own | network.base.attributes), n=1)
            offer = f"\nDid you mean `{near[0]}`?" if near else ""
            shown = ast.unparse(node)
            message = f"`{shown}` is never assigned in `{network.node.name}`, so this line raises AttributeError"
            yield _say(path, tree, node, "unassigned-attribute", "missing-attribute", message + offer)


def _text_of(tree: Tree, node: ast.ClassDef) -> str:
    return "\n".join(tree.source.lines[node.lineno - 1 : node.end_lineno])


def _assigned_to_self(lineage: list[ast.ClassDef]) -> frozenset[str]:
    assigned = {
        node.attr
        for member in lineage
        for node in ast.walk(member)
        if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store)
    }
    methods = {stmt.name for member in lineage for stmt in member.body if isinstance(stmt, ast.FunctionDef)}
    return frozenset(assigned | methods)


def _network_calls(
    path: str, tree: Tree, found: dict[str, Network], instances: dict[str, Network]
) -> Iterator[Diagnosis]:
    """Constructions of networks that do not fit `__init__`, and calls of them that do not fit `forward`."""
    for node in tree.nodes:
        if not isinstance(node, ast.Call):
            continue
        method, shown = None, _plain_name(node.func)
        if isinstance(node.func, ast.Name) and node.func.id in found:
            method = found[node.func.id].method("__init__")
        elif (network := instances.get(shown)) and network.base.call:
            method = network.method(network.base.call)
            shown = f"{network.node.name}.{network.base.call}"
        said = mismatch(method, node) if method else None
        if said:
            yield _say(path, tree, node, "call-does-not-fit", "argument-mismatch", f"{said} in function `{shown}`")


def _instances(tree: Tree, found: dict[str, Network]) -> dict[str, Network]:
    """Names and `self` attributes that the file only ever assigns one network class."""
    stores: Counter[str] = Counter()
    constructed: dict[str, list[str | None]] = {}
    for node in tree.nodes:
        match node:
            case ast.Assign(targets=[ast.Name() | ast.Attribute() as target], value=value):
                constructed.setdefault(_plain_name(target), []).append(_constructed(value))
            case ast.Name(id=name, ctx=ast.Store()) | ast.arg(arg=name):
                stores[name] += 1
            case ast.Attribute(ctx=ast.Store()):
                stores[_plain_name(node)] += 1
    return {
        name: found[kinds[0]]
        for name, kinds in constructed.items()
        if name and len(set(kinds)) == 1 and kinds[0] in found and stores[name] == len(kinds)
    }


def _plain_name(node: ast.AST) -> str:
    """`net` and `self.net` as written; empty for anything longer."""
    match node:
        case ast.Name(id=name):
            return name
        case ast.Attribute(value=ast.Name(id=owner), attr=attr):
            return f"{owner}.{attr}"
    return ""


def _constructed(value: ast.expr | None) -> str | None:
    """`Net(...)` and `Net(...).to(device)` give a `Net`."""
    while (
        isinstance(value, ast.Call)
        and isinstance(value.func, ast.Attribute)
        and value.func.attr in ("to", "cuda", "cpu", "eval", "train")
    ):
        value = value.func.value
    return value.func.id if isinstance(value, ast.Call) and isinstance(value.func, ast.Name) else None


def _type_checking_names(path: str, tree: Tree, project: Project) -> Iterator[Diagnosis]:
    """Names that only `if TYPE_CHECKING` imports and that run-time code reads."""
    from mlvet.analyses.pycheck.rules.undefined_variable import never_evaluated

    hidden = {
        alias.asname or alias.name.split(".")[0]
        for node in tree.nodes
        if isinstance(node, (ast.Import, ast.ImportFrom)) and type_checking_only(tree, node)
        for alias in node.names
    }
    for node in tree.nodes:
        if (
            isinstance(node, ast.Name)
            and isinstance(node.ctx, ast.Load)
            and node.id in hidden
            and project.name_stores(path, node.id) == 1
            and not type_checking_only(tree, node)
            and not never_evaluated(tree, node, "3.11")
        ):
            yield _say(
                path,
                tree,
                node,
                "type-checking-only",
                "undefined-variable",
                f"`{node.id}` is imported for type checkers only",
            )


def _tensorflow_names(environment: Environment) -> Callable[[str, Tree, Project], Iterator[Diagnosis]]:
    """Names that the installed TensorFlow does not have. Its stubs answer any name, so its own source is read."""

    def check(path: str, tree: Tree, project: Project) -> Iterator[Diagnosis]:
        for node in tree.nodes:
            if not isinstance(node, ast.Attribute) or isinstance(node.ctx, ast.Store):
                continue
            owner = tree.qualified(node.value)
            top, _, below = owner.partition(".")
            if top != "tensorflow" or below.startswith(("keras", "compat", "_")) or node.attr.startswith("_"):
                continue
            module = f"tensorflow._api.v2.{below}" if below else "tensorflow"
            names = names_bound_in(environment, module)
            if names and node.attr not in names and not project.attribute_stores(node.attr, path):
                near = misspelling_of(node.attr, names, ends=True)
                if near or f"{owner}.{node.attr}" in DEPARTED:
                    offer = f"\nDid you mean `{near}`?" if near else ""
                    message = f"No attribute `{node.attr}` in module `{owner}`{offer}"
                    yield _say(path, tree, node, "not-in-tensorflow", "missing-attribute", message)

    return check


def _left_collections(path: str, tree: Tree, project: Project) -> Iterator[Diagnosis]:
    """The abstract classes that moved from `collections` to `collections.abc` in Python 3.10."""
    del project
    names = tree.imports
    for node in tree.nodes:
        match node:
            case ast.ImportFrom(module="collections", level=0):
                for alias in node.names:
                    if alias.name in _ABSTRACT:
                        cure = f"Did you mean `collections.abc.{alias.name}`?"
                        message = f"Could not import `{alias.name}` from `collections`\n{cure}"
                        yield _say(path, tree, node, "left-library", "missing-attribute", message)
            case ast.Attribute(value=ast.Name(id=owner), attr=attr) if (
                attr in _ABSTRACT and names.get(owner) == "collections"
            ):
                yield _say(
                    path,
                    tree,
                    node,
                    "left-library",
                    "missing-attribute",
                    f"No attribute `{attr}` in module `collections`",
                )


def _dictionary_keys(path: str, tree: Tree, project: Project) -> Iterator[Diagnosis]:
    """Constant keys read from a dictionary that is written out once, never changed, and never leaves the file."""
    del project
    for statement in tree.nodes:
        match statement:
            case ast.Assign(targets=[ast.Name(id=name) as target], value=ast.Dict(keys=keys)) if keys:
                written: set[object] = {key.value if isinstance(key, ast.Constant) else None for key in keys}
                if None not in written and not tree.source.path.endswith("__init__.py"):
                    yield from _absent_keys(path, tree, target, name, written)


def _absent_keys(path: str, tree: Tree, target: ast.Name, name: str, written: set[object]) -> Iterator[Diagnosis]:
    uses = [node for node in tree.nodes if isinstance(node, ast.Name) and node.id == name]
    shadowed = any(isinstance(node, ast.arg) and node.arg == name for node in tree.nodes)
    reads: list[tuple[ast.Subscript, object]] = []
    for use in uses:
        parent = tree.parents.get(use)
        match parent:
            case _ if use is target:
                continue
            case ast.Subscript(value=value, slice=ast.Constant(value=read), ctx=ast.Load()) if value is use:
                reads.append((parent, read))
            case ast.Subscript(value=value, ctx=ast.Load()) if value is use:
                continue
            case (
                ast.Attribute(attr="get" | "items" | "keys" | "values")
                | ast.Compare()
                | ast.For()
                | ast.comprehension()
            ):
                continue
            case _:
                return
    if shadowed:
        return
    for node, key in reads:
        if key not in written:
            near = get_close_matches(str(key), [str(known) for known in written], n=1, cutoff=0.6)
            offer = f"\ndid you mean {near[0]!r}?" if near else ""
            yield _say(path, tree, node, "absent-key", "missing-key", f"`{name}` has no key {key!r}{offer}")
