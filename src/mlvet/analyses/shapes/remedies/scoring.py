"""Losses and thresholds that fit what they are given: scores, probabilities or their logarithms."""

from __future__ import annotations

import ast

from mlvet.analyses.shapes.remedies.layouts import last_argument
from mlvet.analyses.shapes.remedies.proposal import Kind, Proposal, Proposals
from mlvet.analyses.text import Text, last_name
from mlvet.core.location import Location

_FROM_LOGITS = frozenset(("SparseCategoricalCrossentropy", "CategoricalCrossentropy", "BinaryCrossentropy"))
_LIKELIHOODS = {"nll_loss": "cross_entropy", "NLLLoss": "CrossEntropyLoss"}
_SCORES = "the loss then applies the softmax or sigmoid itself; perhaps the last layer should have it"
_LOGARITHM = "the outputs become logarithms; what reads them as probabilities has to change, too"
_HALF = "0 is the score of probability 0.5; perhaps the sigmoid is missing"


def of_scores(text: Text) -> Proposals:
    """Losses of probabilities that take scores instead, and softmax with a logarithm where one is wanted."""
    for call in text.calls():
        name = last_name(call)
        if name in _FROM_LOGITS and not any(each.arg == "from_logits" for each in call.keywords):
            comma = ", " if call.args or call.keywords else ""
            edit = text.inserted(last_argument(text, call), f"{comma}from_logits=True")
            yield Proposal(Kind.LOSS, text.span(call), "say from_logits=True", (edit,), _SCORES)
        elif name in _LIKELIHOODS:
            written = text.of(call.func)
            edit = text.replaced(call.func, written[: -len(name)] + _LIKELIHOODS[name])
            yield Proposal(Kind.LOSS, text.span(call), f"use {_LIKELIHOODS[name]}", (edit,), _SCORES)
        elif name in ("softmax", "Softmax") and not isinstance(call.func, ast.Call):
            written = text.of(call.func)
            other = "log_softmax" if name == "softmax" else "LogSoftmax"
            edit = text.replaced(call.func, written[: -len(name)] + other)
            yield Proposal(Kind.SLIP, text.span(call), f"use {other}", (edit,), _LOGARITHM)


def above_zero(text: Text, location: Location) -> Proposals:
    """A comparison of scores with 0 in place of 0.5."""
    node = text.at(location)
    for each in ast.walk(node) if node is not None else ():
        if isinstance(each, ast.Constant) and each.value == 0.5:
            edit = text.replaced(each, "0")
            yield Proposal(Kind.SLIP, text.span(each), "compare the scores with 0", (edit,), _HALF)
