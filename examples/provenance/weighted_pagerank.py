"""PageRank of a graph with weights: a node divides its rank among its edges by their weights.

    python weighted_pagerank.py data/followers.txt
"""
import argparse

from graphs import incoming, print_largest, read_graph


def weighted_pagerank(graph, ranks, damping=0.85, epsilon=1e-9, max_iterations=100):
    """The ranks of nodes, from first ranks.

    rank(u) = (1 - d) / |V| + d * sum over v of rank(v) * weight(v, u) / outgoing weight(v)
    """
    sources = incoming(graph)
    outgoing = {node: sum(targets.values()) for node, targets in graph.items()}
    base = (1 - damping) / len(graph)
    for _ in range(max_iterations):
        old_ranks = ranks
        ranks = {}
        for node in graph:
            rank_sum = 0.0
            for source in sources[node]:
                if outgoing[source] > 0:
                    rank_sum += old_ranks[source] * graph[source][node] / outgoing[source]
            ranks[node] = base + damping * rank_sum

        delta = 0.0
        for node in graph:
            delta += abs(ranks[node] - old_ranks[node])
        if delta < epsilon:
            return ranks
    return ranks


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", help="edges, one per line: source target weight")
    parser.add_argument("--damping", type=float, default=0.85)
    parser.add_argument("--epsilon", type=float, default=1e-9)
    parser.add_argument("--iterations", type=int, default=100)
    options = parser.parse_args()

    graph = read_graph(options.file)
    first_ranks = {node: 1.0 / len(graph) for node in graph}
    ranks = weighted_pagerank(graph, first_ranks, options.damping, options.epsilon, options.iterations)
    print_largest(ranks)
