"""Layers of Keras that are frozen or thawed between two fits without compiling again."""

from __future__ import annotations

from collections.abc import Sequence

from mlvet.analyses.shapes.suspicions.suspicion import Suspicion, Suspicions
from mlvet.ir.program import Act, Event

RULE = "trainable-after-fit"


def late_freezing(events: Sequence[Event]) -> Suspicions:
    """Fits that go on as compiled before `trainable` was set."""
    for event in events:
        if event.act is Act.FITTED and "changed" in event.facts and "uncalled" not in event.facts:
            yield Suspicion(
                RULE,
                event.location,
                "`trainable` of a layer was set after the last fit, but the model was not compiled again, so this fit "
                "trains the same weights as before; call compile() after setting it",
                key=event.location,
                guards=event.guards,
            )
