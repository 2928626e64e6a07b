"""The table of findings in repositories: each is counted by its verdict, and what nobody looked at is shown."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT))

from benchmarks.shapes import corpora as repositories  # noqa: E402
from benchmarks.shapes.classification import VERDICTS, line_hash, verdicts  # noqa: E402
from benchmarks.shapes.corpora import CORPORA, Corpus, distinct  # noqa: E402
from benchmarks.shapes.judging import Judged, Told  # noqa: E402

ADDED = "import torch\n\nx = torch.zeros(3, 4) + torch.zeros(3, 5)\n"


@pytest.fixture
def shop(tmp_path: Path) -> Corpus:
    (tmp_path / "shop" / "parts").mkdir(parents=True)
    (tmp_path / "shop" / "parts" / "wrong.py").write_text(ADDED)
    (tmp_path / "shop" / "right.py").write_text(ADDED.replace("5", "4"))
    return Corpus("shop", "shop")


def test_every_verdict_is_of_a_corpus_that_is_measured_and_has_a_reason() -> None:
    found = verdicts()
    names = {corpus.name for corpus in CORPORA}
    assert len(found) == len(json.loads((ROOT / "benchmarks" / "shapes" / "classified.json").read_text()))
    for each in found.values():
        assert each.corpus in names
        assert each.verdict in VERDICTS
        assert each.sha256
        assert each.reason.endswith(".")


def test_a_finding_that_nobody_looked_at_is_shown(shop: Corpus, tmp_path: Path) -> None:
    table = repositories.main(tmp_path, 1, [shop])
    (row,) = table.rows
    told = dict(zip(table.columns, row, strict=True))
    assert (told["files"], told["files with findings"], told["proved"], told["unclassified"]) == (2, 1, 1, 1)
    assert "parts/wrong.py:3" in table.remarks[1]


def test_a_verdict_holds_while_the_line_is_the_same(tmp_path: Path) -> None:
    file = tmp_path / "one.py"
    file.write_text(ADDED)
    before = line_hash(file, 3)
    file.write_text("import os\n" + ADDED)
    assert line_hash(file, 4) == before != line_hash(file, 2)


def test_programs_that_share_a_module_tell_of_it_once() -> None:
    likely = Told("net.py", 7, "dims-differ", "likely", "error", "", frozenset())
    proved = Told("net.py", 7, "dims-differ", "proved", "error", "", frozenset())
    assert distinct([Judged((likely,), 1.0), Judged((proved,), 1.0), Judged((likely,), 1.0)]) == [proved]


def test_a_file_that_takes_too_long_is_cut(shop: Corpus, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def endless(folder: Path, files: object) -> Judged:
        while files:
            (folder / "right.py").exists()
        raise AssertionError

    monkeypatch.setattr(repositories, "LIMIT", 0.05)
    monkeypatch.setattr(repositories, "judged", endless)
    folder = tmp_path / shop.folder
    (folder / "long.py").write_text("import torch\n" + "x = torch.zeros(2, 3) @ torch.zeros(3, 4)\n" * 2000)
    assert repositories.run((folder, folder / "long.py")).error == "OutOfTime"
