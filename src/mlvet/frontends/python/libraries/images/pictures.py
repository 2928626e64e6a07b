"""PIL: pictures, which become arrays of bytes."""

from __future__ import annotations

from typing import Any, ClassVar

from mlvet.domains import dtypes
from mlvet.domains.dims import Dim, symbol
from mlvet.domains.tensors import Tensor as Type
from mlvet.frontends.python.active import machine
from mlvet.frontends.python.emission import source
from mlvet.frontends.python.libraries.binding import TENSORS, as_items, as_size, as_sizes
from mlvet.frontends.python.libraries.numpy.arrays import as_ndarray, ndarray
from mlvet.frontends.python.libraries.plotting.figures import Inert
from mlvet.frontends.python.libraries.registry import model
from mlvet.frontends.python.values.numbers import Scalar
from mlvet.frontends.python.values.objects import Object
from mlvet.frontends.python.values.tensors import dims_of, dtype_of
from mlvet.frontends.python.values.unknown import Reason, Undecided, Unknown

CHANNELS = {"RGB": 3, "RGBA": 4, "CMYK": 4, "YCbCr": 3, "HSV": 3, "LAB": 3, "LA": 2}
FLAT = {"L": dtypes.u8, "P": dtypes.u8, "1": dtypes.bool_, "I": dtypes.i32, "F": dtypes.f32}
"""Modes of one channel, whose arrays have no dim for it."""


@model("PIL.Image.Image")
class Image(Object):
    """A picture. One from a file has as many channels as the file says."""

    joinable: ClassVar[bool] = True

    def __init__(self) -> None:
        """A picture of which nothing is known."""
        self.cells.update(_cells(symbol(machine().fresh("width")), symbol(machine().fresh("height")), None))

    @property
    def size(self) -> Any:
        return self.cells["@width"], self.cells["@height"]

    @property
    def width(self) -> Any:
        return self.cells["@width"]

    @property
    def height(self) -> Any:
        return self.cells["@height"]

    @property
    def mode(self) -> Any:
        mode = self.cells["@mode"]
        return Scalar(str, "mode") if mode is None else mode

    def as_tensor(self) -> Any:
        """The array that NumPy makes of it."""
        mode, sizes = self.cells["@mode"], (self.cells["@height"], self.cells["@width"])
        if mode in FLAT:
            return source("image", Type(FLAT[mode], sizes), ndarray)
        channels: Dim = CHANNELS[mode] if mode in CHANNELS else symbol(machine().fresh("channels"))
        return source("image", Type(dtypes.u8, (*sizes, channels)), ndarray)

    def convert(self, mode: Any = None, *args: Any, **rest: Any) -> Any:
        return picture(self.width, self.height, mode if isinstance(mode, str) else None)

    def resize(self, size: Any, resample: Any = None, box: Any = None, reducing_gap: Any = None) -> Any:
        width, height = as_sizes(size)
        return picture(width, height, self.cells["@mode"])

    def crop(self, box: Any = None) -> Any:
        if box is None:
            return self.copy()
        try:
            left, upper, right, lower = as_sizes(box)
        except (Undecided, ValueError):
            return picture(symbol(machine().fresh("width")), symbol(machine().fresh("height")), self.cells["@mode"])
        return picture(right - left, lower - upper, self.cells["@mode"])

    def copy(self) -> Any:
        return picture(self.width, self.height, self.cells["@mode"])

    def rotate(self, angle: Any, resample: Any = 0, expand: Any = 0, *args: Any, **rest: Any) -> Any:
        if expand:
            return picture(symbol(machine().fresh("width")), symbol(machine().fresh("height")), self.cells["@mode"])
        return self.copy()

    def transpose(self, method: Any) -> Any:
        if method in (0, 1, 3):
            return self.copy()
        width, height = self.size
        return picture(height, width, self.cells["@mode"]) if isinstance(method, int) else Image()

    def filter(self, filter: Any) -> Any:
        return self.copy()

    def point(self, lut: Any, mode: Any = None) -> Any:
        return self.copy()

    def quantize(self, colors: Any = 256, *args: Any, **rest: Any) -> Any:
        return picture(self.width, self.height, "P")

    def thumbnail(self, size: Any, *args: Any, **rest: Any) -> None:
        self.cells.update(
            _cells(symbol(machine().fresh("width")), symbol(machine().fresh("height")), self.cells["@mode"])
        )

    def split(self) -> Any:
        mode = self.cells["@mode"]
        count = CHANNELS.get(mode, 1) if mode is not None else 3
        return tuple(picture(self.width, self.height, "L") for _ in range(count))

    def getbands(self) -> Any:
        mode = self.cells["@mode"]
        if mode is None:
            raise Undecided(Reason.EXTERNAL_DATA, "the channels of a picture")
        return tuple(mode)

    def getdata(self, band: Any = None) -> Any:
        raise Undecided(Reason.UNMODELLED_CALL, "PIL.Image.Image.getdata")

    def __enter__(self) -> Any:
        return self

    def __exit__(self, *args: Any) -> None:
        """Closes the file."""

    def save(self, fp: Any, format: Any = None, **params: Any) -> None:
        """Writes a file."""

    def show(self, *args: Any, **rest: Any) -> None:
        """Shows it."""

    def close(self) -> None:
        """Closes the file."""

    def load(self) -> None:
        """Reads the file."""

    def paste(self, im: Any, box: Any = None, mask: Any = None) -> None:
        """Puts another picture on it."""

    def putpalette(self, *args: Any, **rest: Any) -> None:
        """Sets its colours."""


def _cells(width: Any, height: Any, mode: str | None) -> dict[str, Any]:
    return {"@width": width, "@height": height, "@mode": mode}


def picture(width: Any, height: Any, mode: str | None) -> Any:
    made = Image.__new__(Image)
    made.cells.update(_cells(width, height, mode))
    return made


@model("PIL.Image.open")
def open_(fp: Any, mode: Any = "r", formats: Any = None) -> Any:
    made = Image.__new__(Image)
    Image.__init__(made)  # type: ignore[arg-type]
    return made


@model("PIL.Image.new")
def new(mode: Any, size: Any, color: Any = 0) -> Any:
    width, height = as_sizes(size)
    return picture(width, height, mode if isinstance(mode, str) else None)


@model("PIL.Image.fromarray")
def fromarray(obj: Any, mode: Any = None) -> Any:
    if isinstance(obj, Unknown):
        return open_(None)
    array = as_ndarray(obj)
    dims = dims_of(array)
    if dims is None:
        return open_(None)
    modes = {2: "L", 3: {2: "LA", 3: "RGB", 4: "RGBA"}.get(dims[-1]) if isinstance(dims[-1], int) else None}
    found = mode if isinstance(mode, str) else modes.get(len(dims))
    if len(dims) == 2 and dtype_of(array) is not None and not isinstance(mode, str):
        found = next((name for name in ("L", "1", "I", "F") if FLAT[name] is dtype_of(array)), "L")
    return picture(dims[1], dims[0], found) if len(dims) in (2, 3) else open_(None)


@model("PIL.Image.merge")
def merge(mode: Any, bands: Any) -> Any:
    first = as_items(bands)[0]
    return picture(first.width, first.height, mode if isinstance(mode, str) else None)


@model("PIL.Image.blend", "PIL.Image.alpha_composite", "PIL.Image.composite")
def blend(im1: Any, im2: Any, alpha: Any = None) -> Any:
    return im1.copy() if isinstance(im1, Image) else open_(None)


def _same(image: Any, *args: Any, **rest: Any) -> Any:
    return image.copy() if isinstance(image, Image) else open_(None)


for _name in ("autocontrast", "equalize", "invert", "mirror", "flip", "posterize", "solarize", "exif_transpose"):
    model(f"PIL.ImageOps.{_name}")(_same)


@model("PIL.ImageOps.grayscale")
def grayscale(image: Any) -> Any:
    return (
        image.convert("L")
        if isinstance(image, Image)
        else picture(as_size(Scalar(int), "width"), as_size(Scalar(int), "height"), "L")
    )


@model("PIL.ImageOps.fit", "PIL.ImageOps.pad")
def fit(image: Any, size: Any, *args: Any, **rest: Any) -> Any:
    return image.resize(size) if isinstance(image, Image) else open_(None)


for _name, _value in {
    "NEAREST": 0, "LANCZOS": 1, "ANTIALIAS": 1, "BILINEAR": 2, "LINEAR": 2, "BICUBIC": 3, "CUBIC": 3, "BOX": 4,
    "HAMMING": 5, "FLIP_LEFT_RIGHT": 0, "FLIP_TOP_BOTTOM": 1, "ROTATE_90": 2, "ROTATE_180": 3, "ROTATE_270": 4,
}.items():  # fmt: skip
    model(f"PIL.Image.{_name}")(_value)
    space = "Transpose" if "_" in _name else "Resampling"
    model(f"PIL.Image.{space}.{_name}")(_value)
for _name in ("ImageDraw", "ImageFont", "ImageFilter", "ImageEnhance", "ImageColor", "ImageFile"):
    model(f"PIL.{_name}")(Inert())


def array_of(value: Any) -> Any:
    """A picture or array as an array. Raises Undecided if its rank is not known."""
    array = as_ndarray(value)
    if dims_of(array) is None:
        raise Undecided(Reason.UNMODELLED_ARGUMENTS, "an array of unknown rank")
    return array


TENSORS["images"] = ndarray
