"""The tables that say how a layer class or a function of `keras.ops` is lowered."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from mlvet.frontends.keras.application import Call
from mlvet.ir.graph import Value

Lower: TypeAlias = Callable[[Call], Value | tuple[Value, ...]]

LAYERS: dict[str, Lower] = {}
OPERATIONS: dict[str, Lower] = {}


def layer(*kinds: str) -> Callable[[Lower], Lower]:
    """Makes a function the rule of these layer classes."""

    def register(rule: Lower) -> Lower:
        for kind in kinds:
            LAYERS[kind] = rule
        return rule

    return register


def operation(*kinds: str) -> Callable[[Lower], Lower]:
    """Makes a function the rule of these classes of `keras.ops`."""

    def register(rule: Lower) -> Lower:
        for kind in kinds:
            OPERATIONS[kind] = rule
        return rule

    return register
