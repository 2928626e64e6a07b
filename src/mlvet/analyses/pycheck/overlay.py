"""A tree of links to a project in which some files are replaced, so that imports resolve as in the original."""

from __future__ import annotations

import os
from pathlib import Path


def overlay(file: Path, base: Path, folder: Path) -> Path:
    """The place in `folder` of a file of `base`, free to be written; everything beside it links to the original."""
    here, original = folder, base
    for part in ("", *file.relative_to(base).parts[:-1]):
        here, original = here / part, original / part
        if here.is_symlink():
            here.unlink()
        if not here.exists():
            here.mkdir(parents=True)
            for entry in os.scandir(original):
                if not entry.name.startswith("."):
                    (here / entry.name).symlink_to(entry.path)
    place = here / file.name
    place.unlink(missing_ok=True)
    return place
