"""What the model is run on: the user's arrays, or arrays made from the signature; never constant ones, which are blind.

Made inputs look like pictures (smooth fields with texture), sound (sums of waves), text (numbers of tokens with a long
tail) or plain numbers, by rank and element type; some of them hold values at the edges of what is usual.
"""

from __future__ import annotations

import zipfile
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mlvet.analyses.compare.subject import Port, Subject
from mlvet.core.errors import UsageError

Array = NDArray[Any]
COUNT = 32
_OPEN_SIZE = 16
_OPEN_PICTURE = 64
TOKENS = (64, 32, 16, 8, 4, 2)
"""So many different tokens are made, fewer where the model does not take so many."""
_PICTURE_CHANNELS = (1, 3, 4)
_LEAST_SOUND = 256


def load_data(path: Path, subject: Subject) -> dict[str, Array]:
    """The user's arrays, one for each input; checked against the signature."""
    try:
        with np.load(path, allow_pickle=False) as archive:
            arrays = {name: archive[name] for name in archive.files} if hasattr(archive, "files") else {"": archive[()]}
    except (OSError, ValueError, zipfile.BadZipFile, EOFError) as error:
        raise UsageError(f"{path}: cannot be read as arrays: {_unreadable(error)}") from error
    except AttributeError:
        arrays = {"": np.load(path, allow_pickle=False)}
    if len(arrays) == 1 and len(subject.ports) == 1:
        arrays = {subject.ports[0].name: next(iter(arrays.values()))}
    missing = [port.name for port in subject.ports if port.name not in arrays]
    if missing:
        raise UsageError(
            f"{path}: no array for the input{'s' if len(missing) > 1 else ''} {_quoted(missing)} "
            f"(there are: {_quoted(list(arrays))})"
        )
    given = {port.name: _fitting(path, port, arrays[port.name]) for port in subject.ports}
    counts = {name: len(array) for name, array in given.items() if array.ndim}
    if subject.batched and len(set(counts.values())) > 1:
        told = ", ".join(f"`{name}` {count}" for name, count in counts.items())
        raise UsageError(f"{path}: the arrays hold different numbers of examples: {told}")
    if not all(array.size for array in given.values()):
        raise UsageError(f"{path}: an array without elements compares nothing")
    return given


def load_labels(path: Path, count: int) -> NDArray[np.int64] | Array:
    """The right answers: numbers of classes, or arrays for a regression."""
    try:
        labels = np.load(path, allow_pickle=False)
    except (OSError, ValueError, EOFError) as error:
        raise UsageError(f"{path}: cannot be read as an array: {_unreadable(error)}") from error
    if not isinstance(labels, np.ndarray):
        raise UsageError(f"{path}: an archive of arrays; labels are one array (.npy)")
    if labels.ndim == 0 or len(labels) != count:
        have = len(labels) if labels.ndim else "no"
        raise UsageError(f"{path}: {have} labels for {count} examples")
    return labels


def _unreadable(error: Exception) -> str:
    if isinstance(error, OSError) and error.strerror:
        return error.strerror.lower()
    words = str(error).splitlines()[0]
    return "neither .npz nor .npy" if words.startswith("This file contains pickled") else words


def check_labels(path: Path, labels: Array, output: Array) -> None:
    """Complain of labels that are no answers to this output."""
    if labels.dtype.kind not in "fiub":
        raise UsageError(f"{path}: labels are {labels.dtype}, which is no number")
    if labels.dtype.kind == "f" and not np.isfinite(labels).all():
        raise UsageError(f"{path}: some labels are not finite, which says nothing of backends")
    classes = output.shape[1] if output.ndim == 2 else 1
    if labels.dtype.kind in "iub" and labels.ndim == 1 and classes > 1:
        low, high = int(labels.min()), int(labels.max())
        if low < 0 or high >= classes:
            raise UsageError(f"{path}: labels from {low} to {high} for {classes} classes")
    elif labels[0].size != output[0].size:
        raise UsageError(
            f"{path}: labels of the shape {_shape(labels.shape)} for outputs of the shape {_shape(output.shape)}"
        )


def made(subject: Subject, *, count: int = COUNT, seed: int = 0, tokens: int = TOKENS[0]) -> dict[str, Array]:
    """Varied inputs of the model's signature, of so many tokens where it takes whole numbers; by the seed alone."""
    silent = [port.name for port in subject.ports if not port.dtype]
    if silent:
        raise UsageError(f"{subject.path}: does not tell what goes into {_quoted(silent)}; give examples by --data")
    random = np.random.default_rng(seed)
    return {port.name: _made(port, count if subject.batched else 1, random, tokens) for port in subject.ports}


def _fitting(path: Path, port: Port, array: Array) -> Array:
    if array.dtype.kind not in "fiub":
        raise UsageError(f"{path}: `{port.name}` holds {array.dtype}, which is no number")
    wanted = _dtype(port) if port.dtype else np.dtype(np.float32) if array.dtype == np.float64 else array.dtype
    if wanted.kind in "iu" and array.dtype.kind == "f" and not np.array_equal(array, np.trunc(array)):
        raise UsageError(f"{path}: `{port.name}` holds {array.dtype}, but the model takes {port.dtype}")
    if port.shape is not None:
        fits = len(port.shape) == array.ndim and all(
            size is None or size == has for size, has in zip(port.shape[1:], array.shape[1:], strict=False)
        )
        first = port.shape[0] if port.shape else None
        fits = fits and (first is None or not array.shape[0] % first)
        if not fits:
            raise UsageError(
                f"{path}: `{port.name}` has the shape {_shape(array.shape)}, but the model takes {_shape(port.shape)}"
            )
    return array.astype(wanted, copy=False)


def _made(port: Port, count: int, random: np.random.Generator, tokens: int) -> Array:
    dims = port.shape if port.shape is not None else (None,)
    picture = len(dims) == 4
    sizes = [size if size is not None else (_OPEN_PICTURE if picture else _OPEN_SIZE) for size in dims]
    if dims:
        sizes[0] = dims[0] if dims[0] is not None else count
    dtype = _dtype(port)
    if dtype.kind == "b":
        return random.random(sizes) < 0.5
    if dtype.kind in "iu":
        return _tokens(sizes, random, tokens).astype(dtype)
    if picture:
        found = _pictures(sizes, random)
    elif len(sizes) in (2, 3) and max(sizes[1:], default=0) >= _LEAST_SOUND:
        found = _sound(sizes, random)
    else:
        found = random.normal(size=sizes)
    return _with_edges(found).astype(dtype)


def _dtype(port: Port) -> np.dtype[Any]:
    return np.dtype(port.dtype) if port.dtype != "bfloat16" else np.dtype(np.float32)


def _tokens(sizes: list[int], random: np.random.Generator, count: int) -> Array:
    """Small numbers more often than large ones."""
    return np.minimum((random.pareto(1.0, size=sizes) * min(4, count / 2)).astype(np.int64), count - 1)


def _pictures(sizes: list[int], random: np.random.Generator) -> Array:
    """Blobs of different sizes under fine texture, from 0 to 1."""
    channels_last = sizes[-1] in _PICTURE_CHANNELS or sizes[1] not in _PICTURE_CHANNELS
    height, width = (sizes[1], sizes[2]) if channels_last else (sizes[2], sizes[3])
    channels = sizes[3] if channels_last else sizes[1]
    down = np.linspace(0, 1, height)[:, None]
    across = np.linspace(0, 1, width)[None, :]
    found = np.zeros((sizes[0], height, width, channels))
    for index in range(sizes[0]):
        for _ in range(4):
            y, x, spread = random.random(), random.random(), 0.05 + 0.3 * random.random()
            blob = np.exp(-((down - y) ** 2 + (across - x) ** 2) / spread**2)
            found[index] += blob[:, :, None] * random.random(channels)
    found += 0.2 * random.random(found.shape)
    found /= np.max(found, axis=(1, 2, 3), keepdims=True)
    return found if channels_last else np.moveaxis(found, -1, 1)


def _sound(sizes: list[int], random: np.random.Generator) -> Array:
    """Sums of waves with noise, along the longest axis."""
    axis = 1 + int(np.argmax(sizes[1:]))
    length = sizes[axis]
    rest = [size for index, size in enumerate(sizes) if index != axis]
    time = np.arange(length) / length
    pitch = 2.0 ** (1 + 8 * random.random((*rest, 3, 1)))
    waves = np.sin(2 * np.pi * (pitch * time + random.random((*rest, 3, 1)))).sum(axis=-2) / 3
    return np.moveaxis(waves + 0.05 * random.normal(size=(*rest, length)), -1, axis)


def _with_edges(found: Array) -> Array:
    """The last examples hold large, small and signed values, where there are enough of them."""
    if len(found) >= 8:
        found[-1] *= 30.0
        found[-2] *= 1e-3
        found[-3] = -found[-3]
    return found


def _quoted(names: list[str]) -> str:
    return ", ".join(f"`{name}`" for name in names) or "none"


def _shape(dims: tuple[int | None, ...]) -> str:
    return "(" + ", ".join("any" if size is None else str(size) for size in dims) + ")"
