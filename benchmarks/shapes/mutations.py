"""Five ways to break the shapes of a program, each an exact edit of its text.

The candidates of a program are every site that the syntax offers, in the order of the text; each site has one or more
variants. They are shuffled with a fixed seed, which also picks the variant, before anything is run.

- feature-size: a number of features of a layer, or a size in the shape of a weight, becomes another
- transpose: a transposition is removed or changed, or one is inserted before a layer, a product or a loss
- reshape-constant: a number in the target of a reshape becomes another
- dropped-flatten: a flatten, reshape, squeeze, unsqueeze or global pooling step is left out
- channel-order: adjacent sizes change places, or channels move between first and last
"""

from __future__ import annotations

import ast
import random
import re
from collections.abc import Iterator
from itertools import pairwise

from benchmarks.shapes.sites import (
    FLATTENS,
    PRODUCTS,
    RESHAPES,
    SIZES,
    TRANSPOSES,
    Edit,
    Source,
    called,
    numbers,
    sequence,
    shapes,
    target,
)  # fmt: skip

SEED = 20261116
IMAGES = re.compile(r"conv\w*2d|\bConv\(|conv_general", re.IGNORECASE)
Variants = list[Edit]


def candidates(text: str, framework: str, name: str, operator: str) -> list[Edit]:
    """The edits of one operator on a program, in the order in which they are tried: one for each site."""
    source = Source(text)
    found = {tuple(variants): None for variants in OPERATORS[operator](source, framework) if variants}
    drawn = random.Random(f"{SEED} {name} {operator}")
    sites = list(found)
    drawn.shuffle(sites)
    return list(dict.fromkeys(drawn.choice(variants) for variants in sites))


def feature_size(source: Source, _: str) -> Iterator[Variants]:
    for name, call in source.calls():
        sizes: list[ast.expr] = []
        if name in SIZES:
            positions, words = SIZES[name]
            sizes += [each for position, each in enumerate(call.args) if position in positions]
            sizes += [word.value for word in call.keywords if word.arg in words]
        sizes += [each for shape in shapes(name, call) for each in shape]
        for size in sizes:
            for part in sequence(size) or [size]:
                yield from (_other_sizes(source, number) for number in numbers(part))


def reshape_constant(source: Source, _: str) -> Iterator[Variants]:
    for name, call in source.calls():
        if name in RESHAPES:
            for part in target(source, call):
                yield from (_other_sizes(source, number) for number in numbers(part))


def _other_sizes(source: Source, node: ast.expr) -> Variants:
    if isinstance(node, ast.Constant) and type(node.value) is int:
        size = node.value
        others = [size + 1, size - 1, size * 2, size // 2]
        return [source.replaced(node, str(other)) for other in dict.fromkeys(others) if other > 0 and other != size]
    if isinstance(node, ast.UnaryOp):
        return [source.replaced(node, new) for new in ("1", "2")]
    if source.of(node) in ("None", "self"):
        return []
    inside = isinstance(source.parents.get(node), ast.BinOp)
    forms = ("({} + 1)", "({} * 2)") if inside else ("{} + 1", "{} * 2", "{} // 2")
    return [source.replaced(node, form.format(source.of(node))) for form in forms]


def transpose(source: Source, framework: str) -> Iterator[Variants]:
    for node in source.nodes:
        if isinstance(node, ast.Attribute) and node.attr == "T":
            yield [source.replaced(node, source.of(node.value))]
        elif isinstance(node, ast.Call) and called(node) in TRANSPOSES:
            yield _other_axes(source, node)
        elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.MatMult):
            yield from (_transposed(source, framework, side) for side in (node.left, node.right))
    for name, call in source.calls():
        if name in PRODUCTS:
            yield from (_transposed(source, framework, each) for each in call.args[:2])
    for _, tensor in source.applications():
        yield _transposed(source, framework, tensor)


def _other_axes(source: Source, call: ast.Call) -> Variants:
    """The call left out, or with two of its axes exchanged."""
    found = _left_out(source, call)
    axes = [axis for each in call.args for axis in (sequence(each) or [each])]
    axes += [axis for word in call.keywords for axis in sequence(word.value)]
    axes = [axis for axis in axes if isinstance(axis, (ast.Constant, ast.UnaryOp))]
    if len(axes) > 2:
        found += [_exchanged(source, one, two) for one, two in pairwise(axes)]
    elif len(axes) == 2:
        one, two = axes
        found += [source.replaced(one, new) for new in ("0", "1", "2") if new not in (source.of(one), source.of(two))]
    return found


def _transposed(source: Source, framework: str, node: ast.expr) -> Variants:
    text, whole = source.operand(node), source.of(node)
    if framework == "torch":
        news = [f"{text}.transpose(0, 1)", f"{text}.transpose(1, -1)", f"{text}.transpose(-2, -1)"]
    elif framework in ("jax", "numpy"):
        numpy = source.alias("jax.numpy")
        news = [f"{text}.T", *([f"{numpy}.swapaxes({whole}, 0, -1)"] if numpy else [])]
    else:
        news = [f"{place}.transpose({whole})" for place in _places_of_transpose(source, framework)[:1]]
        layers = source.alias("keras.layers") or source.alias("tensorflow.keras.layers")
        if layers and isinstance(source.parents.get(node), ast.Call):
            news += [f"{layers}.Permute((2, 1))({whole})"]
    return [source.replaced(node, new) for new in news]


def _places_of_transpose(source: Source, framework: str) -> list[str]:
    """The modules of a TensorFlow or Keras program that have a function `transpose`, those of Keras first."""
    keras = source.alias("keras") or source.alias("tensorflow.keras")
    names = [source.alias("keras.ops"), f"{keras}.ops" if keras and framework == "keras" else None]
    return [name for name in [*names, source.alias("tensorflow"), source.alias("tensorflow.compat.v1")] if name]


def dropped_flatten(source: Source, _: str) -> Iterator[Variants]:
    for node in source.nodes:
        if isinstance(node, ast.Call):
            yield _dropped(source, node)
        elif isinstance(node, ast.Subscript) and _adds_axis(node.slice):
            yield [source.replaced(node, source.of(node.value))]


def _dropped(source: Source, call: ast.Call) -> Variants:
    name, layer = called(call), source.applied(call)
    if layer in FLATTENS and call.args:
        return [source.replaced(call, source.of(call.args[0]))]
    if name not in FLATTENS and not (name in ("mean", "reduce_mean") and _pools(call)):
        return []
    parent = source.parents[call]
    if name[:1].islower():
        return _left_out(source, call)
    if isinstance(parent, (ast.List, ast.Tuple)) or (isinstance(parent, ast.Call) and called(parent) == "Sequential"):
        end = source.end(call)
        comma = source.text.find(",", end)
        after = source.text[end : comma + 1] if comma >= 0 and not source.text[end:comma].strip() else ""
        return [source.edit(source.start(call), end + len(after), "")] if after else []
    if isinstance(parent, ast.Call) and called(parent) == "add":
        statement = source.parents[parent]
        return [source.replaced(statement, "pass")] if isinstance(statement, ast.Expr) else []
    return []


def _left_out(source: Source, call: ast.Call) -> Variants:
    """A function or method call replaced by the tensor that it works on."""
    if isinstance(call.func, ast.Attribute) and not source.is_module(call.func.value):
        return [source.replaced(call, source.of(call.func.value))]
    if call.args and called(call)[:1].islower():
        return [source.replaced(call, source.operand(call.args[0]))]
    return []


def _pools(call: ast.Call) -> bool:
    """Whether a mean runs over two axes or more."""
    return any(len(sequence(each)) > 1 for each in [*call.args, *(word.value for word in call.keywords)])


def _adds_axis(index: ast.expr) -> bool:
    parts = sequence(index) or [index]
    return any(
        (isinstance(part, ast.Constant) and part.value is None) or getattr(part, "attr", "") == "newaxis"
        for part in parts
    )


def channel_order(source: Source, framework: str) -> Iterator[Variants]:
    for name, call in source.calls():
        positions, words = SIZES.get(name, ((), ()))
        if positions == (0, 1) and len(call.args) > 1 and not sequence(call.args[1]):
            yield _swapped(source, call.args[:2])
        named = [word.value for word in call.keywords if word.arg in words]
        yield _swapped(source, named[:2])
        for shape in shapes(name, call):
            yield _swapped(source, shape)
        if name in RESHAPES and name.lower() != "rearrange":
            yield _swapped(source, target(source, call))
        yield _other_format(source, name, call)
    for layer, tensor in source.applications():
        yield _moved_channels(source, framework, layer, tensor)


def _swapped(source: Source, sizes: list[ast.expr]) -> Variants:
    """Two neighbours exchanged, or the last put first; texts that are equal stay."""
    pairs = list(pairwise(sizes))
    return [_exchanged(source, one, two) for one, two in pairs if source.of(one) != source.of(two)]


def _exchanged(source: Source, one: ast.expr, two: ast.expr) -> Edit:
    between = source.text[source.end(one) : source.start(two)]
    return source.edit(source.start(one), source.end(two), source.of(two) + between + source.of(one))


def _other_format(source: Source, name: str, call: ast.Call) -> Variants:
    others = {
        "channels_last": "channels_first", "channels_first": "channels_last", "NHWC": "NCHW", "NCHW": "NHWC",
    }  # fmt: skip
    for word in call.keywords:
        if word.arg == "data_format" and isinstance(word.value, ast.Constant) and word.value.value in others:
            return [source.replaced(word.value, f'"{others[word.value.value]}"')]
    if name in ("Conv2D", "Conv2DTranspose", "conv2d_transpose", "GlobalAveragePooling2D", "GlobalAveragePooling1D"):
        end = source.end(call) - 1
        comma = "" if source.text[:end].rstrip().endswith((",", "(")) else ", "
        return [source.edit(end, end + 1, f'{comma}data_format="channels_first")')]
    return []


def _moved_channels(source: Source, framework: str, layer: str, tensor: ast.expr) -> Variants:
    """Channels moved before a convolution or pooling, or before a network of a file that has convolutions of images."""
    kind = layer.lower()
    images = IMAGES.search(source.text) is not None
    if "3d" in kind or not (
        "conv" in kind or "pool" in kind or (images and (layer in source.classes or "norm2d" in kind))
    ):
        return []
    text, whole = source.operand(tensor), source.of(tensor)
    flat = "1d" in kind
    if framework == "torch":
        return [source.replaced(tensor, f"{text}.permute({'0, 2, 1' if flat else '0, 2, 3, 1'})")]
    axes = "(0, 2, 1)" if flat else "(0, 3, 1, 2)"
    place = (
        source.alias("jax.numpy") if framework == "jax" else next(iter(_places_of_transpose(source, framework)), None)
    )
    return [source.replaced(tensor, f"{place}.transpose({whole}, {axes})")] if place else []


OPERATORS = {
    "feature-size": feature_size,
    "transpose": transpose,
    "reshape-constant": reshape_constant,
    "dropped-flatten": dropped_flatten,
    "channel-order": channel_order,
}
