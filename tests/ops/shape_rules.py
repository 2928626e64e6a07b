"""Applying the shape rule of an operator to tensors of which little more than the shape is known."""

from __future__ import annotations

from typing import Any

from mlvet.domains.dims import Dim
from mlvet.domains.dtypes import f32
from mlvet.domains.tensors import Tensor
from mlvet.ops import REGISTRY
from mlvet.ops.require import Require


def shaped(*dims: Dim) -> Tensor:
    return Tensor(f32, dims)


def inferred(name: str, *operands: Tensor | None, **attributes: Any) -> tuple[Any, list[str]]:
    """The result of the shape rule, and the names of the rules that are broken for certain."""
    require = Require(name)
    infer = REGISTRY[name].infer
    assert infer is not None
    result = infer(*operands, require=require, **attributes)
    return result, [constraint.rule for constraint in require.violated]


def written(name: str, *operands: Tensor | None, **attributes: Any) -> tuple[list[str], list[str]]:
    """The results of the shape rule as text, and the names of the rules that are broken for certain."""
    found, broken = inferred(name, *operands, **attributes)
    return [str(output) for output in (found if isinstance(found, tuple) else (found,))], broken


def only(name: str, *operands: Tensor | None, **attributes: Any) -> str:
    """The one result of a shape rule that finds nothing broken, as text."""
    outputs, broken = written(name, *operands, **attributes)
    assert not broken
    assert len(outputs) == 1
    return outputs[0]
