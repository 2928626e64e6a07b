"""`mlvet libraries`: the functions, classes and constants of libraries that mlvet has models of."""

from __future__ import annotations

import argparse
import json
from collections import Counter
from typing import Any

from mlvet.cli.streams import put
from mlvet.core.errors import UsageError
from mlvet.core.rule import did_you_mean


def run(options: argparse.Namespace) -> int:
    """Print how much is modelled of each library, or all that is modelled of one."""
    from mlvet.frontends.python.libraries.registry import MODELS, load_all

    load_all()
    kinds = {name: _kind(model) for name, model in MODELS.items()}
    if options.name:
        chosen = {name: kind for name, kind in kinds.items() if f"{name}.".startswith(f"{options.name}.")}
        if not chosen:
            known = {name.split(".")[0] for name in kinds}
            raise UsageError(
                f"no library or module `{options.name}` is modelled{did_you_mean(options.name, sorted(known))}"
            )
        _put_names(options, chosen)
        return 0
    tops = sorted({name.split(".")[0] for name in kinds})
    counts = {top: Counter(kind for name, kind in kinds.items() if name.split(".")[0] == top) for top in tops}
    if options.output_format == "json":
        put(json.dumps({"version": 1, "libraries": {top: dict(counts[top]) for top in tops}}, indent=2) + "\n")
        return 0
    width = max(map(len, tops))
    lines = [f"{'library':<{width}}  functions  classes  values"]
    lines += [
        f"{top:<{width}}  {counts[top]['function']:>9}  {counts[top]['class']:>7}  {counts[top]['value']:>6}"
        for top in tops
    ]
    total = sum(counts.values(), Counter())
    lines.append(f"{'':<{width}}  {total['function']:>9}  {total['class']:>7}  {total['value']:>6}")
    put("\n".join(lines) + "\n")
    return 0


def _put_names(options: argparse.Namespace, chosen: dict[str, str]) -> None:
    if options.output_format == "json":
        put(json.dumps({"version": 1, "models": dict(sorted(chosen.items()))}, indent=2) + "\n")
    else:
        put("".join(f"{kind:<8}  {name}\n" for name, kind in sorted(chosen.items())))


def _kind(model: Any) -> str:
    if isinstance(model, type):
        return "class"
    from mlvet.frontends.python.libraries.registry import Overloads

    return "function" if callable(model) or isinstance(model, Overloads) else "value"
