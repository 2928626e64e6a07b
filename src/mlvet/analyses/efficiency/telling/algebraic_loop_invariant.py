"""A formula of a loop that is equal to a cheaper one, of which a part can be computed before the loop."""

from __future__ import annotations

import ast
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from mlvet.analyses.efficiency.algebra.reading import Reading, reading
from mlvet.analyses.efficiency.algebra.saturation import cheapest
from mlvet.analyses.efficiency.algebra.terms import (
    FLIPPED,
    LEAF,
    PRODUCT,
    SCALED,
    Formula,
    Term,
    priced,
    products,
    steady_parts,
    varying_products,
)  # fmt: skip
from mlvet.analyses.efficiency.algebra.writing import Writer
from mlvet.analyses.efficiency.host.outline import Expression, Loop
from mlvet.analyses.efficiency.reasoning.solving import Suggested
from mlvet.analyses.efficiency.telling.context import Context
from mlvet.analyses.efficiency.telling.hoisting import before, free_name, moved_along, taken_out, withs, wrapped
from mlvet.analyses.efficiency.telling.meaning import repeatable, wants_gradients
from mlvet.analyses.efficiency.telling.passing import passed_on
from mlvet.analyses.efficiency.telling.session_products import edits_of_run, formulas
from mlvet.core.evidence import Related
from mlvet.core.finding import Finding
from mlvet.core.fix import Applicability, Edit, Fix

_LEAST_SHARE = 0.05
"""The part of an iteration that the rewriting must save for it to be felt."""
_LEAST_SECONDS = 1e-3
"""What it must save of an iteration that does more than can be seen."""
_USUAL_TRIPS = 10
"""How often a loop is taken to run if nobody knows."""
_ROUNDING = "floating-point sums are rounded in another order"


@dataclass(frozen=True, slots=True)
class _Case:
    """A formula, where it stands, and the loop that computes it, in a `run` of a session or by itself.

    `alike` are the answers of the rules about it, one for each steady operand.
    """

    found: Reading
    root: Expression
    loop: Loop
    alike: tuple[Suggested, ...]
    run: ast.Call | None = None


def tell(context: Context, suggested: Suggested) -> Finding | None:
    """The suggestion to rewrite a formula; the rules name its steady operands one by one, the first tells for all."""
    alike = tuple(each for each in context.suggested if _about(each) == _about(suggested))
    if suggested is not alike[0]:
        return None
    told = (_judged(context, each) for each in _cases(context, alike))
    return next((each for each in told if each is not None), None)


def _about(suggested: Suggested) -> tuple[str | int, ...]:
    return suggested.pattern, *suggested.arguments[:2]


def _cases(context: Context, alike: tuple[Suggested, ...]) -> Iterator[_Case]:
    place = context.expressions[str(alike[0].arguments[0])]
    loop = context.loops[str(alike[0].arguments[1])]
    steady = frozenset(str(each.arguments[2]) for each in alike)
    site = context.program.site(place)
    if isinstance(place.node, ast.Call) and site is not None and any(_runs(name) for name in site.names):
        for root, found in formulas(context, place.node, loop, steady):
            yield _Case(found, root, loop, alike, place.node)
        return
    reads = reading(context, place, loop, lambda each: each.name in steady)
    around = withs(context, place.statement, loop) if loop in place.loops else []
    kept = all(repeatable(item.context_expr) for each in around for item in each.items)
    if reads is not None and kept and not (context.trains(loop) and wants_gradients(context, place)):
        yield _Case(reads, place, loop, alike)


def _runs(name: str) -> bool:
    return name.endswith("Session.run")


def _judged(context: Context, case: _Case) -> Finding | None:
    """What is told of a formula, if a cheaper one is worth telling."""
    formula = case.found.formula
    usual = max(1, context.usual_trips(case.loop) or _USUAL_TRIPS)
    best = cheapest(formula, usual)
    if best is None:
        return None
    old = priced(formula, formula.term)
    saved = old.per_iteration(usual) - best.per_iteration(usual)
    iteration = max(context.cost_of_iteration(case.loop).seconds, old.each)
    fewer = products(formula, best.term) < (1 - _LEAST_SHARE) * products(formula, formula.term)
    if saved < _LEAST_SHARE * iteration or best.each >= old.each or not fewer or not _moves(formula, best.term):
        return None
    if case.run is None and saved < _LEAST_SECONDS and context.works_unseen(case.loop):
        return None
    least = max(2, math.floor((best.once - old.once) / (old.each - best.each)) + 1)
    return _told(context, case, best.term, least, saved / iteration)


def _moves(formula: Formula, best: Term) -> bool:
    """Whether a term owes what it saves to what leaves the loop: a product does, or it needs fewer products."""
    anew = set(steady_parts(formula, best)) - set(steady_parts(formula, formula.term))
    if any(each.op == PRODUCT for part in anew for each in part.below()):
        return True
    return bool(anew) and varying_products(formula, best) < varying_products(formula, formula.term)


def _told(context: Context, case: _Case, best: Term, least: int, share: float) -> Finding:
    found, root, loop = case.found, case.root, case.loop
    writer = Writer(found.formula, found.flips, found.call, _flip(context, found))
    hoisted = _hoisted(context, found, best, writer)
    formula = writer.text(best)
    trips = context.trips(loop)
    conditions = [f"the loop runs at least {least} times"] if trips is None else []
    often = f"{context.usual_trips(loop) or _USUAL_TRIPS:,} iterations"
    given = " and ".join(f"`{each}`" for each in hoisted)
    message = (
        f"`{context.text(root.node)}` equals `{formula}` with {given} computed once before the loop of line "
        f"{loop.node.lineno}; over {often} that would save about {share:.0%} of the tensor work"
    )
    granted = tuple(dict.fromkeys(granted for each in case.alike for granted in each.granted if _uses(case, each)))
    data = {"formula": formula, "hoisted": hoisted, "least": least, "share": round(share, 3)}
    outline = context.program.outline
    return context.finding(
        Suggested(case.alike[0].pattern, case.alike[0].arguments[:2], granted), message, outline.location(root.node),
        related=[Related("what is computed once does not change in this loop", outline.head(loop.node))],
        conditions=conditions, fix=_fix(context, case, best, hoisted, writer), data=data,
    )  # fmt: skip


def _uses(case: _Case, suggested: Suggested) -> bool:
    return case.run is not None or suggested.arguments[2] in {each.name for each in case.found.places}


def _hoisted(context: Context, found: Reading, term: Term, writer: Writer) -> list[str]:
    """The assignments to put before the loop; the writer learns their names."""
    lines: list[str] = []
    taken: set[str] = set()
    for each in dict.fromkeys(steady_parts(found.formula, term)):
        line = writer.text(each)
        name = free_name(context, _named(found, each), taken)
        taken.add(name)
        writer.named[each] = name
        lines.append(f"{name} = {line}")
    return lines


def _named(found: Reading, term: Term) -> str:
    """A name for a part, made of those of its matrices: `D_X` for a product, `D_gram` for one with its transpose."""
    words = []
    for leaf, flipped in _leaves(term):
        text = found.formula.leaves[leaf].text
        word = text.rpartition(".")[2] if text.replace(".", "").isidentifier() else ""
        if not word:
            return "steady"
        words.append(word + ("_t" if flipped else ""))
    if len(words) == 2 and words[0].removesuffix("_t") == words[1].removesuffix("_t") and words[0] != words[1]:
        words = [words[0].removesuffix("_t"), "gram"]
    scaled = any(each.op == SCALED for each in term.below())
    return "_".join((*(["scaled"] if scaled else []), *words[:4]))


def _leaves(term: Term, flipped: bool = False) -> list[tuple[int, bool]]:
    if term.op == LEAF:
        return [(term.leaf, flipped)]
    turned = flipped ^ (term.op == FLIPPED)
    return [found for each in term.parts for found in _leaves(each, turned)]


def _flip(context: Context, found: Reading) -> Callable[[str], str]:
    """How the program writes the transpose of a matrix."""
    kinds = {seen.type for each in found.places if (seen := context.program.seen(each)) is not None}
    if any(each.startswith("tensorflow") for each in kinds):
        called = context.edits.reference("tensorflow.transpose") or "tf.transpose"
        return lambda text: f"{called}({text.removeprefix('(').removesuffix(')') if _whole(text) else text})"
    return lambda text: f"{text}.T"


def _whole(text: str) -> bool:
    """Whether one pair of parentheses holds a text."""
    return text.startswith("(") and isinstance(ast.parse(text).body[0], ast.Expr) and text.count("(") == 1


def _fix(context: Context, case: _Case, best: Term, hoisted: list[str], writer: Writer) -> Fix:
    found, root, loop = case.found, case.root, case.loop
    formula = writer.text(best)
    title = f"`{formula}`, and before the loop `{'; '.join(hoisted)}`"
    if context.program.outline.location(root.node).cell is not None:
        return Fix(title)
    if case.run is not None:
        edits = edits_of_run(context, case.run, loop, root, found, best, writer, hoisted)
        formula = writer.text(best)
    elif loop in root.loops:
        edits = _within(context, found, root, loop, hoisted)
    else:
        edits = passed_on(context, root.function, loop, hoisted)
    if edits is None:
        return Fix(title)
    inner = context.parents.get(root.node)
    text = formula if isinstance(inner, ast.stmt | ast.Call) else f"({formula})"
    gone = (taken_out(context, each) for each in found.dropped)
    return Fix(title, (*edits, context.edits.replaced(root.node, text), *gone), Applicability.UNSAFE, _ROUNDING)


def _within(
    context: Context, found: Reading, root: Expression, loop: Loop, hoisted: list[str]
) -> tuple[Edit, ...] | None:
    """The edits that compute assignments before a loop, with those of the loop that they need."""
    if not isinstance(loop.node, ast.For | ast.While) or not context.edits.begins_line(loop.node):
        return None
    moved: dict[ast.Assign, None] = {}
    varying = [each.varies for each in found.formula.leaves] + [each.varies for each in found.formula.scalars]
    for place, varies in zip(found.places, varying, strict=True):
        along = [] if varies else moved_along(context, place, loop)
        if along is None:
            return None
        moved |= dict.fromkeys(along)
    headers = [context.header(each) for each in withs(context, root.statement, loop)]
    stays = sorted((each for each in moved if each not in found.dropped), key=lambda each: each.lineno)
    work = [*(f"{context.edits.of(each)}{context.comment(each)}" for each in stays), *hoisted]
    return before(context, loop.node, wrapped(work, headers)), *(taken_out(context, each) for each in stays)
