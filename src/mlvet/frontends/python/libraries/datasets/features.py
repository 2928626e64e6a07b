"""What one example of a data set has in its columns, and what it becomes in the format of a library."""

from __future__ import annotations

from typing import Any

from mlvet.domains import dtypes
from mlvet.domains.dims import Dim, Expr, symbol
from mlvet.domains.tensors import Tensor as Type
from mlvet.frontends.python.active import machine, store
from mlvet.frontends.python.arrays.creation import from_python
from mlvet.frontends.python.emission import opaque, source
from mlvet.frontends.python.libraries.binding import TENSORS
from mlvet.frontends.python.libraries.registry import load, model
from mlvet.frontends.python.values.containers import DictValue, ListValue, Repeated
from mlvet.frontends.python.values.numbers import Scalar
from mlvet.frontends.python.values.objects import Object
from mlvet.frontends.python.values.tensors import TensorValue, dims_of, dtype_of
from mlvet.frontends.python.values.unknown import Reason, Undecided, Unknown

LIBRARIES = {
    "torch": "torch", "pt": "torch", "pytorch": "torch", "tensorflow": "tensorflow", "tf": "tensorflow",
    "numpy": "numpy", "np": "numpy", "jax": "jax",
}  # fmt: skip


def text() -> Any:
    return Scalar(str, "text")


def number(name: str = "label") -> Any:
    return symbol(machine().fresh(name))


def several(element: Any, name: str = "items") -> Any:
    return ListValue(Repeated(element, symbol(machine().fresh(name))))


def picture(width: Dim | None = None, height: Dim | None = None, mode: str | None = None) -> Any:
    load("PIL")
    from mlvet.frontends.python.libraries.images.pictures import picture as made

    across = symbol(machine().fresh("width")) if width is None else width
    return made(across, symbol(machine().fresh("height")) if height is None else height, mode)


def sound() -> Any:
    load("numpy")
    samples = source("audio", Type(dtypes.f32, (symbol(machine().fresh("samples")),)), TENSORS["numpy"])
    return DictValue({"array": samples, "sampling_rate": symbol("sampling_rate"), "path": Scalar(str, "path")})


def formatted(value: Any, library: str | None) -> Any:
    """A value of an example or of a batch as the library's tensor, if it is made of numbers; else as it is."""
    if library is None or isinstance(value, Unknown):
        return value
    load(library)
    kind = TENSORS[library]
    if isinstance(value, TensorValue):
        known = dtype_of(value)
        narrow = dtypes.f32 if known is dtypes.f64 else known
        return (
            opaque("format", [value], Type(narrow, dims_of(value) or ()), kind) if dims_of(value) is not None else value
        )
    if not _numeric(value):
        return value
    try:
        made = from_python(value, kind)
    except Undecided:
        return value
    lists = _depth(value)
    return _channels_first(made, lists) if library == "torch" and lists is not None else made


def _depth(value: Any) -> int | None:
    """In how many lists a picture lies; None if it is none."""
    if isinstance(value, ListValue):
        items = value.items
        element = items.element if isinstance(items, Repeated) else items[0] if items else None
        inner = _depth(element)
        return None if inner is None else inner + 1
    return 0 if isinstance(value, Object) and not isinstance(value, TensorValue) else None


def _channels_first(made: Any, lists: int) -> Any:
    """Pictures as PyTorch wants them; those of one channel get a dim for it."""
    dims = dims_of(made) or ()
    outer, inner = dims[:lists], dims[lists:]
    channels = inner[2:] or (1,)
    return opaque("channels first", [made], Type(dtype_of(made), (*outer, *channels, *inner[:2])), type(made))


def _numeric(value: Any) -> bool:
    match value:
        case bool() | int() | float() | Expr() | TensorValue():
            return True
        case Scalar():
            return value.kind in (int, float, bool)
        case ListValue():
            items = value.items
            return _numeric(items.element) if isinstance(items, Repeated) else bool(items) and all(map(_numeric, items))
        case Object():
            return hasattr(type(value), "as_tensor")
    return False


@model("datasets.ClassLabel", "datasets.features.ClassLabel")
class ClassLabel(Object):
    """A column of classes."""

    __slots__ = ()

    def __init__(self, num_classes: Any = None, names: Any = None, *args: Any, **kwargs: Any) -> None:
        items = names.items if isinstance(names, ListValue) else names
        known = len(items) if isinstance(items, tuple) else None
        count = num_classes if num_classes is not None else known
        store(self.cells, "num_classes", symbol(machine().fresh("classes")) if count is None else count)
        made = ListValue(Repeated(Scalar(str, "label"), self.num_classes))
        store(self.cells, "names", names if isinstance(items, tuple) else made)

    def str2int(self, values: Any) -> Any:
        return number()

    def int2str(self, values: Any) -> Any:
        return Scalar(str, "label")


@model("datasets.Value", "datasets.features.Value")
class Value(Object):
    """A column of plain values."""

    __slots__ = ()

    def __init__(self, dtype: Any = None, id: Any = None) -> None:
        store(self.cells, "dtype", dtype)


@model(
    "datasets.Image", "datasets.Audio", "datasets.Sequence", "datasets.features.Image", "datasets.features.Sequence",
    "datasets.Array2D", "datasets.Array3D", "datasets.features.Audio",
)  # fmt: skip
class Feature(Object):
    """A column of lists, pictures or sounds."""

    __slots__ = ()

    def __init__(self, feature: Any = None, *args: Any, **kwargs: Any) -> None:
        store(self.cells, "feature", feature if feature is not None else ClassLabel())

    def cast_storage(self, *args: Any) -> Any:
        return Unknown(Reason.UNMODELLED_CALL, "cast_storage")


@model("datasets.Features", "datasets.features.Features")
class Features(Object):
    """The columns of a table by name."""

    __slots__ = ()

    def __init__(self, columns: Any = None, **kwargs: Any) -> None:
        known = columns.cells if isinstance(columns, DictValue) else {}
        store(self.cells, "@columns", DictValue({**known, **kwargs}))

    def __getitem__(self, name: Any) -> Any:
        return machine().send(self.cells["@columns"], "__getitem__", name)

    def items(self) -> Any:
        return machine().send(self.cells["@columns"], "items")

    def keys(self) -> Any:
        return machine().send(self.cells["@columns"], "keys")

    def iterate(self) -> Any:
        return tuple(self.cells["@columns"].cells)

    def copy(self) -> Any:
        return Features(self.cells["@columns"])


def features_of(columns: dict[str, Any], closed: bool) -> Features:
    """Columns told from what one example has in them."""
    made = {name: _feature(name, value) for name, value in columns.items()}
    found = Features(DictValue(made))
    if not closed:
        found.cells["@columns"].rest = ClassLabel()
    return found


def _feature(name: str, value: Any) -> Any:
    if isinstance(value, ListValue):
        return Feature(_feature(name, value.items.element)) if isinstance(value.items, Repeated) else Feature()
    if isinstance(value, int | Expr) and ("label" in name or name.endswith("tags")):
        return ClassLabel()
    return Value("string" if isinstance(value, Scalar) and value.kind is str else "int64")
