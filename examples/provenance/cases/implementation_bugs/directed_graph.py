"""PageRank for undirected graphs, on a graph that is directed."""
from pathlib import Path


def read_neighbours(path):
    """neighbours[a] are the accounts at the other ends of the edges of a."""
    neighbours = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        one, other = line.split()
        neighbours.setdefault(one, []).append(other)
        # BUG: the edge is not entered for its other end, so that the graph is directed
        neighbours.setdefault(other, [])
    return neighbours


def pagerank(neighbours, base, ranks, damping=0.85, epsilon=1e-9, max_iterations=100):
    """The ranks of an undirected graph: if b is among the neighbours of a, then a is among those of b."""
    for _ in range(max_iterations):
        old_ranks = ranks
        ranks = {}
        for account in neighbours:
            rank_sum = 0.0
            for neighbour in neighbours[account]:
                rank_sum += old_ranks[neighbour] / max(1, len(neighbours[neighbour]))
            ranks[account] = base[account] + damping * rank_sum
        if sum(abs(ranks[account] - old_ranks[account]) for account in neighbours) < epsilon:
            break
    return ranks


if __name__ == "__main__":
    neighbours = read_neighbours(Path(__file__).with_name("follows.txt"))
    base = {account: 0.15 / len(neighbours) for account in neighbours}
    first_ranks = {account: 1 / len(neighbours) for account in neighbours}
    ranks = pagerank(neighbours, base, first_ranks)
    for account in ranks:
        print(f"{account:8}{ranks[account]:.6f}")
