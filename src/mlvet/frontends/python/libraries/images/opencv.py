"""OpenCV: images as arrays, height before width, of three channels."""

from __future__ import annotations

from typing import Any

from mlvet.domains import dtypes
from mlvet.domains.dims import Dim, equal, symbol
from mlvet.domains.tensors import Tensor as Type
from mlvet.frontends.python.active import machine
from mlvet.frontends.python.emission import demand, opaque, source
from mlvet.frontends.python.libraries.binding import Tensor, as_items, as_sizes
from mlvet.frontends.python.libraries.images.pictures import array_of
from mlvet.frontends.python.libraries.numpy.arrays import ndarray
from mlvet.frontends.python.libraries.plotting.figures import Inert
from mlvet.frontends.python.libraries.registry import model
from mlvet.frontends.python.values.containers import ListValue, Repeated
from mlvet.frontends.python.values.numbers import Scalar
from mlvet.frontends.python.values.objects import Object
from mlvet.frontends.python.values.tensors import TensorValue, dims_of, dtype_of, tensor_of
from mlvet.frontends.python.values.unknown import Reason, Undecided

COLOURS = {
    "COLOR_BGR2RGB": 4, "COLOR_RGB2BGR": 4, "COLOR_BGR2GRAY": 6, "COLOR_RGB2GRAY": 7, "COLOR_GRAY2BGR": 8,
    "COLOR_GRAY2RGB": 8, "COLOR_BGRA2GRAY": 10, "COLOR_RGBA2GRAY": 11, "COLOR_BGR2HSV": 40, "COLOR_RGB2HSV": 41,
    "COLOR_BGR2LAB": 44, "COLOR_RGB2LAB": 45, "COLOR_HSV2BGR": 54, "COLOR_HSV2RGB": 55, "COLOR_LAB2BGR": 56,
    "COLOR_LAB2RGB": 57, "COLOR_BGR2YUV": 82, "COLOR_RGB2YUV": 83, "COLOR_BGR2YCrCb": 36, "COLOR_RGB2YCrCb": 37,
    "COLOR_BGRA2BGR": 1, "COLOR_RGBA2RGB": 1, "COLOR_BGR2BGRA": 0, "COLOR_RGB2RGBA": 0, "COLOR_BGRA2RGB": 3,
}  # fmt: skip
TO_GREY, FROM_GREY, TO_FOUR = {6, 7, 10, 11}, {8}, {0}
TAKES = {**dict.fromkeys((0, 4, 6, 7, 36, 37, 40, 41, 44, 45, 54, 55, 56, 57, 82, 83), (3, 4)), 8: (1,)}
"""How many channels a conversion takes."""
FIGURES = {
    "IMREAD_UNCHANGED": -1, "IMREAD_GRAYSCALE": 0, "IMREAD_COLOR": 1, "INTER_NEAREST": 0, "INTER_LINEAR": 1,
    "INTER_CUBIC": 2, "INTER_AREA": 3, "INTER_LANCZOS4": 4, "CAP_PROP_FRAME_WIDTH": 3, "CAP_PROP_FRAME_HEIGHT": 4,
    "CAP_PROP_FPS": 5, "CAP_PROP_FRAME_COUNT": 7, "CAP_PROP_POS_FRAMES": 1, "BORDER_CONSTANT": 0, "NORM_MINMAX": 32,
    "FONT_HERSHEY_SIMPLEX": 0, "CV_8U": 0, "CV_16S": 3, "CV_32F": 5, "CV_64F": 6,
    "LINE_AA": 16, "THRESH_BINARY": 0, "THRESH_OTSU": 8, "WINDOW_NORMAL": 0,
}  # fmt: skip
for _name, _value in {**COLOURS, **FIGURES}.items():
    model(f"cv2.{_name}")(_value)


DEPTHS = {0: dtypes.u8, 3: dtypes.i16, 5: dtypes.f32, 6: dtypes.f64}


def image_dims(image: Any) -> tuple[Dim, ...]:
    dims = dims_of(image)
    if dims is None:
        raise Undecided(Reason.EXTERNAL_DATA, "an image of unknown rank")
    return dims


def _flat(dims: tuple[Dim, ...]) -> tuple[Dim, ...]:
    """The dims of a result; a single channel has no dim of its own."""
    return dims[:2] if len(dims) == 3 and dims[2] == 1 else dims


def frame(channels: Dim | None = 3) -> Any:
    """An image from outside: bytes of unknown height and width."""
    sizes = tuple(symbol(machine().fresh(name)) for name in ("height", "width"))
    return source("image", Type(dtypes.u8, sizes if channels is None else (*sizes, channels)), ndarray)


@model("cv2.imread", "cv2.imdecode")
def imread(filename: Any, flags: Any = 1) -> Tensor:
    return frame(None if flags == 0 else symbol(machine().fresh("channels")) if flags == -1 else 3)


@model("cv2.resize")
def resize(src: Any, dsize: Any = None, dst: Any = None, fx: Any = 0, fy: Any = 0, interpolation: Any = 1) -> Tensor:
    array = array_of(src)
    dims = image_dims(array)
    if dsize is None:
        width, height = (symbol(machine().fresh(name)) for name in ("width", "height"))
        if isinstance(fx, int) and isinstance(fy, int) and fx > 0 and fy > 0:
            width, height = dims[1] * fx, dims[0] * fy  # type: ignore[assignment]
    else:
        width, height = as_sizes(dsize)  # type: ignore[assignment]
    return opaque("resize", [array], Type(dtype_of(array), _flat((height, width, *dims[2:]))), ndarray)


@model("cv2.cvtColor")
def cvtColor(src: Any, code: Any, *args: Any) -> Tensor:
    array = array_of(src)
    dims = dims_of(array)
    if dims is None:
        dims = (symbol(machine().fresh("height")), symbol(machine().fresh("width")))
    elif code in TAKES and len(dims) > 2 and isinstance(dims[2], int):
        demand(dims[2] in TAKES[code], f"an image of {dims[2]} channels", "dims-differ")
    sizes: tuple[Any, ...] = (*dims[:2], 3)
    if code in TO_GREY:
        sizes = dims[:2]
    elif code in TO_FOUR:
        sizes = (*dims[:2], 4)
    return opaque("cvtColor", [array], Type(dtype_of(array), sizes), ndarray)


def _same(src: Any, *args: Any, **rest: Any) -> Tensor:
    array = array_of(src)
    return opaque("filtered", [array], Type(dtype_of(array), _flat(image_dims(array))), ndarray)


for _name in (
    "GaussianBlur", "medianBlur", "blur", "bilateralFilter", "flip", "erode", "dilate", "morphologyEx", "normalize",
    "equalizeHist", "bitwise_not", "detailEnhance", "fastNlMeansDenoisingColored",
):  # fmt: skip
    model(f"cv2.{_name}")(_same)


def _drawn(img: Any, *args: Any, **rest: Any) -> Tensor:
    """What is drawn upon, as it is."""
    array = array_of(img)
    return opaque("drawn", [array], tensor_of(array).without_value(), ndarray)


for _name in ("rectangle", "circle", "line", "putText", "polylines", "fillPoly", "drawContours", "ellipse",
              "arrowedLine"):  # fmt: skip
    model(f"cv2.{_name}")(_drawn)


@model("cv2.filter2D", "cv2.Sobel", "cv2.Laplacian")
def derived(src: Any, ddepth: Any, *args: Any, **rest: Any) -> Tensor:
    """A filter whose result has the depth that is asked for; -1 is that of the image."""
    array = array_of(src)
    dtype = dtype_of(array) if ddepth == -1 else DEPTHS.get(ddepth) if isinstance(ddepth, int) else None
    return opaque("derived", [array], Type(dtype, _flat(image_dims(array))), ndarray)


@model("cv2.applyColorMap")
def apply_color_map(src: Any, *args: Any) -> Tensor:
    array = array_of(src)
    return opaque("applyColorMap", [array], Type(dtypes.u8, (*image_dims(array)[:2], 3)), ndarray)


@model("cv2.convertScaleAbs")
def convert_scale_abs(src: Any, *args: Any, **rest: Any) -> Tensor:
    array = array_of(src)
    return opaque("convertScaleAbs", [array], Type(dtypes.u8, _flat(image_dims(array))), ndarray)


def _matched(left: Any, right: Any) -> Any:
    """Two images of one size, or an image and a number."""
    array = array_of(left)
    dims = _flat(image_dims(array))
    other = _flat(image_dims(right)) if isinstance(right, TensorValue) and dims_of(right) is not None else None
    if other is not None and len(other) > 1:
        same = len(dims) == len(other) and all(equal(a, b) is not False for a, b in zip(dims, other, strict=True))
        demand(same, f"images of {list(dims)} and {list(other)}", "dims-differ")
    return opaque("combined", [array], Type(dtype_of(array), dims), ndarray)


@model("cv2.addWeighted")
def add_weighted(src1: Any, alpha: Any, src2: Any, beta: Any, gamma: Any, *args: Any, **rest: Any) -> Tensor:
    return _matched(src1, src2)


def _combined(src1: Any, src2: Any, *args: Any, **rest: Any) -> Tensor:
    return _matched(src1, src2)


for _name in ("absdiff", "subtract", "add", "multiply", "bitwise_and"):
    model(f"cv2.{_name}")(_combined)


@model("cv2.Canny")
def canny(image: Any, *args: Any, **rest: Any) -> Tensor:
    array = array_of(image)
    return opaque("Canny", [array], Type(dtypes.u8, image_dims(array)[:2]), ndarray)


@model("cv2.threshold")
def threshold(src: Any, *args: Any, **rest: Any) -> Any:
    return Scalar(float), _same(src)


@model("cv2.warpAffine", "cv2.warpPerspective")
def warp(src: Any, M: Any, dsize: Any, *args: Any, **rest: Any) -> Tensor:
    array = array_of(src)
    width, height = as_sizes(dsize)
    return opaque("warp", [array], Type(dtype_of(array), _flat((height, width, *image_dims(array)[2:]))), ndarray)


@model("cv2.rotate")
def rotate(src: Any, rotateCode: Any) -> Tensor:
    array = array_of(src)
    dims = image_dims(array)
    sizes = dims if rotateCode == 1 else (dims[1], dims[0], *dims[2:])
    return opaque("rotate", [array], Type(dtype_of(array), _flat(sizes)), ndarray)


@model("cv2.copyMakeBorder")
def copyMakeBorder(src: Any, top: Any, bottom: Any, left: Any, right: Any, *args: Any, **rest: Any) -> Tensor:
    array = array_of(src)
    dims = image_dims(array)
    above, below, before, after = as_sizes((top, bottom, left, right))
    sizes = (dims[0] + above + below, dims[1] + before + after, *dims[2:])
    return opaque("copyMakeBorder", [array], Type(dtype_of(array), _flat(sizes)), ndarray)


@model("cv2.split")
def split(m: Any) -> Any:
    array = array_of(m)
    dims = image_dims(array)
    flat = opaque("split", [array], Type(dtype_of(array), dims[:2]), ndarray)
    count = dims[2] if len(dims) == 3 else 1
    return tuple(flat for _ in range(count)) if isinstance(count, int) else ListValue(Repeated(flat, count))


@model("cv2.merge")
def merge(mv: Any) -> Tensor:
    bands = [array_of(each) for each in as_items(mv)]
    sizes = (*image_dims(bands[0])[:2], len(bands))
    return opaque("merge", bands, Type(dtype_of(bands[0]), sizes), ndarray)


@model("cv2.getRotationMatrix2D", "cv2.getAffineTransform")
def matrix(*args: Any, **rest: Any) -> Tensor:
    return source("matrix", Type(dtypes.f64, (2, 3)), ndarray)


@model("cv2.VideoCapture")
class VideoCapture(Object):
    """A film or camera: frames of bytes of one size."""

    def __init__(self, filename: Any = None, *args: Any) -> None:
        self.sizes = tuple(symbol(machine().fresh(name)) for name in ("height", "width"))

    def read(self, image: Any = None) -> Any:
        return Scalar(bool), source("frame", Type(dtypes.u8, (*self.sizes, 3)), ndarray)

    def isOpened(self) -> Any:
        return Scalar(bool)

    def get(self, propId: Any) -> Any:
        return Scalar(float)

    def set(self, propId: Any, value: Any) -> Any:
        return True

    def grab(self) -> Any:
        return Scalar(bool)

    def release(self) -> None:
        """Closes the film."""


@model("cv2.imwrite", "cv2.imshow", "cv2.waitKey", "cv2.destroyAllWindows", "cv2.setNumThreads", "cv2.namedWindow")
def shown(*args: Any, **rest: Any) -> Any:
    """Writes or shows an image."""
    return Scalar(bool)


for _name in ("VideoWriter", "VideoWriter_fourcc", "CascadeClassifier", "ocl", "dnn"):
    model(f"cv2.{_name}")(Inert())


@model("cv2.createCLAHE")
class Equalizer(Object):
    def __init__(self, clipLimit: Any = 40.0, tileGridSize: Any = (8, 8)) -> None:
        """How much contrast there is at most."""

    def apply(self, src: Any, dst: Any = None) -> Tensor:
        return _same(src)


@model("cv2.imencode")
def imencode(ext: Any, img: Any, params: Any = None) -> Any:
    return Scalar(bool), source("bytes", Type(dtypes.u8, (symbol(machine().fresh("bytes")),)), ndarray)
