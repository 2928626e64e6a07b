"""scikit-learn."""

from __future__ import annotations

from mlvet.frontends.python.libraries.sklearn import data as data
from mlvet.frontends.python.libraries.sklearn import estimators as estimators
from mlvet.frontends.python.libraries.sklearn import scores as scores
from mlvet.frontends.python.libraries.sklearn import splitting as splitting
