"""Ensembles of decision trees, in the form of ai.onnx.ml."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mlvet.domains import dtypes
from mlvet.domains.tensors import Tensor
from mlvet.ops.danger import OVERFLOW
from mlvet.ops.derivative import Zero
from mlvet.ops.enclosures_learning import CLASSIFICATION, ENSEMBLE, REGRESSION
from mlvet.ops.op import pure
from mlvet.ops.require import Require
from mlvet.ops.samples import Draw, Sample

MODES = ("BRANCH_LEQ", "BRANCH_LT", "BRANCH_GTE", "BRANCH_GT", "BRANCH_EQ", "BRANCH_NEQ", "BRANCH_MEMBER")
COMPARE: dict[str, Callable[[float, float], bool]] = {
    "BRANCH_LEQ": lambda a, b: a <= b,
    "BRANCH_LT": lambda a, b: a < b,
    "BRANCH_GTE": lambda a, b: a >= b,
    "BRANCH_GT": lambda a, b: a > b,
    "BRANCH_EQ": lambda a, b: a == b,
    "BRANCH_NEQ": lambda a, b: a != b,
}
AGGREGATES = ("AVERAGE", "SUM", "MIN", "MAX")
TRANSFORMS = ("NONE", "SOFTMAX", "LOGISTIC", "SOFTMAX_ZERO", "PROBIT")

_trees = partial(pure, family="trees", danger=(OVERFLOW,), derivative=Zero())


@dataclass(slots=True)
class Leaf:
    """What a row that arrives here adds: targets and weights."""

    weights: list[tuple[int, float]] = field(default_factory=list)


@dataclass(slots=True)
class Branch:
    """A question about one feature; rows whose feature is missing go the way `missing` says."""

    mode: str
    feature: int
    split: float
    members: frozenset[float]
    missing: bool
    yes: Branch | Leaf | None = None
    no: Branch | Leaf | None = None

    def asks(self, row: NDArray[Any]) -> bool:
        x = float(row[self.feature])
        if self.mode == "BRANCH_MEMBER":
            return x in self.members or (self.missing and np.isnan(x))
        return COMPARE[self.mode](x, self.split) or (self.missing and bool(np.isnan(x)))


def arrive(tree: Branch | Leaf | None, row: NDArray[Any]) -> Leaf:
    """The leaf that a row comes to."""
    while isinstance(tree, Branch):
        tree = tree.yes if tree.asks(row) else tree.no
    assert tree is not None
    return tree


def aggregate(trees: Sequence[Branch | Leaf], x: NDArray[Any], targets: int, how: str) -> NDArray[Any]:
    """The weights of the leaves of all trees, combined per row and target."""
    start = {"MIN": np.finfo(x.dtype).max, "MAX": np.finfo(x.dtype).min}.get(how, 0)
    result = np.full((len(x), targets), start, dtype=x.dtype)
    combine: Callable[[Any, Any], Any] = {"MIN": np.minimum, "MAX": np.maximum}.get(how, np.add)
    for index, row in enumerate(x):
        for tree in trees:
            for target, weight in arrive(tree, row).weights:
                share = weight / len(trees) if how == "AVERAGE" else weight
                result[index, target] = combine(result[index, target], share)
    return result


def transformed(scores: NDArray[Any], how: str) -> NDArray[Any]:
    """The post-transform of ai.onnx.ml; PROBIT is left to backends that have the inverse of erf."""
    with np.errstate(all="ignore"):
        if how == "LOGISTIC":
            return np.asarray(1 / (1 + np.exp(-scores)), scores.dtype)
        if how in ("SOFTMAX", "SOFTMAX_ZERO"):
            powers = np.exp(scores - scores.max(axis=1, keepdims=True))
            powers = np.where((scores == 0) & (how == "SOFTMAX_ZERO"), 0, powers)
            return np.asarray(powers / powers.sum(axis=1, keepdims=True), scores.dtype)
    return scores


def infer_targets(x: Tensor, *, require: Require, n_targets: int = 1, **_: Any) -> Tensor:
    """One column per target."""
    if not require.rank(x, 2, "input"):
        return require.unknown_tensor(x.dtype, 2)
    return x.with_shape((x.dims[0], n_targets))


def _member_sets(values: Sequence[float] | None) -> Iterator[frozenset[float]]:
    """The sets that NaN separates."""
    current: list[float] = []
    for value in values if values is not None else ():
        if np.isnan(value):
            yield frozenset(current)
            current = []
        else:
            current.append(float(value))


def tree_ensemble_reference(
    x: NDArray[Any],
    *,
    nodes_splits: Sequence[float],
    nodes_featureids: Sequence[int],
    nodes_modes: Sequence[int],
    nodes_truenodeids: Sequence[int],
    nodes_falsenodeids: Sequence[int],
    nodes_trueleafs: Sequence[int],
    nodes_falseleafs: Sequence[int],
    leaf_targetids: Sequence[int],
    leaf_weights: Sequence[float],
    tree_roots: Sequence[int],
    n_targets: int = 1,
    post_transform: int = 0,
    aggregate_function: int = 1,
    nodes_missing_value_tracks_true: Sequence[int] | None = None,
    membership_values: Sequence[float] | None = None,
    nodes_hitrates: Sequence[float] | None = None,
) -> NDArray[Any]:
    del nodes_hitrates
    sets = _member_sets(membership_values)
    leaves = [Leaf([(int(target), float(weight))]) for target, weight in zip(leaf_targetids, leaf_weights, strict=True)]
    missing = nodes_missing_value_tracks_true or [0] * len(nodes_featureids)
    nodes = [
        Branch(MODES[int(mode)], int(feature), float(split), next(sets) if mode == 6 else frozenset(), bool(lost))
        for mode, feature, split, lost in zip(nodes_modes, nodes_featureids, nodes_splits, missing, strict=True)
    ]
    for index, node in enumerate(nodes):
        yes, no = nodes_truenodeids[index], nodes_falsenodeids[index]
        node.yes = leaves[yes] if nodes_trueleafs[index] else nodes[yes]
        node.no = leaves[no] if nodes_falseleafs[index] else nodes[no]
    result = aggregate([nodes[root] for root in tree_roots], x, n_targets, AGGREGATES[aggregate_function])
    return transformed(result, TRANSFORMS[post_transform])


def _sample_tree_ensemble(draw: Draw) -> Sample:
    splits = tuple(float(draw.integer(-2, 2)) for _ in range(3))
    attributes = {
        "nodes_splits": splits,
        "nodes_featureids": (0, draw.integer(0, 1), 1),
        "nodes_modes": tuple(draw.integer(0, 5) for _ in range(3)),
        "nodes_truenodeids": (1, 0, 1),
        "nodes_trueleafs": (0, 1, 1),
        "nodes_falsenodeids": (2, 2, 3),
        "nodes_falseleafs": (0, 1, 1),
        "leaf_targetids": (0, 1, 0, 1),
        "leaf_weights": (1.5, -2.0, 3.25, 0.5),
        "tree_roots": draw.choice([(0,), (0, 2)]),
        "n_targets": 2,
        "aggregate_function": draw.integer(0, 3),
    }
    return Sample((draw.array((draw.integer(1, 4), 2)),), attributes)


tree_ensemble = _trees("tree_ensemble", infer_targets, tree_ensemble_reference, _sample_tree_ensemble, numeric=ENSEMBLE)


def tree_ensemble_regressor_reference(
    x: NDArray[Any],
    *,
    nodes_treeids: Sequence[int],
    nodes_nodeids: Sequence[int],
    nodes_featureids: Sequence[int],
    nodes_modes: Sequence[str],
    nodes_truenodeids: Sequence[int],
    nodes_falsenodeids: Sequence[int],
    target_treeids: Sequence[int],
    target_nodeids: Sequence[int],
    target_ids: Sequence[int],
    nodes_values: Sequence[float] | None = None,
    target_weights: Sequence[float] | None = None,
    n_targets: int = 1,
    aggregate_function: str = "SUM",
    base_values: Sequence[float] | None = None,
    post_transform: str = "NONE",
    nodes_missing_value_tracks_true: Sequence[int] | None = None,
    nodes_values_as_tensor: Sequence[float] | None = None,
    target_weights_as_tensor: Sequence[float] | None = None,
    base_values_as_tensor: Sequence[float] | None = None,
    **_: Any,
) -> NDArray[Any]:
    values = nodes_values if nodes_values is not None else nodes_values_as_tensor
    weights = target_weights if target_weights is not None else target_weights_as_tensor
    base = base_values if base_values is not None else base_values_as_tensor
    assert values is not None
    assert weights is not None
    missing = nodes_missing_value_tracks_true or [0] * len(nodes_nodeids)
    names = list(zip(nodes_treeids, nodes_nodeids, strict=True))
    found: dict[tuple[int, int], Branch | Leaf] = {}
    for name, mode, feature, value, lost in zip(names, nodes_modes, nodes_featureids, values, missing, strict=True):
        found[name] = Leaf() if mode == "LEAF" else Branch(mode, feature, float(value), frozenset(), bool(lost))
    for (tree, own), yes, no in zip(names, nodes_truenodeids, nodes_falsenodeids, strict=True):
        node = found[tree, own]
        if isinstance(node, Branch):
            node.yes, node.no = found[tree, yes], found[tree, no]
    for tree, own, target, weight in zip(target_treeids, target_nodeids, target_ids, weights, strict=True):
        leaf = found[tree, own]
        if isinstance(leaf, Leaf):
            leaf.weights.append((target, float(weight)))
    roots = [found[names[list(nodes_treeids).index(tree)]] for tree in dict.fromkeys(nodes_treeids)]
    result = aggregate(roots, x.astype(np.float32), n_targets, aggregate_function)
    if base is not None:
        result = result + np.asarray(base, result.dtype)
    return transformed(result, post_transform)


def infer_tree_ensemble_regressor(x: Tensor, *, require: Require, n_targets: int = 1, **_: Any) -> Tensor:
    """One column of f32 per target."""
    return infer_targets(x, require=require, n_targets=n_targets).with_dtype(dtypes.f32)


def _sample_regressor(draw: Draw) -> Sample:
    attributes = {
        "nodes_treeids": (0, 0, 0, 1),
        "nodes_nodeids": (0, 1, 2, 0),
        "nodes_featureids": (draw.integer(0, 1), 0, 0, 0),
        "nodes_modes": (draw.choice(MODES[:6]), "LEAF", "LEAF", "LEAF"),
        "nodes_truenodeids": (1, 0, 0, 0),
        "nodes_falsenodeids": (2, 0, 0, 0),
        "nodes_values": (0.5, 0.0, 0.0, 0.0),
        "target_treeids": (0, 0, 1),
        "target_nodeids": (1, 2, 0),
        "target_ids": (0, 1, 0),
        "target_weights": (1.0, 2.0, 3.0),
        "n_targets": 2,
        "aggregate_function": draw.choice(AGGREGATES),
        "post_transform": draw.choice(TRANSFORMS[:3]),
    }
    return Sample((draw.array((draw.integer(1, 4), 2)),), attributes)


tree_ensemble_regressor = _trees(
    "tree_ensemble_regressor",
    infer_tree_ensemble_regressor,
    tree_ensemble_regressor_reference,
    _sample_regressor,
    numeric=REGRESSION,
)


def infer_tree_ensemble_classifier(
    x: Tensor,
    *,
    require: Require,
    classlabels_strings: Sequence[str] | None = None,
    classlabels_int64s: Sequence[int] | None = None,
    **_: Any,
) -> tuple[Tensor, Tensor]:
    """The label and the score of every class, per row."""
    labels = classlabels_strings or classlabels_int64s or ()
    dtype = dtypes.text if classlabels_strings else dtypes.i64
    if not require.rank(x, 2, "input"):
        return require.unknown_tensor(dtype, 1), require.unknown_tensor(dtypes.f32, 2)
    return Tensor(dtype, (x.dims[0],)), Tensor(dtypes.f32, (x.dims[0], len(labels)))


tree_ensemble_classifier = _trees(
    "tree_ensemble_classifier", infer_tree_ensemble_classifier, None, None, numeric=CLASSIFICATION
)
