"""Work computed before the calls that need it and handed to them, through the functions that lead to it."""

from __future__ import annotations

import ast
from dataclasses import dataclass

from mlvet.analyses.efficiency.host.outline import Expression, Function
from mlvet.analyses.efficiency.host.sharing import Work
from mlvet.analyses.efficiency.telling.context import Context
from mlvet.analyses.efficiency.telling.hoisting import free_name
from mlvet.analyses.efficiency.telling.joining import is_conditional
from mlvet.analyses.text import last_name
from mlvet.core.fix import Applicability, Edit, Fix
from mlvet.ir.graph import Node

_SIMPLE = (ast.Assign, ast.AnnAssign, ast.AugAssign, ast.Expr, ast.Return)
_ACTIVATIONS = ("relu", "relu6", "elu", "selu", "celu", "silu", "mish", "hardtanh", "hardswish", "hardsigmoid")
_WITHOUT_GRADIENTS = ("no_grad", "inference_mode")


@dataclass(frozen=True, slots=True)
class _Way:
    """The calls from the function of the suggestion to the work, which is the last; `trains` if it has gradients."""

    steps: tuple[Expression, ...]
    trains: bool


def handed_on(context: Context, first: Expression, work: list[Work], granted: bool) -> Fix:
    """The work computed once before the first expression: edits where they are sure, otherwise lines to run."""
    later = [each.later for each in work]
    if work[0].first is None or any(each.second is None for each in work):
        return Fix(_one_model(context, [first, *later]))
    ways = _ways(context, first, work)
    if any(each.function in context.compiled for way in ways for each in way.steps[1:]):
        return Fix(_one_compiled(context, [first, *later]))
    assert work[0].dearest is not None
    written = context.sharing.written(work[0].first, work[0].dearest.first, first)
    if written is None:
        return Fix("compute it once and hand it to all")
    name = free_name(context, _name(written))
    line = f"{name} = {ast.unparse(written)}"
    takers = dict.fromkeys(each.function.title for way in ways for each in way.steps[1:])
    handed = f" and hand it to {', '.join(f'`{each}`' for each in takers)}" if takers else " and use it in both places"
    title = f"compute `{line}` once before line {first.statement.lineno}{handed}"
    edits = _edits(context, first, ways, name, line)
    if edits is None:
        return Fix(title)
    if sum(each.trains for each in ways) > 1 and _goes_back(context):
        reason = "two backward passes through one result need `retain_graph=True` in the first"
        return Fix(title, edits, Applicability.UNSAFE, reason)
    if _changes_in_place(context, ways):
        return Fix(
            title, edits, Applicability.UNSAFE, "all then hold one result, and something changes tensors in place"
        )
    if granted:
        return Fix(title, edits, Applicability.UNSAFE, "it rests on the assumptions that the finding lists")
    return Fix(title, edits, Applicability.SAFE)


def trains(context: Context, node: Node) -> bool:
    """Whether the gradients of a node are recorded."""
    sites = [context.program.site(each) for each in context.sharing.frames[node] if isinstance(each.node, ast.Call)]
    return all(site is None or site.trains for site in sites)


def _ways(context: Context, first: Expression, work: list[Work]) -> list[_Way]:
    found: list[_Way] = []
    for each in work:
        assert each.first is not None
        assert each.second is not None
        assert each.dearest is not None
        ends = [(each.first, each.dearest.first, first)] if each is work[0] else []
        for inner, node, outer in [*ends, (each.second, each.dearest.second, each.later)]:
            way = next(one for one in context.sharing.ways(node, outer) if one[-1] is inner)
            start = next(index for index, one in enumerate(way) if one.function is outer.function)
            found.append(_Way(way[start:], trains(context, node)))
    return found


def _name(work: ast.expr) -> str:
    """A name that says what is computed from what."""
    called = last_name(work) or "work"
    given = [each for each in getattr(work, "args", []) if isinstance(each, ast.Name)]
    return f"{called}_of_{given[0].id}" if given else f"shared_{called}"


def _edits(context: Context, first: Expression, ways: list[_Way], name: str, line: str) -> tuple[Edit, ...] | None:
    text = context.edits
    place = context.editable(first.statement)
    statement = None if place is None else text.statement(place)
    if not isinstance(statement, _SIMPLE) or not text.begins_line(statement):
        return None
    if _is_conditional(context, first) or not all(_is_open(context, way) for way in ways):
        return None
    indent, recorded = text.indentation(statement), any(way.trains for way in ways)
    torch = text.reference("torch")
    site = context.program.site(ways[0].steps[0])
    if torch and not recorded and (site is None or site.trains):
        line = f"with {torch}.no_grad():\n{indent}    {line}"
    edits = {text.inserted(text.start(statement), f"{line}\n{indent}"): None}
    for way in ways:
        given = f"{name}.detach()" if torch and recorded and not way.trains else name
        made = _handed(context, way, name, given)
        if made is None:
            return None
        edits |= dict.fromkeys(made)
    return tuple(edits)


def _handed(context: Context, way: _Way, name: str, given: str) -> list[Edit] | None:
    """The edits along a way: each call hands the work on, each function takes it, the last uses it."""
    text = context.edits
    work = context.editable(way.steps[-1].node)
    if not isinstance(work, ast.expr):
        return None
    if len(way.steps) == 1:
        return [text.replaced(work, given)]
    found: list[Edit] = []
    for call, inner in zip(way.steps, way.steps[1:], strict=False):
        node, function = context.editable(call.node), context.editable(inner.function.node)  # type: ignore[arg-type]
        passed = given if call is way.steps[0] else name
        if not isinstance(node, ast.Call) or not isinstance(function, ast.FunctionDef):
            return None
        last = [*node.args, *(each.value for each in node.keywords)][-1:]
        taken = [*function.args.posonlyargs, *function.args.args, *function.args.kwonlyargs]
        if not last or len(taken) < 1 or function.args.vararg or function.args.kwarg:
            return None
        ends = [*map(text.end, taken), *(text.end(each) for each in function.args.defaults)]
        ends += (text.end(each) for each in function.args.kw_defaults if each is not None)
        found.append(text.inserted(text.end(last[0]), f", {name}={passed}"))
        found.append(text.inserted(max(ends), f", {name}=None"))
    used = f"{text.of(work)} if {name} is None else {name}"
    whole = isinstance(text.parents.get(work), ast.Assign | ast.Return)
    return [*found, text.replaced(work, used if whole else f"({used})")]


def _is_open(context: Context, way: _Way) -> bool:
    """Whether the work is always done on a way, in functions that can take an argument more and leave it as it is."""
    functions = [each.function for each in way.steps[1:]]
    if len(set(functions)) != len(functions) or not all(map(_is_extensible, functions)):
        return False
    for each in way.steps[:-1]:
        site = context.program.site(each)
        if site is None or len(site.enters) != 1:
            return False
    if any(each.conditions or each.loops or _is_conditional(context, each) for each in way.steps[1:]):
        return False
    return not _is_changed(context, way.steps[-1])


def _goes_back(context: Context) -> bool:
    """Whether the program computes gradients of PyTorch, which can be done once only for each result."""
    names = (each.node.attr for each in context.program.outline.expressions if isinstance(each.node, ast.Attribute))
    return bool(context.edits.reference("torch")) and any(name in ("backward", "autograd") for name in names)


def _changes_in_place(context: Context, ways: list[_Way]) -> bool:
    """Whether the result, which all then hold, may be changed: by a layer that works in place, or through a name."""
    program = context.program
    for each in program.outline.expressions:
        if isinstance(each.node, ast.Call) and _is_in_place(each.node):
            return True
    functions = {each.function for way in ways for each in way.steps}
    changed = [each for each, _ in program.bindings.mutations if each.function in functions]
    tensors = any((seen := program.seen(each)) is not None and seen.kind in ("tensor", "unknown") for each in changed)
    parents = [context.parents.get(way.steps[-1].node) for way in ways]
    return tensors and not all(isinstance(each, ast.BinOp | ast.Call | ast.Compare) for each in parents)


def _is_in_place(call: ast.Call) -> bool:
    """Whether a layer or function is told to overwrite what it is given."""
    given = [each.value for each in call.keywords if each.arg == "inplace"]
    given += call.args if last_name(call).lower().endswith(_ACTIVATIONS) else []
    return any(isinstance(each, ast.Constant) and each.value is True for each in given)


def _is_conditional(context: Context, expression: Expression) -> bool:
    node = context.editable(expression.node)
    return not isinstance(node, ast.expr) or is_conditional(context, node)


def _is_extensible(function: Function) -> bool:
    node = function.node
    if not isinstance(node, ast.FunctionDef) or any(isinstance(each, ast.Yield) for each in ast.walk(node)):
        return False
    return all(last_name(each) in _WITHOUT_GRADIENTS for each in node.decorator_list)


def _is_changed(context: Context, expression: Expression) -> bool:
    """Whether the value of an expression is changed in place: the name that holds it, or itself."""
    changed = {name for _, name in context.program.bindings.mutations}
    if any(each.value is expression and each.name in changed for each in context.program.bindings.settings):
        return True
    parent = context.parents.get(expression.node)
    return isinstance(parent, ast.Attribute) and parent.attr.endswith("_")


def _one_model(context: Context, calls: list[Expression]) -> str:
    """Models that have layers in common as one, in the words of the program."""
    nodes = [each.node for each in calls]
    names = [ast.unparse(each.func) for each in nodes if isinstance(each, ast.Call)]
    model = context.edits.reference("keras.Model", "keras.models.Model", "tensorflow.keras.Model")
    sites = [context.program.site(each) for each in calls]
    models = all(site is not None and not site.enters and "keras" in " ".join(site.names) for site in sites)
    if len(names) != len(calls) or not model or not models:
        return "compute it once and hand it to all"
    joined = free_name(context, "joined")
    given = ", ".join(ast.unparse(each) for each in getattr(nodes[0], "args", []))
    outputs = ", ".join(f"{each}.output" for each in names)
    return (
        f"call one model that has all outputs: `{joined} = {model}({names[0]}.input, [{outputs}])` where the models "
        f"are made, and `{', '.join(_results(calls))} = {joined}({given})` here"
    )


def _one_compiled(context: Context, calls: list[Expression]) -> str:
    """Compiled functions as one, which its compiler rids of what they have in common."""
    texts = [ast.unparse(each.node) for each in calls]
    given = list(
        dict.fromkeys(
            each.id
            for call in calls
            for argument in getattr(call.node, "args", [])
            for each in ast.walk(argument)
            if isinstance(each, ast.Name)
        )
    )
    jit = context.edits.reference("jax.jit")
    if not jit or any(getattr(call.node, "keywords", []) for call in calls):
        return "compile one function that returns all of it"
    joined = free_name(context, "joined")
    return (
        f"compile one function of both, `{joined} = {jit}(lambda {', '.join(given)}: ({', '.join(texts)}))`, and write "
        f"`{', '.join(_results(calls))} = {joined}({', '.join(given)})`"
    )


def _results(calls: list[Expression]) -> list[str]:
    """What the values of calls are assigned to."""
    found = []
    for number, each in enumerate(calls, 1):
        statement = each.statement
        held = isinstance(statement, ast.Assign) and statement.value is each.node and len(statement.targets) == 1
        name = ast.unparse(statement.targets[0]) if held and isinstance(statement, ast.Assign) else f"value_{number}"
        found.append(f"({name})" if "," in name and not name.startswith("(") else name)
    return found
