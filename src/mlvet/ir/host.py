"""What the host program was seen to do at its expressions while it was followed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from mlvet.domains.tensors import Tensor

Span = tuple[str, int, int, int, int]
"""Path, line, column, end line, end column; lines from 1 and columns from 0 in bytes, as in Python's trees."""


@dataclass(frozen=True, slots=True)
class Seen:
    """The value of an expression as far as it is known: `kind` is one of tensor, number, text, list, dict, tuple,
    function, object, none and unknown.

    `type` is the dotted name of a library class, or the name of one of the program's own; `tensor` and `device` are of
    tensors; `number` and `text` are the value of a number or text that is the same each time. `length` is how many
    items a list has where that is known, and `item` what they are like.
    """

    kind: str
    type: str = ""
    tensor: Tensor | None = None
    device: str = ""
    number: int | float | bool | None = None
    text: str | None = None
    length: int | None = None
    item: Seen | None = None


@dataclass(frozen=True, slots=True)
class CallSite:
    """A call of the program as it was followed.

    `names` are the dotted names of what it calls in libraries, the most usual first; `enters` are the functions of the
    program that it enters, by the place of their definition. It is `dark` where what it calls is not known. `trains`
    says that gradients are recorded there.
    """

    names: tuple[str, ...] = ()
    enters: tuple[Span, ...] = ()
    dark: bool = False
    trains: bool = True
    uncalled: bool = False


@dataclass(frozen=True, slots=True)
class Host:
    """The host side of a program: what its expressions are and what its calls call, by place."""

    seen: Mapping[Span, Seen] = field(default_factory=dict)
    calls: Mapping[Span, CallSite] = field(default_factory=dict)
