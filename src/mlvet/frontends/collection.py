"""Garbage collection while a graph is built.

A reader makes millions of objects and frees almost none; a collector that walks them all again and again takes as long
as the reading itself.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def paused() -> Iterator[None]:
    """No collection of cycles within; afterwards as before."""
    was = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was:
            gc.enable()
