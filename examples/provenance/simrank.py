"""SimRank: two nodes are alike if nodes that point at them are alike [Jeh, Widom 2002].

    python simrank.py data/followers.txt --of ada
"""
import argparse

from graphs import incoming, print_largest, read_graph


def simrank(graph, similarity, decay=0.8, epsilon=1e-6, max_iterations=50):
    """How alike each two nodes are, from a first similarity; sources of a node count by the weights of their edges.

    similarity(a, b) = c * sum over sources i of a and j of b of share(i, a) * share(j, b) * similarity(i, j)
    similarity(a, a) = 1
    """
    sources = incoming(graph)
    share = {}
    for node in graph:
        total = sum(graph[source][node] for source in sources[node])
        share[node] = {source: graph[source][node] / total for source in sources[node]}

    for _ in range(max_iterations):
        old = similarity
        halfway = {}
        for a in graph:
            halfway[a] = {j: sum(part * old[i][j] for i, part in share[a].items()) for j in graph}
        similarity = {}
        for a in graph:
            similarity[a] = {b: decay * sum(part * halfway[a][j] for j, part in share[b].items()) for b in graph}
            similarity[a][a] = 1.0

        delta = 0.0
        for a in graph:
            for b in graph:
                delta = max(delta, abs(similarity[a][b] - old[a][b]))
        if delta < epsilon:
            return similarity
    return similarity


def identity(nodes):
    """The first similarity: each node is like itself and like no other."""
    return {a: {b: 1.0 if a == b else 0.0 for b in nodes} for a in nodes}


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", help="edges, one per line: source target, and perhaps a weight")
    parser.add_argument("--of", metavar="NODE", help="print what is most like this node; the file's first otherwise")
    parser.add_argument("--edges", type=int, help="read only so many edges: time grows with the square of nodes")
    parser.add_argument("--decay", type=float, default=0.8)
    parser.add_argument("--epsilon", type=float, default=1e-6)
    parser.add_argument("--iterations", type=int, default=50)
    options = parser.parse_args()

    graph = read_graph(options.file, options.edges)
    similarity = simrank(graph, identity(graph), options.decay, options.epsilon, options.iterations)
    print_largest(similarity[options.of or next(iter(graph))])
