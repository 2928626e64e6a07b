"""PageRank: a page is important if important pages link to it [Brin, Page 1998].

    python pagerank.py data/followers.txt
"""
import argparse

from graphs import incoming, print_largest, read_graph


def pagerank(share, ranks, damping=0.85, epsilon=1e-9, max_iterations=100):
    """The ranks of nodes, from first ranks; share[v][u] is the part of its rank that v gives to u.

    rank(u) = (1 - d) / |V| + d * sum over v of rank(v) * share(v, u)
    """
    sources = incoming(share)
    base = (1 - damping) / len(share)
    for _ in range(max_iterations):
        old_ranks = ranks
        ranks = {}
        for node in share:
            rank_sum = 0.0
            for source in sources[node]:
                rank_sum += old_ranks[source] * share[source][node]
            ranks[node] = base + damping * rank_sum

        delta = 0.0
        for node in share:
            delta += abs(ranks[node] - old_ranks[node])
        if delta < epsilon:
            return ranks
    return ranks


def equal_shares(graph):
    """What each node gives along each of its edges, when it treats them alike."""
    return {node: {target: 1.0 / len(targets) for target in targets} for node, targets in graph.items()}


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", help="edges, one per line: source target")
    parser.add_argument("--damping", type=float, default=0.85)
    parser.add_argument("--epsilon", type=float, default=1e-9)
    parser.add_argument("--iterations", type=int, default=100)
    options = parser.parse_args()

    graph = read_graph(options.file)
    share = equal_shares(graph)
    first_ranks = {node: 1.0 / len(graph) for node in graph}
    ranks = pagerank(share, first_ranks, options.damping, options.epsilon, options.iterations)
    print_largest(ranks)
