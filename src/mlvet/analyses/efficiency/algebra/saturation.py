"""Equal terms by equality saturation with egglog: of all that the laws of matrix algebra reach, the cheapest.

egglog is an extra. Its engine is loaded without the rest of its package, which takes seconds to import.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from mlvet.analyses.efficiency.algebra.terms import LEAF, SCALED, Formula, Priced, Term, combined, priced

_ROUNDS = 6
_MOST_PARTS = 24
_LAWS = """
(datatype T (Leaf i64) (Mul T T) (Add T T) (Sub T T) (Scale i64 T) (Tr T))
(birewrite (Mul a (Add b c)) (Add (Mul a b) (Mul a c)))
(birewrite (Mul a (Sub b c)) (Sub (Mul a b) (Mul a c)))
(birewrite (Mul (Add a b) c) (Add (Mul a c) (Mul b c)))
(birewrite (Mul (Sub a b) c) (Sub (Mul a c) (Mul b c)))
(birewrite (Mul (Mul a b) c) (Mul a (Mul b c)))
(birewrite (Tr (Mul a b)) (Mul (Tr b) (Tr a)))
(birewrite (Tr (Add a b)) (Add (Tr a) (Tr b)))
(birewrite (Tr (Sub a b)) (Sub (Tr a) (Tr b)))
(rewrite (Tr (Tr a)) a)
(birewrite (Tr (Scale s a)) (Scale s (Tr a)))
(birewrite (Mul (Scale s a) b) (Scale s (Mul a b)))
(birewrite (Mul a (Scale s b)) (Scale s (Mul a b)))
(birewrite (Scale s (Add a b)) (Add (Scale s a) (Scale s b)))
(birewrite (Scale s (Sub a b)) (Sub (Scale s a) (Scale s b)))
(rewrite (Scale s (Scale r a)) (Scale r (Scale s a)))
"""


def available() -> bool:
    """Whether the extra is installed."""
    return _engine() is not None


@cache
def _engine() -> Any:
    """The engine of egglog, None if it is not installed."""
    import importlib.util
    from importlib.machinery import EXTENSION_SUFFIXES, ExtensionFileLoader
    from pathlib import Path

    package = importlib.util.find_spec("egglog")
    for folder in (package.submodule_search_locations or []) if package is not None else []:
        for suffix in EXTENSION_SUFFIXES:
            path = Path(folder, f"bindings{suffix}")
            if path.exists():
                loader = ExtensionFileLoader("egglog.bindings", str(path))
                spec = importlib.util.spec_from_file_location("egglog.bindings", path, loader=loader)
                assert spec is not None
                module = importlib.util.module_from_spec(spec)
                loader.exec_module(module)
                return module
    return None


def cheapest(formula: Formula, trips: int) -> Priced | None:
    """The cheapest term that is equal to a formula's, if a loop runs so often; None if egglog is not there."""
    engine = _engine()
    if engine is None or sum(1 for _ in formula.term.below()) > _MOST_PARTS:
        return None
    graph = engine.EGraph()
    program = f"{_LAWS}(let $wanted {_written(formula.term)})\n(run {_ROUNDS})"
    graph.run_program(*graph.parse_program(program))
    model = _model(engine, graph, formula, trips)
    extractor = engine.Extractor(["T"], graph, model)
    _, value = graph.eval_expr(graph.parse_program("(let $again $wanted)")[0].action.rhs)
    best, _ = extractor.extract_best(graph, engine.TermDag(), value, "T")
    return priced(formula, best.priced.term)


def _written(term: Term) -> str:
    if term.op == LEAF:
        return f"(Leaf {term.leaf})"
    first = f"{term.scalar} " if term.op == SCALED else ""
    return f"({term.op} {first}{' '.join(map(_written, term.parts))})"


class _Bid:
    """A price that the extractor compares: seconds of an iteration, then the number of operators."""

    __slots__ = ("number", "priced", "weight")

    def __init__(self, weight: float, size: int, found: Priced | None, number: int = 0) -> None:
        self.weight = (weight, size)
        self.priced = found
        self.number = number

    def __lt__(self, other: _Bid) -> bool:
        return self.weight < other.weight

    def __gt__(self, other: _Bid) -> bool:
        return self.weight > other.weight

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Bid) and self.weight == other.weight

    def __hash__(self) -> int:
        return hash(self.weight)


def _model(engine: Any, graph: Any, formula: Formula, trips: int) -> Any:
    def fold(op: str, _: int, parts: list[_Bid]) -> _Bid:
        size = 1 + sum(each.weight[1] for each in parts)
        if op == LEAF:
            term = Term(LEAF, leaf=parts[0].number)
        elif op == SCALED:
            term = Term(SCALED, (_term(parts[1]),), scalar=parts[0].number)
        else:
            term = Term(op, tuple(map(_term, parts)))
        found = combined(formula, term, [each.priced for each in parts if each.priced is not None])
        return _Bid(found.per_iteration(trips), size, found)

    def number(_: str, value: Any) -> _Bid:
        return _Bid(0.0, 0, None, graph.value_to_i64(value))

    return engine.CostModel(fold, lambda *_: 0, lambda *_: None, number)


def _term(bid: _Bid) -> Term:
    assert bid.priced is not None
    return bid.priced.term
