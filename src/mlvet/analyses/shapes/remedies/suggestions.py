"""The proposals for each kind of suggestion."""

from __future__ import annotations

from mlvet.analyses.shapes.remedies.activations import with_sigmoid, without_relu, without_softmax
from mlvet.analyses.shapes.remedies.axes import other_axes
from mlvet.analyses.shapes.remedies.mixing import exchanged
from mlvet.analyses.shapes.remedies.places import Place
from mlvet.analyses.shapes.remedies.proposal import Proposals
from mlvet.analyses.shapes.remedies.rearrangements import with_ones
from mlvet.analyses.shapes.remedies.scoring import above_zero, of_scores
from mlvet.analyses.shapes.remedies.training import cleared, evaluated, told
from mlvet.analyses.text import Text
from mlvet.core.finding import Finding
from mlvet.domains.tensors import Dims

ON_OPERANDS = frozenset(("loss-broadcasts", "argmax-over-batch", "reshape-mixes-batch"))
"""Suggestions whose cure is about the tensors that an expression is given."""


def suggested(finding: Finding, text: Text, where: Place | None, result: Dims | None) -> Proposals:
    """What may put right what a suggestion is about; `result` are the sizes that the expression yields."""
    match finding.rule:
        case "loss-broadcasts" if where is not None:
            yield from with_ones(where)
        case "argmax-over-batch" if where is not None:
            yield from (each for each in other_axes(where) if each.meaning == 1)
        case "reshape-mixes-batch" if where is not None and result is not None:
            yield from exchanged(where, result)
        case "softmax-before-logits-loss":
            yield from without_softmax(text)
        case "relu-before-logits-loss":
            yield from without_relu(text)
        case "scores-taken-for-probabilities":
            yield from of_scores(text)
        case "scores-compared-with-half":
            yield from above_zero(text, finding.location)
        case "softmax-over-one":
            yield from with_sigmoid(text)
        case "no-zero-grad":
            yield from cleared(text, finding.location, finding.related[0].location if finding.related else None)
        case "no-eval-mode":
            yield from evaluated(text, finding.location)
        case "dropout-never-off":
            yield from told(text, finding.location)
