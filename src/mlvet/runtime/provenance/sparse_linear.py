"""Linear systems of sparse matrices: SciPy solves them, and their transposes pull derivatives back."""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType
from typing import Any

from mlvet.runtime.provenance.array_values import as_traced, split, with_places
from mlvet.runtime.provenance.plain_numpy import np
from mlvet.runtime.provenance.tape import TAPE

_replaced: list[tuple[Any, str, Any]] = []


def _is_sparse(value: Any) -> bool:
    return hasattr(value, "tocoo")


def _solved(matrix: Any, right: Any, real: Callable[[Any], Any], turned: Callable[[Any], Any]) -> Any:
    """The solution that `real` gives, by one step; `turned` solves the transposed system for columns of slopes.

    For `matrix @ x = right` and slopes g by x, the slopes by the right side are h with `matrix.T @ h = g`, and by an
    entry in row i and column j of the matrix -h[i] x[j].
    """
    entries = matrix.tocoo()
    data_places = split(entries.data)[1]
    right_entries = right.tocoo() if _is_sparse(right) else None
    values, right_places = split(right if right_entries is None else right_entries.data)
    solution = real(values if right_entries is None else _plain_matrix(right))
    if data_places is None and right_places is None:
        return solution
    found = solution.tocoo() if _is_sparse(solution) else None
    height = matrix.shape[0]
    dense = np.asarray(solution if found is None else found.toarray(), np.float64).reshape(height, -1)

    def pullback(slopes: Any) -> list[Any]:
        given = np.zeros(dense.shape)
        if found is None:
            given[...] = np.reshape(slopes, dense.shape)
        else:
            given[found.row, found.col] = slopes
        by_right = np.reshape(turned(given), dense.shape)
        pulled = []
        if data_places is not None:
            pulled.append(-(by_right[entries.row] * dense[entries.col]).sum(axis=1))
        if right_places is not None:
            pulled.append(
                by_right.reshape(-1) if right_entries is None else by_right[right_entries.row, right_entries.col]
            )
        return pulled

    parents = [np.array(each).reshape(-1) for each in (data_places, right_places) if each is not None]
    count = dense.size if found is None else len(found.data)
    first = TAPE.step(count, parents, pullback, "spsolve")
    if found is None:
        return with_places(solution, np.arange(first, first + count).reshape(np.shape(solution)))
    found.data = with_places(found.data, np.arange(first, first + count))
    return found.asformat(solution.format)


def _spsolve(real: Any) -> Any:
    def spsolve(A: Any, b: Any, *arguments: Any, **options: Any) -> Any:  # noqa: N803
        matrix = _plain_matrix(A)

        def turned(slopes: Any) -> Any:
            return real(matrix.T.tocsc(), slopes)

        return _solved(A, b, lambda right: real(matrix, right, *arguments, **options), turned)

    return spsolve


class Factors:
    """The factors of a traced matrix: they solve as SciPy's do, and keep the chain."""

    def __init__(self, real: Any, matrix: Any) -> None:
        self._real = real
        self._matrix = matrix

    def solve(self, rhs: Any, trans: str = "N") -> Any:
        matrix = self._matrix if trans == "N" else self._matrix.T
        other = "T" if trans == "N" else "N"
        return _solved(matrix, rhs, lambda right: self._real.solve(right, trans), lambda g: self._real.solve(g, other))

    def __getattr__(self, name: str) -> Any:
        return getattr(self._real, name)


def _factored(real: Any) -> Any:
    def splu(A: Any, *arguments: Any, **options: Any) -> Any:  # noqa: N803
        return Factors(real(_plain_matrix(A), *arguments, **options), A) if _is_sparse(A) else real(A)

    return splu


def _factorized(splu: Any) -> Any:
    def factorized(A: Any) -> Any:  # noqa: N803
        return splu(A.tocsc()).solve

    return factorized


def _plain_matrix(matrix: Any) -> Any:
    """The same matrix with plain data."""
    plain = matrix.copy()
    plain.data = as_traced(plain.data).plain
    return plain


def install(module: ModuleType) -> None:
    found: Any = module
    splu = _factored(found.splu)
    made = {"spsolve": _spsolve(found.spsolve), "splu": splu, "factorized": _factorized(splu)}
    for name, function in made.items():
        _replaced.append((module, name, getattr(found, name)))
        setattr(module, name, function)


def uninstall() -> None:
    while _replaced:
        setattr(*_replaced.pop())
