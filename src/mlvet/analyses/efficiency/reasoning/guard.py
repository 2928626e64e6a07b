"""Reasoning in a process of its own, which is killed when rules take too long or too much memory."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from multiprocessing import get_context
from multiprocessing.connection import Connection

from mlvet.analyses.efficiency.reasoning.solving import Answers, RuleProblem, RuleText, answers
from mlvet.core.forking import may_fork

SECONDS = 10.0
MEMORY = 1 << 30


def guarded(
    facts: Sequence[str], rules: Sequence[RuleText], schema: Sequence[str], own: str, *, seconds: float = SECONDS,
    memory: int = MEMORY,
) -> Answers:  # fmt: skip
    """What rules suggest, or that they were stopped; `own` is how the rules are called that may be at fault."""
    context = get_context("fork") if may_fork() else get_context("spawn")
    receiving, sending = context.Pipe(duplex=False)
    process = context.Process(target=_reason, args=(sending, facts, rules, schema, memory), daemon=True)
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
    sending: Connection, facts: Sequence[str], rules: Sequence[RuleText], schema: Sequence[str], memory: int
) -> None:
    _limit(memory)
    with suppress(MemoryError):
        sending.send(answers(facts, rules, schema))
    sending.close()


def _limit(memory: int) -> None:
    """Bound the address space beyond what the process already holds, where the system can."""
    try:
        import resource
    except ImportError:
        return
    with open("/proc/self/statm", encoding="ascii") as file:
        held = int(file.read().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (held + memory, held + memory))
