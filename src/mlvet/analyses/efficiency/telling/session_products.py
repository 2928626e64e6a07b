"""A formula of a graph that a session runs in a loop: its steady products are run once and fed from then on."""

from __future__ import annotations

import ast
from collections.abc import Container, Iterator

from mlvet.analyses.efficiency.algebra.reading import Reading, reading
from mlvet.analyses.efficiency.algebra.terms import LEAF, PRODUCT, Term, steady_parts
from mlvet.analyses.efficiency.algebra.writing import Writer
from mlvet.analyses.efficiency.host.outline import Expression, Loop
from mlvet.analyses.efficiency.telling.context import Context
from mlvet.analyses.efficiency.telling.definitions import assignments, definition, is_constant, is_placeholder
from mlvet.analyses.efficiency.telling.hoisting import before, free_name
from mlvet.core.fix import Edit


def formulas(
    context: Context, run: ast.Call, loop: Loop, steady: frozenset[str]
) -> Iterator[tuple[Expression, Reading]]:
    """The formulas that a run assigns to variables, with what is steady in them: fed the same each time, or constant.

    `steady` are the fed values that no iteration changes, by name.
    """
    of_node = context.program.outline.of_node
    fed = {definition(context, key): of_node[value].name in steady for key, value in _items(run) if value in of_node}

    def keeps(place: Expression) -> bool:
        made = definition(context, place.node)
        seen = context.program.seen(place)
        number = seen is not None and seen.kind == "number"
        return fed.get(made, False) if is_placeholder(context, made) else number or is_constant(context, made)

    for _, value in assignments(context, run.args[0]) if run.args else ():
        read = [
            (of_node[node], reading(context, of_node[node], loop, keeps)) for node in _roots(context, value, of_node)
        ]
        known = [(root, found) for root, found in read if found is not None]
        most = max((_products(found) for _, found in known), default=0)
        yield from [(root, found) for root, found in known if _products(found) == most][-1:]


def _products(found: Reading) -> int:
    return sum(each.op == PRODUCT for each in found.formula.term.below())


def _roots(context: Context, node: ast.expr, known: Container[ast.AST]) -> Iterator[ast.expr]:
    """An expression, and those that it is computed from, through names; outer before inner."""
    pending = [node]
    while pending:
        each = pending.pop(0)
        if each in known:
            yield each
        if isinstance(each, ast.Name) and (made := definition(context, each)) is not each:
            pending.append(made)
        pending += (part for part in ast.iter_child_nodes(each) if isinstance(part, ast.expr))


def edits_of_run(
    context: Context, run: ast.Call, loop: Loop, root: Expression, found: Reading, best: Term, writer: Writer,
    lines: list[str],
) -> tuple[Edit, ...] | None:  # fmt: skip
    """Edits that define products at the formula, run them before a loop and feed them inside; None if they cannot be.

    The writer learns how the products are named where the formula stands; `lines` are their definitions.
    """
    feed = feeding(run)
    reach = _reached(context, run, root, loop)
    if reach is None or not isinstance(loop.node, ast.For | ast.While) or not isinstance(feed, ast.Dict | None):
        return None
    if not context.edits.begins_line(loop.node) or not context.edits.begins_line(root.statement):
        return None
    inside, outside = reach
    names = list(writer.named.values())
    writer.named = {term: f"{inside}{name}" for term, name in writer.named.items()}
    values = [free_name(context, f"{name}_value") for name in names]
    fetched = ", ".join(f"{outside}{name}" for name in names)
    given = "" if feed is None else f", feed_dict={context.edits.of(feed)}"
    first = f"{', '.join(values)}{',' * (len(values) == 1)} = {context.edits.of(run.func)}([{fetched}]{given})"
    needed = _needed(context, run, found, best)
    items = [f"{context.edits.of(key)}: {context.edits.of(value)}" for key, value in _items(run) if key in needed]
    items += (f"{outside}{name}: {value}" for name, value in zip(names, values, strict=True))
    fed = "{" + ", ".join(items) + "}"
    if feed is None:
        change = context.edits.inserted(context.edits.end(run.args[-1]), f", feed_dict={fed}")
    else:
        change = context.edits.replaced(feed, fed)
    defined = [f"{inside}{line}" for line in lines]
    return before(context, root.statement, defined), before(context, loop.node, [first]), change


def feeding(run: ast.Call) -> ast.expr | None:
    """What a run is fed with."""
    return next(
        (each.value for each in run.keywords if each.arg == "feed_dict"), run.args[1] if len(run.args) > 1 else None
    )


def _items(run: ast.Call) -> Iterator[tuple[ast.expr, ast.expr]]:
    feed = feeding(run)
    if isinstance(feed, ast.Dict):
        yield from ((key, value) for key, value in zip(feed.keys, feed.values, strict=True) if key is not None)


def _needed(context: Context, run: ast.Call, found: Reading, best: Term) -> list[ast.expr]:
    """The keys of a feed that are still needed when the products are fed."""
    once = list(steady_parts(found.formula, best))
    left = _left(best, once)
    leaves = len(found.formula.leaves)
    gone = {definition(context, place.node) for n, place in enumerate(found.places[:leaves]) if n not in left}
    return [key for key, _ in _items(run) if definition(context, key) not in gone]


def _left(term: Term, once: list[Term]) -> set[int]:
    """The leaves of a term outside of the parts that are computed once."""
    if term in once:
        return set()
    if term.op == LEAF:
        return {term.leaf}
    return {leaf for each in term.parts for leaf in _left(each, once)}


def _reached(context: Context, run: ast.Call, root: Expression, loop: Loop) -> tuple[str, str] | None:
    """How a name of the graph is written where it is defined and where the loop is; None if the loop cannot see it."""
    node, fetched = root.function.node, run.args[0]
    if root.function is loop.function or isinstance(node, ast.Module):
        return "", ""
    if isinstance(node, ast.Lambda) or not node.args.args or not isinstance(fetched, ast.Attribute):
        return None
    receiver = node.args.args[0].arg
    return (f"{receiver}.", f"{context.edits.of(fetched.value)}.") if receiver == "self" else None
