"""Notes on findings about numbers, as people read them."""

from __future__ import annotations

import numpy as np
import pytest

from mlvet.analyses.numerics.assumptions.ranges import Assumed, Origin, by_dtype
from mlvet.analyses.numerics.hazard import Hazard, Outcome
from mlvet.analyses.numerics.telling.words import range_words, told, witness_words
from mlvet.analyses.numerics.witness.found import REFERENCE, Witness
from mlvet.analyses.shapes.inference import infer
from mlvet.domains import dtypes
from mlvet.domains.intervals import ANY, Interval
from mlvet.domains.tensors import Tensor
from mlvet.ir.text import from_text


def seen(**inputs: object) -> str:
    arrays = {name: np.asarray(array) for name, array in inputs.items()}
    return witness_words(Witness(arrays, "y", 0.0, "-inf", REFERENCE, 1))


def test_a_witness_shows_two_inputs_with_floats_first_and_counts_the_rest() -> None:
    assert seen(x=[0.5]) == "seen with x = 0.5: -inf in `y`, from an operand of 0 (numpy reference)"
    assert seen(n=3, go=True, x=[0.5, 2.0]).startswith("seen with x = [0.5, 2], n = 3 and 1 more input: ")
    assert seen(a=1, b=2, c=3, d=4).startswith("seen with a = 1, b = 2 and 2 more inputs: ")
    assert seen().startswith("seen with the stored weights: ")


def test_a_long_array_is_cut() -> None:
    assert seen(x=np.arange(8.0)).startswith("seen with x = [0, 1, 2, 3, 4, 5, ...]: ")


@pytest.mark.parametrize(
    ("assumed", "words"),
    [
        (Assumed(Interval(0, 1), Origin.GIVEN, "given"), "`x` is [0, 1], as given"),
        (
            by_dtype(Tensor(dtypes.f16, None)),
            "`x` is assumed to be [-65504, 65504], the full range of f16: give --range x=LO:HI",
        ),
        (
            Assumed(Interval(0, 1), Origin.MEANING, "a mask is 0 or 1"),
            "`x` is assumed to be [0, 1]: a mask is 0 or 1; to say better, give --range x=LO:HI",
        ),
    ],
)
def test_a_range_says_where_it_comes_from(assumed: Assumed, words: str) -> None:
    assert range_words("x", assumed, dtypes.f16) == words


@pytest.mark.parametrize(
    ("outcome", "word"), [(Outcome.NAN, "NaN"), (Outcome.INFINITY, "infinite"), (Outcome.EITHER, "NaN or infinite")]
)
def test_an_outcome_has_one_word(outcome: Outcome, word: str) -> None:
    graph = from_text('mlvet-graph 1 "net"\ngraph "net"(%x: f32[2]) {\n  %l = exp(%x) @e\n  return %l\n}\n')
    (node,) = graph.nodes()
    assert told(Hazard(node, "exp-overflow", 0, ANY, outcome), infer(graph)).outcome == word
