"""Preprocessing and augmentation of images."""

from __future__ import annotations

from typing import Any

from mlvet.domains.dims import Dim, symbol
from mlvet.domains.tensors import Tensor as Known
from mlvet.frontends.python.active import machine, store
from mlvet.frontends.python.arrays.arithmetic import cast
from mlvet.frontends.python.emission import demand, opaque
from mlvet.frontends.python.libraries.binding import Size
from mlvet.frontends.python.libraries.keras.activations import alike
from mlvet.frontends.python.libraries.keras.held import held
from mlvet.frontends.python.libraries.keras.layer import label
from mlvet.frontends.python.libraries.keras.layers.reshaping import resized
from mlvet.frontends.python.libraries.keras.layers.scaling import Preprocessing
from mlvet.frontends.python.libraries.keras.ops.axes import ranked_dims
from mlvet.frontends.python.libraries.keras.settings import image_data_format
from mlvet.frontends.python.libraries.keras.tensor import array
from mlvet.frontends.python.libraries.registry import model
from mlvet.frontends.python.values.containers import DictValue
from mlvet.frontends.python.values.tensors import dims_of, dtype_of, tensor_of
from mlvet.frontends.python.values.unknown import Reason, Undecided


class ImageLayer(Preprocessing):
    """A layer on images, one or a batch; of a dictionary the entry `images` is changed."""

    def call(self, inputs: Any, *args: Any, **kwargs: Any) -> Any:
        if isinstance(inputs, DictValue):
            made = dict(inputs.cells)
            if "images" in made:
                made["images"] = self._changed(array(made["images"]))
            return DictValue(made)
        return self._changed(array(inputs))

    def _changed(self, images: Any) -> Any:
        raise NotImplementedError

    def _places(self, images: Any) -> tuple[int, int]:
        """The axes of height and width."""
        dims = dims_of(images)
        if dims is None:
            raise Undecided(Reason.UNMODELLED_ARGUMENTS, "images of unknown rank")
        if len(dims) not in (3, 4, 5):
            demand(
                False,
                f"`{label(self)}` needs an image or a batch of images but gets {tensor_of(images)}",
                "rank-differs",
            )
            raise Undecided(Reason.EXCEPTION, "a tensor of the wrong rank")
        first = len(dims) - (2 if held(self).get("data_format") == "channels_first" else 3)
        return first, first + 1

    def augment(self, *args: Any, **kwargs: Any) -> Any:
        return self.call(*args)


def _sized(x: Any, places: tuple[int, int], height: Dim, width: Dim, dtype: Any, name: str) -> Any:
    dims = list(dims_of(x) or ())
    dims[places[0]], dims[places[1]] = height, width
    return opaque(name, [x], Known(dtype, tuple(dims)), type(x))


@model("keras.layers.Resizing")
class Resizing(ImageLayer):
    def __init__(
        self, height: Size, width: Size, interpolation: Any = "bilinear", crop_to_aspect_ratio: bool = False,
        pad_to_aspect_ratio: bool = False, fill_mode: Any = "constant", fill_value: Any = 0.0, antialias: bool = False,
        data_format: Any = None, **kwargs: Any,
    ) -> None:  # fmt: skip
        super().__init__(**kwargs)
        self.height = height
        self.width = width
        self.interpolation = interpolation
        self.plain = not (crop_to_aspect_ratio or pad_to_aspect_ratio or antialias)
        self.data_format = data_format if isinstance(data_format, str) else image_data_format()
        self.built = True

    def _changed(self, images: Any) -> Any:
        cells = held(self)
        places = self._places(images)
        known = dtype_of(images)
        if cells["plain"] and (known is None or known.is_float):
            return resized(images, [cells["height"], cells["width"]], places, cells["interpolation"])
        return _sized(images, places, cells["height"], cells["width"], known, "layers.Resizing")


@model("keras.layers.CenterCrop")
class CenterCrop(ImageLayer):
    def __init__(self, height: Size, width: Size, data_format: Any = None, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.height = height
        self.width = width
        self.data_format = data_format if isinstance(data_format, str) else image_data_format()
        self.built = True

    def _changed(self, images: Any) -> Any:
        cells = held(self)
        return _sized(images, self._places(images), cells["height"], cells["width"], self._compute, "layers.CenterCrop")


@model("keras.layers.RandomCrop")
class RandomCrop(CenterCrop):
    def __init__(self, height: Size, width: Size, seed: Any = None, data_format: Any = None, **kwargs: Any) -> None:
        super().__init__(height, width, data_format, **kwargs)


class RandomImage(ImageLayer):
    """Random changes of images that leave their shape alone."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        known = {name: kwargs.pop(name) for name in ("name", "dtype", "trainable", "input_shape") if name in kwargs}
        super().__init__(**known)
        for name, value in kwargs.items():
            store(self.cells, name, value)
        self.built = True

    def _changed(self, images: Any) -> Any:
        return alike(f"layers.{type(self).__name__}", cast(images, self._compute))


for _name in (
    "RandomFlip", "RandomRotation", "RandomZoom", "RandomTranslation", "RandomContrast", "RandomBrightness",
    "RandomShear", "RandomHue", "RandomSaturation", "RandomColorJitter",
    "RandomColorDegeneration", "RandomGaussianBlur", "RandomGrayscale", "RandomInvert", "RandomPerspective",
    "RandomPosterization", "RandomSharpness", "RandomErasing", "RandomElasticTransform", "MixUp", "CutMix",
    "RandAugment", "AugMix", "AutoContrast", "Equalization", "Solarization",
):  # fmt: skip
    _made = type(_name, (RandomImage,), {"__slots__": (), "__module__": __name__})
    model(f"keras.layers.{_name}")(_made)


def _stretched(name: str, axis: int) -> None:
    """A layer that changes one side of images by chance."""

    def changed(self: Any, images: Any) -> Any:
        made = cast(images, self._compute)
        dims = list(ranked_dims(made))
        dims[axis] = symbol(machine().fresh("height" if axis == -3 else "width"))
        return opaque(f"layers.{name}", [made], Known(dtype_of(made), tuple(dims)), type(made))

    model(f"keras.layers.{name}")(type(name, (RandomImage,), {"_changed": changed, "__module__": __name__}))


_stretched("RandomHeight", -3)
_stretched("RandomWidth", -2)


@model("keras.layers.Pipeline")
class Pipeline(Preprocessing):
    def __init__(self, layers: Any, name: Any = None) -> None:
        super().__init__(name=name)
        self.pipeline = layers
        self.built = True

    def call(self, inputs: Any, training: Any = True, mask: Any = None) -> Any:
        from mlvet.frontends.python.active import machine
        from mlvet.frontends.python.libraries.binding import as_items

        for each in as_items(held(self)["pipeline"]):
            inputs = machine().call(each, inputs)
        return inputs
