"""How primitives of JAX become canonical operators, a file per family."""

from __future__ import annotations

from mlvet.frontends.jaxpr.tables import control as control
from mlvet.frontends.jaxpr.tables import elementwise as elementwise
from mlvet.frontends.jaxpr.tables import indexing as indexing
from mlvet.frontends.jaxpr.tables import layout as layout
from mlvet.frontends.jaxpr.tables import products as products
from mlvet.frontends.jaxpr.tables import reductions as reductions
from mlvet.frontends.jaxpr.tables import windows as windows
