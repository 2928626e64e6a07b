"""Shape rules of products of tensors: on symbols, on contradictions, and on operands of unknown rank."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from shape_rules import inferred
from shape_rules import shaped as t

from mlvet.domains.dims import Dim, symbol
from mlvet.domains.dtypes import f16, f32, f64, i32
from mlvet.domains.tensors import Tensor, UnknownRank, unknown
from mlvet.ops import REGISTRY
from mlvet.ops.einsum import parse
from mlvet.ops.require import Require

B, N, K = symbol("B"), symbol("N"), symbol("K")


@pytest.mark.parametrize(
    ("a", "b", "shape"),
    [
        ((B, N, K), (K, 5), (B, N, 5)),
        ((3, 4), (4, 5), (3, 5)),
        ((4,), (4, 5), (5,)),
        ((3, 4), (4,), (3,)),
        ((4,), (4,), ()),
        ((2, 1, 3, 4), (7, 4, 5), (2, 7, 3, 5)),
        ((4,), (7, 4, 5), (7, 5)),
        ((B, 1, N, K), (8, K, 2), (B, 8, N, 2)),
    ],
)
def test_matmul_follows_numpy(a: tuple[Dim, ...], b: tuple[Dim, ...], shape: tuple[Dim, ...]) -> None:
    assert inferred("matmul", t(*a), t(*b)) == (t(*shape), [])


def test_matmul_records_inner_dims_that_differ() -> None:
    _, broken = inferred("matmul", t(B, 9216), t(1024, 128))
    assert broken == ["matmul-inner-dims"]


def test_matmul_leaves_open_what_symbols_leave_open() -> None:
    require = Require("node")
    result = REGISTRY["matmul"].infer(t(B, K), t(N, 4), require=require)
    assert result == t(B, 4)
    assert [str(constraint) for constraint in require.constraints] == ["K == N"]
    assert require.violated == []


def test_matmul_rejects_numbers_and_mixed_dtypes() -> None:
    assert inferred("matmul", t(), t(3))[1] == ["rank-differs"]
    assert inferred("matmul", t(2, 3), Tensor(f64, (3, 2)))[1] == ["dtype-differs"]


def test_matmul_knows_the_inner_dim_of_an_operand_of_unknown_rank() -> None:
    require = Require("node")
    with pytest.raises(UnknownRank):
        REGISTRY["matmul"].infer(unknown("x", f32), t(64, 10), require=require)
    assert "last(x) == 64" in [str(constraint) for constraint in require.constraints]


def test_linear_names_the_features_it_lacks() -> None:
    assert inferred("linear", t(B, 7, 512), t(10, 512), t(10)) == (t(B, 7, 10), [])
    assert inferred("linear", t(B, 9216), t(128, 1024), t(128))[1] == ["matmul-inner-dims"]
    assert inferred("linear", t(B, 4), t(3, 4), t(5))[1] == ["broadcast-mismatch"]


def test_gemm_transposes_and_broadcasts_its_addend() -> None:
    assert inferred("gemm", t(K, N), t(5, K), t(5), transA=1, transB=1) == (t(N, 5), [])
    assert inferred("gemm", t(2, 3), t(3, 4), t(2, 1, 4))[1] == ["broadcast-mismatch"]
    assert inferred("gemm", t(2, 3, 4), t(4, 5))[1] == ["rank-differs"]


@pytest.mark.parametrize(
    ("equation", "shapes", "shape"),
    [
        ("bhqd,bhkd->bhqk", [(B, 8, N, 64), (B, 8, K, 64)], (B, 8, N, K)),
        ("ij,jk", [(N, 3), (3, K)], (N, K)),
        ("...ij,...jk->...ik", [(B, 2, 3), (7, B, 3, 4)], (7, B, 2, 4)),
        ("ii->i", [(N, N)], (N,)),
        ("b...,b...->...", [(B, 3, 4), (B, 4)], (3, 4)),
        ("ba,b", [(2, 3), (2,)], (3,)),
        (" i j -> ", [(2, 3)], ()),
    ],
)
def test_einsum(equation: str, shapes: list[tuple[Dim, ...]], shape: tuple[Dim, ...]) -> None:
    assert inferred("einsum", *(t(*dims) for dims in shapes), equation=equation) == (t(*shape), [])


@pytest.mark.parametrize(
    ("equation", "shapes", "rule"),
    [
        ("ij,jk->ik", [(2, 3), (4, 5)], "broadcast-mismatch"),
        ("ij,jk->ik", [(2, 3)], "illegal-argument"),
        ("ijk->i", [(2, 3)], "illegal-argument"),
        ("ij->k", [(2, 3)], "illegal-argument"),
        ("i.j->i", [(2, 3)], "illegal-argument"),
        ("ij->ii", [(2, 3)], "illegal-argument"),
    ],
)
def test_einsum_that_cannot_be(equation: str, shapes: list[tuple[Dim, ...]], rule: str) -> None:
    assert inferred("einsum", *(t(*dims) for dims in shapes), equation=equation)[1] == [rule]


def test_einsum_sorts_the_letters_of_an_implicit_result() -> None:
    parsed = parse("b...a,a")
    assert parsed is not None
    assert parsed.result == ("...", "b")


def test_dot_general_puts_the_batch_first() -> None:
    numbers = (((2,), (1,)), ((0,), (2,)))
    assert inferred("dot_general", t(B, N, 8), t(4, 8, B), dimension_numbers=numbers) == (t(B, N, 4), [])
    _, broken = inferred("dot_general", t(B, N, 8), t(4, 9, B), dimension_numbers=numbers)
    assert broken == ["matmul-inner-dims"]


def test_dot_general_takes_the_dtype_asked_for() -> None:
    a = np.full((2, 2), 300, np.float16)
    numbers = (((1,), (0,)), ((), ()))
    op = REGISTRY["dot_general"]
    result = op.reference(a, a, dimension_numbers=numbers, preferred_element_type=f32)
    assert result.tolist() == [[180000.0] * 2] * 2
    narrow = op.reference(a, a, dimension_numbers=numbers, preferred_element_type=f16)
    assert np.isinf(narrow).all()


def test_number_of_products_in_a_sum() -> None:
    """What an analysis of values multiplies the bounds of a product by."""
    terms = {
        "matmul": ((t(B, K), t(K, 3)), {}, K),
        "gemm": ((t(K, N), t(K, 3)), {"transA": 1}, K),
        "conv": ((t(B, 8, N, N), t(16, 4, 3, 3)), {"group": 2}, 36),
        "einsum": ((t(2, 3, N), t(N, 3, 5)), {"equation": "abn,nbc->ac"}, 3 * N),
    }
    for name, (operands, attributes, count) in terms.items():
        numeric: Any = REGISTRY[name].numeric
        assert numeric.terms(*operands, **attributes) == count, name


def test_a_square_matrix_is_demanded_where_one_is_needed() -> None:
    assert inferred("det", t(B, 3, 3)) == (t(B), [])
    assert inferred("inverse", t(B, 3, 4))[1] == ["dims-differ"]
    assert inferred("solve", t(3, 3), t(4, 2))[1] == ["matmul-inner-dims"]
    (u, s, vh), _ = inferred("svd", t(B, 5, 3), full_matrices=False)
    assert (u, s, vh) == (t(B, 5, 3), t(B, 3), t(B, 3, 3))


def test_integer_products_are_summed_in_32_bits() -> None:
    a = np.full((1, 4), 255, np.uint8)
    result = REGISTRY["matmul_integer"].reference(a, a.T)
    assert result.dtype == i32.numpy
    assert result.item() == 4 * 255 * 255
