"""Counts the places of a program that call a tensor library, from its syntax alone and without mlvet.

A call is such a place if

- `function`: the root of its callee was imported from a tensor library or is another name for a part of one;
- `layer`: it calls what such a call made, in place (`Dense(3)(x)`), by a name bound to it or by a name that programs
  give to networks and losses, or it calls an attribute of `self` that is no method, or that the library's class
  defines, in a class that derives from a module or layer class;
- `method`: it calls an attribute of such a name or of a name bound to the result of such a call, or an attribute
  called like a method of tensors (METHODS) on anything but a module, a literal or a method of the program.

Names are looked up by function and module, without regard to the order of statements.
"""

from __future__ import annotations

import ast
import sys
import tokenize
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeAlias

LIBRARIES = frozenset(
    """chex einops flax haiku jax keras keras_cv keras_hub keras_nlp keras_rs keras_tuner numpy optax pytorch_lightning
    lightning tensorflow tensorflow_addons tensorflow_datasets tensorflow_hub tensorflow_probability tf_keras torch
    torchaudio torchtext torchvision transformers""".split()
)
METHODS = frozenset(
    """abs add_ all amax amin any argmax argmin argsort as_list astype backward bernoulli_ bfloat16 bmm bool ceil chunk
    clamp clamp_ clip clone contiguous cos cpu cuda cumsum detach detach_ diag dim div div_ dot double eq exp expand
    expand_as fill_ flatten flip float floor gather ge get_shape gt half index_select is_contiguous isnan item le log
    log_softmax long lt masked_fill masked_fill_ matmul max mean median min mm mul mul_ multinomial narrow ndimension
    ne nelement new_empty new_full new_ones new_tensor new_zeros nonzero norm normal_ numel numpy permute pin_memory
    pow prod ravel relu relu_ repeat_interleave requires_grad_ reshape resize_ round rsqrt scatter_
    scatter_add_ select sigmoid sign sin size softmax sort sqrt square squeeze squeeze_ stack std sub sum swapaxes t
    tanh tensor_split to tobytes tolist topk transpose transpose_ tril triu trunc type_as unbind unfold uniform_
    unsqueeze unsqueeze_ var view view_as where zero_
    batch shuffle prefetch take_along_axis zero_grad state_dict load_state_dict parameters named_parameters
    apply_gradients gradient assign assign_add set_shape fit predict evaluate compile train_on_batch
    update_state""".split()
)
"""Methods of tensors, modules, optimizers and datasets whose names Python's own objects seldom have."""
CONTAINERS = frozenset(
    "append endswith extend format get insert items join keys pop start startswith update values".split()
)
"""Methods that say nothing of their receiver, because Python's own objects have them."""
CALLABLES = frozenset(
    """criterion critic decoder discriminator encoder gen_model generator layer loss_fn loss_function loss_object model
    module net netD netG network optimizer policy policy_net target_net teacher student transformer""".split()
)
"""Names that programs give to networks and losses, which functions take as arguments."""
CLASSES = frozenset(
    """Module Layer Model Block Sequential LightningModule Loss Metric Optimizer Dataset IterableDataset Callback
    Function PyDataset Sequence Constraint Regularizer Initializer GRUCell LSTMCell Cell FlaxModel""".split()
)
"""Last names of library classes that programs derive from and whose attributes are then called."""

Span: TypeAlias = tuple[int, int, int, int]
"""First line, first column, last line, column after the last, lines from 1 and columns from 0 in bytes of UTF-8."""


@dataclass(frozen=True, slots=True)
class Site:
    """A call of a tensor library: its kind, where it is, and what it calls as the program writes it."""

    kind: str
    span: Span
    callee: str


@dataclass(slots=True)
class _Names:
    """What the names of one function or module are bound to."""

    modules: set[str] = field(default_factory=set)
    foreign: set[str] = field(default_factory=set)
    made: set[str] = field(default_factory=set)
    functions: set[str] = field(default_factory=set)
    stored: set[str] = field(default_factory=set)


class CallSites(ast.NodeVisitor):
    """Walks a module twice, first for the names of each scope and then for the calls."""

    def __init__(self, tree: ast.Module) -> None:
        self.found: list[Site] = []
        self.classes: dict[str, ast.ClassDef] = {
            node.name: node for node in ast.walk(tree) if isinstance(node, ast.ClassDef)
        }
        self.scopes: list[_Names] = []
        self.within: list[ast.ClassDef] = []
        self.decided: dict[str, bool] = {}
        self.enter(tree)

    def enter(self, scope: ast.AST) -> None:
        """Visit a module or function with the names that it binds."""
        names = _Names()
        self.scopes.append(names)
        nodes = list(_own(scope))
        for node in nodes:
            self.bind_import(node, names)
        for _ in range(3):
            for node in nodes:
                self.bind(node, names)
        for child in ast.iter_child_nodes(scope):
            self.visit(child)
        self.scopes.pop()

    def bind_import(self, node: ast.AST, names: _Names) -> None:
        match node:
            case ast.Import(names=imported):
                for each in imported:
                    top = each.name.partition(".")[0]
                    (names.modules if top in LIBRARIES else names.foreign).add(each.asname or top)
            case ast.ImportFrom(module=module, level=level, names=imported):
                top = (module or "").partition(".")[0]
                kind = names.modules if top in LIBRARIES and not level else names.foreign
                kind.update(each.asname or each.name for each in imported)
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
                names.functions.add(name)

    def bind(self, node: ast.AST, names: _Names) -> None:
        match node:
            case ast.Assign(targets=targets, value=value):
                for target in targets:
                    self.bind_target(target, value, names)
            case ast.AnnAssign(target=target, value=ast.expr() as value) | ast.NamedExpr(target=target, value=value):
                self.bind_target(target, value, names)
            case ast.withitem(context_expr=value, optional_vars=ast.Name(name)):
                if self.kind(value):
                    names.made.add(name)
            case ast.Name(name, ast.Store()) | ast.arg(name):
                names.stored.add(name)

    def bind_target(self, target: ast.expr, value: ast.expr, names: _Names) -> None:
        match target, value:
            case ast.Tuple(elts=targets), ast.Tuple(elts=values) if len(targets) == len(values):
                for each, its in zip(targets, values, strict=True):
                    self.bind_target(each, its, names)
            case ast.Tuple(elts=targets), _:
                for each in targets:
                    self.bind_target(each, value, names)
            case ast.Name(name), ast.Attribute() | ast.Name() if self.is_library(value):
                names.modules.add(name)
            case ast.Name(name), _ if self.makes(value):
                names.made.add(name)

    def makes(self, value: ast.expr) -> bool:
        """Whether an expression is what a call of the library yields, or computed from it by operators."""
        match value:
            case ast.Call(func=ast.Name(name)) if name in self.classes and self.derives(self.classes[name]):
                return True
            case ast.Call():
                return bool(self.kind(value))
            case ast.BinOp(left=left, right=right):
                return self.makes(left) or self.makes(right)
            case ast.Name(name):
                return self.is_made(name)
            case ast.Subscript(value=inner):
                return self.makes(inner)
            case ast.Await(value=inner):
                return self.makes(inner)
        return False

    def lookup(self, name: str) -> str:
        """What a name is bound to in the nearest scope that binds it: module, foreign, made, function or nothing."""
        for names in reversed(self.scopes):
            if name in names.modules:
                return "module"
            if name in names.made:
                return "made"
            if name in names.foreign:
                return "foreign"
            if name in names.functions:
                return "function"
            if name in names.stored:
                return ""
        return ""

    def is_made(self, name: str) -> bool:
        return self.lookup(name) == "made"

    def is_library(self, node: ast.expr) -> bool:
        root = _root(node)
        return root is not None and self.lookup(root) == "module"

    def derives(self, node: ast.ClassDef) -> bool:
        """Whether a class derives from a module or layer class of a library, by way of classes of the file or not."""
        known = self.decided.get(node.name)
        if known is None:
            self.decided[node.name] = False
            known = self.decided[node.name] = any(map(self.is_base, node.bases))
        return known

    def is_base(self, base: ast.expr) -> bool:
        match base:
            case ast.Name(name) if name in self.classes:
                return self.derives(self.classes[name])
            case ast.Name(name) | ast.Attribute(attr=name):
                return name in CLASSES or name.endswith(("Module", "Layer", "Model")) or self.is_library(base)
        return False

    def methods(self, node: ast.ClassDef) -> Iterator[str]:
        """The methods of a class and of its bases in the file."""
        yield from (each.name for each in node.body if isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef))
        for base in node.bases:
            if isinstance(base, ast.Name) and base.id in self.classes and base.id != node.name:
                yield from self.methods(self.classes[base.id])

    def kind(self, call: ast.expr) -> str:
        """What kind of site a call is, nothing if it is none."""
        if not isinstance(call, ast.Call):
            return ""
        match call.func:
            case ast.Name(name):
                return self.kind_of_name(name)
            case ast.Call() as inner:
                return "layer" if self.makes(inner) else ""
            case ast.Attribute(value=receiver, attr=name):
                return self.kind_of_attribute(receiver, name)
            case ast.Subscript(value=ast.expr() as inner):
                return "layer" if self.is_layer(inner) else ""
        return ""

    def kind_of_name(self, name: str) -> str:
        bound = self.lookup(name)
        if bound == "module":
            return "function"
        if bound == "made" or (bound == "" and name in CALLABLES and name not in self.classes):
            return "layer"
        return ""

    def kind_of_attribute(self, receiver: ast.expr, name: str) -> str:
        if self.is_library(receiver):
            return "function"
        root = _root(receiver)
        if root == "self" and self.within:
            return self.kind_on_self(receiver, name)
        if root is not None and self.lookup(root) == "foreign" and isinstance(receiver, ast.Name | ast.Attribute):
            return ""
        if _is_literal(receiver) or _is_super(receiver) or name in CONTAINERS:
            return ""
        if isinstance(receiver, ast.Name) and (self.is_made(receiver.id) or self.kind_of_name(receiver.id)):
            return "method"
        if isinstance(receiver, ast.Call) and self.kind(receiver):
            return "method"
        return "method" if name in METHODS or _last(receiver) in CALLABLES else ""

    def kind_on_self(self, receiver: ast.expr, name: str) -> str:
        owner = self.within[-1]
        if isinstance(receiver, ast.Name):
            known = self.derives(owner) or name in CALLABLES
            return "layer" if known and name not in self.methods(owner) else ""
        if name in METHODS or _last(receiver) in CALLABLES:
            return "method"
        return "layer" if self.derives(owner) and name not in CONTAINERS else ""

    def is_layer(self, node: ast.expr) -> bool:
        match node:
            case ast.Attribute(value=ast.Name("self"), attr=name):
                return bool(self.within) and self.derives(self.within[-1]) and name not in self.methods(self.within[-1])
            case ast.Name(name):
                return self.is_made(name)
        return False

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        self.within.append(node)
        self.generic_visit(node)
        self.within.pop()

    def visit_FunctionDef(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        self.enter(node)

    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> None:
        self.enter(node)

    def visit_Call(self, node: ast.Call) -> None:
        if kind := self.kind(node):
            end_line, end_column = node.end_lineno or node.lineno, node.end_col_offset or node.col_offset
            span = (node.lineno, node.col_offset, end_line, end_column)
            self.found.append(Site(kind, span, ast.unparse(node.func)[:60]))
        self.generic_visit(node)


def call_sites(text: str | bytes) -> list[Site]:
    """The sites of a program; raises SyntaxError if it is none."""
    return CallSites(ast.parse(text)).found


def of_file(path: Path) -> list[Site]:
    with tokenize.open(path) as file:
        return call_sites(file.read())


def _own(scope: ast.AST) -> Iterator[ast.AST]:
    """The nodes of a scope without those of the functions within it, classes included."""
    pending = list(ast.iter_child_nodes(scope))
    while pending:
        node = pending.pop(0)
        yield node
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            pending = [*ast.iter_child_nodes(node), *pending]


def _root(node: ast.expr) -> str | None:
    """The name that a chain of attributes starts from."""
    while isinstance(node, ast.Attribute):
        node = node.value
    return node.id if isinstance(node, ast.Name) else None


def _last(node: ast.expr) -> str:
    return node.attr if isinstance(node, ast.Attribute) else ""


def _is_literal(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant | ast.JoinedStr | ast.List | ast.Dict | ast.Set | ast.Tuple | ast.ListComp)


def _is_super(node: ast.expr) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "super"


def _main(paths: list[str]) -> None:
    """Print the sites of files, for reading by eye."""
    kinds: Counter[str] = Counter()
    for name in paths:
        for path in sorted(Path(name).rglob("*.py")) if Path(name).is_dir() else [Path(name)]:
            try:
                sites = of_file(path)
            except (SyntaxError, UnicodeDecodeError, RecursionError) as error:
                print(f"{path}: {error}")
                continue
            kinds.update(site.kind for site in sites)
            if len(paths) == 1 and not Path(name).is_dir():
                for site in sorted(sites, key=lambda site: site.span):
                    print(f"{site.span[0]}:{site.span[1]}: {site.kind} {site.callee}")
    print(_shown(kinds))


def _shown(kinds: Mapping[str, int]) -> str:
    return f"{sum(kinds.values())} sites: " + ", ".join(f"{count} {kind}" for kind, count in kinds.items())


if __name__ == "__main__":
    _main(sys.argv[1:])
