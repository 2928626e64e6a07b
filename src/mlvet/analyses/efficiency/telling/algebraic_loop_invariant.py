"""A formula of a loop that is equal to a cheaper one, of which a part can be computed before the loop."""

from __future__ import annotations

import ast
import math
from collections.abc import Callable

from mlvet.analyses.efficiency.algebra.reading import Reading, reading
from mlvet.analyses.efficiency.algebra.saturation import cheapest
from mlvet.analyses.efficiency.algebra.terms import FLIPPED, LEAF, SCALED, Priced, Term, priced, products, steady_parts
from mlvet.analyses.efficiency.algebra.writing import Writer
from mlvet.analyses.efficiency.host.outline import Expression, Loop
from mlvet.analyses.efficiency.reasoning.solving import Suggested
from mlvet.analyses.efficiency.telling.context import Context
from mlvet.analyses.efficiency.telling.hoisting import before, free_name, moved_along, taken_out, withs, wrapped
from mlvet.analyses.efficiency.telling.meaning import repeatable, wants_gradients
from mlvet.analyses.efficiency.telling.passing import passed_on
from mlvet.core.evidence import Related
from mlvet.core.finding import Finding
from mlvet.core.fix import Applicability, Edit, Fix

_LEAST_SHARE = 0.05
"""The part of an iteration that the rewriting must save for it to be felt."""
_USUAL_TRIPS = 10
"""How often a loop is taken to run if nobody knows."""
_ROUNDING = "floating-point sums are rounded in another order"


def tell(context: Context, suggested: Suggested) -> Finding | None:
    """The suggestion to rewrite a formula; the rules name its steady operands one by one, the first tells for all."""
    alike = [each for each in context.suggested if (each.pattern, *each.arguments[:2]) == _about(suggested)]
    if suggested is not alike[0]:
        return None
    root = context.expressions[str(suggested.arguments[0])]
    loop = context.loops[str(suggested.arguments[1])]
    found = reading(context, root, loop, frozenset(str(each.arguments[2]) for each in alike))
    if found is None or (context.trains(loop) and wants_gradients(context, root)):
        return None
    if not all(repeatable(item.context_expr) for each in withs(context, root.statement, loop) for item in each.items):
        return None
    trips = context.trips(loop)
    best = cheapest(found.formula, _USUAL_TRIPS if trips is None else max(1, trips))
    if best is None:
        return None
    old = priced(found.formula, found.formula.term)
    saved = _saved(old, best, _USUAL_TRIPS if trips is None else trips)
    iteration = max(context.cost_of_iteration(loop).seconds, old.each)
    anew = set(steady_parts(found.formula, best.term)) - set(steady_parts(found.formula, found.formula.term))
    fewer = products(found.formula, best.term) < (1 - _LEAST_SHARE) * products(found.formula, found.formula.term)
    if saved / iteration < _LEAST_SHARE or best.each >= old.each or not anew or not fewer:
        return None
    return _told(context, suggested, alike, found, root, loop, old, best, saved / iteration)


def _about(suggested: Suggested) -> tuple[str | int, ...]:
    return suggested.pattern, *suggested.arguments[:2]


def _saved(old: Priced, new: Priced, trips: int) -> float:
    """Seconds that an iteration takes less on average."""
    return old.per_iteration(trips) - new.per_iteration(trips) if trips else 0.0


def _told(
    context: Context, suggested: Suggested, alike: list[Suggested], found: Reading, root: Expression, loop: Loop,
    old: Priced, best: Priced, share: float,
) -> Finding:  # fmt: skip
    writer = Writer(found.formula, found.flips, found.call, _flip(context, found))
    hoisted = _hoisted(context, found, best.term, writer)
    formula = writer.text(best.term)
    trips = context.trips(loop)
    least = math.floor((best.once - old.once) / (old.each - best.each)) + 1
    conditions = [f"the loop runs at least {max(2, least)} times"] if trips is None else []
    often = f"{trips:,} iterations" if trips is not None else f"{_USUAL_TRIPS} iterations"
    given = " and ".join(f"`{each}`" for each in hoisted)
    message = (
        f"`{context.text(root.node)}` equals `{formula}` with {given} computed once before the loop of line "
        f"{loop.node.lineno}; over {often} that would save about {share:.0%} of the tensor work"
    )
    granted = tuple(dict.fromkeys(case for each in alike for case in each.granted if _uses(found, each)))
    data = {"formula": formula, "hoisted": hoisted, "least": max(2, least), "share": round(share, 3)}
    outline = context.program.outline
    return context.finding(
        Suggested(suggested.pattern, suggested.arguments[:2], granted), message, outline.location(root.node),
        related=[Related("what is computed once does not change in this loop", outline.head(loop.node))],
        conditions=conditions, fix=_fix(context, found, root, loop, hoisted, formula), data=data,
    )  # fmt: skip


def _uses(found: Reading, suggested: Suggested) -> bool:
    return suggested.arguments[2] in {each.name for each in found.places}


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


def _fix(context: Context, found: Reading, root: Expression, loop: Loop, hoisted: list[str], formula: str) -> Fix:
    title = f"`{formula}`, and before the loop `{'; '.join(hoisted)}`"
    if context.program.outline.location(root.node).cell is not None:
        return Fix(title)
    if loop in root.loops:
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
