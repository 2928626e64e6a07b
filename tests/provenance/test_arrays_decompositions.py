"""Decompositions of traced matrices: NumPy's own values, and derivatives as by differences."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from array_checks import check

TALL = np.random.default_rng(5).normal(size=(4, 3))
SQUARE = np.random.default_rng(6).normal(size=(3, 3)) + 3 * np.eye(3)
MANY = np.random.default_rng(7).normal(size=(2, 3, 3)) + 3 * np.eye(3)
RIGHT = np.random.default_rng(8).normal(size=(4, 2))


def _real_eig(x: Any) -> Any:
    values, vectors = np.linalg.eig(x * np.tri(3).T)
    return values, vectors * vectors


DECOMPOSITIONS = {
    "svd, thin": lambda x: tuple(np.linalg.svd(x, full_matrices=False)),
    "svd, wide": lambda x: tuple(np.linalg.svd(x.T, full_matrices=False)),
    "singular values": lambda x: np.linalg.svd(x, compute_uv=False),
    "svdvals": np.linalg.svdvals,
    "qr": lambda x: tuple(np.linalg.qr(x)),
    "qr, wide": lambda x: tuple(np.linalg.qr(x.T)),
    "qr, r alone": lambda x: np.linalg.qr(x, mode="r"),
    "pinv": np.linalg.pinv,
    "pinv, wide": lambda x: np.linalg.pinv(x.T),
    "lstsq": lambda x: np.linalg.lstsq(x, RIGHT, rcond=None)[:2],
    "lstsq, one side": lambda x: np.linalg.lstsq(x, x[:, 0] * x[:, 1], rcond=None)[0],
    "eigh": lambda x: (np.linalg.eigh(x.T @ x)[0], np.linalg.eigh(x.T @ x)[1] ** 2),
    "eigh, upper": lambda x: np.linalg.eigh(x.T @ x, UPLO="U")[0],
    "norm by singular values": lambda x: (np.linalg.norm(x, 2), np.linalg.norm(x, -2), np.linalg.norm(x, "nuc")),
    "cond": lambda x: (np.linalg.cond(x), np.linalg.cond(x, -2)),
}


@pytest.mark.parametrize("name", DECOMPOSITIONS)
def test_decompositions(name: str) -> None:
    check(DECOMPOSITIONS[name], TALL)


OF_SQUARES = {
    "slogdet": lambda x: np.linalg.slogdet(x)[1],
    "eig": _real_eig,
    "eigvals": lambda x: np.linalg.eigvals(x * np.tri(3)),
    "cond by another norm": lambda x: np.linalg.cond(x, 1),
    "svd, full": lambda x: tuple(np.linalg.svd(x)),
}


@pytest.mark.parametrize("name", OF_SQUARES)
def test_decompositions_of_squares(name: str) -> None:
    check(OF_SQUARES[name], SQUARE)


@pytest.mark.parametrize("name", ["slogdet", "svd, full"])
def test_decompositions_of_many(name: str) -> None:
    check(OF_SQUARES[name], MANY)


SUMS = {
    "ellipsis": lambda x: np.einsum("...ij,...jk->...ik", x, x),
    "ellipsis in front and behind": lambda x: np.einsum("a...,a...->...", x, x[::-1]),
    "ellipsis without a result": lambda x: np.einsum("i...,ij", x, x[:, 0]),
    "stretched": lambda x: np.einsum("...ij,...jk->...ik", x, x[:1]),
    "lists of axes": lambda x: np.einsum(x, [0, 1, 2], x[0], [2, 3], [0, 3]),
    "lists with an ellipsis": lambda x: np.einsum(x, [Ellipsis, 0], x[0, 0], [0]),
}


@pytest.mark.parametrize("name", SUMS)
def test_sums_of_products_by_ellipsis_and_lists(name: str) -> None:
    check(SUMS[name], MANY)


WHOLE = {
    "cross": lambda x: np.cross(x, x[::-1] * x),
    "polyfit": lambda x: np.polyfit([1.0, 2.0, 3.0, 5.0], x[:, 0] * x[:, 1], 2),
    "polyfit by both": lambda x: np.polyfit(x[:, 0], x[:, 1], 1),
    "elements from one array to another": lambda x: np.linspace(x[0], x[1], 4),
}


@pytest.mark.parametrize("name", WHOLE)
def test_functions_of_whole_arrays(name: str) -> None:
    check(WHOLE[name], TALL)


PADDED = {
    "constants": lambda x: np.pad(x, 1, constant_values=2.0),
    "traced constants": lambda x: np.pad(x, 1, constant_values=x[0, 0]),
    "edges": lambda x: np.pad(x, ((1, 0), (0, 2)), mode="edge"),
    "mirrored": lambda x: np.pad(x, 1, mode="reflect"),
    "not a number": lambda x: np.nan_to_num(np.where(np.tri(4, 3) > 0, x, np.nan), nan=3.0),
}


@pytest.mark.parametrize("name", PADDED)
def test_what_is_put_beside_or_in_place_of_elements_hangs_on_nothing(name: str) -> None:
    check(PADDED[name], TALL)
