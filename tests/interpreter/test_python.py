"""The interpreter says of ordinary Python what Python says of it."""

from __future__ import annotations

from pathlib import Path

import pytest
from agreement_with_python import differences, executed

from mlvet.frontends.python.program import interpret_text

PROGRAMS = sorted((Path(__file__).parent / "programs").glob("*.py"))


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda path: path.stem)
def test_every_name_has_the_value_that_python_gives_it(program: Path) -> None:
    text = program.read_text(encoding="utf-8")
    found = interpret_text(text)
    assert len(executed(text)) >= 10
    assert differences(text, found) == {}
    assert found.reached == found.statements or found.reached >= 0.9 * found.statements
