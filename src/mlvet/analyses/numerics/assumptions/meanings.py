"""Ranges of inputs whose name, element type and rank together say what they are, or whose use does."""

from __future__ import annotations

import re
from collections.abc import Callable

from mlvet.analyses.numerics.assumptions.ranges import Assumed, Origin, finite
from mlvet.analyses.numerics.assumptions.uses import Uses
from mlvet.analyses.shapes.inference import Inference
from mlvet.domains import dtypes
from mlvet.domains.dtypes import Kind
from mlvet.domains.intervals import Interval
from mlvet.domains.tensors import Tensor, Unranked
from mlvet.ir.graph import Graph, Value

_IMAGE = frozenset({"image", "images", "img", "imgs", "pixel", "pixels", "picture", "pictures", "photo", "photos"})
_GENERIC = frozenset({"x", "input", "inputs", "data", "layer", "placeholder", "serving", "default", "main", "batch"})
_DERIVED = frozenset({
    "embed", "embeds", "embedding", "embeddings", "feature", "features", "hidden", "state", "states", "latent",
    "latents", "size", "sizes", "shape", "shapes", "grid", "id", "ids", "num", "count", "position", "positions",
    "token", "tokens", "scale", "label", "labels", "class", "logit", "logits", "log", "length", "lengths", "len",
    "lens", "rate", "mel", "spectrogram", "mean", "std", "mask", "masks", "index", "indices", "bias",
})  # fmt: skip
_CHANNELS = (1, 3, 4)
_LEAST_SIDE = 8
_MOST = 1e9


class Meanings:
    """What the inputs of one graph are."""

    def __init__(self, graph: Graph, inference: Inference) -> None:
        self._inference = inference
        self._uses = Uses(graph, inference)

    def of(self, value: Value) -> Assumed | None:
        """The range that the meaning of an input implies, None if it has no known meaning."""
        tensor = self._inference.type_of(value)
        words = words_of(value.name)
        if tensor.dtype is not None and tensor.dtype.kind is Kind.BOOL:
            return None
        for judge in _BY_NAME:
            if (found := judge(words, tensor)) is not None:
                return found
        limit = self._uses.of(value)
        if limit is not None and words & {"id", "ids", "token", "tokens", "index", "indices", "label", "labels"}:
            return Assumed(Interval(max(0, limit.interval.low), limit.interval.high), limit.origin, limit.why)
        return limit


def words_of(name: str) -> frozenset[str]:
    """The words of the innermost part of a name, in lower case and without numbers."""
    part = re.sub(r":\d+$", "", name).rpartition("/")[2]
    found = re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+", part)
    return frozenset(word.lower() for word in found)


def _mask(words: frozenset[str], tensor: Tensor) -> Assumed | None:
    """A mask is 0 or 1; one of floats with four dims may be added to scores, so that it has no lower limit."""
    padding = "paddings" in words and _floats(tensor) and _rank(tensor) == 2
    if not padding and (not words & {"mask", "masks"} or words & (_DERIVED - {"mask", "masks"} | {"input", "pred"})):
        return None
    if _floats(tensor) and (_rank(tensor) is None or (_rank(tensor) or 0) > 3):
        low = finite(tensor.dtype or dtypes.f64).low
        return _meaning(low, 1, "a mask is 0 or 1, or else added to scores and not positive")
    return _meaning(0, 1, "a mask is 0 or 1")


def _share(words: frozenset[str], tensor: Tensor) -> Assumed | None:
    """Probabilities, one-hot labels, and the rates of dropout."""
    if not _floats(tensor) and not ({"one", "hot"} <= words or "onehot" in words):
        return None
    if words & {"log", "logit", "logits"}:
        return None
    probability = words & {"prob", "probs", "probability", "probabilities"}
    if ("keep" in words and probability) or "keepprob" in words:
        return _meaning(0.01, 1, "dropout keeps a share of the elements, taken to be at least a hundredth")
    if "dropout" in words and _rank(tensor) == 0:
        return _meaning(0, 0.99, "dropout drops a share of the elements, taken to be at most 99 of 100")
    if probability:
        return _meaning(0, 1, "a probability is in [0, 1]")
    if {"one", "hot"} <= words or "onehot" in words:
        return _meaning(0, 1, "one-hot labels are 0 or 1")
    return None


def _count(words: frozenset[str], tensor: Tensor) -> Assumed | None:
    """Time steps, lengths and rates: none is negative, and all are moderate."""
    most = min(_MOST, float(finite(tensor.dtype or dtypes.f64).high) / 4)
    timestep = words & {"timestep", "timesteps"} or ("time" in words and words & {"step", "steps"})
    if timestep and not words & _DERIVED and _rank(tensor) in (0, 1, 2):
        return _meaning(0, most, f"a time step is not negative, and taken to be at most {most:g}")
    if _floats(tensor) or _rank(tensor) not in (0, 1):
        return None
    if words & {"length", "lengths", "len", "lens"}:
        return _meaning(0, most, f"a length is not negative, and taken to be at most {most:g}")
    if words <= {"sr"} or {"rate"} <= words <= {"rate", "sample", "samples", "sampling", "frame"}:
        return _meaning(1, most, f"a rate is positive, and taken to be at most {most:g}")
    return None


def _audio(words: frozenset[str], tensor: Tensor) -> Assumed | None:
    named = words & {"audio", "audios", "waveform", "waveforms", "wav", "wave", "pcm"}
    if not named or words & _DERIVED or not _floats(tensor) or _rank(tensor) not in (1, 2, 3):
        return None
    return _meaning(-1, 1, "samples of sound are in [-1, 1]")


def _image(words: frozenset[str], tensor: Tensor) -> Assumed | None:
    """Pixels, if the name says so and the rank fits, or if the name says nothing and the shape is that of images."""
    if tensor.dtype is None or not tensor.dtype.is_number or tensor.dtype.kind is Kind.COMPLEX or words & _DERIVED:
        return None
    named = bool(words & _IMAGE) and _rank(tensor) in (2, 3, 4, 5)
    if not named and not (words <= _GENERIC and _looks_like_images(tensor)):
        return None
    return _meaning(-3, 255, "pixels, raw, of unit range or normalised, are in [-3, 255]")


def _looks_like_images(tensor: Tensor) -> bool:
    if isinstance(tensor.shape, Unranked) or len(tensor.shape) != 4:
        return False
    _, *first, last = tensor.shape
    channels, *sides = (first[0], first[1], last) if first[0] in _CHANNELS else (last, *first)
    return channels in _CHANNELS and all(not isinstance(side, int) or side >= _LEAST_SIDE for side in sides)


_BY_NAME: tuple[Callable[[frozenset[str], Tensor], Assumed | None], ...] = (
    _mask, _share, _count, _audio, _image,
)  # fmt: skip


def _meaning(low: float, high: float, why: str) -> Assumed:
    return Assumed(Interval(low, high), Origin.MEANING, why)


def _floats(tensor: Tensor) -> bool:
    return tensor.dtype is not None and tensor.dtype.is_float


def _rank(tensor: Tensor) -> int | None:
    return None if isinstance(tensor.shape, Unranked) else len(tensor.shape)
