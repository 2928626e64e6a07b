"""PageRank in which an account adds what its followers give."""
from pathlib import Path


def read_follows(path):
    """follows[a] are the accounts that a follows."""
    follows = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        follower, followed = line.split()
        follows.setdefault(follower, []).append(followed)
        follows.setdefault(followed, [])
    return follows


def pagerank(follows, base, ranks, damping=0.85, epsilon=1e-9, max_iterations=100):
    """The ranks of accounts, from first ranks; base[a] is the rank that a has without followers."""
    followers = {account: [] for account in follows}
    for follower, all_followed in follows.items():
        for followed in all_followed:
            followers[followed].append(follower)
    for _ in range(max_iterations):
        old_ranks = ranks
        ranks = {}
        for account in follows:
            rank_sum = 0.0
            for source in followers[account]:
                rank_sum += old_ranks[source] / len(follows[source])
            ranks[account] = base[account] + damping * rank_sum
        if sum(abs(ranks[account] - old_ranks[account]) for account in follows) < epsilon:
            break
    return ranks


if __name__ == "__main__":
    follows = read_follows(Path(__file__).with_name("follows.txt"))
    base = {account: 0.15 / len(follows) for account in follows}
    first_ranks = {account: 1 / len(follows) for account in follows}
    ranks = pagerank(follows, base, first_ranks)
    for account in ranks:
        print(f"{account:8}{ranks[account]:.6f}")
