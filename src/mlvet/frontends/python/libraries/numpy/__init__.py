"""NumPy."""

from __future__ import annotations

from mlvet.frontends.python.libraries.numpy import arrays as arrays
from mlvet.frontends.python.libraries.numpy import creation as creation
from mlvet.frontends.python.libraries.numpy import element_types as element_types
from mlvet.frontends.python.libraries.numpy import elementwise as elementwise
from mlvet.frontends.python.libraries.numpy import files as files
from mlvet.frontends.python.libraries.numpy import products as products
from mlvet.frontends.python.libraries.numpy import random as random
from mlvet.frontends.python.libraries.numpy import reductions as reductions
from mlvet.frontends.python.libraries.numpy import selection as selection
from mlvet.frontends.python.libraries.numpy import shaping as shaping
