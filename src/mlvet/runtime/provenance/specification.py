"""How users name values of a program: `ranks@pagerank:7`, `damping@pagerank`, `return@pagerank["a"]`."""

from __future__ import annotations

import re
from dataclasses import dataclass

from mlvet.core.errors import UsageError

_FORM = re.compile(
    r"^\s*(?P<name>[^@]+?)@(?P<function>(?:[\w.]+\.)?(?:<module>|\w+))(?::(?P<line>\d+))?(?P<rest>.*)$", re.S
)
MODULE = "<module>"


@dataclass(frozen=True, slots=True)
class Specification:
    """A variable where a function assigns it, a parameter (no line), or what a function returns (`return`).

    `rest` selects from the value, as in `["a"]`. `function` may have its module or class in front.
    """

    text: str
    name: str
    function: str
    line: int | None
    rest: str = ""

    def matches(self, module: str, qualified: str) -> bool:
        """Whether a function of a module is meant, by the last parts of its name."""
        whole = f"{module}.{qualified}"
        return whole == self.function or whole.endswith(f".{self.function}") or qualified == self.function


def specification(text: str) -> Specification | None:
    """The parts of `name@function:line`; None for an expression without `@`."""
    found = _FORM.match(text)
    if found is None:
        return None
    line = found["line"]
    name, bracket, chosen = found["name"].partition("[")
    rest = bracket + chosen + found["rest"].strip()
    return Specification(text, name, found["function"], int(line) if line else None, rest)


def inputs_of(texts: tuple[str, ...]) -> tuple[Specification, ...]:
    found = []
    for text in texts:
        each = specification(text)
        if each is None or each.rest or each.name == "return":
            raise UsageError(
                f"--inputs {text}: expected NAME@FUNCTION:LINE or PARAMETER@FUNCTION, of a script NAME@<module>:LINE"
            )
        found.append(each)
    return tuple(found)
