"""Calls of libraries as a program makes them, as plain data: enough to make the same call again on other tensors."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from mlvet.domains.tensors import Tensor


class NotRepeatable(Exception):
    """A call, or an argument of it, is not known well enough to be made again."""


@dataclass(frozen=True, slots=True)
class TensorArgument:
    """A tensor in the place of an argument: whose it is, such as `torch.Tensor`, and what is known of it."""

    kind: str
    tensor: Tensor


@dataclass(frozen=True, slots=True)
class Named:
    """A function, class or constant of a library in the place of an argument, by the names it has there."""

    names: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ElementType:
    """An element type in the place of an argument."""

    name: str


@dataclass(frozen=True, slots=True)
class Arguments:
    """What a call is given. Lists and dictionaries stand for themselves, as do numbers, strings, slices and sizes."""

    positional: tuple[Any, ...] = ()
    named: tuple[tuple[str, Any], ...] = ()


@dataclass(frozen=True, slots=True)
class Made:
    """An object that a class of a library made: a layer, a loss.

    `first` is what it was called on before, if it was; layers that are built then keep the sizes they saw. `state` has
    the tensors that are its attributes.
    """

    names: tuple[str, ...]
    given: Arguments
    first: Arguments | None = None
    state: tuple[tuple[str, Tensor], ...] = ()


@dataclass(frozen=True, slots=True)
class LibraryCall:
    """A call of a function by its names in the library, or of a `method` of the first argument."""

    names: tuple[str, ...]
    method: str
    given: Arguments
