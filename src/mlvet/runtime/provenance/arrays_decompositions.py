"""Decompositions of traced matrices: NumPy computes them, and their pullbacks are products of what it found.

Vectors that belong to equal values are free to turn; what does not hang on how they turn has the right derivatives.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from mlvet.runtime.provenance.array_values import as_traced, has_places, split, with_places
from mlvet.runtime.provenance.arrays_functions import composed, plain, rule
from mlvet.runtime.provenance.breaks import broken
from mlvet.runtime.provenance.plain_numpy import np
from mlvet.runtime.provenance.tape import TAPE
from mlvet.runtime.provenance.ufuncs import wide

Pull = Callable[..., Any]
"""The slopes by each part of a result, in its shape; gives the slopes by the matrix."""


def stepped(name: str, parts: Sequence[Any], matrix: Any, pull: Pull) -> list[Any]:
    """The parts of a decomposition with their places, by one step."""
    places = split(as_traced(matrix))[1]
    if places is None or any(np.asarray(each).dtype.kind == "c" for each in parts):
        if places is not None:
            broken(f"{name} with complex results")
        return [with_places(each, None) for each in parts]
    shapes = [np.shape(each) for each in parts]
    sizes = [int(np.prod(each, dtype=np.int64)) for each in shapes]
    cuts = np.cumsum(sizes)[:-1]

    def pullback(slopes: Any) -> list[Any]:
        given = [each.reshape(shape) for each, shape in zip(np.split(slopes, cuts), shapes, strict=True)]
        with np.errstate(all="ignore"):
            return [np.reshape(pull(*given), -1)]

    first = TAPE.step(sum(sizes), [np.array(places).reshape(-1)], pullback, name)
    own = np.split(np.arange(first, first + sum(sizes)), cuts)
    return [
        with_places(each, where_from.reshape(shape)) for each, where_from, shape in zip(parts, own, shapes, strict=True)
    ]


def _turned(matrix: Any) -> Any:
    return np.swapaxes(matrix, -1, -2)


def _over(numerator: Any, values: Any) -> Any:
    """Divided by the differences of values, column minus row; 0 where they are equal."""
    apart = values[..., None, :] - values[..., :, None]
    return np.where(apart == 0, 0.0, numerator / np.where(apart == 0, 1.0, apart))


def _diagonal(values: Any) -> Any:
    return values[..., None, :] * np.eye(np.shape(values)[-1])


def _of_lower(slopes: Any, uplo: str) -> Any:
    """Slopes by the half of a symmetric matrix that is read."""
    both = slopes + _turned(slopes)
    half = np.tril(both, -1) if uplo.upper() == "L" else np.triu(both, 1)
    return half + slopes * np.eye(slopes.shape[-1])


@rule(np.linalg.svd)
def _svd(a: Any, full_matrices: bool = True, compute_uv: bool = True, hermitian: bool = False) -> Any:
    values = plain(a)
    found: Any = np.linalg.svd(values, full_matrices, True, hermitian)
    result = found if compute_uv else np.linalg.svd(values, full_matrices, False, hermitian)
    rows, columns = np.shape(values)[-2:]
    few = min(rows, columns)
    u, s, v = wide(found[0])[..., :few], wide(found[1]), _turned(wide(found[2]))[..., :few]

    def by_values(slopes: Any) -> Any:
        return (u * slopes[..., None, :]) @ _turned(v)

    if not compute_uv:
        return stepped("numpy.linalg.svd", [result], a, by_values)[0]

    def pull(by_u: Any, by_s: Any, by_v: Any) -> Any:
        by_u, by_v = by_u[..., :few], _turned(by_v)[..., :few]
        in_u, in_v = _turned(u) @ by_u, _turned(v) @ by_v
        inner = _over(in_u - _turned(in_u), s * s) * s[..., None, :]
        inner = inner + s[..., :, None] * _over(in_v - _turned(in_v), s * s) + _diagonal(by_s)
        outside_u = (by_u - u @ in_u) / s[..., None, :] if rows > few else 0.0
        outside_v = (by_v - v @ in_v) / s[..., None, :] if columns > few else 0.0
        total = u @ inner @ _turned(v)
        total = total + outside_u @ _turned(v) if rows > few else total
        return total + u @ _turned(outside_v) if columns > few else total

    if full_matrices and rows != columns and has_places(a):
        broken("numpy.linalg.svd, of the vectors without a value: ask for full_matrices=False")
    return type(result)(*stepped("numpy.linalg.svd", list(result), a, pull))


@rule(np.linalg.svdvals)
def _svdvals(x: Any, /) -> Any:
    return _svd(x, compute_uv=False)


@rule(np.linalg.eigh)
def _eigh(a: Any, UPLO: Any = "L") -> Any:  # noqa: N803
    result = np.linalg.eigh(plain(a), UPLO)
    values, vectors = wide(result[0]), wide(result[1])

    def pull(by_values: Any, by_vectors: Any) -> Any:
        inner = _diagonal(by_values) + _over(_turned(vectors) @ by_vectors, values)
        return _of_lower(vectors @ inner @ _turned(vectors), UPLO)

    return type(result)(*stepped("numpy.linalg.eigh", list(result), a, pull))


def _by_eigenvalues(values: Any, vectors: Any) -> Pull:
    def pull(by_values: Any, by_vectors: Any) -> Any:
        along = _turned(vectors) @ by_vectors
        length = np.diagonal(along, axis1=-2, axis2=-1)
        inner = _diagonal(by_values) + _over(along - (_turned(vectors) @ vectors) * length[..., None, :], values)
        return np.linalg.solve(_turned(vectors), inner @ _turned(vectors))

    return pull


@rule(np.linalg.eig)
def _eig(a: Any) -> Any:
    result = np.linalg.eig(plain(a))
    pull = _by_eigenvalues(*(np.real(each) for each in result))
    return type(result)(*stepped("numpy.linalg.eig", list(result), a, pull))


@rule(np.linalg.eigvals)
def _eigvals(a: Any) -> Any:
    result = np.linalg.eigvals(plain(a))
    values, vectors = np.linalg.eig(plain(a))
    pull = _by_eigenvalues(np.real(values), np.real(vectors))
    return stepped("numpy.linalg.eigvals", [result], a, lambda slopes: pull(slopes, np.zeros_like(vectors.real)))[0]


@rule(np.linalg.qr)
def _qr(a: Any, mode: Any = "reduced") -> Any:
    result: Any = np.linalg.qr(plain(a), mode)
    rows, columns = np.shape(plain(a))[-2:]
    if mode not in ("reduced", "r") and not (mode == "complete" and rows <= columns):
        if has_places(a):
            broken(f"numpy.linalg.qr with mode={mode!r}")
        return result
    q, r = (wide(each) for each in np.linalg.qr(plain(a)))
    square = r[..., :, :rows] if rows < columns else r
    rest = wide(plain(a))[..., :, rows:]

    def pull(by_q: Any, by_r: Any) -> Any:
        if rows < columns:
            by_rest = by_r[..., :, rows:]
            by_q = by_q + rest @ _turned(by_rest)
            by_r = by_r[..., :, :rows]
        inner = square @ _turned(by_r) - _turned(by_q) @ q
        both = np.tril(inner) + _turned(np.tril(inner, -1))
        by_square = _turned(np.linalg.solve(square, _turned(by_q + q @ both)))
        return np.concatenate((by_square, q @ by_rest), axis=-1) if rows < columns else by_square

    if mode == "r":
        return stepped("numpy.linalg.qr", [result], a, lambda slopes: pull(np.zeros_like(q), slopes))[0]
    return type(result)(*stepped("numpy.linalg.qr", list(result), a, pull))


@rule(np.linalg.pinv)
def _pinv(a: Any, rcond: Any = None, hermitian: bool = False, **options: Any) -> Any:
    data = np.linalg.pinv(plain(a), plain(rcond), hermitian, **options)
    values, inverse = wide(plain(a)), wide(data)
    left = np.eye(values.shape[-2]) - values @ inverse
    right = np.eye(values.shape[-1]) - inverse @ values

    def pull(slopes: Any) -> Any:
        turned, slope = _turned(inverse), _turned(slopes)
        return -turned @ slopes @ turned + left @ slope @ inverse @ turned + turned @ inverse @ slope @ right

    return stepped("numpy.linalg.pinv", [data], a, pull)[0]


@rule(np.linalg.lstsq)
def _lstsq(a: Any, b: Any, rcond: Any = None) -> Any:
    solution, residuals, rank, singular = np.linalg.lstsq(plain(a), plain(b), plain(rcond))
    matrix, right = as_traced(a), as_traced(b)
    fitted = _pinv(matrix) @ right
    apart = matrix @ fitted - right
    left_over = (apart * apart).sum(axis=0).reshape(np.shape(residuals)) if np.size(residuals) else residuals
    values = _svd(matrix, compute_uv=False)
    return composed(solution, fitted), composed(residuals, left_over), rank, composed(singular, values)


@rule(np.linalg.slogdet)
def _slogdet(a: Any) -> Any:
    result = np.linalg.slogdet(plain(a))
    values = wide(plain(a))

    def pull(slopes: Any) -> Any:
        return slopes[..., None, None] * _turned(np.linalg.inv(values))

    (logarithm,) = stepped("numpy.linalg.slogdet", [result.logabsdet], a, pull)
    return type(result)(result.sign, logarithm)


@rule(np.linalg.cond)
def _cond(x: Any, p: Any = None) -> Any:
    data = np.linalg.cond(plain(x), p)
    if p in (None, 2, -2):
        values = _svd(x, compute_uv=False)
        large, small = values[..., 0], values[..., -1]
        return composed(data, small / large if p == -2 else large / small)
    from mlvet.runtime.provenance.arrays_linear import _inv, _norm

    return composed(data, _norm(x, p, axis=(-2, -1)) * _norm(_inv(x), p, axis=(-2, -1)))


def norm_by_values(data: Any, matrix: Any, order: Any, axis: Any) -> Any:
    """A norm of a matrix that is made of its singular values: 2, -2 or "nuc"."""
    values = as_traced(matrix)
    if axis is not None:
        values = np.moveaxis(values, axis, (-2, -1))
    singular = _svd(values, compute_uv=False)
    found = {2: lambda: singular[..., 0], -2: lambda: singular[..., -1], "nuc": lambda: singular.sum(axis=-1)}[order]()
    return composed(data, np.reshape(found, np.shape(data)))
