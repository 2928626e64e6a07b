"""Rules: each is one documented file, and selectors name them."""

from __future__ import annotations

import re
import sys

import pytest

from mlvet.analyses.catalogue import catalogue
from mlvet.core.errors import UsageError
from mlvet.core.rule import CONFIGURATION, HEADINGS, Page, Rule, did_you_mean, expand

RULES = catalogue()


@pytest.mark.parametrize("rule", RULES.values(), ids=RULES)
def test_a_rule_is_one_documented_file(rule: type[Rule]) -> None:
    module = sys.modules[rule.__module__]
    assert module.__file__ is not None
    assert module.__file__.endswith(f"/rules/{rule.name.replace('-', '_')}.py")
    assert re.fullmatch(r"[A-Z]{2,3}\d{3}", rule.code)
    page = rule.page()
    assert tuple(page.sections) == tuple(head for head in HEADINGS if head in page.sections)
    assert set(HEADINGS) - set(page.sections) <= {CONFIGURATION}
    assert all(text.strip() for text in page.sections.values())
    assert page.title.endswith(".")
    assert "\n" not in page.title


def test_codes_are_unique_and_order_the_catalogue() -> None:
    codes = [rule.code for rule in RULES.values()]
    assert len(set(codes)) == len(codes) > 10
    assert codes == sorted(codes)


def test_the_code_of_a_page_is_its_indented_block() -> None:
    page = Page("Title.", {"Example": "Words before.\n\n    if x:\n        y()\n\n    z()\n\nWords after."})
    assert page.code("Example") == "if x:\n    y()\n\nz()\n"


def test_the_code_of_a_page_keeps_the_indentation_below_its_first_line() -> None:
    assert Page("Title.", {"Example": "    if x:\n        y()"}).code("Example") == "if x:\n    y()\n"


def test_selectors_are_names_codes_prefixes_and_all() -> None:
    assert expand(("undefined-variable",), RULES) == {"undefined-variable"}
    assert expand((" Undefined-Variable ",), RULES) == {"undefined-variable"}
    assert expand(("PY101",), RULES) == expand(("py101",), RULES) == {"undefined-variable"}
    assert expand(("PY1",), RULES) == {name for name, rule in RULES.items() if rule.code.startswith("PY1")}
    assert expand(("all",), RULES) == set(RULES)
    assert expand(("PY1", "undefined-variable", "PY402"), RULES) == expand(("PY1", "PY402"), RULES)
    assert expand((), RULES) == set()


@pytest.mark.parametrize(
    ("selector", "complaint"),
    [
        ("undefined-varable", "unknown rule `undefined-varable`; did you mean `undefined-variable`?"),
        ("PY999", "unknown rule `PY999`"),
        ("", "unknown rule ``"),
        ("zzzzzzzz", "unknown rule `zzzzzzzz` (`mlvet rule` lists all rules)"),
    ],
)
def test_an_unknown_selector_names_the_nearest(selector: str, complaint: str) -> None:
    with pytest.raises(UsageError, match=re.escape(complaint)):
        expand((selector,), RULES)


def test_nothing_is_suggested_when_nothing_is_near() -> None:
    assert did_you_mean("Slect", ["select", "ignore"]) == "; did you mean `select`?"
    assert did_you_mean("q", ["select", "ignore"]) == ""
