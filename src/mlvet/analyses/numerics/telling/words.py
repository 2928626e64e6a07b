"""What the analysis found out, in words: messages, ranges, on what a finding hangs, what a witness showed."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import replace
from math import inf, log

from mlvet.analyses.numerics.assumptions.ranges import OURS, Assumed, Origin
from mlvet.analyses.numerics.hazard import Hazard
from mlvet.analyses.numerics.telling.hazard_rule import Told, number
from mlvet.analyses.numerics.telling.sensitivity import LADDER, Dependence
from mlvet.analyses.numerics.witness.found import Witness
from mlvet.analyses.shapes.inference import Inference
from mlvet.domains import dtypes
from mlvet.domains.dtypes import DType
from mlvet.ir.graph import Node, Value
from mlvet.ops import REGISTRY
from mlvet.ops.danger import AllAt, GradientAt, Near, Outside

_SHOWN = 6
"""Elements of a witness that a note shows."""
_INPUTS = 2
"""Inputs of a witness that a note shows."""
_LETTERS = 60
"""The most letters of a name that only reminds of a place told elsewhere."""


def told(hazard: Hazard, inference: Inference, because: str = "", name: str = "") -> Told:
    """What a rule's message is made of; it is the same with a witness and without."""
    node = hazard.node
    dtype = result_type(node, inference)
    guilty = operand_type(hazard, inference) or dtype
    found = Told(
        operator=node.source_op or node.op,
        low=hazard.interval.low,
        high=hazard.interval.high,
        outcome=hazard.outcome.value.replace("infinity", "infinite"),
        dtype=str(dtype),
        integer=not guilty.is_float,
        least=float(dtype.least) if dtype.is_number else -inf,
        largest=float(dtype.largest) if dtype.is_number else inf,
        smallest=guilty.smallest if guilty.is_float else 0.0,
        limit=log(dtype.largest) if node.op in ("exp", "expm1") and dtype.is_float else inf,
        because=because,
        name=name,
    )
    op = REGISTRY.get(node.op)
    for danger in (op.danger or ()) if op is not None else ():
        if danger.operand != hazard.operand:
            continue
        match danger:
            case Outside(safe=safe) if not hazard.backward or hazard.rule != danger.rule:
                return replace(
                    found, safe_low=safe.low, safe_high=safe.high, open_low=safe.open_low, open_high=safe.open_high
                )
            case Near(point=point) if not hazard.backward or hazard.rule != danger.rule:
                return replace(found, safe_low=point, safe_high=point)
            case GradientAt(point=point) | AllAt(point=point) if hazard.backward:
                return replace(found, safe_low=point, safe_high=point)
            case _:
                pass
    return found


def result_type(node: Node, inference: Inference) -> DType:
    """The element type of a node's first result; a float if it is not known."""
    return (inference.type_of(node.outputs[0]).dtype if node.outputs else None) or dtypes.f32


def operand_type(hazard: Hazard, inference: Inference) -> DType | None:
    value = guilty_value(hazard)
    return None if value is None else inference.type_of(value).dtype


def guilty_value(hazard: Hazard) -> Value | None:
    """The operand that is to blame, if one is."""
    if hazard.operand is None or hazard.operand >= len(hazard.node.inputs):
        return None
    return hazard.node.inputs[hazard.operand]


def range_words(name: str, assumed: Assumed, dtype: DType | None) -> str:
    """What a value is assumed to be, and how to say it better."""
    interval = f"[{number(assumed.interval.low)}, {number(assumed.interval.high)}]"
    match assumed.origin:
        case Origin.GIVEN:
            return f"`{name}` is {interval}, as {assumed.why}"
        case Origin.DATA:
            return f"`{name}` is {interval}, {assumed.why}"
        case Origin.DTYPE if dtype is not None and dtype.is_number:
            return f"`{name}` is assumed to be {interval}, the full range of {dtype}: give --range {name}=LO:HI"
        case origin if origin in OURS:
            return f"`{name}` is assumed to be {interval}: {assumed.why}; to say better, give --range {name}=LO:HI"
        case _:
            return f"`{name}` is {interval}: {assumed.why}"


def dependence_words(dependence: Dependence, guessed: Collection[Value]) -> str | None:
    """Whether the finding hangs on what was guessed; nothing to say if nothing was."""
    if not guessed:
        return None
    if dependence.magnitude is None:
        names = _names(guessed)
        return f"it stays even if {names} {'is' if len(guessed) == 1 else 'are'} within [-{LADDER[0]:g}, {LADDER[0]:g}]"
    return f"it vanishes while |{'|, |'.join(value.name for value in list(dependence.values)[:3])}| <= " + (
        f"{dependence.magnitude:g}"
        + (f" (and {len(dependence.values) - 3} more)" if len(dependence.values) > 3 else "")
    )


def _names(values: Collection[Value]) -> str:
    shown = [f"`{value.name}`" for value in list(values)[:3]]
    rest = len(values) - len(shown)
    if rest:
        return f"{', '.join(shown)} and {rest} more"
    return shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])} and {shown[-1]}"


def witness_words(witness: Witness) -> str:
    """What was run, floats first, and what came of it."""
    inputs = sorted(witness.inputs.items(), key=lambda each: each[1].dtype.kind in "biu")
    given = [f"{name} = {_elements(array.ravel()[:_SHOWN].tolist(), array.size)}" for name, array in inputs[:_INPUTS]]
    rest = len(inputs) - len(given)
    more = f" and {rest} more {'input' if rest == 1 else 'inputs'}" if rest else ""
    operand = "" if witness.operand is None else f", from an operand of {number(witness.operand)}"
    where = f"`{brief(witness.value.partition('#')[0])}`"
    arose = (
        f"the {witness.outcome} at {where}"
        if witness.outcome.startswith("gradient")
        else f"{witness.outcome} in {where}"
    )
    return f"seen with {', '.join(given) or 'the stored weights'}{more}: {arose}{operand} ({witness.executed_with})"


def program_name(value: Value | None, maker: Node | None) -> str:
    """What a program calls a value; nothing if it has no name but the one of the operator that makes it."""
    if value is None or maker is None:
        return ""
    word = re.sub(r"([_#:]\d+)+$", "", value.name)
    return word if word.isidentifier() and word != maker.op and word not in REGISTRY else ""


def brief(name: str) -> str:
    """A name with its middle left out if it is long."""
    return name if len(name) <= _LETTERS else f"{name[: _LETTERS // 2]}...{name[3 - _LETTERS // 2 :]}"


def _elements(shown: list[object], size: int) -> str:
    words = [number(float(each)) if isinstance(each, float) else str(each) for each in shown]
    if size == 1:
        return words[0]
    return f"[{', '.join(words)}{', ...' if size > len(words) else ''}]"
