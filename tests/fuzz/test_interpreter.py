"""Random programs: the interpreter says of each what Python makes of it, and never breaks on text of any kind.

The same programs each time; MLVET_FUZZ=5000 draws that many others.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Mapping
from typing import Any

from drawn_programs import UNKNOWN, VARIABLES, open_programs, programs
from hypothesis import HealthCheck, assume, example, given, settings
from hypothesis import strategies as st

from mlvet.domains.dims import Expr, evaluate, symbol, symbols
from mlvet.frontends.python.machine import Limits
from mlvet.frontends.python.program import interpret_text
from mlvet.frontends.python.values.choices import Choice
from mlvet.frontends.python.values.containers import DictValue, ListValue, Repeated
from mlvet.frontends.python.values.numbers import Scalar
from mlvet.frontends.python.values.unknown import Unknown

UNKNOWN_SHARE = 0.1
(U,) = symbols(symbol(UNKNOWN))
SMALL = Limits(steps=20_000, seconds=5.0)

EXPLORED = os.environ.get("MLVET_FUZZ")
slowly = settings(
    suppress_health_check=list(HealthCheck), deadline=None, max_examples=int(EXPLORED or 200), derandomize=not EXPLORED
)


def plain(value: Any) -> Any:
    """A value of the interpreter as Python's own; raises LookupError where it is not known."""
    match value:
        case Unknown() | Scalar() | Expr() | Choice():
            raise LookupError(repr(value))
        case ListValue():
            items = value.cells["items"]
            if not isinstance(items, tuple):
                raise LookupError(repr(value))  # noqa: TRY004
            return [plain(item) for item in items]
        case DictValue():
            if value.rest is not None:
                raise LookupError(repr(value))
            return {key: plain(item) for key, item in value.cells.items()}
        case tuple():
            return tuple(plain(item) for item in value)
        case bool() | float() | str():
            return value
        case int():
            return int(value)
    return value


def outcome(program: str, known: Mapping[str, int] | None = None) -> tuple[dict[str, Any], str]:
    """What Python makes of a program: its variables at the end, and the name of the exception that ended it."""
    names: dict[str, Any] = dict(known or {})
    try:
        exec(compile(program, "<drawn>", "exec"), names)
    except Exception as error:
        return names, type(error).__name__
    return names, ""


@slowly
@given(programs())
def test_variables_are_what_python_says(program: str) -> None:
    names, raised = outcome(program)
    found = interpret_text(program, {})
    assert raised or found.raised is None, f"nothing is raised, but it is said that {found.raised} is, by\n{program}"
    for name in () if raised else VARIABLES:
        with contextlib.suppress(LookupError):
            said = plain(found.names[name])
            assert (type(said), said) == (type(names[name]), names[name]), f"{name} of\n{program}"


def may_be(said: Any, real: Any, u: int) -> bool:
    """Whether what the interpreter says of a value allows for what it is when the unknown is u."""
    match said:
        case Unknown():
            return True
        case Scalar():
            return isinstance(real, said.kind)
        case Expr():
            return type(real) is int and (symbols(said) != {U} or evaluate(said, {UNKNOWN: u}) == real)
        case Choice():
            return any(may_be(each, real, u) for _, each in said.alternatives)
        case ListValue():
            return isinstance(real, list) and may_be(said.cells["items"], tuple(real), u)
        case Repeated():
            return all(may_be(said.element, each, u) for each in real)
        case tuple():
            same = isinstance(real, tuple) and len(real) == len(said)
            return same and all(may_be(one, other, u) for one, other in zip(said, real, strict=True))
        case DictValue():  # A key that one branch sets counts as set.
            known = isinstance(real, dict) and (said.rest is not None or set(real) <= set(said.cells))
            return known and all(may_be(said.cells[key], each, u) for key, each in real.items() if key in said.cells)
    return type(plain(said)) is type(real) and said == real


@slowly
@given(open_programs())
def test_variables_may_be_what_python_says_for_any_number(program: str) -> None:
    """A handler that runs for some numbers only is not followed, so such programs are left out."""
    found = interpret_text(program, {UNKNOWN: symbol(UNKNOWN)})
    outcomes = [outcome(program, {UNKNOWN: u}) for u in range(6)]
    assume(len({len(names["caught"]) for names, _ in outcomes}) == 1)
    for u, (names, raised) in enumerate(outcomes):
        for name in () if raised else VARIABLES:
            said = found.names[name]
            assert may_be(said, names[name], u), f"{name} is {names[name]!r} if u is {u}, but {said!r}, in\n{program}"
        assert raised or found.raised is None, f"raises {found.raised}, but not if u is {u}, in\n{program}"


def test_most_variables_are_known() -> None:
    known = unknown = 0

    @settings(slowly, max_examples=60, derandomize=True)
    @given(programs())
    def count(program: str) -> None:
        nonlocal known, unknown
        _, raised = outcome(program)
        found = interpret_text(program, {})
        for name in () if raised else VARIABLES:
            try:
                plain(found.names[name])
                known += 1
            except LookupError:
                unknown += 1

    count()
    assert unknown <= UNKNOWN_SHARE * (known + unknown), f"{unknown} of {known + unknown} variables are unknown"


WORDS = (
    "import torch", "import numpy as np", "from keras import layers", "x", "y", "=", "(", ")", "[", "]", "{", "}", ":",
    ",", ".", "\n", "\n    ", "\n        ", "for", "in", "if", "else", "while", "def f(x)", "class A", "return",
    "yield", "lambda", "not", "and", "*", "**", "+", "@", "1", "0", "-1", "2.5", "'a'", "None", "True",
    "torch.zeros(2, 3)", "np.ones((2, 3))", "layers.Dense(4)", "range(3)", "len", "super().__init__()", "self", "try",
    "except",
    "finally",
    "with", "as", "raise", "pass", "break", "continue", "global x", "del", "assert", "async", "await", "match x",
    "case", "f(x)", "x.view(-1)", "x.shape", "x[0]", "x[..., None]", "x[1:, ::2]", ":=", "->", "==", "<", "is",
    "print(x)",
)  # fmt: skip


@slowly
@given(st.lists(st.sampled_from(WORDS), max_size=40).map(" ".join) | programs().flatmap(
    lambda text: st.tuples(st.integers(0, len(text)), st.integers(0, 9), st.sampled_from(WORDS)).map(
        lambda cut: text[: cut[0]] + cut[2] + text[cut[0] + cut[1] :]
    )
))  # fmt: skip
@example("x = torch.zeros(2, 3)")
@example("import torch\nx = torch.zeros(2, 3)\nfor y in x: x = y")
@example("class A(A): pass")
def test_no_text_breaks_the_interpreter(text: str) -> None:
    try:
        compile(text, "<drawn>", "exec")
    except (SyntaxError, ValueError):
        return
    interpret_text(text, {}, SMALL)


def test_programs_are_varied() -> None:
    """The drawn programs run to their end more often than not, and hold every kind of statement."""
    ended = total = 0
    seen = ""

    @settings(slowly, max_examples=60, derandomize=True)
    @given(programs())
    def count(program: str) -> None:
        nonlocal ended, total, seen
        total += 1
        ended += not outcome(program)[1]
        seen += program

    count()
    assert ended > 0.7 * total, f"{ended} of {total}"
    for word in ("for i in", "while n", "try:", "else:", "break", "continue", "lambda", "yield", "global"):
        assert word in seen, word
