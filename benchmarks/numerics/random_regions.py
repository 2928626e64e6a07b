"""Branches and loops in random graphs."""

from __future__ import annotations

from typing import Any

import numpy as np
from pooled_draw import Unfit
from random_graphs import Growth, Known

from mlvet.domains.dtypes import i64


def _grown(growth: Growth, start: list[Known], steps: int) -> Known:
    """A few steps in a region, and the value that they end in; it starts from what enters."""
    growth.pool += start * 2
    for _ in range(steps):
        growth.step()
    return growth._some_number()


def branch(g: Growth) -> None:
    """Two ways to make a tensor of one shape and type, of which a condition chooses."""
    like = g.pick()
    condition = g.truth(())
    passed = [g.pick()] if g.rng.random() < 0.5 else []
    regions = []
    for _ in range(2):
        inner = Growth(g.rng, g, "branch")
        start = [inner.enter(known.array) for known in passed]
        end = inner.fit(_grown(inner, start, g.rng.randint(1, 3)), like.shape, like.dtype)
        regions.append(inner.builder.close([end.value]))
    g.control("if", [condition, *passed], regions)


def _next(g: Growth, carried: Known, start: list[Known]) -> Known:
    """The carried value of the next iteration: often a contraction or a growth of itself, else anything."""
    kind = g.rng.random()
    if kind < 0.25:
        return g.apply(
            "add",
            g.apply("mul", carried, g.scalar(carried, 0.5, -0.5, 1.0, 2.0, 0.9)),
            g.scalar(carried, 1.0, 0.0, -3.0),
        )
    if kind < 0.4:
        return g.apply(g.rng.choice(["tanh", "sigmoid", "square", "exp", "relu", "abs", "sqrt"]), carried)
    if kind < 0.55:
        other = g.fit(g.pick(carried.dtype), carried.shape, carried.dtype)
        return g.apply(g.rng.choice(["add", "sub", "mul", "max", "min"]), carried, other)
    return g.fit(_grown(g, start, g.rng.randint(1, 3)), carried.shape, carried.dtype)


def loop(g: Growth) -> None:
    """A counted loop that carries a tensor or two and may yield others."""
    states = [g.pick() for _ in range(g.rng.randint(1, 2))]
    limit = g.input((), i64, (0, g.rng.randint(0, 5))) if g.rng.random() < 0.5 else g.constant(g.rng.randint(0, 6))
    inner = Growth(g.rng, g, "loop")
    turn, going = inner.enter(np.asarray(0, np.int64)), inner.enter(np.asarray(True))
    start = [inner.enter(known.array) for known in states]
    results = [_next(inner, known, start) for known in start]
    if g.rng.random() < 0.3:
        inner.apply(
            "div", start[0], inner.apply("cast", inner.apply("add", turn, inner.constant(1)), to=start[0].dtype)
        )
    again = going if g.rng.random() < 0.6 else inner.truth(())
    yields = [inner._some_number()] if g.rng.random() < 0.5 else []
    again = inner.apply("identity", again)
    body = inner.builder.close([known.value for known in (again, *results, *yields)])
    g.control("loop", [limit, None, *states], [body])


def while_(g: Growth) -> None:
    """A loop whose condition reads what it carries, a counter at least."""
    state = g.pick()
    counter = g.constant(np.asarray(0, np.int64))
    limit = g.rng.randint(0, 5)
    head = Growth(g.rng, g, "loop")
    count, held = head.enter(counter.array), head.enter(state.array)
    test = head.apply("less", count, head.constant(limit))
    if g.rng.random() < 0.5:
        bound = head.apply(g.rng.choice(["reduce_max", "reduce_min"]), held, None, keepdims=False)
        small = head.apply(g.rng.choice(["less", "greater"]), bound, head.scalar(bound, 0.0, 1.0, 10.0, 1e4))
        test = head.apply("and", test, small)
    condition = head.builder.close([test.value])
    inner = Growth(g.rng, g, "loop")
    turn, carried = inner.enter(counter.array), inner.enter(state.array)
    result = _next(inner, carried, [carried])
    body = inner.builder.close([inner.apply("add", turn, inner.constant(1)).value, result.value])
    g.control("while", [counter, state], [condition, body])


def scan(g: Growth) -> None:
    """A loop over the slices of a tensor."""
    scanned = g.pick(low_rank=1)
    axis = g.rng.randrange(scanned.array.ndim)
    state = g.pick()
    inner = Growth(g.rng, g, "loop")
    carried = inner.enter(state.array)
    part = inner.enter(np.take(scanned.array, 0, axis))
    result = _next(inner, carried, [carried, part])
    yields: list[Known] = [inner._some_number()] if g.rng.random() < 0.7 else []
    body = inner.builder.close([known.value for known in (result, *yields)])
    attributes: dict[str, Any] = {"num_scan_inputs": 1, "scan_input_axes": (axis,)}
    if g.rng.random() < 0.3:
        attributes["scan_input_directions"] = (1,)
    g.control("scan", [state, scanned], [body], **attributes)


def _fitting(region: Any) -> Any:
    def grown(g: Growth) -> None:
        mark, count, pool = g.builder.mark(), g.root._nodes, len(g.pool)
        try:
            region(g)
        except (Unfit, ValueError, TypeError, IndexError) as problem:
            g.builder.back_to(mark)
            g.root._nodes = count
            gone = g.pool[pool:]
            del g.pool[pool:]
            g.pool += [known for known in gone if known.value.name in g.ranges]
            raise Unfit from problem

    return grown


REGIONS = [_fitting(region) for region in (branch, loop, while_, scan)]
