"""What is told of gradients: one finding for each backend, operator and configuration."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from mlvet.analyses.compare.comparison import Comparison
from mlvet.analyses.compare.gradients import GradientError
from mlvet.analyses.compare.mapping import number
from mlvet.analyses.compare.rules.wrong_gradient import WrongGradient
from mlvet.core.evidence import Evidence, Related
from mlvet.core.finding import Finding
from mlvet.core.grade import Certainty
from mlvet.core.location import Location


def gradient_findings(found: Comparison, shown: str) -> Iterator[Finding]:
    """Gradients that are wrong where the layer itself is right: else they have the cause of that."""
    if found.gradients is None:
        return
    blamed = {(error.backend, error.layer.name) for error in found.walk.wrong()}
    backends = {backend for backend, _ in blamed}
    groups: dict[tuple[str, str, str], list[GradientError]] = {}
    for each in found.gradients.wrong():
        if each.layer is None:
            if each.backend not in backends:
                groups[each.backend, "", ""] = [each]
        elif (each.backend, each.layer.name) not in blamed:
            config = json.dumps(dict(each.layer.config), sort_keys=True, default=str)
            groups.setdefault((each.backend, each.layer.kind, config), []).append(each)
    for group in groups.values():
        yield _finding(group, shown)


def gradient_summary(found: Comparison) -> dict[str, Any]:
    """Every gradient as data; nothing if gradients were not asked for."""
    if found.gradients is None:
        return {}
    errors = [
        {"layer": each.layer.name if each.layer else None, "by": each.by, "backend": each.backend,
         "rms_error": number(each.error.rms), "noise": number(each.error.noise), "scale": number(each.error.scale),
         "times_noise": number(each.error.times), "wrong": each.wrong}
        for each in found.gradients.errors
    ]  # fmt: skip
    refused = {backend: failure.words for backend, failure in found.gradients.refusals.items()}
    return {"gradients": {"errors": errors, "unjudged": found.gradients.unjudged, "refused": refused}}


def _finding(group: list[GradientError], shown: str) -> Finding:
    first = group[0]
    of = f"`{first.layer.name}` ({first.layer.kind})" if first.layer else "the whole model"
    by = f"its input `{first.by.removeprefix('input ')}`" if first.by.startswith("input ") else f"`{first.by}`"
    fact = "has another shape" if first.error.wrong_shape else f"is off by {first.error.greatest:.3g}"
    message = f"the gradient of {of} by {by} {fact} on `{first.backend}`"
    if not first.error.wrong_shape:
        message += f", {first.error.times:.3g} times what rounding costs there, though what it yields is right"
    judges = " and ".join(f"`{judge}`" for judge in first.judges)
    agree = "agree" if len(first.judges) > 1 else "was asked"
    related = [Related(f"{judges} {agree} in double precision, on the same input")]
    layers = [each.layer.name for each in group if each.layer]
    if len(layers) > 1:
        related.append(Related(f"the same cause in {len(layers) - 1} more: {', '.join(layers[1:6])}"))
    data = {
        "blamed": first.backend, "layer": first.layer.name if first.layer else None, "by": first.by,
        "config": dict(first.layer.config) if first.layer else {}, "times_noise": number(first.error.times),
        "error": number(first.error.greatest), "layers": layers, "judges": list(first.judges),
    }  # fmt: skip
    location = Location(shown, node=first.layer.name if first.layer else None)
    return Finding(
        WrongGradient.name, WrongGradient.code, WrongGradient.severity, Certainty.OBSERVED, message, location,
        tuple(related), Evidence("comparison", data),
    )  # fmt: skip
