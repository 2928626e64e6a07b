"""`mlvet clean`: delete the cache."""

from __future__ import annotations

import argparse

from mlvet.cli.streams import put
from mlvet.engine.cache import clean


def run(options: argparse.Namespace) -> int:
    """Delete what earlier runs left behind."""
    del options
    freed = clean()
    put(f"Freed {freed / 2**20:.1f} MB.\n")
    return 0
