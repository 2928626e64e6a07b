"""An operator: one frozen value that holds everything mlvet knows about it, one facet per question."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any, TypeAlias

from mlvet.domains.tensors import Tensor
from mlvet.ops.danger import Danger
from mlvet.ops.derivative import Derivative
from mlvet.ops.index_map import IndexMap
from mlvet.ops.numeric import Numeric
from mlvet.ops.samples import Samples

Attributes: TypeAlias = Mapping[str, Any]
Infer: TypeAlias = Callable[..., Tensor | tuple[Tensor, ...]]
"""Operands as `Tensor` (None where left out), then `require` and the attributes by keyword."""
Reference: TypeAlias = Callable[..., Any]
"""Arrays in the order of the operands (None where one is left out), attributes by keyword; an array or a tuple."""


class Effects(Enum):
    """What an execution does besides computing its outputs from its operands."""

    PURE = "pure"
    RANDOM = "random"
    STATE = "state"
    HOST = "host"
    UNKNOWN = "unknown"


FACETS = ("infer", "numeric", "index_map", "danger", "derivative", "effects", "reference", "samples")


@dataclass(frozen=True, slots=True)
class Op:
    """A canonical operator.

    Operands are data, attributes are metadata that no framework computes at run time. A facet that is None (for
    `effects`: UNKNOWN) has a sound default: unknown shapes, any value, an unknown effect. `danger` is the empty tuple
    for an operator that is known to be safe. `folds` says that the reference also runs on arrays of symbolic sizes.
    """

    name: str
    family: str
    infer: Infer | None = None
    numeric: Numeric | None = None
    index_map: IndexMap | None = None
    danger: tuple[Danger, ...] | None = None
    derivative: Derivative | None = None
    effects: Effects = Effects.UNKNOWN
    reference: Reference | None = None
    samples: Samples | None = None
    folds: bool = False

    def has(self, facet: str) -> bool:
        """Whether a facet is given rather than left to its default."""
        return getattr(self, facet) not in (None, Effects.UNKNOWN)

    def __str__(self) -> str:
        return self.name


REGISTRY: dict[str, Op] = {}


def register(op: Op) -> Op:
    """Make an operator known under its name, which must be new."""
    if op.name in REGISTRY:
        raise ValueError(f"operator {op.name} is defined twice")
    REGISTRY[op.name] = op
    return op


def pure(
    name: str,
    infer: Infer | None = None,
    reference: Reference | None = None,
    samples: Samples | None = None,
    *,
    family: str,
    numeric: Numeric | None = None,
    index_map: IndexMap | None = None,
    danger: Sequence[Danger] | None = (),
    derivative: Derivative | None = None,
    folds: bool = False,
) -> Op:
    """Register an operator that only computes its outputs from its operands; it is safe if no danger is named."""
    return register(
        Op(
            name,
            family,
            infer=infer,
            numeric=numeric,
            index_map=index_map,
            danger=None if danger is None else tuple(danger),
            derivative=derivative,
            effects=Effects.PURE,
            reference=reference,
            samples=samples,
            folds=folds,
        )
    )
