"""hhchen1105/networkx_addon: SimRank over dictionaries, ASCOS over an array."""

import networkx as nx
from similarity import ascos, simrank

decay = 0.9
graph = nx.Graph([(0, 7), (0, 1), (0, 2), (0, 3), (1, 4), (2, 4), (3, 4), (4, 5), (4, 6)])
similar = simrank(graph, decay, max_iter=20)
names, close = ascos(graph, decay, max_iter=20)
for one in graph:
    print(one, [repr(float(similar[one][other])) for other in sorted(graph)])
    print(one, [repr(float(number)) for number in close[one]])
