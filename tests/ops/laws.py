"""The defining laws of numeric kinds, derivatives and dangers, checked on one sample."""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce
from typing import Any

import numpy as np
from drawing import HypothesisDraw
from enclosing import enclosure_holds
from hypothesis import assume
from numpy.typing import NDArray
from running import Eager, Operands, in_double, is_real, replaced, results

from mlvet.domains.dtypes import of
from mlvet.domains.tensors import constant
from mlvet.ops import Effects, Op
from mlvet.ops import derivative as d
from mlvet.ops import numeric as n
from mlvet.ops.danger import Near, Outside, Overflow
from mlvet.ops.index_map import Reduces
from mlvet.ops.samples import Sample

Array = NDArray[Any]
Run = Callable[[Operands], Array]

RELATIONS: dict[str, Callable[..., Any]] = {
    "equal": np.equal, "not_equal": np.not_equal, "less": np.less, "less_or_equal": np.less_equal,
    "greater": np.greater, "greater_or_equal": np.greater_equal, "and": np.logical_and, "or": np.logical_or,
    "xor": np.logical_xor, "not": np.logical_not, "is_nan": np.isnan,
}  # fmt: skip


def numeric_law_holds(op: Op, sample: Sample, draw: HypothesisDraw) -> None:
    """Assert what the numeric kind of the operator says of its results on a sample."""
    kind = op.numeric.of(**sample.attributes) if isinstance(op.numeric, n.ByMode) else op.numeric
    if isinstance(kind, n.Enclosure):
        enclosure_holds(op, kind, sample, draw)
        return
    if isinstance(kind, n.Composite):
        _decomposition_agrees(op, kind, sample)
        return
    operands = in_double(sample.operands)
    real = any(map(is_real, operands))
    raw = results(op, operands, sample.attributes)
    found = tuple(map(_in_double, raw))
    arrays = [array for array in operands if array is not None]

    def run(changed: Operands) -> Array:
        return _in_double(results(op, changed, sample.attributes)[0])

    match kind:
        case n.Monotone() | n.Piecewise():
            _within(found[0], kind.image)
            if is_real(operands[0]):
                _monotone_between_turns(kind, operands, run, draw)
        case n.Bounded(image):
            _within(found[0], image)
        case n.Affine(coefficients, constant) if real:
            terms = zip(coefficients, arrays, strict=True)
            _close(found[0], sum((c * array for c, array in terms), start=constant))
        case n.Lattice(maximum):
            np.testing.assert_array_equal(found[0], reduce(np.maximum if maximum else np.minimum, arrays))
        case n.Product() if real:
            _close(found[0], reduce(np.multiply, arrays))
        case n.Quotient() if real:
            _close(found[0], arrays[0] / arrays[1])
        case n.Power() if real:
            _close(found[0], arrays[0] ** arrays[1].astype(float))
        case n.Selection(listed, fill):
            chosen = operands if listed is None else [operands[i] for i in listed if i < len(operands)]
            pool = [array.ravel() for array in chosen if array is not None]
            for result in (result for i, result in enumerate(found) if i == 0 or is_real(raw[i])):
                allowed = np.concatenate([*pool, [fill]] if fill is not None else pool)
                outside = ~np.isin(result.ravel(), allowed) & ~((result != result).ravel() & (allowed != allowed).any())
                assert not outside.any(), f"{result} is not selected from {allowed}"
        case n.Reduction(how):
            _reduces(op, how, operands[0], found[0])
        case n.Bilinear(pair):
            for index in pair:
                _affine_in((index,), operands, run, draw)
        case n.Convex(index, terms):
            array = operands[index]
            assert array is not None
            _sum_stays(op, sample, index, 1 if terms is None else _told(terms, sample))
            slack = 1e-9 * (1 + np.abs(array).max(initial=0))
            assert (found[0] >= array.min(initial=0) - slack).all()
            assert (found[0] <= array.max(initial=0) + slack).all()
        case n.Predicate(relation):
            assert found[0].dtype == np.bool_
            if relation in RELATIONS:
                np.testing.assert_array_equal(found[0], RELATIONS[relation](*arrays))


def derivative_holds(op: Op, sample: Sample, draw: HypothesisDraw) -> None:
    """Assert that the directional derivative along random directions agrees with central differences in f64."""
    operands = in_double(sample.operands)
    assert op.derivative is not None
    base = results(op, operands, sample.attributes)
    directions = [_direction(op, operands, index, sample, draw) for index in range(len(operands))]
    claimed = _claimed(op, op.derivative, operands, directions, sample)

    def moved(step: float) -> tuple[Array, ...]:
        there = [
            array if along is None or array is None else array + step * along
            for array, along in zip(operands, directions, strict=True)
        ]
        return results(op, there, sample.attributes)

    step = 1e-5
    ahead, behind = moved(step), moved(-step)
    for claim, here, right, left in zip(claimed, base, ahead, behind, strict=False):
        if here.dtype not in (np.float64, np.complex128) or here.size == 0:
            continue
        forward, backward = (right - here) / step, (here - left) / step
        slope = (right - left) / (2 * step)
        smooth = np.isfinite(slope) & (np.abs(forward - backward) <= 1e-2 * (1 + np.abs(slope)))
        told = np.broadcast_to(np.asarray(claim, dtype=here.dtype), here.shape)
        scale = 1 + np.abs(slope) + 1e-4 * np.abs(here)
        wrong = smooth & ~(np.abs(told - slope) <= 2e-3 * scale)
        assert not wrong.any(), f"{op}: claimed {told[wrong]}, measured {slope[wrong]}, {sample}"


def danger_explains(op: Op, operands: Operands) -> bool:
    """Whether a danger of the operator covers these operands."""
    for danger in op.danger or ():
        index = getattr(danger, "operand", 0)
        array = operands[index] if index < len(operands) else None
        match danger:
            case Outside(safe) if array is not None and any(x not in safe for x in array.ravel().tolist()):
                return True
            case Near(point) if array is not None and (np.abs(array.astype(float) - point) < 1e-6).any():
                return True
            case Overflow(_, _, True) if array is not None and is_real(array):
                if (np.abs(array.astype(float)) > 0.4 * np.log(of(array.dtype).largest)).any():
                    return True
            case Overflow():
                return True
    return False


def _claimed(
    op: Op, derivative: d.Derivative, operands: Operands, directions: list[Array | None], sample: Sample
) -> tuple[Any, ...]:
    def run(changed: Operands) -> tuple[Array, ...]:
        return results(op, changed, sample.attributes)

    def along(index: int) -> Array:
        direction = directions[index] if index < len(directions) else None
        if direction is None:
            assume(False)
        assert direction is not None
        return direction

    def only(listed: tuple[int, ...]) -> None:
        for index in range(len(directions)):
            if index not in listed:
                directions[index] = None

    match derivative:
        case d.Zero():
            return tuple(0.0 for _ in run(operands))
        case d.Partials(of_operands):
            with np.errstate(all="ignore"):
                partials = of_operands(*operands, **sample.attributes)
            total: Any = 0.0
            for index, partial in enumerate(partials):
                direction = directions[index] if index < len(directions) else None
                if partial is not None and direction is not None:
                    total = total + partial * direction
            only(tuple(index for index, partial in enumerate(partials) if partial is not None))
            return (total,)
        case d.SameMap(operands=some):
            listed = tuple(range(len(operands))) if some is None else some
            only(listed)
            new = {i: along(i) for i in listed if i < len(operands) and operands[i] is not None}
            zeros = {i: np.zeros_like(array) for i, array in new.items()}
            return _difference(run(replaced(operands, new)), run(replaced(operands, zeros)))
        case d.ProductRule(listed):
            only(listed)
            parts = []
            for i in listed:
                there, zero = {i: along(i)}, {i: np.zeros_like(along(i))}
                parts.append(_difference(run(replaced(operands, there)), run(replaced(operands, zero))))
            return tuple(a + b for a, b in zip(*parts, strict=True))
        case d.Jvp(of_operands, some):
            if some is not None:
                only(some)
            with np.errstate(all="ignore"):
                found = of_operands(tuple(operands), tuple(directions), **sample.attributes)
            return found if isinstance(found, tuple) else (found,)


def _difference(left: tuple[Array, ...], right: tuple[Array, ...]) -> tuple[Any, ...]:
    return tuple(a - b if a.dtype.kind in "fc" else 0.0 for a, b in zip(left, right, strict=True))


def _direction(op: Op, operands: Operands, index: int, sample: Sample, draw: HypothesisDraw) -> Array | None:
    """A direction for floating-point data; none for an operand on whose elements the shape of the result hangs."""
    array = operands[index]
    if array is None or array.dtype.kind not in "fc":
        return None
    along = draw.like(array, -1, 1)
    before = results(op, operands, sample.attributes)
    try:
        after = results(op, replaced(operands, {index: array + 0.1 * along}), sample.attributes)
    except (ValueError, IndexError):
        return None
    return along if [r.shape for r in before] == [r.shape for r in after] else None


def _monotone_between_turns(
    kind: n.Monotone | n.Piecewise, operands: list[Array | None], run: Run, draw: HypothesisDraw
) -> None:
    x = operands[0]
    assert x is not None
    gap = draw.choice([1e-3, 0.3, 2.0])
    y = x + draw.like(x, 0, gap)
    z = y + draw.like(x, 0, gap)
    turns = np.asarray(getattr(kind, "turns", ()))
    inside = np.vectorize(lambda e: e in kind.domain, otypes=[bool])
    together = inside(x) & inside(z) & (np.searchsorted(turns, x) == np.searchsorted(turns, z))
    low, middle, high = (run(replaced(operands, {0: np.where(together, e, x)})) for e in (x, y, z))
    slack = 1e-9 * (1 + np.abs(low) + np.abs(high))
    if isinstance(kind, n.Monotone):
        first, last = (low, high) if kind.increasing else (high, low)
        assert (first <= last + slack).all()
    assert (np.minimum(low, high) <= middle + slack).all()
    assert (middle <= np.maximum(low, high) + slack).all()


def _affine_in(listed: tuple[int, ...], operands: list[Array | None], run: Run, draw: HypothesisDraw) -> None:
    data = {i: array for i in listed if i < len(operands) and (array := operands[i]) is not None and is_real(array)}
    if not data:
        return
    step = {i: draw.like(array, -1, 1) for i, array in data.items()}
    there = {i: array + step[i] for i, array in data.items()}
    zero = {i: np.zeros_like(array) for i, array in data.items()}
    left = run(replaced(operands, there)) - run(replaced(operands, data))
    right = run(replaced(operands, step)) - run(replaced(operands, zero))
    size = 1 + np.abs(run(replaced(operands, there))).max(initial=0)
    np.testing.assert_allclose(left, right, rtol=1e-7, atol=1e-7 * size)


def _told(terms: Callable[..., Any], sample: Sample) -> Any:
    told = terms(*(None if each is None else constant(each) for each in sample.operands), **sample.attributes)
    assert told is None or isinstance(told, int)
    return told


def _sum_stays(op: Op, sample: Sample, index: int, terms: int | None) -> None:
    """So many elements are added up at most: as many of their share of the largest number stay finite."""
    array = sample.operands[index]
    if terms is None or not is_real(array) or array is None:
        return
    share = np.finfo(array.dtype).max / max(terms, 1) * 0.99
    found = results(op, replaced(sample.operands, {index: np.full_like(array, share)}), sample.attributes)[0]
    assert np.isfinite(found).all(), f"{op} adds up more than {terms} elements"


def _reduces(op: Op, how: str, x: Array | None, found: Array) -> None:
    if x is None or x.size == 0 or not is_real(x):
        return
    partition = isinstance(op.index_map, Reduces)
    slack = 1e-9 * (1 + np.abs(x).sum())
    match how:
        case "sum":
            assert (np.abs(found) <= np.abs(x).sum() + slack).all()
            if partition:
                _close(found.sum(), x.sum())
        case "mean":
            assert (found >= x.min() - slack).all()
            assert (found <= x.max() + slack).all()
        case "max" | "min":
            assert np.isin(found, x).all()
            if partition:
                extreme = np.max if how == "max" else np.min
                assert extreme(found) == extreme(x)
        case "product" if partition:
            _close(found.prod(), x.prod())
        case "any" | "all":
            assert found.dtype == np.bool_
        case "log_sum_exp":
            assert (found <= x.max() + np.log(x.size) + slack).all()
            assert found.max() >= x.max() - slack


def _decomposition_agrees(op: Op, kind: n.Composite, sample: Sample) -> None:
    if op.reference is None:
        return
    with np.errstate(all="ignore"):
        composed = kind.decompose(Eager(), *sample.operands, **sample.attributes)
    if op.effects is Effects.RANDOM:
        return
    for one, two in zip(
        composed if isinstance(composed, tuple) else (composed,),
        results(op, sample.operands, sample.attributes),
        strict=False,
    ):
        assert one.shape == two.shape
        assert one.dtype == two.dtype
        np.testing.assert_allclose(one.astype(float), two.astype(float), rtol=2e-3, atol=2e-4)


def _in_double(array: Array) -> Array:
    return array.astype(np.float64) if of(array.dtype).is_float or of(array.dtype).is_integer else array


def _within(found: Array, image: n.Range) -> None:
    slack = 1e-9 * (1 + np.abs(found))
    assert (found >= image.low - slack).all(), f"{found} leaves {image}"
    assert (found <= image.high + slack).all(), f"{found} leaves {image}"


def _close(found: Any, expected: Any) -> None:
    np.testing.assert_allclose(found, expected, rtol=1e-7, atol=1e-9)
