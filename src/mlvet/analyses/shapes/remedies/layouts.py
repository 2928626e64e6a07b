"""What layers and losses are told of the layout of their data: batch_first, data_format, one-hot labels or not."""

from __future__ import annotations

import ast

from mlvet.analyses.shapes.remedies.places import Place
from mlvet.analyses.shapes.remedies.proposal import Kind, Proposal, Proposals
from mlvet.analyses.text import Text, last_name

_SEQUENCES = frozenset((
    "RNN", "LSTM", "GRU", "Transformer", "TransformerEncoderLayer", "TransformerDecoderLayer", "MultiheadAttention",
))  # fmt: skip
_FORMATS = {
    "channels_last": "channels_first", "channels_first": "channels_last", "NHWC": "NCHW", "NCHW": "NHWC",
}  # fmt: skip
_LOSSES = {
    "sparse_categorical_crossentropy": "categorical_crossentropy",
    "categorical_crossentropy": "sparse_categorical_crossentropy",
    "SparseCategoricalCrossentropy": "CategoricalCrossentropy",
    "CategoricalCrossentropy": "SparseCategoricalCrossentropy",
}
_FITTING = frozenset(("fit", "evaluate", "train_on_batch", "test_on_batch", "fit_generator"))
_MOST = 3
_FIRST = "it reads the first axis as that of examples; perhaps the input is what should change"
_FORMAT = "it reads the other axis as that of channels; perhaps the data is what should change"
_LABELS = "it fits the loss to the labels; perhaps the labels are what should change"


def layouts(place: Place) -> Proposals:
    """Layers of sequences with batch_first, and layers of images with the other format."""
    sequences = [call for call in place.text.calls() if _is_sequence(place.text, call)]
    for call in sequences if len(sequences) <= _MOST else ():
        name = last_name(call)
        said = next((each for each in call.keywords if each.arg == "batch_first"), None)
        if said is None:
            edit = place.text.inserted(
                last_argument(place.text, call), f"{', ' if call.args or call.keywords else ''}batch_first=True"
            )
            yield Proposal(Kind.LAYOUT, call.lineno, f"make the {name} with batch_first=True", (edit,), _FIRST)
        elif isinstance(said.value, ast.Constant) and said.value.value is True:
            edit = place.text.replaced(said.value, "False")
            yield Proposal(Kind.LAYOUT, call.lineno, f"make the {name} with batch_first=False", (edit,), _FIRST)
    said_formats = [
        (call, each.value)
        for call in place.text.calls()
        for each in call.keywords
        if each.arg == "data_format" and isinstance(each.value, ast.Constant) and each.value.value in _FORMATS
    ]
    for call, value in said_formats if len(said_formats) <= _MOST else ():
        other = _FORMATS[str(value.value)]
        edit = place.text.replaced(value, f'"{other}"')
        yield Proposal(Kind.LAYOUT, call.lineno, f"let `{last_name(call)}` have data_format={other}", (edit,), _FORMAT)


def losses(place: Place) -> Proposals:
    """The cross-entropy of one-hot labels in place of that of class numbers, and the other way round."""
    if place.called not in _FITTING:
        return
    for node in ast.walk(place.text.tree):
        if isinstance(node, ast.Constant) and node.value in _LOSSES and isinstance(node.value, str):
            quote = place.text.of(node)[0]
            edit = place.text.replaced(node, f"{quote}{_LOSSES[node.value]}{quote}")
            yield Proposal(Kind.LOSS, node.lineno, f"use {_LOSSES[node.value]}", (edit,), _LABELS)
        elif isinstance(node, ast.Attribute) and node.attr in _LOSSES:
            edit = place.text.replaced(node, f"{place.text.of(node.value)}.{_LOSSES[node.attr]}")
            yield Proposal(Kind.LOSS, node.lineno, f"use {_LOSSES[node.attr]}", (edit,), _LABELS)


def _is_sequence(text: Text, call: ast.Call) -> bool:
    return last_name(call) in _SEQUENCES and text.name_of(call.func).startswith("torch.")


def last_argument(text: Text, call: ast.Call) -> tuple[int, int]:
    """Behind the last argument of a call."""
    given = [*call.args, *(keyword.value for keyword in call.keywords)]
    if not given:
        line, column = text.end(call)
        return line, column - 1
    return max(text.end(each) for each in given)
