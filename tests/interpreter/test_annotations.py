"""Annotations of jaxtyping say what arguments are, and are demanded of tensors that are known."""

from __future__ import annotations

from mlvet.frontends.python.observations import described
from mlvet.frontends.python.program import Interpreted, interpret_text

PROGRAM = """
import torch
from jaxtyping import Float, Int64

def attend(q: Float[torch.Tensor, "batch steps width"], k: Float[torch.Tensor, "batch steps width"]):
    scores = q @ k.transpose(1, 2)
    return scores
"""


def seen(found: Interpreted, name: str) -> str:
    return next(described(each.value) for each in found.observations.values() if each.name == name)


def violated(found: Interpreted) -> list[str]:
    return [demand.constraint.because for demand in found.demands if demand.constraint.decided is False]


def test_arguments_of_a_function_that_is_never_called_are_what_they_are_annotated_to_be() -> None:
    assert seen(interpret_text(PROGRAM), "scores") == "?[batch, steps, steps]"


def test_one_name_means_one_size() -> None:
    fits = interpret_text(PROGRAM + "attend(torch.zeros(2, 3, 4), torch.zeros(2, 3, 4))")
    assert violated(fits) == []
    assert seen(fits, "scores") == "f32[2, 3, 3]"
    differs = interpret_text(PROGRAM + "attend(torch.zeros(2, 3, 4), torch.zeros(5, 3, 4))")
    assert "dim `batch` of `k` is annotated to be 2, but is 5" in violated(differs)


def test_the_number_of_dims_is_demanded() -> None:
    found = interpret_text(PROGRAM + "attend(torch.zeros(2, 3), torch.zeros(2, 3, 4))")
    assert "`q` is annotated with the dims `batch steps width`, but is f32[2, 3]" in violated(found)
