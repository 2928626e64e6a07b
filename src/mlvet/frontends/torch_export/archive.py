"""Read `.pt2` archives: a zip of JSON and raw elements. Pickles within are never loaded."""

from __future__ import annotations

import json
import struct
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mlvet.core.errors import UnsupportedInput
from mlvet.domains.dtypes import DType
from mlvet.frontends.torch_export.lowering import lower
from mlvet.frontends.torch_export.scalar_types import BY_NUMBER
from mlvet.frontends.torch_export.schema import program_of
from mlvet.ir.graph import Data, Graph

LARGEST_JSON = 1 << 30
"""A description of a graph that unpacks to more bytes than this is refused."""
LARGEST_RATIO = 200
"""A member that unpacks to this many times its packed size is refused."""
_OLD_MODEL = "serialized_exported_program.json"


def read_pt2(path: Path, shown: str) -> Graph:
    """The graph in a `.pt2` archive. Raises UnsupportedInput, in one sentence, for anything else."""
    try:
        with zipfile.ZipFile(path) as archive:
            return _read(archive, path, shown)
    except zipfile.BadZipFile as error:
        raise UnsupportedInput(_not_a_zip(path)) from error
    except OSError as error:
        raise UnsupportedInput((error.strerror or str(error)).lower()) from error


def _read(archive: zipfile.ZipFile, path: Path, shown: str) -> Graph:
    if min((info.header_offset for info in archive.infolist()), default=0) > 0:
        raise UnsupportedInput(_DAMAGED)  # a zip within a cut-off zip is found in place of the whole
    members = {_inner(info.filename): info for info in archive.infolist()}
    model = _model_member(members)
    document = _json(archive, model)
    elements = Elements(archive, path, members)
    try:
        program = program_of(document, elements.find)
        return lower(program, name=path.stem, path=shown, format="pt2", notes=elements.notes)
    except (KeyError, ValueError, TypeError, AttributeError, IndexError, OverflowError, RecursionError) as error:
        raise UnsupportedInput(f"a damaged exported program ({type(error).__name__}: {error})") from error


@dataclass(slots=True)
class Elements:
    """Finds the elements of weights and constants in an archive, and says in `notes` what it will not read."""

    archive: zipfile.ZipFile
    path: Path
    members: Mapping[str, zipfile.ZipInfo]
    notes: list[str] = field(default_factory=list)
    _configs: dict[str, Mapping[str, Any]] = field(default_factory=dict)

    def find(self, kind: str, name: str) -> Data | None:
        """The elements of a tensor, mapped from the file when they are asked for."""
        if self._big_endian():
            self._note("the weights lie in big-endian order, which mlvet does not read")
            return None
        entry = self._config(kind).get(name) or self._config("weights" if kind == "constants" else "constants").get(
            name
        )
        if entry is None:
            self._note("some weights are not in the archive, or only as pickles, which are never loaded")
            return None
        if entry.get("use_pickle") or entry.get("tensor_meta") is None:
            self._note(f"{name} is stored as a pickle, which is never loaded")
            return None
        folder = "weights" if entry is self._config("weights").get(name) else "constants"
        info = self.members.get(f"data/{folder}/{entry['path_name']}")
        meta = entry["tensor_meta"]
        dtype = BY_NUMBER.get(meta["dtype"])
        if info is None or dtype is None:
            self._note(f"the elements of {name} are not in the archive")
            return None
        shape = tuple(int(size["as_int"]) for size in meta["sizes"])
        strides = tuple(int(stride["as_int"]) for stride in meta["strides"])
        offset = int(meta["storage_offset"].get("as_int", 0))
        return Data(dtype, shape, lambda: _elements(self.path, info, dtype, shape, strides, offset))

    def _config(self, kind: str) -> Mapping[str, Any]:
        if kind not in self._configs:
            info = self.members.get(f"data/{kind}/model_{kind}_config.json")
            document = _json(self.archive, info) if info is not None else {}
            config = document.get("config")
            self._configs[kind] = config if isinstance(config, Mapping) else {}
        return self._configs[kind]

    def _big_endian(self) -> bool:
        info = self.members.get("byteorder")
        return info is not None and info.file_size < 16 and self.archive.read(info).strip() == b"big"

    def _note(self, text: str) -> None:
        if text not in self.notes:
            self.notes.append(text)


def _elements(
    path: Path, info: zipfile.ZipInfo, dtype: DType, shape: tuple[int, ...], strides: tuple[int, ...], offset: int
) -> NDArray[Any]:
    """Elements mapped from the file where they lie unpacked, in the shape and strides that the archive tells."""
    width = dtype.numpy.itemsize
    if min((*shape, *strides, offset), default=0) < 0:
        raise UnsupportedInput(f"the size of {info.filename} is negative")
    if 0 in shape:
        return np.empty(shape, dtype.numpy)
    needed = offset + 1 + sum((size - 1) * stride for size, stride in zip(shape, strides, strict=True))
    if needed * width > info.file_size:
        raise UnsupportedInput(f"{info.filename} holds {info.file_size} bytes where {needed * width} are needed")
    if info.compress_type == zipfile.ZIP_STORED:
        flat: NDArray[Any] = np.memmap(path, dtype.numpy, "r", offset=_data_offset(path, info), shape=(needed,))
    else:
        _check_ratio(info)
        with zipfile.ZipFile(path) as archive:
            flat = np.frombuffer(archive.read(info), dtype.numpy, needed)
    view = np.lib.stride_tricks.as_strided(
        flat[offset:], shape, [stride * width for stride in strides], writeable=False
    )
    return np.asarray(view)


def _data_offset(path: Path, info: zipfile.ZipInfo) -> int:
    """Where a member's bytes start: after its local header, whose name and extra field have their own lengths."""
    with path.open("rb") as file:
        file.seek(info.header_offset)
        header = file.read(30)
    if len(header) < 30 or header[:4] != b"PK\x03\x04":
        raise UnsupportedInput(f"{info.filename} has no header in the archive")
    name, extra = struct.unpack("<HH", header[26:30])
    start: int = info.header_offset + 30 + name + extra
    if start + info.file_size > path.stat().st_size:
        raise UnsupportedInput(f"{info.filename} reaches beyond the end of the archive")
    return start


def _model_member(members: Mapping[str, zipfile.ZipInfo]) -> zipfile.ZipInfo:
    models = sorted(name for name in members if name.startswith("models/") and name.endswith(".json"))
    if models:
        return members["models/model.json" if "models/model.json" in models else models[0]]
    if _OLD_MODEL in members:
        return members[_OLD_MODEL]
    if any(name.startswith("code/") for name in members):
        raise UnsupportedInput("a TorchScript archive; save the model with torch.export.save instead")
    if "data.pkl" in members or any(name.endswith(".pkl") for name in members):
        raise UnsupportedInput(_CHECKPOINT)
    if any(name.startswith("data/aotinductor") for name in members):
        raise UnsupportedInput("an archive of compiled code without an exported program")
    raise UnsupportedInput("a zip archive without an exported program")


_DAMAGED = "a truncated or damaged archive"
_CHECKPOINT = (
    "a pickled checkpoint, which can run code and holds no graph; export the model with torch.export.save instead"
)


def _inner(name: str) -> str:
    """A member's name without the folder that torch puts around everything."""
    if name == _OLD_MODEL or name.split("/", 1)[0] in ("models", "data"):
        return name
    return name.partition("/")[2] or name


def _json(archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> Mapping[str, Any]:
    if info.file_size > LARGEST_JSON:
        raise UnsupportedInput(f"{info.filename} unpacks to {info.file_size >> 20} MB, more than mlvet reads")
    _check_ratio(info)
    try:
        with archive.open(info) as member:
            text = member.read(LARGEST_JSON + 1)
        document = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise UnsupportedInput(f"{info.filename} is not JSON: {error}") from error
    except (zipfile.BadZipFile, EOFError, NotImplementedError, RuntimeError, struct.error) as error:
        raise UnsupportedInput(f"{info.filename} cannot be unpacked: {error}") from error
    if not isinstance(document, Mapping):
        raise UnsupportedInput(f"{info.filename} is not a JSON object")
    return document


def _check_ratio(info: zipfile.ZipInfo) -> None:
    if info.file_size > LARGEST_RATIO * max(info.compress_size, 1) and info.file_size > 1 << 20:
        raise UnsupportedInput(
            f"{info.filename} unpacks to {info.file_size // max(info.compress_size, 1)} times its size"
        )


def _not_a_zip(path: Path) -> str:
    with path.open("rb") as file:
        start = file.read(2)
    if start[:1] == b"\x80":
        return _CHECKPOINT
    if start == b"PK":
        return _DAMAGED
    return "not an exported program of torch: the file is no zip archive"
