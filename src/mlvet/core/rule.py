"""Rules: one cause each, documented by their own docstring."""

from __future__ import annotations

import inspect
import re
import textwrap
from dataclasses import dataclass
from typing import ClassVar

from mlvet.core.errors import UsageError
from mlvet.core.grade import Severity

CONFIGURATION = "Configuration"
"""The heading that only rules have which look if a setting asks for it."""
HEADINGS = ("What it does", "Why it matters", CONFIGURATION, "Example", "Use instead", "How sure")


@dataclass(frozen=True, slots=True)
class Page:
    """A rule's docstring, taken apart: a title and the text under each heading."""

    title: str
    sections: dict[str, str]

    def code(self, heading: str) -> str:
        """The indented block under a heading, as a program of its own; empty without that heading."""
        if heading not in self.sections:
            return ""
        indented = [line for line in self.sections[heading].splitlines() if not line.strip() or line.startswith("    ")]
        return textwrap.dedent("\n".join(indented)).strip("\n") + "\n"


class Rule:
    """Base of all rules. A subclass in a file of `analyses/*/rules/` is a rule; nothing else registers it.

    The file is named after the rule with underscores; the docstring has the headings of `HEADINGS`, and
    the blocks under `Example` and `Use instead` are programs that fire and do not fire the rule. A rule that looks
    only if a setting asks for it has that setting under `Configuration`; others lack this heading.
    """

    name: ClassVar[str]
    code: ClassVar[str]
    severity: ClassVar[Severity]

    def __init_subclass__(cls) -> None:
        if "name" not in cls.__dict__:
            cls.name = cls.__module__.rpartition(".")[2].replace("_", "-")

    @classmethod
    def page(cls) -> Page:
        title, *parts = re.split(r"^## (.+)$", inspect.cleandoc(cls.__doc__ or ""), flags=re.MULTILINE)
        return Page(title.strip(), {head: body.strip("\n") for head, body in zip(parts[::2], parts[1::2], strict=True)})


Catalogue = dict[str, type[Rule]]


def expand(selectors: tuple[str, ...], catalogue: Catalogue) -> frozenset[str]:
    """Names of the rules that the selectors mean: rule names, codes, code prefixes, or `all`."""
    return frozenset(name for selector in selectors for name in _matching(selector, catalogue))


def _matching(selector: str, catalogue: Catalogue) -> list[str]:
    wanted = selector.strip()
    if wanted.lower() == "all":
        return list(catalogue)
    if wanted.lower() in catalogue:
        return [wanted.lower()]
    found = [name for name, rule in catalogue.items() if wanted and rule.code.startswith(wanted.upper())]
    if not found:
        known = [*catalogue, *(rule.code for rule in catalogue.values())]
        raise UsageError(f"unknown rule `{wanted}`{did_you_mean(wanted, known)} (`mlvet rule` lists all rules)")
    return found


def did_you_mean(word: str, known: list[str]) -> str:
    """A suggestion to append to an error about an unknown word, empty when nothing is near."""
    from difflib import get_close_matches

    by_lower = {name.lower(): name for name in known}
    near = get_close_matches(word.lower(), list(by_lower), n=1, cutoff=0.6)
    return f"; did you mean `{by_lower[near[0]]}`?" if near else ""
