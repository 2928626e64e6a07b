"""Belief propagation with arrays: tables and messages are arrays with an axis per variable, an index per state.

    python belief_propagation_arrays.py data/lungs.bif --given Smoker=yes Age=old
"""
import argparse

import numpy as np
from bif import read_network


def belief_propagation(scopes, tables, observed, epsilon=1e-9, max_iterations=100):
    """beliefs[variable], an array over its states, from tables of probabilities and what was observed of each state.

    scopes[t] names the axes of table t; observed[v] is 1 for states of v that are possible and 0 for those ruled out.
    """
    touching = {variable: [name for name, scope in scopes.items() if variable in scope] for variable in observed}
    to_table = {name: [observed[v] / observed[v].sum() for v in scope] for name, scope in scopes.items()}
    to_variable = {}
    for _ in range(max_iterations):
        for name, scope in scopes.items():
            messages = table_messages(tables[name], to_table[name])
            for variable, message in zip(scope, messages):
                to_variable[name, variable] = message

        delta = 0.0
        for variable, message in observed.items():
            for name in touching[variable]:
                product = message
                for other in touching[variable]:
                    if other != name:
                        product = product * to_variable[other, variable]
                product = product / product.sum()
                axis = scopes[name].index(variable)
                delta = max(delta, np.abs(product - to_table[name][axis]).max())
                to_table[name][axis] = product
        if delta < epsilon:
            break

    beliefs = {}
    for variable, belief in observed.items():
        for name in touching[variable]:
            belief = belief * to_variable[name, variable]
        beliefs[variable] = belief / belief.sum()
    return beliefs


def table_messages(table, arrived):
    """What a table tells each of its variables: itself times the messages of all other variables, summed over them."""
    axes = range(table.ndim)
    messages = []
    for axis in axes:
        product = table
        for other in axes:
            if other != axis:
                shape = [1] * table.ndim
                shape[other] = -1
                product = product * arrived[other].reshape(shape)
        message = product.sum(axis=tuple(other for other in axes if other != axis))
        messages.append(message / message.sum())
    return messages


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", help="a Bayesian network, .bif or .bif.gz")
    parser.add_argument("--given", nargs="+", default=[], metavar="VARIABLE=STATE", help="what was observed")
    parser.add_argument("--show", nargs="+", metavar="VARIABLE", help="variables to print; all otherwise")
    parser.add_argument("--epsilon", type=float, default=1e-9)
    parser.add_argument("--iterations", type=int, default=100)
    options = parser.parse_args()

    network = read_network(options.file)
    states = network.states
    tables = {}
    for name, scope in network.scopes.items():
        tables[name] = np.zeros([len(states[variable]) for variable in scope])
        for assignment, probability in network.tables[name].items():
            place = tuple(states[variable].index(state) for variable, state in zip(scope, assignment))
            tables[name][place] = probability
    given = dict(observation.split("=") for observation in options.given)
    observed = {}
    for variable, names in states.items():
        observed[variable] = np.array([1.0 if given.get(variable, state) == state else 0.0 for state in names])
    beliefs = belief_propagation(network.scopes, tables, observed, options.epsilon, options.iterations)
    for variable in options.show or beliefs:
        pairs = zip(states[variable], beliefs[variable].tolist())
        print(f"{variable:20}", "  ".join(f"{state} {belief:.6f}" for state, belief in pairs))
