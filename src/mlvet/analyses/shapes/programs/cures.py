"""What cures a contradiction, where one number of the program is surely the wrong one."""

from __future__ import annotations

from mlvet.core.fix import Applicability, Edit, Fix
from mlvet.domains.claims import Relation
from mlvet.domains.written import Int
from mlvet.ir.program import Demand

_LAYERS = frozenset(("linear", "conv", "conv_transpose", "batch_normalization", "layer_normalization", "bilinear"))


def cure(demand: Demand) -> Fix | None:
    """A number written for a layer that its input contradicts is replaced by what the input has."""
    constraint = demand.constraint
    if constraint.relation is not Relation.EQUAL or demand.node.op not in _LAYERS or not demand.node.inputs:
        return None
    sides = (constraint.left, constraint.right)
    for written, needed in (sides, sides[::-1]):
        if not isinstance(written, Int) or not isinstance(needed, int) or isinstance(needed, Int):
            continue
        where = written.origin.location
        if where is None or where.end_column is None or needed <= 0:
            continue
        return Fix(
            f"write {needed} in place of {written.origin.text}",
            (Edit(where, str(needed)),),
            Applicability.UNSAFE,
            "it fits the layer to its input; perhaps the input is what is wrong",
        )
    return None
