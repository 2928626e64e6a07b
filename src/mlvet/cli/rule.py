"""`mlvet rule`: a rule's page, or the list of all rules."""

from __future__ import annotations

import argparse
import inspect
import json

from mlvet.analyses.catalogue import catalogue
from mlvet.cli.streams import put
from mlvet.core.errors import UsageError
from mlvet.core.rule import Rule, expand


def run(options: argparse.Namespace) -> int:
    """Print the page of one rule, or a line for each."""
    rules = catalogue()
    if options.name is None:
        chosen = list(rules.values())
    else:
        names = expand((options.name,), rules)
        if len(names) > 1 and options.output_format == "text":
            raise UsageError(f"`{options.name}` means {len(names)} rules: {', '.join(sorted(names))}")
        chosen = [rules[name] for name in sorted(names)]
    if options.output_format == "json":
        text = json.dumps([_entry(rule) for rule in chosen], indent=2) + "\n"
    elif options.name is None:
        text = "".join(f"{rule.code}  {rule.severity:<10}  {rule.name:<26}  {rule.page().title}\n" for rule in chosen)
    else:
        text = _page(chosen[0])
    put(text)
    return 0


def _page(rule: type[Rule]) -> str:
    heading = f"{rule.name} ({rule.code}, {rule.severity})"
    return f"{heading}\n{'=' * len(heading)}\n\n{inspect.cleandoc(rule.__doc__ or '')}\n"


def _entry(rule: type[Rule]) -> dict[str, object]:
    page = rule.page()
    return {
        "name": rule.name,
        "code": rule.code,
        "severity": rule.severity.value,
        "title": page.title,
        "sections": page.sections,
    }
