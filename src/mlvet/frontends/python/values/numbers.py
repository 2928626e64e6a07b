"""Python scalars of which only the type is known."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from mlvet.core.location import Location
from mlvet.domains.dims import Expr


class OpenSize(Expr):
    """A size that a graph leaves to its runs, so that the program sees None; what it will be has a name here."""

    __slots__ = ()


@dataclass(frozen=True, slots=True, eq=False)
class Scalar:
    """A Python scalar whose type alone is known: a string, float or truth value that a user sets or data decides.

    `default` is what it is unless the user says otherwise, `choices` what it may be if that is limited. A truth value
    is of one `condition`, by which branches on it are told apart. One that is `mixed` is one of several that met; on
    which path it is which is forgotten, so that other outcomes may settle what is asked of it.
    """

    kind: type
    name: str = ""
    default: Any = None
    has_default: bool = False
    choices: tuple[Any, ...] | None = None
    condition: str = ""
    location: Location | None = None
    mixed: bool = False

    def __repr__(self) -> str:
        default = f"={self.default!r}" if self.has_default else ""
        return f"<{self.kind.__name__} {self.name}{default}>"
