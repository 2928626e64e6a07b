"""Every rule that an operator names when it demands something is in the catalogue."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import mlvet.ops
from mlvet.analyses.catalogue import catalogue

FILES = sorted(Path(mlvet.ops.__file__).parent.glob("*.py"))
DEMANDS = frozenset({"equal", "at_least", "divisible", "holds", "rank", "rank_at_least", "axis"})


def named_rules(path: Path) -> set[str]:
    """The texts of the form of a rule's name in calls to `require`, and those that the module gives a name."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    calls = (node for node in ast.walk(tree) if isinstance(node, ast.Call))
    named = [
        node.value for node in tree.body if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]).isupper()
    ]
    arguments = (
        argument
        for call in calls
        if isinstance(call.func, ast.Attribute) and call.func.attr in DEMANDS
        for argument in (*call.args, *(keyword.value for keyword in call.keywords if keyword.arg == "rule"))
    )
    texts = (
        node.value for node in (*named, *arguments) if isinstance(node, ast.Constant) and isinstance(node.value, str)
    )
    return {text for text in texts if "-" in text and " " not in text}


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_the_rules_that_a_family_names_exist(path: Path) -> None:
    assert named_rules(path) <= set(catalogue())


def test_names_are_found_at_all() -> None:
    assert len(set().union(*map(named_rules, FILES))) > 8
