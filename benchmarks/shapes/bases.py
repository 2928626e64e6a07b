"""The base programs: which files they are, where they come from and how they are run.

Our own are in the folder `programs`; of fetched ones only the place in the corpora, the hash and the arguments are
kept. The first file is the one that is changed.
"""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
OURS = "ours"


@dataclass(frozen=True, slots=True)
class Program:
    """A correct program: its files below the project folder, the first of them the one that is changed."""

    name: str
    framework: str
    corpus: str
    project: str
    files: tuple[str, ...]
    sha256: Mapping[str, str]
    entry: str
    wrapper: str = ""
    arguments: tuple[str, ...] = ()
    environment: str = "side"
    seconds: float = 40.0
    data: Mapping[str, str] = field(default_factory=dict)

    @property
    def fetched(self) -> bool:
        return self.corpus != OURS

    def source(self, corpora: Path, name: str) -> Path:
        """Where a file of the program is."""
        root = corpora / self.corpus if self.fetched else HERE / "programs"
        return root / self.project / name

    def text(self, corpora: Path) -> str:
        """The text of the file that is changed."""
        return self.source(corpora, self.files[0]).read_text(encoding="utf-8")

    def write(self, corpora: Path, folder: Path, text: str | None = None) -> Path:
        """Write the files below a folder, the first with another text if one is given; returns the one that is run."""
        for name in self.files:
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(self.source(corpora, name), folder / name)
        if self.wrapper:
            shutil.copyfile(HERE / "programs" / self.wrapper, folder / self.entry)
        if text is not None:
            (folder / self.files[0]).write_text(text, encoding="utf-8")
        return folder / self.entry

    def altered(self, corpora: Path) -> list[str]:
        """The files whose content is not the recorded one."""
        return [name for name in self.files if digest(self.source(corpora, name)) != self.sha256[name]]


def programs(path: Path = HERE / "programs.json") -> list[Program]:
    """Every base program."""
    return [_program(record) for record in json.loads(path.read_text(encoding="utf-8"))]


def digest(path: Path) -> str:
    """The hash of a file, or nothing if the file is missing."""
    return hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else ""


def _program(record: Mapping[str, Any]) -> Program:
    values = dict(record)
    values["files"], values["arguments"] = tuple(values["files"]), tuple(values.get("arguments", ()))
    values["entry"] = values.get("entry", values["files"][0])
    return Program(**values)
