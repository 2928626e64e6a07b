"""Each library model says of a program what the library does with it, case by case."""

from __future__ import annotations

from pathlib import Path

import pytest
from library_agreement import differences, interpreted, real_outcomes, report
from library_cases import cases, draws, files, libraries

FILES = [(library, file) for library in libraries() for file in files(library)]
UNKNOWN_SHARE = 0.1
"""The share of the cases of a file whose answer mlvet may leave open."""


@pytest.fixture(scope="session")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder that all workers of this test run have in common."""
    folder = tmp_path_factory.getbasetemp()
    return folder.parent if folder.name.startswith("popen-") else folder


@pytest.mark.parametrize(("library", "file"), FILES, ids=[f"{library}/{file.stem}" for library, file in FILES])
def test_models_agree_with_the_library(library: str, file: Path, shared: Path) -> None:
    real = real_outcomes(library, shared)
    disagreements, unknown, total = [], [], 0
    for case in cases(file):
        for sizes, is_ in zip(draws(case), real[case.text], strict=True):
            total += 1
            answer = interpreted(case.program, sizes)
            if answer.is_unknown and is_["kind"] != "faulty":
                unknown.append(f"{case.place}: {case.text}: {answer.value!r}")
            elif found := list(differences(is_, answer)):
                disagreements.append(report(case, sizes, found))
    assert not disagreements, f"{len(disagreements)} of {total} disagree:\n" + "\n".join(disagreements)
    assert len(unknown) <= UNKNOWN_SHARE * total, f"{len(unknown)} of {total} are unknown:\n" + "\n".join(unknown)
