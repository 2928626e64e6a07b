"""What an HDF5 file holds, listed once; the arrays stay in the file until they are asked for."""

from __future__ import annotations

import io
import pathlib
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import IO, Any

import ml_dtypes
import numpy as np
from numpy.typing import NDArray

from mlvet.core.errors import UnsupportedInput
from mlvet.domains import dtypes
from mlvet.ir.graph import Data

Open = Callable[[], "IO[bytes] | pathlib.Path"]

_LOAD_LIMIT = 64 << 30
_RATIO_LIMIT = 2000
_EXEMPT = 64 << 20


@dataclass(frozen=True, slots=True)
class Listing:
    """The datasets of a file by path, and the attributes that say what belongs to which layer.

    `names`, `weight_names` and `layer_names` are attributes of groups, `attributes` those of the file.
    """

    datasets: dict[str, Data]
    names: dict[str, str] = field(default_factory=dict)
    weight_names: dict[str, tuple[str, ...]] = field(default_factory=dict)
    layer_names: dict[str, tuple[str, ...]] = field(default_factory=dict)
    attributes: dict[str, str] = field(default_factory=dict)


def list_file(open_file: Open) -> Listing:
    """List an HDF5 file. Links to other files are not followed, nor are arrays that lie in other files listed."""
    h5py = _h5py()
    listing = Listing({})
    with _opened(h5py, open_file) as file:
        try:
            for key in ("model_config", "keras_version", "backend"):
                text = _text(file.attrs.get(key))
                if text is not None:
                    listing.attributes[key] = text
            _note_group("", file, listing)
            file.visititems(lambda path, item: _note(h5py, path, item, listing, open_file))
        except (OSError, RuntimeError, ValueError, KeyError, TypeError) as error:
            raise UnsupportedInput(f"damaged HDF5: {_line(error)}") from error
    return listing


def _note(h5py: Any, path: str, item: Any, listing: Listing, open_file: Open) -> None:
    if isinstance(item, h5py.Group):
        _note_group(path, item, listing)
    elif isinstance(item, h5py.Dataset):
        data = _data(path, item, open_file)
        if data is not None:
            listing.datasets[path] = data


def _note_group(path: str, group: Any, listing: Listing) -> None:
    name = _text(group.attrs.get("name"))
    if name is not None:
        listing.names[path] = name
    for key, table in (("weight_names", listing.weight_names), ("layer_names", listing.layer_names)):
        found = _texts(group, key)
        if found is not None:
            table[path] = found


def _texts(group: Any, key: str) -> tuple[str, ...] | None:
    """A list of names; long ones are split over numbered attributes."""
    if key in group.attrs:
        return tuple(_text(name) or "" for name in np.ravel(group.attrs[key]))
    pieces: list[str] = []
    index = 0
    while f"{key}{index}" in group.attrs:
        pieces += [_text(name) or "" for name in np.ravel(group.attrs[f"{key}{index}"])]
        index += 1
    return tuple(pieces) if index else None


def _data(path: str, dataset: Any, open_file: Open) -> Data | None:
    if dataset.shape is None or dataset.is_virtual or dataset.external:
        return None
    stored = dataset.dtype
    actual = stored
    if _text(dataset.attrs.get("dtype")) == "bfloat16" and stored.itemsize == 2:
        actual = np.dtype(ml_dtypes.bfloat16)
    try:
        dtype = dtypes.of(actual)
    except KeyError:
        return None
    return Data(dtype, tuple(int(dim) for dim in dataset.shape), lambda: _load(path, actual, open_file))


def _load(path: str, actual: np.dtype[Any], open_file: Open) -> NDArray[Any]:
    h5py = _h5py()
    with _opened(h5py, open_file) as file:
        try:
            dataset = file[path]
            size = dataset.size * dataset.dtype.itemsize
            if size > min(_LOAD_LIMIT, max(_EXEMPT, dataset.id.get_storage_size() * _RATIO_LIMIT)):
                raise UnsupportedInput(f"{path} would take {size >> 20} MB, far more than the file stores for it")
            array: NDArray[Any] = np.asarray(dataset[()])
        except (OSError, RuntimeError, ValueError, KeyError, MemoryError) as error:
            raise UnsupportedInput(f"{path} cannot be read: {_line(error)}") from error
    return array.view(actual) if array.dtype != actual else array


def _opened(h5py: Any, open_file: Open) -> Any:
    source = open_file()
    try:
        return h5py.File(source, "r")
    except (OSError, RuntimeError, ValueError, KeyError, TypeError) as error:
        if isinstance(source, io.IOBase):
            source.close()
        raise UnsupportedInput(f"not a readable HDF5 file: {_line(error)}") from error


def _h5py() -> Any:
    """h5py, loaded when the first file is opened."""
    import h5py  # type: ignore[import-untyped, unused-ignore]

    return h5py


def _text(value: object) -> str | None:
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    return str(value) if isinstance(value, str) else None


def _line(error: BaseException) -> str:
    return str(error).splitlines()[0] if str(error) else type(error).__name__
