"""trimesh: surfaces in space, whose points have three coordinates."""

from __future__ import annotations

from typing import Any

from mlvet.domains import dtypes
from mlvet.domains.dims import Dim, symbol
from mlvet.domains.tensors import Tensor as Type
from mlvet.frontends.python.active import machine
from mlvet.frontends.python.emission import source
from mlvet.frontends.python.libraries.binding import as_size
from mlvet.frontends.python.libraries.numpy.arrays import ndarray
from mlvet.frontends.python.libraries.registry import model
from mlvet.frontends.python.values.objects import Object


@model("trimesh.Trimesh")
class Trimesh(Object):
    def __init__(self, *args: Any, **rest: Any) -> None:
        self.vertices = _points("vertices", symbol(machine().fresh("vertices")))
        self.faces = source("faces", Type(dtypes.i64, (symbol(machine().fresh("faces")), 3)), ndarray)

    def sample(self, count: Any, return_index: Any = False, **rest: Any) -> Any:
        size = as_size(count, "points")
        points = _points("points", size)
        return (points, source("index", Type(dtypes.i64, (size,)), ndarray)) if return_index is True else points

    def show(self, **rest: Any) -> None:
        """Draws the surface."""

    def export(self, *args: Any, **rest: Any) -> None:
        """Writes a file."""


def _points(name: str, count: Dim) -> Any:
    return source(name, Type(dtypes.f64, (count, 3)), ndarray)


@model("trimesh.load", "trimesh.load_mesh")
def load(file_obj: Any, file_type: Any = None, **rest: Any) -> Any:
    return Trimesh()
