"""Where mlvet keeps what it may recompute."""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path

from mlvet.core.errors import UsageError


def cache_folder() -> Path:
    """The cache folder, made if need be.

    MLVET_CACHE_DIR if set, else `mlvet` in XDG_CACHE_HOME or in ~/.cache. Where that cannot be written, a folder
    of this user in the system's temporary folder.
    """
    explicit = os.environ.get("MLVET_CACHE_DIR")
    if explicit:
        folder = Path(explicit).expanduser().absolute()
        if not _usable(folder):
            raise UsageError(f"{folder}: cannot write the cache; set MLVET_CACHE_DIR to another folder")
        return folder
    preferred = _preferred()
    if preferred is not None and _usable(preferred):
        return preferred
    fallback = _fallback()
    return fallback if _usable(fallback) and _owned(fallback) else Path(tempfile.mkdtemp(prefix="mlvet-"))


def clean() -> int:
    """Delete the cache folder and nothing else; the answer is how many bytes that frees."""
    explicit = os.environ.get("MLVET_CACHE_DIR")
    candidates = [Path(explicit).expanduser().absolute()] if explicit else [_preferred(), _fallback()]
    return sum(_delete(folder) for folder in candidates if folder is not None and os.path.lexists(folder))


def _delete(folder: Path) -> int:
    if folder.is_symlink():
        raise UsageError(f"{folder}: the cache folder is a symbolic link; delete it by hand")
    if not folder.is_dir():
        raise UsageError(f"{folder}: the cache folder is not a folder")
    kept = [Path.cwd(), Path(tempfile.gettempdir()), *([home] if (home := _home()) else [])]
    resolved = folder.resolve()
    if any(place.resolve().is_relative_to(resolved) for place in kept):
        raise UsageError(f"{folder}: the cache folder holds your home, working or temporary folder; it is not deleted")
    freed = _size(folder)
    try:
        shutil.rmtree(folder)
    except OSError as error:
        raise UsageError(f"{folder}: cannot delete the cache: {error.strerror}") from error
    return freed


def _size(folder: Path) -> int:
    paths = (Path(parent, name) for parent, _, names in os.walk(folder) for name in names)
    return sum(path.lstat().st_size for path in paths)


def _preferred() -> Path | None:
    configured = os.environ.get("XDG_CACHE_HOME", "")
    if os.path.isabs(configured):
        return Path(configured, "mlvet")
    home = _home()
    return home / ".cache" / "mlvet" if home else None


def _fallback() -> Path:
    user = str(os.getuid()) if hasattr(os, "getuid") else os.environ.get("USERNAME", "user")
    return Path(tempfile.gettempdir(), f"mlvet-{user}")


def _home() -> Path | None:
    """The home folder, if there is one."""
    try:
        home = Path.home()
    except RuntimeError:
        return None
    return home if home.is_dir() else None


def _usable(folder: Path) -> bool:
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        with tempfile.TemporaryFile(dir=folder):
            return True
    except OSError:
        return False


def _owned(folder: Path) -> bool:
    """Whether nobody else can have put the folder there to feed us its contents."""
    return not folder.is_symlink() and (not hasattr(os, "getuid") or folder.stat().st_uid == os.getuid())
