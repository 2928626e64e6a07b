"""ASCOS: a node is like another as far as those who point at it are; not the same both ways [Chen, Giles 2013].

    python ascos.py data/followers.txt --of ada
"""
import argparse

from graphs import incoming, print_largest, read_graph


def ascos(graph, similarity, decay=0.9, epsilon=1e-6, max_iterations=100):
    """How like each node is to each other, from a first similarity; sources count by the weights of their edges.

    similarity(a, b) = c * sum over sources i of a of weight(i, a) / incoming weight(a) * similarity(i, b)
    similarity(a, a) = 1
    """
    sources = incoming(graph)
    arriving = {node: sum(graph[source][node] for source in sources[node]) for node in graph}
    for _ in range(max_iterations):
        old = similarity
        similarity = {}
        for a in graph:
            similarity[a] = {}
            for b in graph:
                total = 0.0
                for source in sources[a]:
                    total += graph[source][a] / arriving[a] * old[source][b]
                similarity[a][b] = decay * total
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
    parser.add_argument("--of", metavar="NODE", help="print what this node is most like; the file's first otherwise")
    parser.add_argument("--edges", type=int, help="read only so many edges: time grows with the square of nodes")
    parser.add_argument("--decay", type=float, default=0.9)
    parser.add_argument("--epsilon", type=float, default=1e-6)
    parser.add_argument("--iterations", type=int, default=100)
    options = parser.parse_args()

    graph = read_graph(options.file, options.edges)
    similarity = ascos(graph, identity(graph), options.decay, options.epsilon, options.iterations)
    print_largest(similarity[options.of or next(iter(graph))])
