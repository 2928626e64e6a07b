"""What branch outcomes say of the settings they test, and what a setting may be."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from mlvet.frontends.python.values.choices import Choice
from mlvet.frontends.python.values.numbers import Scalar
from mlvet.ir.graph import Literal
from mlvet.ir.program import Condition

if TYPE_CHECKING:
    from mlvet.frontends.python.machine import Machine


def decided(machine: Machine, literal: Literal, path: Iterable[Literal] | None = None) -> bool | None:
    """Whether a path, by default the one being taken, settles a condition."""
    path = machine.path if path is None else path
    for known in path:
        if known.condition == literal.condition:
            return known.holds == literal.holds
    asked = machine.subjects.get(literal.condition)
    if asked is None:
        return None
    subject, values = asked
    possible, excluded = known_of(machine, subject, path)
    if possible is not None:
        left = possible - excluded
        if left <= values:
            return literal.holds
        if not left & values:
            return not literal.holds
    elif values <= excluded:
        return not literal.holds
    return None


def known_of(machine: Machine, subject: str, path: Iterable[Literal]) -> tuple[frozenset[Any] | None, frozenset[Any]]:
    """What a setting may be on a path, None if anything, and what it is not."""
    possible: frozenset[Any] | None = machine.choices.get(subject)
    excluded: frozenset[Any] = frozenset()
    for known in path:
        about, values = machine.subjects.get(known.condition, ("", frozenset()))
        if about == subject:
            if known.holds:
                possible = values if possible is None else possible & values
            else:
                excluded |= values
    return possible, excluded


def alternatives(machine: Machine, setting: Scalar) -> Any:
    """A setting as a choice of what it may be, so that it can be a key or a name; otherwise its default or unknown."""
    if not setting.name:
        return setting
    if setting.choices is not None:
        machine.choices[setting.name] = frozenset(setting.choices)
    possible, excluded = known_of(machine, setting.name, machine.path)
    if possible is not None:
        left = sorted(possible - excluded, key=repr)
        if len(left) == 1:
            return left[0]
        if left and len(left) <= machine.limits.alternatives:
            return Choice(tuple((frozenset((equals(machine, setting, value),)), value) for value in left))
        return setting
    if setting.has_default and setting.default is not None and setting.default not in excluded:
        usual = equals(machine, setting, setting.default)
        other = Scalar(setting.kind, setting.name, location=setting.location)
        return Choice(((frozenset((usual,)), setting.default), (frozenset((Literal(usual.condition, False),)), other)))
    return setting


def equals(machine: Machine, setting: Scalar, value: Any) -> Literal:
    """The condition that a setting has a value."""
    name = f"{setting.name} == {value!r}"
    machine.subjects[name] = (setting.name, frozenset((value,)))
    if name not in machine.conditions:
        default = setting.default == value if setting.has_default else None
        machine.conditions[name] = Condition(name, name, setting.location, default)
    return Literal(name)
