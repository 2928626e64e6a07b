"""Arrays from files and to files, and settings of the library."""

from __future__ import annotations

from typing import Any

from mlvet.domains import dtypes
from mlvet.domains.dims import symbol
from mlvet.domains.tensors import Tensor as Type
from mlvet.domains.tensors import unknown
from mlvet.frontends.python.active import machine
from mlvet.frontends.python.emission import source
from mlvet.frontends.python.libraries.binding import Tensor, as_items
from mlvet.frontends.python.libraries.numpy.arrays import as_ndarray, ndarray
from mlvet.frontends.python.libraries.numpy.creation import sizes_of
from mlvet.frontends.python.libraries.numpy.element_types import element_type
from mlvet.frontends.python.libraries.registry import model
from mlvet.frontends.python.values.containers import ListValue, Repeated
from mlvet.frontends.python.values.numbers import Scalar
from mlvet.frontends.python.values.objects import Object


class Archive(Object):
    """What `np.load` yields: an array of an .npy file, or the arrays of an .npz file by their names."""

    def __getitem__(self, name: Any) -> Any:
        label = name if isinstance(name, str) else "loaded"
        return source(label, unknown(machine().fresh(label)), ndarray)

    def __contains__(self, name: Any) -> bool:
        return True

    def __enter__(self) -> Any:
        return self

    def __exit__(self, *args: Any) -> None:
        """Closes the file."""

    def close(self) -> None:
        """Closes the file."""

    @property
    def files(self) -> Any:
        return ListValue(Repeated(Scalar(str), symbol(machine().fresh("arrays"))))

    def keys(self) -> Any:
        return self.files


@model("numpy.load")
def load(file: Any, mmap_mode: Any = None, allow_pickle: Any = False, fix_imports: Any = True, **rest: Any) -> Any:
    if isinstance(file, str) and file.endswith(".npz"):
        return Archive()
    return source("loaded", unknown(machine().fresh("loaded")), Loaded)


class Loaded(ndarray):
    """An array, or an archive of arrays, of a file whose name is not known."""

    __slots__ = ()

    def __enter__(self) -> Any:
        return Archive()

    def __exit__(self, *args: Any) -> None:
        """Closes the file."""

    @property
    def files(self) -> Any:
        return Archive().files

    def keys(self) -> Any:
        return Archive().keys()


@model("numpy.loadtxt", "numpy.genfromtxt")
def loadtxt(
    fname: Any, dtype: Any = float, comments: Any = "#", delimiter: Any = None, converters: Any = None,
    skiprows: Any = 0, usecols: Any = None, unpack: bool = False, ndmin: Any = 0, **rest: Any,
) -> Any:  # fmt: skip
    rows = symbol(machine().fresh("rows"))
    if isinstance(usecols, int):
        return source("table", Type(element_type(dtype), (rows,)), ndarray)
    listed = isinstance(usecols, tuple) or (isinstance(usecols, ListValue) and isinstance(usecols.items, tuple))
    columns = len(as_items(usecols)) if listed else symbol(machine().fresh("columns"))
    if unpack and isinstance(columns, int):
        return tuple(source("column", Type(element_type(dtype), (rows,)), ndarray) for _ in range(columns))
    dims = (columns, rows) if unpack else (rows, columns)
    return source("table", Type(element_type(dtype), dims), ndarray)


@model("numpy.fromfile", "numpy.frombuffer", "numpy.fromstring")
def fromfile(file: Any, dtype: Any = float, count: Any = -1, *args: Any, **rest: Any) -> Tensor:
    size = count if isinstance(count, int) and count >= 0 else symbol(machine().fresh("elements"))
    return source("file", Type(element_type(dtype) or dtypes.f64, (size,)), ndarray)


@model("numpy.ma.masked_where")
def masked_where(condition: Any, a: Any, copy: Any = True) -> Any:
    return as_ndarray(a)


@model("numpy.ma.array", "numpy.ma.masked_array")
def masked_array(data: Any, mask: Any = None, dtype: Any = None, **rest: Any) -> Any:
    return as_ndarray(data, element_type(dtype))


@model("numpy.memmap")
def memmap(
    filename: Any, dtype: Any = "uint8", mode: Any = "r+", offset: Any = 0, shape: Any = None, order: Any = "C"
) -> Tensor:
    sizes = (symbol(machine().fresh("elements")),) if shape is None else sizes_of(shape)
    return source("memmap", Type(element_type(dtype), sizes), ndarray)


@model("numpy.save", "numpy.savez", "numpy.savez_compressed", "numpy.savetxt", "numpy.set_printoptions", "numpy.seterr")
def nothing(*args: Any, **keywords: Any) -> None:
    """Writes a file, or sets how arrays are shown."""


@model("numpy.errstate", "numpy.printoptions")
class Setting(Object):
    """How errors are treated within a `with` statement."""

    def __enter__(self) -> Any:
        return self

    def __exit__(self, *args: Any) -> None:
        """Sets what was before."""


def _passes(*args: Any, **keywords: Any) -> None:
    """An assertion on elements, which shapes do not decide."""


for _name in (
    "assert_allclose", "assert_array_equal", "assert_equal", "assert_array_almost_equal", "assert_almost_equal",
    "assert_array_less", "assert_string_equal", "assert_", "assert_raises",
):  # fmt: skip
    model(f"numpy.testing.{_name}")(_passes)
