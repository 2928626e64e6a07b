"""Shapes that are known only when the program runs although they need not be."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from mlvet.analyses.efficiency.costs import cost
from mlvet.analyses.efficiency.host.outline import Expression, Loop
from mlvet.analyses.efficiency.reasoning.solving import Suggested
from mlvet.analyses.efficiency.telling.context import Context
from mlvet.core.evidence import Related
from mlvet.core.finding import Finding
from mlvet.core.fix import Applicability, Fix
from mlvet.domains.dtypes import bool_

_LEAST_SHARE = 0.05
_SELECTING = 4e-9
"""Seconds that an element takes which a mask selects or leaves out."""
_LEAST = {"numpy": 4_096, "torch": 4_096, "jax": 1, "tensorflow": 1}
"""Elements from which on it pays to keep the shape; operators that are run one by one compile anew for each shape."""
_LEAST_TRACED = 100_000
_ANEW = 1e-3
_LONGEST_STEP = 2e-3
"""Steps that take longer gain nothing by a placeholder whose size is known."""
_LIBRARIES = {
    "numpy.ndarray": "numpy", "torch.Tensor": "torch", "jax.Array": "jax", "tensorflow.Tensor": "tensorflow",
}  # fmt: skip
_ROOTS = {"numpy": "numpy", "torch": "torch", "jax": "jax.numpy", "tensorflow": "tensorflow"}


def tell(context: Context, suggested: Suggested) -> Finding | None:
    """The suggestion to keep the shape, where that costs less than finding out about another one."""
    expression = context.expressions[str(suggested.arguments[0])]
    if suggested.arguments[-1] == "placeholder":
        return _placeholder(context, suggested, expression, str(suggested.arguments[1]))
    selected, tensor, mask = (context.expressions[str(each)] for each in suggested.arguments[1:4])
    return _masked(
        context, suggested, expression, selected, tensor, mask, str(suggested.arguments[4]),
        context.loops[str(suggested.arguments[5])],
    )  # fmt: skip


def _masked(
    context: Context, suggested: Suggested, expression: Expression, selected: Expression, tensor: Expression,
    mask: Expression, what: str, loop: Loop,
) -> Finding | None:  # fmt: skip
    """A sum, mean or count of the elements that a mask selects."""
    seen, chosen = context.program.seen(tensor), context.program.seen(mask)
    if seen is None or seen.tensor is None or chosen is None or chosen.tensor is None or chosen.tensor.dtype != bool_:
        return None
    library = _LIBRARIES.get(seen.type)
    root = "" if library is None else context.edits.reference(_ROOTS[library])
    if library is None or not root:
        return None
    elements, guessed = context.sizes.of(seen.tensor)
    traced = expression.function in context.compiled
    least = _LEAST_TRACED if traced and library == "tensorflow" else _LEAST[library]
    if library in ("numpy", "torch") and (traced or guessed):
        return None
    rest = context.cost_of_iteration(loop).seconds
    saved = elements * _SELECTING if traced or library in ("numpy", "torch") else _ANEW
    if not guessed and (elements < least or saved < _LEAST_SHARE * rest):
        return None
    x, m = context.text(tensor.node, 200), context.text(mask.node, 200)
    instead = _instead(library, root, what, x, m, isinstance(mask.node, ast.Name))
    finds_out = "counts" if what == "count" else "copies"
    message = (
        f"`{context.text(selected.node)}` {finds_out} the elements that the mask selects, of which nobody knows how "
        f"many there are before; `{instead}` yields the same from all of them, with a shape that is known"
    )
    conditions = [f"`{x}` has at least {least:,} elements"] if guessed and least > 1 else []
    found = context.editable(expression.node)
    fix = Fix(f"`{instead}`")
    plain = library != "tensorflow" or isinstance(tensor.node, ast.Name)
    if selected.node in ast.walk(expression.node) and isinstance(found, ast.expr) and plain:
        edit = context.edits.replaced(found, instead)
        reason = "a sum in another order is rounded otherwise"
        fix = Fix(f"`{instead}`", (edit,), Applicability.UNSAFE, reason)
        if what == "count":
            fix = Fix(f"`{instead}`", (edit,), Applicability.SAFE)
    outline = context.program.outline
    return context.finding(
        suggested, message, outline.location(expression.node),
        related=[Related("in every iteration of this loop", outline.head(loop.node))], conditions=conditions, fix=fix,
        data={"case": "mask", "elements": elements},
    )  # fmt: skip


def _instead(library: str, root: str, what: str, x: str, m: str, named: bool) -> str:
    """The same sum, mean or count over all elements."""
    whole = m if named else f"({m})"
    count = {
        "numpy": f"{root}.count_nonzero({m})", "torch": f"{whole}.sum()", "jax": f"{whole}.sum()",
        "tensorflow": f"{root}.math.count_nonzero({m})",
    }[library]  # fmt: skip
    if what == "count":
        return count if library == "numpy" else f"int({count})"
    if library == "tensorflow":
        total = f"{root}.reduce_sum({root}.where({m}, {x}, {root}.zeros_like({x})))"
        return total if what == "sum" else f"{total} / {root}.cast({count}, {x}.dtype)"
    total = f"{root}.where({m}, {x}, 0).sum()"
    return total if what == "sum" else f"{total} / {count}"


def _placeholder(context: Context, suggested: Suggested, expression: Expression, name: str) -> Finding | None:
    """A placeholder of any size that is fed one size only."""
    node = expression.node
    assert isinstance(node, ast.Call)
    given = [*node.args[1:2], *(each.value for each in node.keywords if each.arg == "shape")]
    if len(given) != 1 or not isinstance(given[0], ast.List | ast.Tuple):
        return None
    dims = given[0].elts
    shapes = list(_fed(context, name))
    open_dims = [index for index, each in enumerate(dims) if _is_none(each)]
    if not open_dims or not shapes or None in shapes or len(set(shapes)) != 1:
        return None
    (shape,) = set(shapes)
    step = cost(context.program.graph.nodes(), context.sizes)
    if shape is None or len(shape) != len(dims) or step.seconds > _LONGEST_STEP:
        return None
    sizes = [str(shape[index]) if index in open_dims else ast.unparse(each) for index, each in enumerate(dims)]
    known = f"[{', '.join(sizes)}]"
    message = (
        f"`{context.text(node)}` may have any size, but is fed {known} only; with its size the graph is simplified "
        f"where it would ask for shapes"
    )
    edits = []
    for index in open_dims:
        found = context.editable(dims[index])
        if not isinstance(found, ast.expr):
            return None
        edits.append(context.edits.replaced(found, sizes[index]))
    reason = "nothing else can be fed then, by other programs neither"
    return context.finding(
        suggested, message, context.program.outline.location(node),
        conditions=["a step takes a few milliseconds at most"],
        fix=Fix(f"`{known}`", tuple(edits), Applicability.UNSAFE, reason), data={"case": "placeholder"},
    )  # fmt: skip


def _is_none(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is None


def _fed(context: Context, name: str) -> Iterator[tuple[int, ...] | None]:
    """The shape of everything that a placeholder is fed, None for one that is not known."""
    program = context.program
    for reading, read in program.bindings.reads:
        if read != name:
            continue
        parent = context.parents.get(reading.node)
        if not isinstance(parent, ast.Dict) or reading.node not in parent.keys:
            continue
        value = parent.values[parent.keys.index(reading.node)]
        seen = program.seen(program.outline.of_node[value])
        shape = None if seen is None or seen.tensor is None else seen.tensor.shape
        known = isinstance(shape, tuple) and all(isinstance(each, int) for each in shape)
        yield shape if known and _is_of_one_size(context, value) else None  # type: ignore[misc]


def _is_of_one_size(context: Context, value: ast.expr) -> bool:
    """Whether what is fed is set before all loops, or is made by a call rather than cut out of something."""
    if isinstance(value, ast.Call):
        return True
    name = context.program.names_read.get(context.program.outline.of_node[value])
    settings = context.settings.get(name or "", [])
    return bool(settings) and all(
        not each.target.loops or (each.value is not None and isinstance(each.value.node, ast.Call)) for each in settings
    )
