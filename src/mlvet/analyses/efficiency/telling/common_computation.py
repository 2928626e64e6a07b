"""Runs that compute the same values twice."""

from __future__ import annotations

import ast

from mlvet.analyses.efficiency.costs import Cost, cost
from mlvet.analyses.efficiency.host.executions import worst
from mlvet.analyses.efficiency.host.outline import Expression, Loop
from mlvet.analyses.efficiency.reasoning.solving import Suggested
from mlvet.analyses.efficiency.telling.context import Context
from mlvet.analyses.efficiency.telling.joining import fetched_at_once, joined_runs, kept_result
from mlvet.analyses.efficiency.telling.shared_work import LEAST_BESIDE_UNSEEN, named, parts, turns
from mlvet.core.evidence import Related
from mlvet.core.finding import Finding
from mlvet.ir.graph import Node

_LEAST_SHARE = 0.05
_LEAST_SHARE_OF_CALLS = 0.1
"""The part of an iteration that must be saved for it to be felt."""
_TRAINING = 3
"""How much more a run costs that trains."""
_RUN = Cost(calls=25)
"""What a run of a session costs beside its operators, in calls of operators."""


def tell(context: Context, suggested: Suggested) -> Finding | None:
    """The suggestion to compute once what two runs compute."""
    first = context.expressions[str(suggested.arguments[0])]
    if str(suggested.arguments[1]) in context.loops:
        loop = context.loops[str(suggested.arguments[1])]
        return _in_turn(context, suggested, first, loop) if first in context.runs.at else turns(context, suggested)
    last = context.expressions[str(suggested.arguments[1])]
    if first in context.runs.at:
        return _runs(context, suggested, first, last)
    return _calls(context, suggested, first, last) if (first, last) in context.runs.alike else parts(context, suggested)


def _runs(context: Context, suggested: Suggested, first: Expression, last: Expression) -> Finding | None:
    """Runs of a session one after the other."""
    chain = _chain(context, first, last)
    executed = [_nodes(context, each) for each in chain]
    shared = {
        node for index, nodes in enumerate(executed) for node in nodes for other in executed[:index] if node in other
    }
    costs = [_run_cost(context, each) for each in chain]
    apart = sum((each.seconds for each in costs), 0.0)
    together = _once(context, chain).seconds
    inside = _runs_of_loop(context, first)
    rest = sum(_run_cost(context, each).seconds for each in inside if each not in chain)
    share = (apart - together) / max(apart + rest, 1e-12)
    if not cost(shared, context.sizes).flops or share < _LEAST_SHARE:
        return None
    loop = first.loops[-1] if first.loops else None
    place = context.program.outline.location
    drawn = sorted({node.source_op or node.op for node in shared if worst([node]) == "random"})
    conditions = [f"it does not matter that the runs share the random numbers of `{each}`" for each in drawn]
    times = {2: "both", 3: "all three"}.get(len(chain), f"all {len(chain)}")
    whole = "the runs of each iteration" if loop else f"the runs of each call of `{first.function.title}`"
    same = all(context.runs.fed(each) == context.runs.fed(first) for each in chain)
    fed = "are fed the same" if same else "of which one is fed what the other is and more,"
    message = (
        f"{len(chain)} runs in a row{'' if same else ','} {fed} and {times} compute {named(context, shared)}; "
        f"one run that fetches everything would save about {share:.0%} of {whole}"
    )
    again = f"run again here{' with the same feeds' if same else ''}"
    return context.finding(
        suggested, message, place(first.node), related=[Related(again, place(each.node)) for each in chain[1:]],
        conditions=conditions, fix=joined_runs(context, chain, bool(drawn), bool(suggested.granted)),
        data={"share": round(share, 3), "runs": len(chain)},
    )  # fmt: skip


def _in_turn(context: Context, suggested: Suggested, run: Expression, loop: Loop) -> Finding | None:
    """A run in a loop that fetches one thing after the other."""
    executions = [context.program.graph.executions[number] for number in context.runs.at[run]]
    apart = [context.runs.nodes(each) for each in executions]
    union = {node: None for nodes in apart for node in nodes}
    counted = sum((cost(nodes, context.sizes).seconds + _RUN.seconds for nodes in apart), 0.0)
    once = cost(union, context.sizes).seconds + _RUN.seconds
    shared = {node for node in union if sum(node in nodes for nodes in apart) > 1}
    share = 1 - once / max(counted, 1e-12)
    if not cost(shared, context.sizes).flops or share < _LEAST_SHARE:
        return None
    message = (
        f"the loop of line {loop.node.lineno} runs the graph once for each of the values that it fetches, with "
        f"the same feeds: {named(context, shared)} are computed again each time; one run that fetches all would save "
        f"about {share:.0%} of these runs"
    )
    return context.finding(
        suggested, message[0].upper() + message[1:], context.program.outline.location(run.node),
        related=[Related("the loop over what is fetched", context.program.outline.head(loop.node))],
        fix=fetched_at_once(context, run, loop), data={"share": round(share, 3), "runs": len(executions)},
    )  # fmt: skip


def _chain(context: Context, first: Expression, last: Expression) -> list[Expression]:
    following = dict(context.runs.consecutive)
    found = [first]
    while found[-1] is not last:
        found.append(following[found[-1]])
    return found


def _nodes(context: Context, expression: Expression) -> dict[Node, None]:
    executions = context.program.graph.executions
    return {node: None for number in context.runs.at[expression] for node in context.runs.nodes(executions[number])}


def _run_cost(context: Context, expression: Expression) -> Cost:
    return _weighed(context, _nodes(context, expression), [expression])


def _once(context: Context, chain: list[Expression]) -> Cost:
    """What one run costs that fetches all that some runs fetch."""
    return _weighed(context, {node: None for each in chain for node in _nodes(context, each)}, chain)


def _weighed(context: Context, nodes: dict[Node, None], chain: list[Expression]) -> Cost:
    executions = context.program.graph.executions
    trained: dict[Node, None] = {}
    for each in chain:
        for number in context.runs.at[each]:
            if executions[number].targets:
                trained |= dict.fromkeys(context.runs.nodes(executions[number]))
    return cost(nodes, context.sizes) + cost(trained, context.sizes).times(_TRAINING - 1) + _RUN


def _runs_of_loop(context: Context, expression: Expression) -> list[Expression]:
    loop: Loop | None = expression.loops[-1] if expression.loops else None
    return [
        each
        for each in context.runs.at
        if each.function is expression.function and each.loops[-1:] == ((loop,) if loop else ())
    ]


def _calls(context: Context, suggested: Suggested, first: Expression, second: Expression) -> Finding | None:
    """Two calls of one model or function on the same input."""
    if isinstance(first.node, ast.Call) and isinstance(first.node.func, ast.Call):
        return None
    sites = context.program.site(first), context.program.site(second)
    if sites[0] is None or sites[1] is None or (sites[1].trains and not sites[0].trains):
        return None
    if _is_changed(context, first) or _is_changed(context, second) or not first.loops:
        return None
    saved, loop = cost(context.nodes_of_one(second), context.sizes), first.loops[-1]
    share = saved.seconds / max(context.cost_of_iteration(loop).seconds, saved.seconds)
    unseen = any(loop in each.loops and context.is_unseen(each) for each in context.program.outline.expressions)
    if not saved.flops or share < _LEAST_SHARE_OF_CALLS or (unseen and saved.seconds < LEAST_BESIDE_UNSEEN):
        return None
    text = context.text(first.node)
    known = ", as far as its cost is known" if unseen else ""
    message = (
        f"`{text}` is computed on line {first.node.lineno} already and yields the same here; its result used twice "
        f"would save about {share:.0%} of each iteration{known}"
    )
    return context.finding(
        suggested, message, context.program.outline.location(second.node),
        related=[Related("computed here first", context.program.outline.location(first.node))],
        fix=kept_result(context, first, second, bool(suggested.granted)), data={"share": round(share, 3)},
    )  # fmt: skip


def _is_changed(context: Context, expression: Expression) -> bool:
    """Whether the name that holds the value of an expression is changed in place anywhere."""
    changed = {name for _, name in context.program.bindings.mutations}
    return any(each.value is expression and each.name in changed for each in context.program.bindings.settings)
