"""Inputs named by the statement that stores them, however deep in a container."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.provenance.asked_programs import explanations

PROGRAM = """import numpy as np


class Net:
    def __init__(self):
        self.out = {}

    def read(self, rows):
        for a, b, w in rows:
            self.out.setdefault(a, {})[b] = float(w)


def read(rows):
    graph, edges, near, table = {"a": {}, "b": {}}, [], {}, np.zeros((2, 2))
    for a, b, w in rows:
        graph[str(a)][b] = float(w)
        edges.append((a, b, float(w)))
        near.setdefault(a, []).append(float(w))
        table[len(near) - 1, 1:] = float(w)
    return graph, edges, near, table


ROWS = [("a", "b", "1.5"), ("b", "a", "2.5"), ("b", "c", "0.5")]
graph, edges, near, table = read(ROWS)
net = Net()
net.read(ROWS)
result = (
    graph["b"]["c"] ** 2 + 3 * graph["a"]["b"] + edges[1][2] ** 2 + near["b"][1] ** 2
    + table[0, 1] * 7 + net.out["b"]["a"] ** 2
)
"""


@pytest.mark.parametrize(
    ("spec", "found"),
    [
        ("graph@read:16", {'graph["a"]["b"]': 3.0, 'graph["b"]["c"]': 1.0}),
        ("edges@read:17", {"edges[1][2]": 5.0}),
        ("near@read:18", {'near["b"][1]': 1.0}),
        ("table@read:19", {"table[0, 1:]": 7.0}),
        ("self.out@Net.read:10", {'self.out["b"]["a"]': 5.0}),
    ],
)
def test_stored_elements_are_inputs_by_their_keys(spec: str, found: dict[str, float], tmp_path: Path) -> None:
    (told,) = explanations(tmp_path, PROGRAM, ["result"], [spec])
    assert {each["input"]: each["derivative"] for each in told["influences"]} == found
