"""Shapes that are known only when the program runs although they need not be."""

from __future__ import annotations

import ast

from mlvet.analyses.efficiency.host.outline import Expression, Loop
from mlvet.analyses.efficiency.reasoning.solving import Suggested
from mlvet.analyses.efficiency.telling.context import Context
from mlvet.analyses.efficiency.telling.placeholders import placeholder
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
_LIBRARIES = {
    "numpy.ndarray": "numpy", "torch.Tensor": "torch", "jax.Array": "jax", "tensorflow.Tensor": "tensorflow",
}  # fmt: skip
_ROOTS = {"numpy": "numpy", "torch": "torch", "jax": "jax.numpy", "tensorflow": "tensorflow"}


def tell(context: Context, suggested: Suggested) -> Finding | None:
    """The suggestion to keep the shape, where that costs less than finding out about another one."""
    expression = context.expressions[str(suggested.arguments[0])]
    if suggested.arguments[-1] == "placeholder":
        return placeholder(context, suggested, expression)
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
