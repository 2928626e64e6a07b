"""NumPy's functions on traced arrays: bit for bit the plain values, and derivatives as by differences."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from array_checks import check

POSITIVE = np.random.default_rng(1).uniform(0.2, 0.9, (3, 4))
SIGNED = np.random.default_rng(2).normal(size=(3, 4))
SQUARE = np.random.default_rng(3).normal(size=(4, 4)) + 4 * np.eye(4)
OTHER = np.random.default_rng(4).normal(size=(3, 4))


def in_place(x: Any) -> Any:
    y = x.copy()
    y += x
    y *= 2.0
    y[0] /= x[1]
    y[:, 1] -= 3.0
    y[1:, ::2] = x[:2, ::2] * x[1, 1]
    return y, x


def through_views(x: Any) -> Any:
    y = np.zeros_like(x)
    row, column = y[1], y.T[2]
    row[:] = x[0]
    column += x[:, 0] ** 2
    y.reshape(-1)[0] = x[2, 2]
    return y, row, column


def with_out(x: Any) -> Any:
    y = np.empty_like(x)
    np.multiply(x, x, out=y)
    np.add(y, x, out=y, where=np.asarray(x) > 0.5)
    total = np.zeros_like(x[0])
    np.add.reduce(y, axis=0, out=total)
    return y, total


def at_indices(x: Any) -> Any:
    y = np.zeros_like(x[0])
    np.add.at(y, [0, 1, 1, 3], x[1])
    np.subtract.at(y, np.array([0, 0]), x[2, :2])
    np.multiply.at(y, [1, 2], x[0, :2])
    return y


def elements(x: Any) -> Any:
    total = np.float64(0.0)
    for row in x:
        for value in row:
            total = total + value * value / (1 + value)
    return total, x[0, 1] * 2 - x[1, 2] / x[2, 3], 3.0 ** x[0, 0], x[1, 1] % 0.3, -x[0, 0], abs(x[2, 1])


def list_of_elements(x: Any) -> Any:
    return [each * 2 for each in x[0].tolist()], x[1].item(2), max(x[2])


UNARY = (
    "negative positive absolute fabs square sqrt cbrt reciprocal exp exp2 expm1 log log2 log10 log1p sin cos tan "
    "arcsin arccos arctan sinh cosh tanh arcsinh arctanh deg2rad radians rad2deg degrees sign floor ceil rint trunc "
    "conjugate"
).split()
BINARY = (
    "add subtract multiply divide power float_power arctan2 hypot logaddexp logaddexp2 maximum minimum fmax fmin "
    "remainder fmod copysign"
)
EXPRESSIONS: dict[str, Any] = {
    "in place": in_place,
    "views": through_views,
    "out": with_out,
    "at": at_indices,
    "elements": elements,
    "list": list_of_elements,
    "index": lambda x: (x[1], x[:, 2], x[::-1, ::2], x[[0, 2]], x[np.array([0, 1]), [2, 3]], x[x > 0.5], x[..., None]),
    "movement": lambda x: (x.T, x.reshape(2, 6), x.ravel("F"), x.T.flatten(), x.swapaxes(0, 1), x.copy(), x.squeeze()),
    "joined": lambda x: (
        np.concatenate((x, x * 2), axis=1),
        np.stack([x[0], x[1]]),
        np.vstack([x, x]),
        np.hstack([x, x]),
    ),
    "joined more": lambda x: (np.column_stack((x[0], x[1])), np.dstack([x, x]), np.append(x, x[0]), np.block([[x, x]])),
    "turned": lambda x: (
        np.roll(x, 1),
        np.flip(x),
        np.rot90(x),
        np.fliplr(x),
        np.moveaxis(x, 0, 1),
        np.tile(x, (2, 1)),
    ),
    "parts": lambda x: (*np.split(x, 2, axis=1), *np.array_split(x, 2), np.diag(x), np.tril(x), np.triu(x, 1)),
    "inserted": lambda x: (np.insert(x[0], 1, x[1, 1]), np.delete(x, 1, axis=0), np.repeat(x, 2, axis=1), np.pad(x, 1)),
    "taken": lambda x: (
        np.take(x, [0, 5, 7]),
        x.take([1, 2], axis=1),
        np.take_along_axis(x, np.array([[1], [0], [2]]), 1),
    ),
    "where": lambda x: (
        np.where(x > 0.5, x * 2, 1.0),
        np.where(x > 0.5, x, -x),
        np.select([x > 0.7, x > 0.4], [x, x * 3], 0.5),
    ),
    "clip": lambda x: (np.clip(x, 0.3, 0.7), x.clip(0.4), np.clip(x, x[0, 0], None)),
    "sums": lambda x: (x.sum(), x.sum(axis=0), np.sum(x, axis=1, keepdims=True), np.add.reduce(x), x.sum(axis=(0, 1))),
    "sums of some": lambda x: (np.sum(x, where=np.asarray(x) > 0.5, axis=0), x.sum(initial=2.0)),
    "means": lambda x: (
        x.mean(),
        x.mean(axis=0),
        np.mean(x, axis=1, keepdims=True),
        np.average(x, axis=0, weights=x[:, 0]),
    ),
    "spread": lambda x: (x.var(), x.std(axis=1), np.var(x, axis=0, ddof=1), np.std(x)),
    "products": lambda x: (x.prod(), np.prod(x, axis=1), np.cumprod(x, axis=1), x.cumprod()),
    "running": lambda x: (
        x.cumsum(),
        np.cumsum(x, axis=0),
        np.maximum.accumulate(x, axis=1),
        np.add.accumulate(x, axis=1),
    ),
    "reduceat": lambda x: (np.add.reduceat(x, [0, 2, 1], axis=1), np.add.reduceat(x[0], [0, 2])),
    "outer": lambda x: (np.multiply.outer(x[0], x[1]), np.outer(x[0], x[1]), np.add.outer(x, x[0])),
    "extremes": lambda x: (x.max(), x.min(axis=0), np.max(x, axis=1), np.ptp(x), np.amax(x)),
    "order": lambda x: (
        np.sort(x),
        np.sort(x, axis=None),
        x[0][np.argsort(x[0])],
        np.partition(x[0], 2),
        x[0, x[0].argmax()],
    ),
    "middle": lambda x: (np.median(x), np.median(x, axis=0), np.percentile(x, 30), np.quantile(x, 0.4, axis=1)),
    "differences": lambda x: (np.diff(x), np.gradient(x[0]), np.trapezoid(x[0]), np.ediff1d(x[0])),
    "matmul": lambda x: (x @ x.T, x @ x[0], x[0] @ x.T, np.matmul(x, x.T), x[0] @ x[1], x.reshape(3, 2, 2) @ x[0, :2]),
    "dot": lambda x: (x.dot(x.T), np.dot(x, x[0]), np.dot(x[0], x[1]), np.vdot(x, x), np.inner(x, x), np.dot(x, 2.0)),
    "tensordot": lambda x: (np.tensordot(x, x, axes=([0], [0])), np.tensordot(x, x.T, 1), np.kron(x[:2, :2], x)),
    "einsum": lambda x: (
        np.einsum("ij,kj->ik", x, x),
        np.einsum("ij->j", x),
        np.einsum("ij,ij", x, x),
        np.einsum("ii->i", x[:3, :3]),
    ),
    "norms": lambda x: (
        np.linalg.norm(x),
        np.linalg.norm(x, axis=1),
        np.linalg.norm(x[0], 1),
        np.linalg.norm(x[0], np.inf),
        np.linalg.norm(x[0], 3),
        np.linalg.norm(x, 1),
    ),
    "bins": lambda x: (
        np.bincount([0, 2, 2, 1], weights=x[0]),
        np.histogram([0.1, 0.4, 0.6, 0.9], bins=3, weights=x[0])[0],
    ),
    "interp": lambda x: (
        np.interp([0.1, 1.5, 2.2, 9.0], [0.0, 1.0, 2.0, 3.0], x[0]),
        np.interp(x, [0.0, 0.5, 1.0], x[0, :3]),
    ),
    "trace": lambda x: (np.trace(x), x.trace(1), x.diagonal(), np.linspace(x[0, 0], x[1, 1], 5)),
    "types": lambda x: (
        x.astype(np.longdouble).astype(np.float64),
        x.astype(int),
        np.float64(2.0) * x,
        np.full_like(x, x[0, 0]),
    ),
    "statistics": lambda x: (
        np.cov(x),
        np.corrcoef(x),
        np.polyval(x[0], 0.5),
        np.convolve(x[0], x[1]),
        np.correlate(x[0], x[1], "same"),
    ),
    "flat": lambda x: (x.flat[3] * 2, sum(x.flat), x.T.flat[1:4]),
    "softmax": lambda x: (
        np.exp(x - x.max(axis=1, keepdims=True)) / np.exp(x - x.max(axis=1, keepdims=True)).sum(axis=1, keepdims=True)
    ),
    "unique": lambda x: (np.unique(x), np.nan_to_num(x), np.isclose(x, 0.5).sum(), np.allclose(x, x)),
    "modf": lambda x: (np.modf(x * 3), np.divmod(x, 0.3)[1]),
    "multiplied constants": lambda x: (OTHER * x, OTHER / x, OTHER[0] + x, OTHER.T @ x, x @ OTHER.T, 2 - x, 1 / x),
    "along": lambda x: np.apply_along_axis(lambda row: row * row.sum(), 1, x),
}


@pytest.mark.parametrize("name", UNARY)
def test_unary(name: str) -> None:
    check(getattr(np, name), POSITIVE)


@pytest.mark.parametrize("name", BINARY.split())
def test_binary(name: str) -> None:
    function = getattr(np, name)
    check(lambda x: (function(x, x.T.reshape(3, 4)), function(x, 0.37), function(1.3, x), function(x, x[0])), POSITIVE)


@pytest.mark.parametrize("name", EXPRESSIONS)
def test_expression(name: str) -> None:
    check(EXPRESSIONS[name], POSITIVE)


@pytest.mark.parametrize("name", ["sums", "products", "matmul", "norms", "elements", "extremes", "order", "spread"])
def test_signed(name: str) -> None:
    check(EXPRESSIONS[name], SIGNED) if name != "elements" else check(lambda x: x[0, 0] * x[1, 1] - x[2, 2], SIGNED)


def test_linear_systems() -> None:
    check(lambda x: (np.linalg.solve(x, x[0]), np.linalg.inv(x), np.linalg.det(x), np.linalg.solve(x, OTHER.T)), SQUARE)
    check(lambda x: np.linalg.matrix_power(x, 3), SQUARE)
    check(lambda x: (np.linalg.cholesky(x @ x.T), np.linalg.eigvalsh(x @ x.T)), SQUARE, 1e-5)


def test_large_products_are_steps() -> None:
    large = np.random.default_rng(5).normal(size=(40, 30))
    check(lambda x: (x[:3, :2].sum(), (x @ large.T @ large @ x.T).sum()), large[:4, :30].copy(), 1e-5)
