"""A Python program as a graph: its module body, and whatever it defines and never calls, on unknown arguments."""

from __future__ import annotations

import ast
import sys
import time
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from inspect import Parameter
from pathlib import Path
from typing import Any

from mlvet.core.location import Location
from mlvet.core.source import Source
from mlvet.domains.dims import Dim
from mlvet.frontends.python.active import interpreting
from mlvet.frontends.python.hosting import Calls, hosted
from mlvet.frontends.python.interpretation.imports import run_module
from mlvet.frontends.python.interpretation.scopes import File, Scope
from mlvet.frontends.python.interpretation.signals import PythonRaise
from mlvet.frontends.python.layer_paths import qualified_names
from mlvet.frontends.python.libraries import registry
from mlvet.frontends.python.libraries.binding import signature
from mlvet.frontends.python.machine import Limits, Machine, OutOfBudget
from mlvet.frontends.python.observations import Observation
from mlvet.frontends.python.project import Project, parsed
from mlvet.frontends.python.values.objects import ClassValue, FunctionValue, ModuleValue, Object
from mlvet.frontends.python.values.unknown import Reason, Unknown
from mlvet.frontends.python.variation import listed, varying
from mlvet.ir.graph import Graph, Value
from mlvet.ir.host import Host, Span
from mlvet.ir.program import Condition, Demand, Demands, Event, Run, Setting

_RECURSION = 12_000
_SHARE = 3
"""A function that nobody calls gets at most this part of the work that is left."""
_IN_PART = "some functions are larger than the analysis allows itself; they are followed in part"
_POSITIONAL = (Parameter.POSITIONAL_ONLY, Parameter.POSITIONAL_OR_KEYWORD)


@dataclass(slots=True)
class Interpreted:
    """What interpretation found out about a program."""

    graph: Graph
    names: dict[str, Any]
    demands: list[Demand]
    observations: dict[Span, Observation]
    unknowns: Counter[Reason]
    unmodelled: Counter[str]
    refusals: list[str]
    notes: list[str]
    conditions: dict[str, Condition]
    settings: dict[str, Setting]
    paths: int
    steps: int
    complete: bool
    raised: Any = None
    statements: int = 0
    reached: int = 0
    libraries: Counter[str] = field(default_factory=Counter)
    recalled: int = 0
    runs: list[Run] = field(default_factory=list)
    placeholders: dict[Value, Location | None] = field(default_factory=dict)
    events: list[Event] = field(default_factory=list)
    largest: dict[str, Dim] = field(default_factory=dict)
    varying: frozenset[str] = frozenset()
    listed: frozenset[str] = frozenset()
    full: dict[str, Dim] = field(default_factory=dict)
    last: dict[str, int] = field(default_factory=dict)
    required: set[str] = field(default_factory=set)
    host: Host = field(default_factory=Host)

    @property
    def _conditions(self) -> dict[str, Condition]:
        return {name: replace(condition, required=name in self.required) for name, condition in self.conditions.items()}

    @property
    def demanded(self) -> Demands:
        return Demands(
            tuple(self.demands),
            self._conditions,
            self.settings,
            tuple(self.runs),
            self.varying,
            self.full,
            self.placeholders,
            tuple(self.events),
            self.largest,
            self.listed,
            bool(self.unknowns[Reason.TOO_MANY_PATHS]),
            self.last,
        )


def interpret(
    source: Source,
    path: Path | None = None,
    base: Path | None = None,
    *,
    models: Mapping[str, Path] | None = None,
    limits: Limits | None = None,
    texts: Mapping[str, str] | None = None,
    watched: frozenset[Span] = frozenset(),
    hosting: bool = False,
) -> Interpreted:
    """Interpret a program; one that Python cannot parse yields an empty graph and a note.

    Paths are shown relative to `base`; `models` are files that stand in for modules of libraries, and `texts` what
    modules of the project are taken to contain. Expressions that are `watched` are among the observations. With
    `hosting` it is told what the calls of the program call.
    """
    project = Project.of(path, base, models, registry.PACKAGES) if path is not None else None
    if project is not None:
        project.texts = dict(texts or {})
    machine = Machine(project=project, limits=limits or Limits(), watched=watched, calls=Calls() if hosting else None)
    tree = parsed(source.text)
    if tree is None:
        machine.note("not Python 3, so it was not interpreted")
        tree = ast.Module([], [])
    return _interpreted(machine, File(source, tree), {})


def interpret_text(text: str, names: dict[str, Any] | None = None, limits: Limits | None = None) -> Interpreted:
    """Interpret a text that is no file, with some names known already."""
    machine = Machine(limits=limits or Limits())
    return _interpreted(machine, File(Source("<text>", text), ast.parse(text)), names or {})


def _interpreted(machine: Machine, file: File, names: dict[str, Any]) -> Interpreted:
    main = ModuleValue("__main__", {"__name__": "__main__", "__file__": file.source.path, "__doc__": None, **names})
    machine.modules["__main__"] = main
    machine.deadline = time.process_time() + machine.limits.seconds
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(max(limit, _RECURSION))
    complete = True
    try:
        with interpreting(machine):
            registry.load("builtins")
            try:
                run_module(machine, main, file)
                mark = machine.trail.mark()
                machine.on_its_own = True
                _uncalled(machine, main, file)
                machine.trail.undo(mark)
            except OutOfBudget:
                complete = False
                machine.note("the program is larger than the analysis allows itself; the rest is not followed")
            except RecursionError:
                complete = False
                machine.note("the program nests too deeply; the rest is not followed")
    finally:
        sys.setrecursionlimit(limit)
    statements = [node for node in ast.walk(file.tree) if isinstance(node, ast.stmt)]
    return Interpreted(
        graph=_graph(machine, file),
        names=main.cells,
        demands=machine.demands,
        observations=machine.observations,
        unknowns=machine.unknowns,
        unmodelled=machine.unmodelled,
        refusals=machine.refusals,
        notes=list(machine.notes),
        conditions=machine.conditions,
        settings=machine.settings,
        paths=machine.forks + 1,
        steps=machine.steps,
        complete=complete and _IN_PART not in machine.notes,
        raised=machine.raised,
        statements=len(statements),
        reached=sum(id(node) in file.reached for node in statements),
        libraries=machine.libraries,
        recalled=machine.recalled,
        runs=machine.runs,
        placeholders=machine.placeholders,
        events=machine.events,
        largest=machine.largest,
        varying=varying(machine),
        listed=listed(machine),
        full=machine.full,
        last=machine.last,
        required=machine.required,
        host=hosted(machine.calls, machine.observations),
    )


def _graph(machine: Machine, file: File) -> Graph:
    builder = machine.builder
    builder.keep_used_inputs()
    builder.qualify(qualified_names(machine.created))
    return builder.graph(
        [], path=file.source.path, format="python", notes=list(machine.notes), loops=machine.host_loops,
        executions=[each for each in machine.executions if hasattr(each, "fetches")],
    )  # fmt: skip


def _uncalled(machine: Machine, main: ModuleValue, file: File) -> None:
    """Run what the file defines and the program never calls, with arguments of which only the names are known.

    Classes come last first, so that those which others are made of get the arguments that these give them.

    It runs in the state that the program ends in, so what cannot hold there is only said of it if it hangs on nothing
    that the program changes: not on a name that it binds more than once, not on objects whose attributes it sets.
    """
    scope = Scope("module", file, cells=main.cells)
    rebound, changes = _rebound(file.tree)
    used = tuple(machine.instances)
    machine.scopes.append(scope)
    machine.file = file
    machine.path = ()
    try:
        defined = list(main.cells.values())
        for value in reversed(defined):
            if isinstance(value, ClassValue) and value.location is not None and value.location.path == file.source.path:
                _methods(machine, value, rebound, changes, used)
        for value in defined:
            if isinstance(value, FunctionValue) and value.scope.file is file and value.node not in machine.called:
                _attempt(machine, value, certain=not _reads(value.node, rebound))
        _closures(machine, file)
    finally:
        machine.scopes.pop()


def _closures(machine: Machine, file: File) -> None:
    """Run the functions that functions of the file make and nobody calls, as those that are handed to a library."""
    tried: set[ast.AST] = set()
    while left := [each for node, each in machine.defined.items() if node not in machine.called | tried]:
        for function in left:
            tried.add(function.node)
            if function.scope.file is file and function.owner is None and function.node not in machine.called:
                _attempt(machine, function)


def _rebound(tree: ast.AST) -> tuple[set[str], bool]:
    """The names that a module binds more than once while it runs, and whether it sets attributes."""
    bound: Counter[str] = Counter()
    changes = False
    pending = list(ast.iter_child_nodes(tree))
    while pending:
        node = pending.pop()
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            bound[node.id] += 1
        changes = changes or (isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            bound[node.name] += 1
        elif not isinstance(node, ast.Lambda):
            pending += ast.iter_child_nodes(node)
    return {name for name, count in bound.items() if count > 1}, changes


def _reads(node: ast.AST, names: set[str]) -> bool:
    return any(isinstance(each, ast.Name) and each.id in names for each in ast.walk(node))


def _methods(
    machine: Machine, kind: ClassValue, rebound: set[str], changes: bool, used: tuple[ClassValue, ...]
) -> None:
    """The methods of a class that no one calls, on an instance of the program or one made of unknown arguments.

    A class of which the program only uses subclasses may be one that works only as part of them.
    """
    functions = [each for each in _functions(kind) if each.node not in machine.called]
    if not functions:
        return
    receiver = machine.instances.get(kind)
    certain = not changes if kind in used else not any(kind in each.order for each in used)
    if receiver is None:
        args, keywords = _unknown_arguments(machine, kind)
        receiver = _attempt(machine, kind, *args, certain=certain, **keywords)
    for function in functions:
        if function.node not in machine.called:
            _attempt(machine, function, receiver, certain=certain and not _reads(function.node, rebound))


def _unknown_arguments(machine: Machine, kind: ClassValue) -> tuple[list[Any], dict[str, Any]]:
    """What a class needs that leaves the making of its instances to the library; functions fill up their own."""
    for owner in kind.order:
        if isinstance(owner, ClassValue) and "__init__" in owner.cells:
            return [], {}
        if isinstance(owner, type) and issubclass(owner, Object):
            wanted = [each for each in signature(owner.__init__).parameters[1:] if each.default is Parameter.empty]
            made = {each.name: machine.unknown(Reason.ENTRY_ARGUMENT, each.name, each.name) for each in wanted}
            return (
                [made[each.name] for each in wanted if each.kind in _POSITIONAL],
                {each.name: made[each.name] for each in wanted if each.kind is Parameter.KEYWORD_ONLY},
            )
    return [], {}


def _functions(kind: ClassValue) -> list[FunctionValue]:
    found: list[FunctionValue] = []
    for cell in kind.cells.values():
        for each in (
            cell,
            getattr(cell, "function", None),
            getattr(cell, "getter", None),
            getattr(cell, "setter", None),
        ):
            if isinstance(each, FunctionValue):
                found.append(each)
    return found


def _attempt(machine: Machine, value: Any, *args: Any, certain: bool = True, **keywords: Any) -> Any:
    """Call it on a part of the work left, so that some is left for what else nobody calls."""
    before = machine.entered = len(machine.demands)
    steps, deadline = machine.most_steps, machine.deadline
    now = time.process_time()
    machine.most_steps = min(steps, machine.steps + (steps - machine.steps) // _SHARE)
    machine.deadline = min(deadline, now + (deadline - now) / _SHARE)
    try:
        return machine.call(value, *args, **keywords)
    except PythonRaise:
        return Unknown(Reason.ENTRY_ARGUMENT)
    except OutOfBudget:
        if machine.steps > steps or time.process_time() > deadline:
            raise
        machine.note(_IN_PART)
        return Unknown(Reason.BUDGET)
    finally:
        machine.path = ()
        machine.entered = None
        machine.most_steps, machine.deadline = steps, deadline
        if not certain:
            machine.demands[before:] = [
                each for each in machine.demands[before:] if each.constraint.decided is not False
            ]
