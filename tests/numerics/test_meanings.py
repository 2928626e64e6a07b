"""Inputs whose meaning is known from name, element type and rank together, or from their use."""

from __future__ import annotations

import numpy as np
import pytest

from mlvet.analyses.numerics.assumptions.ranges import Assumed, Origin, assumed_ranges
from mlvet.analyses.shapes.inference import infer
from mlvet.domains import dtypes
from mlvet.domains.dims import symbol
from mlvet.domains.dtypes import DType
from mlvet.domains.intervals import Interval
from mlvet.domains.tensors import Tensor, unknown
from mlvet.ir.builder import Builder
from mlvet.ir.graph import Graph, Value

B, N = symbol("batch"), symbol("n")
f32, f16, i64, i32, u8 = dtypes.f32, dtypes.f16, dtypes.i64, dtypes.i32, dtypes.u8


def of(graph: Graph, value: Value) -> Assumed:
    return assumed_ranges(graph, infer(graph))[value]


def of_input(name: str, dtype: DType, *shape: object) -> Assumed:
    builder = Builder()
    value = builder.input(name, Tensor(dtype, tuple(shape)))  # type: ignore[arg-type]
    return of(builder.graph([builder.add("identity", value)]), value)


@pytest.mark.parametrize(
    ("name", "dtype", "shape", "low", "high"),
    [
        ("image", f32, (B, 3, 224, 224), -3, 255),
        ("pixel_values", f32, (B, 3, N, N), -3, 255),
        ("inputImages", f16, (B, 28, 28, 1), -3, 255),
        ("images", f32, (B, 784), -3, 255),
        ("image", u8, (B, 32, 32, 3), 0, 255),
        ("x", f32, (B, 3, 224, 224), -3, 255),
        ("input.1", f32, (1, 1, 28, 28), -3, 255),
        ("serving_default_input_1:0", f32, (B, 64, 64, 3), -3, 255),
        ("attention_mask", i64, (B, N), 0, 1),
        ("src_key_padding_mask", f32, (B, N), 0, 1),
        ("paddings", f32, (B, N), 0, 1),
        ("keep_prob", f32, (), 0.01, 1),
        ("dropout_rate", f32, (), 0, 0.99),
        ("class_probs", f32, (B, 10), 0, 1),
        ("labels_one_hot", f32, (B, 10), 0, 1),
        ("audio", f32, (B, 16000), -1, 1),
        ("waveform", f32, (1, 1, N), -1, 1),
    ],
)
def test_a_known_meaning(name: str, dtype: DType, shape: tuple[object, ...], low: float, high: float) -> None:
    found = of_input(name, dtype, *shape)
    assert found.origin is Origin.MEANING
    assert found.interval.low == pytest.approx(low, rel=1e-6)
    assert found.interval.high == pytest.approx(high, rel=1e-6)


@pytest.mark.parametrize(
    ("name", "dtype", "shape"),
    [
        ("x", f32, (B, 784)),
        ("x", f32, (B, 64, 56, 56)),
        ("x", f32, (B, 3, 4, 4)),
        ("hidden", f32, (B, 3, 224, 224)),
        ("image_embeds", f32, (B, 3, 64)),
        ("image_features", f32, (B, 3, 64, 64)),
        ("image_sizes", i64, (B, 2)),
        ("image", f32, ()),
        ("mask_logits", f32, (B, 1, 64, 64)),
        ("mask_input", f32, (1, 1, 256, 256)),
        ("log_probs", f32, (B, 10)),
        ("prob_logits", f32, (B, 10)),
        ("audio_features", f32, (B, 80, N)),
        ("audio", dtypes.i16, (B, N)),
        ("labels", f32, (B, 10)),
        ("maskrcnn", f32, (B, 10)),
    ],
)
def test_a_name_or_a_shape_alone_says_nothing(name: str, dtype: DType, shape: tuple[object, ...]) -> None:
    assert of_input(name, dtype, *shape).origin is Origin.DTYPE


def test_a_mask_that_may_be_added_to_scores_has_no_lower_limit() -> None:
    assert of_input("attention_mask", f32, B, 1, N, N).interval == Interval(f32.least, 1)


@pytest.mark.parametrize(("name", "dtype"), [("timesteps", i64), ("timestep", f32), ("time_step", f16)])
def test_a_time_step_is_not_negative(name: str, dtype: DType) -> None:
    interval = of_input(name, dtype, B).interval
    assert interval.low == 0
    assert 1000 < interval.high <= 1e9


def test_a_length_is_not_negative_and_a_rate_is_positive() -> None:
    assert of_input("input_lengths", i64, B).interval == Interval(0, 1e9)
    assert of_input("sr", i64).interval == Interval(1, 1e9)
    assert of_input("sampling_rate", i64).interval == Interval(1, 1e9)
    assert of_input("lengths", f32, B, 3).origin is Origin.DTYPE


def test_a_bool_needs_no_meaning() -> None:
    assert of_input("attention_mask", dtypes.bool_, B, N).interval == Interval(0, 1)


def test_an_unknown_rank_needs_a_name_that_is_enough() -> None:
    builder = Builder()
    value = builder.input("image", unknown("image", f32))
    assert of(builder.graph([builder.add("identity", value)]), value).origin is Origin.DTYPE


class TestUse:
    @pytest.mark.parametrize("op", ["embedding", "gather"])
    @pytest.mark.parametrize("way", [(), ("cast",), ("unsqueeze", "squeeze")])
    def test_a_token_is_below_the_size_of_the_vocabulary(self, op: str, way: tuple[str, ...]) -> None:
        builder = Builder()
        ids = builder.input("input_ids", Tensor(i32, (B, N)))
        table = builder.parameter("table", Tensor(f32, (1000, 16)))
        moved = ids
        for step in way:
            if step == "cast":
                moved = builder.add("cast", moved, to=i64)
            else:
                moved = builder.add(step, moved, builder.constant("axes", np.asarray([2])))
        found = of(builder.graph([builder.add(op, table, moved)]), ids)
        assert (found.interval, found.origin) == (Interval(0, 999), Origin.MEANING)
        assert "1,000" in found.why

    def test_an_index_of_onnx_may_count_from_the_end(self) -> None:
        builder = Builder()
        where = builder.input("where", Tensor(i64, (N,)))
        table = builder.parameter("table", Tensor(f32, (10, 16)))
        picked = builder.add("gather", table, where, axis=1)
        assert of(builder.graph([picked], format="onnx"), where).interval == Interval(-16, 15)

    def test_the_narrowest_table_counts(self) -> None:
        builder = Builder()
        ids = builder.input("ids", Tensor(i64, (B,)))
        results = [builder.add("embedding", builder.parameter("t", Tensor(f32, (n, 4))), ids) for n in (50, 20, 30)]
        assert of(builder.graph(results), ids).interval == Interval(0, 19)

    def test_a_computed_index_says_nothing_of_the_input(self) -> None:
        builder = Builder()
        ids = builder.input("ids", Tensor(i64, (B,)))
        shifted = builder.add("add", ids, builder.constant("one", np.asarray(1)))
        table = builder.parameter("table", Tensor(f32, (10, 16)))
        assert of(builder.graph([builder.add("embedding", table, shifted)]), ids).origin is Origin.DTYPE

    def test_a_table_of_unknown_size_says_nothing(self) -> None:
        builder = Builder()
        ids = builder.input("ids", Tensor(i64, (B,)))
        table = builder.input("table", Tensor(f32, (N, 16)))
        assert of(builder.graph([builder.add("embedding", table, ids)]), ids).origin is Origin.DTYPE

    def test_labels_of_a_loss_are_classes(self) -> None:
        builder = Builder()
        scores = builder.input("scores", Tensor(f32, (B, 10)))
        labels = builder.input("y", Tensor(i64, (B,)))
        loss = builder.add("sparse_softmax_cross_entropy_with_logits", scores, labels)
        graph = builder.graph([loss])
        assert of(graph, labels).interval == Interval(0, 9)
        assert of(graph, scores).origin is Origin.DTYPE

    def test_an_ignored_label_is_possible(self) -> None:
        builder = Builder()
        scores = builder.input("scores", Tensor(f32, (B, 10)))
        labels = builder.input("y", Tensor(i64, (B,)))
        loss = builder.add("softmax_cross_entropy_loss", scores, labels, ignore_index=-100)
        assert of(builder.graph([loss]), labels).interval == Interval(-100, 9)

    def test_targets_of_a_loss_are_distributions(self) -> None:
        builder = Builder()
        scores = builder.input("scores", Tensor(f32, (B, 10)))
        labels = builder.input("y", Tensor(f32, (B, 10)))
        loss = builder.add("softmax_cross_entropy_with_logits", scores, labels)
        assert of(builder.graph([loss]), labels).interval == Interval(0, 1)

    @pytest.mark.parametrize(("activations", "known"), [(None, True), (["Sigmoid", "Relu", "Tanh"], False)])
    def test_states_of_a_recurrent_layer_are_its_own(self, activations: list[str] | None, known: bool) -> None:
        builder = Builder()
        x, w, r = (builder.input(name, Tensor(f32, shape)) for name, shape in
                   (("x", (N, B, 3)), ("w", (1, 16, 3)), ("r", (1, 16, 4))))  # fmt: skip
        h, c = (builder.input(name, Tensor(f32, (1, B, 4))) for name in "hc")
        attributes = {"activations": activations} if activations else {}
        node = builder.node("lstm", [x, w, r, None, None, h, c], 3, {"hidden_size": 4, **attributes})
        graph = builder.graph(list(node.outputs))
        assert (of(graph, h).interval == Interval(-1, 1)) is known
        assert (of(graph, c).origin is Origin.MEANING) is known
        assert of(graph, x).origin is Origin.DTYPE

    def test_a_call_passes_its_operands_on(self) -> None:
        builder = Builder()
        ids = builder.input("ids", Tensor(i64, (B,)))
        inner = builder.region("call")
        taken = inner.input("taken", Tensor(i64, (B,)))
        table = builder.parameter("table", Tensor(f32, (7, 4)))
        region = inner.close([inner.add("embedding", table, taken)])
        call = builder.node("call", [ids], 1, regions=[region])
        assert of(builder.graph(list(call.outputs)), ids).interval == Interval(0, 6)
