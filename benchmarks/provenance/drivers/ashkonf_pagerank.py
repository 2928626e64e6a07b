"""ashkonf/PageRank: the power iteration over pandas, on a graph of dictionaries."""

import json
import sys
from pathlib import Path

import pagerank

edges = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))["edges"]
targets = dict.fromkeys(target for _, target, _ in edges)
weights = {name: {source: weight for source, target, weight in edges if target == name} for name in targets}
ranks = pagerank.power_iteration(weights, rsp=0.15, epsilon=0.0, max_iterations=100)
for name in sorted(ranks.index):
    print(name, repr(float(ranks[name])))
