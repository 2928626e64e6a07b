"""Linear systems of sparse matrices: SciPy solves them, and their transposes pull derivatives back."""

from __future__ import annotations

from types import ModuleType
from typing import Any

from mlvet.runtime.provenance.array_values import as_traced, split, with_places
from mlvet.runtime.provenance.breaks import broken
from mlvet.runtime.provenance.plain_numpy import np
from mlvet.runtime.provenance.tape import TAPE

_replaced: list[tuple[Any, str, Any]] = []


def _spsolve(real: Any) -> Any:
    def spsolve(A: Any, b: Any, *arguments: Any, **options: Any) -> Any:  # noqa: N803
        entries = A.tocoo()
        data, data_places = split(entries.data)
        right, right_places = split(b)
        if data_places is None and right_places is None:
            return real(A, b, *arguments, **options)
        if np.ndim(right) != 1:
            broken("scipy.sparse.linalg.spsolve with several right sides")
            return real(_plain_matrix(A), right, *arguments, **options)
        matrix = _plain_matrix(A)
        solution = real(matrix, right, *arguments, **options)
        turned = matrix.T.tocsc()

        def pullback(slopes: Any) -> list[Any]:
            by_right = np.atleast_1d(real(turned, slopes))
            by_entries = -by_right[entries.row] * solution[entries.col]
            return [each for each, known in ((by_entries, data_places), (by_right, right_places)) if known is not None]

        parents = [np.array(each).reshape(-1) for each in (data_places, right_places) if each is not None]
        first = TAPE.step(len(solution), parents, pullback, "spsolve")
        del data
        return with_places(solution, np.arange(first, first + len(solution)))

    return spsolve


def _plain_matrix(matrix: Any) -> Any:
    """The same matrix with plain data."""
    plain = matrix.copy()
    plain.data = as_traced(plain.data).plain
    return plain


def install(module: ModuleType) -> None:
    found: Any = module
    _replaced.append((module, "spsolve", found.spsolve))
    found.spsolve = _spsolve(found.spsolve)


def uninstall() -> None:
    while _replaced:
        setattr(*_replaced.pop())
