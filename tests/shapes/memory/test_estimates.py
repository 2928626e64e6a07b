"""What is counted, what is assumed, and when there is no estimate."""

from __future__ import annotations

import textwrap

import pytest

from mlvet.analyses.catalogue import catalogue
from mlvet.analyses.shapes.memory.estimate import Estimate, estimates
from mlvet.analyses.shapes.memory.sizes import written
from mlvet.analyses.shapes.memory.telling import memory_findings
from mlvet.core.config import memory_of
from mlvet.core.grade import Certainty, Severity
from mlvet.core.source import Source
from mlvet.frontends.python.program import interpret

LINEAR = """
import argparse
import torch
from torch import nn

parser = argparse.ArgumentParser()
parser.add_argument("--batch-size", type=int, {option})
args = parser.parse_args()
model = nn.Linear(1024, 1024, bias=False)
optimizer = torch.optim.{optimizer}
x = torch.zeros(args.batch_size, 1024)
loss = model(x).pow(2).mean()
loss.backward()
optimizer.step()
"""
WEIGHT = 1024 * 1024 * 4


def looked_at(text: str) -> tuple[list[Estimate], list[str]]:
    found = interpret(Source("train.py", textwrap.dedent(text)))
    return estimates(found.graph, found.demanded)


@pytest.mark.parametrize(
    ("optimizer", "copies"),
    [
        ("SGD(model.parameters(), lr=0.1)", 0),
        ("SGD(model.parameters(), lr=0.1, momentum=0.9)", 1),
        ("RMSprop(model.parameters(), centered=True)", 2),
        ("Adam(model.parameters())", 2),
        ("AdamW(model.parameters(), amsgrad=True)", 3),
    ],
)
def test_the_optimiser_keeps_numbers_per_parameter(optimizer: str, copies: int) -> None:
    (one,), _ = looked_at(LINEAR.format(option="default=256", optimizer=optimizer))
    assert (one.parameters, one.gradients, one.state) == (WEIGHT, WEIGHT, copies * WEIGHT)


def test_settings_are_at_their_defaults_and_that_is_said() -> None:
    (one,), _ = looked_at(LINEAR.format(option="default=256", optimizer="SGD(model.parameters(), lr=0.1)"))
    rows = 256 * 1024 * 4
    assert one.activations == pytest.approx(2 * rows, rel=0.001)
    assert "batch_size is 256, as by default" in one.assumed
    assert "SGD keeps no numbers per parameter" in one.assumed


def test_without_a_default_there_is_no_estimate() -> None:
    found, notes = looked_at(LINEAR.format(option="required=True", optimizer="SGD(model.parameters(), lr=0.1)"))
    assert found == []
    assert notes == [
        "line 13: the size batch_size of `torch.zeros` (line 11) is not known, and so is the peak memory of training"
    ]


def test_a_program_that_does_not_train_has_none() -> None:
    assert looked_at("import torch\nmodel = torch.nn.Linear(4, 4)\ny = model(torch.zeros(2, 4))\n") == ([], [])


def test_a_loop_in_the_model_counts_all_its_iterations() -> None:
    text = """
    import torch
    from torch import nn

    class Net(nn.Module):
        def __init__(self, times):
            super().__init__()
            self.times = times
            self.layer = nn.Linear(64, 64)

        def forward(self, x):
            for _ in range(self.times):
                x = torch.tanh(self.layer(x))
            return x

    model = Net(TIMES)
    loss = model(torch.zeros(16, 64)).sum()
    loss.backward()
    """
    (few,), _ = looked_at(text.replace("TIMES", "50"))
    (many,), _ = looked_at(text.replace("TIMES", "100"))
    row = 16 * 64 * 4
    assert many.activations - few.activations == pytest.approx(50 * row, rel=0.1)


def test_frozen_parts_keep_no_activations() -> None:
    text = """
    import torch
    from torch import nn

    body, head = nn.Sequential(nn.Linear(64, 64), nn.Tanh(), nn.Linear(64, 64)), nn.Linear(64, 1)
    with torch.no_grad():
        features = body(torch.zeros(16, 64))
    optimizer = torch.optim.SGD(head.parameters(), lr=0.1)
    loss = head(features.detach()).sum()
    loss.backward()
    """
    (one,), _ = looked_at(text)
    assert one.activations == 16 * 64 * 4


def test_what_a_setting_selects_by_default_is_counted() -> None:
    text = """
    import argparse
    import torch
    from torch import nn

    parser = argparse.ArgumentParser()
    parser.add_argument("--model", default="small", choices=["small", "large"])
    args = parser.parse_args()
    if args.model == "small":
        model = nn.Linear(64, 64, bias=False)
    else:
        model = nn.Linear(64, 65536, bias=False)
    optimizer = torch.optim.Adam(model.parameters())
    loss = model(torch.zeros(4, 64)).sum()
    loss.backward()
    """
    (one,), _ = looked_at(text)
    assert (one.parameters, one.state) == (64 * 64 * 4, 2 * 64 * 64 * 4)
    assert 'args.model == "small", as by default' in one.assumed


KERAS = """
import keras
import numpy as np

model = keras.Sequential([keras.Input((784,)), keras.layers.Dense(4096, activation="relu"), keras.layers.Dense(10)])
model.compile(optimizer="adam", loss=keras.losses.SparseCategoricalCrossentropy(from_logits=True))
model.fit(np.zeros((60000, 784), "float32"), np.zeros(60000, int){more})
"""


@pytest.mark.parametrize(("more", "rows"), [("", 32), (", batch_size=256", 256)])
def test_keras_fits_in_batches(more: str, rows: int) -> None:
    (one,), _ = looked_at(KERAS.format(more=more))
    weights = (784 * 4096 + 4096 + 4096 * 10 + 10) * 4
    assert (one.parameters, one.gradients, one.state) == (weights, weights, 2 * weights)
    assert f"batch is at most {rows}" in one.assumed
    assert rows * 4096 * 4 < one.activations < 3 * rows * 4096 * 4


def test_the_finding_names_the_largest_and_stands_at_its_line() -> None:
    text = LINEAR.format(option="default=1000000", optimizer="Adam(model.parameters())")
    found = interpret(Source("train.py", text))
    (finding,), _ = memory_findings(found.graph, found.demanded, catalogue(), memory_of("4G"))
    assert (finding.rule, finding.code) == ("memory-exceeds-device", "SHP120")
    assert (finding.severity, finding.certainty) == (Severity.WARNING, Certainty.LIKELY)
    assert "training needs about 15.3 GiB at its peak, the device has 4 GiB" in finding.message
    assert "activations of" in finding.message
    assert finding.location.line in (11, 12)
    assert "batch_size is 1000000, as by default" in [each.text for each in finding.assumptions]
    assert memory_findings(found.graph, found.demanded, catalogue(), memory_of("64G")) == ([], [])


@pytest.mark.parametrize(
    ("text", "size"), [("16G", 16 << 30), ("512M", 512 << 20), ("1.5GiB", 3 << 29), ("8 gb", 8 << 30), ("2T", 2 << 40)]
)
def test_sizes_are_read_in_powers_of_1024(text: str, size: int) -> None:
    assert memory_of(text) == size


@pytest.mark.parametrize("text", ["", "16", "G", "-1G", "0G", "16X", "1e9G", 16])
def test_other_sizes_are_refused(text: object) -> None:
    with pytest.raises(ValueError, match="must be a size such as 16G"):
        memory_of(text)


def test_sizes_are_written_for_people() -> None:
    assert [written(each) for each in (512, 2048, 3 << 29, 10**18)] == ["512 B", "2 KiB", "1.5 GiB", "9.09e+05 TiB"]
