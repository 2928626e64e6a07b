"""Reading Keras files: what kind of file it is, where its architecture lies and where its weights."""

from __future__ import annotations

import functools
import io
import pathlib
import zipfile
from collections.abc import Mapping
from typing import Any

from mlvet.core.errors import UnsupportedInput
from mlvet.frontends.keras import archive, hdf5
from mlvet.frontends.keras.lowering import lower_model
from mlvet.frontends.keras.stored import ByName, ByPlace, Nothing, Stored
from mlvet.ir.graph import Data, Graph

_WEIGHTS = "model.weights.h5"
_HDF5_MAGIC = b"\x89HDF\r\n\x1a\n"


def read_keras(path: pathlib.Path, shown: str) -> Graph:
    """The graph of a `.keras` archive or of an HDF5 file that holds a whole model.

    Raises UnsupportedInput, with a message that leaves the file's name to the caller, if the file is neither, is
    damaged, or holds weights without an architecture.
    """
    try:
        if _starts(path, _HDF5_MAGIC):
            return _read_hdf5(path, shown)
        if zipfile.is_zipfile(path):
            return _read_archive(path, shown)
    except RecursionError as error:
        raise UnsupportedInput("the model configuration is nested too deeply") from error
    if path.suffix == ".keras":
        raise UnsupportedInput("not a readable .keras archive: the file is truncated or is no zip file")
    raise UnsupportedInput("not a readable HDF5 file: the file is truncated or is no HDF5 file")


def read_weights(path: pathlib.Path) -> dict[str, Data]:
    """The arrays of a Keras file, whole model or weights alone, by their path in the HDF5 part."""
    if _starts(path, _HDF5_MAGIC):
        return dict(hdf5.list_file(lambda: path).datasets)
    opened = archive.open_weights(path, _WEIGHTS)
    if opened is None:
        raise UnsupportedInput(f"the archive has no {_WEIGHTS}")
    opened.close()
    return dict(hdf5.list_file(_member(path)).datasets)


def _read_hdf5(path: pathlib.Path, shown: str) -> Graph:
    listing = hdf5.list_file(lambda: path)
    text = listing.attributes.get("model_config")
    if text is None:
        raise UnsupportedInput("the file holds weights only, no architecture; the whole model is needed")
    config = archive.parse_json(text, "model_config")
    root = "model_weights" if "model_weights" in listing.layer_names else ""
    version = listing.attributes.get("keras_version", "2")
    return lower_model(config, ByName.root(listing, root), shown=shown, format="keras-h5", version=version)


def _read_archive(path: pathlib.Path, shown: str) -> Graph:
    config = archive.read_json(path, "config.json")
    if config is None:
        raise UnsupportedInput("the archive has no config.json, so it is no Keras model")
    metadata: Any = archive.read_json(path, "metadata.json")
    version = metadata.get("keras_version") if isinstance(metadata, Mapping) else None
    stored, notes = _stored(path)
    return lower_model(
        config, stored, shown=shown, format="keras", version=version if isinstance(version, str) else "3", notes=notes
    )


def _stored(path: pathlib.Path) -> tuple[Stored, list[str]]:
    """The weights of an archive; an archive whose weights cannot be read still has an architecture."""
    opened = archive.open_weights(path, _WEIGHTS)
    if opened is None:
        return Nothing(), [f"the archive has no {_WEIGHTS}"]
    opened.close()
    try:
        return ByPlace(hdf5.list_file(_member(path)), ""), []
    except UnsupportedInput as error:
        if "pip install" in str(error):
            raise
        return Nothing(), [f"{_WEIGHTS}: {error}"]


def _member(path: pathlib.Path) -> hdf5.Open:
    """Opens the weights of an archive anew each time; what had to be unpacked is unpacked once."""

    @functools.cache
    def unpacked() -> bytes | None:
        opened = archive.open_weights(path, _WEIGHTS)
        with opened if opened is not None else io.BytesIO() as stream:
            return stream.getvalue() if isinstance(stream, io.BytesIO) else None

    def opened() -> Any:
        content = unpacked()
        return archive.open_weights(path, _WEIGHTS) if content is None else io.BytesIO(content)

    return opened


def _starts(path: pathlib.Path, magic: bytes) -> bool:
    try:
        with path.open("rb") as stream:
            return stream.read(len(magic)) == magic
    except OSError as error:
        raise UnsupportedInput(f"cannot be read: {error.strerror or error}") from error
