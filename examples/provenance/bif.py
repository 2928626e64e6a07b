"""Bayesian networks in the Bayesian Interchange Format (BIF), read and written."""
import re
from dataclasses import dataclass
from itertools import product

from files import open_text


@dataclass
class Network:
    """Discrete variables, and for each a table of probabilities given its parents.

    tables["cough"]["yes", "male", "old"] is the probability of cough=yes given its parents, here gender=male and
    age=old; scopes["cough"] is then ("cough", "gender", "age").
    """

    states: dict[str, list[str]]
    scopes: dict[str, tuple[str, ...]]
    tables: dict[str, dict[tuple[str, ...], float]]

    def rows(self, variable):
        """The combinations of states of a variable's parents."""
        return list(product(*(self.states[parent] for parent in self.scopes[variable][1:])))


VARIABLE = re.compile(r"variable\s+(\S+)\s*\{[^{}]*?\{([^{}]*)\}")
PROBABILITY = re.compile(r"probability\s*\(([^()]*)\)\s*\{([^{}]*)\}")
ROW = re.compile(r"(?:table|\(([^()]*)\))([^;()]*);")


def read_network(path):
    """The network of a BIF file, plain or packed with gzip."""
    with open_text(path) as file:
        return parse_network(file.read())


def parse_network(text):
    """The network that a BIF text describes."""
    text = re.sub(r"//[^\n]*", "", text)
    network = Network({name: names(states) for name, states in VARIABLE.findall(text)}, {}, {})
    for head, body in PROBABILITY.findall(text):
        variable, *parents = names(head.replace("|", ","))
        network.scopes[variable] = (variable, *parents)
        table = network.tables[variable] = {}
        for row, numbers in ROW.findall(body):
            for state, number in zip(network.states[variable], names(numbers)):
                table[(state, *names(row))] = float(number)
        if len(table) != len(network.states[variable]) * len(network.rows(variable)):
            raise ValueError(f"the table of {variable} has {len(table)} probabilities, which are not all it needs")
    return network


def names(text):
    """The parts of a list with commas."""
    return [part.strip() for part in text.split(",") if part.strip()]


def write_network(network, path):
    """Writes a network as a BIF file."""
    with open(path, "w", encoding="utf-8") as file:
        file.write("network unknown {\n}\n")
        for variable, states in network.states.items():
            file.write(f"variable {variable} {{\n  type discrete [ {len(states)} ] {{ {', '.join(states)} }};\n}}\n")
        for variable, (_, *parents) in network.scopes.items():
            given = f" | {', '.join(parents)}" if parents else ""
            file.write(f"probability ( {variable}{given} ) {{\n")
            for row in network.rows(variable):
                numbers = ", ".join(repr(network.tables[variable][(state, *row)]) for state in network.states[variable])
                file.write(f"  ({', '.join(row)}) {numbers};\n" if row else f"  table {numbers};\n")
            file.write("}\n")
