"""datasets and evaluate: tables of examples by their columns, and scores of predictions."""

from __future__ import annotations

from mlvet.frontends.python.libraries.datasets import features as features
from mlvet.frontends.python.libraries.datasets import loading as loading
from mlvet.frontends.python.libraries.datasets import scores as scores
from mlvet.frontends.python.libraries.datasets import tables as tables
