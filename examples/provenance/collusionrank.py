"""CollusionRank: who follows spammers, or those who follow spammers, is punished [Ghosh et al. 2012].

    python collusionrank.py data/followers.txt --spammers cheap_watches
"""
import argparse

from graphs import incoming, read_graph


def collusionrank(graph, blame, ranks, damping=0.85, epsilon=1e-9, max_iterations=100):
    """The ranks of nodes, from first ranks, all 0 or less; blame[u] is below 0 for known spammers.

    rank(u) = (1 - d) * blame(u) + d * sum over followed v of rank(v) * weight(u, v) / weight of all followers of v
    """
    followers = incoming(graph)
    audience = {node: sum(graph[follower][node] for follower in followers[node]) for node in graph}
    for _ in range(max_iterations):
        old_ranks = ranks
        ranks = {}
        for node, followed in graph.items():
            rank_sum = 0.0
            for other, weight in followed.items():
                rank_sum += old_ranks[other] * weight / audience[other]
            ranks[node] = (1 - damping) * blame[node] + damping * rank_sum

        delta = 0.0
        for node in graph:
            delta += abs(ranks[node] - old_ranks[node])
        if delta < epsilon:
            return ranks
    return ranks


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", help="edges, one per line: follower followed, and perhaps a weight")
    parser.add_argument("--spammers", nargs="+", metavar="NODE", help="known spammers; the file's first node otherwise")
    parser.add_argument("--damping", type=float, default=0.85)
    parser.add_argument("--epsilon", type=float, default=1e-9)
    parser.add_argument("--iterations", type=int, default=100)
    options = parser.parse_args()

    graph = read_graph(options.file)
    spammers = options.spammers or [next(iter(graph))]
    blame = dict.fromkeys(graph, 0.0)
    for node in spammers:
        blame[node] = -1.0 / len(spammers)
    ranks = collusionrank(graph, blame, dict(blame), options.damping, options.epsilon, options.iterations)
    for node in sorted(ranks, key=ranks.get)[:10]:
        print(f"{ranks[node]:12.8f}  {node}")
