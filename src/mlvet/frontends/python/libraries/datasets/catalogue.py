"""Well-known data sets: their columns, and how many examples each part has."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from mlvet.frontends.python.libraries.datasets.features import number, picture, several, sound, text
from mlvet.frontends.python.values.containers import DictValue
from mlvet.frontends.python.values.numbers import Scalar

Columns = dict[str, Callable[[], Any]]
Splits = dict[str, int | None]


def _texts(*names: str, **others: Callable[[], Any]) -> Columns:
    return {**dict.fromkeys(names, text), **others}


def _label() -> Any:
    return number("label")


def _score() -> Any:
    return Scalar(float, "label")


def _answers() -> Any:
    return DictValue({"text": several(text(), "answers"), "answer_start": several(number("start"), "answers")})


def _tags() -> Any:
    return several(number("tag"), "words")


def _words() -> Any:
    return several(text(), "words")


def _translation() -> Any:
    return DictValue({}, rest=text())


def _small_picture() -> Any:
    return picture(32, 32, "RGB")


def _digit() -> Any:
    return picture(28, 28, "L")


def _parts(train: int | None, validation: int | None = None, test: int | None = None) -> Splits:
    known = {"train": train, "validation": validation, "test": test}
    return {name: count for name, count in known.items() if count is not None}


KNOWN: dict[str, tuple[Columns, Splits]] = {
    "imdb": (_texts("text", label=_label), {"train": 25000, "test": 25000, "unsupervised": 50000}),
    "ag_news": (_texts("text", label=_label), _parts(120000, test=7600)),
    "yelp_review_full": (_texts("text", label=_label), _parts(650000, test=50000)),
    "yelp_polarity": (_texts("text", label=_label), _parts(560000, test=38000)),
    "emotion": (_texts("text", label=_label), _parts(16000, 2000, 2000)),
    "rotten_tomatoes": (_texts("text", label=_label), _parts(8530, 1066, 1066)),
    "dbpedia_14": (_texts("title", "content", label=_label), _parts(560000, test=70000)),
    "squad": (_texts("id", "title", "context", "question", answers=_answers), _parts(87599, 10570)),
    "squad_v2": (_texts("id", "title", "context", "question", answers=_answers), _parts(130319, 11873)),
    "conll2003": (
        _texts("id", tokens=_words, pos_tags=_tags, chunk_tags=_tags, ner_tags=_tags), _parts(14041, 3250, 3453),
    ),
    "cnn_dailymail": (_texts("article", "highlights", "id"), _parts(287113, 13368, 11490)),
    "xsum": (_texts("document", "summary", "id"), _parts(204045, 11332, 11334)),
    "samsum": (_texts("id", "dialogue", "summary"), _parts(14732, 818, 819)),
    "wmt16": (_texts(translation=_translation), {}), "wmt14": (_texts(translation=_translation), {}),
    "opus_books": (_texts("id", translation=_translation), {}), "wikitext": (_texts("text"), {}),
    "mnist": ({"image": _digit, "label": _label}, _parts(60000, test=10000)),
    "fashion_mnist": ({"image": _digit, "label": _label}, _parts(60000, test=10000)),
    "cifar10": ({"img": _small_picture, "label": _label}, _parts(50000, test=10000)),
    "cifar100": ({"img": _small_picture, "fine_label": _label, "coarse_label": _label}, _parts(50000, test=10000)),
    "food101": ({"image": picture, "label": _label}, _parts(75750, 25250)),
    "beans": (
        {"image_file_path": text, "image": lambda: picture(500, 500, "RGB"), "labels": _label}, _parts(1034, 133, 128),
    ),
    "imagefolder": ({"image": picture, "label": _label}, {}), "audiofolder": ({"audio": sound, "label": _label}, {}),
    "text": (_texts("text"), {}),
    "glue/cola": (_texts("sentence", label=_label, idx=number), _parts(8551, 1043, 1063)),
    "glue/sst2": (_texts("sentence", label=_label, idx=number), _parts(67349, 872, 1821)),
    "glue/mrpc": (_texts("sentence1", "sentence2", label=_label, idx=number), _parts(3668, 408, 1725)),
    "glue/qqp": (_texts("question1", "question2", label=_label, idx=number), _parts(363846, 40430, 390965)),
    "glue/stsb": (_texts("sentence1", "sentence2", label=_score, idx=number), _parts(5749, 1500, 1379)),
    "glue/qnli": (_texts("question", "sentence", label=_label, idx=number), _parts(104743, 5463, 5463)),
    "glue/rte": (_texts("sentence1", "sentence2", label=_label, idx=number), _parts(2490, 277, 3000)),
    "glue/wnli": (_texts("sentence1", "sentence2", label=_label, idx=number), _parts(635, 71, 146)),
    "glue/mnli": (
        _texts("premise", "hypothesis", label=_label, idx=number),
        {"train": 392702, "validation_matched": 9815, "validation_mismatched": 9832, "test_matched": 9796,
         "test_mismatched": 9847},
    ),
    "snli": (_texts("premise", "hypothesis", label=_label), _parts(550152, 10000, 10000)),
}  # fmt: skip
"""By name, and configuration where that matters: what makes an example of each column, and the parts' sizes."""
USUAL: Columns = {
    **_texts(
        "text", "sentence", "sentence1", "sentence2", "question", "context", "title", "document", "summary", "review",
        "premise", "hypothesis", "content", "article", "highlights", "dialogue", "prompt", "instruction", "input",
        "output", "response", "answer", "caption",
    ),
    "label": _label, "labels": _label, "image": picture, "img": picture, "audio": sound,
}  # fmt: skip
"""What columns of these names have in all data sets that are worth guessing."""
