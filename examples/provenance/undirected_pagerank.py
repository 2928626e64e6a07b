"""PageRank of an undirected graph: each edge carries rank both ways.

    python undirected_pagerank.py data/friends.txt
"""
import argparse

from graphs import print_largest, read_graph


def undirected_pagerank(edges, ranks, damping=0.85, epsilon=1e-9, max_iterations=100):
    """The ranks of nodes, from first ranks; edges[u, v] is the weight of the edge between u and v.

    rank(u) = (1 - d) / |V| + d * sum over neighbours v of rank(v) * weight(u, v) / weight of all edges at v
    """
    neighbours = {node: [] for node in ranks}
    degree = dict.fromkeys(ranks, 0.0)
    for edge, weight in edges.items():
        one, other = edge
        neighbours[one].append((other, edge))
        neighbours[other].append((one, edge))
        degree[one] += weight
        degree[other] += weight

    base = (1 - damping) / len(ranks)
    for _ in range(max_iterations):
        old_ranks = ranks
        ranks = {}
        for node in old_ranks:
            rank_sum = 0.0
            for neighbour, edge in neighbours[node]:
                rank_sum += old_ranks[neighbour] * edges[edge] / degree[neighbour]
            ranks[node] = base + damping * rank_sum

        delta = 0.0
        for node in ranks:
            delta += abs(ranks[node] - old_ranks[node])
        if delta < epsilon:
            return ranks
    return ranks


def undirected(graph):
    """The edges of a graph without their directions; an edge that is listed both ways is one edge."""
    edges = {}
    for source, targets in graph.items():
        for target, weight in targets.items():
            if source != target:
                edges[min(source, target), max(source, target)] = weight
    return edges


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", help="edges, one per line: node node, and perhaps a weight")
    parser.add_argument("--damping", type=float, default=0.85)
    parser.add_argument("--epsilon", type=float, default=1e-9)
    parser.add_argument("--iterations", type=int, default=100)
    options = parser.parse_args()

    graph = read_graph(options.file)
    edges = undirected(graph)
    first_ranks = {node: 1.0 / len(graph) for node in graph}
    ranks = undirected_pagerank(edges, first_ranks, options.damping, options.epsilon, options.iterations)
    print_largest(ranks)
