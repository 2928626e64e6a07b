"""Graphs as dictionaries: graph[source][target] is the weight of the edge from source to target."""
import sys

from files import open_text


def read_graph(path, max_edges=None):
    """The graph of a file with an edge per line: source, target and perhaps a weight, which is 1 otherwise.

    A line that starts with # or names less than two nodes is no edge. Every node is a key of the graph, also one
    without outgoing edges.
    """
    graph = {}
    edges = 0
    with open_text(path) as lines:
        for line in lines:
            fields = line.split()
            if len(fields) < 2 or fields[0].startswith("#"):
                continue
            if edges == max_edges:
                break
            source, target = sys.intern(fields[0]), sys.intern(fields[1])
            graph.setdefault(source, {})[target] = float(fields[2]) if len(fields) > 2 else 1.0
            graph.setdefault(target, {})
            edges += 1
    return graph


def incoming(graph):
    """For each node the list of nodes that have an edge to it."""
    sources = {node: [] for node in graph}
    for source, targets in graph.items():
        for target in targets:
            sources[target].append(source)
    return sources


def print_largest(values, count=10):
    """Prints the nodes with the largest values, largest first."""
    for node in sorted(values, key=values.get, reverse=True)[:count]:
        print(f"{values[node]:12.8f}  {node}")
