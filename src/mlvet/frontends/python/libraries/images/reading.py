"""imageio and scikit-image: images from files as arrays."""

from __future__ import annotations

from typing import Any

from mlvet.domains import dtypes
from mlvet.domains.dims import symbol
from mlvet.domains.tensors import Tensor as Type
from mlvet.frontends.python.active import machine
from mlvet.frontends.python.emission import opaque, source
from mlvet.frontends.python.libraries.binding import Tensor, as_sizes
from mlvet.frontends.python.libraries.images.opencv import frame
from mlvet.frontends.python.libraries.images.pictures import array_of
from mlvet.frontends.python.libraries.numpy.arrays import ndarray
from mlvet.frontends.python.libraries.plotting.figures import Inert
from mlvet.frontends.python.libraries.registry import alias, model
from mlvet.frontends.python.values.containers import ListValue, Repeated
from mlvet.frontends.python.values.tensors import dims_of


@model("imageio.imread", "skimage.io.imread")
def imread(uri: Any, *args: Any, **rest: Any) -> Tensor:
    return frame(None if rest.get("as_gray") is True else 3)


@model("imageio.mimread")
def mimread(uri: Any, *args: Any, **rest: Any) -> Any:
    return ListValue(Repeated(frame(), symbol(machine().fresh("frames"))))


class Reader(Inert):
    """A film that a loop sees frame by frame."""

    def iterate(self) -> Any:
        return Repeated(frame(), symbol(machine().fresh("frames")))

    def get_data(self, index: Any) -> Any:
        return frame()


@model("imageio.get_reader")
def get_reader(uri: Any, *args: Any, **rest: Any) -> Any:
    return Reader()


@model(
    "imageio.imwrite", "imageio.imsave", "imageio.mimsave", "imageio.mimwrite", "imageio.volwrite", "skimage.io.imsave"
)
def imwrite(*args: Any, **rest: Any) -> None:
    """Writes a file."""


model("imageio.get_writer")(Inert())
alias("imageio.v2", "imageio")
alias("imageio.v3", "imageio")


@model("skimage.transform.resize")
def resize(image: Any, output_shape: Any, *args: Any, **rest: Any) -> Tensor:
    array = array_of(image)
    sizes = as_sizes(output_shape)
    dims = dims_of(array) or ()
    return opaque("resize", [array], Type(dtypes.f64, (*sizes, *dims[len(sizes) :])), ndarray)


@model("skimage.color.rgb2gray")
def rgb2gray(rgb: Any, **rest: Any) -> Tensor:
    array = array_of(rgb)
    return opaque("rgb2gray", [array], Type(dtypes.f64, (dims_of(array) or (0,))[:-1]), ndarray)


SHOWN = {"chelsea": (300, 451, 3), "astronaut": (512, 512, 3), "coffee": (400, 600, 3), "camera": (512, 512)}
"""The images that come with scikit-image, and their sizes."""


def _sample(name: str) -> None:
    @model(f"skimage.data.{name}")
    def load() -> Any:
        return source(name, Type(dtypes.u8, SHOWN[name]), ndarray)


for _name in SHOWN:
    _sample(_name)
