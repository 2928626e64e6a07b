"""The closing lines of a report for people."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from mlvet.core.grade import Certainty, Severity
from mlvet.core.result import Hidden, Summary, Vetting


def sentence(vetting: Vetting) -> str:
    """How many findings in how many files, such as `Found 2 errors, 1 warning in 14 files (0.8 s).`"""
    counts = vetting.count()
    found = [counted(counts[severity], severity.value) for severity in reversed(Severity) if counts[severity]]
    what = f"Found {', '.join(found)}" if found else "No problems found"
    failed = len(vetting.summary.problems)
    end = f"; {counted(failed, 'input')} could not be analysed." if failed else "."
    return f"{what} in {counted(vetting.summary.files, 'file')} ({vetting.summary.seconds:.1f} s){end}"


def remarks(vetting: Vetting) -> Iterator[str]:
    """What belongs beside the sentence, such as what was analysed and what is hidden; problems are not among it."""
    yield from analysed(vetting.summary)
    yield from hidden(vetting.summary.hidden)
    for note in vetting.summary.notes:
        yield f"note: {note}"


def analysed(summary: Summary) -> Iterator[str]:
    """How much of models and of programs was analysed; nothing of what there is none of."""
    if summary.operators_analysed or summary.operators_unanalysed:
        left = f", {summary.operators_unanalysed:,} not analysed" if summary.operators_unanalysed else ""
        yield f"Analysed {counted(summary.operators_analysed, 'operator')}{left}."
    figures = summary.analyses.get("python", {})
    if figures.get("operators"):
        yield _followed(figures)


def _followed(figures: Mapping[str, int]) -> str:
    """How far programs were followed, and how their shapes were decided."""
    paths, nodes = counted(figures.get("paths", 0), "path"), counted(figures["operators"], "operator")
    line = f"Followed {paths} of programs with {nodes}"
    if checks := figures.get("shape_checks", 0):
        demands = counted(figures.get("shape_demands", 0), "constraint")
        without = figures.get("shape_without_z3", 0)
        how = "all" if without == checks else f"{without / checks:.1%}"
        line += f" and {demands}, {how} of {counted(checks, 'check')} decided without Z3"
    if undecided := figures.get("shape_undecided", 0):
        line += f", {undecided:,} undecided"
    return line + "."


def hidden(counts: Hidden) -> Iterator[str]:
    """One line for each reason why findings are not shown, with the way to see them."""
    if counts.certainty:
        grades = [grade for grade in Certainty if counts.unsure.get(grade)]
        split = ", ".join(f"{counts.unsure[grade]:,} {grade.value}" for grade in grades)
        how = f"show {_them(counts.certainty)} with --min-certainty {grades[0].value}"
        yield f"{_more(counts.certainty)} less certain ({split}): {how}"
    if counts.severity:
        yield f"{_more(counts.severity)} less severe: show {_them(counts.severity)} with --min-severity suggestion"
    if counts.suppressed:
        yield f"{_more(counts.suppressed)} suppressed by comments"
    if counts.baseline:
        yield f"{_more(counts.baseline)} in the baseline"


def counted(number: int, noun: str) -> str:
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def _more(number: int) -> str:
    return f"{number:,} more {'is' if number == 1 else 'are'}"


def _them(number: int) -> str:
    return "it" if number == 1 else "them"
