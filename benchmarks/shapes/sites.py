"""Where the syntax of a program names sizes, applies layers and reshapes tensors.

Everything is read from the syntax tree of one file: no name is resolved beyond the imports and assignments of the file.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

SIZES: dict[str, tuple[tuple[int, ...], tuple[str, ...]]] = {
    **dict.fromkeys(("Linear", "Bilinear"), ((0, 1), ("in_features", "out_features"))),
    **dict.fromkeys(
        ("Conv1d", "Conv2d", "Conv3d", "ConvTranspose1d", "ConvTranspose2d", "ConvTranspose3d"),
        ((0, 1), ("in_channels", "out_channels")),
    ),
    **dict.fromkeys(
        ("BatchNorm", "BatchNorm1d", "BatchNorm2d", "BatchNorm3d", "InstanceNorm2d"), ((0,), ("num_features",))
    ),
    "LayerNorm": ((0,), ("normalized_shape", "num_features")),
    "GroupNorm": ((1,), ("num_channels",)),
    "Embedding": ((0, 1), ("num_embeddings", "embedding_dim", "input_dim", "output_dim")),
    "Embed": ((0, 1), ("num_embeddings", "features")),
    **dict.fromkeys(
        ("LSTM", "GRU", "RNN", "LSTMCell", "GRUCell", "RNNCell", "SimpleRNN", "BasicLSTMCell", "BasicRNNCell"),
        ((0, 1), ("input_size", "hidden_size", "units", "num_units", "features")),
    ),
    "MultiheadAttention": ((0,), ("embed_dim",)),
    "MultiHeadAttention": ((), ("key_dim", "value_dim", "qkv_features", "in_features", "out_features")),
    "MultiHeadDotProductAttention": ((), ("qkv_features", "out_features")),
    "TransformerEncoderLayer": ((0, 2), ("d_model", "dim_feedforward")),
    "Dense": ((0,), ("units", "features")),
    "DenseGeneral": ((0,), ("features",)),
    **dict.fromkeys(
        ("Conv1D", "Conv2D", "Conv3D", "Conv2DTranspose", "Convolution2D", "SeparableConv2D", "ConvLSTM2D"),
        ((0,), ("filters",)),
    ),
    "Conv": ((0, 1), ("features", "in_features", "out_features")),
    "ConvTranspose": ((0, 1), ("features", "in_features", "out_features")),
    **dict.fromkeys(("dense", "conv2d", "conv1d", "conv2d_transpose"), ((1,), ("units", "filters"))),
}  # fmt: skip
"""For each layer the positions and the keywords of its arguments that are numbers of features."""
SHAPED = frozenset(
    """zeros ones randn rand empty normal truncated_normal random_normal random_uniform uniform get_variable placeholder
    add_weight Input InputLayer param glorot_init glorot he weight_variable bias_variable init_weights
    randint""".split()
)
"""Functions that take the shape of what they make."""
RESHAPES = frozenset("view reshape Reshape flatten Flatten unflatten Unflatten rearrange Rearrange".split())
TRANSPOSES = frozenset("transpose permute swapaxes t moveaxis Permute".split())
FLATTENS = frozenset(
    """flatten Flatten view reshape Reshape ravel squeeze unsqueeze expand_dims GlobalAveragePooling1D
    GlobalAveragePooling2D GlobalMaxPooling1D GlobalMaxPooling2D AdaptiveAvgPool2d AdaptiveMaxPool2d
    adaptive_avg_pool2d adaptive_max_pool2d rearrange Rearrange""".split()
)
PRODUCTS = frozenset("matmul dot bmm mm tensordot addmm".split())
FUNCTIONAL = frozenset(
    """dense linear conv2d conv1d conv2d_transpose max_pooling2d max_pool max_pool2d bias_add conv_transpose2d embedding
    mse_loss cross_entropy nll_loss binary_cross_entropy softmax_cross_entropy mean_squared_error conv
    softmax_cross_entropy_with_integer_labels softmax_cross_entropy_with_logits""".split()
)
"""Functions whose first argument is the tensor that a layer or a loss works on."""
DATA = frozenset("input inputs x images logits".split())


@dataclass(frozen=True, slots=True)
class Edit:
    """A piece of one file replaced by another; lines count from 1, columns from 0 in characters."""

    line: int
    column: int
    old: str
    new: str

    def applied(self, text: str) -> str:
        """The text after the edit; a text that the edit was not made for is an error."""
        start = sum(map(len, text.splitlines(keepends=True)[: self.line - 1])) + self.column
        if not text.startswith(self.old, start):
            raise ValueError(f"line {self.line}, column {self.column}: no {self.old!r} here")
        return text[:start] + self.new + text[start + len(self.old) :]


class Source:
    """One file: its tree, the parents of its nodes, and the names that it gives to modules and layers."""

    def __init__(self, text: str) -> None:
        self.text, self.tree = text, ast.parse(text)
        self.lines = text.splitlines(keepends=True)
        self.starts = [0]
        for line in self.lines:
            self.starts.append(self.starts[-1] + len(line))
        self.parents = {child: node for node in ast.walk(self.tree) for child in ast.iter_child_nodes(node)}
        self.modules = dict(_modules(self.tree))
        self.layers = dict(_layers(self.tree))
        self.functions = {node.name for node in ast.walk(self.tree) if isinstance(node, ast.FunctionDef)}
        self.classes = {node.name for node in ast.walk(self.tree) if isinstance(node, ast.ClassDef)}
        inside = {
            id(part) for node in ast.walk(self.tree) if isinstance(node, ast.JoinedStr) for part in ast.walk(node)
        }
        self.nodes = sorted(
            (n for n in ast.walk(self.tree) if isinstance(n, (ast.expr, ast.stmt)) and id(n) not in inside),
            key=lambda node: (self.start(node), -self.end(node)),
        )

    def start(self, node: ast.expr | ast.stmt) -> int:
        return self._offset(node.lineno, node.col_offset)

    def end(self, node: ast.expr | ast.stmt) -> int:
        return self._offset(node.end_lineno or 1, node.end_col_offset or 0)

    def of(self, node: ast.expr | ast.stmt) -> str:
        """The text of a node."""
        return self.text[self.start(node) : self.end(node)]

    def operand(self, node: ast.expr) -> str:
        """The text of a node, in parentheses where a method call needs them."""
        simple = isinstance(node, (ast.Name, ast.Attribute, ast.Call, ast.Subscript))
        return self.of(node) if simple else f"({self.of(node)})"

    def edit(self, start: int, end: int, new: str) -> Edit:
        """The replacement of a range of the text."""
        line = next(n for n in range(len(self.lines)) if self.starts[n] <= start < self.starts[n + 1])
        return Edit(line + 1, start - self.starts[line], self.text[start:end], new)

    def replaced(self, node: ast.expr | ast.stmt, new: str) -> Edit:
        return self.edit(self.start(node), self.end(node), new)

    def alias(self, module: str) -> str | None:
        """The name that the file gives to a module."""
        return next((name for name, found in self.modules.items() if found == module), None)

    def is_module(self, node: ast.expr) -> bool:
        """Whether an expression is a module of the imports, or a part of one."""
        while isinstance(node, ast.Attribute):
            node = node.value
        return isinstance(node, ast.Name) and node.id in self.modules

    def calls(self) -> Iterator[tuple[str, ast.Call]]:
        """Each call with the last part of the name that is called, in the order of the text.

        A function of the file has no name here, unless it makes weights: it may be called `conv` and be no layer.
        """
        for node in self.nodes:
            if isinstance(node, ast.Call):
                own = isinstance(node.func, ast.Name) and node.func.id in self.functions
                yield "" if own and called(node) not in SHAPED else called(node), node

    def applications(self) -> Iterator[tuple[str, ast.expr]]:
        """Each tensor that enters a layer or a loss, with the name of the layer."""
        for name, call in self.calls():
            layer = self.applied(call)
            values = [word.value for word in call.keywords if word.arg in DATA]
            if layer or name in FUNCTIONAL:
                values = call.args[:1] or values[:1]
                if values and not isinstance(values[0], (ast.Constant, ast.List, ast.Tuple, ast.Starred, ast.Dict)):
                    yield layer or name, values[0]

    def applied(self, call: ast.Call) -> str:
        """The name of the layer that a call applies: `Dense(8)(x)`, `self.fc(x)` or `model(x)`; nothing for others."""
        function = call.func
        if isinstance(function, ast.Call):
            name = called(function)
            return name if name[:1].isupper() else ""
        if isinstance(function, ast.Attribute) and isinstance(function.value, ast.Name) and function.value.id == "self":
            return self.layers.get("self." + function.attr, "")
        return self.layers.get(function.id, "") if isinstance(function, ast.Name) else ""

    def _offset(self, line: int, column: int) -> int:
        before = self.lines[line - 1].encode()[:column].decode()
        return self.starts[line - 1] + len(before)


def called(call: ast.Call) -> str:
    """The last part of the name that is called."""
    function = call.func
    return function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")


def numbers(node: ast.expr) -> Iterator[ast.expr]:
    """The integers and names in a size: the leaves of a product or sum if they are integers, or the one name."""
    if isinstance(node, (ast.Name, ast.Attribute)):
        yield node
    elif isinstance(node, ast.Constant):
        if type(node.value) is int:
            yield node
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        if isinstance(node.operand, ast.Constant):
            yield node
    elif isinstance(node, ast.BinOp):
        for part in (node.left, node.right):
            yield from (found for found in numbers(part) if isinstance(found, ast.Constant))


def sequence(node: ast.expr) -> list[ast.expr]:
    """The elements of a tuple or list; nothing for others."""
    return list(node.elts) if isinstance(node, (ast.Tuple, ast.List)) else []


def shapes(name: str, call: ast.Call) -> Iterator[list[ast.expr]]:
    """The shapes in the arguments of a call that makes a tensor."""
    if name not in SHAPED:
        return
    found = [sequence(each) for each in [*call.args, *(word.value for word in call.keywords if word.arg != "seed")]]
    yield from (each for each in found if each)
    plain: list[ast.expr] = [
        each for each in call.args if isinstance(each, (ast.Constant, ast.Name, ast.Attribute, ast.BinOp))
    ]
    if name in ("zeros", "ones", "randn", "rand", "empty") and len(plain) > 1 and plain == call.args:
        yield plain


def target(source: Source, call: ast.Call) -> list[ast.expr]:
    """The sizes that a reshape names."""
    args = list(call.args)
    if called(call)[:1].islower() and isinstance(call.func, ast.Attribute) and source.is_module(call.func.value):
        args = args[1:]
    if called(call) in ("rearrange", "Rearrange"):
        return [word.value for word in call.keywords]
    args += [word.value for word in call.keywords if word.arg in ("shape", "newshape", "target_shape", "start_dim")]
    return [part for each in args for part in (sequence(each) or [each])]


def _modules(tree: ast.Module) -> Iterator[tuple[str, str]]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for each in node.names:
                yield each.asname or each.name.split(".")[0], each.name if each.asname else each.name.split(".")[0]
        elif isinstance(node, ast.ImportFrom) and node.module:
            for each in node.names:
                if each.name[:1].islower():
                    yield each.asname or each.name, f"{node.module}.{each.name}"


def _layers(tree: ast.Module) -> Iterator[tuple[str, str]]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call):
            made = [called(each) for each in ast.walk(node.value) if isinstance(each, ast.Call)]
            made = [name for name in made if name[:1].isupper()]
            for place in node.targets:
                if not made:
                    continue
                if isinstance(place, ast.Attribute) and isinstance(place.value, ast.Name) and place.value.id == "self":
                    yield "self." + place.attr, made[0]
                elif isinstance(place, ast.Name):
                    yield place.id, made[0]
