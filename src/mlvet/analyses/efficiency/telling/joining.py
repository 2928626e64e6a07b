"""Edits that make one run of several: runs of a session become one, the result of a call is kept for the next."""

from __future__ import annotations

import ast

from mlvet.analyses.efficiency.host.executions import feeds
from mlvet.analyses.efficiency.host.outline import COMPREHENSIONS, Expression, Loop
from mlvet.analyses.efficiency.telling.context import Context
from mlvet.core.fix import Applicability, Edit, Fix

_SKIPPED = (ast.Lambda, ast.BoolOp, ast.IfExp, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


def joined_runs(context: Context, chain: list[Expression], drawn: bool, granted: bool) -> Fix:
    """One run that fetches what several do, in the place of the first, or of the last if that feeds more."""
    parts = [_part(context, each) for each in chain]
    kept = len(chain) - 1 if context.runs.feeds_within(chain[0], chain[-1]) else 0
    names, fetched, rest = [each[0] for each in parts], [each[1] for each in parts], parts[kept][2]
    statement = f"{', '.join(names)} = {_session(context, chain)}.run([{', '.join(fetched)}]{rest})"
    title = f"fetch everything in one run: `{statement}`"
    if not all(each[3] for each in parts) or not _is_movable(context, chain):
        return Fix(title)
    text = context.edits
    edits: list[Edit] = []
    for index, each in enumerate(chain):
        node = _statement(context, each)
        if node is None or not text.begins_line(node) or not _ends_line(context, node):
            return Fix(title)
        if index == kept:
            edits.append(text.replaced(node, statement))
        else:
            end = node.end_lineno or node.lineno
            edits.append(text.removed((node.lineno, 1), (end + 1, 1)))
    reason = _reason(context, chain, drawn, granted)
    kind = Applicability.UNSAFE if reason else Applicability.SAFE
    return Fix(title, tuple(edits), kind, reason)


def fetched_at_once(context: Context, run: Expression, loop: Loop) -> Fix:
    """One run in the place of a loop of runs; an edit where the loop is a comprehension of them."""
    node, text = run.node, context.program.outline.text
    assert isinstance(node, ast.Call)
    fetched, others = text(node.args[0]), "".join(f", {text(each)}" for each in node.args[1:])
    others += "".join(f", {each.arg}={text(each.value)}" for each in node.keywords)
    called = text(node.func)
    if isinstance(loop.node, COMPREHENSIONS):
        generators = " ".join(ast.unparse(each).strip() for each in loop.node.generators)
        whole = f"{called}([{fetched} {generators}]{others})"
        place = context.editable(loop.node)
        title = f"fetch everything in one run: `{whole}`"
        if isinstance(loop.node, ast.ListComp) and loop.node.elt is node and isinstance(place, ast.ListComp):
            return Fix(title, (context.edits.replaced(place, whole),), Applicability.SAFE)
        return Fix(title)
    assert isinstance(loop.node, ast.For)
    target, source = text(loop.node.target), text(loop.node.iter)
    listed = f"values = {called}([{fetched} for {target} in {source}]{others})"
    return Fix(f"fetch everything in one run before the loop: `{listed}`, and go through `values` in it")


def _reason(context: Context, chain: list[Expression], drawn: bool, granted: bool) -> str:
    executions = context.program.graph.executions
    if any(executions[number].targets for each in chain for number in context.runs.at[each]):
        return "values are then read in the run that changes the variables"
    if drawn:
        return "the fetched values then come from the same random numbers"
    return "it rests on the assumptions that the finding lists" if granted else ""


def _part(context: Context, expression: Expression) -> tuple[str, str, str, bool]:
    """What a run is assigned to, what it fetches, its feeds, and whether a merged run can stand for its statement."""
    node, statement = expression.node, expression.statement
    assert isinstance(node, ast.Call)
    text = context.program.outline.text
    is_eval = isinstance(node.func, ast.Attribute) and node.func.attr == "eval"
    fed = feeds(node, is_eval)
    rest = "" if fed is None else f", feed_dict={text(fed)}"
    plain = isinstance(node.func, ast.Attribute) and node.func.attr == "run" and len(node.args) in (1, 2)
    plain = plain and all(each.arg == "feed_dict" for each in node.keywords)
    if is_eval and isinstance(node.func, ast.Attribute):
        fetched = text(node.func.value)
    else:
        fetched = (
            text(node.args[0])
            if node.args
            else next((text(k.value) for k in node.keywords if k.arg == "fetches"), "...")
        )
    target, simple = f"{fetched.rpartition('.')[2]}_" if fetched.replace(".", "").isidentifier() else "value", False
    if isinstance(statement, ast.Assign) and len(statement.targets) == 1 and statement.value is node:
        target, simple = text(statement.targets[0]), True
        if isinstance(statement.targets[0], ast.Tuple) and not target.startswith("("):
            target = f"({target})"
    elif isinstance(statement, ast.Expr) and statement.value is node:
        target, simple = "_", True
    return target, fetched, rest, plain and simple


def _session(context: Context, chain: list[Expression]) -> str:
    for each in chain:
        node = each.node
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "run":
            return context.program.outline.text(node.func.value)
    return "session"


def _is_movable(context: Context, chain: list[Expression]) -> bool:
    """Whether all runs are of one session, and nothing between them reads or sets what a later one is assigned to."""
    sessions = {ast.dump(each.node.func) for each in chain if isinstance(each.node, ast.Call)}
    if len(sessions) != 1:
        return False
    for index, each in enumerate(chain[1:], 1):
        targets = {
            node.id
            for target in getattr(each.statement, "targets", [])
            for node in ast.walk(target)
            if isinstance(node, ast.Name)
        }
        if any(not isinstance(node, ast.Name | ast.Tuple) for node in getattr(each.statement, "targets", [])):
            return False
        for before in chain[:index]:
            between = context.runs.blocks.between(before, each) or []
            inside = {id(node) for other in chain for node in ast.walk(other.statement)}
            for found in between:
                if id(found.node) not in inside and isinstance(found.node, ast.Name) and found.node.id in targets:
                    return False
            read = {node.id for node in ast.walk(before.node) if isinstance(node, ast.Name)}
            if read & targets:
                return False
    return True


def _statement(context: Context, expression: Expression) -> ast.stmt | None:
    """The statement of an expression in the tree that edits are made on."""
    found = context.editable(expression.statement)
    return None if found is None else context.edits.statement(found)


def _ends_line(context: Context, node: ast.stmt) -> bool:
    line, column = context.edits.end(node)
    rest = context.edits.line(line)[column - 1 :].strip()
    return not rest or rest.startswith("#")


def kept_result(context: Context, first: Expression, second: Expression, granted: bool) -> Fix:
    """The result of the first call, used in the place of the second."""
    statement = first.statement
    call = context.text(first.node)
    detached = _detached(context, first, second)
    if isinstance(statement, ast.Assign) and statement.value is first.node and len(statement.targets) == 1:
        target = statement.targets[0]
        if isinstance(target, ast.Name):
            title = f"use `{target.id}{detached}` in the place of the second `{call}`"
            node = context.editable(second.node)
            if _is_set_between(context, target.id, first, second) or not isinstance(node, ast.expr):
                return Fix(title)
            return _unless(
                context, first, second, title, (context.edits.replaced(node, target.id + detached),), granted
            )
    name = _free_name(context)
    title = f"keep the result, `{name} = {call}`, and use `{name}{detached}` in both places"
    edits = _named_edits(context, first, second, name, detached)
    return Fix(title) if edits is None else _unless(context, first, second, title, edits, granted)


def _named_edits(
    context: Context, first: Expression, second: Expression, name: str, detached: str
) -> tuple[Edit, ...] | None:
    """The edits that give the result of the first call a name before its statement."""
    text = context.edits
    statement = _statement(context, first)
    one, other = context.editable(first.node), context.editable(second.node)
    if statement is None or not isinstance(one, ast.expr) or not isinstance(other, ast.expr):
        return None
    simple = isinstance(statement, ast.Assign | ast.Expr | ast.AugAssign | ast.Return)
    if not simple or not text.begins_line(statement) or is_conditional(context, one):
        return None
    made = f"{name} = {text.of(one)}\n{text.indentation(statement)}"
    return (
        text.inserted(text.start(statement), made),
        text.replaced(one, name),
        text.replaced(other, name + detached),
    )


def is_conditional(context: Context, node: ast.expr) -> bool:
    """Whether an expression of a statement may not be evaluated, or more than once."""
    for each in context.edits.around(node):
        if isinstance(each, ast.stmt):
            return False
        if isinstance(each, _SKIPPED):
            return True
    return True


def _unless(
    context: Context, first: Expression, second: Expression, title: str, edits: tuple[Edit, ...], granted: bool
) -> Fix:
    sites = context.program.site(first), context.program.site(second)
    both = all(site is not None and site.trains for site in sites)
    torch = any(each.startswith("torch.") for site in sites if site is not None for each in site.names)
    if both and (torch or context.edits.reference("torch")):
        reason = "two backward passes through one result need `retain_graph=True` in the first"
        return Fix(title, edits, Applicability.UNSAFE, reason)
    if granted:
        return Fix(title, edits, Applicability.UNSAFE, "it rests on the assumptions that the finding lists")
    return Fix(title, edits, Applicability.SAFE)


def _detached(context: Context, first: Expression, second: Expression) -> str:
    """What makes a result with gradients one without, where the second call records none."""
    sites = context.program.site(first), context.program.site(second)
    seen = context.program.seen(first)
    needed = sites[0] is not None and sites[1] is not None and sites[0].trains and not sites[1].trains
    return ".detach()" if needed and seen is not None and seen.type.startswith("torch.") else ""


def _is_set_between(context: Context, name: str, first: Expression, second: Expression) -> bool:
    places = [
        each.node
        for each in context.runs.blocks.between(first, second) or []
        if isinstance(each.node, ast.Name) and each.node.id == name and isinstance(each.node.ctx, ast.Store)
    ]
    return any(all(place is not target for target in ast.walk(first.statement)) for place in places)


def _free_name(context: Context) -> str:
    taken = {node.id for node in ast.walk(context.program.outline.tree) if isinstance(node, ast.Name)}
    return next(
        each
        for each in ("output", "result", "outputs", "computed", "kept_result")
        if each not in taken or each == "kept_result"
    )
