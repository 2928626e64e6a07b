"""Whether claims about sizes can hold together: cheap decisions first, then Z3, which nothing else uses.

Division and remainder are those of Python. A division by zero has no value, so it proves nothing.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from math import inf
from time import monotonic
from typing import Any

from mlvet.domains.claims import Claim, Outcome, Relation, conflict, decide, extend, guess, guesses
from mlvet.domains.dims import Atom, Dim, Symbol, symbols
from mlvet.domains.mending import mended

MOST_SYMBOLS_MADE_SMALL = 24


class Status(Enum):
    """Whether some values of the symbols satisfy all claims."""

    SAT = "sat"
    UNSAT = "unsat"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Answer:
    """The result of a check: for UNSAT the origins of claims that cannot hold together and the outcomes they need,
    for SAT a value for each symbol.
    """

    status: Status
    core: tuple[Hashable, ...] = ()
    outcomes: tuple[Outcome, ...] = ()
    model: Mapping[str, int] = field(default_factory=dict)


@dataclass(slots=True)
class Statistics:
    """How the checks of a solver were decided."""

    claims: int = 0
    trivial: int = 0
    checks: int = 0
    without_z3: int = 0
    unknown: int = 0


class Solver:
    """A set of claims that grows and shrinks. `milliseconds` limits each check, its core and its model."""

    def __init__(self, *, milliseconds: int = 1000, preferred: Mapping[str, int] | None = None) -> None:
        self.milliseconds = milliseconds
        self.preferred = dict(preferred or {})
        self.statistics = Statistics()
        self._claims: list[Claim] = []
        self._marks: list[int] = []
        self._encoded: _Encoded | None = None
        self._last: tuple[dict[str, bool], dict[str, int], int] | None = None

    def equal(self, left: Dim, right: Dim, origin: Hashable, under: Iterable[Outcome] = ()) -> None:
        self.add(Claim(Relation.EQUAL, left, right, origin, tuple(under)))

    def differ(self, left: Dim, right: Dim, origin: Hashable, under: Iterable[Outcome] = ()) -> None:
        self.add(Claim(Relation.DIFFERENT, left, right, origin, tuple(under)))

    def at_least(self, left: Dim, right: Dim, origin: Hashable, under: Iterable[Outcome] = ()) -> None:
        self.add(Claim(Relation.AT_LEAST, left, right, origin, tuple(under)))

    def divisible(self, left: Dim, right: Dim, origin: Hashable, under: Iterable[Outcome] = ()) -> None:
        self.add(Claim(Relation.DIVISIBLE, left, right, origin, tuple(under)))

    def broadcast(self, left: Dim, right: Dim, origin: Hashable, under: Iterable[Outcome] = ()) -> None:
        self.add(Claim(Relation.BROADCAST, left, right, origin, tuple(under)))

    def add(self, claim: Claim) -> None:
        """Take in a claim; one that always holds is only counted."""
        self.statistics.claims += 1
        if decide(claim.relation, claim.left, claim.right) is True:
            self.statistics.trivial += 1
        else:
            self._claims.append(claim)

    def push(self) -> None:
        """Remember the claims there are."""
        self._marks.append(len(self._claims))

    def pop(self) -> None:
        """Forget the claims made since the last push."""
        del self._claims[self._marks.pop() :]
        if self._encoded is not None:
            self._encoded.keep(len(self._claims))
        if self._last is not None:
            assumed, model, count = self._last
            self._last = assumed, model, min(count, len(self._claims))

    def check(self, assumptions: Iterable[Outcome] = (), *, small: bool = True) -> Answer:
        """Whether all claims can hold when these branch outcomes do, with small values or just any.

        A claim under an outcome that is not assumed holds or not as the outcome does; one whose opposite is assumed is
        left out.
        """
        self.statistics.checks += 1
        assumed = dict(assumptions)
        answer = self._cheap(assumed, small)
        if answer is not None:
            self.statistics.without_z3 += 1
        else:
            answer = self._ask_z3(assumed, small)
            self.statistics.unknown += answer.status is Status.UNKNOWN
        if answer.status is Status.SAT:
            self._last = assumed, dict(answer.model), len(self._claims)
        return answer

    def _cheap(self, assumed: dict[str, bool], small: bool) -> Answer | None:
        if self._last is not None and self._last[0] == assumed:
            _, model, count = self._last
            new = _possible(self._claims[count:], assumed)
            if (longer := extend(new, model, self.preferred)) is not None:
                return Answer(Status.SAT, model=longer)
        claims = _possible(self._claims, assumed)
        active = [claim for claim in claims if all(name in assumed for name, _ in claim.under)]
        if (clash := conflict(active)) is not None:
            core = _without_spare([active[index] for index in clash], monotonic() + self.milliseconds / 1000)
            return Answer(Status.UNSAT, _origins(core), _outcomes(core))
        if (guessed := guess(claims, self.preferred)) is not None:
            return Answer(Status.SAT, model=guessed)
        if not small and (near := self._mended(claims)) is not None:
            return Answer(Status.SAT, model=near)
        return None

    def _mended(self, claims: Sequence[Claim]) -> dict[str, int] | None:
        """A model near one that other claims had, or near a guess."""
        first = next(guesses(claims, self.preferred), None)
        if first is None:
            return None
        if self._last is not None and (near := mended(claims, first | self._last[1])) is not None:
            return near
        return mended(claims, first)

    def _ask_z3(self, assumed: Mapping[str, bool], small: bool) -> Answer:
        if self._encoded is None:
            self._encoded = _Encoded()
        encoded = self._encoded
        encoded.take(self._claims)
        deadline = monotonic() + self.milliseconds / 1000
        literals = encoded.literals(assumed)
        status = encoded.run(literals, deadline)
        if status is Status.UNSAT:
            return self._core(encoded, assumed, deadline)
        if status is Status.SAT:
            model = self._small(encoded, literals, deadline) if small else encoded.model()
            return Answer(status, model=model)
        return Answer(status)

    def _core(self, encoded: _Encoded, assumed: Mapping[str, bool], deadline: float) -> Answer:
        indices = encoded.core_claims()
        for index in list(indices):
            rest = [other for other in indices if other != index]
            if encoded.run(encoded.literals(assumed, rest), deadline) is Status.UNSAT:
                found = set(encoded.core_claims())
                indices = [other for other in rest if other in found]
            if monotonic() > deadline:
                break
        core = [self._claims[index] for index in indices]
        return Answer(Status.UNSAT, _origins(core), tuple(out for out in _outcomes(core) if out[0] in assumed))

    def _small(self, encoded: _Encoded, literals: list[Any], deadline: float) -> dict[str, int]:
        """Values as preferred or as small as a few more checks make them."""
        model = encoded.model()
        fixed: list[Any] = []
        for name in sorted(model)[:MOST_SYMBOLS_MADE_SMALL]:
            for wanted in dict.fromkeys((self.preferred.get(name, 1), 1, 2)):
                if model[name] == wanted or monotonic() > deadline:
                    break
                if encoded.run([*literals, *fixed, encoded.fix(name, wanted)], deadline) is Status.SAT:
                    model = encoded.model()
                    break
            fixed.append(encoded.fix(name, model[name]))
        return model


class _Encoded:
    """Claims as formulas of Z3, each behind a literal that switches it on."""

    def __init__(self) -> None:
        import z3  # type: ignore[import-untyped]

        self.z3: Any = z3
        self.context = z3.Context()
        self.solver = z3.Solver(ctx=self.context)
        self.claims: list[tuple[Claim, Any]] = []
        self.bounded: list[frozenset[Symbol]] = []
        self.known: set[Symbol] = set()
        self.switches: dict[str, int] = {}

    def take(self, claims: Sequence[Claim]) -> None:
        """Add the claims that are new; each has a scope of its own, so that later ones can be dropped."""
        for claim in claims[len(self.claims) :]:
            self.solver.push()
            switch = self.z3.Bool(f"claim {len(self.claims)}", self.context)
            self.switches[str(switch)] = len(self.claims)
            conditions = [switch, *(self.outcome(outcome) for outcome in claim.under)]
            self.solver.add(self.z3.Implies(self.z3.And(*conditions), self.formula(claim)))
            fresh = (symbols(claim.left) | symbols(claim.right)) - self.known
            for found in fresh:
                if found.low > -inf:
                    self.solver.add(self.number(found) >= int(found.low))
                if found.high < inf:
                    self.solver.add(self.number(found) <= int(found.high))
            self.bounded.append(fresh)
            self.known |= fresh
            self.claims.append((claim, switch))

    def keep(self, count: int) -> None:
        """Drop all claims but the first."""
        if len(self.claims) > count:
            self.solver.pop(len(self.claims) - count)
            self.known.difference_update(*self.bounded[count:])
            del self.claims[count:]
            del self.bounded[count:]

    def literals(self, assumed: Mapping[str, bool], chosen: Iterable[int] | None = None) -> list[Any]:
        switches = [switch for _, switch in self.claims] if chosen is None else [self.claims[i][1] for i in chosen]
        mentioned = {name for claim, _ in self.claims for name, _ in claim.under}
        return switches + [self.outcome((name, holds)) for name, holds in assumed.items() if name in mentioned]

    def run(self, literals: Sequence[Any], deadline: float) -> Status:
        left = int((deadline - monotonic()) * 1000)
        if left <= 0:
            return Status.UNKNOWN
        self.solver.set("timeout", left)
        return Status(str(self.solver.check(*literals)))

    def core_claims(self) -> list[int]:
        names = (str(literal) for literal in self.solver.unsat_core())
        return sorted(self.switches[name] for name in names if name in self.switches)

    def model(self) -> dict[str, int]:
        found = self.solver.model()
        names = {entry.name: entry for claim, _ in self.claims for entry in symbols(claim.left) | symbols(claim.right)}
        return {name: found.eval(self.number(entry), model_completion=True).as_long() for name, entry in names.items()}

    def fix(self, name: str, value: int) -> Any:
        """A literal that gives a symbol a value."""
        literal = self.z3.Bool(f"fix {name} {value}", self.context)
        self.solver.add(self.z3.Implies(literal, self.z3.Int(f"size {name}", self.context) == value))
        return literal

    def outcome(self, outcome: Outcome) -> Any:
        name, holds = outcome
        literal = self.z3.Bool(f"if {name}", self.context)
        return literal if holds else self.z3.Not(literal)

    def formula(self, claim: Claim) -> Any:
        left, right = self.term(claim.left), self.term(claim.right)
        match claim.relation:
            case Relation.EQUAL:
                return left == right
            case Relation.DIFFERENT:
                return left != right
            case Relation.AT_LEAST:
                return left >= right
            case Relation.DIVISIBLE:
                return self.z3.Or(right == 0, self.remainder(left, claim.right, right) == 0)
            case Relation.BROADCAST:
                return self.z3.Or(left == right, left == 1, right == 1)

    def term(self, dim: Dim) -> Any:
        if isinstance(dim, int):
            return self.z3.IntVal(dim, self.context)
        total: Any = None
        for monomial, count in dim.terms:
            term: Any = None
            for atom in monomial:
                factor = self.atom(atom)
                term = factor if term is None else term * factor
            term = self.z3.IntVal(count, self.context) if term is None else term if count == 1 else count * term
            total = term if total is None else total + term
        return total

    def atom(self, atom: Atom) -> Any:
        if isinstance(atom, Symbol):
            return self.number(atom)
        left, right = self.term(atom.left), self.term(atom.right)
        match atom.function:
            case "max":
                return self.z3.If(left >= right, left, right)
            case "min":
                return self.z3.If(left <= right, left, right)
            case "//":
                return self.quotient(left, atom.right, right)
            case _:
                return self.remainder(left, atom.right, right)

    def quotient(self, left: Any, divisor: Dim, right: Any) -> Any:
        """Z3 rounds a quotient so that the remainder is not negative, which is down only for divisors above 0."""
        if isinstance(divisor, int) and divisor != 0:
            return left / right if divisor > 0 else (-left) / (-right)
        return self.z3.If(right > 0, left / right, (-left) / (-right))

    def remainder(self, left: Any, divisor: Dim, right: Any) -> Any:
        if isinstance(divisor, int) and divisor > 0:
            return left % right
        return self.z3.If(right > 0, left % right, -((-left) % (-right)))

    def number(self, found: Symbol) -> Any:
        return self.z3.Int(f"size {found.name}", self.context)


def _possible(claims: Iterable[Claim], assumed: Mapping[str, bool]) -> list[Claim]:
    """The claims that no assumption switches off."""
    return [claim for claim in claims if all(assumed.get(name, holds) == holds for name, holds in claim.under)]


def _without_spare(claims: list[Claim], deadline: float) -> list[Claim]:
    """Claims without those that a conflict does not need, as far as time allows."""
    kept = claims
    for claim in claims:
        if monotonic() > deadline:
            break
        rest = [other for other in kept if other is not claim]
        if len(rest) < len(kept) and (clash := conflict(rest)) is not None:
            kept = [rest[index] for index in clash]
    return kept


def _origins(claims: Iterable[Claim]) -> tuple[Hashable, ...]:
    return tuple(dict.fromkeys(claim.origin for claim in claims))


def _outcomes(claims: Iterable[Claim]) -> tuple[Outcome, ...]:
    return tuple(dict.fromkeys(outcome for claim in claims for outcome in claim.under))
