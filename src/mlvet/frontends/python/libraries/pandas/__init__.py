"""pandas."""

from __future__ import annotations

from mlvet.frontends.python.libraries.pandas import columns as columns
from mlvet.frontends.python.libraries.pandas import frames as frames
from mlvet.frontends.python.libraries.pandas import repositories as repositories
from mlvet.frontends.python.libraries.pandas import tables as tables
