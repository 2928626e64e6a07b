"""PageRank with arrays: the ranks are a vector and the edges a sparse matrix.

    python pagerank_arrays.py data/followers.txt
"""
import argparse

import numpy as np
from graphs import print_largest, read_graph
from scipy import sparse


def pagerank(weights, sources, targets, ranks, damping=0.85, epsilon=1e-9, max_iterations=100):
    """The ranks of nodes, from first ranks; edge i leads from sources[i] to targets[i] with weights[i].

    rank = (1 - d) / |V| + d * M rank, where M[u, v] = weight(v, u) / outgoing weight(v)
    """
    nodes = len(ranks)
    outgoing = np.bincount(sources, weights, nodes)
    matrix = sparse.csr_array((weights / outgoing[sources], (targets, sources)), shape=(nodes, nodes))
    base = (1 - damping) / nodes
    for _ in range(max_iterations):
        old_ranks = ranks
        ranks = base + damping * (matrix @ old_ranks)
        if np.abs(ranks - old_ranks).sum() < epsilon:
            return ranks
    return ranks


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", help="edges, one per line: source target, and perhaps a weight")
    parser.add_argument("--damping", type=float, default=0.85)
    parser.add_argument("--epsilon", type=float, default=1e-9)
    parser.add_argument("--iterations", type=int, default=100)
    options = parser.parse_args()

    graph = read_graph(options.file)
    number = {node: index for index, node in enumerate(graph)}
    edges = [(number[v], number[u], weight) for v, targets in graph.items() for u, weight in targets.items()]
    sources = np.array([edge[0] for edge in edges])
    targets = np.array([edge[1] for edge in edges])
    weights = np.array([edge[2] for edge in edges])
    first_ranks = np.full(len(graph), 1.0 / len(graph))
    ranks = pagerank(weights, sources, targets, first_ranks, options.damping, options.epsilon, options.iterations)
    print_largest(dict(zip(graph, ranks.tolist())))
