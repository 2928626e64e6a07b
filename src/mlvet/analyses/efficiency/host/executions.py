"""Where the host program runs the graph, what each run computes, and which runs follow one another.

A run is a call of a session, an `eval` of a tensor, or a call of a model or function that computes with tensors and
whose like stands elsewhere in the same block.
"""

from __future__ import annotations

import ast
from bisect import bisect_left
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

from mlvet.analyses.efficiency.host.blocks import Blocks
from mlvet.analyses.efficiency.host.facts import HostProgram, sources
from mlvet.analyses.efficiency.host.outline import Expression, place_of
from mlvet.ir.facts import Fact
from mlvet.ir.graph import OPAQUE, Execution, Graph, Node, Value
from mlvet.ops import REGISTRY, Effects

SCHEMA = {
    "runs_at/2": "execution, expression that makes it",
    "run_effect/2": "execution, pure random state or unknown, which is the worst that a node of it does",
    "run_node/2": "execution, node that it computes",
    "next_run/2": "expression that runs the graph, the next one that does in the same block",
    "same_feeds/2": "expression that runs the graph, a later one in the same block that feeds it the same text",
    "feeds_within/2": "expression that runs the graph, one next to it in its block that feeds the same and more",
    "same_fetches/2": "expression that runs the graph, the next one in the same block, which fetches the same",
    "only_before/2": "expression that runs the graph, a later one that changes variables only after the first's values",
    "again/2": "call that computes with tensors, a later call with the same text in the same block or inside of it",
    "call_effect/2": "such a call, pure random state or unknown, which is the worst that a node of it does",
    "takes_data/1": "such a call that is given more than numbers, texts and functions",
    "between/3": "expression, a later one of the two kinds above, expression that runs between them",
    "run_uses/2": "such an expression, name or attribute that it reads",
}
"""Every predicate of executions with its number of arguments, and what the arguments are."""

_SEVERITY = ("pure", "random", "unknown", "state")
_CHANGING = (
    "assign",
    "assign_add",
    "assign_sub",
    "scatter_update",
    "scatter_add",
    "scatter_sub",
    "batch_scatter_update",
)
_DERIVING = ("gradient", "gradients")
_DRAWING = ("random", "dropout", "multinomial", "bernoulli", "shuffle")
_MOST_ALIKE = 12
_NO_DATA = ("module", "number", "text", "none", "function")


@dataclass
class Executions:
    """The runs of a program by the expressions that make them."""

    program: HostProgram
    unfollowed: frozenset[int] = frozenset()
    """The numbers of the executions that fetch something of which nobody knows what it runs."""

    @cached_property
    def blocks(self) -> Blocks:
        return Blocks(self.program.outline)

    @cached_property
    def at(self) -> dict[Expression, list[int]]:
        """The numbers of the executions that an expression makes, those that compute the same counted once."""
        found: dict[Expression, dict[object, int]] = {}
        for number, execution in enumerate(self.program.graph.executions):
            where = execution.location
            if where is None or where.path != self.program.outline.source.path:
                continue
            expression = self.program.outline.at.get(place_of(where))
            if expression is not None:
                known = found.setdefault(expression, {})
                parts = (execution.fetches, execution.feeds, execution.targets, number in self.unfollowed)
                known.setdefault(parts, number)
        return {expression: list(numbers.values()) for expression, numbers in found.items()}

    @cached_property
    def makers(self) -> dict[Value, Node]:
        return {value: node for node in self.program.graph.nodes() for value in node.outputs}

    @cached_property
    def _known(self) -> set[Value]:
        """Values that nothing has to compute: parameters and constants."""
        graph = self.program.graph
        return {each.value for each in graph.parameters} | {
            each.value for region in graph.regions() for each in region.constants
        }

    @cached_property
    def _of_host(self) -> set[Node]:
        """Nodes that yield arrays of NumPy: a graph holds their results as constants."""
        found: set[Node] = set()
        for each in self.program.outline.expressions:
            seen = self.program.seen(each)
            if seen is not None and seen.type == "numpy.ndarray":
                found.update(self.program.nodes(each))
        return found

    @cached_property
    def _variables(self) -> set[Value]:
        return {each.value for each in self.program.graph.parameters}

    def nodes(self, execution: Execution) -> list[Node]:
        """What an execution computes, from what it fetches back to what is fed."""
        return self._upwards(execution)[0]

    def effect(self, number: int) -> str:
        """The worst that an execution does beside yielding values."""
        execution = self.program.graph.executions[number]
        nodes, loose = self._upwards(execution)
        if execution.targets or any(each in self._variables for each in execution.fetches):
            return "state"
        if loose or not execution.fetches or number in self.unfollowed:
            return "unknown"
        return worst(nodes)

    def _upwards(self, execution: Execution) -> tuple[list[Node], bool]:
        """The nodes of an execution, and whether it reads values of which nobody knows where they are from."""
        found: dict[Node, None] = {}
        pending = [*execution.fetches]
        pending += (value for node in execution.targets for value in node.outputs)
        fed = set(execution.feeds)
        seen: set[Value] = set()
        loose = False
        while pending:
            value = pending.pop()
            if value in seen or value in fed:
                continue
            seen.add(value)
            node = self.makers.get(value)
            if node is None:
                loose = loose or value not in self._known
                continue
            if node in self._of_host:
                continue
            found[node] = None
            pending += (each for each in node.inputs if each is not None)
        return list(found), loose

    def keeps_order(self, first: Execution, second: Execution) -> bool:
        """Whether a run that changes variables computes all that another reads of them before it changes them."""
        later = set(self.nodes(second))
        return all(
            node in later or not any(each in self._variables for each in node.inputs) for node in self.nodes(first)
        )

    @cached_property
    def consecutive(self) -> list[tuple[Expression, Expression]]:
        """Pairs of runs that follow each other in one block."""
        found: list[tuple[Expression, Expression]] = []
        runs: dict[int, list[Expression]] = {}
        for each in sorted(self.at, key=lambda each: int(each.name[1:])):
            place = self.blocks.places.get(each.statement)
            if place is not None and isinstance(each.statement, ast.Assign | ast.Expr | ast.AugAssign | ast.Return):
                runs.setdefault(id(place.block), []).append(each)
        for listed in runs.values():
            found += pairwise(listed)
        return found

    @cached_property
    def repeated(self) -> list[tuple[Expression, Expression]]:
        """Pairs of calls that compute with tensors and have one text, the second further down in the same block."""
        near: dict[tuple[object, object], list[Expression]] = {}
        alike: dict[tuple[object, str], list[Expression]] = {}
        for each in self.program.outline.expressions:
            if isinstance(each.node, ast.Call) and each not in self.at and self._computes(each):
                near.setdefault((each.function, _gist(each.node)), []).append(each)
        for listed in near.values():
            for each in listed if len(listed) > 1 else ():
                alike.setdefault((each.function, ast.dump(each.node)), []).append(each)
        found = []
        for listed in alike.values():
            for index, first in enumerate(listed[:_MOST_ALIKE]):
                if isinstance(first.statement, ast.For | ast.While | ast.AsyncFor | ast.If | ast.With):
                    continue
                for second in listed[index + 1 : _MOST_ALIKE]:
                    if first.loops == second.loops[: len(first.loops)] and not _same_statement_order(first, second):
                        found.append((first, second))
        return found

    @cached_property
    def alike(self) -> frozenset[tuple[Expression, Expression]]:
        """Those of the pairs of one text of which it can be told what runs between them."""
        return frozenset(pair for pair in self.repeated if self.blocks.follows(*pair))

    def takes_data(self, call: Expression) -> bool:
        """Whether a call is given tensors, objects or what nobody knows."""
        operands = (self.program.outline.of_node.get(each) for each in sources(call.node))
        seen = (self.program.seen(each) for each in operands if each is not None)
        return any(each is not None and each.kind not in _NO_DATA for each in seen)

    def disturbing(self, first: Expression, second: Expression) -> list[Expression]:
        """What runs between two runs and may change what the second reads; one thing alone where it surely does."""
        setting = self._setting_between(first, second)
        if setting is not None:
            return [setting]
        return [each for each in self.blocks.between(first, second) or () if self.program.may_act(each)]

    def _setting_between(self, first: Expression, second: Expression) -> Expression | None:
        """A target between two runs that sets what the second reads."""
        start = _number(next(self.blocks.of_statement(first.statement)))
        for name in _used(self.program, second):
            targets = self._targets.get(name, [])
            for each in targets[bisect_left(targets, start, key=_number) :]:
                if _number(each) > _number(second):
                    break
                if self.blocks.is_between(each, first, second):
                    return each
        return None

    @cached_property
    def _targets(self) -> dict[str, list[Expression]]:
        """The targets that set each name, in the order of the text."""
        found: dict[str, list[Expression]] = {}
        for each in sorted(self.program.bindings.settings, key=lambda each: _number(each.target)):
            found.setdefault(each.name, []).append(each.target)
        return found

    def fed(self, run: Expression) -> frozenset[str]:
        """What a run feeds, item by item as text; of a name that holds what is written nearby, what it holds."""
        node = run.node
        assert isinstance(node, ast.Call)
        found = feeds(node, isinstance(node.func, ast.Attribute) and node.func.attr == "eval")
        if isinstance(found, ast.Name):
            found = self._held(run, found)
        if isinstance(found, ast.Dict):
            pairs = zip(found.keys, found.values, strict=True)
            return frozenset(f"{'**' if key is None else ast.dump(key)}: {ast.dump(value)}" for key, value in pairs)
        return frozenset() if found is None else frozenset((ast.dump(found),))

    def feeds_within(self, first: Expression, second: Expression) -> bool:
        """Whether a later run feeds all that the first does and more, and can stand for both where it stands."""
        wanted = _set_names(first.statement)
        between = self.blocks.between(first, second) or []
        awaited = any(
            isinstance(each.node, ast.Name) and each.node.id in wanted and each.statement is not first.statement
            for each in between
        )
        return self.fed(first) < self.fed(second) and not awaited

    def _held(self, run: Expression, name: ast.Name) -> ast.expr:
        """What a name holds that a run feeds, if it is set once, in the same block, to what is still the same."""
        bindings = self.program.bindings
        owned = self.program.names_read.get(self.program.outline.of_node[name])
        settings = [each for each in bindings.settings if each.name == owned]
        if len(settings) != 1 or not isinstance(settings[0].value and settings[0].value.node, ast.Dict):
            return name
        value = settings[0].value
        assert value is not None
        between = self.blocks.between(value, run)
        if between is None or any(each[1] == owned for each in bindings.mutations):
            return name
        used = _used(self.program, value)
        changing = {each for each, changed in (*bindings.mutations, *bindings.written) if changed in used}
        changing |= {each.target for each in bindings.settings if each.name in used}
        return name if changing & set(between) else value.node

    def _computes(self, expression: Expression) -> bool:
        site = self.program.site(expression)
        return bool(self.program.nodes(expression)) or (site is not None and bool(site.enters))

    def computed(self, expression: Expression) -> list[Node]:
        """The nodes of a call, with those of the functions of the file that it enters."""
        found = list(self.program.nodes(expression))
        pending, entered = [expression], set()
        while pending:
            each = pending.pop()
            site = self.program.site(each) if isinstance(each.node, ast.Call) else None
            for span in site.enters if site is not None else ():
                function = self.program.outline.function_at.get(span)
                if function is None or function in entered:
                    continue
                entered.add(function)
                for inner in self.program.outline.of_function[function]:
                    found += self.program.nodes(inner)
                    pending.append(inner)
        return found


def worst(nodes: Iterable[Node]) -> str:
    """The worst that some nodes do."""
    return max((node_effect(each) for each in nodes), key=_SEVERITY.index, default="unknown")


def node_effect(node: Node) -> str:
    """What a node does beside yielding values."""
    if node.source_op.rpartition(".")[2] in _CHANGING:
        return "state"
    if node.op == "dropout" and _is_switched_off(node):
        return "pure"
    if any(each in node.op for each in _DRAWING):
        return "random"
    if node.op == "batch_normalization" and len(node.outputs) > 1:
        return "state"
    if node.op == OPAQUE:
        return "pure" if node.source_op in _DERIVING else "unknown"
    known = REGISTRY.get(node.op)
    effect = (known.effects if known else Effects.UNKNOWN).value
    return "pure" if node.op == "assert" else effect if effect in _SEVERITY else "unknown"


def _is_switched_off(node: Node) -> bool:
    """Whether a dropout drops nothing: its last operand says whether it trains."""
    flag = node.inputs[2] if len(node.inputs) > 2 else None
    value = None if flag is None else flag.declared.value
    return value is not None and not value.any()


def _gist(node: ast.Call) -> object:
    """What calls of one text have in common, and many others do not: names and kinds, one step down."""
    parts = (node.func, *node.args, *(each.value for each in node.keywords))
    return tuple((type(each), getattr(each, "id", getattr(each, "attr", None))) for each in parts)


def _number(expression: Expression) -> int:
    """The place of an expression in the order of the text."""
    return int(expression.name[1:])


def _same_statement_order(first: Expression, second: Expression) -> bool:
    """Whether one call is part of the other."""
    return any(node is first.node for node in ast.walk(second.node)) or any(
        node is second.node for node in ast.walk(first.node)
    )


def execution_facts(runs: Executions, nodes: bool = False, whole: bool = True) -> Iterator[Fact]:
    """All facts about the runs of a program, or without those that no shipped rule can use; their nodes on demand."""
    graph = runs.program.graph
    for expression, numbers in runs.at.items():
        for number in numbers:
            yield Fact("runs_at", (number, expression.name))
            yield Fact("run_effect", (number, runs.effect(number)))
            for node in runs.nodes(graph.executions[number]) if nodes else ():
                yield Fact("run_node", (number, node.name))
    pairs: dict[tuple[Expression, Expression], None] = {}
    for first, second in runs.consecutive:
        yield Fact("next_run", (first.name, second.name))
        pairs[first, second] = None
        if any(_fetched(graph, runs.at[first], one) for one in runs.at[second]):
            yield Fact("same_fetches", (first.name, second.name))
        if runs.fed(first) == runs.fed(second):
            yield Fact("same_feeds", (first.name, second.name))
        elif runs.feeds_within(first, second):
            yield Fact("feeds_within", (first.name, second.name))
        elif runs.fed(second) < runs.fed(first):
            yield Fact("feeds_within", (second.name, first.name))
        if all(
            runs.keeps_order(graph.executions[one], graph.executions[other])
            for one in runs.at[first]
            for other in runs.at[second]
        ):
            yield Fact("only_before", (first.name, second.name))
    for first, second in runs.repeated:
        if (first, second) in runs.alike:
            yield Fact("again", (first.name, second.name))
            pairs[first, second] = None
    idle: set[Expression] = set()
    for expression in dict.fromkeys(each for pair in runs.repeated for each in pair):
        effect = worst(runs.computed(expression))
        yield Fact("call_effect", (expression.name, effect))
        if runs.takes_data(expression):
            yield Fact("takes_data", (expression.name,))
        if effect != "pure" or not runs.takes_data(expression):
            idle.add(expression)
    for first, second in pairs:
        if whole:
            between = runs.blocks.between(first, second) or []
        else:
            between = [] if first in idle or second in idle else runs.disturbing(first, second)
        for each in between:
            yield Fact("between", (first.name, second.name, each.name))
    for expression in dict.fromkeys(each for pair in pairs for each in pair):
        for name in sorted(_used(runs.program, expression)):
            yield Fact("run_uses", (expression.name, name))


def _fetched(graph: Graph, numbers: list[int], other: int) -> bool:
    """Whether one of some executions fetches what another does."""
    return any(graph.executions[each].fetches == graph.executions[other].fetches for each in numbers)


def feeds(node: ast.Call, tensor: bool = False) -> ast.expr | None:
    """What a call of a session, or of `eval` on a tensor, feeds."""
    for keyword in node.keywords:
        if keyword.arg == "feed_dict":
            return keyword.value
    position = 0 if tensor else 1
    return node.args[position] if len(node.args) > position else None


def _set_names(statement: ast.stmt) -> set[str]:
    """The names that a statement assigns to."""
    targets = getattr(statement, "targets", [])
    return {each.id for target in targets for each in ast.walk(target) if isinstance(each, ast.Name)}


def _used(program: HostProgram, expression: Expression) -> set[str]:
    names = program.names_read
    found = set()
    for node in ast.walk(expression.node):
        each = program.outline.of_node.get(node)
        if each is not None and each in names:
            found.add(names[each])
        elif isinstance(node, ast.Attribute):
            found.add(f".{node.attr}")
    return found
