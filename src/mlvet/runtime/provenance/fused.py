"""Sites: functions made for single expressions of a program, which compute the value and write one row for it.

`w * old[n] / out` becomes `site(w, old[n], out)`. The site takes the plain values out of its operands, computes what
the program would compute, differentiates the expression symbolically and writes the partial derivatives by those
operands that carry a place. Operands that are no plain numbers are left to their own operators.
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from mlvet.runtime.provenance import numbers
from mlvet.runtime.provenance.predicates import PREDICATES, Place, Site
from mlvet.runtime.provenance.tape import TAPE

_OPERATORS: dict[type[ast.operator], str] = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/"}
_COMPARISONS: dict[type[ast.cmpop], str] = {ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">="}
_COMPARE = {"<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge}
_PLAIN_COMPARISONS = 64
_MOST_OPERANDS = 12
_LOOKS = 4
_MISSES = 32


@dataclass(slots=True)
class Formula:
    """An arithmetic expression over operands: Python text of its values and derivatives."""

    operands: list[ast.expr] = field(default_factory=list)
    lines: list[str] = field(default_factory=list)
    operators: int = 0
    computed: int = 0
    """How many of the lines compute the value; the others its derivatives."""

    @property
    def numbers(self) -> range:
        return range(len(self.operands))

    @property
    def forward(self) -> list[str]:
        return self.lines[: self.computed]

    @property
    def backward(self) -> list[str]:
        return self.lines[self.computed :]

    def value(self, node: ast.expr) -> tuple[str, Callable[[str], None]]:
        """The name of a node's value, and what hands a derivative by it on to its operands."""
        if isinstance(node, ast.Constant):
            return repr(node.value), _nothing
        if isinstance(node, ast.BinOp) and type(node.op) in _OPERATORS and not is_text(node):
            return self._binary(node)
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Pow) and (exponent := _exponent(node)):
            return self._power(node, exponent)
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
            a, back = self.value(node.operand)
            return self._named(f"-{a}"), lambda by: back(f"-{by}")
        if is_absolute(node):
            assert isinstance(node, ast.Call)
            a, back = self.value(node.args[0])
            return self._named(f"abs({a})"), lambda by: back(f"({by} if {a} >= 0 else -{by})")
        self.operands.append(node)
        number = len(self.operands) - 1
        return f"v{number}", lambda by: self.lines.append(f"d{number} = {by}")

    def _named(self, text: str) -> str:
        name = f"t{self.operators}"
        self.operators += 1
        self.lines.append(f"{name} = {text}")
        return name

    def _binary(self, node: ast.BinOp) -> tuple[str, Callable[[str], None]]:
        (a, back_a), (b, back_b) = self.value(node.left), self.value(node.right)
        sign = _OPERATORS[type(node.op)]
        result = self._named(f"{a} {sign} {b}")

        def back(by: str) -> None:
            if sign == "+":
                back_a(by)
                back_b(by)
            elif sign == "-":
                back_a(by)
                back_b(f"-{by}")
            elif sign == "*":
                back_a(self._times(by, b))
                back_b(self._times(by, a))
            else:
                part = self._named(f"{by} / {b}")
                back_a(part)
                back_b(f"-{part} * {result}")

        return result, back

    def _times(self, by: str, factor: str) -> str:
        """A derivative times a factor; one times it is the factor itself, which makes no new number."""
        return factor if by == "1.0" else self._named(f"{by} * {factor}")

    def _power(self, node: ast.BinOp, exponent: int) -> tuple[str, Callable[[str], None]]:
        a, back = self.value(node.left)
        return self._named(f"{a} ** {exponent}"), lambda by: back(f"{by} * {exponent} * {a} ** {exponent - 1}")


def _nothing(by: str) -> None:
    """Constants have no derivative."""
    del by


def _exponent(node: ast.BinOp) -> int:
    right = node.right
    if isinstance(right, ast.Constant) and type(right.value) is int and 2 <= right.value <= 4:
        return right.value
    return 0


def is_absolute(node: ast.expr) -> bool:
    return (
        isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "abs"
        and len(node.args) == 1 and not node.keywords and not isinstance(node.args[0], ast.Starred)
    )  # fmt: skip


def is_text(node: ast.BinOp) -> bool:
    """Whether an operand is written text or a list, which are joined and not added."""
    sides = (node.left, node.right)
    return any(
        isinstance(each, ast.JoinedStr | ast.List | ast.Tuple | ast.ListComp)
        or (isinstance(each, ast.Constant) and type(each.value) not in (int, float))
        for each in sides
    )


def factors_of(node: ast.expr) -> tuple[ast.expr, ast.expr] | None:
    """The factors of a product of two operands that no site would take apart further."""
    if not (isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult)) or is_text(node):
        return None
    factors = node.left, node.right
    plain = all(not isinstance(each, ast.Constant) and not operators_of(each) for each in factors)
    return factors if plain and not any(map(_binds, factors)) else None


def operators_of(node: ast.expr) -> int:
    """How many operators a site for this expression would take together."""
    if isinstance(node, ast.BinOp) and type(node.op) in _OPERATORS and not is_text(node):
        return 1 + operators_of(node.left) + operators_of(node.right)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Pow) and _exponent(node):
        return 1 + operators_of(node.left)
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        return 1 + operators_of(node.operand)
    if is_absolute(node):
        assert isinstance(node, ast.Call)
        return 1 + operators_of(node.args[0])
    return 0


@dataclass(slots=True)
class Expression:
    """The site of one expression: at first it looks at its operands each time, soon it expects what it has seen.

    Which operands are traced rarely changes at one place of a program. So the site is compiled for the pattern that it
    saw, which saves it from asking; where the pattern fails too often it goes back to asking.
    """

    name: str
    formula: Formula
    original: str
    gathers: bool
    namespace: dict[str, Any] = field(default_factory=dict)
    calls: int = 0
    misses: int = 0
    asking: Any = None

    def install(self, namespace: dict[str, Any]) -> None:
        self.namespace = namespace
        namespace[_global(self.name)] = self._first

    def _first(self, *given: Any) -> Any:
        if self.asking is None:
            self.asking = _compiled(asking(self.name, self.formula, self.original, self.gathers), self.name)
        self.calls += 1
        if self.calls >= _LOOKS:
            operands = given[1:] if self.gathers else given
            pattern = tuple(type(each) is numbers.TracedFloat for each in operands)
            fits = all(hangs or type(each) in numbers.PLAIN for hangs, each in zip(pattern, operands, strict=True))
            made = self.asking
            if fits and any(pattern):
                lines = expecting(self.name, self.formula, pattern, self.gathers)
                made = _compiled(lines, self.name, missed=self._missed)
            elif fits and not self.gathers:
                made = _compiled(plainly(self.name, self.formula, self.original), self.name, asking=self.asking)
            self.namespace[_global(self.name)] = made
        return self.asking(*given)

    def _missed(self, *given: Any) -> Any:
        self.misses += 1
        if self.misses > _MISSES:
            self.namespace[_global(self.name)] = self.asking
        return self.asking(*given)


@dataclass(slots=True)
class Sites:
    """The functions of one module's sites; `names` are what its changed source calls."""

    path: str
    number: int
    source: list[str] = field(default_factory=list)
    expressions: list[Expression] = field(default_factory=list)
    count: int = 0

    def arithmetic(self, node: ast.expr) -> ast.Call | None:
        """A call in place of an arithmetic expression."""
        formula = _formula(node)
        if formula is None:
            return None
        name = self._name("F")
        self.expressions.append(Expression(name, formula, _with_arguments(node, formula.operands), gathers=False))
        return _call(name, formula.operands, node)

    def gathered(self, node: ast.expr, total: str) -> ast.Call | None:
        """A call that adds the operands of a term to a sum, and returns the term's plain value."""
        formula = _formula(node)
        if formula is None:
            return None
        name = self._name("G")
        self.expressions.append(Expression(name, formula, _with_arguments(node, formula.operands), gathers=True))
        return _call(name, [ast.Name(total, ast.Load()), *formula.operands], node)

    def comparison(self, node: ast.Compare) -> ast.expr | None:
        """A call in place of a comparison; for names and constants a test of their kinds stands before it."""
        left, right = node.left, node.comparators[0]
        if len(node.ops) != 1 or type(node.ops[0]) not in _COMPARISONS or _is_fixed(left) or _is_fixed(right):
            return None
        names = [each for each in (left, right) if isinstance(each, ast.Name)]
        name = self._name("K")
        sign = _COMPARISONS[type(node.ops[0])]
        place: Place = (self.path, node.lineno, -self.count)
        self.source += _comparing(name, place, sign)
        if not (_is_plain(left) and _is_plain(right)):
            return _call(name, [left, right], node)
        if not names:
            return None
        tests = " or ".join(f"{TYPE}({each.id}) is {KIND}" for each in names)
        text = f"({_global(name)}({ast.unparse(left)}, {ast.unparse(right)}) if {tests} else {ast.unparse(node)})"
        made = ast.parse(text, mode="eval").body
        for each in ast.walk(made):
            if hasattr(each, "lineno"):
                ast.copy_location(each, node)
        return made

    def install(self, namespace: dict[str, Any]) -> None:
        """Put the sites, under the names that the changed source calls, into a module's namespace."""
        scope = _scope() | {"plainly": partial(_plain_comparison, namespace)}
        exec(compile("\n".join(self.source), "<mlvet comparisons>", "exec"), scope)
        namespace |= {_global(name): value for name, value in scope.items() if name[0] == "K"}
        namespace |= {TYPE: type, KIND: numbers.TracedFloat}
        for each in self.expressions:
            each.install(namespace)

    def _name(self, kind: str) -> str:
        self.count += 1
        return f"{kind}{self.number}_{self.count}"


TYPE = "__mlvet_type__"
KIND = "__mlvet_kind__"


def _global(name: str) -> str:
    return f"__mlvet_{name}__"


def _is_fixed(node: ast.expr) -> bool:
    """Whether an operand is no number for certain."""
    if isinstance(node, ast.Constant):
        return type(node.value) not in (int, float)
    walrus = (ast.NamedExpr, ast.Await, ast.Yield, ast.YieldFrom)
    fixed = (ast.JoinedStr, ast.List, ast.Tuple, ast.Set, ast.Dict, ast.Lambda)
    return isinstance(node, fixed) or any(isinstance(each, walrus) for each in ast.walk(node))


def _is_plain(node: ast.expr) -> bool:
    return isinstance(node, ast.Name) or (isinstance(node, ast.Constant) and type(node.value) in (int, float))


def _formula(node: ast.expr) -> Formula | None:
    formula = Formula()
    result, back = formula.value(node)
    formula.lines.append(f"r = {result}")
    formula.computed = len(formula.lines)
    back("1.0")
    fits = 0 < len(formula.operands) <= _MOST_OPERANDS
    return formula if fits and not any(map(_binds, formula.operands)) else None


def _binds(node: ast.expr) -> bool:
    """Whether an operand does more than yield a value."""
    return any(isinstance(each, ast.NamedExpr | ast.Await | ast.Yield) for each in ast.walk(node))


def _comparing(name: str, place: Place, sign: str) -> Iterator[str]:
    """The function of a comparison; one that is met by plain numbers only becomes the operator itself."""
    yield f"_{name} = site({place!r})"
    yield f"def {name}(a, b, s=_{name}):"
    yield "    if type(a) is T: x = a.v; i = a.i"
    yield "    elif type(a) in N: x = a; i = 0"
    yield f"    else: return a {sign} b"
    yield "    if type(b) is T: y = b.v; j = b.i"
    yield "    elif type(b) in N: y = b; j = 0"
    yield f"    else: return a {sign} b"
    yield f"    if not (i or j): plainly({name!r}, {sign!r}, s); return x {sign} y"
    yield "    s.count += 1"
    yield "    m = x - y"
    yield "    if m < s.reach and -m < s.reach:"
    yield f"        return near(s, x {sign} y, m, ((i, 1.0), (j, -1.0)))"
    yield f"    return x {sign} y"


def _plain_comparison(namespace: dict[str, Any], name: str, sign: str, site: Site) -> None:
    site.plain += 1
    if site.plain > _PLAIN_COMPARISONS and not site.count:
        namespace[_global(name)] = _COMPARE[sign]


def asking(name: str, formula: Formula, original: str, gathers: bool) -> Iterator[str]:
    """The function of a site that asks for the kind of each operand."""
    yield f"def {name}({_parameters(formula, gathers)}):"
    for each in formula.numbers:
        yield f"    if type(a{each}) is T: v{each} = a{each}.v; i{each} = a{each}.i"
        yield f"    elif type(a{each}) in N: v{each} = a{each}; i{each} = 0"
        yield f"    elif type(a{each}) is I: v{each} = a{each}.v; i{each} = a{each}.i"
        yield f"    elif is_bare(a{each}): v{each} = bare(a{each}); i{each} = 0"
        yield f"    else: return {original}"
    yield from (f"    {each}" for each in formula.forward)
    yield f"    if not ({' or '.join(f'i{each}' for each in formula.numbers)}): return r"
    yield from (f"    {each}" for each in formula.backward)
    yield _returned(formula.numbers, gathers)


def expecting(name: str, formula: Formula, pattern: tuple[bool, ...], gathers: bool) -> Iterator[str]:
    """The function of a site that takes some operands for traced floats and the others for plain numbers."""
    yield f"def {name}({_parameters(formula, gathers)}):"
    hanging = [each for each in formula.numbers if pattern[each]]
    others = [each for each in formula.numbers if not pattern[each]]
    given = _parameters(formula, gathers)
    for each in others:
        yield f"    if type(a{each}) not in N: return missed({given})"
        yield f"    v{each} = a{each}"
    yield f"    if {' or '.join(f'type(a{each}) is not T' for each in hanging)}: return missed({given})"
    yield f"    {'; '.join(f'v{each} = a{each}.v' for each in hanging)}"
    yield from (f"    {each}" for each in formula.forward)
    yield from (f"    {each}" for each in formula.backward if not any(each.startswith(f"d{one} =") for one in others))
    yield _returned(hanging, gathers)


def plainly(name: str, formula: Formula, original: str) -> Iterator[str]:
    """The function of a site that is met by plain numbers. Other numbers have operators of their own.

    Traced ints are asked for: a plain float that meets one would take it for an int and not ask it.
    """
    given = ", ".join(f"a{each}" for each in formula.numbers)
    yield f"def {name}({_parameters(formula, False)}):"
    yield f"    if {' or '.join(f'type(a{each}) is I' for each in formula.numbers)}: return asking({given})"
    yield f"    return {original}"


def _returned(operands: Iterable[int], gathers: bool) -> str:
    """The last line: the value, with a row of its operands or with these added to a sum."""
    pairs = ", ".join(f"a{each}, d{each}" for each in operands)
    return f"    return {'S.term' if gathers else 'written'}(r, {pairs})"


def _parameters(formula: Formula, gathers: bool) -> str:
    return ("S, " if gathers else "") + ", ".join(f"a{each}" for each in formula.numbers)


def _scope() -> dict[str, Any]:
    return {
        "T": numbers.TracedFloat, "I": numbers.TracedInt, "N": numbers.PLAIN, "is_bare": numbers.is_bare,
        "bare": numbers.bare, "written": TAPE.open.written, "site": PREDICATES.site, "near": PREDICATES.near,
    }  # fmt: skip


def _compiled(lines: Iterator[str], name: str, **more: Any) -> Any:
    scope = _scope() | more
    exec(compile("\n".join(lines), f"<mlvet site {name}>", "exec"), scope)
    return scope[name]


def _with_arguments(node: ast.expr, operands: list[ast.expr]) -> str:
    """The expression with its operands replaced by the arguments of the site."""
    names = {id(each): f"a{number}" for number, each in enumerate(operands)}

    class Replaced(ast.NodeTransformer):
        def visit(self, each: ast.AST) -> Any:
            if id(each) in names:
                return ast.Name(names[id(each)], ast.Load())
            return self.generic_visit(each)

    copied = _copied(node, names)
    return f"({ast.unparse(Replaced().visit(copied))})"


def _copied(node: Any, kept: dict[int, str]) -> Any:
    """A copy of the tree above the operands, which stay the same objects."""
    if id(node) in kept or not isinstance(node, ast.AST):
        return node
    fields = {
        name: [_copied(one, kept) for one in value] if isinstance(value, list) else _copied(value, kept)
        for name, value in ast.iter_fields(node)
    }
    return type(node)(**fields)


def _call(name: str, arguments: list[ast.expr], node: ast.expr) -> ast.Call:
    call = ast.Call(ast.Name(_global(name), ast.Load()), arguments, [])
    ast.copy_location(call, node)
    ast.copy_location(call.func, node)
    for each in arguments[:2]:
        if not hasattr(each, "lineno"):
            ast.copy_location(each, node)
    return call
