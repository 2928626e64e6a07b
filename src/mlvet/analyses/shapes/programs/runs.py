"""What operators demand in a run of the graph, where placeholders have the shapes of what is fed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from mlvet.domains.claims import decide
from mlvet.domains.dims import Dim, substitute
from mlvet.domains.tensors import Tensor
from mlvet.ir.graph import Graph, Node, Value
from mlvet.ir.program import Demand, Demands, Run
from mlvet.ir.reapplication import applied_again, learned
from mlvet.ops.require import Constraint, Require


def distinct(runs: Iterable[Run]) -> Iterator[Run]:
    """Runs without those that do what another one does: iterations of a loop mostly run the same."""
    seen = set()
    for run in runs:
        done = run.execution
        key = (done.location, done.fetches, done.targets, done.feeds, tuple(map(str, run.fed)), run.guards)
        if key not in seen:
            seen.add(key)
            yield run


class Runs:
    """The runs of one graph."""

    def __init__(self, graph: Graph, demands: Demands) -> None:
        self._nodes = graph.body.nodes
        self._makers = {value: node for node in self._nodes for value in node.outputs}
        self._fed: dict[int, list[Demand]] = {}
        self._stated: dict[object, list[Demand]] = {}
        for demand in demands.all:
            if demand.within is not None:
                self._fed.setdefault(id(demand.within), []).append(demand)
            elif not demand.node.outputs and demand.constraint.relation is not None:
                self._stated.setdefault(demand.node.location, []).append(demand)

    def demands(self, run: Run) -> list[Demand]:
        """What feeds must fit, and then what each operator demands that works on what is fed."""
        found = list(self._fed.get(id(run), ()))
        types = {value: given for value, given in zip(run.execution.feeds, run.fed, strict=True) if given is not None}
        if not types:
            return found
        sizes = learned((value.declared, given) for value, given in types.items())
        heard = set()
        for node in self._needed(run):
            if node.location not in heard:
                heard.add(node.location)
                found += (_resized(demand, sizes, run) for demand in self._stated.get(node.location, ()))
            if node.op != "sizes" and not any(value in types for value in node.inputs):
                continue
            require = Require(f"{node.name}'")
            operands = [_type(value, types) for value in node.inputs]
            results = applied_again(node, operands, sizes, require)
            types.update(zip(node.outputs, results, strict=True))
            found += (Demand(node, constraint, run, tuple(operands)) for constraint in require.constraints)
        return found

    def _needed(self, run: Run) -> list[Node]:
        """The nodes that a run computes, in their order; what is fed is not computed."""
        fed = set(run.execution.feeds)
        wanted = set(run.execution.targets)
        pending = [value for value in run.execution.fetches if value not in fed]
        pending += [value for node in wanted for value in node.inputs if value is not None]
        while pending:
            value = pending.pop()
            node = self._makers.get(value)
            if node is None or node in wanted or value in fed:
                continue
            wanted.add(node)
            pending += [each for each in node.inputs if each is not None]
        return [node for node in self._nodes if node in wanted]


def _type(value: Value | None, types: dict[Value, Tensor]) -> Tensor | None:
    return None if value is None else types.get(value, value.declared)


def _resized(demand: Demand, sizes: dict[str, Dim], run: Run) -> Demand:
    """A demand of a library on sizes, with the sizes of the run."""
    old = demand.constraint
    assert old.relation is not None
    left, right = substitute(old.left, sizes), substitute(old.right, sizes)
    new = Constraint(old.relation, left, right, old.because, old.rule, decide(old.relation, left, right), old.assumed)
    return Demand(demand.node, new, run)
