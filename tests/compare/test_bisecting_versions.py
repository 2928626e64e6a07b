"""The version with which a finding comes: by halving, and with a real package index of small wheels in a folder."""

from __future__ import annotations

import zipfile
from collections.abc import Sequence
from pathlib import Path

import pytest

from mlvet.analyses.compare.bisecting import turning_point
from tests.compare.conftest import Compare

VERSIONS = ("1.0", "1.1", "1.2", "1.3", "1.4", "1.5")
PATCH = """
import onnx.reference.ops.op_relu as module
right = module.Relu._run
module.Relu._run = lambda self, x: (right(self, x)[0] * 1.01,)
"""


def tried(first_new: int, unknown: Sequence[int] = (), count: int = 16) -> tuple[tuple[str, str, tuple[str, ...]], int]:
    """The turning point of versions that turn at an index, and how often one was asked for."""
    asked = set()

    def has(version: str) -> bool | None:
        asked.add(version)
        return None if int(version) in unknown else int(version) >= first_new

    return turning_point([str(number) for number in range(count)], has), len(asked)


@pytest.mark.parametrize("turn", range(1, 16))
def test_halving_finds_the_first_version_that_differs(turn: int) -> None:
    found, asked = tried(turn)
    assert found == (str(turn - 1), str(turn), ())
    assert asked <= 6


def test_versions_of_which_nothing_is_known_are_passed_over() -> None:
    assert tried(7, unknown=(8, 4))[0] == ("6", "7", ())
    assert tried(7, unknown=(6, 7, 8))[0] == ("5", "9", ("6", "7", "8"))
    assert tried(2, unknown=range(1, 15))[0] == ("0", "15", tuple(map(str, range(1, 15))))


def wheel(folder: Path, version: str, content: str) -> None:
    """A wheel that puts a module into an interpreter which is loaded when that starts."""
    about = f"probed-{version}.dist-info"
    files = {
        "sitecustomize.py": content,
        f"{about}/METADATA": f"Metadata-Version: 2.1\nName: probed\nVersion: {version}\n",
        f"{about}/WHEEL": "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
        f"{about}/RECORD": "",
    }
    with zipfile.ZipFile(folder / f"probed-{version}-py3-none-any.whl", "w") as archive:
        for name, text in files.items():
            archive.writestr(name, text)


def test_the_version_that_broke_a_backend_is_named(compare: Compare, onnx_model: Path) -> None:
    folder = onnx_model.parent / "index"
    folder.mkdir()
    for version in VERSIONS:
        wheel(folder, version, PATCH if version >= "1.4" else "")
    (folder / "probed-1.3-py3-none-any.whl").write_bytes(b"no wheel")
    code, report, _ = compare(
        onnx_model.name, "--backends", "onnxruntime,onnx-reference", "--bisect", "probed=1.0..1.5",
        PIP_NO_INDEX="1", PIP_FIND_LINKS=str(folder), PIP_CONFIG_FILE="/dev/null",
        XDG_CACHE_HOME=str(onnx_model.parent / "cache"),
    )  # fmt: skip
    told = report["summary"]["analyses"]["compare"]["bisection"]
    (turn,) = told["turns"]
    assert (code, turn["blamed"], turn["kind"], turn["comes"]) == (1, "onnx-reference", "Relu", True)
    assert (turn["before"], turn["after"], turn["untried_between"]) == ("1.2", "1.4", ["1.3"])
    assert list(told["skipped"]) == ["1.3"]
    assert len(told["tried"]) < len(VERSIONS)
    assert any("not tried: probed 1.3: cannot be installed" in note for note in report["summary"]["notes"])


@pytest.mark.parametrize(
    ("given", "words"),
    [("probed", "PACKAGE=V1..V2"), ("probed=1.0", "PACKAGE=V1..V2"), ("probed=1.0..9.9", "there is no probed 9.9"),
     ("probed=1.5..1.0", "is not before"), ("nothing-of-this=1..2", "pip finds no versions")],
)  # fmt: skip
def test_versions_that_there_are_not(compare: Compare, onnx_model: Path, given: str, words: str) -> None:
    for version in ("1.0", "1.5"):
        wheel(onnx_model.parent, version, "")
    index = {"PIP_NO_INDEX": "1", "PIP_FIND_LINKS": str(onnx_model.parent), "PIP_CONFIG_FILE": "/dev/null"}
    code, report, errors = compare(onnx_model.name, "--bisect", given, **index)
    assert (code, report, errors.count("\n")) == (2, {}, 1)
    assert words in errors
