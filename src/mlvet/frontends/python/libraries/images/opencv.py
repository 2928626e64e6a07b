"""OpenCV: images as arrays, height before width, of three channels."""

from __future__ import annotations

from typing import Any

from mlvet.domains import dtypes
from mlvet.domains.dims import Dim, symbol
from mlvet.domains.tensors import Tensor as Type
from mlvet.frontends.python.active import machine
from mlvet.frontends.python.emission import opaque, source
from mlvet.frontends.python.libraries.binding import Tensor, as_items, as_sizes
from mlvet.frontends.python.libraries.images.pictures import array_of
from mlvet.frontends.python.libraries.numpy.arrays import ndarray
from mlvet.frontends.python.libraries.plotting.figures import Inert
from mlvet.frontends.python.libraries.registry import model
from mlvet.frontends.python.values.containers import ListValue, Repeated
from mlvet.frontends.python.values.numbers import Scalar
from mlvet.frontends.python.values.objects import Object
from mlvet.frontends.python.values.tensors import dims_of, dtype_of, tensor_of

COLOURS = {
    "COLOR_BGR2RGB": 4, "COLOR_RGB2BGR": 4, "COLOR_BGR2GRAY": 6, "COLOR_RGB2GRAY": 7, "COLOR_GRAY2BGR": 8,
    "COLOR_GRAY2RGB": 8, "COLOR_BGRA2GRAY": 10, "COLOR_RGBA2GRAY": 11, "COLOR_BGR2HSV": 40, "COLOR_RGB2HSV": 41,
    "COLOR_BGR2LAB": 44, "COLOR_RGB2LAB": 45, "COLOR_HSV2BGR": 54, "COLOR_HSV2RGB": 55, "COLOR_LAB2BGR": 56,
    "COLOR_LAB2RGB": 57, "COLOR_BGR2YUV": 82, "COLOR_RGB2YUV": 83, "COLOR_BGR2YCrCb": 36, "COLOR_RGB2YCrCb": 37,
    "COLOR_BGRA2BGR": 1, "COLOR_RGBA2RGB": 1, "COLOR_BGR2BGRA": 0, "COLOR_RGB2RGBA": 0, "COLOR_BGRA2RGB": 3,
}  # fmt: skip
TO_GREY, FROM_GREY, TO_FOUR = {6, 7, 10, 11}, {8}, {0}
FIGURES = {
    "IMREAD_UNCHANGED": -1, "IMREAD_GRAYSCALE": 0, "IMREAD_COLOR": 1, "INTER_NEAREST": 0, "INTER_LINEAR": 1,
    "INTER_CUBIC": 2, "INTER_AREA": 3, "INTER_LANCZOS4": 4, "CAP_PROP_FRAME_WIDTH": 3, "CAP_PROP_FRAME_HEIGHT": 4,
    "CAP_PROP_FPS": 5, "CAP_PROP_FRAME_COUNT": 7, "CAP_PROP_POS_FRAMES": 1, "BORDER_CONSTANT": 0, "NORM_MINMAX": 32,
    "FONT_HERSHEY_SIMPLEX": 0, "LINE_AA": 16, "THRESH_BINARY": 0, "THRESH_OTSU": 8, "WINDOW_NORMAL": 0,
}  # fmt: skip
for _name, _value in {**COLOURS, **FIGURES}.items():
    model(f"cv2.{_name}")(_value)


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
    dims = dims_of(array) or ()
    if dsize is None:
        width, height = (symbol(machine().fresh(name)) for name in ("width", "height"))
        if isinstance(fx, int) and isinstance(fy, int) and fx > 0 and fy > 0:
            width, height = dims[1] * fx, dims[0] * fy  # type: ignore[assignment]
    else:
        width, height = as_sizes(dsize)  # type: ignore[assignment]
    rest = () if len(dims) == 3 and dims[2] == 1 else dims[2:]
    return opaque("resize", [array], Type(dtype_of(array), (height, width, *rest)), ndarray)


@model("cv2.cvtColor")
def cvtColor(src: Any, code: Any, *args: Any) -> Tensor:
    array = array_of(src)
    dims = dims_of(array) or ()
    sizes: tuple[Any, ...] = (*dims[:2], 3)
    if code in TO_GREY:
        sizes = dims[:2]
    elif code in TO_FOUR:
        sizes = (*dims[:2], 4)
    return opaque("cvtColor", [array], Type(dtype_of(array), sizes), ndarray)


def _same(src: Any, *args: Any, **rest: Any) -> Tensor:
    array = array_of(src)
    return opaque("filtered", [array], tensor_of(array).without_value(), ndarray)


for _name in (
    "GaussianBlur", "medianBlur", "blur", "bilateralFilter", "flip", "erode", "dilate", "morphologyEx",
    "normalize", "equalizeHist", "addWeighted", "bitwise_not", "bitwise_and", "rectangle", "circle", "line",
    "putText", "applyColorMap", "filter2D", "convertScaleAbs", "polylines", "fillPoly", "drawContours",
    "absdiff", "subtract", "add", "multiply", "Sobel", "Laplacian", "ellipse", "arrowedLine", "detailEnhance",
    "fastNlMeansDenoisingColored",
):  # fmt: skip
    model(f"cv2.{_name}")(_same)


@model("cv2.Canny")
def canny(image: Any, *args: Any, **rest: Any) -> Tensor:
    array = array_of(image)
    return opaque("Canny", [array], Type(dtypes.u8, (dims_of(array) or ())[:2]), ndarray)


@model("cv2.threshold")
def threshold(src: Any, *args: Any, **rest: Any) -> Any:
    return Scalar(float), _same(src)


@model("cv2.warpAffine", "cv2.warpPerspective")
def warp(src: Any, M: Any, dsize: Any, *args: Any, **rest: Any) -> Tensor:
    array = array_of(src)
    width, height = as_sizes(dsize)
    return opaque("warp", [array], Type(dtype_of(array), (height, width, *(dims_of(array) or ())[2:])), ndarray)


@model("cv2.rotate")
def rotate(src: Any, rotateCode: Any) -> Tensor:
    array = array_of(src)
    dims = dims_of(array) or ()
    sizes = dims if rotateCode == 1 else (dims[1], dims[0], *dims[2:])
    return opaque("rotate", [array], Type(dtype_of(array), sizes), ndarray)


@model("cv2.copyMakeBorder")
def copyMakeBorder(src: Any, top: Any, bottom: Any, left: Any, right: Any, *args: Any, **rest: Any) -> Tensor:
    array = array_of(src)
    dims = dims_of(array) or ()
    above, below, before, after = as_sizes((top, bottom, left, right))
    sizes = (dims[0] + above + below, dims[1] + before + after, *dims[2:])
    return opaque("copyMakeBorder", [array], Type(dtype_of(array), sizes), ndarray)


@model("cv2.split")
def split(m: Any) -> Any:
    array = array_of(m)
    dims = dims_of(array) or ()
    flat = opaque("split", [array], Type(dtype_of(array), dims[:2]), ndarray)
    count = dims[2] if len(dims) == 3 else 1
    return tuple(flat for _ in range(count)) if isinstance(count, int) else ListValue(Repeated(flat, count))


@model("cv2.merge")
def merge(mv: Any) -> Tensor:
    bands = [array_of(each) for each in as_items(mv)]
    sizes = (*(dims_of(bands[0]) or ())[:2], len(bands))
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


for _name in ("VideoWriter", "VideoWriter_fourcc", "CascadeClassifier", "ocl", "dnn", "createCLAHE", "imencode"):
    model(f"cv2.{_name}")(Inert())
