"""Operators that sum products of elements, and the derivative that they share: one operand moves at a time."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from mlvet.ops.danger import OVERFLOW
from mlvet.ops.derivative import Jvp
from mlvet.ops.numeric import Bilinear
from mlvet.ops.op import Infer, Op, Reference, pure
from mlvet.ops.samples import Samples


def sum_of_products(
    name: str,
    infer: Infer,
    reference: Reference,
    samples: Samples,
    *,
    family: str,
    terms: Callable[..., Any],
    plus: int | None = None,
) -> Op:
    """Register an operator that sums products of elements of operands 0 and 1, and adds operand `plus`, if present.

    `terms(*operands, **attributes)`, on `Tensor`s, is the greatest number of products in one sum.
    """
    return pure(
        name,
        infer,
        reference,
        samples,
        family=family,
        numeric=Bilinear(plus=plus, terms=terms),
        danger=(OVERFLOW,),
        derivative=product_rule(reference, plus=plus),
    )


def product_rule(reference: Reference, operands: Sequence[int] | None = (0, 1), plus: int | None = None) -> Jvp:
    """The derivative of an operator that is linear in each of `operands` (all, if None) and adds operand `plus`."""

    def along(values: Sequence[Any], directions: Sequence[Any], **attributes: Any) -> Any:
        factors = range(len(values)) if operands is None else operands
        bare = [None if index == plus else value for index, value in enumerate(values)]
        result = None
        for index in factors:
            if index == plus or directions[index] is None:
                continue
            changed = [*bare[:index], directions[index], *bare[index + 1 :]]
            change = reference(*changed, **attributes)
            result = change if result is None else result + change
        if plus is not None and plus < len(values) and directions[plus] is not None:
            first = factors[0]
            changed = [*values]
            changed[first], changed[plus] = np.zeros_like(values[first]), directions[plus]
            change = reference(*changed, **attributes)
            result = change if result is None else result + change
        if result is None:
            shape = np.shape(reference(*values, **attributes))
            result = np.zeros(shape, dtype=values[0].dtype)
        return result

    return Jvp(along)
