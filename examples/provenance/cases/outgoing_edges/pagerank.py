"""PageRank of a small directed network: a node gets rank from the nodes that link to it.

    python pagerank.py network.txt
"""
import sys


def read_links(path):
    """links[u] are the nodes that u links to."""
    links = {}
    with open(path, encoding="utf-8") as lines:
        for line in lines:
            source, target = line.split()
            links.setdefault(source, []).append(target)
            links.setdefault(target, [])
    return links


def pagerank(links, base, ranks, damping=0.85, epsilon=1e-9, max_iterations=100):
    """The ranks of nodes, from first ranks; base[u] is the rank that u has without links."""
    for _ in range(max_iterations):
        old_ranks = ranks
        ranks = {}
        for node in links:
            rank_sum = 0.0
            # BUG: these are the nodes that the node links to, not those that link to it
            for neighbour in links[node]:
                rank_sum += old_ranks[neighbour] / max(1, len(links[neighbour]))
            ranks[node] = base[node] + damping * rank_sum
        if sum(abs(ranks[node] - old_ranks[node]) for node in links) < epsilon:
            break
    return ranks


if __name__ == "__main__":
    links = read_links(sys.argv[1])
    base = {node: 0.15 / len(links) for node in links}
    first_ranks = {node: 1 / len(links) for node in links}
    ranks = pagerank(links, base, first_ranks)
    for node in sorted(ranks):
        print(node, f"{ranks[node]:.6f}")
