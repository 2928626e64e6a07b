"""Executed witnesses: inputs inside of the assumed ranges for which a hazard really happens."""

from __future__ import annotations

from mlvet.analyses.numerics.witness.found import Witness
from mlvet.analyses.numerics.witness.keep import save
from mlvet.analyses.numerics.witness.replay import replay
from mlvet.analyses.numerics.witness.search import search

__all__ = ["Witness", "replay", "save", "search"]
