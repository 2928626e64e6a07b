"""ucimlrepo: data sets of a public collection as tables."""

from __future__ import annotations

from typing import Any

from mlvet.frontends.python.libraries.pandas.columns import rows_named
from mlvet.frontends.python.libraries.pandas.tables import table
from mlvet.frontends.python.libraries.registry import model
from mlvet.frontends.python.values.objects import Object
from mlvet.frontends.python.values.unknown import Reason, Unknown


class Collected(Object):
    """A data set: the tables of its features and targets, and what is said of it."""

    def __init__(self) -> None:
        rows = rows_named()
        self.data = Object()
        for name in ("features", "targets", "original"):
            setattr(self.data, name, table(name, rows, None))
        self.metadata = Unknown(Reason.EXTERNAL_DATA, "metadata", "metadata")
        self.variables = table("variables", rows_named("variables"), None)


@model("ucimlrepo.fetch_ucirepo")
def fetch_ucirepo(name: Any = None, id: Any = None) -> Any:
    return Collected()
