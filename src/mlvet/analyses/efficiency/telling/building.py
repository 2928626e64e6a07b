"""Edits that build operators before a loop instead of in it."""

from __future__ import annotations

import ast

from mlvet.analyses.efficiency.host.outline import COMPREHENSIONS, Expression, Loop
from mlvet.analyses.efficiency.telling.context import Context
from mlvet.core.fix import Applicability, Edit, Fix
from mlvet.domains.dtypes import DType

_MAKING = ("Variable", "get_variable", "dense", "Dense")


def built_before(context: Context, loop: Loop, built: list[Expression], granted: bool) -> Fix:
    """The statements that build moved before the loop, or else how they look with what varies fed."""
    varying = _varying(context, loop, built)
    edits = None if varying else _moved(context, loop, built)
    if edits is None:
        return Fix(_example(context, loop, built, varying))
    title = f"build it once, before the loop of line {loop.node.lineno}"
    if any(_draws(each) for each in built):
        return Fix(title, edits, Applicability.UNSAFE, "operators that draw random numbers then draw others")
    if granted:
        return Fix(title, edits, Applicability.UNSAFE, "it rests on the assumptions that the finding lists")
    return Fix(title, edits, Applicability.SAFE)


def _draws(expression: Expression) -> bool:
    names = [node.attr for node in ast.walk(expression.node) if isinstance(node, ast.Attribute)]
    return any(part in name for name in names for part in ("random", "dropout", "shuffle"))


def _varying(context: Context, loop: Loop, built: list[Expression]) -> list[ast.expr]:
    """What built expressions read that the loop sets or computes otherwise than by building."""
    made = {each.node for each in built}
    settings = [each for each in context.program.bindings.settings if loop in each.target.loops]
    whole = {each.name for each in settings if each.value is not None and each.value.node in made}
    other = {each.name for each in settings if each.value is None or each.value.node not in made}
    changed = {name for by, name in context.program.bindings.mutations if loop in by.loops}
    written = {name for by, name in context.program.bindings.written if loop in by.loops}
    carried = {name for name, of in context.program.bindings.carried if of is loop}
    found: dict[str, ast.expr] = {}
    for each in built:
        for node in ast.walk(each.node):
            expression = context.program.outline.of_node.get(node)
            name = context.program.names_read.get(expression) if expression is not None else None
            if isinstance(node, ast.Name) and name is not None:
                if name in other or name in changed or (name in whole and name in carried):
                    found.setdefault(node.id, node)
                continue
            foreign = isinstance(node, ast.Call) and not _is_builder(context, node)
            rewritten = isinstance(node, ast.Attribute) and f".{node.attr}" in written
            if isinstance(node, ast.expr) and (foreign or rewritten):
                found.setdefault(context.text(node), node)
    return list(found.values())


def _is_builder(context: Context, node: ast.Call) -> bool:
    """Whether a call is of TensorFlow, so that it yields the same operator in each iteration."""
    expression = context.program.outline.of_node.get(node)
    site = None if expression is None else context.program.site(expression)
    return site is not None and not site.dark and any(each.startswith("tensorflow") for each in site.names)


def _moved(context: Context, loop: Loop, built: list[Expression]) -> tuple[Edit, ...] | None:
    """The edits that move what is built before the loop; None where that is not a matter of lines."""
    text = context.edits
    head = context.editable(loop.node)
    if not isinstance(head, ast.For | ast.While) or not text.begins_line(head) or any(_makes(each) for each in built):
        return None
    edits: list[Edit] = []
    lines: list[str] = []
    taken = {node.id for node in ast.walk(text.tree) if isinstance(node, ast.Name)}
    for each in built:
        node = context.editable(each.node)
        statement = None if node is None else text.statement(node)
        if not isinstance(node, ast.expr) or statement is None or loop not in each.loops or each.loops[-1] is not loop:
            return None
        if node.lineno != (node.end_lineno or 0):
            return None
        if isinstance(statement, ast.Assign) and statement.value is node:
            name = _only_name(context, each, loop)
            if name is None or not text.begins_line(statement) or _is_alone(text.parents[statement], statement):
                return None
            edits.append(text.removed((statement.lineno, 1), ((statement.end_lineno or 0) + 1, 1)))
            lines.append(f"{name} = {text.of(node)}")
        else:
            name = _new_name(node, taken)
            taken.add(name)
            edits.append(text.replaced(node, name))
            lines.append(f"{name} = {text.of(node)}")
    space = text.indentation(head)
    before = "".join(f"{line}\n{space}" for line in lines)
    return (text.inserted(text.start(head), before), *edits)


def _makes(expression: Expression) -> bool:
    """Whether an expression makes variables, of which each iteration then has its own."""
    return any(
        isinstance(node, ast.Attribute) and (node.attr in _MAKING or node.attr.startswith("conv"))
        for node in ast.walk(expression.node)
    )


def _is_alone(parent: ast.AST, statement: ast.stmt) -> bool:
    return any(getattr(parent, block, None) == [statement] for block in ("body", "orelse"))


def _only_name(context: Context, expression: Expression, loop: Loop) -> str | None:
    """The name that an expression is assigned to, if nothing else in the function sets it."""
    found = [each for each in context.program.bindings.settings if each.value is expression]
    if len(found) != 1 or not isinstance(found[0].target.node, ast.Name):
        return None
    same = [each for each in context.program.bindings.settings if each.name == found[0].name]
    return found[0].target.node.id if len(same) == 1 and expression.function is loop.function else None


def _new_name(node: ast.expr, taken: set[str]) -> str:
    called = node.func if isinstance(node, ast.Call) else node
    stem = called.attr if isinstance(called, ast.Attribute) else "built"
    name = f"{stem.lower()}_op"
    number = 2
    while name in taken:
        name = f"{stem.lower()}_op_{number}"
        number += 1
    return name


def _example(context: Context, loop: Loop, built: list[Expression], varying: list[ast.expr]) -> str:
    """The refactored program in a few lines, in the words of the user."""
    outline = context.program.outline
    first = _listed(built[0], loop)
    statement = first.statement
    tf = _library(context)
    set_by = [each.target.node for each in context.program.bindings.settings if each.value is first]
    name = next((each.id for each in set_by if isinstance(each, ast.Name)), _new_name(built[0].node, set()))
    body = ast.unparse(first.node)
    carried = {each.partition(".")[2] for each, of in context.program.bindings.carried if of is loop}
    if name in carried and any(isinstance(node, ast.Name) and node.id == name for node in ast.walk(first.node)):
        update = f"`update = {tf}.assign({name}, {body})`"
        return f"keep the value in a variable and build its update once before the loop, {update}; run that in the loop"
    if not varying:
        built_once = outline.text(statement) if isinstance(statement, ast.Assign) else f"{name} = {body}"
        return f"build it once before the loop of line {loop.node.lineno}, `{built_once}`, and only run it in the loop"
    fed = varying[0]
    holder = f"{fed.id}_fed" if isinstance(fed, ast.Name) else "fed"
    seen = context.program.seen(outline.of_node[first.node])
    dtype = seen.tensor.dtype if seen is not None and seen.tensor is not None else None
    replaced = body.replace(ast.unparse(fed), holder)
    if isinstance(fed, ast.Name):
        replaced = _substituted(first.node, fed.id, holder)
    return (
        f"build it once before the loop with a placeholder for what varies: "
        f"`{holder} = {tf}.placeholder({tf}.{_spelled(dtype)})`, `{name} = {replaced}`; in the loop feed it: "
        f"`feed_dict={{{holder}: {ast.unparse(fed)}}}`"
    )


def _listed(expression: Expression, loop: Loop) -> Expression:
    """The comprehension that an expression is the element of, or itself."""
    found = expression
    while (
        found.parent is not None
        and found.loops[-1:] != (loop,)
        and isinstance(found.loops[-1].node if found.loops else None, COMPREHENSIONS)
    ):
        found = found.parent
    return found


def _library(context: Context) -> str:
    """How the file calls TensorFlow 1."""
    known = context.edits.imports
    if "tensorflow.compat.v1" in known:
        return known["tensorflow.compat.v1"]
    name = known.get("tensorflow", "tf")
    return f"{name}.compat.v1" if f"{name}.compat.v1." in context.edits.text else name


def _spelled(dtype: DType | None) -> str:
    return {"f32": "float32", "f64": "float64", "i32": "int32", "i64": "int64"}.get(str(dtype), "float32")


def _substituted(node: ast.expr, old: str, new: str) -> str:
    tree = ast.parse(ast.unparse(node), mode="eval")
    for each in ast.walk(tree):
        if isinstance(each, ast.Name) and each.id == old:
            each.id = new
    return ast.unparse(tree)
