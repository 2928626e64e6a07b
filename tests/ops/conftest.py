"""Prints after the run how many examples each facet was tried with."""

from __future__ import annotations

from typing import Any

import tally


def pytest_terminal_summary(terminalreporter: Any) -> None:
    if tally.examples:
        terminalreporter.section("examples per facet")
        for facet, number in tally.examples.items():
            terminalreporter.write_line(
                f"{facet:<12} {number:>7} examples of {len(tally.operators[facet]):>4} operators"
            )
