"""Puts faults into a Bayesian network, one at a time, to see whether they are found again.

    python inject_faults.py data/lungs.bif --into faulty

Three kinds of faults, as somebody may make them who writes a network down:

probability   the probabilities of one row are turned round: what was likely is unlikely
edge          a variable takes one parent's states for each other: all rows along that edge are exchanged
structure     a variable depends on the wrong variable instead of on one of its parents
"""
import argparse
import random
from dataclasses import dataclass
from itertools import cycle, islice
from pathlib import Path

from bif import Network, read_network, write_network


@dataclass
class Fault:
    """A faulty network and the place of its fault: the table of a variable, and there a row or the edge from a parent.

    `instead_of` is the parent that a wrong structure has lost.
    """

    kind: str
    variable: str
    network: Network
    row: tuple[str, ...] | None = None
    parent: str | None = None
    instead_of: str | None = None

    def place(self):
        if self.kind == "probability":
            return f"row {', '.join(self.row) or '-'}"
        return f"edge from {self.parent}" + (f" instead of {self.instead_of}" if self.instead_of else "")


def injections(network, count=20, seed=0):
    """So many faulty networks, no two alike, the kinds in turn; fewer if the network has no more places for faults."""
    chance = random.Random(seed)
    faults = []
    for kind in islice(cycle((wrong_probability, wrong_edge, wrong_structure)), 100 * count):
        fault = kind(network, chance)
        if fault and fault not in faults:
            faults.append(fault)
        if len(faults) == count:
            break
    return faults


def wrong_probability(network, chance):
    """A row of a table is turned round; None if there is none that differs from its mirror image."""
    rows = [(variable, row) for variable in network.tables for row in network.rows(variable)]
    for variable, row in shuffled(rows, chance):
        states = network.states[variable]
        table = dict(network.tables[variable])
        for state, opposite in zip(states, reversed(states)):
            table[(state, *row)] = network.tables[variable][(opposite, *row)]
        if table != network.tables[variable]:
            return Fault("probability", variable, replaced(network, variable, network.scopes[variable], table), row)
    return None


def wrong_edge(network, chance):
    """The states of a parent are taken for each other; None if no edge makes a difference."""
    for variable, parent in shuffled(edges(network), chance):
        scope = network.scopes[variable]
        states = network.states[parent]
        opposite = dict(zip(states, reversed(states)))
        axis = scope.index(parent)
        table = {}
        for assignment in network.tables[variable]:
            mirrored = (*assignment[:axis], opposite[assignment[axis]], *assignment[axis + 1 :])
            table[assignment] = network.tables[variable][mirrored]
        if table != network.tables[variable]:
            return Fault("edge", variable, replaced(network, variable, scope, table), None, parent)
    return None


def wrong_structure(network, chance):
    """A parent is replaced by another variable with as many states; None if no edge can be bent so."""
    for variable, parent in shuffled(edges(network), chance):
        scope = network.scopes[variable]
        below = descendants(network, variable)
        for other in shuffled(network.states, chance):
            if other in scope or other in below or len(network.states[other]) != len(network.states[parent]):
                continue
            axis = scope.index(parent)
            renamed = dict(zip(network.states[parent], network.states[other]))
            table = {}
            for assignment, probability in network.tables[variable].items():
                table[(*assignment[:axis], renamed[assignment[axis]], *assignment[axis + 1 :])] = probability
            bent = (*scope[:axis], other, *scope[axis + 1 :])
            return Fault("structure", variable, replaced(network, variable, bent, table), None, other, parent)
    return None


def edges(network):
    """All pairs of a variable and one of its parents."""
    return [(variable, parent) for variable, scope in network.scopes.items() for parent in scope[1:]]


def descendants(network, variable):
    """A variable and all that depend on it."""
    found = {variable}
    growing = True
    while growing:
        more = {child for child, parent in edges(network) if parent in found} - found
        found |= more
        growing = bool(more)
    return found


def replaced(network, variable, scope, table):
    """The network with another table for a variable."""
    return Network(network.states, {**network.scopes, variable: scope}, {**network.tables, variable: table})


def shuffled(things, chance):
    things = list(things)
    chance.shuffle(things)
    return things


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", help="a Bayesian network, .bif or .bif.gz")
    parser.add_argument("--count", type=int, default=20)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--into", type=Path, metavar="FOLDER", help="write the faulty networks there")
    options = parser.parse_args()

    faults = injections(read_network(options.file), options.count, options.seed)
    for number, fault in enumerate(faults):
        print(f"{number:02}  {fault.kind:12}{fault.variable:20}{fault.place()}")
        if options.into:
            options.into.mkdir(parents=True, exist_ok=True)
            write_network(fault.network, options.into / f"{number:02}.bif")
