"""tqdm: loops that show how far they are."""

from __future__ import annotations

from mlvet.frontends.python.libraries.progress import bars as bars
