"""Stable Diffusion: its encoders, diffusion model and decoder by their outer shapes, and what it makes of text."""

from __future__ import annotations

from typing import Any

from mlvet.domains import dtypes
from mlvet.domains.dims import Dim, floor_div, symbol
from mlvet.domains.dtypes import DType
from mlvet.domains.tensors import Tensor as Known
from mlvet.frontends.python.active import machine, store
from mlvet.frontends.python.emission import opaque, source
from mlvet.frontends.python.libraries.binding import as_size
from mlvet.frontends.python.libraries.keras.directories import tensor_class
from mlvet.frontends.python.libraries.keras.held import held
from mlvet.frontends.python.libraries.keras.layer import inside
from mlvet.frontends.python.libraries.keras.tensor import array, numpy_class
from mlvet.frontends.python.libraries.keras_hub.models import HubModel
from mlvet.frontends.python.libraries.keras_hub.texts import rows_of
from mlvet.frontends.python.libraries.registry import model
from mlvet.frontends.python.values.containers import DictValue, ListValue, Repeated
from mlvet.frontends.python.values.numbers import Scalar
from mlvet.frontends.python.values.objects import Object
from mlvet.frontends.python.values.tensors import TensorValue, dims_of
from mlvet.frontends.python.values.unknown import Reason, Undecided

PROMPT = 77
"""The tokens of a prompt."""
_SHRUNK = 8
"""How many pixels of an image one of its latent picture stands for, along each side."""

model("keras_cv.models.stable_diffusion.stable_diffusion.MAX_PROMPT_LENGTH")(PROMPT)


def _first(inputs: Any) -> TensorValue:
    for each in inside(inputs):
        if isinstance(each, TensorValue):
            return array(each)
    raise Undecided(Reason.EXTERNAL_DATA, "the input of a part of Stable Diffusion")


def _of(first: TensorValue, dtype: DType, sizes: tuple[Dim, ...]) -> Any:
    return opaque("stable_diffusion", [first], Known(dtype, sizes), type(first))


def _picture(first: TensorValue) -> tuple[Dim, Dim, Dim, Dim]:
    dims = dims_of(first)
    if dims is None or len(dims) != 4:
        raise Undecided(Reason.EXTERNAL_DATA, "a picture of unknown rank")
    return dims[0], dims[1], dims[2], dims[3]


@model("keras_cv.models.stable_diffusion.TextEncoder", "keras_cv.models.stable_diffusion.text_encoder.TextEncoder")
class TextEncoder(HubModel):
    """Numbers of tokens to features of them."""

    def call(self, inputs: Any, training: Any = None, mask: Any = None) -> Any:
        first = _first(inputs)
        dims = dims_of(first)
        return _of(first, dtypes.f32, (dims[0] if dims else symbol("batch"), PROMPT, 768))


@model(
    "keras_cv.models.stable_diffusion.DiffusionModel",
    "keras_cv.models.stable_diffusion.diffusion_model.DiffusionModel",
)
class DiffusionModel(HubModel):
    """A latent picture to the noise in it."""

    def call(self, inputs: Any, training: Any = None, mask: Any = None) -> Any:
        first = _first(inputs)
        return _of(first, dtypes.f32, _picture(first))


@model("keras_cv.models.stable_diffusion.Decoder", "keras_cv.models.stable_diffusion.decoder.Decoder")
class Decoder(HubModel):
    """A latent picture to an image."""

    def call(self, inputs: Any, training: Any = None, mask: Any = None) -> Any:
        first = _first(inputs)
        batch, height, width, _ = _picture(first)
        return _of(first, dtypes.f32, (batch, height * _SHRUNK, width * _SHRUNK, 3))


@model("keras_cv.models.stable_diffusion.ImageEncoder", "keras_cv.models.stable_diffusion.image_encoder.ImageEncoder")
class ImageEncoder(HubModel):
    """An image to a latent picture."""

    def call(self, inputs: Any, training: Any = None, mask: Any = None) -> Any:
        first = _first(inputs)
        batch, height, width, _ = _picture(first)
        return _of(first, dtypes.f32, (batch, floor_div(height, _SHRUNK), floor_div(width, _SHRUNK), 4))


@model(
    "keras_cv.models.stable_diffusion.SimpleTokenizer",
    "keras_cv.models.stable_diffusion.clip_tokenizer.SimpleTokenizer",
)
class SimpleTokenizer(Object):
    """Text to numbers of tokens."""

    def __init__(self, bpe_path: Any = None) -> None:
        self.end_of_text = 49407
        self.start_of_text = 49406

    def encode(self, text: Any) -> Any:
        return ListValue(Repeated(symbol(machine().fresh("token")), symbol(machine().fresh("tokens"))))

    def decode(self, tokens: Any) -> Any:
        return Scalar(str, "text")

    def add_tokens(self, tokens: Any) -> Any:
        return symbol(machine().fresh("token"))

    @property
    def vocab(self) -> Any:
        return DictValue({}, rest=symbol(machine().fresh("token")))


@model(
    "keras_cv.models.stable_diffusion.NoiseScheduler",
    "keras_cv.models.stable_diffusion.noise_scheduler.NoiseScheduler",
)
class NoiseScheduler(Object):
    """How much noise each step has."""

    def __init__(self, train_timesteps: Any = 1000, *args: Any, **rest: Any) -> None:
        self.train_timesteps = train_timesteps

    def add_noise(self, original_samples: Any, noise: Any, timesteps: Any) -> Any:
        first = _first(original_samples)
        return opaque("add_noise", [first], first.graph_value.declared.without_value(), type(first))


@model("keras_cv.models.StableDiffusion", "keras_cv.models.StableDiffusionV2")
class StableDiffusion(Object):
    """Images of text."""

    def __init__(self, img_height: Any = 512, img_width: Any = 512, jit_compile: Any = True) -> None:
        self.img_height = img_height
        self.img_width = img_width
        self.tokenizer = SimpleTokenizer()
        for name, kind in (
            ("text_encoder", TextEncoder), ("diffusion_model", DiffusionModel), ("decoder", Decoder),
            ("image_encoder", ImageEncoder),
        ):  # fmt: skip
            store(self.cells, name, kind(name=name))

    def encode_text(self, prompt: Any) -> Any:
        rows = rows_of(prompt) or (1,)
        return source("encoded_text", Known(dtypes.f32, (*rows, PROMPT, 768)), tensor_class())

    def text_to_image(
        self, prompt: Any, negative_prompt: Any = None, batch_size: Any = 1, *args: Any, **rest: Any
    ) -> Any:
        size = (as_size(held(self)["img_height"], "height"), as_size(held(self)["img_width"], "width"))
        return source("image", Known(dtypes.u8, (as_size(batch_size, "batch"), *size, 3)), numpy_class())

    def generate_image(
        self, encoded_text: Any, negative_prompt: Any = None, batch_size: Any = 1, *args: Any, **rest: Any
    ) -> Any:
        return self.text_to_image(encoded_text, negative_prompt, batch_size)


@model("keras_hub.models.StableDiffusion3Backbone")
class StableDiffusion3Backbone(HubModel):
    """The parts of the third version, step by step; its latent pictures have 16 channels."""

    @property
    def diffuser(self) -> Any:
        if "@diffuser" not in self.cells:
            store(self.cells, "@diffuser", DiffusionModel(name="diffuser"))
        return held(self)["@diffuser"]

    def encode_text_step(self, token_ids: Any, negative_token_ids: Any) -> Any:
        tokens = symbol(machine().fresh("tokens"))
        return tuple(
            _of(_first(each), dtypes.f32, (_rows(each), *sizes))
            for sizes in ((tokens, 4096), (2048,))
            for each in (token_ids, negative_token_ids)
        )

    def encode_image_step(self, images: Any) -> Any:
        first = _first(images)
        batch, height, width, _ = _picture(first)
        return _of(first, dtypes.f32, (batch, floor_div(height, _SHRUNK), floor_div(width, _SHRUNK), 16))

    def denoise_step(self, latents: Any, *args: Any, **rest: Any) -> Any:
        first = _first(latents)
        return _of(first, dtypes.f32, _picture(first))

    def decode_step(self, latents: Any) -> Any:
        first = _first(latents)
        batch, height, width, _ = _picture(first)
        return _of(first, dtypes.f32, (batch, height * _SHRUNK, width * _SHRUNK, 3))


def _rows(inputs: Any) -> Dim:
    dims = dims_of(_first(inputs))
    return dims[0] if dims else symbol("batch")


@model("keras_hub.models.StableDiffusion3TextToImage")
class StableDiffusion3TextToImage(HubModel):
    """The third version as one model; its images are of the size that was asked for."""

    def generate(self, inputs: Any = None, *args: Any, **kwargs: Any) -> Any:
        shape = held(self).get("image_shape")
        sizes: list[Dim] = [symbol(machine().fresh(name)) for name in ("height", "width")]
        if isinstance(shape, tuple) and len(shape) == 3:
            sizes = [as_size(each) for each in shape[:2]]
        text = inputs.cells.get("prompts") if isinstance(inputs, DictValue) else inputs
        return source("image", Known(dtypes.u8, (*rows_of(text), *sizes, 3)), numpy_class())

    @property
    def backbone(self) -> Any:
        if "@backbone" not in self.cells:
            store(self.cells, "@backbone", StableDiffusion3Backbone())
        return held(self)["@backbone"]
