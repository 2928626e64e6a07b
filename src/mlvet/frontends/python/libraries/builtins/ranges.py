"""Ranges with a bound that is not known."""

from __future__ import annotations

from typing import Any

from mlvet.domains.dims import Dim, at_least, bounds, ceil_div, maximum
from mlvet.frontends.python.libraries.binding import Size
from mlvet.frontends.python.libraries.builtins.elements import integer
from mlvet.frontends.python.values.containers import Repeated
from mlvet.frontends.python.values.objects import Object
from mlvet.frontends.python.values.raising import Raised


class RangeValue(Object):
    """range(start, stop, step) of which a part is symbolic."""

    __slots__ = ()
    native = range
    start: Dim
    stop: Dim
    step: Dim

    def __init__(self, start: Dim, stop: Dim, step: Dim) -> None:
        self.cells.update(start=start, stop=stop, step=step)

    def length(self) -> Dim:
        span = self.stop - self.start
        step = self.step
        if isinstance(step, int) and step < 0:
            span, step = -span, -step
        return maximum(ceil_div(span, step) if step != 1 else span, 0)

    def iterate(self) -> Repeated:
        falls = isinstance(self.step, int) and self.step < 0
        low, high = (self.stop + 1, self.start) if falls else (self.start, self.stop - 1)
        return Repeated(integer("i", bounds(low)[0], bounds(high)[1]), self.length())

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return self._part(index)
        if isinstance(index, int):
            return self.start + index * self.step if index >= 0 else self.start + (self.length() + index) * self.step
        return self.iterate().element

    def _part(self, index: slice) -> Any:
        if index.step is None and (index.start is None or at_least(index.start, 0)) and index.stop is None:
            return made(self.start + (index.start or 0) * self.step, self.stop, self.step)
        return made(integer("start"), integer("stop"), self.step)


def made(start: Dim, stop: Dim, step: Dim) -> range | RangeValue:
    """Python's own range if all bounds are known."""
    if isinstance(start, int) and isinstance(stop, int) and isinstance(step, int):
        if step == 0:
            raise Raised(ValueError("range() arg 3 must not be zero"))
        return range(start, stop, step)
    return RangeValue(start, stop, step)


def of(start: Size, stop: Size | None = None, step: Size = 1, /) -> Any:
    return made(0, start, step) if stop is None else made(start, stop, step)
