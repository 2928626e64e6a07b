"""Patterns such as `b (h w) c -> b h w c`: their parts, and the sizes that a tensor gives them."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from mlvet.domains.dims import Dim, floor_div, product
from mlvet.frontends.python.active import machine
from mlvet.frontends.python.arrays.operators import assumed
from mlvet.frontends.python.libraries.binding import as_size
from mlvet.frontends.python.values.raising import Raised
from mlvet.frontends.python.values.tensors import TensorValue, dims_of, tensor_of
from mlvet.frontends.python.values.unknown import Reason, Undecided
from mlvet.ops.require import Require

DOTS = "..."
TOGETHER = "(...)"
"""Dots in brackets: the dims that they stand for as one."""
Group = tuple[str, ...]
"""The axes that make up one dim; none for a dim of size 1."""


@dataclass(frozen=True, slots=True)
class Pattern:
    """The two sides of a pattern, each a dim after the other."""

    left: tuple[Group, ...]
    right: tuple[Group, ...]


def parsed(pattern: str) -> Pattern:
    """The pattern taken apart; one that einops refuses raises what einops would."""
    sides = pattern.split("->")
    if len(sides) != 2:
        raise Raised(ValueError(f"a pattern has one arrow: {pattern!r}"))
    left, right = (side_of(side) for side in sides)
    for side in (left, right):
        names = [axis for axis in flat(side) if not axis.isdigit()]
        if len(set(names)) != len(names):
            raise Raised(ValueError(f"an axis comes twice in {pattern!r}"))
    return Pattern(left, right)


def side_of(text: str) -> tuple[Group, ...]:
    """The dims of one side."""
    found: list[Group] = []
    group: list[str] | None = None
    for token in re.findall(r"\.\.\.|\(|\)|[^\s().]+", text.replace("\N{HORIZONTAL ELLIPSIS}", DOTS)):
        if token == "(":
            if group is not None:
                raise Raised(ValueError(f"brackets within brackets: {text!r}"))
            group = []
        elif token == ")":
            if group is None:
                raise Raised(ValueError(f"a bracket is closed that was not opened: {text!r}"))
            found.append(tuple(axis for axis in group if axis != "1"))
            group = None
        elif group is not None:
            group.append(TOGETHER if token == DOTS else token)
        else:
            found.append(() if token == "1" else (token,))
    if group is not None:
        raise Raised(ValueError(f"a bracket is not closed: {text!r}"))
    return tuple(found)


def expanded(pattern: Pattern, rank: int) -> Pattern:
    """The pattern with as many axes for `...` as the tensor leaves for it, called by their places."""
    plain = sum(1 for group in pattern.left if group != (DOTS,))
    dotted = DOTS in flat(pattern.left)
    missing = rank - plain
    if missing < 0 or (missing and not dotted):
        raise Raised(ValueError(f"the pattern has {plain} dims, the tensor has {rank}"))
    if any(TOGETHER in group for group in pattern.left):
        raise Undecided(Reason.UNMODELLED_ARGUMENTS, "dots in brackets on the left")
    rest = tuple(f"{DOTS}{n}" for n in range(missing))

    def spread(side: Sequence[Group]) -> tuple[Group, ...]:
        found: list[Group] = []
        for group in side:
            if group == (DOTS,):
                found += [(axis,) for axis in rest]
            else:
                parts: list[str] = []
                for axis in group:
                    parts += rest if axis == TOGETHER else [axis]
                found.append(tuple(parts))
        return tuple(found)

    return Pattern(spread(pattern.left), spread(pattern.right))


def ranked(x: TensorValue, pattern: Pattern) -> Any:
    """A tensor of unknown rank has the rank that the pattern says, if it has no dots."""
    if dims_of(x) is not None:
        return x
    if DOTS in flat(pattern.left):
        raise Undecided(Reason.UNMODELLED_ARGUMENTS, "a tensor of unknown rank")
    return assumed(x, len(pattern.left), *("_".join(group) or "one" for group in pattern.left))


def measured(x: TensorValue, left: Sequence[Group], lengths: Mapping[str, Any]) -> dict[str, Dim]:
    """The size of each axis on the left. What the sizes must fulfil is recorded."""
    known: dict[str, Dim] = {name: as_size(size, name) for name, size in lengths.items()}
    require = Require(machine().fresh("rearrange"))
    for group, dim in zip(left, dims_of(x) or (), strict=True):
        _measure(group, dim, known, require, x)
    if require.constraints:
        machine().node("assert", [], [], {}, "", require.constraints)
    return known


def _measure(group: Group, dim: Dim, known: dict[str, Dim], require: Require, x: TensorValue) -> None:
    sizes = [int(axis) if axis.isdigit() else known.get(axis) for axis in group]
    open_axes = [axis for axis, size in zip(group, sizes, strict=True) if size is None]
    given = product(size for size in sizes if size is not None)
    text = " ".join(group) or "1"
    if len(open_axes) > 1:
        raise Raised(ValueError(f"the sizes of ({text}) cannot be told"))
    if open_axes:
        if given != 1:
            require.divisible(dim, given, f"({text}) needs {dim} of {tensor_of(x)} to be a multiple of {given}")
        known[open_axes[0]] = floor_div(dim, given)
    else:
        require.equal(dim, given, f"({text}) is {given}, but the tensor {tensor_of(x)} has {dim}", "dims-differ")


def size_of(group: Group, known: Mapping[str, Dim]) -> Dim:
    """The size of a dim on the right."""
    missing = [axis for axis in group if not axis.isdigit() and axis not in known]
    if missing:
        raise Raised(ValueError(f"the size of {missing[0]} is not given"))
    return product(int(axis) if axis.isdigit() else known[axis] for axis in group)


def flat(side: Sequence[Group]) -> list[str]:
    """All axes of a side."""
    return [DOTS if axis == TOGETHER else axis for group in side for axis in group]
