"""Operators on text."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from mlvet.domains import dtypes
from mlvet.domains.dims import Dim
from mlvet.domains.tensors import Tensor
from mlvet.ops.derivative import Zero
from mlvet.ops.enclosures import COUNT, TEXT, always
from mlvet.ops.enclosures_counting import TF_IDF
from mlvet.ops.index_map import Elementwise
from mlvet.ops.layout import Array
from mlvet.ops.numeric import Bounded, Range
from mlvet.ops.op import pure
from mlvet.ops.require import Require
from mlvet.ops.samples import Draw, Sample

WORDS = ("a", "tensor", "of two  words", "", "Monday", "x,y,z")

_text = partial(pure, family="text", derivative=Zero())


def words(draw: Draw, shape: Sequence[int]) -> Array:
    """An array of words."""
    array = np.empty(tuple(shape), dtype=object)
    for place in np.ndindex(*shape):
        array[place] = draw.choice(WORDS)
    return array


def _each(function: Callable[..., Any], dtype: Any, *arrays: Array) -> Array:
    """A function of each element, after broadcasting."""
    parts = np.broadcast_arrays(*arrays)
    result = np.empty(parts[0].shape, dtype=dtype)
    for place in np.ndindex(*result.shape):
        result[place] = function(*(part[place] for part in parts))
    return result


def infer_string_concat(x: Tensor, y: Tensor, *, require: Require) -> Tensor:
    """Texts joined element by element."""
    for operand in (x, y):
        require.dtype(operand, [dtypes.text])
    return Tensor(dtypes.text, require.broadcast_tensors(x, y))


def _string_concat(x: Array, y: Array) -> Array:
    return _each(lambda a, b: str(a) + str(b), object, x, y)


def _sample_string_concat(draw: Draw) -> Sample:
    dims = draw.shape(0, 3)
    return Sample((words(draw, dims), words(draw, draw.broadcastable(dims))))


string_concat = _text(
    "string_concat",
    infer_string_concat,
    _string_concat,
    _sample_string_concat,
    index_map=Elementwise(),
    numeric=always(TEXT),
)


def infer_string_split(
    x: Tensor, *, require: Require, delimiter: str | None = None, maxsplit: int | None = None
) -> tuple[Tensor, Tensor]:
    """The parts of each text along a new axis, padded with empty text, and how many there are."""
    del delimiter, maxsplit
    require.dtype(x, [dtypes.text])
    return Tensor(dtypes.text, (*x.dims, require.unknown())), x.with_dtype(dtypes.i64)


def _string_split(x: Array, *, delimiter: str | None = None, maxsplit: int | None = None) -> tuple[Array, Array]:
    split = [str(text).split(delimiter or None, -1 if maxsplit is None else maxsplit) for text in x.ravel()]
    longest = max(map(len, split), default=0)
    parts = np.full((x.size, longest), "", dtype=object)
    for row, found in enumerate(split):
        parts[row, : len(found)] = found
    return parts.reshape(*x.shape, longest), np.asarray(list(map(len, split)), dtype=np.int64).reshape(x.shape)


def _sample_string_split(draw: Draw) -> Sample:
    attributes: dict[str, Any] = draw.choice(({}, {"delimiter": ","}, {"delimiter": ""}, {"maxsplit": 1}))
    return Sample((words(draw, draw.shape(0, 3)),), attributes)


string_split = _text(
    "string_split", infer_string_split, _string_split, _sample_string_split, numeric=always(TEXT, COUNT)
)


def infer_regex_full_match(x: Tensor, *, require: Require, pattern: str = "") -> Tensor:
    """Whether the whole of each text matches."""
    del pattern
    require.dtype(x, [dtypes.text])
    return x.with_dtype(dtypes.bool_)


def _regex_full_match(x: Array, *, pattern: str = "") -> Array:
    return _each(lambda text: re.fullmatch(pattern, str(text)) is not None, np.bool_, x)


def _sample_regex_full_match(draw: Draw) -> Sample:
    return Sample((words(draw, draw.shape(0, 3)),), {"pattern": draw.choice(("a", ".*s", "[a-z]+"))})


regex_full_match = _text(
    "regex_full_match",
    infer_regex_full_match,
    _regex_full_match,
    _sample_regex_full_match,
    index_map=Elementwise(),
    numeric=Bounded(Range(0, 1)),
)


def infer_string_normalizer(x: Tensor, *, require: Require, stopwords: Sequence[str] = (), **_: Any) -> Tensor:
    """Texts in one case, without the stop words; one empty text if none is left."""
    if not require.rank_at_least(x, 1) or not require.holds(x.rank <= 2, f"{x} has more than 2 dims", "rank-differs"):
        return require.unknown_tensor(dtypes.text)
    size: Dim = require.unknown() if stopwords or x.dims[-1] == 0 else x.dims[-1]
    return Tensor(dtypes.text, (*x.dims[:-1], size))


def _string_normalizer(
    x: Array,
    *,
    case_change_action: str = "NONE",
    is_case_sensitive: bool = False,
    stopwords: Sequence[str] = (),
    locale: str = "",
) -> Array:
    del locale
    fold: Callable[[str], str] = str if is_case_sensitive else str.lower
    change: Callable[[str], str] = {"LOWER": str.lower, "UPPER": str.upper}.get(case_change_action, str)
    stops = {fold(word) for word in stopwords}
    kept = [change(str(text)) for text in x.ravel() if fold(str(text)) not in stops] or [""]
    row = np.empty(len(kept), dtype=object)
    row[:] = kept
    return row if x.ndim == 1 else row.reshape(1, -1)


def _sample_string_normalizer(draw: Draw) -> Sample:
    count = draw.integer(1, 4)
    attributes: dict[str, Any] = {"case_change_action": draw.choice(("NONE", "LOWER", "UPPER"))}
    if draw.choice((True, False)):
        attributes |= {"stopwords": ("monday", "a"), "is_case_sensitive": draw.choice((True, False))}
    return Sample((words(draw, draw.choice(((count,), (1, count)))),), attributes)


string_normalizer = _text(
    "string_normalizer", infer_string_normalizer, _string_normalizer, _sample_string_normalizer, numeric=always(TEXT)
)


def infer_tf_idf_vectorizer(x: Tensor, *, require: Require, ngram_indexes: Sequence[int], **_: Any) -> Tensor:
    """One number per n-gram of the pool, for each row."""
    size = max(ngram_indexes, default=-1) + 1
    require.holds(x.rank in (1, 2), f"tf_idf_vectorizer takes a row or rows, but got {x}", "rank-differs")
    return Tensor(dtypes.f32, (*x.dims[:-1], size))


def _tf_idf_vectorizer(
    x: Array,
    *,
    max_gram_length: int,
    max_skip_count: int,
    min_gram_length: int,
    mode: str,
    ngram_counts: Sequence[int],
    ngram_indexes: Sequence[int],
    pool_int64s: Sequence[int] = (),
    pool_strings: Sequence[str] = (),
    weights: Sequence[float] = (),
) -> Array:
    pool: Sequence[Any] = pool_int64s or pool_strings
    column: dict[tuple[Any, ...], int] = {}
    number = 0
    for length, start in enumerate(ngram_counts, start=1):
        end = ngram_counts[length] if length < len(ngram_counts) else len(pool)
        for first in range(start, end, length):
            column[tuple(pool[first : first + length])] = ngram_indexes[number]
            number += 1
    rows = x.reshape(-1, x.shape[-1]).tolist()
    counts = np.zeros((len(rows), max(ngram_indexes, default=-1) + 1), dtype=np.float32)
    for row, items in enumerate(rows):
        for length in range(min_gram_length, max_gram_length + 1):
            for step in range(1, 2 if length == 1 else max_skip_count + 2):
                for first in range(len(items) - step * (length - 1)):
                    gram = tuple(items[first + step * place] for place in range(length))
                    if gram in column:
                        counts[row, column[gram]] += 1
    scale = np.asarray(weights, dtype=np.float32) if weights else np.ones(counts.shape[1], dtype=np.float32)
    result = {"TF": counts, "IDF": (counts > 0) * scale, "TFIDF": counts * scale}[mode]
    return result.astype(np.float32).reshape(*x.shape[:-1], counts.shape[1])


def _sample_tf_idf_vectorizer(draw: Draw) -> Sample:
    x = draw.array(draw.shape(1, 2), low=1, high=4, dtype=dtypes.i64)
    attributes = {
        "max_gram_length": 2,
        "max_skip_count": draw.integer(0, 2),
        "min_gram_length": draw.integer(1, 2),
        "mode": draw.choice(("TF", "IDF", "TFIDF")),
        "ngram_counts": (0, 2),
        "ngram_indexes": (0, 1, 2, 3),
        "pool_int64s": (1, 3, 1, 2, 3, 4),
        "weights": draw.choice(((), (0.5, 1.0, 2.0, 3.0))),
    }
    return Sample((x,), attributes)


tf_idf_vectorizer = _text(
    "tf_idf_vectorizer", infer_tf_idf_vectorizer, _tf_idf_vectorizer, _sample_tf_idf_vectorizer, numeric=TF_IDF
)
