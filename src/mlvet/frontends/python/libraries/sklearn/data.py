"""Data sets that come with the library, and made ones."""

from __future__ import annotations

from typing import Any

from mlvet.domains import dtypes
from mlvet.domains.dims import Dim, symbol
from mlvet.domains.dtypes import DType
from mlvet.domains.tensors import Tensor as Type
from mlvet.frontends.python.active import machine
from mlvet.frontends.python.arrays.creation import drawn
from mlvet.frontends.python.emission import source
from mlvet.frontends.python.libraries.binding import Size
from mlvet.frontends.python.libraries.numpy.arrays import ndarray
from mlvet.frontends.python.libraries.registry import model
from mlvet.frontends.python.values.containers import ListValue, Repeated
from mlvet.frontends.python.values.numbers import Scalar
from mlvet.frontends.python.values.objects import Object
from mlvet.frontends.python.values.unknown import Reason, Undecided


class Bunch(Object):
    """What loaders yield: attributes that are keys too."""

    def __getitem__(self, name: Any) -> Any:
        if isinstance(name, str) and name in self.cells:
            return self.cells[name]
        raise Undecided(Reason.EXTERNAL_DATA, "a part of a data set")

    def keys(self) -> Any:
        return ListValue(self.cells)


SIZES: dict[str, tuple[tuple[int, ...], tuple[int, ...], DType, DType]] = {
    "load_iris": ((150, 4), (150,), dtypes.f64, dtypes.i64),
    "load_digits": ((1797, 64), (1797,), dtypes.f64, dtypes.i64),
    "load_wine": ((178, 13), (178,), dtypes.f64, dtypes.i64),
    "load_breast_cancer": ((569, 30), (569,), dtypes.f64, dtypes.i64),
    "load_diabetes": ((442, 10), (442,), dtypes.f64, dtypes.f64),
    "load_linnerud": ((20, 3), (20, 3), dtypes.f64, dtypes.f64),
    "load_boston": ((506, 13), (506,), dtypes.f64, dtypes.f64),
    "fetch_california_housing": ((20640, 8), (20640,), dtypes.f64, dtypes.f64),
    "fetch_olivetti_faces": ((400, 4096), (400,), dtypes.f32, dtypes.i64),
    "fetch_covtype": ((581012, 54), (581012,), dtypes.f64, dtypes.i32),
}
"""The shapes and element types of the data and of the targets."""


def _loader(name: str) -> None:
    rows, targets, dtype, target_dtype = SIZES[name]
    label = name.partition("_")[2]

    @model(f"sklearn.datasets.{name}")
    def load(*, return_X_y: bool = False, as_frame: bool = False, **rest: Any) -> Any:
        data: Any = source(label, Type(dtype, rows), ndarray)
        target: Any = source(f"{label}_target", Type(target_dtype, targets), ndarray)
        if as_frame:
            from mlvet.frontends.python.libraries.pandas.columns import Series
            from mlvet.frontends.python.libraries.pandas.tables import DataFrame

            data, target = DataFrame.of(data.graph_value), Series.of(target.graph_value)
        return (data, target) if return_X_y else _bunch(data, target, rows, name)


def _bunch(data: Any, target: Any, rows: tuple[int, ...], name: str) -> Any:
    found = Bunch()
    found.cells.update({
        "data": data, "target": target, "feature_names": ListValue(Repeated(Scalar(str), rows[1])),
        "target_names": ListValue(Repeated(Scalar(str), symbol(machine().fresh("classes")))), "DESCR": Scalar(str),
    })  # fmt: skip
    if name == "load_digits":
        found.cells["images"] = source("digits_images", Type(dtypes.f64, (1797, 8, 8)), ndarray)
    if name == "fetch_olivetti_faces":
        found.cells["images"] = source("faces", Type(dtypes.f32, (400, 64, 64)), ndarray)
    return found


for _name in SIZES:
    _loader(_name)


@model("sklearn.datasets.fetch_openml")
def fetch_openml(
    name: Any = None, *, version: Any = "active", return_X_y: bool = False, as_frame: Any = "auto", **rest: Any
) -> Any:
    mnist = isinstance(name, str) and name.startswith(("mnist_784", "Fashion-MNIST"))
    rows: Any = 70000 if mnist else symbol(machine().fresh("rows"))
    columns: Any = 784 if mnist else symbol(machine().fresh("columns"))
    data: Any = source("openml", Type(None, (rows, columns)), ndarray)
    target: Any = source("openml_target", Type(None, (rows,)), ndarray)
    if as_frame is not False:
        from mlvet.frontends.python.libraries.pandas.columns import Series
        from mlvet.frontends.python.libraries.pandas.tables import DataFrame

        data, target = DataFrame.of(data.graph_value), Series.of(target.graph_value)
    if return_X_y:
        return data, target
    found = Bunch()
    found.cells.update({"data": data, "target": target})
    return found


@model("sklearn.datasets.fetch_20newsgroups")
def fetch_20newsgroups(*, subset: Any = "train", **rest: Any) -> Any:
    rows = symbol(machine().fresh("documents"))
    found = Bunch()
    found.cells["data"] = ListValue(Repeated(Scalar(str), rows))
    found.cells["target"] = source("newsgroups_target", Type(dtypes.i64, (rows,)), ndarray)
    found.cells["target_names"] = ListValue(Repeated(Scalar(str), symbol(machine().fresh("classes"))))
    return found


def _made(rows: Dim, columns: Dim, targets: DType, outputs: Dim | None = None) -> Any:
    target_dims = (rows,) if outputs is None else tuple(size for size in (rows, outputs) if size != 1)
    data = drawn("random_normal", (rows, columns), dtypes.f64, ndarray, mean=0.0, scale=1.0)
    return data, source("target", Type(targets, target_dims), ndarray)


@model("sklearn.datasets.make_classification")
def make_classification(n_samples: Size = 100, n_features: Size = 20, **rest: Any) -> Any:
    return _made(n_samples, n_features, dtypes.i64)


@model("sklearn.datasets.make_regression")
def make_regression(
    n_samples: Size = 100, n_features: Size = 100, *, n_informative: Any = 10, n_targets: Size = 1, coef: bool = False,
    **rest: Any,
) -> Any:  # fmt: skip
    made = _made(n_samples, n_features, dtypes.f64, n_targets)
    return (*made, source("coef", Type(dtypes.f64, (n_features,)), ndarray)) if coef else made


@model("sklearn.datasets.make_moons", "sklearn.datasets.make_circles")
def make_moons(
    n_samples: Any = 100, *, shuffle: Any = True, noise: Any = None, random_state: Any = None, **rest: Any
) -> Any:
    rows: Any = n_samples
    if isinstance(n_samples, tuple):
        rows = n_samples[0] + n_samples[1]
    elif not isinstance(n_samples, int):
        from mlvet.frontends.python.libraries.binding import as_size

        rows = as_size(n_samples, "samples")
    return _made(rows, 2, dtypes.i64)


@model("sklearn.datasets.make_blobs")
def make_blobs(
    n_samples: Size = 100, n_features: Size = 2, *, centers: Any = None, return_centers: bool = False, **rest: Any
) -> Any:
    made = _made(n_samples, n_features, dtypes.i64)
    if not return_centers:
        return made
    count = 3 if centers is None else centers if isinstance(centers, int) else symbol(machine().fresh("centers"))
    return (*made, source("centers", Type(dtypes.f64, (count, n_features)), ndarray))


@model("sklearn.datasets.make_swiss_roll", "sklearn.datasets.make_s_curve")
def make_swiss_roll(n_samples: Size = 100, *, noise: Any = 0.0, random_state: Any = None, hole: Any = False) -> Any:
    return _made(n_samples, 3, dtypes.f64)


@model("sklearn.datasets.make_gaussian_quantiles")
def make_gaussian_quantiles(
    *, mean: Any = None, cov: Any = 1.0, n_samples: Size = 100, n_features: Size = 2, **rest: Any
) -> Any:
    return _made(n_samples, n_features, dtypes.i64)
