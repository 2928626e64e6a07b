"""NumPy computes no gradients, so that what only a gradient makes dangerous is none there."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

START = (
    "import numpy as np\nimport keras\nfrom keras import layers\n"
    "net = keras.Sequential([layers.Dense(3), layers.Dense(1)])\n"
    "p = net.predict(np.load('inputs.npy').reshape(8, 4))\n"
)
DISTANCE = START + "d = np.sqrt(np.mean(np.square(np.load('truth.npy') - p)))\n"
SIGMOID = START + "y = 1.0 / (1.0 + np.exp(-p))\n"


@pytest.mark.parametrize("text", [DISTANCE, SIGMOID], ids=["sqrt of a mean square", "sigmoid by hand"])
def test_nothing_is_said(tmp_path: Path, text: str) -> None:
    (tmp_path / "measure.py").write_text(text, encoding="utf-8")
    command = [sys.executable, "-m", "mlvet", "check", "measure.py", "--select", "NUM", "--output-format", "concise"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
