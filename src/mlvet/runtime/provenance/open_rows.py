"""What a replay does once for each operation: numbers with places, the open rows of the tape, sums of loops;
and the one loop of a sweep.

`native.c` is compiled where mlvet is installed. Where no compiler was at hand, or `MLVET_PURE_PYTHON` is set, the same
classes in Python serve; they take about twice as long.

Operands are handed on as they are, each with the partial derivative by it; those without a place are passed over.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from mlvet.runtime.provenance.rows_in_python import Rows, Sum, TracedFloat, bind, entries_of, number, swept

if not TYPE_CHECKING and not os.environ.get("MLVET_PURE_PYTHON"):
    try:
        from mlvet.runtime.provenance.native import Rows, Sum, TracedFloat, bind, number, swept
    except ImportError:
        pass

__all__ = ["Rows", "Sum", "TracedFloat", "bind", "entries_of", "number", "swept"]
