"""Belief propagation: how probable each state of a Bayesian network is, given what was observed [Pearl 1988].

    python belief_propagation.py data/lungs.bif --given Smoker=yes Age=old

The messages of the sum-product algorithm run between the variables of the network and its tables. On a tree the
beliefs are exact, on a graph with loops they are an approximation.
"""
import argparse

from bif import read_network


def belief_propagation(scopes, tables, observed, epsilon=1e-9, max_iterations=100):
    """beliefs[variable][state], from tables of probabilities and from what was observed of each state.

    scopes[t] names the variables of table t; observed[v][s] is 1 for a state s of v that is possible and 0 for one
    that was ruled out.
    """
    touching = {variable: [name for name, scope in scopes.items() if variable in scope] for variable in observed}
    to_table = {name: {variable: normalised(observed[variable]) for variable in scopes[name]} for name in scopes}
    to_variable = {}
    for _ in range(max_iterations):
        for name, scope in scopes.items():
            to_variable[name] = table_messages(scope, tables[name], to_table[name])

        delta = 0.0
        for variable, likelihood in observed.items():
            for name in touching[variable]:
                others = [to_variable[other][variable] for other in touching[variable] if other != name]
                message = normalised(multiplied(likelihood, others))
                for state, probability in message.items():
                    delta = max(delta, abs(probability - to_table[name][variable][state]))
                to_table[name][variable] = message
        if delta < epsilon:
            break

    beliefs = {}
    for variable, likelihood in observed.items():
        beliefs[variable] = normalised(
            multiplied(likelihood, [to_variable[name][variable] for name in touching[variable]])
        )
    return beliefs


def table_messages(scope, table, arrived):
    """What a table tells each of its variables: its probabilities times the messages of all other variables, summed."""
    messages = {variable: dict.fromkeys(arrived[variable], 0.0) for variable in scope}
    for assignment, probability in table.items():
        for variable, state in zip(scope, assignment):
            part = probability
            for other, other_state in zip(scope, assignment):
                if other != variable:
                    part *= arrived[other][other_state]
            messages[variable][state] += part
    return {variable: normalised(message) for variable, message in messages.items()}


def multiplied(first, others):
    """The product of messages, state by state."""
    message = dict(first)
    for other in others:
        for state in message:
            message[state] *= other[state]
    return message


def normalised(message):
    """The message scaled such that it sums up to 1."""
    total = sum(message.values())
    if total == 0:
        raise ValueError("what was observed is impossible in this network")
    return {state: value / total for state, value in message.items()}


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", help="a Bayesian network, .bif or .bif.gz")
    parser.add_argument("--given", nargs="+", default=[], metavar="VARIABLE=STATE", help="what was observed")
    parser.add_argument("--show", nargs="+", metavar="VARIABLE", help="variables to print; all otherwise")
    parser.add_argument("--epsilon", type=float, default=1e-9)
    parser.add_argument("--iterations", type=int, default=100)
    options = parser.parse_args()

    network = read_network(options.file)
    tables = network.tables
    given = dict(observation.split("=") for observation in options.given)
    observed = {}
    for variable, states in network.states.items():
        observed[variable] = {state: 1.0 if given.get(variable, state) == state else 0.0 for state in states}
    beliefs = belief_propagation(network.scopes, tables, observed, options.epsilon, options.iterations)
    for variable in options.show or beliefs:
        print(f"{variable:20}", "  ".join(f"{state} {belief:.6f}" for state, belief in beliefs[variable].items()))
