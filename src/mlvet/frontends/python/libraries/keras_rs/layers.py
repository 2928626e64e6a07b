"""keras_rs.layers: embeddings of many features, crosses of features, and retrieval of candidates."""

from __future__ import annotations

from typing import Any

from mlvet.domains import dtypes
from mlvet.domains.dims import Dim, floor_div, symbol
from mlvet.domains.tensors import Tensor as Known
from mlvet.frontends.python.active import machine, store
from mlvet.frontends.python.arrays.operators import assumed
from mlvet.frontends.python.emission import opaque
from mlvet.frontends.python.libraries import keras as keras
from mlvet.frontends.python.libraries.binding import ArrayLike, Tensor, as_items, as_size, as_sizes
from mlvet.frontends.python.libraries.keras.layer import Layer
from mlvet.frontends.python.libraries.keras.tensor import array
from mlvet.frontends.python.libraries.registry import model
from mlvet.frontends.python.values.containers import DictValue, ListValue
from mlvet.frontends.python.values.objects import Object
from mlvet.frontends.python.values.tensors import dims_of, dtype_of
from mlvet.frontends.python.values.unknown import Reason, Undecided, Unknown


class Configuration(Object):
    """Settings by name; those given by position come in this order."""

    __slots__ = ()
    order: tuple[str, ...] = ()

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        for name, value in {**dict(zip(self.order, args, strict=False)), **kwargs}.items():
            store(self.cells, name, value)


@model("keras_rs.layers.TableConfig")
class TableConfig(Configuration):
    __slots__ = ()
    order = ("name", "vocabulary_size", "embedding_dim")


@model("keras_rs.layers.FeatureConfig")
class FeatureConfig(Configuration):
    __slots__ = ()
    order = ("name", "table", "input_shape", "output_shape")


@model("keras_rs.layers.DistributedEmbedding")
class DistributedEmbedding(Layer):
    """Looks each feature up in its table; the shape of what is found is the feature's own."""

    def __init__(self, feature_configs: Any, *, table_stacking: Any = "auto", **kwargs: Any) -> None:
        super().__init__(**{key: kwargs[key] for key in ("name", "dtype") if key in kwargs})
        self.feature_configs = feature_configs
        self.built = True

    def preprocess(self, inputs: Any, weights: Any = None, training: Any = False) -> Any:
        return inputs

    def call(self, inputs: Any, weights: Any = None, training: Any = False) -> Any:
        return self._found(self.cells["feature_configs"], inputs)

    def get_embedding_tables(self) -> Any:
        return DictValue({}, rest=Unknown(Reason.EXTERNAL_DATA, "a table"))

    def _found(self, configs: Any, inputs: Any) -> Any:
        if isinstance(configs, FeatureConfig):
            return _looked_up(configs, inputs)
        if isinstance(configs, DictValue):
            known = inputs.cells if isinstance(inputs, DictValue) else {}
            return DictValue({key: self._found(each, known.get(key)) for key, each in configs.cells.items()})
        if isinstance(configs, ListValue | tuple):
            given = as_items(inputs) if isinstance(inputs, ListValue | tuple) else ()
            places = as_items(configs)
            return ListValue(
                self._found(each, given[index] if index < len(given) else None) for index, each in enumerate(places)
            )
        raise Undecided(Reason.DYNAMIC_CONTAINER, "features of a distributed embedding")


def _looked_up(config: FeatureConfig, value: Any) -> Any:
    table = config.cells.get("table")
    width = table.cells.get("embedding_dim") if isinstance(table, Object) else None
    kind = type(array(value)) if value is not None and not isinstance(value, Unknown) else keras_tensor()
    operands = [array(value)] if value is not None and not isinstance(value, Unknown) else []
    wanted = config.cells.get("output_shape")
    if wanted is not None and not isinstance(wanted, Unknown):
        items = [symbol("batch") if each is None else each for each in as_items(wanted)]
        return opaque("DistributedEmbedding", operands, Known(dtypes.f32, as_sizes(tuple(items))), kind)
    dims = dims_of(operands[0]) if operands else None
    if dims is None:
        raise Undecided(Reason.EXTERNAL_DATA, "a feature of unknown shape")
    size = as_size(width, "embedding_dim") if width is not None else symbol(machine().fresh("embedding_dim"))
    return opaque("DistributedEmbedding", operands, Known(dtypes.f32, (*dims[:1], size)), kind)


def keras_tensor() -> Any:
    from mlvet.frontends.python.libraries.keras.tensor import KerasTensor

    return KerasTensor


@model("keras_rs.layers.FeatureCross")
class FeatureCross(Layer):
    """Crosses of features; as many come out as go in."""

    def __init__(self, projection_dim: Any = None, *args: Any, **kwargs: Any) -> None:
        super().__init__(**{key: kwargs[key] for key in ("name", "dtype") if key in kwargs})
        self.built = True

    def call(self, x0: ArrayLike, x: Any = None) -> Tensor:
        made = array(x0)
        return opaque("FeatureCross", [made], made.graph_value.declared.without_value(), type(made))


@model("keras_rs.layers.DotInteraction")
class DotInteraction(Layer):
    """The dot products of all pairs of features."""

    def __init__(self, self_interaction: bool = False, skip_gather: bool = False, **kwargs: Any) -> None:
        super().__init__(**{key: kwargs[key] for key in ("name", "dtype") if key in kwargs})
        self.self_interaction, self.skip_gather, self.built = self_interaction, skip_gather, True

    def call(self, inputs: Any) -> Any:
        parts = [array(each) for each in as_items(inputs)]
        count = len(parts)
        dims = dims_of(assumed(parts[0], 2, "batch", "features")) or ()
        own, whole = self.cells["self_interaction"], self.cells["skip_gather"]
        pairs: Dim = count * count if whole else floor_div(count * (count + 1 if own else count - 1), 2)
        return opaque("DotInteraction", parts, Known(dtype_of(parts[0]), (*dims[:1], pairs)), type(parts[0]))


@model("keras_rs.layers.BruteForceRetrieval", "keras_rs.layers.Retrieval")
class BruteForceRetrieval(Layer):
    """The candidates nearest to each query."""

    def __init__(
        self, candidate_embeddings: Any = None, candidate_ids: Any = None, k: Any = 10, return_scores: bool = True,
        **kwargs: Any,
    ) -> None:  # fmt: skip
        super().__init__(**{key: kwargs[key] for key in ("name", "dtype") if key in kwargs})
        self.k, self.return_scores, self.built = k, return_scores, True

    def update_candidates(self, candidate_embeddings: Any, candidate_ids: Any = None) -> None:
        """Other candidates."""

    def call(self, inputs: ArrayLike) -> Any:
        made = array(inputs)
        dims = dims_of(assumed(made, 2, "batch", "features")) or ()
        shape = (*dims[:-1], as_size(self.cells["k"], "k"))
        found = opaque("BruteForceRetrieval.ids", [made], Known(dtypes.i32, shape), type(made))
        if not self.cells["return_scores"]:
            return found
        return opaque("BruteForceRetrieval.scores", [made], Known(dtype_of(made), shape), type(made)), found


class Adjusted(Layer):
    """A layer that changes logits, or logits and labels, but not their shapes."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(**{key: kwargs[key] for key in ("name", "dtype") if key in kwargs})
        self.built = True


@model("keras_rs.layers.SamplingProbabilityCorrection")
class SamplingProbabilityCorrection(Adjusted):
    def call(self, logits: ArrayLike, candidate_sampling_probability: Any) -> Tensor:
        made = array(logits)
        return opaque("SamplingProbabilityCorrection", [made], made.graph_value.declared.without_value(), type(made))


@model("keras_rs.layers.RemoveAccidentalHits")
class RemoveAccidentalHits(Adjusted):
    def call(self, logits: ArrayLike, labels: Any, candidate_ids: Any) -> Tensor:
        made = array(logits)
        return opaque("RemoveAccidentalHits", [made], made.graph_value.declared.without_value(), type(made))


@model("keras_rs.layers.HardNegativeMining")
class HardNegativeMining(Adjusted):
    def __init__(self, num_hard_negatives: Any, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.num_hard_negatives = num_hard_negatives

    def call(self, logits: ArrayLike, labels: Any) -> Any:
        made = array(logits)
        dims = dims_of(assumed(made, 2, "batch", "candidates")) or ()
        shape = (*dims[:-1], as_size(self.cells["num_hard_negatives"], "negatives") + 1)
        return tuple(opaque("HardNegativeMining", [made], Known(dtype_of(made), shape), type(made)) for _ in range(2))
