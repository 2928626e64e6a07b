"""Objects of which every attribute is a function that yields another such object."""

from __future__ import annotations

from typing import Any

from mlvet.domains import dtypes
from mlvet.domains.dims import symbol
from mlvet.domains.tensors import Tensor as Type
from mlvet.frontends.python.active import machine
from mlvet.frontends.python.emission import source
from mlvet.frontends.python.libraries import numpy as numpy
from mlvet.frontends.python.libraries.binding import TENSORS
from mlvet.frontends.python.libraries.registry import alias, model
from mlvet.frontends.python.values.containers import ListValue, Repeated
from mlvet.frontends.python.values.objects import Object


class Inert(Object):
    """Something that is drawn, shown or saved: it takes any call and yields its like."""

    def missing(self, name: str) -> Any:
        return Inert()

    def __call__(self, *args: Any, **keywords: Any) -> Any:
        return Inert()

    def __getitem__(self, index: Any) -> Any:
        return Inert()

    def __setitem__(self, index: Any, value: Any) -> None:
        """Shows something else."""

    def __enter__(self) -> Any:
        return self

    def __exit__(self, *args: Any) -> None:
        """Ends what is drawn."""

    def iterate(self) -> Any:
        return Repeated(Inert(), symbol(machine().fresh("drawn")))


class Axes(Inert):
    """The axes that `subplots` yields: a grid of them."""

    def __init__(self, rows: Any, columns: Any) -> None:
        self.cells["@grid"] = tuple(size for size in (rows, columns) if size != 1)

    @property
    def shape(self) -> Any:
        return self.cells["@grid"]

    @property
    def size(self) -> Any:
        total: Any = 1
        for size in self.cells["@grid"]:
            total = total * size
        return total

    @property
    def flat(self) -> Any:
        return self.flatten()

    def flatten(self) -> Any:
        return Axes(self.size, 1)

    def ravel(self) -> Any:
        return Axes(self.size, 1)

    def reshape(self, *shape: Any) -> Any:
        return Axes(self.size, 1)

    def __getitem__(self, index: Any) -> Any:
        grid = self.cells["@grid"]
        if isinstance(index, tuple) or len(grid) < 2:
            return Inert()
        return Axes(1, grid[1])

    def length(self) -> Any:
        grid = self.cells["@grid"]
        return grid[0] if grid else 1

    def iterate(self) -> Any:
        grid = self.cells["@grid"]
        row = Axes(1, grid[1]) if len(grid) == 2 else Inert()
        if grid and isinstance(grid[0], int) and grid[0] <= machine().limits.unrolled:
            return tuple(row for _ in range(grid[0]))
        return Repeated(row, self.length())


@model("matplotlib.pyplot.subplots")
def subplots(nrows: Any = 1, ncols: Any = 1, **keywords: Any) -> Any:
    return Inert(), Inert() if nrows == 1 and ncols == 1 else Axes(nrows, ncols)


@model("matplotlib.pyplot.imread", "matplotlib.image.imread")
def imread(fname: Any, format: Any = None) -> Any:
    height, width = (symbol(machine().fresh(name)) for name in ("height", "width"))
    return source("image", Type(dtypes.f32, (height, width, 3)), TENSORS["numpy"])


@model("matplotlib.pyplot.get_cmap", "matplotlib.cm.get_cmap", "matplotlib.colormaps.get_cmap")
def get_cmap(name: Any = None, lut: Any = None) -> Any:
    return Colours()


class Colours(Inert):
    """A map of numbers to colours of four channels."""

    def __call__(self, X: Any, alpha: Any = None, bytes: bool = False) -> Any:
        from mlvet.frontends.python.libraries.numpy.arrays import as_ndarray
        from mlvet.frontends.python.values.tensors import TensorValue, tensor_of

        if not isinstance(X, TensorValue | ListValue):
            return Inert()
        values = as_ndarray(X)
        shape = tensor_of(values).shape
        dims = (*shape, 4) if isinstance(shape, tuple) else shape
        return source("colours", Type(dtypes.u8 if bytes else dtypes.f64, dims), TENSORS["numpy"])


COLOURS = Colours()
for _name in ("jet", "viridis", "gray", "Blues", "Greens", "Reds", "hot", "plasma", "inferno", "magma", "tab10"):
    model(f"matplotlib.cm.{_name}")(COLOURS)
model("matplotlib.colormaps")(COLOURS)
alias("matplotlib.pyplot.cm", "matplotlib.cm")
DRAWN = Inert()
"""What every function that draws is."""
for _name in (
    "show", "plot", "imshow", "figure", "title", "subplot", "axis", "xlabel", "ylabel", "legend", "gca", "gcf",
    "grid", "tight_layout", "close", "scatter", "yticks", "xticks", "MaxNLocator", "savefig", "ylim", "xlim",
    "matshow", "clf", "colorbar", "subplots_adjust", "bar", "barh", "hist", "axes", "gray", "Rectangle",
    "suptitle", "get_backend", "text", "style", "rc", "rcParams", "ion", "ioff", "draw", "pause", "cla",
    "subplot2grid", "subplot_mosaic", "semilogy", "semilogx", "loglog", "fill_between", "errorbar", "axhline",
    "axvline", "annotate", "contour", "contourf", "boxplot", "pcolormesh", "violinplot", "pie", "quiver", "sca",
    "delaxes", "set_cmap", "clim", "imsave", "switch_backend", "hlines", "vlines", "step", "stem",
    "tick_params", "xscale", "yscale", "stackplot", "setp", "Circle", "Line2D", "hist2d", "axvspan",
    "margins", "minorticks_on", "fignum_exists", "waitforbuttonpress", "Normalize", "Figure",
):  # fmt: skip
    model(f"matplotlib.pyplot.{_name}")(DRAWN)
for _name in (
    "use", "patches", "dates", "ticker", "colors", "animation", "gridspec", "patheffects", "lines", "rc",
    "rcParams", "font_manager", "style", "axes", "figure", "transforms", "collections", "backends", "offsetbox",
    "pylab",
):  # fmt: skip
    model(f"matplotlib.{_name}")(DRAWN)
for _name in ("display", "Image", "HTML", "Audio", "clear_output", "Markdown", "Video"):
    model(f"IPython.display.{_name}")(DRAWN)
model("IPython.get_ipython")(DRAWN)
for _name in ("heatmap", "lineplot", "scatterplot", "histplot", "barplot", "set", "set_theme", "set_style", "pairplot"):
    model(f"seaborn.{_name}")(DRAWN)
