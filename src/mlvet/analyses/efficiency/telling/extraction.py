"""Statements of a loop taken out into a function of what the loop gives them."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from mlvet.analyses.efficiency.host.flows import reached
from mlvet.analyses.efficiency.host.outline import Expression, Function, Loop
from mlvet.analyses.efficiency.telling.context import Context
from mlvet.analyses.efficiency.telling.moves import block_of, first_line, lines_of, shifted, stands_alone
from mlvet.core.fix import Edit
from mlvet.ir.host import Seen

_STEP = "    "
_PLAIN = (ast.With, ast.Assign, ast.AugAssign, ast.Expr, ast.AnnAssign)
_ON_THE_HOST = frozenset(
    (
        "numpy", "item", "tolist", "append", "extend", "write", "save", "update_state", "result", "set_postfix", "info",
        "set_description", "update", "add_scalar", "scalar",
    )
)  # fmt: skip
_HOST_CALLS = frozenset(("print", "float", "int", "len", "next", "open", "input", "str"))
_APPLYING = frozenset(("apply_gradients", "apply", "assign_sub", "assign_add", "assign", "minimize"))


@dataclass(frozen=True, slots=True)
class Step:
    """Statements of a loop that make one step, with what they are `given` by it and what is `read_later` of them.

    As a function it stands before the statement `before`, and takes the names in `around` of the function there too.
    """

    name: str
    statements: tuple[ast.stmt, ...]
    given: dict[str, Expression]
    read_later: tuple[str, ...]
    before: ast.stmt
    around: tuple[str, ...]

    @property
    def parameters(self) -> str:
        return ", ".join((*self.around, *self.given))


def step_of(context: Context, tape: Expression, loop: Loop) -> Step | None:
    """The statements from a tape up to where its gradients are applied; None if they do more than a step does."""
    body = [] if not isinstance(loop.node, ast.For | ast.While) else loop.node.body
    start = next((place for place, each in enumerate(body) if _is_tape(each, tape)), None)
    if start is None:
        return None
    end = max((place for place, each in enumerate(body) if place >= start and _applies(each)), default=None)
    if end is None:
        return None
    statements = tuple(body[start : end + 1])
    if not all(isinstance(each, _PLAIN) for each in statements) or any(map(_is_on_the_host, statements)):
        return None
    outermost = loop.around[0] if loop.around else loop
    given, set_here, early = _names(context, statements, outermost)
    if early:
        return None
    later = _read_later(context, loop, statements, set_here)
    before, around = _place_for(context, outermost, statements, given)
    return Step(_new_name(context, tape), statements, given, later, before, around)


def _new_name(context: Context, tape: Expression) -> str:
    """A name for the function that the file does not use and that no other step of it is given."""
    tapes = [each.arguments[0] for each in context.suggested if each.arguments[2:] == ("inline",)]
    usual = "train_step" if "train_step" not in context.used_names else "update_step"
    place = tapes.index(tape.name) if tape.name in tapes else 0
    return f"{usual}_{place + 1}" if place else usual


def _is_tape(statement: ast.stmt, tape: Expression) -> bool:
    return isinstance(statement, ast.With) and any(item.context_expr is tape.node for item in statement.items)


def _applies(statement: ast.stmt) -> bool:
    return any(isinstance(each, ast.Attribute) and each.attr in _APPLYING for each in ast.walk(statement))


def _is_on_the_host(statement: ast.stmt) -> bool:
    """Whether a statement reads values, prints, gathers, or sets what is not a name."""
    for each in ast.walk(statement):
        match each:
            case ast.Call(func=ast.Attribute(attr=method)) if method in _ON_THE_HOST:
                return True
            case ast.Call(func=ast.Name(id=name)) if name in _HOST_CALLS:
                return True
            case ast.Attribute(ctx=ast.Store()) | ast.Subscript(ctx=ast.Store()) | ast.Break() | ast.Continue():
                return True
            case ast.Return() | ast.Yield() | ast.Await() | ast.NamedExpr() | ast.Delete():
                return True
            case ast.Attribute(value=ast.Name(id="np" | "numpy" | "random" | "time")):
                return True
    return False


def _names(
    context: Context, statements: tuple[ast.stmt, ...], outermost: Loop
) -> tuple[dict[str, Expression], frozenset[str], bool]:
    """What the loops set that the statements read, what the statements set, and whether they read that before."""
    inside = {each for statement in statements for each in ast.walk(statement)}
    outside = {
        each.id
        for each in ast.walk(outermost.node)
        if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store) and each not in inside
    }
    given: dict[str, Expression] = {}
    known: set[str] = set()
    early = False
    for statement in statements:
        stored = [each for each in _ordered(statement) if isinstance(each.ctx, ast.Store)]
        everywhere = {each.id for each in stored}
        for each in _ordered(statement):
            if isinstance(each.ctx, ast.Load) and each.id not in known | everywhere and each.id in outside:
                given.setdefault(each.id, context.program.outline.of_node[each])
        if isinstance(statement, ast.AugAssign) and isinstance(statement.target, ast.Name):
            early = early or statement.target.id not in known
        known |= everywhere
    set_here = frozenset(known)
    carried = {name.partition(".")[2] for name, of in context.program.bindings.carried if of in (outermost,)}
    reads_first = {
        each.id
        for each in _ordered_all(statements)
        if isinstance(each.ctx, ast.Load) and each.id in set_here and _first_store(statements, each.id) > _place(each)
    }
    return given, set_here, early or bool(reads_first & carried) or bool(set(given) & set_here)


def _ordered(statement: ast.stmt) -> list[ast.Name]:
    return sorted((each for each in ast.walk(statement) if isinstance(each, ast.Name)), key=_place)


def _ordered_all(statements: tuple[ast.stmt, ...]) -> list[ast.Name]:
    return [name for each in statements for name in _ordered(each)]


def _place(node: ast.Name) -> tuple[int, int]:
    return node.lineno, node.col_offset


def _first_store(statements: tuple[ast.stmt, ...], name: str) -> tuple[int, int]:
    return min(_place(each) for each in _ordered_all(statements) if each.id == name and isinstance(each.ctx, ast.Store))


def _read_later(
    context: Context, loop: Loop, statements: tuple[ast.stmt, ...], names: frozenset[str]
) -> tuple[str, ...]:
    """The names that the step sets and that are read behind it or by another function, in the order of the text."""
    of_node = context.program.outline.of_node
    inside = {of_node[each].name: each for each in _ordered_all(statements)}
    seen_by = {read: inside[made].id for made, read in reached(context.program, loop.function) if made in inside}
    found = [each for each in context.expressions.values() if each.name in seen_by and each.name not in inside]
    elsewhere = [
        each
        for each, name in context.program.bindings.reads
        if each.function is not loop.function and name in {f"{loop.function.name}.{one}" for one in names}
    ]
    reads = [each.node for each in (*found, *elsewhere) if isinstance(each.node, ast.Name)]
    return tuple(dict.fromkeys(each.id for each in sorted(reads, key=_place)))


def extracted(context: Context, step: Step, decorator: str) -> tuple[Edit, ...] | None:
    """The step as a function of its own, and a call in its place; None if the text does not allow it."""
    text = context.edits
    found = [context.editable(each) for each in step.statements]
    before = context.editable(step.before)
    statements = [each for node in found if node is not None and (each := text.statement(node)) is not None]
    if len(statements) != len(found) or not isinstance(before, ast.stmt) or not text.begins_line(before):
        return None
    if not all(stands_alone(text, each) for each in statements) or step.name in context.used_names:
        return None
    if any(each.kind in ("object", "function") for each in _seen(context, step)) or not block_of(text, statements[0]):
        return None
    old, new = text.indentation(statements[0]), text.indentation(before)
    inner = new + _STEP
    first, last = statements[0], statements[-1]
    content = "".join(shifted(lines_of(text, each), old, inner) for each in statements)
    result = ", ".join(step.read_later)
    if not content.endswith("\n"):
        content += "\n"
    head = f"{new}{decorator}\n{new}def {step.name}({step.parameters}):\n"
    ending = (f"{inner}return {result}\n" if result else "") + ("\n" if new else "\n\n")
    call = f"{step.name}({step.parameters})"
    replaced = f"{old}{result} = {call}\n" if result else f"{old}{call}\n"
    end = last.end_lineno or last.lineno
    return (
        text.inserted((first_line(before), 1), head + content + ending),
        Edit(text.removed((first_line(first), 1), (end, len(text.line(end)) + 1)).location, replaced),
    )


def _place_for(
    context: Context, outermost: Loop, statements: tuple[ast.stmt, ...], given: dict[str, Expression]
) -> tuple[ast.stmt, tuple[str, ...]]:
    """The statement before which the function goes, and which names of the function around it takes then.

    That is the outermost loop; but where the function around it runs again and again, a function made inside would be
    compiled again each time, so it goes to the top level.
    """
    assert isinstance(outermost.node, ast.stmt)
    if not _runs_again(context, outermost.function):
        return outermost.node, ()
    around = list(_functions_around(outermost.function))
    stored = {each.id for each in _ordered_all(statements) if isinstance(each.ctx, ast.Store)}
    known = {name for each in around for name in _names_of(context, each)} - stored - set(given)
    taken = (each.id for each in _ordered_all(statements) if each.id in known)
    return _at_top_level(context, around[-1].node), tuple(dict.fromkeys(taken))


def _runs_again(context: Context, function: Function) -> bool:
    """Whether a function of the file is called in a loop, by itself or through others."""
    around = set(_functions_around(function))
    while True:
        calls = [each for each in context.expressions.values() if around & _entered(context, each)]
        if any(each.loops for each in calls):
            return True
        found = around | {one for each in calls for one in _functions_around(each.function)}
        if found == around:
            return False
        around = found


def _entered(context: Context, call: Expression) -> set[Function]:
    site = context.program.site(call) if isinstance(call.node, ast.Call) else None
    functions = context.program.outline.function_at
    return {found for span in site.enters if (found := functions.get(span)) is not None} if site is not None else set()


def _functions_around(function: Function) -> Iterator[Function]:
    """A function with those that it is defined in, without the top level."""
    while not isinstance(function.node, ast.Module):
        yield function
        if function.outer is None:
            return
        function = function.outer


def _names_of(context: Context, function: Function) -> set[str]:
    node = function.node
    given = node.args if not isinstance(node, ast.Module) else ast.arguments([], [], None, [], [], None, [])
    parameters = [*given.posonlyargs, *given.args, *given.kwonlyargs, *filter(None, (given.vararg, given.kwarg))]
    own = {name.partition(".")[2] for name in context.settings if name.startswith(f"{function.name}.")}
    return own | {each.arg for each in parameters}


def _at_top_level(context: Context, node: ast.AST) -> ast.stmt:
    while not isinstance(context.parents[node], ast.Module):
        node = context.parents[node]
    assert isinstance(node, ast.stmt)
    return node


def _seen(context: Context, step: Step) -> list[Seen]:
    return [seen for each in step.given.values() if (seen := context.program.seen(each)) is not None]
