"""`mlvet clean`: delete the cache."""

from __future__ import annotations

import argparse
import sys

from mlvet.engine.cache import clean


def run(options: argparse.Namespace) -> int:
    """Delete what earlier runs left behind."""
    del options
    freed = clean()
    sys.stdout.write(f"Freed {freed / 2**20:.1f} MB.\n")
    return 0
