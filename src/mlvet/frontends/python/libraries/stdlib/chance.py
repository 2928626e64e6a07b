"""random: what chance decides, within the bounds that the call names."""

from __future__ import annotations

from math import inf
from typing import Any

from mlvet.domains.dims import Expr, bounds
from mlvet.frontends.python.active import machine
from mlvet.frontends.python.libraries.builtins.elements import alike, count, integer
from mlvet.frontends.python.libraries.registry import model
from mlvet.frontends.python.libraries.stdlib.typed import data, effects, nothing, number, text, typed, whole
from mlvet.frontends.python.values.containers import ListValue, Repeated
from mlvet.frontends.python.values.objects import Object
from mlvet.frontends.python.values.raising import Raised

FLOATS = (
    "random", "uniform", "gauss", "normalvariate", "triangular", "betavariate", "expovariate", "gammavariate",
    "lognormvariate", "paretovariate", "vonmisesvariate", "weibullvariate",
)  # fmt: skip
typed("random", dict.fromkeys(FLOATS, number))
typed("random", {"getrandbits": whole("bits"), "getstate": nothing, "randbytes": data})
effects("random", ("seed", "setstate"))


def _low(value: Any) -> float:
    return bounds(value)[0] if isinstance(value, int | Expr) else -inf


def _high(value: Any) -> float:
    return bounds(value)[1] if isinstance(value, int | Expr) else inf


@model("random.randint")
def randint(a: Any, b: Any) -> Any:
    if isinstance(a, int) and isinstance(b, int) and a > b:
        raise Raised(ValueError(f"empty range in randint({a}, {b})"))
    return a if isinstance(a, int) and a == b else integer("chosen", _low(a), _high(b))


@model("random.randrange")
def randrange(start: Any, stop: Any = None, step: Any = 1) -> Any:
    del step
    low, high = (0, start) if stop is None else (start, stop)
    return integer("chosen", _low(low), _high(high) - 1)


@model("random.choice")
def choice(seq: Any) -> Any:
    items = machine().items(seq)
    if isinstance(items, tuple) and not items:
        raise Raised(IndexError("Cannot choose from an empty sequence"))
    return alike(items)


@model("random.choices")
def choices(population: Any, weights: Any = None, *, cum_weights: Any = None, k: Any = 1) -> Any:
    del weights, cum_weights
    return _drawn(population, k)


@model("random.sample")
def sample(population: Any, k: Any, *, counts: Any = None) -> Any:
    items = machine().items(population)
    if counts is None and isinstance(k, int) and isinstance(items, tuple) and not 0 <= k <= len(items):
        raise Raised(ValueError("Sample larger than population or is negative"))
    return _drawn(population, k)


def _drawn(population: Any, k: Any) -> ListValue:
    element = alike(machine().items(population))
    if isinstance(k, int):
        return ListValue((element,) * k if k <= machine().limits.unrolled else Repeated(element, k))
    return ListValue(Repeated(element, k if isinstance(k, Expr) else integer("drawn")))


@model("random.shuffle")
def shuffle(x: Any, /) -> None:
    if isinstance(x, ListValue) and isinstance(x.items, tuple) and len(x.items) > 1:
        x.items = (alike(x.items),) * count(x.items)  # type: ignore[operator]


@model("random.Random", "random.SystemRandom")
class Random(Object):
    """A generator of its own: its methods are the functions of the module."""

    __slots__ = ()

    def __init__(self, x: Any = None) -> None: ...

    def missing(self, name: str) -> Any:
        from mlvet.frontends.python.libraries.registry import find

        return find(f"random.{name}")


typed("secrets", {"token_hex": text, "token_bytes": data, "randbelow": whole("chosen")})
model("secrets.choice")(choice)
