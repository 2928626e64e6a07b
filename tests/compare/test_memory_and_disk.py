"""States within bounds: little of them in memory, fewer examples where they need too much room, and full disks."""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import tracemalloc
from pathlib import Path

import numpy as np
import onnx
import onnx.parser
import pytest

import mlvet
from mlvet.analyses.compare.states import blocks, difference, rewrite, root_mean_square, state
from tests.compare.conftest import Compare
from tests.compare.test_fusion import environment

WIDE = """
<ir_version: 9, opset_import: ["": 17]>
model (float[n, 16] x) => (float[n] y) {
  times = Constant <value_ints = [1, 1024]> ()
  zero = Constant <value_float = 0.0> ()
  one = Constant <value_float = 1.0> ()
  many = Constant <value_float = 16384.0> ()
  steps = Range (zero, many, one)
  waves = Sin (steps)
  same = Tile (x, times)
  wide = Mul (same, waves)
  up = Relu (wide)
  down = Neg (up)
  back = Relu (down)
  y = ReduceMean <axes = [1], keepdims = 0> (up)
  unused = ReduceMax <axes = [1], keepdims = 0> (back)
}
"""
PAIR = ("--backends", "onnxruntime,onnx-reference")


@pytest.fixture
def wide(tmp_path: Path) -> Path:
    """A model whose states are a thousand times as large as what goes in, and whose last sum is long."""
    path = tmp_path / "wide.onnx"
    onnx.save(onnx.parser.parse_model(WIDE), str(path))
    return path


def test_large_states_are_compared_block_by_block(tmp_path: Path) -> None:
    array = np.random.default_rng(0).normal(size=(16, 1_000_000)).astype(np.float32)
    np.save(tmp_path / "one.npy", array)
    exact = float(np.sqrt(np.mean(np.square(array, dtype=np.float64))))
    size = array.nbytes
    del array
    tracemalloc.start()
    moved = rewrite(
        tmp_path / "one.npy", tmp_path / "two.npy", lambda block: block + np.float32(0.5), np.dtype(np.float32)
    )
    found = difference(state(moved), state(tmp_path / "one.npy"))
    scale = root_mean_square(state(moved))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert found.rms == pytest.approx(0.5, rel=1e-6)
    assert found.bias == pytest.approx(0.5, rel=1e-6)
    assert scale == pytest.approx(np.sqrt(exact**2 + 0.25), rel=1e-3)
    assert peak < size


@pytest.mark.parametrize("shape", [(), (0, 3), (5,), (3, 4)])
@pytest.mark.parametrize("order", ["C", "F"])
def test_blocks_hold_every_element_in_order(tmp_path: Path, shape: tuple[int, ...], order: str) -> None:
    array = np.array(np.arange(float(np.prod(shape, dtype=int))).reshape(shape), order=order)
    np.save(tmp_path / "a.npy", array)
    held = state(tmp_path / "a.npy")
    assert (held.shape, held.size) == (shape, array.size)
    joined = np.concatenate([np.zeros(0), *blocks(held)])
    assert np.array_equal(joined, array.reshape(-1))


def test_fewer_examples_are_walked_where_states_need_too_much_room(compare: Compare, wide: Path) -> None:
    code, report, _ = compare(wide.name, *PAIR, "--states-memory", "600K")
    told = report["summary"]["analyses"]["compare"]
    assert (code, report["findings"]) == (0, [])
    assert told["memory"]["states"] < 1_200_000
    assert {each["kind"] for each in told["layers"]} >= {"Tile", "Relu", "Neg", "ReduceMean"}


def test_a_full_disk_is_told_and_what_is_known_is_kept(wide: Path) -> None:
    def full() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))

    command = [sys.executable, "-m", "mlvet", "compare", wide.name, *PAIR, "--output-format", "json"]
    surroundings = {**os.environ, "PYTHONPATH": str(Path(mlvet.__file__).parents[1]), "TMPDIR": str(wide.parent)}
    done = subprocess.run(
        command, cwd=wide.parent, env=surroundings, capture_output=True, text=True, timeout=300, preexec_fn=full,
        check=False,
    )  # fmt: skip
    report = json.loads(done.stdout)
    assert done.returncode == 2
    assert "the comparison ended early" in done.stderr
    assert "no room for a result" in done.stderr
    assert [pair["inconsistent"] for pair in report["summary"]["analyses"]["compare"]["pairs"]] == [False]
    assert report["findings"] == []
    assert [path.name for path in wide.parent.glob("mlvet-compare-*")] == []


@pytest.mark.parametrize(("call", "pairs", "in_a_layer"), [(2, 1, False), (8, 3, True)])
def test_a_worker_that_is_killed_in_mid_run_leaves_the_others(
    compare: Compare, wide: Path, call: int, pairs: int, in_a_layer: bool
) -> None:
    patch = f"""
import onnxruntime, os, signal
calls = []
class InferenceSession(onnxruntime.InferenceSession):
    def run(self, *given):
        calls.append(1)
        if len(calls) == {call}:
            os.kill(os.getpid(), signal.SIGKILL)
        return super().run(*given)
onnxruntime.InferenceSession = InferenceSession
"""
    python = environment(wide.parent, patch)
    code, report, _ = compare(wide.name, PAIR[0], f"{PAIR[1]},onnxruntime@dying", "--env", f"dying={python}")
    (finding,) = report["findings"]
    assert (code, finding["rule"], finding["evidence"]["blamed"]) == (1, "backend-crash", "onnxruntime@dying")
    assert "SIGKILL" in finding["message"]
    assert len(report["summary"]["analyses"]["compare"]["pairs"]) == pairs
    assert ("node" in finding["location"]) == in_a_layer
