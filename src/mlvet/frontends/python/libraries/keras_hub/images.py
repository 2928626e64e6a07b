"""keras_cv.layers: augmentation of images, as keras.layers has it."""

from __future__ import annotations

from typing import Any

from mlvet.frontends.python.libraries.keras.layers.images import RandomImage, Resizing
from mlvet.frontends.python.libraries.registry import alias, find, model

for _name in (
    "Grayscale", "RandomChannelShift", "RandomCutout", "ChannelShuffle", "GridMask", "Mosaic",
    "RandomAugmentationPipeline",
    "Posterization", "RandomGaussianBlur", "FourierMix", "RandomChoice", "RandomApply", "Augmenter",
    "RandomAspectRatio", "BaseImageAugmentationLayer", "VectorizedBaseImageAugmentationLayer",
):  # fmt: skip
    _made = type(_name, (RandomImage,), {"__slots__": (), "__module__": __name__})
    model(f"keras_hub.layers.{_name}")(_made)


@model("keras_hub.layers.JitteredResize", "keras_hub.layers.RandomCropAndResize")
class JitteredResize(Resizing):
    def __init__(self, target_size: Any, *args: Any, **kwargs: Any) -> None:
        from mlvet.frontends.python.libraries.binding import as_items

        height, width = as_items(target_size)
        super().__init__(height, width, name=kwargs.get("name"))


model("keras_hub.layers.DropPath")(find("keras.layers.Dropout"))

alias("keras_cv", "keras_hub")
alias("keras_nlp", "keras_hub")
alias("keras_hub.layers", "keras.layers")
