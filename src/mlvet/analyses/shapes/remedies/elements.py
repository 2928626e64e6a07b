"""Operands with elements of another type, where types do not fit."""

from __future__ import annotations

from mlvet.analyses.shapes.remedies import forms
from mlvet.analyses.shapes.remedies.places import Place
from mlvet.analyses.shapes.remedies.proposal import Kind, Proposal, Proposals

_SINGLE = "float32"
_WHOLE = "int64"
_REASON = "it converts what is there; perhaps the data should be made of this type"


def retyped(place: Place) -> Proposals:
    """Integers and doubles made single floats; where that is no cure, floats made integers."""
    for risk, wanted in enumerate((_SINGLE, _WHOLE)):
        for operand in place.operands:
            dtype = operand.tensor.dtype
            name = "" if dtype is None else dtype.numpy.name
            if not name or name == wanted:
                continue
            if edits := forms.retyped(place.text, operand, wanted):
                title = f"convert {place.words(operand)} to {wanted}"
                yield Proposal(Kind.ELEMENTS, (operand.position, wanted), title, edits, _REASON, risk)
