"""PageRank by visits of links: a page passes its rank on as its readers do [Kumar, Duhan, Sharma 2011].

    python visits_of_links_pagerank.py data/visits.txt
"""
import argparse

from graphs import incoming, print_largest, read_graph


def visits_of_links_pagerank(visits, ranks, damping=0.85, epsilon=1e-9, max_iterations=100):
    """The ranks of pages, from first ranks; visits[v][u] counts how often the link from v to u was followed.

    rank(u) = (1 - d) + d * sum over v of rank(v) * visits(v, u) / visits of all links on v
    """
    sources = incoming(visits)
    all_visits = {page: sum(links.values()) for page, links in visits.items()}
    for _ in range(max_iterations):
        old_ranks = ranks
        ranks = {}
        for page in visits:
            rank_sum = 0.0
            for source in sources[page]:
                if all_visits[source] > 0:
                    rank_sum += old_ranks[source] * visits[source][page] / all_visits[source]
            ranks[page] = (1 - damping) + damping * rank_sum

        delta = 0.0
        for page in visits:
            delta += abs(ranks[page] - old_ranks[page])
        if delta < epsilon:
            return ranks
    return ranks


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", help="links, one per line: page page visits")
    parser.add_argument("--damping", type=float, default=0.85)
    parser.add_argument("--epsilon", type=float, default=1e-9)
    parser.add_argument("--iterations", type=int, default=100)
    options = parser.parse_args()

    visits = read_graph(options.file)
    first_ranks = dict.fromkeys(visits, 1.0)
    ranks = visits_of_links_pagerank(visits, first_ranks, options.damping, options.epsilon, options.iterations)
    print_largest(ranks)
