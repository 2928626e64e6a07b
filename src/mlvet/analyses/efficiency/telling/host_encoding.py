"""Sequences that Python encodes item by item, and codes of zeros and a one where the number itself would do."""

from __future__ import annotations

import ast

from mlvet.analyses.efficiency.host.encodings import RowFill, padded, row_fills
from mlvet.analyses.efficiency.host.outline import Expression, Loop
from mlvet.analyses.efficiency.reasoning.solving import Suggested
from mlvet.analyses.efficiency.telling.context import Context
from mlvet.core.evidence import Related
from mlvet.core.finding import Finding
from mlvet.core.fix import Applicability, Fix

_LIBRARIES = {
    "numpy.ndarray": "numpy", "torch.Tensor": "torch", "jax.Array": "jax", "tensorflow.Tensor": "tensorflow",
}  # fmt: skip
_LEAST_ITEMS = {
    ("numpy", "copy"): 10, ("numpy", "lookup"): 30, ("numpy", "one-hot"): 200,
    ("torch", "copy"): 5, ("torch", "lookup"): 5, ("torch", "one-hot"): 5,
}  # fmt: skip
"""Items from which on one statement for all of them is faster than one for each."""
_LONG = 100
"""Items that a sequence of unknown length cannot be taken to have."""
_FEW_ONCE = 1000
"""So many items are not worth a change where the loop runs once."""
_LEAST_CLASSES = {"numpy": 10, "torch": 10, "jax": 10, "tensorflow": 500}
"""Classes from which on rows taken out of a matrix are faster than a product with it."""


def tell(context: Context, suggested: Suggested) -> Finding | None:
    """The suggestion to encode all items at once, or not to encode them at all."""
    match suggested.arguments:
        case (loop, often, "fill"):
            return _fill(context, suggested, context.loops[str(loop)], often == "again")
        case (item, join, library, "pad"):
            return _pad(
                context, suggested, context.expressions[str(item)], context.expressions[str(join)], str(library)
            )  # fmt: skip
        case (*parts, "rows"):
            return _rows(context, suggested, *(context.expressions[str(each)] for each in parts))
        case (*parts, "loss"):
            return _loss(context, suggested, *(context.expressions[str(each)] for each in parts))
    return None


def _fill(context: Context, suggested: Suggested, loop: Loop, again: bool) -> Finding | None:
    """Items that are written into an array one by one."""
    found = next(each for each in row_fills(context.program) if each.loop is loop)
    seen = context.program.seen(context.program.outline.of_node[found.array])
    library = _LIBRARIES.get(seen.type) if seen is not None else None
    root = context.edits.reference(library) if library else ""
    if library is None or not root:
        return None
    rows = _rows_around(loop)
    again = again or bool((rows or loop).around)
    trips = context.trips(loop)
    least = _LEAST_ITEMS[library, found.kind] if again else _FEW_ONCE
    unsure = trips is None and (not again or least >= _LONG)
    if unsure or (trips is not None and trips < least):
        return _nest(context, suggested, found, rows, root) if rows is not None and again else None
    given = context.program.seen(context.program.outline.of_node[found.sequence])
    listed = given is not None and given.kind in ("tensor", "list")
    instead = _filled(found, library, root, listed)
    sequence = context.text(found.sequence)
    conditions = [] if trips is not None else [f"`{sequence}` has at least {least} items"]
    fix = Fix(f"`{instead}`")
    node = context.editable(loop.node)
    if isinstance(node, ast.For) and not _read_later(loop, found.position, found.item):
        reason = f"`{sequence}` is gone through more than once, which an iterator does not allow"
        fix = Fix(f"`{instead}`", (context.edits.replaced(node, instead),), Applicability.UNSAFE, reason)
    message = f"`{context.text(found.statement)}` is run for each item of `{sequence}`; `{instead}` writes all of them"
    return _filling(context, suggested, found, message, conditions, fix)


def _filling(
    context: Context, suggested: Suggested, found: RowFill, message: str, conditions: list[str], fix: Fix
) -> Finding:
    outline = context.program.outline
    return context.finding(
        suggested, message, outline.head(found.loop.node), conditions=conditions, fix=fix,
        related=[Related("the statement of each item", outline.location(found.statement))], data={"case": found.kind},
    )  # fmt: skip


def _rows_around(loop: Loop) -> Loop | None:
    """The loop over rows that does nothing but run another one for each of them."""
    outer = loop.around[-1] if loop.around else None
    return outer if outer is not None and getattr(outer.node, "body", None) == [loop.node] else None


def _nest(context: Context, suggested: Suggested, found: RowFill, rows: Loop, root: str) -> Finding | None:
    """Codes of short sequences, which are written faster for all of them at once, but not for each."""
    match rows.node:
        case ast.For(
            target=ast.Tuple(elts=[ast.Name(id=row), ast.Name(id=sequence)]),
            iter=ast.Call(func=ast.Name(id="enumerate"), args=[sequences], keywords=[]),
        ):
            pass
        case _:
            return None
    indices = [ast.unparse(each) for each in found.indices]
    of_rows = indices[:2] == [row, found.position] and ast.unparse(found.sequence) == sequence
    if found.kind != "one-hot" or len(indices) != 3 or not of_rows:
        return None
    base, every, value = ast.unparse(found.array), ast.unparse(sequences), ast.unparse(found.statement.value)
    column = f"[[{indices[2]} for {found.item} in {sequence}] for {sequence} in {every}]"
    steps = f"`codes = {root}.array({column})`, "
    steps += f"`{base}[{root}.arange(len(codes))[:, None], {root}.arange(codes.shape[1]), codes] = {value}`"
    message = (
        f"`{context.text(found.statement)}` is run for each item of each `{sequence}`; the codes of all of them are "
        f"written at once: {steps}"
    )
    conditions = [f"all of `{every}` have one length, and together some hundred items"]
    return _filling(context, suggested, found, message, conditions, Fix(steps))


def _filled(found: RowFill, library: str, root: str, listed: bool) -> str:
    """The statement that writes all items; those that are `listed` can be an index as they are."""
    base, sequence = ast.unparse(found.array), ast.unparse(found.sequence)
    value = ast.unparse(found.statement.value)
    if found.kind == "one-hot":
        *before, column = [ast.unparse(each) for each in found.indices]
        counted = f"{root}.arange(len({sequence}))"
        places = [counted if each == found.position else each for each in before]
        columns = sequence if listed and column == found.item else _listed(column, found, sequence)
        return f"{base}[{', '.join([*places, columns])}] = {value}"
    *before, _ = [ast.unparse(each) for each in found.indices]
    items = sequence if found.kind == "copy" else _listed(value, found, sequence)
    if library == "torch":
        items = f"{root}.as_tensor({items})"
    return f"{base}[{', '.join([*before, f':len({sequence})'])}] = {items}"


def _listed(value: str, found: RowFill, sequence: str) -> str:
    return f"list({sequence})" if value == found.item else f"[{value} for {found.item} in {sequence}]"


def _read_later(loop: Loop, *names: str) -> bool:
    """Whether the function reads one of some names behind a loop."""
    end = loop.node.end_lineno or 0
    return any(
        isinstance(each, ast.Name) and each.id in names and each.lineno > end and isinstance(each.ctx, ast.Load)
        for each in ast.walk(loop.function.node)
    )


def _pad(
    context: Context, suggested: Suggested, item: Expression, join: Expression, library: str
) -> Finding | None:  # fmt: skip
    """Items that are padded one by one and joined afterwards."""
    read = padded(context.program, item.node)
    gone_through = _gone_through(item)
    if read is None or gone_through is None:
        return None
    name, length, kind = ast.unparse(read[0]), ast.unparse(read[1]), read[2]
    if ast.unparse(gone_through[0]) != name:
        return None
    items = ast.unparse(gone_through[1])
    cure = (
        f"`rows = np.zeros((len({items}), {length}), dtype=...)`, then `rows[i, :len({name})] = {name}` for each, "
        f"which converts what is there and nothing else"
    )
    if library == "torch" and kind == "list":
        cure += ", and `torch.from_numpy(rows)`"
    if kind == "tensor":
        cure = f"`torch.nn.utils.rnn.pad_sequence({items}, batch_first=True)`, which copies each into its place"
    outline = context.program.outline
    message = (
        f"`{context.text(item.node)}` makes a padded copy of each item, and `{context.text(join.node, 40)}` copies it "
        f"again; {cure}"
    )
    return context.finding(
        suggested, message, outline.location(item.node),
        related=[Related("the padded items are joined here", outline.location(join.node))],
        conditions=[f"`{items}` are many or long enough that encoding takes a part of each step worth having"],
        fix=Fix(cure), data={"case": "pad", "of": kind},
    )  # fmt: skip


def _gone_through(item: Expression) -> tuple[ast.expr, ast.expr] | None:
    """The target and the items of the one loop that makes each padded item."""
    match item.loops[-1].node if item.loops else None:
        case ast.ListComp(generators=[each]) | ast.GeneratorExp(generators=[each]):
            return None if each.ifs else (each.target, each.iter)
        case ast.For(target=target, iter=items):
            return target, items
    return None


def _classes(context: Context, hot: Expression) -> int | None:
    """How many classes a code has, where that is known."""
    seen = context.program.seen(hot)
    shape = None if seen is None or seen.tensor is None else seen.tensor.shape
    return shape[-1] if isinstance(shape, tuple) and shape and isinstance(shape[-1], int) else None


def _rows(context: Context, suggested: Suggested, *parts: Expression) -> Finding | None:
    """A product with codes of zeros and a one, which takes rows out of a matrix."""
    product, _, hot, labels, matrix = parts
    seen = context.program.seen(product)
    library = _LIBRARIES.get(seen.type, "") if seen is not None else ""
    classes = _classes(context, hot)
    least = _LEAST_CLASSES.get(library)
    if least is None or (classes is not None and classes < least):
        return None
    if library == "jax" and product.function not in context.compiled:
        return None
    w, ids = context.text(matrix.node, 200), context.text(labels.node, 200)
    root = context.edits.reference("tensorflow") or "tf"
    instead = f"{root}.gather({w}, {ids})" if library == "tensorflow" else f"{_atom(matrix.node, w)}[{ids}]"
    message = (
        f"`{context.text(product.node)}` multiplies a matrix by codes of zeros and a one, which takes rows out of it; "
        f"`{instead}` takes them without a product"
    )
    conditions = [] if classes is not None else [f"there are at least {least} classes"]
    fix = Fix(f"`{instead}`")
    found = context.editable(product.node)
    if library == "tensorflow" and _handles_gradients(context):
        fix = Fix(f"`{instead}`; its gradient is an `IndexedSlices`, which `tf.convert_to_tensor` makes a tensor of")
    elif hot.node in ast.walk(product.node) and isinstance(found, ast.expr):
        reason = "numbers beyond the last class, and rows that are not finite, give other results"
        fix = Fix(f"`{instead}`", (context.edits.replaced(found, instead),), Applicability.UNSAFE, reason)
    return context.finding(
        suggested, message, context.program.outline.location(product.node), conditions=conditions, fix=fix,
        related=[Related("the codes are made here", context.program.outline.location(hot.node))], data={"case": "rows"},
    )  # fmt: skip


def _handles_gradients(context: Context) -> bool:
    """Whether the program computes with gradients of TensorFlow itself, which a gather makes sparse."""
    expressions = context.program.outline.expressions
    called = {
        each.node.func.attr
        for each in expressions
        if isinstance(each.node, ast.Call) and isinstance(each.node.func, ast.Attribute)
    }
    return "gradient" in called and not called & {"apply_gradients", "minimize"}


def _atom(node: ast.expr, text: str) -> str:
    return text if isinstance(node, ast.Name | ast.Attribute | ast.Subscript | ast.Call) else f"({text})"


def _loss(context: Context, suggested: Suggested, *parts: Expression) -> Finding | None:
    """A loss that takes the numbers of the classes themselves."""
    loss, given, hot, labels = parts
    classes = _classes(context, hot)
    if classes is not None and classes < _LEAST_CLASSES["torch"]:
        return None
    ids = context.text(labels.node, 200)
    message = (
        f"`{context.text(hot.node)}` makes codes of zeros and a one for `{context.text(loss.node)}`, which takes the "
        f"numbers of the classes as well: pass `{ids}`"
    )
    fix = Fix(f"pass `{ids}`")
    found = context.editable(given.node)
    if hot.node in ast.walk(given.node) and isinstance(found, ast.expr):
        reason = "a sum of one term is rounded otherwise than one of many"
        fix = Fix(f"pass `{ids}`", (context.edits.replaced(found, ids),), Applicability.UNSAFE, reason)
    outline = context.program.outline
    return context.finding(
        suggested, message, outline.location(loss.node), fix=fix,
        related=[Related("the codes are made here", outline.location(hot.node))], data={"case": "loss"},
    )  # fmt: skip
