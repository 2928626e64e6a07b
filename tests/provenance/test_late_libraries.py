"""Libraries that a program imports while it runs are traced like those that it imports first."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

PROGRAMS = {
    "scipy.sparse": """
        import numpy as np
        def product(weights):
            from scipy.sparse import csr_matrix
            matrix = csr_matrix((weights, ([0, 1, 2], [1, 2, 0])), shape=(3, 3))
            ranks = np.ones(3)
            for _ in range(3):
                ranks = matrix @ ranks
            return float(ranks.sum())
        weights = np.array([0.5, 2.0, 3.0])
        out = product(weights)
        """,
    "networkx": """
        def product(weights):
            import networkx
            graph = networkx.DiGraph()
            for number, weight in enumerate(weights):
                graph.add_edge(number, (number + 1) % 3, weight=weight)
            matrix = networkx.to_scipy_sparse_array(graph, weight="weight", dtype=float)
            return float((matrix @ (matrix @ (matrix @ [1.0, 1.0, 1.0]))).sum())
        weights = [0.5, 2.0, 3.0]
        out = product(weights)
        """,
}


@pytest.mark.parametrize("library", PROGRAMS)
def test_a_product_of_matrices(library: str, tmp_path: Path) -> None:
    lines = PROGRAMS[library].splitlines()
    (tmp_path / "program.py").write_text("\n".join(each[8:] for each in lines) + "\n")
    line = next(number for number, each in enumerate(lines, 1) if each.strip().startswith("weights ="))
    start = [sys.executable, "-m", "mlvet"]
    subprocess.run([*start, "trace", "--quiet", "--output", "log", "program.py"], cwd=tmp_path, check=True)
    question = ["why", "log", "--of", "out", "--inputs", f"weights@<module>:{line}", "--output-format", "json"]
    done = subprocess.run([*start, *question, "--exit-zero"], cwd=tmp_path, capture_output=True, text=True, check=True)
    found = {each["input"]: each["derivative"] for each in json.loads(done.stdout)["influences"]}
    assert found == pytest.approx({"weights[0]": 18.0, "weights[1]": 4.5, "weights[2]": 3.0})
