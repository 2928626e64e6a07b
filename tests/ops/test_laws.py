"""The laws of the universal test reject operators that are wrong in one facet."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from math import inf
from typing import Any

import numpy as np
import pytest
import test_every_operator as universal

from mlvet.domains.dims import symbol
from mlvet.domains.dtypes import f64
from mlvet.domains.intervals import Interval, mul
from mlvet.domains.tensors import Tensor, UnknownValue
from mlvet.ops import REGISTRY, Op
from mlvet.ops.danger import Outside
from mlvet.ops.derivative import Partials, Zero
from mlvet.ops.index_map import Elementwise, Moves
from mlvet.ops.numeric import (
    Affine,
    Bilinear,
    Bounded,
    Composite,
    Convex,
    Enclosure,
    Lattice,
    Monotone,
    Piecewise,
    Power,
    Predicate,
    Product,
    Quotient,
    Range,
    Reduction,
    Selection,
)  # fmt: skip


def judged(law: Callable[..., None], name: str, **wrong: Any) -> None:
    """Put one operator with wrong facets before a law; the law must find a counterexample."""
    with pytest.raises(AssertionError), np.errstate(all="ignore"):
        law(op=replace(REGISTRY[name], **wrong))


WRONG_KINDS: list[tuple[str, Any]] = [
    ("exp", Monotone(increasing=False)),
    ("exp", Monotone(image=Range(0, 1))),
    ("square", Monotone()),
    ("cosh", Piecewise((1.0,))),
    ("tan", Bounded(Range(-1, 1))),
    ("sub", Affine((1.0, 1.0))),
    ("max", Lattice(maximum=False)),
    ("add", Product()),
    ("mul", Quotient()),
    ("mul", Power()),
    ("add", Selection((0,))),
    ("reduce_sum", Reduction("mean")),
    ("reduce_max", Reduction("min")),
    ("squared_difference", Bilinear()),
    ("average_pool", Convex()),
    ("global_average_pool", Convex(0, lambda *_, **__: 1)),
    ("less", Predicate("greater")),
    ("swish", Composite(lambda build, x, **_: build.add("sigmoid", x))),
    ("sin", Enclosure(lambda *_: (Interval(-0.5, 0.5),))),
    ("softmax", Enclosure(lambda *_, **__: (Interval(0.0, 1.0),))),
    ("neg", Enclosure(lambda operands, _: tuple(operands))),
    ("sqrt", Enclosure(lambda *_: (Interval(0.0, inf),))),
    ("mul", Enclosure(lambda operands, _: (mul(operands[0], operands[1], f64),))),
    ("top_k", Enclosure(lambda operands, _, **__: (operands[0], Interval(0.0, 1.0)))),
    ("top_k", Enclosure(lambda operands, _, **__: (operands[0],))),
]


@pytest.mark.parametrize(("name", "kind"), WRONG_KINDS, ids=lambda value: str(value)[:20])
def test_a_wrong_numeric_kind_is_found(name: str, kind: Any) -> None:
    judged(universal.test_numeric_kind_obeys_its_law, name, numeric=kind)


@pytest.mark.parametrize("derivative", [Zero(), Partials(lambda x: (x,))], ids=["zero", "partials"])
def test_a_wrong_derivative_is_found(derivative: Any) -> None:
    judged(universal.test_derivative_agrees_with_finite_differences, "exp", derivative=derivative)


@pytest.mark.parametrize("danger", [(), (Outside(Range(low=-1), rule="too-lax"),)], ids=["none", "too lax"])
def test_a_missing_danger_is_found(danger: Any) -> None:
    judged(universal.test_danger_names_what_makes_nan_or_infinity, "log", danger=danger)


def test_a_wrong_shape_or_dtype_is_found() -> None:
    law, symbolic = (
        universal.test_infer_tells_the_shape_and_dtype_of_the_results,
        universal.test_infer_on_symbols_fits_the_results,
    )
    judged(law, "reduce_sum", infer=lambda x, *_, **__: x)
    judged(law, "equal", infer=lambda a, b, require, **_: Tensor(a.dtype, require.broadcast_tensors(a, b)))
    judged(symbolic, "add", infer=lambda a, _, **__: a)
    judged(symbolic, "add", infer=lambda a, b, require: (require.rank(b, a.rank), a)[1])


def test_wrong_moves_are_found() -> None:
    judged(universal.test_moves_reproduce_the_result_by_indexing, "neg", index_map=Moves())
    judged(universal.test_elementwise_results_change_only_where_an_operand_does, "softmax", index_map=Elementwise())


def test_an_operator_that_changes_its_operand_is_not_pure() -> None:
    def in_place(x: Any) -> Any:
        x += 1
        return x

    judged(universal.test_pure_operators_repeat_themselves_and_leave_their_operands, "neg", reference=in_place)


def test_wrong_folding_is_found() -> None:
    judged(
        universal.test_folding_on_symbols_agrees_with_numbers,
        "add",
        reference=lambda a, b: a - b if a.dtype == object else a + b,
    )


def folded(op: Op, *operands: Any) -> Any:
    arrays = [np.array(operand, dtype=object) for operand in operands]
    assert op.reference is not None
    return op.reference(*arrays).item()


def test_folding_gives_up_only_on_what_hangs_on_symbols() -> None:
    n, m = symbol("n"), symbol("m", low=1)
    assert folded(REGISTRY["div"], n, 2) == n // 2
    assert folded(REGISTRY["div"], -7, 2) == -3
    assert folded(REGISTRY["div"], -4 * n, 2) == -2 * n
    assert folded(REGISTRY["greater"], m, 0) is True
    assert folded(REGISTRY["max"], m, 1) == m
    for name, operands in (("div", (n - 5, 2)), ("less", (n, m)), ("sign", (n,)), ("pow", (2, n))):
        with pytest.raises(UnknownValue):
            folded(REGISTRY[name], *operands)
