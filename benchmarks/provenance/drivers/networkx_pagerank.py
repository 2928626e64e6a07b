"""networkx: PageRank by its scipy path and by its plain Python one, HITS in plain Python."""

import json
import sys
from pathlib import Path

import networkx as nx
from networkx.algorithms.link_analysis.hits_alg import _hits_python
from networkx.algorithms.link_analysis.pagerank_alg import _pagerank_python

data = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
wishes = data["wishes"]
weights = {(source, target): weight for source, target, weight in data["edges"]}
graph = nx.DiGraph()
for (source, target), weight in weights.items():
    graph.add_edge(source, target, weight=weight)
ranks = nx.pagerank(graph, personalization=wishes, tol=1e-16, max_iter=1000)
plain = _pagerank_python(graph, personalization=wishes, tol=1e-16, max_iter=1000)
hubs, authorities = _hits_python(graph, tol=1e-15, max_iter=2000)
for name in ranks:
    print(name, repr(ranks[name]), repr(plain[name]), repr(hubs[name]), repr(authorities[name]))
