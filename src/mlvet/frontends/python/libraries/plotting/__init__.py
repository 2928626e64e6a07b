"""Matplotlib: figures, which no tensor depends on."""

from __future__ import annotations

from mlvet.frontends.python.libraries.plotting import figures as figures
