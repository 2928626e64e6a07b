"""SciPy."""

from __future__ import annotations

from mlvet.frontends.python.libraries.scipy import functions as functions
from mlvet.frontends.python.libraries.scipy import signals as signals
