"""Findings that are not shown again: suppressed by a comment, or in the baseline; and fixes."""

from __future__ import annotations

from pathlib import Path

import pytest
from command import BUG, complaints, document, findings, run

UNUSED = "total = 1 + 1  # mlvet: ignore[undefined-variable]\n"


def test_a_suppressed_finding_is_counted_not_shown(project: Path) -> None:
    (project / "bug.py").write_text("print(undefined_name)  # mlvet: ignore[undefined-variable]\n")
    done = run("check", "--output-format", "json", cwd=project)
    assert (findings(done), done.returncode) == ([], 0)
    assert document(done)["summary"]["hidden"]["suppressed"] == 1


@pytest.mark.parametrize(
    ("comment", "message"),
    [
        ("# mlvet: ignore[undefined-variable]", "nothing here needs the suppression of `undefined-variable`"),
        ("# mlvet: ignore[py101]", "nothing here needs the suppression of `py101`"),
        ("# mlvet: ignore", "nothing here needs the suppression of any rule"),
        ("# mlvet: ignore[undefined-varable]", "did you mean `undefined-variable`?"),
        ("# mlvet: ignore[]", "the list of rules is empty"),
    ],
)
def test_an_unused_suppression_is_reported(project: Path, comment: str, message: str) -> None:
    (project / "bug.py").write_text(f"x = 1  {comment}\n")
    (found,) = document(run("check", "--output-format", "json", cwd=project))["findings"]
    assert found["rule"] == "unused-suppression"
    assert message in found["message"]


def test_a_suppression_is_not_unused_when_its_rule_was_not_looked_for(project: Path) -> None:
    (project / "bug.py").write_text(UNUSED)
    assert findings(run("check", "--ignore", "PY101", "--output-format", "json", cwd=project)) == []


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("x = 1  # mlvet: ignore[missing-key]\n", "x = 1\n"),
        ("x = 1  # mlvet: ignore[missing-key] for now\n", "x = 1  # for now\n"),
        ("x = 1  # why  # mlvet: ignore[missing-key]\n", "x = 1  # why\n"),
        ("x = 1  # mlvet: ignore[missing-key] # why\n", "x = 1   # why\n"),
        ("if x := 1:\n    # mlvet: ignore\n    y = 1\n", "if x := 1:\n\n    y = 1\n"),
        ("\ufeffx = 'é'  # mlvet: ignore[missing-key]\r\ny = 2\r\n", "\ufeffx = 'é'\r\ny = 2\r\n"),
    ],
)
def test_fix_removes_what_is_not_needed_and_keeps_the_rest(project: Path, before: str, after: str) -> None:
    (project / "bug.py").write_bytes(before.encode())
    done = run("check", "--fix", cwd=project)
    assert (project / "bug.py").read_bytes().decode() == after
    assert (done.returncode, complaints(done)) == (0, ["mlvet: applied 1 fix"])


def test_unsafe_fixes_need_to_be_asked_for(project: Path) -> None:
    typo = "counter = 1\nprint(countr)\n"
    (project / "bug.py").write_text(typo)
    run("check", "--fix", cwd=project)
    assert (project / "bug.py").read_text() == typo
    done = run("check", "--unsafe-fixes", cwd=project)
    assert (project / "bug.py").read_text() == "counter = 1\nprint(counter)\n"
    assert done.returncode == 0


def test_diff_changes_nothing(project: Path) -> None:
    (project / "bug.py").write_text(UNUSED)
    done = run("check", "--diff", cwd=project)
    assert done.stdout.splitlines() == [
        "--- bug.py",
        "+++ bug.py",
        "@@ -1 +1 @@",
        f"-{UNUSED.rstrip()}",
        "+total = 1 + 1",
    ]
    assert done.returncode == 1
    assert (project / "bug.py").read_text() == UNUSED


def test_a_file_in_another_encoding_is_not_written(project: Path) -> None:
    data = b"# coding: latin-1\nx = '\xe9'  # mlvet: ignore[missing-key]\n"
    (project / "bug.py").write_bytes(data)
    assert run("check", "--fix", cwd=project).returncode == 1
    assert (project / "bug.py").read_bytes() == data


def test_a_baseline_shows_only_what_is_new(project: Path) -> None:
    done = run("baseline", cwd=project)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == f"Wrote 1 finding to {project / 'mlvet-baseline.json'}.\n"
    assert run("check", cwd=project).returncode == 0
    (project / "bug.py").write_text(f"import os\n\n{BUG}print(another_name)\n")
    done = run("check", "--output-format", "json", cwd=project)
    assert findings(done) == [("bug.py", 4, "undefined-variable")]
    assert document(done)["summary"]["hidden"]["baseline"] == 1


def test_a_baseline_can_be_elsewhere(project: Path) -> None:
    assert run("baseline", "--output", "known.json", cwd=project).returncode == 0
    assert run("check", cwd=project).returncode == 1
    assert run("check", "--baseline", "known.json", cwd=project).returncode == 0


def test_a_new_baseline_holds_what_the_old_one_held(project: Path) -> None:
    run("baseline", cwd=project)
    assert run("baseline", cwd=project).stdout.startswith("Wrote 1 finding to ")


def test_a_fix_changes_the_file_that_its_edits_are_of(project: Path) -> None:
    (project / "bug.py").write_text(
        "import torch\nfrom sizes import FEATURES\n\ny = torch.nn.Linear(FEATURES, 3)(torch.zeros(2, 400))\n"
    )
    sizes = project / "sizes.py"
    sizes.write_text("FEATURES = 256\n")
    before = (project / "bug.py").read_text()
    run("check", "--select", "SHP", "--unsafe-fixes", "bug.py", cwd=project)
    assert sizes.read_text() == "FEATURES = 256\n"
    done = run("check", "--select", "SHP", "--unsafe-fixes", cwd=project)
    assert (sizes.read_text(), (project / "bug.py").read_text()) == ("FEATURES = 400\n", before)
    assert (done.returncode, complaints(done)) == (0, ["mlvet: applied 1 fix"])
