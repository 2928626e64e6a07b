"""Work moved before a loop: the edit that does it, in the user's own names."""

from __future__ import annotations

import ast
import keyword
from collections.abc import Iterable, Iterator, Set
from dataclasses import dataclass

from mlvet.analyses.efficiency.host.outline import COMPREHENSIONS, Expression, Loop
from mlvet.analyses.efficiency.telling.context import Context
from mlvet.core.fix import Edit

_SIMPLE = (ast.Assign, ast.AnnAssign, ast.AugAssign, ast.Expr, ast.Return)
_STEP = "    "


@dataclass(frozen=True, slots=True)
class Hoist:
    """Statements to put before a loop, the edits that take them out of it, and the name that then holds the work.

    `moved` are the statements that go as they are; `around` are the `with` statements that are repeated around the
    work.
    """

    name: str
    lines: tuple[str, ...]
    edits: tuple[Edit, ...]
    moved: tuple[ast.Assign, ...] = ()
    around: tuple[ast.With | ast.AsyncWith, ...] = ()


def hoist(context: Context, expression: Expression, loop: Loop, under: str = "") -> Hoist | None:
    """The edit that computes an expression before a loop, None if what it reads cannot be moved along.

    `under` is a context that the work is put in, such as `torch.no_grad()`.
    """
    if loop not in expression.loops or context.program.outline.location(expression.node).cell is not None:
        return None
    anchor = anchor_of(expression, loop)
    if anchor is None or not context.edits.begins_line(anchor):
        return None
    moved = moved_along(context, expression, loop)
    if moved is None or any(isinstance(each, ast.Lambda) for each in _between(context, expression)):
        return None
    whole = _whole(context, expression, loop)
    name = whole.targets[0].id if whole is not None and isinstance(whole.targets[0], ast.Name) else ""
    if whole is not None:
        moved = [*moved, whole]
        edits: list[Edit] = []
    else:
        name = new_name(context, expression.node)
        edits = [context.edits.replaced(expression.node, name)]
    edits += (taken_out(context, each) for each in moved)
    around = withs(context, expression.statement, loop)
    work = [f"{context.edits.of(each)}{context.comment(each)}" for each in moved]
    if whole is None:
        work.append(f"{name} = {_on_its_own(context.edits.of(expression.node))}")
    lines = wrapped(work, [*(["with " + under] if under else []), *map(context.header, around)])
    edits.append(before(context, anchor, lines))
    return Hoist(name, tuple(lines), tuple(edits), tuple(moved), tuple(around))


def anchor_of(expression: Expression, loop: Loop) -> ast.stmt | None:
    """The statement before which the work of a loop is put: the loop, or the one that a comprehension stands in."""
    if not isinstance(loop.node, COMPREHENSIONS):
        return loop.node
    return expression.statement if isinstance(expression.statement, (*_SIMPLE, ast.For)) else None


def before(context: Context, anchor: ast.stmt, lines: Iterable[str]) -> Edit:
    """Lines put before a statement, at its indentation."""
    indentation = context.edits.indentation(anchor)
    content = "".join(f"{indentation}{line}\n" for each in lines for line in each.split("\n"))
    return context.edits.inserted((anchor.lineno, 1), content)


def wrapped(work: list[str], headers: list[str]) -> list[str]:
    """Statements inside of `with` statements."""
    lines = [line for each in work for line in each.split("\n")]
    for depth, header in enumerate(headers):
        lines.insert(depth, _STEP * depth + f"{header}:")
    return [*lines[: len(headers)], *(_STEP * len(headers) + line for line in lines[len(headers) :])]


def withs(context: Context, statement: ast.stmt, loop: Loop) -> list[ast.With | ast.AsyncWith]:
    """The `with` statements between a loop and a statement of its body, outermost first."""
    found = [each for each in chain(context, statement, loop) if isinstance(each, ast.With | ast.AsyncWith)]
    return found[::-1]


def chain(context: Context, statement: ast.stmt, loop: Loop) -> Iterator[ast.AST]:
    """What stands around a statement up to a loop that contains it, inner before outer."""
    if isinstance(loop.node, COMPREHENSIONS) or statement is loop.node:
        return
    found = context.parents.get(statement)
    while found is not None and found is not loop.node:
        yield found
        found = context.parents.get(found)


def _between(context: Context, expression: Expression) -> Iterator[ast.AST]:
    """The expressions around an expression in its statement."""
    found = context.parents.get(expression.node)
    while isinstance(found, ast.expr | ast.keyword | ast.comprehension):
        yield found
        found = context.parents.get(found)


def moved_along(context: Context, expression: Expression, loop: Loop) -> list[ast.Assign] | None:
    """The assignments of a loop that an expression needs, in the order of the text; None if one cannot be moved."""
    found: dict[ast.Assign, None] = {}
    pending: list[ast.expr] = [expression.node]
    around = withs(context, expression.statement, loop)
    while pending:
        for name in _read(context, pending.pop()):
            setting = [each for each in context.settings.get(name, []) if loop in each.target.loops]
            if not setting:
                continue
            statement = setting[0].target.statement
            if len(setting) > 1 or not _movable(context, statement, loop):
                return None
            assert isinstance(statement, ast.Assign)
            if statement in found:
                continue
            if withs(context, statement, loop) not in ([], around):
                return None
            found[statement] = None
            pending.append(statement.value)
    return sorted(found, key=lambda each: each.lineno)


def _read(context: Context, node: ast.expr) -> Iterator[str]:
    """The names that an expression reads and does not set itself."""
    of_node = context.program.outline.of_node
    own = {each.id for each in ast.walk(node) if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store)}
    for each in ast.walk(node):
        if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Load) and each.id not in own and each in of_node:
            yield context.program.names_read[of_node[each]]


def _whole(context: Context, expression: Expression, loop: Loop) -> ast.Assign | None:
    """The assignment that an expression is the whole right-hand side of, if it can be moved as it is."""
    statement = expression.statement
    if not isinstance(statement, ast.Assign) or statement.value is not expression.node:
        return None
    return statement if isinstance(statement.targets[0], ast.Name) and _movable(context, statement, loop) else None


def _movable(context: Context, statement: ast.stmt, loop: Loop) -> bool:
    """Whether an assignment can be moved before a loop: it alone sets its names there, before all that read them."""
    if not isinstance(statement, ast.Assign) or len(statement.targets) != 1 or isinstance(loop.node, COMPREHENSIONS):
        return False
    target = statement.targets[0]
    several = target.elts if isinstance(target, ast.Tuple) else [target]
    if not all(isinstance(each, ast.Name) for each in several) or context.comment(statement) is None:
        return False
    names = {each.name for each in context.program.bindings.settings if each.target.node in several}
    plain = (ast.For, ast.While, ast.With, ast.AsyncWith)
    return (
        len(names) == len(several)
        and all(sum(loop in each.target.loops for each in context.settings.get(name, [])) == 1 for name in names)
        and not any((name, loop) in context.program.bindings.carried for name in names)
        and all(isinstance(each, plain) for each in chain(context, statement, loop))
        and not any(statement in getattr(each, "orelse", []) for each in chain(context, statement, loop))
        and statement not in getattr(loop.node, "orelse", [])
    )


def taken_out(context: Context, statement: ast.stmt) -> Edit:
    """The removal of a statement; a block that would be empty then gets `pass`."""
    parent = context.parents[statement]
    if [statement] in (getattr(parent, "body", None), getattr(parent, "orelse", None)):
        return context.edits.replaced(statement, "pass")
    last = statement.end_lineno or statement.lineno
    return context.edits.removed((statement.lineno, 1), (last + 1, 1))


def _on_its_own(text: str) -> str:
    """The text of an expression as a statement can hold it: in parentheses if it spans lines that nothing joins."""
    try:
        ast.parse(f"_ = {text}")
    except SyntaxError:
        return f"({text})"
    return text


def new_name(context: Context, node: ast.expr) -> str:
    """A name that says what an expression is and that the file does not use."""
    parts = list(_parts(node))
    base = "_".join(parts[:3]) if 0 < len(parts) <= 3 else "steady"
    return free_name(context, base)


def free_name(context: Context, base: str, taken: Set[str] = frozenset()) -> str:
    """A name that neither the file nor who asks uses, made from a wish."""
    if not base.isidentifier() or keyword.iskeyword(base):
        base = "steady"
    used = context.used_names | taken
    return next(name for name in (base, *(f"{base}_{number}" for number in range(2, 1000))) if name not in used)


def _parts(node: ast.expr) -> Iterator[str]:
    """Words for an expression: those of operands of operators, of calls what is called."""
    match node:
        case ast.BinOp():
            yield from _parts(node.left)
            yield from _parts(node.right)
        case ast.UnaryOp():
            yield from _parts(node.operand)
        case ast.Name():
            yield node.id
        case ast.Attribute(attr="T" | "mT"):
            yield from _parts(node.value)
        case ast.Attribute():
            yield node.attr
        case ast.Call(func=ast.Attribute(attr="t" | "transpose", value=ast.Name() as inner)):
            yield inner.id
        case ast.Call(func=ast.Attribute(attr=name) | ast.Name(id=name)):
            yield name
        case ast.Subscript():
            yield from _parts(node.value)
