"""asajadi/fast-pagerank: power method and sparse solver over one scipy matrix.

The tolerance is below zero: values stand still after 72 iterations, their derivatives do not yet.
"""

import json
import sys
from pathlib import Path

import numpy as np
from fast_pagerank import pagerank, pagerank_power
from scipy import sparse

data = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
names = list(data["wishes"])
weights = np.array([weight for _, _, weight in data["edges"]])
wishes = np.array([data["wishes"][name] for name in names])
rows = [names.index(source) for source, _, _ in data["edges"]]
columns = [names.index(target) for _, target, _ in data["edges"]]
graph = sparse.csr_matrix((weights, (rows, columns)), shape=(len(names), len(names)))
ranks = pagerank_power(graph, p=0.85, personalize=wishes, tol=-1.0, max_iter=200)
solved = pagerank(graph, p=0.85, personalize=wishes)
for name, rank, exact in zip(names, ranks, solved, strict=True):
    print(name, repr(float(rank)), repr(float(exact)))
