"""Prints after the run how many examples each facet was tried with, and how many cases of onnx pass."""

from __future__ import annotations

from typing import Any

import tally

ONNX = "onnx "


def pytest_terminal_summary(terminalreporter: Any) -> None:
    if tally.examples:
        terminalreporter.section("examples per facet")
        for facet, number in tally.examples.items():
            terminalreporter.write_line(
                f"{facet:<12} {number:>7} examples of {len(tally.operators[facet]):>4} operators"
            )
    counts: dict[str, list[int]] = {}
    for report in [*terminalreporter.stats.get("passed", ()), *terminalreporter.stats.get("failed", ())]:
        for name, figures in report.user_properties if report.when == "call" else ():
            if name.startswith(ONNX):
                passed, cases = figures
                held = counts.setdefault(name.removeprefix(ONNX), [0, 0])
                held[0] += passed
                held[1] += cases
    if counts:
        terminalreporter.section("cases of the onnx package")
        for name, (passed, cases) in counts.items():
            terminalreporter.write_line(f"{name:<14} {passed:>5} of {cases:>5} pass, {100 * passed / cases:.1f} %")
