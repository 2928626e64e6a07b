"""Imports: modules of the program are interpreted once, those of libraries are their models."""

from __future__ import annotations

import ast
import time
from typing import TYPE_CHECKING, Any

from mlvet.frontends.python.interpretation.scopes import File, Scope
from mlvet.frontends.python.interpretation.signals import PythonRaise
from mlvet.frontends.python.libraries import registry
from mlvet.frontends.python.machine import OutOfBudget
from mlvet.frontends.python.trail import MISSING
from mlvet.frontends.python.values.objects import ModuleValue
from mlvet.frontends.python.values.unknown import Reason

if TYPE_CHECKING:
    from mlvet.frontends.python.machine import Machine

_SHARE = 4
"""An import gets at most this part of the work that is left."""


def import_names(machine: Machine, node: ast.Import) -> bool:
    """`import a.b as c`."""
    for alias in node.names:
        top = alias.name.split(".")[0]
        whole = module(machine, alias.name)
        _note_generation(machine, alias.name)
        value = whole if alias.asname else module(machine, top)
        name = alias.asname or top
        machine.scopes[-1].assign(name, _of_generation(machine, value, name))
    return True


def _note_generation(machine: Machine, dotted: str) -> None:
    """An import of an earlier generation under its own name, which its successor has too."""
    for earlier, _ in registry.EARLIER.values():
        if dotted == earlier or dotted.startswith(f"{earlier}."):
            machine.generations.add(earlier)


def _of_generation(machine: Machine, value: Any, name: str) -> Any:
    """A library, or its earlier generation if the file uses what that one alone has."""
    if not isinstance(value, ModuleValue) or value.dotted not in registry.EARLIER or machine.file is None:
        return value
    earlier, gone = registry.EARLIER[value.dotted]
    used = {
        each.attr
        for each in ast.walk(machine.file.tree)
        if isinstance(each, ast.Attribute) and isinstance(each.value, ast.Name) and each.value.id == name
    }
    if earlier.removeprefix(f"{value.dotted}.").partition(".")[0] in used:
        machine.generations.add(earlier)
    if not used & gone:
        return value
    machine.generations.add(value.dotted)
    return module(machine, earlier)


def import_from(machine: Machine, node: ast.ImportFrom) -> bool:
    """`from a import b as c`."""
    if node.module == "__future__":
        return True
    name = _absolute(machine, node)
    source = module(machine, name)
    for alias in node.names:
        _note_generation(machine, f"{name}.{alias.name}")
    for alias in node.names:
        if alias.name == "*":
            _all_names(machine, source)
            continue
        value = _member(machine, source, name, alias.name)
        machine.scopes[-1].assign(alias.asname or alias.name, value)
    return True


def _absolute(machine: Machine, node: ast.ImportFrom) -> str:
    if not node.level:
        return node.module or ""
    package = machine.project.package_of(machine.file.source.path, node.level) if machine.project else ""
    return ".".join(part for part in (package, node.module or "") if part)


def module(machine: Machine, dotted: str) -> Any:
    """A module by its name: the program's own before a library's."""
    if dotted in machine.modules:
        return machine.modules[dotted]
    source = machine.project.module(dotted) if machine.project is not None else None
    if source is not None:
        return _own(machine, dotted, source)
    top = dotted.split(".")[0]
    known = registry.load(top)
    machine.imported.add(top)
    if known and "." in dotted:
        try:
            return registry.find(dotted)
        except KeyError:
            pass
    value = ModuleValue(dotted, of_library=True)
    machine.modules[dotted] = value
    if not known:
        machine.libraries[top] += 1
    return value


def _own(machine: Machine, dotted: str, source: Any) -> ModuleValue:
    """A module of the program, interpreted when it is first imported."""
    parts = dotted.split(".")
    for count in range(1, len(parts)):
        module(machine, ".".join(parts[:count]))
    value = ModuleValue(dotted)
    machine.modules[dotted] = value
    value.cells["__name__"] = dotted
    value.cells["__file__"] = source.path
    tree = machine.project.tree(source) if machine.project is not None else None
    if tree is not None:
        _within_budget(machine, value, File(source, tree))
    if len(parts) > 1:
        parent = machine.modules.get(".".join(parts[:-1]))
        if isinstance(parent, ModuleValue) and not parent.of_library:
            parent.cells.setdefault(parts[-1], value)
    return value


def run_module(machine: Machine, value: ModuleValue, file: File) -> None:
    """Interpret the body of a module."""
    from mlvet.frontends.python.interpretation.statements import run

    scope = Scope("module", file, cells=value.cells)
    kept = machine.at, machine.file, machine.path, machine.stack
    machine.file = file
    machine.files.append(file)
    machine.scopes.append(scope)
    try:
        run(machine, file.tree.body)
    except PythonRaise as signal:
        if not isinstance(signal.value, SystemExit | KeyboardInterrupt):
            machine.note(f"{file.source.path}: interpretation ends with {signal.value!r}")
            machine.raised = signal.value if signal.value is not None else machine.last_raised
    finally:
        machine.scopes.pop()
        machine.at, machine.file, machine.path, machine.stack = kept


def _within_budget(machine: Machine, value: ModuleValue, file: File) -> None:
    """Interpret an imported module, with all it imports, on a part of the work left, so that some is left after it."""
    if machine.importing:
        run_module(machine, value, file)
        return
    steps, deadline = machine.most_steps, machine.deadline
    now = time.process_time()
    machine.most_steps = min(steps, machine.steps + (steps - machine.steps) // _SHARE)
    machine.deadline = min(deadline, now + (deadline - now) / _SHARE)
    machine.importing += 1
    try:
        run_module(machine, value, file)
    except OutOfBudget:
        if machine.steps > steps or time.process_time() > deadline:
            raise
        machine.note(f"the import of {value.dotted} is larger than the analysis allows itself; it is followed in part")
    finally:
        machine.importing -= 1
        machine.most_steps, machine.deadline = steps, deadline


def submodule(machine: Machine, value: ModuleValue, name: str) -> Any:
    """An attribute of a package that is one of its modules; MISSING if it is none."""
    dotted = f"{value.dotted}.{name}"
    if dotted in machine.modules:
        return machine.modules[dotted]
    if machine.project is not None and machine.project.module(dotted) is not None:
        return module(machine, dotted)
    return MISSING


def _member(machine: Machine, source: Any, name: str, member: str) -> Any:
    from mlvet.frontends.python.interpretation.attributes import attribute, lookup

    if isinstance(source, ModuleValue) and not source.of_library:
        found = lookup(machine, source, member)
        if found is not MISSING:
            return found
        if machine.project is not None and machine.project.module(f"{name}.{member}") is not None:
            return module(machine, f"{name}.{member}")
        return machine.unknown(Reason.MISSING_NAME, f"{name}.{member}", member)
    return attribute(machine, source, member)


def _all_names(machine: Machine, source: Any) -> None:
    """`from a import *`."""
    if not isinstance(source, ModuleValue):
        return
    if source.of_library:
        prefix = f"{source.dotted}."
        names = [name[len(prefix) :] for name in registry.MODELS if name.startswith(prefix)]
        for name in names:
            if "." not in name:
                machine.scopes[-1].assign(name, registry.MODELS[prefix + name])
        return
    for name, value in source.cells.items():
        if not str(name).startswith("_"):
            machine.scopes[-1].assign(name, value)
