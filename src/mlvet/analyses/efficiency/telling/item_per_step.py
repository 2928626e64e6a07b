"""Elements of a tensor that a loop makes numbers of one by one."""

from __future__ import annotations

import ast

from mlvet.analyses.efficiency.host.outline import COMPREHENSIONS, Expression, Loop
from mlvet.analyses.efficiency.reasoning.solving import Suggested
from mlvet.analyses.efficiency.telling.context import Context
from mlvet.analyses.efficiency.telling.moves import inserted_before
from mlvet.core.evidence import Related
from mlvet.core.finding import Finding
from mlvet.core.fix import Applicability, Edit, Fix

_SECONDS = {"torch.Tensor": 4e-6, "jax.Array": 1e-4, "tensorflow.Tensor": 2e-4}
"""What it takes to make a number of one element of a tensor."""
_WHOLE = {"torch.Tensor": ".tolist()", "jax.Array": ".tolist()", "tensorflow.Tensor": ".numpy().tolist()"}
_LEAST_SHARE = 0.05
_FEWEST = 10
_LEAST_TOTAL = 1e-3
"""The time that a whole run of the program must save."""
_LARGE = 64
"""Elements of a tensor whose loop runs nobody knows how often."""


def tell(context: Context, suggested: Suggested) -> Finding | None:
    """The suggestion to make a list of the tensor once, if the elements take a part of the loop worth having."""
    expression = context.expressions[str(suggested.arguments[0])]
    loop, case = context.loops[str(suggested.arguments[1])], str(suggested.arguments[2])
    if case == "waits":
        return _waiting(context, suggested, expression, loop)
    tensor = _tensor(expression.node) if case == "index" else _iterated(loop, _plain(_asked(expression.node)))
    kind = _kind(context, tensor)
    trips = context.trips(expression.loops[-1])
    if tensor is None or kind not in _SECONDS or (trips is not None and trips < _FEWEST):
        return None
    if trips is None and not _is_large(context, tensor):
        return None
    runs = context.times(expression.loops[-1])
    if runs is not None and runs * _SECONDS[kind] < _LEAST_TOTAL:
        return None
    if not context.understood(expression.loops[-1]):
        return None
    rest = context.cost_of_iteration(expression.loops[-1]).seconds
    if _SECONDS[kind] / (_SECONDS[kind] + rest) < _LEAST_SHARE:
        return None
    whole = f"{context.text(tensor)}{_WHOLE[kind]}"
    outline = context.program.outline
    message = (
        f"`{context.text(expression.node)}` makes a number of one element in every iteration of the loop in line "
        f"{expression.loops[-1].node.lineno}; `{whole}` makes all of them at once and far faster"
    )
    return context.finding(
        suggested, message, outline.location(expression.node),
        related=[Related("the loop goes over the elements one by one", outline.head(expression.loops[-1].node))],
        conditions=[] if trips is not None else [f"the loop runs at least {_FEWEST} times"],
        fix=(_index_fix if case == "index" else _each_fix)(context, expression, loop, whole),
        data={"library": kind},
    )  # fmt: skip


def _is_large(context: Context, tensor: ast.expr) -> bool:
    """Whether a tensor is known to have so many elements that it is worth to ask for all of them at once."""
    seen = context.program.seen(context.program.outline.of_node[tensor])
    if seen is None or seen.tensor is None:
        return False
    elements, guessed = context.sizes.of(seen.tensor)
    return not guessed and elements >= _LARGE


def _waiting(context: Context, suggested: Suggested, expression: Expression, loop: Loop) -> Finding:
    """A loss or a count that each step reads from the device, only to add it to a sum."""
    asked = _asked(expression.node)
    name, text = context.text(asked), context.text(expression.node)
    outline = context.program.outline
    message = (
        f"`{text}` waits in every step until the device has computed it, so that the next step is prepared only then; "
        f"`{name}.detach()` is summed up on the device, and the sum is read once behind the loop"
    )
    found = context.editable(expression.node)
    title = f"add up `{name}.detach()`, and read the sum once behind the loop"
    fix = Fix(title)
    if isinstance(found, ast.expr):
        edit = context.edits.replaced(found, f"{context.edits.of(_asked(found))}.detach()")
        reason = "the sum is then a tensor of the device, which `float` makes a number of"
        fix = Fix(title, (edit,), Applicability.UNSAFE, reason)
    return context.finding(
        suggested, message, outline.location(expression.node),
        related=[Related("each iteration of this loop is a step", outline.head(loop.node))],
        conditions=["the program runs on a GPU, which computes while the next step is prepared"], fix=fix,
        data={"case": "waits"},
    )  # fmt: skip


def _asked(node: ast.expr) -> ast.expr:
    """What is made a number, through `detach()` and `cpu()`."""
    match node:
        case ast.Call(func=ast.Attribute(attr="item" | "numpy", value=inner)) | ast.Call(args=[inner]):
            while (
                isinstance(inner, ast.Call)
                and isinstance(inner.func, ast.Attribute)
                and inner.func.attr in ("cpu", "detach")
            ):
                inner = inner.func.value
            return inner
    return node


def _tensor(node: ast.expr) -> ast.expr | None:
    """The tensor of which an element is made a number."""
    inner = _asked(node)
    while isinstance(inner, ast.Subscript):
        inner = inner.value
    return inner if isinstance(inner, ast.Name | ast.Attribute) else None


def _plain(node: ast.expr) -> str:
    return node.id if isinstance(node, ast.Name) else ""


def _iterated(loop: Loop, name: str) -> ast.expr | None:
    """What a loop goes through to give a name its items, also beside others by `enumerate` or `zip`."""
    if isinstance(loop.node, COMPREHENSIONS):
        target, items = loop.node.generators[0].target, loop.node.generators[0].iter
    elif isinstance(loop.node, ast.For):
        target, items = loop.node.target, loop.node.iter
    else:
        return None
    match target, items:
        case ast.Tuple(elts=[_, ast.Name()]), ast.Call(func=ast.Name(id="enumerate"), args=[inner, *_]):
            return inner
        case ast.Tuple(elts=several), ast.Call(func=ast.Name(id="zip"), args=given):
            places = [place for place, each in enumerate(several) if isinstance(each, ast.Name) and each.id == name]
            return given[places[0]] if places and len(given) == len(several) else None
    return items


def _kind(context: Context, tensor: ast.expr | None) -> str:
    if tensor is None:
        return ""
    seen = context.program.seen(context.program.outline.of_node[tensor])
    return seen.type if seen is not None else ""


def _index_fix(context: Context, expression: Expression, loop: Loop, whole: str) -> Fix:
    text = context.edits
    tensor = _tensor(expression.node)
    assert isinstance(tensor, ast.Name | ast.Attribute)
    name = f"{tensor.id if isinstance(tensor, ast.Name) else tensor.attr}_list"
    title = f"`{name} = {whole}` before the loop, and its elements in it"
    found = context.editable(expression.node)
    before = context.editable(loop.node) if not isinstance(loop.node, COMPREHENSIONS) else None
    if isinstance(loop.node, COMPREHENSIONS):
        before = context.editable(expression.statement)
    index = _index(expression.node)
    taken = any(isinstance(each, ast.Name) and each.id == name for each in ast.walk(text.tree))
    if taken or index is None or not isinstance(found, ast.expr) or not isinstance(before, ast.stmt):
        return Fix(title)
    if not text.begins_line(before) or isinstance(before, ast.While):
        return Fix(title)
    edits = (inserted_before(text, before, f"{name} = {whole}"), text.replaced(found, f"{name}{index}"))
    if _converts_to(expression.node):
        edits = (edits[0], text.replaced(found, f"{_converts_to(expression.node)}({name}{index})"))
    return Fix(title, edits, Applicability.SAFE)


def _converts_to(node: ast.expr) -> str:
    return node.func.id if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) else ""


def _index(node: ast.expr) -> str | None:
    """The index of a nested list that stands for that of a tensor; None if it is not made of single numbers."""
    found = ""
    current = _asked(node)
    while isinstance(current, ast.Subscript):
        parts = current.slice.elts if isinstance(current.slice, ast.Tuple) else [current.slice]
        if any(isinstance(each, ast.Slice | ast.Starred) or _is_none(each) for each in parts):
            return None
        found = "".join(f"[{ast.unparse(each)}]" for each in parts) + found
        current = current.value
    return found or None


def _is_none(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and not isinstance(node.value, int)


def _each_fix(context: Context, expression: Expression, loop: Loop, whole: str) -> Fix:
    text = context.edits
    iterated = _iterated(loop, _plain(_asked(expression.node)))
    found, items = context.editable(expression.node), context.editable(iterated) if iterated is not None else None
    title = f"iterate over `{whole}`"
    if not isinstance(found, ast.Call) or not isinstance(items, ast.expr):
        return Fix(title)
    inner = text.of(_asked(found))
    suffix = _WHOLE[_kind(context, iterated)]
    content = inner if isinstance(found.func, ast.Attribute) else f"{_converts_to(found)}({inner})"
    edits: tuple[Edit, ...] = (*text.suffixed(items, suffix), text.replaced(found, content))
    return Fix(title, edits, Applicability.SAFE)
