"""Full batches, sizes that are not 0, and one report for what programs and modules show alike."""

from __future__ import annotations

from pathlib import Path

import pytest
from judging import judged, line_of

from mlvet.core.grade import Certainty
from mlvet.core.source import Source
from mlvet.programs import Program, distinct, vet_program

LOADED = """
    import torch
    from torch import nn
    from torch.utils.data import DataLoader, TensorDataset

    rows = TensorDataset(torch.zeros(1000, 20), torch.zeros(1000, dtype=torch.long))
    layer = nn.Linear(20, 5)
    for features, labels in DataLoader(rows, batch_size=128):
        scores = layer(features.transpose(0, 1))  # HERE
"""


def test_a_full_batch_is_taken_for_granted_and_said_so(tmp_path: Path) -> None:
    (found,) = judged(LOADED, tmp_path)
    assert found.certainty is Certainty.LIKELY
    assert found.location.line == line_of(LOADED)
    assert "where `batch` is 128, a full batch" in found.message
    assert [each.text for each in found.assumptions] == ["`batch` is 128, a full batch"]


def test_batches_of_as_many_rows_as_there_are_features_fit(tmp_path: Path) -> None:
    assert judged(LOADED.replace("batch_size=128", "batch_size=20"), tmp_path) == []


def test_no_batch_is_empty(tmp_path: Path) -> None:
    program = """
        import keras
        from keras import layers

        inputs = keras.Input((3136,))
        outputs = layers.Reshape((7, 7, 128))(inputs)  # HERE
    """
    (found,) = judged(program, tmp_path)
    assert (found.certainty, found.location.line) == (Certainty.PROVED, line_of(program))


def test_what_a_program_shows_of_its_module_is_not_told_of_the_module_alone(tmp_path: Path) -> None:
    (tmp_path / "net.py").write_text(
        "import torch\n\n\ndef head(m, n):\n"
        "    y = torch.zeros(7, m) @ torch.zeros(n, 3)\n"
        "    return y @ torch.zeros(4, 2)\n"
    )
    (tmp_path / "train.py").write_text("from net import head\nimport torch\n\nhead(6, 5)\n")
    told = []
    for name in ("net.py", "train.py"):
        file = tmp_path / name
        outcome = vet_program(Program(file, Source(name, file.read_text()), tmp_path))
        told += [(name, finding) for finding in outcome.findings]
    assert [(each.location.path, each.location.line) for each in distinct(told)] == [("net.py", 5)]
    assert ("net.py", 6) in [(each.location.path, each.location.line) for _, each in told]


def test_a_model_that_is_called_wrongly_twice_is_told_once(tmp_path: Path) -> None:
    program = """
        import numpy as np
        import keras
        from keras import layers

        inputs = keras.Input((4,))
        model = keras.Model(inputs, layers.Dense(2)(inputs))
        model.compile("adam", "mse")
        model.fit(np.zeros((64, 3)), np.zeros((64, 2)))  # HERE
        model.predict(np.zeros((10, 5)))
    """
    (found,) = judged(program, tmp_path)
    assert found.location.line == line_of(program)


SHORT_BATCH = """
    import torch
    from torch.utils.data import DataLoader, TensorDataset

    rows = TensorDataset(torch.zeros(50, 20))
    for (features,) in DataLoader(rows, batch_size=16):
        squares = features.view(16, 4, 5)  # HERE
"""


def test_the_last_batch_has_what_is_left(tmp_path: Path) -> None:
    (found,) = judged(SHORT_BATCH, tmp_path)
    assert (found.certainty, found.location.line) == (Certainty.LIKELY, line_of(SHORT_BATCH))
    assert "where `batch` is 2, the last batch" in found.message


@pytest.mark.parametrize(
    "change",
    [
        ("zeros(50", "zeros(48"),
        ("batch_size=16", "batch_size=16, drop_last=True"),
        ("    squares", "    if len(features) == 16:\n            squares"),
    ],
)
def test_a_last_batch_that_is_full_or_left_out_is_fine(change: tuple[str, str], tmp_path: Path) -> None:
    assert judged(SHORT_BATCH.replace(*change), tmp_path) == []
