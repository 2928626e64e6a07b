"""TFLite files by their operators, each cut out as a file of its own."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from tests.compare.conftest import PADDING_COUNTED, Compare, faulty, skip_without

skip_without("ai_edge_litert")


def test_the_deviation_rises_at_the_pooling_that_counts_padding(
    compare: Compare, saved_models: Path, tmp_path: Path
) -> None:
    env = ("--env", f"faulty={faulty(tmp_path, PADDING_COUNTED)}")
    backends = ("--backends", "litert,litert-reference,openvino@faulty")
    code, report, _ = compare(str(saved_models / "model.tflite"), *backends, *env)
    (finding,) = report["findings"]
    assert (code, finding["rule"], finding["certainty"]) == (1, "inconsistent-backends", "observed")
    assert finding["location"]["node"].endswith("pool")
    assert (finding["evidence"]["blamed"], finding["evidence"]["oracle"]) == ("openvino@faulty", "mlvet")


def test_operators_that_agree_yield_no_finding(compare: Compare, saved_models: Path) -> None:
    code, report, _ = compare(str(saved_models / "model.tflite"))
    told = report["summary"]["analyses"]["compare"]
    assert (code, report["findings"]) == (0, [])
    assert set(told["backends"]) == {"litert", "litert-reference", "openvino"}
    assert (told["truth"], told["unjudged"]) == ("mlvet", {})
    assert any(each["layer"].endswith("pool") for each in told["layers"])


HALF = """
import tensorflow as tf
converter = tf.lite.TFLiteConverter.from_saved_model("saved")
converter.optimizations = [tf.lite.Optimize.DEFAULT]
converter.target_spec.supported_types = [tf.float16]
open("half.tflite", "wb").write(converter.convert())
"""


def test_weights_of_half_precision_are_part_of_the_operators_that_take_them(
    compare: Compare, saved_models: Path
) -> None:
    subprocess.run([sys.executable, "-c", HALF], cwd=saved_models, check=True, capture_output=True)
    code, report, _ = compare(str(saved_models / "half.tflite"))
    told = report["summary"]["analyses"]["compare"]
    assert (code, report["findings"], told["unjudged"]) == (0, [], {})
    assert "DEQUANTIZE" not in {each["kind"] for each in told["layers"]}


QUANTISED = """
import numpy as np, tensorflow as tf
converter = tf.lite.TFLiteConverter.from_saved_model("saved")
converter.optimizations = [tf.lite.Optimize.DEFAULT]
random = np.random.default_rng(0)
converter.representative_dataset = lambda: ([random.normal(size=(1, 10, 10, 3)).astype("float32")] for _ in range(8))
open("quantised.tflite", "wb").write(converter.convert())
"""


def test_backends_may_round_quantised_numbers_to_different_sides(compare: Compare, saved_models: Path) -> None:
    subprocess.run([sys.executable, "-c", QUANTISED], cwd=saved_models, check=True, capture_output=True)
    code, report, errors = compare(str(saved_models / "quantised.tflite"))
    told = report["summary"]["analyses"]["compare"]
    assert (code, report["findings"]) == (0, []), errors
    assert set(told["unjudged"].values()) == {"no oracle knows such a layer"}
    assert any(pair["inconsistent"] for pair in told["pairs"])
    assert any("the same on both up to rounding" in note for note in report["summary"]["notes"])
