"""Personalized PageRank: the surfer who gets bored returns to pages of his own choice [Haveliwala 2002].

    python personalized_pagerank.py data/followers.txt --prefer ada
"""
import argparse

from graphs import incoming, print_largest, read_graph


def personalized_pagerank(graph, teleport, ranks, damping=0.85, epsilon=1e-9, max_iterations=100):
    """The ranks of nodes, from first ranks; teleport[u] is the probability to return to u.

    rank(u) = ((1 - d) + d * rank of nodes without edges) * teleport(u)
              + d * sum over v of rank(v) * weight(v, u) / outgoing weight(v)
    """
    sources = incoming(graph)
    outgoing = {node: sum(targets.values()) for node, targets in graph.items()}
    dead_ends = [node for node, targets in graph.items() if not targets]
    for _ in range(max_iterations):
        old_ranks = ranks
        ranks = {}
        returning = 1 - damping
        for node in dead_ends:
            returning += damping * old_ranks[node]
        for node in graph:
            rank_sum = 0.0
            for source in sources[node]:
                rank_sum += old_ranks[source] * graph[source][node] / outgoing[source]
            ranks[node] = returning * teleport[node] + damping * rank_sum

        delta = 0.0
        for node in graph:
            delta += abs(ranks[node] - old_ranks[node])
        if delta < epsilon:
            return ranks
    return ranks


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", help="edges, one per line: source target, and perhaps a weight")
    parser.add_argument("--prefer", nargs="+", metavar="NODE", help="nodes to return to; the file's first otherwise")
    parser.add_argument("--damping", type=float, default=0.85)
    parser.add_argument("--epsilon", type=float, default=1e-9)
    parser.add_argument("--iterations", type=int, default=100)
    options = parser.parse_args()

    graph = read_graph(options.file)
    preferred = options.prefer or [next(iter(graph))]
    teleport = dict.fromkeys(graph, 0.0)
    for node in preferred:
        teleport[node] = 1.0 / len(preferred)
    first_ranks = {node: 1.0 / len(graph) for node in graph}
    ranks = personalized_pagerank(graph, teleport, first_ranks, options.damping, options.epsilon, options.iterations)
    print_largest(ranks)
