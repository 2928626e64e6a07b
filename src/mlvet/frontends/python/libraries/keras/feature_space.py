"""keras.utils.FeatureSpace: named features encoded to numbers, and their concatenation."""

from __future__ import annotations

from typing import Any

from mlvet.domains import dtypes
from mlvet.domains.dims import Dim, symbol, total
from mlvet.domains.dtypes import DType
from mlvet.domains.tensors import Tensor as Known
from mlvet.frontends.python.active import machine, store
from mlvet.frontends.python.emission import opaque, unknown_tensor
from mlvet.frontends.python.libraries.binding import as_items, as_size
from mlvet.frontends.python.libraries.keras.held import held, keep
from mlvet.frontends.python.libraries.keras.inputs import placeholder_of
from mlvet.frontends.python.libraries.keras.layer import Layer, inside
from mlvet.frontends.python.libraries.keras.layers.lookups import StringLookup
from mlvet.frontends.python.libraries.keras.layers.scaling import Normalization
from mlvet.frontends.python.libraries.keras.tensor import KerasTensor, array
from mlvet.frontends.python.libraries.registry import model
from mlvet.frontends.python.values.containers import DictValue
from mlvet.frontends.python.values.objects import Object
from mlvet.frontends.python.values.tensors import TensorValue, dims_of, rank_of
from mlvet.frontends.python.values.unknown import Reason, Undecided


class Feature(Object):
    """How one feature is read and encoded: its element type, and how many numbers it becomes."""

    def __init__(self, dtype: DType, width: Dim, output_mode: Any, preprocessor: Any = None) -> None:
        self.dtype = dtype
        self.encoded = dtypes.f32 if output_mode != "int" else dtypes.i32 if dtype is dtypes.f32 else dtypes.i64
        self.width = 1 if output_mode == "int" else width
        self.output_mode = output_mode
        self.preprocessor = preprocessor


@model("keras.utils.FeatureSpace")
class FeatureSpace(Layer):
    def __init__(
        self, features: Any, output_mode: Any = "concat", crosses: Any = None, crossing_dim: Any = 32,
        hashing_dim: Any = 32, num_discretization_bins: Any = 32, name: Any = None,
    ) -> None:  # fmt: skip
        super().__init__(name=name)
        self.features = features
        self.output_mode = output_mode
        self.crosses = crosses
        store(self.cells, "@crossing_dim", crossing_dim)
        self.built = True

    @staticmethod
    def float(name: Any = None) -> Any:
        return Feature(dtypes.f32, 1, "float")

    @staticmethod
    def float_rescaled(scale: Any = 1.0, offset: Any = 0.0, name: Any = None) -> Any:
        return Feature(dtypes.f32, 1, "float")

    @staticmethod
    def float_normalized(name: Any = None) -> Any:
        return Feature(dtypes.f32, 1, "float", Normalization())

    @staticmethod
    def float_discretized(
        num_bins: Any, bin_boundaries: Any = None, output_mode: Any = "one_hot", name: Any = None
    ) -> Any:
        return Feature(dtypes.f32, as_size(num_bins, "bins"), output_mode)

    @staticmethod
    def integer_categorical(
        max_tokens: Any = None, num_oov_indices: Any = 1, output_mode: Any = "one_hot", name: Any = None
    ) -> Any:
        return Feature(dtypes.i32, symbol(machine().fresh("vocabulary")), output_mode, StringLookup())

    @staticmethod
    def string_categorical(
        max_tokens: Any = None, num_oov_indices: Any = 1, output_mode: Any = "one_hot", name: Any = None
    ) -> Any:
        return Feature(dtypes.text, symbol(machine().fresh("vocabulary")), output_mode, StringLookup())

    @staticmethod
    def string_hashed(num_bins: Any, output_mode: Any = "one_hot", name: Any = None) -> Any:
        return Feature(dtypes.text, as_size(num_bins, "bins"), output_mode)

    @staticmethod
    def integer_hashed(num_bins: Any, output_mode: Any = "one_hot", name: Any = None) -> Any:
        return Feature(dtypes.i32, as_size(num_bins, "bins"), output_mode)

    @staticmethod
    def feature(dtype: Any, preprocessor: Any, output_mode: Any) -> Any:
        from mlvet.frontends.python.libraries.element_types import dtype_named

        made = Feature(dtype_named(dtype) or dtypes.f32, symbol(machine().fresh("width")), output_mode, preprocessor)
        made.is_own = True
        return made

    @staticmethod
    def cross(feature_names: Any, crossing_dim: Any, output_mode: Any = "one_hot") -> Any:
        made = Feature(dtypes.text, as_size(crossing_dim, "crossing_dim"), output_mode)
        made.feature_names = feature_names
        return made

    def adapt(self, dataset: Any) -> None:
        return None

    def get_inputs(self) -> Any:
        """One symbolic tensor of one column for each feature."""
        if "@inputs" not in self.cells:
            made = {
                name: placeholder_of((1,), None, None, _feature(each).dtype, name)
                for name, each in self._known().items()
            }
            store(self.cells, "@inputs", DictValue(made))
        return held(self)["@inputs"]

    def get_encoded_features(self) -> Any:
        if "@encoded" not in self.cells:
            store(self.cells, "@encoded", self.call(self.get_inputs()))
        return held(self)["@encoded"]

    @property
    def preprocessors(self) -> Any:
        return DictValue({name: _feature(each).preprocessor for name, each in self._known().items()})

    def call(self, data: Any) -> Any:
        columns = [each for each in inside(data) if isinstance(each, TensorValue)]
        rows = _rows(columns)
        kind = type(columns[0]) if columns and not isinstance(array(columns[0]), KerasTensor) else KerasTensor
        given = data.cells if isinstance(data, DictValue) else {}
        made = {}
        for name, each in {**dict(sorted(self._known().items())), **self._crossed()}.items():
            feature = _feature(each)
            if "is_own" in feature.cells:
                made[name] = _by_itself(feature, given.get(name), rows, kind)
            else:
                made[name] = opaque("FeatureSpace", columns, Known(feature.encoded, (*rows, feature.width)), kind)
        if held(self)["output_mode"] == "dict":
            return DictValue(made)
        sizes = [dims_of(each) for each in made.values()]
        whole = symbol(machine().fresh("features")) if None in sizes else total(each[-1] for each in sizes if each)
        return opaque("FeatureSpace", columns, Known(self._compute, (*rows, whole)), kind)

    def _crossed(self) -> dict[str, Any]:
        """The crosses by name: those of the features that each is made of."""
        found = {}
        crosses = held(self)["crosses"]
        for each in as_items(crosses) if crosses is not None else ():
            if isinstance(each, Feature):
                names, cross = each.feature_names, each
            else:
                names, cross = each, self.cross(each, held(self)["@crossing_dim"])
            found["_X_".join(str(name) for name in as_items(names))] = cross
        return dict(sorted(found.items()))

    def _known(self) -> dict[Any, Any]:
        features = held(self)["features"]
        if not isinstance(features, DictValue):
            raise Undecided(Reason.DYNAMIC_CONTAINER, "features that are not known")
        return features.cells

    def save(self, filepath: Any) -> None:
        keep(filepath, self)


def _feature(each: Any) -> Feature:
    """A feature, given as such or by the name of a way to encode."""
    if isinstance(each, Feature):
        return each
    if isinstance(each, str) and each.startswith("float"):
        return Feature(dtypes.f32, 1, "float")
    kind = dtypes.text if isinstance(each, str) and each.startswith("string") else dtypes.i32
    return Feature(kind, symbol(machine().fresh("vocabulary")), "one_hot")


def _by_itself(feature: Feature, column: Any, rows: tuple[Dim, ...], kind: Any) -> Any:
    """A feature of the program's own preprocessor; of a single number, TensorFlow may or may not drop the batch."""
    if not rows or feature.output_mode == "one_hot" or column is None:
        return unknown_tensor(kind, dtypes.f32 if feature.output_mode == "one_hot" else None, "feature")
    if rank_of(column) == 1:
        column = machine().send(column, "__getitem__", (slice(None), None))
    return machine().call(feature.preprocessor, column)


def _rows(columns: list[Any]) -> tuple[Dim, ...]:
    """The batch of the columns, none if they are single numbers."""
    for each in columns:
        dims = dims_of(each)
        if dims is not None:
            return dims[:1]
    return (symbol("batch"),)
