"""Draws of NumPy's generators whose distribution hangs on inputs: the same draw, moved and stretched with them."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any

import numpy

from mlvet.runtime.provenance.array_values import split, with_places
from mlvet.runtime.provenance.arrays_functions import plain
from mlvet.runtime.provenance.breaks import broken
from mlvet.runtime.provenance.plain_numpy import np
from mlvet.runtime.provenance.ufuncs import wide, write

Partials = Callable[..., tuple[Any, ...]]


def _moved(draw: Any, loc: Any, scale: Any) -> tuple[Any, Any]:
    return 1.0, (draw - loc) / scale


def _between(draw: Any, low: Any, high: Any) -> tuple[Any, Any]:
    part = (draw - low) / (high - low)
    return 1.0 - part, part


def _stretched(draw: Any, scale: Any) -> tuple[Any]:
    return (draw / scale,)


def _stretched_shape(draw: Any, shape: Any, scale: Any) -> tuple[Any, Any]:
    del shape
    return 0.0, draw / scale


def _exponent(draw: Any, mean: Any, sigma: Any) -> tuple[Any, Any]:
    return draw, draw * (np.log(draw) - mean) / sigma


_SMOOTH: dict[str, tuple[tuple[str, ...], tuple[float, ...], Partials]] = {
    "normal": (("loc", "scale"), (0.0, 1.0), _moved),
    "laplace": (("loc", "scale"), (0.0, 1.0), _moved),
    "logistic": (("loc", "scale"), (0.0, 1.0), _moved),
    "gumbel": (("loc", "scale"), (0.0, 1.0), _moved),
    "uniform": (("low", "high"), (0.0, 1.0), _between),
    "exponential": (("scale",), (1.0,), _stretched),
    "rayleigh": (("scale",), (1.0,), _stretched),
    "lognormal": (("mean", "sigma"), (0.0, 1.0), _exponent),
    "gamma": (("shape", "scale"), (math.nan, 1.0), _stretched_shape),
}
"""By name: the parameters, what they are when not given, and the partial derivatives of a draw by them."""
_SHAPES = frozenset((("gamma", "shape"),))
"""Parameters among them by which there is no derivative here."""
_JUMPING = "beta dirichlet poisson binomial geometric multinomial multivariate_normal standard_gamma choice".split()
"""Draws that hang on their parameters in other ways."""


def followed(real: Any, name: str) -> Any:
    """A drawing function, of a generator or of the module."""
    if name in _SMOOTH:
        return _smooth(real, name, *_SMOOTH[name])
    return _told(real, name) if name in _JUMPING else real


def _smooth(real: Any, called: str, names: tuple[str, ...], usual: tuple[float, ...], partials: Partials) -> Any:
    @functools.wraps(real)
    def draw(*given: Any, **named: Any) -> Any:
        values = [given[at] if at < len(given) else named.get(name, usual[at]) for at, name in enumerate(names)]
        places = [split(each)[1] for each in values]
        if all(each is None for each in places):
            return real(*given, **named)
        if any(each is not None and (called, name) in _SHAPES for each, name in zip(places, names, strict=True)):
            broken(f"numpy.random {called}")
        drawn = real(*map(plain, given), **{name: plain(each) for name, each in named.items()})
        with np.errstate(all="ignore"):
            by = partials(wide(drawn), *(wide(plain(each)) for each in values))
        found = write(np.shape(drawn), list(zip(places, by, strict=True)))
        return with_places(np.asarray(drawn), found)[()] if np.ndim(drawn) == 0 else with_places(drawn, found)

    return draw


def _told(real: Any, name: str) -> Any:
    @functools.wraps(real)
    def draw(*given: Any, **named: Any) -> Any:
        chances = [named.get("p")] if name == "choice" else [*given, *named.values()]
        if any(split(each)[1] is not None for each in chances):
            broken(f"numpy.random {name}")
        if name == "choice":
            return real(*given, **named)
        return real(*map(plain, given), **{key: plain(each) for key, each in named.items()})

    return draw


class Generator(numpy.random.Generator):
    """NumPy's generator with the same stream, whose draws carry places."""

    __module__ = "numpy.random"

    def __repr__(self) -> str:
        return f"Generator({type(self.bit_generator).__name__}) at 0x{id(self):X}"

    def __str__(self) -> str:
        return f"Generator({type(self.bit_generator).__name__})"

    def __reduce__(self) -> Any:
        return numpy.random.Generator(self.bit_generator).__reduce__()


def _method(name: str) -> Any:
    real = getattr(numpy.random.Generator, name)

    @functools.wraps(real)
    def method(self: Any, *given: Any, **named: Any) -> Any:
        return followed(functools.partial(real, self), name)(*given, **named)

    return method


for _name in (*_SMOOTH, *_JUMPING):
    setattr(Generator, _name, _method(_name))


def made(real: Any) -> Any:
    """`default_rng`, which gives such generators."""

    @functools.wraps(real)
    def default_rng(*given: Any, **named: Any) -> Any:
        found = real(*given, **named)
        return Generator(found.bit_generator) if type(found) is numpy.random.Generator else found

    return default_rng
