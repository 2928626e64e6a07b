"""How a value grows in a loop: what is added to it, and what of it is looked at meanwhile."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from mlvet.analyses.efficiency.host.outline import Expression, Loop
from mlvet.analyses.efficiency.telling.context import Context
from mlvet.core.location import Location

_SIZES = ("shape", "size", "ndim", "numel", "dim", "empty")


@dataclass(frozen=True, slots=True)
class Growth:
    """A statement that joins what a name or attribute holds with `parts`.

    `join` has `{}` where the list of all parts goes. The `statement` is all that has to be replaced: the assignment,
    or the `if` around it that `begins_empty`, with nothing there before the first part. Parts `of_rows` are rows of a
    table, which are not joined with it as they are.
    """

    name: str
    parts: tuple[ast.expr, ...]
    join: str
    library: str
    statement: ast.stmt
    in_front: bool = False
    flat: str = ""
    begins_empty: bool = False
    of_rows: bool = False
    plain: bool = True

    @property
    def gathered(self) -> str:
        return f"{self.buffer}_parts"

    @property
    def buffer(self) -> str:
        return self.name.rpartition(".")[2]

    @property
    def library_name(self) -> str:
        return self.join.partition(".")[0]

    @property
    def begin(self) -> str:
        """The statement that begins the list of parts."""
        first = f"{self.flat}({self.name})" if self.flat else self.name
        return f"{self.gathered} = {'[]' if self.begins_empty or self.of_rows else f'[{first}]'}"

    @property
    def put(self) -> str:
        """The statement that adds the parts of one iteration."""
        added = [f"{self.flat}({ast.unparse(each)})" if self.flat else ast.unparse(each) for each in self.parts]
        if len(added) == 1:
            return f"{self.gathered}.append({added[0]})"
        return f"{self.gathered}.extend([{', '.join(added[::-1] if self.in_front else added)}])"

    @property
    def joined(self) -> str:
        return f"{self.name} = {self.join.format(f'{self.gathered}[::-1]' if self.in_front else self.gathered)}"


@dataclass(frozen=True, slots=True)
class Look:
    """A place where the loop looks at what has grown: at an `item`, perhaps the `last`, or at its size."""

    place: Location
    item: bool = False
    last: bool = False


def growth(context: Context, expression: Expression) -> Growth | None:
    """How an expression lets what it is assigned to grow; None if it does not, or not in a way that is known."""
    read = _joining(context, expression.node)
    statement = expression.statement
    if read is None or not isinstance(statement, ast.Assign) or len(statement.targets) != 1:
        return None
    listed, join, library, flat = read
    name = ast.unparse(statement.targets[0])
    places = [index for index, each in enumerate(listed) if ast.unparse(each) == name]
    if len(places) != 1 or places[0] not in (0, len(listed) - 1) or any(isinstance(e, ast.Starred) for e in listed):
        return None
    parts = tuple(each for index, each in enumerate(listed) if index != places[0])
    if not parts or any(name in (ast.unparse(each) for each in ast.walk(part)) for part in parts if _whole(part)):
        return None
    in_front = places[0] > 0
    of_rows = _adds_row(expression.node)
    if statement.value is expression.node:
        first = _first_time(context, statement, name)
        if first is None:
            return Growth(
                name, parts, join, library, statement, in_front, flat, of_rows=of_rows, plain=not of_rows
            )  # fmt: skip
        same = len(parts) == 1 and ast.unparse(first.value) == ast.unparse(parts[0])
        around = context.parents[statement]
        assert isinstance(around, ast.If)
        alone = len(around.body) == len(around.orelse) == 1
        tests_none = _is_none_test(around.test, name)
        if not _asks(around.test, name) or (not tests_none and not same):
            return None
        return Growth(
            name, parts, join, library, around, in_front, flat, begins_empty=True,
            plain=same and alone and tests_none and not flat and _is_if(context, around),
        )  # fmt: skip
    if isinstance(statement.value, ast.IfExp) and _is_none_test(statement.value.test, name):
        other = statement.value.orelse if statement.value.body is expression.node else statement.value.body
        same = len(parts) == 1 and ast.unparse(other) == ast.unparse(parts[0])
        return Growth(
            name, parts, join, library, statement, in_front, flat, begins_empty=True, plain=same and not flat
        )  # fmt: skip
    return None


def _whole(part: ast.expr) -> bool:
    return isinstance(part, ast.Name | ast.Attribute)


def _is_if(context: Context, node: ast.If) -> bool:
    """Whether an `if` is one of its own, not the `elif` of another."""
    around = context.parents.get(node)
    return not (isinstance(around, ast.If) and around.orelse == [node])


def _joining(context: Context, node: ast.expr) -> tuple[list[ast.expr], str, str, str] | None:
    """What an expression joins, the text that joins a list of as many, its library, and what flattens each."""
    match node:
        case ast.Subscript(value=ast.Attribute(attr="r_"), slice=ast.Tuple(elts=parts)):
            return parts, f"{ast.unparse(node.value)}[tuple({{}})]", "numpy", ""
        case ast.Call(func=ast.Attribute(attr="append", value=receiver), args=[row]) if _adds_row(node):
            pandas = context.edits.reference("pandas") or "pd"
            table = f"{pandas}.concat([{ast.unparse(receiver)}, {pandas}.DataFrame({{}})], ignore_index=True)"
            return [receiver, row], table, "pandas", ""
        case ast.Call(args=[ast.List(elts=parts) | ast.Tuple(elts=parts), *rest]):
            return parts, f"{ast.unparse(node.func)}({{}}{_settings(rest, node)})", _library(context, node), ""
        case ast.Call(args=[first, second, *rest]):
            module = ast.unparse(node.func).rpartition(".")[0]
            if not module:
                return None
            flat = "" if rest or any(each.arg == "axis" for each in node.keywords) else f"{module}.ravel"
            return [first, second], f"{module}.concatenate({{}}{_settings(rest, node)})", _library(context, node), flat
    return None


def _adds_row(node: ast.expr) -> bool:
    """Whether a call is that of the method by which a table of pandas yields itself with a row more."""
    return (
        isinstance(node, ast.Call)
        and any(each.arg == "ignore_index" for each in node.keywords)
        and (isinstance(node.func, ast.Attribute) and node.func.attr == "append")
    )


def _settings(rest: list[ast.expr], node: ast.Call) -> str:
    named = [ast.unparse(each) for each in rest] + [f"{each.arg}={ast.unparse(each.value)}" for each in node.keywords]
    return "".join(f", {each}" for each in named)


def _library(context: Context, node: ast.Call) -> str:
    names = context.program.callees(context.program.outline.of_node[node])
    return names[0].partition(".")[0] if names else ""


def _first_time(context: Context, statement: ast.stmt, name: str) -> ast.Assign | None:
    """What sets the same name in the other branch of the `if` around a statement, such as to its first part."""
    around = context.parents.get(statement)
    if not isinstance(around, ast.If):
        return None
    other = around.orelse if statement in around.body else around.body
    found = [each for each in other if isinstance(each, ast.Assign) and ast.unparse(each.targets[0]) == name]
    return found[0] if len(found) == 1 else None


def _asks(test: ast.expr, name: str) -> bool:
    """Whether a test may ask if it is the first time: of the grown value, or if a number is zero or a value None."""
    if any(ast.unparse(each) == name for each in ast.walk(test) if isinstance(each, ast.Name | ast.Attribute)):
        return True
    match test:
        case ast.Compare(left=ast.Name(), ops=[ast.Eq() | ast.NotEq() | ast.Gt()], comparators=[ast.Constant(value=0)]):
            return True
        case ast.Compare(ops=[ast.Is() | ast.IsNot()], comparators=[ast.Constant(value=None)]):
            return True
    return False


def _is_none_test(test: ast.expr, name: str) -> bool:
    match test:
        case ast.Compare(left=left, ops=[ast.Is() | ast.IsNot()], comparators=[ast.Constant(value=None)]):
            return ast.unparse(left) == name
    return False


def items_looked_at(context: Context, found: Growth, loop: Loop) -> list[Look] | None:
    """Where a loop looks at single items or slices of what has grown; None if one is not known to be such."""
    looks: list[Look] = []
    for node in _inside(context, found, loop):
        if isinstance(node, ast.Subscript) and ast.unparse(node.value) == found.name:
            index = node.slice.elts[0] if isinstance(node.slice, ast.Tuple) and node.slice.elts else node.slice
            last = _is_last(index)
            if not last and not _is_basic(context, index):
                return None
            looks.append(Look(context.program.outline.location(node), item=True, last=last))
    return looks


def sizes_looked_at(context: Context, found: Growth, loop: Loop) -> list[Look]:
    """Where a loop looks at the size of what has grown, other than to ask whether there is anything."""
    looks = []
    for node in _inside(context, found, loop):
        match node:
            case ast.Call(args=[inner]) if ast.unparse(inner) == found.name:
                looks.append(Look(context.program.outline.location(node)))
            case ast.Attribute(value=inner) if node.attr in _SIZES and ast.unparse(inner) == found.name:
                looks.append(Look(context.program.outline.location(node)))
    return looks


def returns_inside(context: Context, found: Growth, loop: Loop) -> bool:
    """Whether a loop ends by returning what has grown."""
    return any(
        isinstance(each.statement, ast.Return) and ast.unparse(each.node) == found.name
        for each in context.program.outline.expressions
        if loop in each.loops
    )


def _inside(context: Context, found: Growth, loop: Loop) -> Iterator[ast.expr]:
    """The expressions of a loop outside of the statement by which the value grows, with the parts that it adds."""
    own = set(ast.walk(found.statement))
    for part in found.parts:
        own -= set(ast.walk(part))
    for each in context.program.outline.expressions:
        if loop in each.loops and each.node not in own:
            yield each.node


def _is_last(index: ast.expr) -> bool:
    """Whether an index is that of the last item, or a slice of it."""
    match index:
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=1)):
            return True
        case ast.Slice(lower=ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=1)), upper=None, step=None):
            return True
    return False


def _is_basic(context: Context, index: ast.expr) -> bool:
    """Whether an index is a number or a slice, so that it yields a view."""
    if isinstance(index, ast.Slice):
        return index.lower is not None or index.upper is not None
    seen = context.program.seen(context.program.outline.of_node[index])
    return isinstance(index, ast.Constant) or (seen is not None and seen.kind == "number")
