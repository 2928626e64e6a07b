"""Sparse matrices with traced entries, and networkx' PageRank over them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from array_checks import check

from mlvet.runtime.provenance.arrays import install, uninstall

networkx = pytest.importorskip("networkx")
sp = pytest.importorskip("scipy.sparse")
ROWS, COLUMNS = np.array([0, 0, 1, 2, 2, 3]), np.array([1, 2, 3, 0, 3, 1])
TWICE_ROWS, TWICE_COLUMNS = np.append(ROWS, [0, 3]), np.append(COLUMNS, [1, 1])
INPUTS = np.random.default_rng(0).uniform(0.5, 2, 10)


@pytest.fixture(autouse=True)
def replaced() -> Iterator[None]:
    install()
    yield
    uninstall()


def square(x: Any, kind: Any = sp.csr_array) -> Any:
    return kind((x[:6], (ROWS, COLUMNS)), shape=(4, 4))


def listed(x: Any) -> Any:
    rows = square(x).tolil()
    rows[1, 2] = x[7] * 2
    rows[-1, 0] = x[8]
    rows[2, [0, 1]] = x[6:8]
    rows[0, :2] = x[9]
    single = rows[1, 2] * x[0]
    return rows.tocsr().data, rows @ x[6:], rows.toarray(), rows[2].toarray(), (rows * 2.0).tocsr().sum(), single


def changed(x: Any) -> Any:
    rows = square(x)
    rows[0, 1] = x[7]
    rows[2, [0, 3]] = x[8:]
    keyed = sp.dok_array((2, 2))
    keyed[0, 1] = x[0]
    keyed[1, 0] += x[1]
    return rows.data, rows[0, 1], keyed.tocsr().data


CASES = {
    "lists of rows": listed,
    "stored into": changed,
    "vectors": lambda x: (square(x) @ x[6:], x[6:] @ square(x), square(x).T @ x[6:], square(x).dot(x[6:])),
    "columns": lambda x: (square(x) @ np.stack([x[6:], x[:4]], axis=1), square(x, sp.csc_array) @ x[6:]),
    "products": lambda x: ((square(x) @ square(x)).toarray(), (square(x) @ square(x).T).data),
    "scaled": lambda x: (
        (sp.diags(x[6:]).tocsr() @ square(x)).toarray(),
        (square(x) * 2.0).data,
        (2.0 * square(x)).data,
    ),
    "diagonal": lambda x: (sp.dia_array((x[6:], 0), shape=(4, 4)).tocsr() @ square(x)).data,
    "sums": lambda x: (square(x).sum(axis=1), square(x).sum(axis=0), square(x).sum(), square(x).mean(axis=0)),
    "elements": lambda x: (
        square(x).multiply(square(x)).toarray(),
        (square(x) + square(x).T).toarray(),
        square(x).power(2).data,
    ),
    "rows scaled": lambda x: (square(x).multiply(x[6:]).toarray(), square(x).multiply(x[6:][:, None]).toarray()),
    "parts": lambda x: (
        square(x)[1:3].toarray(),
        square(x)[:, [1, 3]].toarray(),
        square(x)[0, 1],
        square(x).diagonal(),
    ),
    "formats": lambda x: (
        square(x).tocsc().data,
        square(x).tocoo().data,
        square(x, sp.coo_array).toarray(),
        square(x).todense(),
    ),
    "duplicates": lambda x: sp.coo_array((x[:8], (TWICE_ROWS, TWICE_COLUMNS)), shape=(4, 4)).tocsr() @ x[:4],
    "matrices": lambda x: (
        square(x, sp.csr_matrix) * x[6:],
        square(x, sp.csr_matrix).dot(x[6:]),
        square(x, sp.csc_matrix).toarray(),
    ),
    "of dense": lambda x: (sp.csr_array(np.diag(x[:4])) @ x[6:], sp.csc_array(np.diag(x[:4])).data),
    "joined": lambda x: (sp.vstack([square(x), square(x)]).toarray(), sp.hstack([square(x), square(x)]).toarray()),
    "extremes": lambda x: (square(x).max(axis=0).toarray(), square(x).max()),
    "sums of matrices": lambda x: (
        np.asarray(square(x, sp.csr_matrix).sum(axis=1)).ravel(),
        square(x, sp.csr_matrix).sum(axis=0).A1,
    ),
    "solved": lambda x: __import__("scipy.sparse.linalg").sparse.linalg.spsolve(
        square(x, sp.csc_array) + sp.eye_array(4) * 9, x[6:]
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_sparse(name: str) -> None:
    check(CASES[name], INPUTS)


def test_large_products_are_steps() -> None:
    generator = np.random.default_rng(1)
    rows, columns = generator.integers(0, 300, (2, 40_000))
    data = generator.normal(size=40_000)

    def product(x: Any) -> Any:
        weights = np.array(data)
        weights[:20] = x
        matrix = sp.csr_array((weights, (rows, columns)), shape=(300, 300))
        vector = np.ones(300)
        vector[:5] = x[:5]
        return (matrix @ (matrix @ vector))[:50]

    check(product, generator.normal(size=20), 1e-5)


def test_pagerank_of_networkx() -> None:
    graph = networkx.gnm_random_graph(12, 40, seed=1, directed=True)
    edges = list(graph.edges)

    def ranks(x: Any) -> Any:
        for edge, weight in zip(edges, x, strict=False):
            graph.edges[edge]["weight"] = weight
        personal = {node: x[40 + node] for node in graph}
        return list(networkx.pagerank(graph, personalization=personal, tol=1e-13, max_iter=500).values())

    check(ranks, np.random.default_rng(0).uniform(0.5, 2, 52), 1e-5)
