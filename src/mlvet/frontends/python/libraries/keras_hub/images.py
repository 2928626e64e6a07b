"""keras_cv.layers: augmentation of images, as keras.layers has it."""

from __future__ import annotations

from typing import Any

from mlvet.domains.tensors import Tensor as Known
from mlvet.frontends.python.emission import opaque
from mlvet.frontends.python.libraries.binding import Size
from mlvet.frontends.python.libraries.keras.held import held
from mlvet.frontends.python.libraries.keras.layers.images import RandomImage, Resizing
from mlvet.frontends.python.libraries.keras.ops.axes import ranked_dims
from mlvet.frontends.python.libraries.registry import alias, find, model
from mlvet.frontends.python.values.tensors import dtype_of


@model("keras_cv.layers.BaseImageAugmentationLayer")
class BaseImageAugmentationLayer(RandomImage):
    """A layer that changes images one by one."""


@model("keras_cv.layers.VectorizedBaseImageAugmentationLayer")
class VectorizedBaseImageAugmentationLayer(RandomImage):
    """A layer that changes all images of a batch at once."""


for _name in (
    "RandomChannelShift", "GridMask", "RandomAugmentationPipeline", "Posterization", "RandomGaussianBlur", "FourierMix",
    "RandomChoice", "RandomApply", "RandomAspectRatio",
):  # fmt: skip
    _made = type(_name, (BaseImageAugmentationLayer,), {"__slots__": (), "__module__": __name__})
    model(f"keras_cv.layers.{_name}")(_made)
for _name in ("RandomCutout", "ChannelShuffle", "Mosaic"):
    _made = type(_name, (VectorizedBaseImageAugmentationLayer,), {"__slots__": (), "__module__": __name__})
    model(f"keras_cv.layers.{_name}")(_made)
model("keras_cv.layers.Augmenter")(type("Augmenter", (RandomImage,), {"__slots__": (), "__module__": __name__}))


@model("keras_cv.layers.Grayscale")
class Grayscale(VectorizedBaseImageAugmentationLayer):
    """Images without colours, in one channel or in three that are the same."""

    def __init__(self, output_channels: Size = 3, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.output_channels = output_channels

    def _changed(self, images: Any) -> Any:
        made = super()._changed(images)
        dims = (*ranked_dims(made)[:-1], held(self)["output_channels"])
        return opaque("layers.Grayscale", [made], Known(dtype_of(made), dims), type(made))


@model("keras_cv.layers.JitteredResize", "keras_cv.layers.RandomCropAndResize")
class JitteredResize(Resizing):
    def __init__(self, target_size: Any, *args: Any, **kwargs: Any) -> None:
        from mlvet.frontends.python.libraries.binding import as_items

        height, width = as_items(target_size)
        super().__init__(height, width, name=kwargs.get("name"))


model("keras_cv.layers.DropPath")(find("keras.layers.Dropout"))
alias("keras_cv", "keras_hub")
alias("keras_nlp", "keras_hub")
alias("keras_hub.layers", "keras.layers")
