"""Expressions that compute some of the same, each perhaps deep in functions that it runs."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence
from itertools import takewhile
from math import prod

from mlvet.analyses.efficiency.costs import Cost, cost
from mlvet.analyses.efficiency.host.outline import Expression
from mlvet.analyses.efficiency.host.sharing import Shared, Work
from mlvet.analyses.efficiency.reasoning.solving import Suggested
from mlvet.analyses.efficiency.telling.context import Context
from mlvet.analyses.efficiency.telling.handing import handed_on, trains
from mlvet.core.evidence import Related
from mlvet.core.finding import Finding
from mlvet.core.fix import Fix
from mlvet.ir.graph import Iteration, Node

_LEAST_SHARE = 0.05
"""The part of the work around it that must be saved for it to be felt."""
_LEAST_SECONDS = 2e-5
LEAST_BESIDE_UNSEEN = 1e-4
"""What must be saved where nobody knows what else is done."""
_TRIPS = 10
Around = tuple[tuple[Expression, ...], tuple[Iteration, ...]]
_BACKWARD = 3
"""How much more a computation costs with its gradients."""


def parts(context: Context, suggested: Suggested) -> Finding | None:
    """Expressions one after the other that compute some of the same."""
    first = context.expressions[str(suggested.arguments[0])]
    second = context.expressions[str(suggested.arguments[1])]
    later = _later(context, suggested, first)
    if second is not later[0]:
        return None
    around = _around(context, first, second)
    if any(_contexts(context, each) != _contexts(context, first) for each in later):
        return None
    work = [work for each in later if (work := _work(context, first, each, around)).nodes]
    if not work or _is_merged(context, work[0].nodes):
        return None
    beside = _beside(context, around)
    derived = _derives(context, beside, around)
    saved = sum((_again(context, each.nodes, around, derived) for each in work), 0.0)
    trained = [node for node in beside if derived and trains(context, node)]
    whole = _weighed(context, beside, around).seconds + _weighed(context, trained, around).seconds * (_BACKWARD - 1)
    share = saved / max(whole, saved, 1e-12)
    unseen = _is_unseen(context, first)
    if share < _LEAST_SHARE or saved < (LEAST_BESIDE_UNSEEN if unseen else _LEAST_SECONDS):
        return None
    place = context.program.outline.location
    known = ", as far as its cost is known" if unseen else ""
    unit = "each iteration" if first.loops else f"each call of `{first.function.title}`"
    message = f"{_said(context, first, work)}; computed once, it would save about {share:.0%} of {unit}{known}"
    related = [Related("computed here first", place((work[0].first or first).node))]
    for each in work:
        if (again := each.second or each.later) is not second:
            related.append(Related("and here again from the same values", place(again.node)))
    return context.finding(
        suggested, message, place(second.node), related=related,
        fix=handed_on(context, first, work, bool(suggested.granted)), data={"share": round(share, 3)},
    )  # fmt: skip


def turns(context: Context, suggested: Suggested) -> Finding | None:
    """Calls of models in a loop that have layers in common."""
    call, loop = context.expressions[str(suggested.arguments[0])], context.loops[str(suggested.arguments[1])]
    found = context.sharing.turns[call, loop]
    again = dict.fromkeys(each.second for each in found)
    saved = cost(again, context.sizes)
    whole = cost(_every(context, found[0].first, call), context.sizes)
    share = saved.seconds / max(whole.seconds, saved.seconds, 1e-12)
    if not saved.flops or share < _LEAST_SHARE or saved.seconds < _LEAST_SECONDS:
        return None
    given = ", ".join(context.text(each) for each in getattr(call.node, "args", []))
    message = (
        f"the models that `{context.text(call.node)}` calls in the loop of line {loop.node.lineno} have layers in "
        f"common, which each of them runs on `{given}` again; one model with all their outputs would save about "
        f"{share:.0%} of these calls"
    )
    return context.finding(
        suggested, message[0].upper() + message[1:], context.program.outline.location(call.node),
        related=[Related("the loop over the models", context.program.outline.head(loop.node))],
        fix=Fix("make one model with the outputs of all, as in `keras.Model(inputs, [one.output, other.output])`, and "
                "call it once before the loop"),
        data={"share": round(share, 3)},
    )  # fmt: skip


def _later(context: Context, suggested: Suggested, first: Expression) -> list[Expression]:
    """What computes again what an expression has, as far as it is suggested."""
    same = [
        context.expressions[str(each.arguments[1])]
        for each in context.suggested
        if each.pattern == suggested.pattern
        and each.arguments[0] == first.name
        and each.arguments[1] in context.expressions
    ]
    return [each for each in same if (first, each) in context.sharing.pairs]


def _work(context: Context, first: Expression, later: Expression, around: Around) -> Work:
    """What two expressions share with what their operands do, in one run of their function.

    That is an expression which does nothing else, or a part of two models; a part of one cannot be taken out.
    """
    inside = {id(each) for each in ast.walk(first.node)}, {id(each) for each in ast.walk(later.node)}
    nodes = [
        each
        for (one, other), found in context.sharing.pairs.items()
        if id(one.node) in inside[0] and id(other.node) in inside[1]
        for each in found
        if _is_around(context, each.first, around) and _is_around(context, each.second, around)
    ]
    if not nodes:
        return Work(later, ())
    dearest = max(nodes, key=lambda each: cost([each.second], context.sizes).seconds)
    ones, others = {each.first for each in nodes}, {each.second for each in nodes}
    outermost = context.sharing.outermost
    one, other = outermost(dearest.first, ones, first), outermost(dearest.second, others, later)
    if one is not None and other is not None:
        nodes = [each for each in nodes if other in context.sharing.frames[each.second]]
    elif dearest.first.module == dearest.second.module:
        return Work(later, ())
    return Work(later, tuple(nodes), one, other, dearest)


def _is_around(context: Context, node: Node, around: Around) -> bool:
    leading, loops = around
    return context.sharing.frames[node][: len(leading)] == leading and node.loops[: len(loops)] == loops


def _around(context: Context, first: Expression, second: Expression) -> Around:
    """The calls that lead to the function of two expressions, and the iterations around them."""
    found = context.sharing.pairs[first, second][0]
    leading = context.sharing.frames[found.first]
    pairs = zip(found.first.loops, found.second.loops, strict=False)
    return leading[: leading.index(first)], tuple(one for one, _ in takewhile(lambda pair: pair[0] == pair[1], pairs))


def _contexts(context: Context, expression: Expression) -> list[str]:
    """What the `with` statements around an expression call, those left out that only turn gradients off."""
    texts = (context.program.outline.text(each) for each in expression.contexts)
    return [each for each in texts if not any(word in each for word in ("no_grad", "inference_mode"))]


def _beside(context: Context, around: Around) -> list[Node]:
    """All that one run of a function computes, or one iteration of the loop in it."""
    leading, loops = around
    depth = len(leading)
    return [
        node
        for node, way in context.sharing.frames.items()
        if way[:depth] == leading and len(way) > depth and node.loops[: len(loops)] == loops
    ]


def _weighed(context: Context, nodes: Iterable[Node], around: Around) -> Cost:
    """What nodes cost, those in loops further in as often as these run."""
    trips = {each.name: each.trips for each in context.program.graph.loops}
    total = Cost()
    for node in nodes:
        inner = [trips.get(each.loop) for each in node.loops[len(around[1]) :] if each.index is None]
        total = total + cost([node], context.sizes).times(
            prod(each if isinstance(each, int) else _TRIPS for each in inner)
        )
    return total


def _derives(context: Context, nodes: list[Node], around: Around) -> bool:
    """Whether gradients are computed where some nodes are."""
    functions = {each.function for node in nodes for each in context.sharing.frames[node][len(around[0]) :]}
    return any(node.source_op in ("gradient", "gradients") for node in nodes) or any(
        isinstance(each.node, ast.Attribute) and each.node.attr == "backward" and each.function in functions
        for each in context.program.outline.expressions
    )


def _again(context: Context, found: Sequence[Shared], around: Around, derived: bool) -> float:
    """The time of work that is done again, with its gradients where both places record them."""
    both = derived and all(trains(context, each.first) and trains(context, each.second) for each in found)
    return _weighed(context, (each.second for each in found), around).seconds * (_BACKWARD if both else 1)


def _is_merged(context: Context, shared: Sequence[Shared]) -> bool:
    """Whether a compiler finds out by itself: of TensorFlow not where it reads variables, each time anew."""
    leading = zip(context.sharing.frames[shared[0].first], context.sharing.frames[shared[0].second], strict=False)
    common = [one.function for one, other in leading if one.function is other.function]
    if not any(each in context.compiled for each in common):
        return False
    variables = {each.value for each in context.program.graph.parameters}
    read = any(value in variables for each in shared for value in each.second.inputs)
    return not (read and context.edits.reference("tensorflow", "keras"))


def _is_unseen(context: Context, first: Expression) -> bool:
    """Whether something runs beside an expression of which nobody knows what it does."""
    beside = [each for each in context.program.outline.expressions if each.function is first.function]
    return any(context.is_unseen(each) for each in beside if each.loops[: len(first.loops)] == first.loops)


def _said(context: Context, first: Expression, work: list[Work]) -> str:
    """Which expressions compute what again."""
    again = _listed([f"`{context.text(each.later.node)}`" for each in work])
    verb = "computes" if len(work) == 1 else "compute"
    before = f"`{context.text(first.node)}` of line {first.node.lineno}"
    one = work[0].first
    if one is None or any(each.second is None for each in work):
        nodes = {each.second for each in work[0].nodes}
        return f"{again} {verb} {named(context, nodes)} again, which {before} has computed from the same values"
    if one is first and all(each.second is each.later for each in work):
        return f"{again} {verb} again what {before} has computed"
    lines = _listed(list(dict.fromkeys(str(each.second.node.lineno) for each in work if each.second is not None)))
    many = "s" if " and " in lines else ""
    return (
        f"{again} {verb} again what {before} has computed: `{context.text(one.node)}` of line {one.node.lineno} "
        f"yields the same as on line{many} {lines}"
    )


def named(context: Context, nodes: set[Node]) -> str:
    """The dearest of some nodes, by what the program calls its result."""
    dearest = max(nodes, key=lambda node: (cost([node], context.sizes).seconds, node.name))
    where = f" of line {dearest.location.line}" if dearest.location is not None and dearest.location.line else ""
    others = len(nodes) - 1
    more = "" if not others else f" and {others} other operator{'s' if others > 1 else ''}"
    return f"`{dearest.source_op or dearest.op}`{where}{more}"


def _every(context: Context, node: Node, call: Expression) -> list[Node]:
    """What all iterations of a loop compute in a call."""
    leading = context.sharing.frames[node]
    prefix = leading[: leading.index(call) + 1]
    return [each for each, way in context.sharing.frames.items() if way[: len(prefix)] == prefix]


def _listed(words: list[str]) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"
