"""Graphs written as text, and what the analysis says of their values and nodes by name."""

from __future__ import annotations

import re
from dataclasses import dataclass

from mlvet.analyses.numerics.analysis import Analysis, analyse
from mlvet.analyses.numerics.assumptions.ranges import Given, assumed_ranges
from mlvet.analyses.numerics.hazard import Hazard, Verdict
from mlvet.analyses.numerics.settings import NumericAbstraction, Settings, TensorAbstraction
from mlvet.analyses.shapes.inference import infer
from mlvet.domains.intervals import Interval
from mlvet.ir.graph import Graph
from mlvet.ir.text import from_text
from mlvet.ir.verify import verify

_NODE = re.compile(r"^\s*%(\S+?)(?::[^,=]*)?(?:, %[^=]*)? = \w+\(")

COMBINATIONS = [Settings(tensor, numeric) for tensor in TensorAbstraction for numeric in NumericAbstraction]


def graph(text: str) -> Graph:
    """The graph of a text; a node without a name has that of its first result."""
    lines = []
    for line in text.splitlines():
        found = _NODE.match(line)
        lines.append(f"{line} @{found[1]}" if found and "@" not in line else line)
    read = from_text('mlvet-graph 1 "written"\n' + "\n".join(lines))
    assert verify(read) == []
    return read


@dataclass(frozen=True)
class Said:
    """What was found out, by the names of values and nodes."""

    analysis: Analysis

    def __getitem__(self, name: str) -> Interval:
        (interval,) = (found for value, found in self.analysis.intervals.items() if value.name == name)
        return interval

    def verdict(self, name: str) -> Verdict:
        (verdict,) = (found for node, found in self.analysis.verdicts.items() if node.name == name)
        return verdict

    def hazard(self, name: str) -> Hazard:
        (hazard,) = (each for each in self.analysis.hazards if each.node.name == name)
        return hazard

    @property
    def forward(self) -> dict[str, str]:
        """The rules of the hazards of values, by node."""
        return {each.node.name: each.rule for each in self.analysis.hazards if not each.backward}

    @property
    def backward(self) -> dict[str, str]:
        """The rules of the hazards of gradients, by node."""
        return {each.node.name: each.rule for each in self.analysis.hazards if each.backward}


def said(text: str, settings: Settings | None = None, **ranges: tuple[float, float]) -> Said:
    """What the analysis says of a written graph whose inputs and parameters lie within ranges."""
    read = graph(text)
    inference = infer(read)
    assumed = assumed_ranges(read, inference, Given(ranges))
    return Said(analyse(read, inference, assumed, settings))
