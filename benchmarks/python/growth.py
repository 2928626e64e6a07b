"""What the interpreter costs on generated networks of growing depth, each in a process of its own."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from benchmarks.python.corpora import alone
from benchmarks.table import Table

LENGTHS = (10, 100, 1_000)
LIMIT = 120.0


def by_loop(layers: int) -> str:
    """A network whose layers a loop makes."""
    return f"""import torch
import torch.nn as nn

layers = []
for index in range({layers}):
    layers += [nn.Linear(64, 64), nn.ReLU()]
model = nn.Sequential(*layers)
out = model(torch.zeros(8, 64))
out.sum().backward()
"""


def straight(layers: int) -> str:
    """A network that a program writes out layer by layer."""
    made = "".join(f"        self.fc{n} = nn.Linear(64, 64)\n" for n in range(layers))
    used = "".join(f"        x = torch.relu(self.fc{n}(x))\n" for n in range(layers))
    return f"""import torch
import torch.nn as nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
{made}
    def forward(self, x):
{used}        return x


out = Net()(torch.zeros(8, 64))
out.sum().backward()
"""


def residual(layers: int) -> str:
    """A network of blocks of one class, each a branch and a sum."""
    return f"""import torch
import torch.nn as nn


class Block(nn.Module):
    def __init__(self, width, shortcut):
        super().__init__()
        self.conv = nn.Conv2d(width, width, 3, padding=1)
        self.norm = nn.BatchNorm2d(width)
        self.shortcut = shortcut

    def forward(self, x):
        y = torch.relu(self.norm(self.conv(x)))
        return x + y if self.shortcut else y


class Net(nn.Module):
    def __init__(self, depth):
        super().__init__()
        self.blocks = nn.ModuleList([Block(16, i % 2 == 0) for i in range(depth)])

    def forward(self, x):
        for block in self.blocks:
            x = block(x)
        return x.mean((2, 3))


out = Net({layers})(torch.zeros(8, 16, 32, 32))
"""


KINDS: dict[str, Callable[[int], str]] = {
    "Sequential by a loop": by_loop,
    "line by line": straight,
    "residual blocks": residual,
}


def main(lengths: tuple[int, ...] = LENGTHS) -> Table:
    rows = []
    with tempfile.TemporaryDirectory() as work:
        for kind, write in KINDS.items():
            for length in lengths:
                name = f"{kind.replace(' ', '_')}_{length}.py"
                Path(work, name).write_text(write(length), encoding="utf-8")
                rows.append(_row(kind, length, alone((work, name, LIMIT))))
    columns = ("network", "layers", "nodes", "seconds", "ms a layer", "memory", "complete", "call sites with all dims")
    remarks = ["Processor time and peak memory of a fresh worker, loading of the library models included."]
    command = "python -m benchmarks.python --only growth"
    return Table("python-growth", "Cost by depth of the network", command, columns, rows, remarks)


def _row(kind: str, length: int, told: dict[str, Any]) -> list[Any]:
    if "seconds" not in told:
        return [kind, f"{length:,}", "", str(told.get("cause") or told.get("error"))[:80], "", "", "no", ""]
    levels = [level for counts in told["sites"].values() for level, count in counts.items() for _ in range(count)]
    dims = sum(level in ("dims", "other") for level in levels)
    return [
        kind, f"{length:,}", told["nodes"], f"{told['seconds']:.2f}", f"{told['seconds'] / length * 1e3:.1f}",
        f"{told['memory'] >> 20} MB", "yes" if told["complete"] else "no", f"{dims} of {len(levels)}",
    ]  # fmt: skip
