"""Every facet of every operator obeys its law, on arguments drawn from the operator's own samples."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from math import inf
from typing import Any

import numpy as np
import pytest
from drawing import HypothesisDraw, drawn
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from laws import danger_explains, derivative_holds, numeric_law_holds
from running import inferred, is_real, replaced, results
from tally import count

from mlvet.domains.claims import decide
from mlvet.domains.dims import Dim, Expr, evaluate, substitute, symbol, symbols
from mlvet.domains.dtypes import bool_, f32, i64, of, text
from mlvet.domains.intervals import Interval
from mlvet.domains.tensors import Tensor, UnknownRank, UnknownValue, Unranked, constant, unifies
from mlvet.ops import REGISTRY, Effects, Op
from mlvet.ops.danger import GradientAt, Outside
from mlvet.ops.derivative import Partials
from mlvet.ops.index_map import AlongAxis, Elementwise, Moves, Reduces
from mlvet.ops.numeric import ByMode, Enclosure, Monotone, Piecewise
from mlvet.ops.pointwise import infer_pointwise
from mlvet.ops.require import Constraint, Require
from mlvet.ops.samples import Sample

lightly = settings(
    max_examples=20,
    deadline=None,
    derandomize=True,
    database=None,
    report_multiple_bugs=False,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much, HealthCheck.data_too_large],
)


INTERVALS = [
    Interval(0, 0), Interval(-3, 5), Interval(1, 1e300), Interval(-1e-300, 1e-300), Interval(-inf, inf, True),
    Interval(-inf, -2), Interval(2, inf), Interval(inf, inf), Interval(inf, -inf), Interval(inf, -inf, True),
]  # fmt: skip


def having(*facets: str, where: Callable[[Op], bool] = lambda _: True) -> Any:
    """Parametrise over the operators that have these facets and samples."""
    chosen = [op for op in REGISTRY.values() if all(map(op.has, (*facets, "samples"))) and where(op)]
    return pytest.mark.parametrize("op", chosen, ids=str)


def take(data: st.DataObject, op: Op, facet: str) -> tuple[Sample, HypothesisDraw]:
    count(facet, op.name)
    return data.draw(drawn(op))


@having("infer", "reference")
@lightly
@given(data=st.data())
def test_infer_tells_the_shape_and_dtype_of_the_results(op: Op, data: st.DataObject) -> None:
    sample, _ = take(data, op, "infer")
    require = Require("t")
    known = [None if array is None else constant(array) for array in sample.operands]
    rule = inferred(op, known, sample.attributes, require)
    real = results(op, sample.operands, sample.attributes)
    assert not require.violated, [str(constraint) for constraint in require.violated]
    assert len(rule) == len(real)
    for described, array in zip(rule, real, strict=True):
        assert described.dtype == of(array.dtype)
        assert len(described.dims) == array.ndim, f"{described} for {array.shape}"
        for dim, size in zip(described.dims, array.shape, strict=True):
            fresh = isinstance(dim, Expr) and all(s.name.startswith("t.") for s in symbols(dim))
            assert dim == size or fresh, f"{described} for {array.shape}"
        if described.value is not None:
            np.testing.assert_array_equal(described.value.astype(array.dtype), array)


@having("infer", "reference")
@lightly
@given(data=st.data())
def test_infer_on_symbols_fits_the_results(op: Op, data: st.DataObject) -> None:
    sample, draw = take(data, op, "infer on symbols")
    by_size = draw.choice([True, False])
    sizes: dict[str, int] = {}
    operands = [_partly_known(draw, n, array, by_size, sizes) for n, array in enumerate(sample.operands)]
    require = Require("t")
    try:
        rule = inferred(op, operands, sample.attributes, require)
    except UnknownRank:
        assert any(operand is not None and not operand.ranked for operand in operands)
        return
    real = results(op, sample.operands, sample.attributes)
    assert not require.violated, [str(constraint) for constraint in require.violated]
    for constraint in require.constraints:
        assert _can_hold(constraint, sizes), f"{constraint} is false for {sizes}"
    assert not rule or len(rule) == len(real)
    for described, array in zip(rule, real, strict=False):
        actual = Tensor(of(array.dtype), array.shape)
        assert unifies(_valued_dims(described, sizes), actual), f"{described} for {actual}"


@having("infer")
@lightly
@given(data=st.data())
def test_infer_bears_with_wrong_operands(op: Op, data: st.DataObject) -> None:
    sample, draw = take(data, op, "infer wrongly")
    operands = [None if array is None else _mistaken(draw, n, array) for n, array in enumerate(sample.operands)]
    attributes = {name: _mistaken_attribute(draw, name, value) for name, value in sample.attributes.items()}
    with contextlib.suppress(UnknownRank):
        for described in inferred(op, operands, attributes, Require("t")):
            assert not described.ranked or all(isinstance(dim, int | Expr) for dim in described.dims)


@having("numeric", where=lambda op: isinstance(op.numeric, Enclosure | ByMode))
@lightly
@given(data=st.data())
def test_enclosures_bear_with_wrong_operands(op: Op, data: st.DataObject) -> None:
    sample, draw = take(data, op, "numeric wrongly")
    attributes = {name: _mistaken_attribute(draw, name, value) for name, value in sample.attributes.items()}
    kind = op.numeric.of(**attributes) if isinstance(op.numeric, ByMode) else op.numeric
    if not isinstance(kind, Enclosure):
        return
    tensors = [None if array is None else _mistaken(draw, n, array) for n, array in enumerate(sample.operands)]
    boxes = [None if tensor is None else draw.choice(INTERVALS) for tensor in tensors]
    for interval in kind.of(boxes, tensors, **attributes):
        assert interval.low == interval.low
        assert interval.high == interval.high


def _mistaken(draw: HypothesisDraw, n: int, array: Any) -> Tensor:
    """An operand that may be of another rank, size, element type or value than it should be."""
    dtype = of(array.dtype)
    match draw.choice(["right", "shape", "symbols", "value", "dtype", "unranked"]):
        case "shape":
            return Tensor(dtype, draw.shape(low=0))
        case "symbols":
            return Tensor(dtype, tuple(symbol(f"x{n}_{axis}") for axis in range(draw.integer(0, 4))))
        case "value":
            return constant(draw.array(draw.shape(0, 2), low=-9, high=9, dtype=dtype))
        case "dtype":
            return Tensor(draw.choice([None, f32, i64, bool_, text]), array.shape)
        case "unranked":
            return Tensor(None, Unranked(f"x{n}"))
        case _:
            return constant(array)


def _mistaken_attribute(draw: HypothesisDraw, name: str, value: Any) -> Any:
    return draw.choice([value, -9, 9]) if name == "axis" else value


def _partly_known(draw: HypothesisDraw, n: int, array: Any, by_size: bool, sizes: dict[str, int]) -> Tensor | None:
    if array is None:
        return None
    dtype = of(array.dtype)
    how = draw.choice(["value", "shape", "symbols", "symbols", "unranked"])
    if how == "value" or (how == "unranked" and draw.integer(0, 2)):
        return constant(array)
    if how == "unranked":
        return Tensor(dtype, Unranked(f"x{n}"))
    if how == "shape":
        return Tensor(dtype, array.shape)
    names = [f"n{size}" if by_size else f"x{n}_{axis}" for axis, size in enumerate(array.shape)]
    sizes.update(zip(names, array.shape, strict=True))
    return Tensor(dtype, tuple(map(symbol, names)))


def _valued_dims(tensor: Tensor, sizes: dict[str, int]) -> Tensor:
    if isinstance(tensor.shape, Unranked):
        return tensor
    return tensor.with_shape(substitute(dim, sizes) for dim in tensor.dims)


def _can_hold(constraint: Constraint, sizes: dict[str, int]) -> bool:
    left, right = substitute(constraint.left, sizes), substitute(constraint.right, sizes)
    return constraint.relation is None or decide(constraint.relation, left, right) is not False


@having("numeric", "reference")
@lightly
@given(data=st.data())
def test_numeric_kind_obeys_its_law(op: Op, data: st.DataObject) -> None:
    sample, draw = take(data, op, "numeric")
    numeric_law_holds(op, sample, draw)


@having("index_map", "reference", where=lambda op: isinstance(op.index_map, Moves))
@lightly
@given(data=st.data())
def test_moves_reproduce_the_result_by_indexing(op: Op, data: st.DataObject) -> None:
    sample, _ = take(data, op, "index_map")
    assert isinstance(op.index_map, Moves)
    listed = range(len(sample.operands)) if op.index_map.operands is None else op.index_map.operands
    start, numbers, elements = 2**40, {}, []
    for index in listed:
        if index < len(sample.operands) and (array := sample.operands[index]) is not None:
            numbers[index] = np.arange(array.size, dtype=np.int64).reshape(array.shape) + start + len(elements)
            elements.extend(array.ravel().tolist())
    real = results(op, sample.operands, sample.attributes)
    moved = results(op, replaced(sample.operands, numbers), sample.attributes)
    assert real[0].shape == moved[0].shape
    for result, origin in zip(real, moved, strict=True):
        for value, number in zip(result.ravel().tolist(), origin.ravel().tolist(), strict=True):
            if start <= number < start + len(elements):
                np.testing.assert_equal(value, elements[number - start])
            elif isinstance(value, int | float) and np.isfinite(value):
                assert abs(value - number) < 1, f"a fill must not change with the elements: {value}, {number}"


@having("index_map", "reference", where=lambda op: isinstance(op.index_map, Elementwise) and op.effects is Effects.PURE)
@lightly
@given(data=st.data())
def test_elementwise_results_change_only_where_an_operand_does(op: Op, data: st.DataObject) -> None:
    sample, draw = take(data, op, "index_map")
    real = results(op, sample.operands, sample.attributes)[0]
    which = draw.choice(range(len(sample.operands)))
    operand = sample.operands[which]
    assume(operand is not None and operand.size > 1)
    assert operand is not None
    mask = np.zeros(operand.shape, bool)
    mask.flat[draw.integer(0, operand.size - 1)] = True
    other = np.where(mask, np.roll(operand, 1), operand)
    changed = results(op, replaced(sample.operands, {which: other}), sample.attributes)[0]
    reached = np.broadcast_to(mask, real.shape)
    np.testing.assert_array_equal(changed[~reached], real[~reached])


@having("index_map", "reference", where=lambda op: isinstance(op.index_map, AlongAxis | Reduces))
@lightly
@given(data=st.data())
def test_results_depend_on_the_named_axes_only(op: Op, data: st.DataObject) -> None:
    sample, draw = take(data, op, "index_map")
    operand, real = sample.operands[0], results(op, sample.operands, sample.attributes)[0]
    assert operand is not None
    if isinstance(op.index_map, AlongAxis):
        assert real.shape == operand.shape
    else:
        kept = iter(operand.shape)
        assert all(any(size == dim for dim in kept) for size in real.shape if size != 1)
    axes = _axes(sample, operand.ndim)
    assume(axes is not None and operand.size > 1)
    assert axes is not None
    place = np.unravel_index(draw.integer(0, operand.size - 1), operand.shape)
    other = operand.copy()
    other[place] = operand.flat[draw.integer(0, operand.size - 1)]
    changed = results(op, replaced(sample.operands, {0: other}), sample.attributes)[0] != real
    for index in np.argwhere(changed):
        at = list(index)
        if len(at) < operand.ndim:
            at = [at.pop(0) if axis not in axes else 0 for axis in range(operand.ndim)]
        assert all(at[axis] == place[axis] for axis in range(operand.ndim) if axis not in axes)


def _axes(sample: Sample, rank: int) -> set[int] | None:
    """The axes that a sample names, in an attribute or in operand 1; None if it names none."""
    named = sample.attributes.get("axis", sample.operands[1] if len(sample.operands) > 1 else None)
    if named is None or sample.attributes.get("noop_with_empty_axes") or not np.size(named):
        return None
    return {int(axis) % rank for axis in np.ravel(named)}


@having("derivative", "reference", where=lambda op: op.effects is Effects.PURE)
@lightly
@given(data=st.data())
def test_derivative_agrees_with_finite_differences(op: Op, data: st.DataObject) -> None:
    sample, draw = take(data, op, "derivative")
    derivative_holds(op, sample, draw)


@having("danger", "reference", "infer")
@lightly
@given(data=st.data())
def test_danger_names_what_makes_nan_or_infinity(op: Op, data: st.DataObject) -> None:
    sample, draw = take(data, op, "danger")
    real = {n: array for n, array in enumerate(sample.operands) if is_real(array) and array.dtype.kind == "f"}
    chosen = [n for n in real if len(real) == 1 or draw.integer(0, 2)]
    wide = replaced(sample.operands, {n: draw.wide(real[n]) for n in chosen})
    assume(_same_shapes(op, sample, wide))
    try:
        found = results(op, wide, sample.attributes)
    except np.linalg.LinAlgError:
        assert op.danger, f"{op} has no result on {wide}"
        return
    except (OverflowError, IndexError, ValueError):
        assume(False)
    for result in found:
        if of(result.dtype).is_float and not np.isfinite(result.astype(np.float64)).all():
            assert danger_explains(op, wide), f"{op} yields {result} from {wide} with {sample.attributes}"


@having(
    "danger", "reference", where=lambda op: isinstance(op.numeric, Monotone | Piecewise) and op.infer is infer_pointwise
)
def test_dangers_are_real(op: Op) -> None:
    for danger in op.danger or ():
        match danger:
            case Outside(safe):
                beyond = [safe.low - 0.25, safe.high + 0.25, *[safe.low] * safe.open_low, *[safe.high] * safe.open_high]
                found = results(op, [np.array([x for x in beyond if np.isfinite(x)])], {})[0]
                assert not np.isfinite(found).any(), f"{op} is finite outside {safe}: {found}"
            case GradientAt(point):
                assert isinstance(op.derivative, Partials)
                with np.errstate(all="ignore"):
                    assert not np.isfinite(op.derivative.of(np.array([point], dtype=float))[0]).any()


def _same_shapes(op: Op, sample: Sample, operands: Any) -> bool:
    """Whether other operands are as valid and yield the same shapes, so that the reference may be run on them."""
    require = Require("t")
    before = inferred(
        op, [None if a is None else constant(a) for a in sample.operands], sample.attributes, Require("t")
    )
    after = inferred(op, [None if a is None else constant(a) for a in operands], sample.attributes, require)
    return [t.shape for t in before] == [t.shape for t in after] and not require.violated


@having("effects", "reference", where=lambda op: op.effects is Effects.PURE)
@lightly
@given(data=st.data())
def test_pure_operators_repeat_themselves_and_leave_their_operands(op: Op, data: st.DataObject) -> None:
    sample, _ = take(data, op, "effects")
    copies = [None if array is None else array.copy() for array in sample.operands]
    first = results(op, sample.operands, sample.attributes)
    for operand, copy in zip(sample.operands, copies, strict=True):
        assert operand is copy is None or operand.tobytes() == copy.tobytes()  # type: ignore[union-attr]
    second = results(op, copies, sample.attributes)
    for one, two in zip(first, second, strict=True):
        np.testing.assert_array_equal(one, two)


@having("reference", where=lambda op: op.folds)
@lightly
@given(data=st.data())
def test_folding_on_symbols_agrees_with_numbers(op: Op, data: st.DataObject) -> None:
    sample, draw = take(data, op, "folds")
    sizes: dict[str, int] = {}
    whole: dict[int, Any] = {}
    symbolic: dict[int, Any] = {}
    for n, array in enumerate(sample.operands):
        if is_real(array):
            whole[n] = np.asarray(np.rint(array)).astype(np.int64)  # type: ignore[arg-type]
            symbolic[n] = _with_symbols(draw, n, whole[n], sizes)
    try:
        real = results(op, replaced(sample.operands, whole), sample.attributes)
    except (ZeroDivisionError, TypeError):
        assume(False)
    try:
        folded = results(op, replaced(sample.operands, symbolic), sample.attributes)
    except UnknownValue:
        return
    for array, found in zip(real, folded, strict=True):
        assert found.shape == array.shape
        for value, element in zip(array.ravel().tolist(), found.ravel().tolist(), strict=True):
            assert _valued(element, sizes) == value


def _with_symbols(draw: HypothesisDraw, n: int, array: Any, sizes: dict[str, int]) -> Any:
    elements = array.astype(object)
    for index in range(elements.size):
        value = int(array.flat[index])
        if draw.integer(0, 1) and value >= 0:
            sizes[f"s{n}_{index}"] = value
            elements.flat[index] = symbol(f"s{n}_{index}")
        else:
            elements.flat[index] = value
    return elements


def _valued(element: Dim, sizes: dict[str, int]) -> int:
    return evaluate(element, sizes) if isinstance(element, Expr) else element
