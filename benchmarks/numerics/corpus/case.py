"""What a case of the corpus is: a small model file, the ranges of its inputs, and the nodes where an alarm is right."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeAlias

FORMS = ("onnx", "torch", "tensorflow")

Range: TypeAlias = tuple[float, float]
Build: TypeAlias = Callable[[Path], Path]
"""Writes the model file into a folder and returns its path."""


@dataclass(frozen=True, slots=True)
class Input:
    """An input of a model: dims, None where the file leaves one open, and the range that a user would state."""

    shape: tuple[int | None, ...]
    low: float | None = None
    high: float | None = None
    dtype: str = "float32"

    def example(self, open_dim: int = 3) -> tuple[int, ...]:
        """The dims with a size for those that are open."""
        return tuple(open_dim if dim is None else dim for dim in self.shape)


@dataclass(frozen=True, slots=True)
class Case:
    """One model.

    At each of `nodes` of a buggy model an alarm is due. At each of `follow` an alarm is right as well: another input
    within the ranges breaks that node although its operands are finite. `guarded` are nodes of a sound model that
    yield NaN or infinity in elements which a selection discards. With `backward` it is the gradient that fails at
    `nodes`. `witness` yields inputs that fail, each a number or nested list that broadcasts to the input's shape.
    """

    name: str
    family: str
    form: str
    buggy: bool
    twin: str | None
    build: Build
    ranges: Mapping[str, Range] = field(default_factory=dict)
    nodes: frozenset[str] = frozenset()
    follow: frozenset[str] = frozenset()
    guarded: frozenset[str] = frozenset()
    backward: bool = False
    witness: Callable[[], Mapping[str, Any]] | None = None


def stated(inputs: Mapping[str, Input], changed: Mapping[str, Range] | None = None) -> dict[str, Range]:
    """The ranges of the inputs that have one, some of them replaced."""
    ranges = {
        name: (given.low, given.high)
        for name, given in inputs.items()
        if given.low is not None and given.high is not None
    }
    return {**ranges, **(changed or {})}


def twins(
    name: str,
    form: str,
    family: str,
    write: Callable[[Path, bool], Path],
    inputs: Mapping[str, Input],
    nodes: Iterable[str],
    *,
    follow: Iterable[str] = (),
    guarded: Iterable[str] = (),
    fixed: Mapping[str, Range] | None = None,
    backward: bool = False,
    witness: Mapping[str, Any] | None = None,
) -> tuple[Case, Case]:
    """A buggy model and its sound twin. `write(path without ending, sound)` writes either; `fixed` are other ranges."""
    stem = f"{form}-{name.replace('_', '-')}"

    def build(sound: bool) -> Build:
        return lambda folder: write(folder / f"{stem}-{'fixed' if sound else 'buggy'}", sound)

    buggy = Case(
        f"{stem}-buggy", family, form, True, f"{stem}-fixed", build(False), stated(inputs),
        frozenset(nodes), frozenset(follow), backward=backward, witness=(lambda: witness) if witness else None,
    )  # fmt: skip
    sound = Case(
        f"{stem}-fixed", family, form, False, f"{stem}-buggy", build(True), stated(inputs, fixed),
        guarded=frozenset(guarded), backward=backward,
    )  # fmt: skip
    return buggy, sound
