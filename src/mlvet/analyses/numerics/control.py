"""Values through regions: branches are joined, loops iterated with widening and then narrowing."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from mlvet.analyses.numerics.values.abstract import Abstract, regridded, shape_of, smashed, uniform
from mlvet.domains import boxes, grids
from mlvet.domains.intervals import Interval
from mlvet.domains.tensors import Tensor
from mlvet.ir.graph import Node, Region, Value

if TYPE_CHECKING:
    from mlvet.analyses.numerics.analysis import Run

Rule: TypeAlias = Callable[["Run", Node, Sequence[Abstract | None], Sequence[Tensor]], list[Abstract]]

UNROLLED = 128
"""Loops that run at most so often are followed round by round, unless their bodies are long."""
EFFORT = 4096
"""Operators that the rounds of one loop may have together."""
PATIENCE = 3
"""Rounds before ends that still move are widened."""
NARROWINGS = 2
FULL = Interval(-3.4028234663852886e38, 3.4028234663852886e38)
"""What a store holds whose content grows from round to round."""

_STEPS = (0.0, 1.0, 2.0, 16.0, 256.0, 1e4, 65504.0, 1e8, 2.0**31, 1e16, 1e30, 3.4e38)
THRESHOLDS = np.array(sorted({sign * step for step in _STEPS for sign in (-1, 1)}))


def _fit(run: Run, tensor: Abstract, out: Tensor) -> Abstract:
    """The tensor in the shape that is known of a value on every path."""
    if out.dtype is None:
        out = replace(out, dtype=tensor.dtype)
    dtype, dims = shape_of(out)
    if tensor.dims == dims:
        return replace(tensor, dtype=dtype)
    return replace(uniform(out, tensor.interval, run.transfer.fresh()), holds=tensor.holds)


def joined(run: Run, x: Abstract, y: Abstract, out: Tensor) -> Abstract:
    """One or the other."""
    x, y = _fit(run, x, out), _fit(run, y, out)
    if x.number == y.number:
        return x
    if x.interval.empty or y.interval.empty:
        return y if x.interval.empty else x
    cuts = grids.limited(tuple(grids.union(a, b) for a, b in zip(x.cuts, y.cuts, strict=True)), run.transfer.most)
    box = boxes.join(regridded(x, cuts), regridded(y, cuts))
    same = x.exact is not None and y.exact is not None and np.array_equal(x.exact, y.exact)
    exact, holds = x.exact if same else None, x.holds | y.holds
    return Abstract(x.dtype, x.dims, cuts, box, run.transfer.fresh(), exact=exact, holds=holds)


def _if(run: Run, node: Node, operands: Sequence[Abstract | None], outs: Sequence[Tensor]) -> list[Abstract]:
    condition = operands[0] if operands else None
    decided = None if condition is None else condition.interval
    taken = None if decided is None or decided.low != decided.high else bool(decided.low)
    outcomes: list[list[Abstract] | None] = []
    for branch, region in zip((True, False), node.regions, strict=False):
        if taken not in (None, branch):
            outcomes.append(None)
            continue
        facts, run.facts = run.facts, run.facts | _facts(run, node, branch)
        before = {value: tensor for value, tensor in run.table.items() if tensor.number in run.facts}
        run.table.update((value, run.narrowed(tensor)) for value, tensor in before.items())
        _bind(run, region.inputs, [run.value(value) for value in node.inputs[1:] if value is not None])
        outcomes.append(run.region(region))
        run.table.update(before)
        run.facts = facts
    present = [outcome for outcome in outcomes if outcome is not None]
    if len(present) == 1:
        return [_fit(run, tensor, out) for tensor, out in zip(present[0], outs, strict=False)]
    return [joined(run, a, b, out) for a, b, out in zip(present[0], present[1], outs, strict=False)]


def _facts(run: Run, node: Node, branch: bool) -> dict[int, Interval]:
    """What the condition says of the tensors that it compares, by number, in a branch."""
    condition = node.inputs[0]
    if condition is None:
        return {}
    cases = run.guards.cases(condition, branch)
    found = {}
    for number in frozenset.intersection(*(frozenset(facts) for facts in cases)):
        found[number] = cases[0][number]
        for facts in cases[1:]:
            found[number] = found[number].join(facts[number])
    return found


def _bind(run: Run, values: Sequence[Value], tensors: Sequence[Abstract]) -> None:
    for value, tensor in zip(values, tensors, strict=False):
        run.bind(value, _fit(run, tensor, run.type_of(value)))


def _place(run: Run, values: Sequence[Value], tensors: Sequence[Abstract]) -> None:
    """Bind values for a round whose findings do not count."""
    run.table.update(zip(values, tensors, strict=True))


def iterated(
    run: Run, inputs: Sequence[Value], start: Sequence[Abstract], step: Callable[[bool], Sequence[Abstract]],
    rounds: int | None,
) -> tuple[list[Abstract], list[Abstract]]:  # fmt: skip
    """What carried values are in any round, and what they are after the last.

    `step` interprets the body once, given whether to record what it finds, and returns the carried values that follow.
    """
    types = [run.type_of(value) for value in inputs]
    state = [_fit(run, tensor, out) for tensor, out in zip(start, types, strict=True)]
    most_rounds = UNROLLED
    if rounds is not None and rounds <= most_rounds:
        ever = state
        for _ in range(rounds):
            _bind(run, inputs, state)
            state = [_fit(run, tensor, out) for tensor, out in zip(step(True), types, strict=False)]
            ever = [joined(run, a, b, out) for a, b, out in zip(ever, state, types, strict=True)]
        return ever, state
    state = [_anonymous(run, smashed(tensor)) for tensor in state]
    first = state
    for turn in range(40):
        contents = dict(run.contents)
        _place(run, inputs, state)
        after = [smashed(_fit(run, tensor, out)) for tensor, out in zip(step(False), types, strict=False)]
        grown = [joined(run, a, b, out) for a, b, out in zip(state, after, types, strict=True)]
        stays = run.contents == contents
        if stays and all(_holds(old, new) for old, new in zip(state, grown, strict=True)):
            break
        if turn >= PATIENCE:
            run.contents.update(
                (store, FULL) for store, content in run.contents.items() if contents.get(store) != content
            )
            grown = [_widened(old, new) for old, new in zip(state, grown, strict=True)]
        state = [_anonymous(run, tensor) for tensor in grown]
    else:
        state = [run.transfer.unknown(replace(out, dtype=old.dtype)) for old, out in zip(state, types, strict=True)]
    for _ in range(NARROWINGS):
        _place(run, inputs, state)
        after = [smashed(_fit(run, tensor, out)) for tensor, out in zip(step(False), types, strict=False)]
        state = [
            _anonymous(run, replace(old, box=boxes.narrow(old.box, boxes.join(begin.box, new.box))))
            for old, begin, new in zip(state, first, after, strict=True)
        ]
    _bind(run, inputs, state)
    after = [_fit(run, tensor, out) for tensor, out in zip(step(True), types, strict=False)]
    return state, [joined(run, a, b, out) for a, b, out in zip(state, after, types, strict=True)]


def _holds(old: Abstract, new: Abstract) -> bool:
    """Whether what is said of a carried value is true after one more round."""
    return boxes.covers(old.box, new.box) and (old.exact is None or new.exact is not None)


def _anonymous(run: Run, tensor: Abstract) -> Abstract:
    """The tensor without relations to others, which hold in one round only."""
    number = run.transfer.fresh()
    return Abstract(tensor.dtype, tensor.dims, tensor.cuts, tensor.box, number, exact=tensor.exact, holds=tensor.holds)


def _widened(old: Abstract, new: Abstract) -> Abstract:
    limits = boxes.finite(new.dtype)
    box = boxes.widen(old.box, new.box, THRESHOLDS)
    inside = new.box.low >= limits.low
    low = np.where(inside & np.isneginf(box.low), limits.low, box.low)
    high = np.where((new.box.high <= limits.high) & np.isposinf(box.high), limits.high, box.high)
    return replace(new, box=boxes.Box(low, high, box.nan), exact=None)


def _truth(tensor: Abstract | None) -> bool | None:
    if tensor is None:
        return True
    interval = tensor.interval
    return bool(interval.low) if interval.low == interval.high else None


def _loop(run: Run, node: Node, operands: Sequence[Abstract | None], outs: Sequence[Tensor]) -> list[Abstract]:
    """ONNX Loop: trip count, condition, carried values; the body yields condition, carried values, scanned values."""
    body = node.regions[0]
    limit = operands[0] if operands else None
    start = [tensor for tensor in operands[2:] if tensor is not None]
    count = int(limit.interval.low) if limit is not None and limit.interval.low == limit.interval.high else None
    most = float(grids.MANY) if limit is None else max(limit.interval.high - 1, 0.0)
    scanned: list[Abstract | None] = [None] * max(len(body.outputs) - 1 - len(start), 0)
    may_stop = False

    def step(recording: bool) -> Sequence[Abstract]:
        nonlocal may_stop
        for value, interval in zip(body.inputs, (Interval(0.0, most), Interval(1.0, 1.0)), strict=False):
            run.bind(value, uniform(run.type_of(value), interval, run.transfer.fresh()))
        again, *results = run.region(body) if recording else run.rehearse(body)
        may_stop = may_stop or _truth(again) is not True
        for index, tensor in enumerate(results[len(start) :]):
            seen = scanned[index]
            out = run.type_of(body.outputs[1 + len(start) + index])
            scanned[index] = tensor if seen is None else joined(run, seen, tensor, out)
        return results[: len(start)]

    ever, last = iterated(run, body.inputs[2:], start, step, count)
    goes = _truth(operands[1]) if len(operands) > 1 and operands[1] is not None else True
    final = last if goes is True and not may_stop and count is not None else ever
    if final is not last:
        final = [joined(run, a, b, out) for a, b, out in zip(final, last, outs, strict=False)]
    carried = [_fit(run, tensor, out) for tensor, out in zip(final, outs, strict=False)]
    return [*carried, *_stacked(run, scanned, outs[len(carried) :])]


def _stacked(run: Run, scanned: Sequence[Abstract | None], outs: Sequence[Tensor]) -> list[Abstract]:
    return [
        run.transfer.unknown(out) if tensor is None else uniform(out, tensor.interval, run.transfer.fresh())
        for tensor, out in zip(scanned, outs, strict=False)
    ]


def _while(run: Run, node: Node, operands: Sequence[Abstract | None], outs: Sequence[Tensor]) -> list[Abstract]:
    """A region that tells whether to go on, and one that maps the carried values to the next ones."""
    condition, body = node.regions
    start = [tensor for tensor in operands if tensor is not None]

    def step(recording: bool) -> Sequence[Abstract]:
        state = [run.value(value) for value in body.inputs]
        _bind(run, condition.inputs, state)
        if recording:
            run.region(condition)
        else:
            run.rehearse(condition)
        entered = _where_true(run, condition, state)
        _bind(run, body.inputs, entered)
        return run.region(body) if recording else run.rehearse(body)

    def test() -> bool | None:
        _bind(run, condition.inputs, [run.value(value) for value in body.inputs])
        return _truth(run.rehearse(condition)[0])

    def leave() -> None:
        _bind(run, condition.inputs, [run.table[value] for value in body.inputs])
        run.region(condition)

    finished = _followed(run, body, start, test, step, leave)
    if finished is not None:
        return [_fit(run, tensor, out) for tensor, out in zip(finished, outs, strict=False)]
    ever, _ = iterated(run, body.inputs, start, step, None)
    _bind(run, condition.inputs, ever)
    return [_fit(run, tensor, out) for tensor, out in zip(ever, outs, strict=False)]


def _followed(
    run: Run, body: Region, start: Sequence[Abstract], test: Callable[[], bool | None],
    step: Callable[[bool], Sequence[Abstract]], leave: Callable[[], None],
) -> list[Abstract] | None:  # fmt: skip
    """The carried values after a loop whose condition is known in every round; None if not, or if that is long."""
    types = [run.type_of(value) for value in body.inputs]
    state = [_fit(run, tensor, out) for tensor, out in zip(start, types, strict=True)]
    rounds = min(UNROLLED, EFFORT // max(len(body.nodes), 1))
    passed: list[list[Abstract]] = []
    for _ in range(rounds):
        _place(run, body.inputs, state)
        going = test()
        if going is None:
            return None
        if not going:
            for before in passed:
                _bind(run, body.inputs, before)
                step(True)
            _place(run, body.inputs, state)
            leave()
            return state
        passed.append(state)
        state = [_fit(run, tensor, out) for tensor, out in zip(step(False), types, strict=False)]
    return None


def _where_true(run: Run, condition: Region, state: Sequence[Abstract]) -> list[Abstract]:
    """The carried values of a round that the condition lets happen."""
    cases = run.guards.cases(condition.outputs[0])
    if len(cases) != 1:
        return list(state)
    (facts,) = cases
    narrowed = []
    for value, tensor in zip(condition.inputs, state, strict=False):
        fact = facts.get(run.value(value).number)
        narrowed.append(tensor if fact is None else run.guards.within(tensor, fact))
    return narrowed


def _scan(run: Run, node: Node, operands: Sequence[Abstract | None], outs: Sequence[Tensor]) -> list[Abstract]:
    body, known = node.regions[0], node.attributes
    count = int(known.get("num_scan_inputs", 0))
    present = [tensor for tensor in operands if tensor is not None]
    start, sequences = present[: len(present) - count], present[len(present) - count :]
    yielded: list[Abstract | None] = [None] * max(len(body.outputs) - len(start), 0)

    def step(recording: bool) -> Sequence[Abstract]:
        for value, tensor in zip(body.inputs[len(start) :], sequences, strict=False):
            run.bind(value, uniform(run.type_of(value), tensor.interval, run.transfer.fresh()))
        results = run.region(body) if recording else run.rehearse(body)
        for index, tensor in enumerate(results[len(start) :]):
            seen = yielded[index]
            out = run.type_of(body.outputs[len(start) + index])
            yielded[index] = tensor if seen is None else joined(run, seen, tensor, out)
        return results[: len(start)]

    rounds = _rounds(sequences, known)
    ever, last = iterated(run, body.inputs[: len(start)], start, step, rounds)
    final = last if rounds is not None and rounds <= UNROLLED else ever
    if final is not last:
        final = [joined(run, a, b, out) for a, b, out in zip(final, last, outs, strict=False)]
    carried = [_fit(run, tensor, out) for tensor, out in zip(final, outs, strict=False)]
    return [*carried, *_stacked(run, yielded, outs[len(carried) :])]


def _rounds(sequences: Sequence[Abstract], known: object) -> int | None:
    if not sequences or sequences[0].dims is None:
        return None
    axes = getattr(known, "get", lambda *_: None)("scan_input_axes") or (0,)
    dim = sequences[0].dims[axes[0]] if -sequences[0].rank <= axes[0] < sequences[0].rank else None
    return dim if isinstance(dim, int) else None


def _call(run: Run, node: Node, operands: Sequence[Abstract | None], outs: Sequence[Tensor]) -> list[Abstract]:
    region = node.regions[0]
    _bind(run, region.inputs, [operand for operand in operands if operand is not None])
    return [_fit(run, tensor, out) for tensor, out in zip(run.region(region), outs, strict=False)]


RULES: dict[str, Rule] = {"if": _if, "loop": _loop, "while": _while, "scan": _scan, "call": _call}
