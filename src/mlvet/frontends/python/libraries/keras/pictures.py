"""Pictures from files and arrays: keras.utils and keras.preprocessing.image."""

from __future__ import annotations

from typing import Any

from mlvet.domains import dtypes
from mlvet.domains.dims import Dim, symbol
from mlvet.domains.dtypes import DType
from mlvet.domains.tensors import Tensor as Known
from mlvet.frontends.python.active import machine, store
from mlvet.frontends.python.arrays.arithmetic import cast
from mlvet.frontends.python.emission import opaque, source
from mlvet.frontends.python.libraries.binding import Tensor, as_items, as_size
from mlvet.frontends.python.libraries.keras.held import held
from mlvet.frontends.python.libraries.keras.settings import floats
from mlvet.frontends.python.libraries.keras.tensor import array, floating, numpy_class
from mlvet.frontends.python.libraries.registry import MODELS, model
from mlvet.frontends.python.values.containers import DictValue, Repeated
from mlvet.frontends.python.values.objects import Object
from mlvet.frontends.python.values.tensors import TensorValue, dims_of


class Picture(Object):
    """An image as PIL has it: width, height and channels."""

    def __init__(self, height: Dim, width: Dim, channels: int) -> None:
        store(self.cells, "@dims", (height, width, channels))
        self.size = (width, height)
        self.width = width
        self.height = height
        self.mode = {1: "L", 4: "RGBA"}.get(channels, "RGB")

    def as_tensor(self) -> Any:
        height, width, channels = held(self)["@dims"]
        dims = (height, width) if channels == 1 else (height, width, channels)
        return source("image", Known(dtypes.u8, dims), numpy_class())

    def resize(self, size: Any, *args: Any, **kwargs: Any) -> Any:
        width, height = as_items(size)
        return Picture(as_size(height), as_size(width), held(self)["@dims"][2])

    def convert(self, mode: Any = None, *args: Any, **kwargs: Any) -> Any:
        height, width, channels = held(self)["@dims"]
        return Picture(height, width, {"L": 1, "RGB": 3, "RGBA": 4}.get(mode, channels))

    def save(self, *args: Any, **kwargs: Any) -> None:
        return None

    show = close = save

    def copy(self) -> Any:
        return self


@model("keras.utils.load_img", "keras.preprocessing.image.load_img")
def load_img(
    path: Any, color_mode: Any = "rgb", target_size: Any = None, interpolation: Any = "nearest",
    keep_aspect_ratio: Any = False, grayscale: Any = False,
) -> Any:  # fmt: skip
    channels = {"grayscale": 1, "rgba": 4}.get(color_mode, 3) if isinstance(color_mode, str) else 3
    if target_size is None:
        return Picture(symbol(machine().fresh("height")), symbol(machine().fresh("width")), channels)
    if isinstance(target_size, int):
        return Picture(target_size, target_size, channels)
    height, width = (as_size(each, "size") for each in as_items(target_size)[:2])
    return Picture(height, width, channels)


@model("keras.utils.img_to_array", "keras.preprocessing.image.img_to_array")
def img_to_array(img: Any, data_format: Any = None, dtype: DType | None = None) -> Tensor:
    if isinstance(img, Picture):
        dims = held(img)["@dims"]
        return source("image", Known(dtype or floats(), dims), numpy_class())
    if isinstance(img, TensorValue) or hasattr(img, "as_tensor"):
        known = dims_of(array(img))
        if known is not None:
            dims = known if len(known) == 3 else (*known, 1)
            return opaque("utils.img_to_array", [array(img)], Known(dtype or floats(), dims), numpy_class())
    made = tuple(symbol(machine().fresh(name)) for name in ("height", "width", "channels"))
    return source("image", Known(dtype or floats(), made), numpy_class())


@model("keras.utils.array_to_img", "keras.preprocessing.image.array_to_img")
def array_to_img(x: Any, data_format: Any = None, scale: Any = True, dtype: Any = None) -> Any:
    dims = dims_of(array(x))
    if dims is None or len(dims) != 3:
        dims = tuple(symbol(machine().fresh(name)) for name in ("height", "width", "channels"))
    return Picture(dims[0], dims[1], dims[2] if isinstance(dims[2], int) else 3)


@model("keras.utils.save_img", "keras.preprocessing.image.save_img")
def save_img(
    path: Any, x: Any, data_format: Any = None, file_format: Any = None, scale: Any = True, **kwargs: Any
) -> None:
    return None


@model("keras.preprocessing.image.smart_resize")
def smart_resize(x: Any, size: Any, interpolation: Any = "bilinear", **kwargs: Any) -> Any:
    resize = MODELS["keras.ops.image.resize"]
    return numpy_class().of(resize(floating(array(x), floats()), size, interpolation).graph_value)


@model("keras.preprocessing.image.ImageDataGenerator")
class ImageDataGenerator(Object):
    """Batches of changed images, as Keras 2 made them."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        for name, value in kwargs.items():
            store(self.cells, name, value)

    def fit(self, x: Any, *args: Any, **kwargs: Any) -> None:
        return None

    def flow(self, x: Any, y: Any = None, batch_size: Any = 32, *args: Any, **kwargs: Any) -> Any:
        from mlvet.frontends.python.libraries.keras.batches import batch_of

        pictures = batch_of(x)
        parts = [_numpy(cast(pictures, dtypes.f32) if isinstance(pictures, TensorValue) else pictures)]
        parts += [] if y is None else [_numpy(batch_of(y))]
        return Batches(tuple(parts) if len(parts) > 1 else parts[0])

    def flow_from_directory(
        self, directory: Any, target_size: Any = (256, 256), color_mode: Any = "rgb", classes: Any = None,
        class_mode: Any = "categorical", batch_size: Any = 32, *args: Any, **kwargs: Any,
    ) -> Any:  # fmt: skip
        height, width = (as_size(each, "size") for each in as_items(target_size))
        channels = {"grayscale": 1, "rgba": 4}.get(color_mode, 3) if isinstance(color_mode, str) else 3
        batch = symbol("batch")
        images = source("images", Known(dtypes.f32, (batch, height, width, channels)), numpy_class())
        if class_mode is None:
            return Batches(images)
        rest: tuple[Dim, ...] = (symbol(machine().fresh("classes")),) if class_mode == "categorical" else ()
        return Batches((images, source("labels", Known(dtypes.f32, (batch, *rest)), numpy_class())))

    def flow_from_dataframe(self, dataframe: Any, directory: Any = None, *args: Any, **kwargs: Any) -> Any:
        known = {name: kwargs[name] for name in ("target_size", "color_mode", "class_mode") if name in kwargs}
        return self.flow_from_directory(directory, **known)

    def random_transform(self, x: Any, seed: Any = None) -> Any:
        return x

    standardize = random_transform


def _numpy(value: Any) -> Any:
    return numpy_class().of(value.graph_value) if isinstance(value, TensorValue) else value


class Batches(Object):
    """An endless number of batches."""

    def __init__(self, element: Any) -> None:
        store(self.cells, "@element", element)
        self.class_indices = DictValue({}, rest=symbol(machine().fresh("class_index")))
        self.samples = self.n = symbol(machine().fresh("samples"))
        self.num_classes = symbol(machine().fresh("classes"))
        self.batch_size = symbol("batch")
        self.classes = source("classes", Known(dtypes.i32, (held(self)["samples"],)), numpy_class())

    def iterate(self) -> Any:
        return Repeated(held(self)["@element"], symbol(machine().fresh("batches")))

    def length(self) -> Any:
        return symbol(machine().fresh("batches"))

    def next(self) -> Any:
        return held(self)["@element"]

    __next__ = next

    def __getitem__(self, index: Any) -> Any:
        return held(self)["@element"]

    def reset(self) -> None:
        return None
