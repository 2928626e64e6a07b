"""The models on the pages of CMP rules, run: the one fires the rule, the other does not."""

from __future__ import annotations

from pathlib import Path

import onnx
import onnx.parser
import pytest

from mlvet.analyses.catalogue import catalogue
from tests.compare.conftest import Compare

PAGES = {
    name: rule.page()
    for name, rule in catalogue().items()
    if rule.code.startswith("CMP") and "ir_version" in rule.page().code("Example")
}
NEED_A_DEFECT = ("fusion-dependent",)
"""Rules whose example is a model that no installed backend is known to fail on."""


def fired(compare: Compare, folder: Path, text: str) -> set[str]:
    onnx.save(onnx.parser.parse_model(text), str(folder / "model.onnx"))
    _, report, _ = compare("model.onnx", "--backends", "onnxruntime,openvino")
    return {finding["rule"] for finding in report["findings"]}


@pytest.mark.parametrize("name", [name for name in PAGES if name not in NEED_A_DEFECT])
def test_the_model_fires_the_rule(name: str, compare: Compare, tmp_path: Path) -> None:
    assert name in fired(compare, tmp_path, PAGES[name].code("Example"))


@pytest.mark.parametrize("name", PAGES)
def test_the_model_to_use_instead_does_not(name: str, compare: Compare, tmp_path: Path) -> None:
    assert fired(compare, tmp_path, PAGES[name].code("Use instead")) == set()
