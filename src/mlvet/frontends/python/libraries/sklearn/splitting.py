"""Parts of data for training and testing."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from mlvet.domains import dtypes
from mlvet.domains.dims import Dim, Expr, ceil_div, floor_div, symbol
from mlvet.domains.tensors import Tensor as Type
from mlvet.frontends.python.active import machine
from mlvet.frontends.python.emission import demand, opaque
from mlvet.frontends.python.libraries.numpy.arrays import ndarray
from mlvet.frontends.python.libraries.registry import model
from mlvet.frontends.python.values.containers import IteratorValue, ListValue, Repeated
from mlvet.frontends.python.values.numbers import Scalar
from mlvet.frontends.python.values.objects import Object
from mlvet.frontends.python.values.tensors import TensorValue, dims_of, dtype_of
from mlvet.frontends.python.values.unknown import Reason, Undecided, Unknown


def rows_of(value: Any) -> Dim:
    """How many rows an array, table or list has."""
    if isinstance(value, TensorValue):
        return value.length()
    if isinstance(value, ListValue):
        return value.items.length if isinstance(value.items, Repeated) else len(value.items)
    if isinstance(value, tuple):
        return len(value)
    return symbol(machine().fresh("rows"))


def taken(value: Any, rows: Dim) -> Any:
    """So many rows of an array, table or list, in any order."""
    if isinstance(value, ListValue | tuple):
        items = value.items if isinstance(value, ListValue) else value
        element = (
            items.element if isinstance(items, Repeated) else (items[0] if items else Unknown(Reason.DYNAMIC_CONTAINER))
        )
        return ListValue(Repeated(element, rows))
    if not isinstance(value, TensorValue):
        return Unknown(Reason.EXTERNAL_DATA, "rows of something unknown")
    dims = dims_of(value)
    if dims is None:
        return type(value).of(value.graph_value)
    narrowed = getattr(value, "with_rows", None)
    if narrowed is not None:
        return narrowed(rows)
    return opaque("rows", [value], Type(dtype_of(value), (rows, *dims[1:])), type(value))


def _share(part: Any, rows: Dim, *, up: bool) -> Dim:
    """A part of the rows, given as a number or as a share of them."""
    if isinstance(part, int | Expr) and not isinstance(part, bool):
        return part
    if isinstance(part, float):
        share = Fraction(part).limit_denominator(10_000)
        whole = rows * share.numerator
        return ceil_div(whole, share.denominator) if up else floor_div(whole, share.denominator)
    return symbol(machine().fresh("part"))


@model("sklearn.model_selection.train_test_split")
def train_test_split(
    *arrays: Any, test_size: Any = None, train_size: Any = None, random_state: Any = None, shuffle: Any = True,
    stratify: Any = None,
) -> Any:  # fmt: skip
    known = [each for each in arrays if not isinstance(each, Unknown)]
    rows = rows_of(known[0]) if known else symbol(machine().fresh("rows"))
    for each in known[1:]:
        other = rows_of(each)
        if isinstance(other, int) and isinstance(rows, int):
            demand(other == rows, f"arrays to split have {rows} and {other} rows", "dims-differ")
    if test_size is None and train_size is None:
        test_size = 0.25
    if test_size is None:
        train = _share(train_size, rows, up=False)
        test = rows - train
    else:
        test = _share(test_size, rows, up=True)
        train = rows - test if train_size is None else _share(train_size, rows, up=False)
    found: list[Any] = []
    for each in arrays:
        found += [taken(each, train), taken(each, test)]
    return found


@model("sklearn.utils.shuffle", "sklearn.utils.resample")
def shuffle(*arrays: Any, random_state: Any = None, n_samples: Any = None, **rest: Any) -> Any:
    made = [taken(each, rows_of(each) if n_samples is None else _share(n_samples, 0, up=True)) for each in arrays]
    return made[0] if len(made) == 1 else made


@model(
    "sklearn.model_selection.KFold", "sklearn.model_selection.StratifiedKFold", "sklearn.model_selection.GroupKFold",
    "sklearn.model_selection.TimeSeriesSplit", "sklearn.model_selection.ShuffleSplit",
    "sklearn.model_selection.StratifiedShuffleSplit",
)  # fmt: skip
class Folds(Object):
    """A way to part rows several times."""

    def __init__(self, n_splits: Any = 5, **rest: Any) -> None:
        self.n_splits = n_splits

    def split(self, X: Any, y: Any = None, groups: Any = None) -> Any:
        names = ("train_rows", "test_rows")
        parts = [symbol(machine().fresh(name)) for name in names]
        rows = tuple(opaque("split", [], Type(dtypes.i64, (part,)), ndarray) for part in parts)
        count = self.n_splits
        if isinstance(count, int) and count <= machine().limits.unrolled:
            return IteratorValue(rows for _ in range(count))
        return IteratorValue(Repeated(rows, symbol(machine().fresh("splits"))))

    def get_n_splits(self, *args: Any) -> Any:
        return self.n_splits


@model("sklearn.model_selection.cross_val_score")
def cross_val_score(estimator: Any, X: Any, y: Any = None, *, cv: Any = 5, **rest: Any) -> Any:
    count = cv if isinstance(cv, int) else symbol(machine().fresh("splits"))
    return opaque("cross_val_score", [], Type(dtypes.f64, (count,)), ndarray)


@model("sklearn.utils.class_weight.compute_class_weight", "sklearn.utils.compute_class_weight")
def compute_class_weight(class_weight: Any, *, classes: Any, y: Any) -> Any:
    return opaque("class_weight", [], Type(dtypes.f64, (rows_of(classes),)), ndarray)


@model("sklearn.utils.class_weight.compute_sample_weight", "sklearn.utils.compute_sample_weight")
def compute_sample_weight(class_weight: Any, y: Any, *, indices: Any = None) -> Any:
    return opaque("sample_weight", [], Type(dtypes.f64, (rows_of(y),)), ndarray)


def needs_rank(value: Any) -> tuple[Dim, ...]:
    """The dims of an argument; Undecided if they are not known."""
    dims = dims_of(value) if isinstance(value, TensorValue) else None
    if dims is None:
        raise Undecided(Reason.UNMODELLED_ARGUMENTS, "an array of unknown rank")
    return dims


def one_number() -> Any:
    return Scalar(float)
