"""Reasoning in a process of its own, which is killed when rules take too long or too much memory."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from multiprocessing import get_context
from multiprocessing.connection import Connection

from mlvet.analyses.efficiency.reasoning.solving import OWN, Answers, RuleProblem, RuleText, answers
from mlvet.core.forking import may_fork

SECONDS = 10.0
MEMORY = 1 << 30
MOST = 1_000
"""How many reports are told of one program."""


def guarded(
    facts: Sequence[str], rules: Sequence[RuleText], schema: Sequence[str], own: str, *, seconds: float = SECONDS,
    memory: int = MEMORY,
) -> Answers:  # fmt: skip
    """What the user's rules report, or that they were stopped; `own` is how those rules are called."""
    context = get_context("fork") if may_fork() else get_context("spawn")
    receiving, sending = context.Pipe(duplex=False)
    process = context.Process(target=_reason, args=(sending, facts, rules, schema, own, memory), daemon=True)
    process.start()
    sending.close()
    try:
        if not receiving.poll(seconds):
            return Answers(
                problems=[RuleProblem(own, 0, f"took more than {seconds:g} s, so these rules were left out")]
            )
        found: Answers = receiving.recv()
    except EOFError:
        return _stopped(own, f"{memory >> 20} MB of memory")
    finally:
        process.kill()
        process.join()
        receiving.close()
    return found


def _stopped(own: str, limit: str) -> Answers:
    return Answers(problems=[RuleProblem(own, 0, f"took more than {limit}, so these rules were left out")])


def _reason(
    sending: Connection, facts: Sequence[str], rules: Sequence[RuleText], schema: Sequence[str], own: str, memory: int
) -> None:
    _limit(memory)
    with suppress(MemoryError):
        sending.send(_reported(answers(facts, rules, schema), own))
    sending.close()


def _reported(found: Answers, own: str) -> Answers:
    """What the user's rules report, the first of it if it is more than anybody reads."""
    reports = [each for each in found.suggested if each.pattern == OWN]
    if len(reports) > MOST:
        words = f"reported {len(reports):,} times, of which the first {MOST:,} are told"
        found.problems.append(RuleProblem(own, 0, words))
    return Answers(reports[:MOST], found.problems)


def _limit(memory: int) -> None:
    """Bound the address space beyond what the process already holds, where the system can."""
    try:
        import resource
    except ImportError:
        return
    with open("/proc/self/statm", encoding="ascii") as file:
        held = int(file.read().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (held + memory, held + memory))
