"""Loops of Python for which the library has one of its own."""

from __future__ import annotations

import ast

from mlvet.analyses.efficiency.costs import USUAL_SIZE
from mlvet.analyses.efficiency.host.outline import Expression, Loop
from mlvet.analyses.efficiency.reasoning.solving import Suggested
from mlvet.analyses.efficiency.telling.context import Context
from mlvet.analyses.efficiency.telling.rows import tell_mapped, tell_rows
from mlvet.core.evidence import Related
from mlvet.core.finding import Finding
from mlvet.core.fix import Fix
from mlvet.domains.dtypes import f64

_FEW = 20
"""So few steps are not worth a change."""
_LITTLE = 4e6
"""Operations of a step in single precision up to which a processor feels what the loop of a library saves."""
_LITTLE_IN_DOUBLE = 1e6
"""The same in double precision, for which the library has no kernels of its own and saves little."""


def tell(context: Context, suggested: Suggested) -> Finding | None:
    """The suggestion to use the loop of the library, by the kind of loop."""
    expression = context.expressions[str(suggested.arguments[0])]
    if suggested.arguments[2] == "mapped":
        return tell_mapped(context, suggested, expression)
    loop = context.loops[str(suggested.arguments[1])]
    trips = context.trips(loop)
    if trips is not None and trips < _FEW:
        return None
    match suggested.arguments[2]:
        case "cell":
            return _cell(context, suggested, expression, loop)
        case "traced":
            return _traced(context, suggested, loop, trips)
        case "unrolled":
            return _unrolled(context, suggested, loop, trips)
        case "rows":
            return tell_rows(context, suggested, expression, loop)
    return None


def _cell(context: Context, suggested: Suggested, call: Expression, loop: Loop) -> Finding | None:
    """A recurrent cell that gets one step of a sequence after the other."""
    node = call.node
    assert isinstance(node, ast.Call)
    sequence = _sequence(context, call, loop, set())
    paying = _paying(context, call)
    if sequence is None or paying is None:
        return None
    site = context.program.site(call)
    cell = next(each for each in (site.names if site is not None else ()) if "Cell" in each).split(".")[-2]
    layer, name = cell.removesuffix("Cell"), context.text(node.func)
    made = _maker(context, name)
    arguments = ", ".join(map(context.text, made.args)) if made is not None else "..."
    text, second = sequence
    of = "what the cell below yields" if text == "outputs" else f"the sequence `{text}`"
    first = ", batch_first=True" if second else ""
    example = f"`{name} = nn.{layer}({arguments}{first})`, then `outputs, state = {name}({text})` for all steps at once"
    message = (
        f"`{context.text(node)}` runs one step of {of} at a time, and nothing that it is given hangs "
        f"on the step before but its state: `nn.{layer}` runs all steps in the library"
    )
    trips = context.trips(loop)
    conditions = paying if trips is not None else [f"the sequence has more than {_FEW} steps", *paying]
    return context.finding(
        suggested, message, context.program.outline.location(node),
        related=[Related("the loop over the steps", context.program.outline.head(loop.node))], conditions=conditions,
        fix=Fix(f"{example}; {_shared(context, name)}states get a first axis of size 1"),
        data={"form": "cell"},
    )  # fmt: skip


def _paying(context: Context, call: Expression) -> list[str] | None:
    """On what condition the loop of the library is faster: a step is small, or a GPU runs it; None if it is not."""
    spent = context.own_cost(call)
    given = [value for node in context.program.nodes(call) for value in node.inputs if value is not None]
    double = any(value.declared.dtype is f64 for value in given)
    little = _LITTLE_IN_DOUBLE if double else _LITTLE
    if spent.guessed and double:
        return ["a GPU is used"] if context.on_gpu else None
    if spent.guessed:
        rows = max(1, round(little / (spent.flops / USUAL_SIZE)))
        return [f"a batch has fewer than about {rows:,} rows, or a GPU is used"]
    if spent.flops <= little:
        return []
    return ["a GPU is used"] if context.on_gpu else None


def _shared(context: Context, name: str) -> str:
    """What to do about the weights: a cell that is called elsewhere too lends them to a layer beside it."""
    calls = [
        each
        for each in context.program.outline.expressions
        if isinstance(each.node, ast.Call) and context.program.outline.text(each.node.func) == name
    ]
    if len(calls) > 1:
        return f"where `{name}` still runs single steps, let the layer share its weights; "
    return "the names of the weights get the suffix `_l0`, "


def _sequence(context: Context, call: Expression, loop: Loop, seen: set[Expression]) -> tuple[str, bool] | None:
    """What the steps of a cell are taken from, and whether steps are its second axis; None if it is fed back."""
    node = call.node
    assert isinstance(node, ast.Call)
    if not node.args or call.loops[-1] is not loop or call in seen or not isinstance(loop.node, ast.For):
        return None
    if call.statement not in loop.node.body or not isinstance(call.statement, ast.Assign):
        return None
    if not _keeps_state(call, loop):
        return None
    return _steps(context, node.args[0], call, loop, {*seen, call})


def _steps(
    context: Context, node: ast.expr, call: Expression, loop: Loop, seen: set[Expression]
) -> tuple[str, bool] | None:
    targets = {each.id for target in loop.targets for each in ast.walk(target) if isinstance(each, ast.Name)}
    match node:
        case ast.Subscript(value=base, slice=ast.Name(id=name)) if name in targets:
            return _fixed(context, base, loop, second=False)
        case ast.Subscript(value=base, slice=ast.Tuple(elts=[ast.Slice(), ast.Name(id=name), *_])) if name in targets:
            return _fixed(context, base, loop, second=True)
        case ast.Name(id=name) if name in targets and isinstance(loop.node, ast.For):
            return _items(context, loop.node.iter, loop)
        case ast.Name(id=name):
            return _earlier(context, name, call, loop, seen)
    return None


def _earlier(
    context: Context, name: str, call: Expression, loop: Loop, seen: set[Expression]
) -> tuple[str, bool] | None:
    """The sequence behind a name that an earlier statement of the same iteration sets, such as the cell below."""
    assert isinstance(loop.node, ast.For)
    for statement in reversed(loop.node.body[: loop.node.body.index(call.statement)]):
        if not isinstance(statement, ast.Assign):
            continue
        set_names = [each.id for target in statement.targets for each in ast.walk(target) if isinstance(each, ast.Name)]
        if name not in set_names:
            continue
        below = context.program.outline.of_node.get(statement.value)
        site = None if below is None else context.program.site(below)
        if below is not None and site is not None and any("Cell" in each for each in site.names):
            found = _sequence(context, below, loop, seen)
            return None if found is None else ("outputs", found[1])
        return _steps(context, statement.value, call, loop, seen)
    return None


def _items(context: Context, node: ast.expr, loop: Loop) -> tuple[str, bool] | None:
    """The sequence that a loop goes through, `x.split(1, dim=1)` or `x` itself."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "enumerate" and node.args:
        node = node.args[0]
    if (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr in ("split", "chunk", "unbind")
    ):
        second = any(
            isinstance(each, ast.Constant) and each.value == 1
            for each in (*node.args[-1:], *(k.value for k in node.keywords))
        )
        return _fixed(context, node.func.value, loop, second=second)
    seen = context.program.host.seen.get(context.program.outline.span(node))
    return _fixed(context, node, loop, second=False) if seen is not None and seen.kind == "tensor" else None


def _fixed(context: Context, base: ast.expr, loop: Loop, *, second: bool) -> tuple[str, bool] | None:
    """A sequence that the loop does not set."""
    names = {each.id for each in ast.walk(base) if isinstance(each, ast.Name)}
    assert isinstance(loop.node, ast.For)
    inside = {
        each.id
        for statement in loop.node.body
        for each in ast.walk(statement)
        if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store)
    }
    return None if names & inside else (context.text(base), second)


def _keeps_state(call: Expression, loop: Loop) -> bool:
    """Whether the state of a cell is what its last call has yielded, with nothing done to it in between."""
    node, statement = call.node, call.statement
    assert isinstance(node, ast.Call)
    assert isinstance(statement, ast.Assign)
    if len(node.args) < 2 or statement.value is not node:
        return False
    given = {each.id for each in ast.walk(node.args[1]) if isinstance(each, ast.Name)}
    kept = {each.id for target in statement.targets for each in ast.walk(target) if isinstance(each, ast.Name)}
    stored = [
        each.id
        for each in ast.walk(loop.node)
        if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store) and each.id in given
    ]
    return bool(given) and given <= kept and len(stored) == len(given)


def _maker(context: Context, name: str) -> ast.Call | None:
    """The call that makes a cell, by the text that it is assigned to."""
    for node in ast.walk(context.program.outline.tree):
        if not isinstance(node, ast.Assign) or not isinstance(node.value, ast.Call):
            continue
        if any(ast.unparse(target) == name for target in node.targets):
            return node.value
    return None


def _carried(context: Context, loop: Loop) -> list[str]:
    return sorted(name.partition(".")[2] for name, of in context.program.bindings.carried if of is loop)


def _traced(context: Context, suggested: Suggested, loop: Loop, trips: int | None) -> Finding | None:
    """A loop in a function that JAX compiles."""
    assert isinstance(loop.node, ast.For)
    state = ", ".join(_carried(context, loop))
    often = f"{trips:,} times" if trips is not None else "once for each step"
    message = (
        f"JAX unrolls this loop when it traces the function: its body is compiled {often}, so that compiling takes as "
        "many times as long; `jax.lax.scan` and `jax.lax.fori_loop` compile it once"
    )
    conditions = ["compiling costs more than the steps that are run: a call of the compiled function may take longer"]
    if trips is None:
        conditions.append(f"the loop runs more than {_FEW} times")
    example = _loop_of_jax(context, loop.node, state)
    return context.finding(
        suggested, message, context.program.outline.head(loop.node), conditions=conditions,
        fix=Fix(f"move the body into a function of its state: {example}"),
        data={"form": "traced"},
    )  # fmt: skip


def _loop_of_jax(context: Context, loop: ast.For, state: str) -> str:
    """The loop in JAX's own form: through whole numbers where it counts up by one, else through an array of steps."""
    target = context.text(loop.target)
    match loop.iter:
        case ast.Call(func=ast.Name(id="range"), args=[_] | [_, _] as given):
            bounds = ", ".join(map(context.text, given)) if len(given) == 2 else f"0, {context.text(given[0])}"
            called = f"`{state} = jax.lax.fori_loop({bounds}, body, {state})`"
            return f"`def body({target}, state): ...; return state`, {called}"
    steps = f"jnp.array(list({context.text(loop.iter)}))"
    return f"`def body(state, {target}): ...; return state, None`, `{state}, _ = jax.lax.scan(body, {state}, {steps})`"


def _unrolled(context: Context, suggested: Suggested, loop: Loop, trips: int | None) -> Finding | None:
    """A loop of TensorFlow 1 that builds one copy of its operators for every step."""
    assert isinstance(loop.node, ast.For)
    state = ", ".join(_carried(context, loop))
    often = f"{trips:,} copies" if trips is not None else "a copy"
    target = context.text(loop.node.target)
    message = (
        f"this loop builds {often} of its operators, one for every step; `tf.while_loop`, `tf.scan` or "
        "`tf.nn.dynamic_rnn` build them once and take any number of steps"
    )
    conditions = [
        "building the graph costs more than the steps that are run: a loop in the graph is built 5 to 11 times as "
        "fast, but each of its runs takes longer on a CPU"
    ]
    if trips is None:
        conditions.append(f"the loop runs more than {_FEW} times")
    example = (
        f"`def body({target}, {state}): ...; return {target} + 1, {state}`, "
        f"`_, {state} = tf.while_loop(lambda {target}, *_: {target} < steps, body, [0, {state}])`"
    )
    return context.finding(
        suggested, message[0].upper() + message[1:], context.program.outline.head(loop.node), conditions=conditions,
        fix=Fix(f"move the body into the graph: {example}"), data={"form": "unrolled"},
    )  # fmt: skip
