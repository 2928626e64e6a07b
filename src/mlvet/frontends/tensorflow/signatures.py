"""The results of TensorFlow's own operators: their names, how many there are, and of which element type.

`operators.txt` has a line per operator: its name, `!` if it has state, then `result=type`. A type is a number, the
name of an attribute (`T`, or `T?3` with a default), `N*T` for as many as attribute N says, `@Tout` for a list of types.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from mlvet.core.errors import UnsupportedInput
from mlvet.frontends.tensorflow.attributes import Attributes

MOST_RESULTS = 100_000


@dataclass(frozen=True, slots=True)
class Result:
    """One named result of an operator, which may stand for several tensors."""

    name: str
    type: str


@dataclass(frozen=True, slots=True)
class Signature:
    """The results of one operator."""

    results: tuple[Result, ...]
    stateful: bool = False

    def types(self, attributes: Attributes) -> list[tuple[str, int]]:
        """The name and the number of the element type of every tensor that one application yields, in order."""
        found: list[tuple[str, int]] = []
        for result in self.results:
            numbers = _numbers(result.type, attributes)
            if len(found) + len(numbers) > MOST_RESULTS:
                raise UnsupportedInput(f"an operator claims more than {MOST_RESULTS} results")
            found += [(result.name, number) for number in numbers]
        return found


@cache
def _parts(type: str) -> tuple[str, str, int | None, int]:
    """The attribute with the count, the attribute with the type, the type if it is fixed, the default."""
    count, _, single = type.rpartition("*")
    name, _, default = single.partition("?")
    return count, name, int(name) if name.isdigit() else None, int(default or 0)


def _numbers(type: str, attributes: Attributes) -> Sequence[int]:
    if type.startswith("@"):
        return attributes.types(type[1:])
    count, name, fixed, default = _parts(type)
    number = fixed if fixed is not None else attributes.type(name, default)
    if not count:
        return (number,)
    repeated = attributes.int(count, 1)
    if repeated > MOST_RESULTS:
        raise UnsupportedInput(f"an operator claims {repeated} results")
    return [number] * max(repeated, 0)


@cache
def table() -> dict[str, Signature]:
    """Every operator by name."""
    text = (files(__package__) / "operators.txt").read_text(encoding="utf-8")
    signatures = {}
    for line in text.splitlines():
        name, *results = line.split()
        parts = [result.partition("=") for result in results]
        signatures[name.rstrip("!")] = Signature(
            tuple(Result(result, type) for result, _, type in parts), name.endswith("!")
        )
    return signatures
