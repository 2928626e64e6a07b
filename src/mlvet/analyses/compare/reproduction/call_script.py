"""A script that shows a defect of one call of an operator: on two backends, or before and behind a converter."""

from __future__ import annotations

import base64
import textwrap
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from mlvet.analyses.compare.reproduction.call_case import CallCase
from mlvet.analyses.compare.reproduction.literals import SHORT, array_text
from mlvet.analyses.compare.reproduction.places import place_of
from mlvet.analyses.compare.reproduction.reduction import Shown
from mlvet.analyses.compare.reproduction.ways import Way, lines_of, way_of

_INLINE = 3000
"""A TFLite file of so many bytes, packed, is written into the script."""
_MODELS = {"pt2": "torch", "torchscript": "torch", "saved_model": "tensorflow", "tflite": "tflite"}


def call_script(
    format: str, case: CallCase, shown: Shown, wrong: str, right: str, versions: Mapping[str, str], model: Path
) -> str:
    """The text of the script. It needs no files where the arrays are short."""
    place, library = place_of(shown), _MODELS[format]
    ways = {name: way_of(format, name) for name in (wrong, right)}
    held = {**case.inputs, **({} if format == "tflite" else case.weights)}
    short = sum(array.size for array in held.values()) <= SHORT
    body = {"torch": _torch, "tensorflow": _tensorflow, "tflite": _tflite}[library](case, model)
    told = ", ".join(f"{key}={value}" for key, value in case.config.items()) if library == "tflite" else ""
    imports = {"import numpy as np", *(each for way in ways.values() if way for each in way.imports), *body[0]}
    imports |= set() if short else {"import os"}
    kind = f"{case.call.kind}({told})" if told else case.call.kind
    lines = [f'"""{kind} {"is wrong" if shown.wrong else "fails"} on {wrong}; {right} is right.', ""]
    lines += [*dict.fromkeys(versions[name] for name in (wrong, right) if name in versions), '"""', ""]
    lines += [*_sorted(imports), ""]
    if not short:
        lines += ['arrays = np.load(os.path.join(os.path.dirname(os.path.abspath(__file__)), "input.npz"))']
    for name, array in held.items():
        text = array_text(array) if short else f'arrays["{name}"]'
        lines.append(f"{name} = {f'torch.from_numpy({text})' if library == 'torch' else text}")
    lines += [*body[1], *(_INTERPRETED if any("interpreted(" in each for each in _lines(ways)) else ()), ""]
    wide = max(len(each) for each in (wrong, right, "expected"))
    expected = f'print("{"expected":<{wide}}", "{place.expected}")'
    if not shown.wrong:
        lines.append(expected)
        ways = {name: ways[name] for name in (right, wrong)}
    for name, way in ways.items():
        if way is not None:
            telling = f'print("{name:<{wide}}", {place.seen(f"np.asarray(y[{place.output}])")})'
            lines += [*lines_of(way, case.inputs), telling]
    return "\n".join([*lines, *([expected] if shown.wrong else []), ""])


def _lines(ways: Mapping[str, Way | None]) -> list[str]:
    return [line for way in ways.values() if way for line in way.lines]


def _torch(case: CallCase, _: Path) -> tuple[set[str], list[str]]:
    call = case.call
    said, positional = [], True
    for name, value in call.arguments.items():
        if name in call.defaults and value == call.defaults[name]:
            positional = False
            continue
        positional = positional and _refers(value)
        said.append(_text(value) if positional else f"{name}={_text(value)}")
    return {"import torch"}, [
        "", "",
        "class Model(torch.nn.Module):",
        f"    def forward(self, {', '.join(case.inputs)}):",
        f"        return torch.ops.{call.kind}({', '.join(said)})",
        "", "",
        "def flat(y):",
        "    return y if isinstance(y, (list, tuple)) else [y]",
        "", "",
        "model = Model().eval()",
    ]  # fmt: skip


def _tensorflow(case: CallCase, _: Path) -> tuple[set[str], list[str]]:
    call = case.call
    said = [
        f"{name}={_text(value)}" for name, value in call.arguments.items()
        if not (name in call.defaults and value == call.defaults[name])
    ]  # fmt: skip
    specs = [f'tf.TensorSpec({array.shape}, "{array.dtype.name}", "{name}")' for name, array in case.inputs.items()]
    return {"import tensorflow as tf", "import tempfile"}, [
        "", "",
        f"@tf.function(input_signature=[{', '.join(specs)}])",
        f"def model({', '.join(case.inputs)}):",
        f"    return tf.raw_ops.{call.kind}({', '.join(said)})",
        "", "",
        "folder = tempfile.mkdtemp()",
        "tf.saved_model.save(tf.Module(), folder, signatures=model)",
    ]  # fmt: skip


def _tflite(_: CallCase, model: Path) -> tuple[set[str], list[str]]:
    packed = zlib.compress(model.read_bytes(), 9)
    if len(packed) > _INLINE:
        return {"import os"}, [
            'path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "model.tflite")'
        ]  # fmt: skip
    text = "\n".join(textwrap.wrap(base64.b64encode(packed).decode("ascii"), 116))
    return {"import base64", "import os", "import tempfile", "import zlib"}, [
        f'model = zlib.decompress(base64.b64decode("""\n{text}\n"""))',
        'path = os.path.join(tempfile.mkdtemp(), "model.tflite")',
        'with open(path, "wb") as file:', "    file.write(model)",
    ]  # fmt: skip


_INTERPRETED = [
    "", "",
    "def interpreted(inputs, kernels):",
    "    interpreter = litert.Interpreter(path, experimental_op_resolver_type=kernels)",
    "    interpreter.allocate_tensors()",
    "    for place in interpreter.get_input_details():",
    '        interpreter.set_tensor(place["index"], inputs[place["name"]])',
    "    interpreter.invoke()",
    '    return [interpreter.get_tensor(place["index"]) for place in interpreter.get_output_details()]',
    "",
]  # fmt: skip


def _refers(value: Any) -> bool:
    if isinstance(value, list):
        return bool(value) and all(map(_refers, value))
    return isinstance(value, dict) and ("value" in value or "array" in value)


def _text(value: Any) -> str:
    """An argument as it is written into a call."""
    if isinstance(value, list):
        return f"[{', '.join(map(_text, value))}]"
    if isinstance(value, dict):
        if "torch" in value:
            return f"torch.{value['torch']}"
        return f"tf.{value['tf']}" if "tf" in value else str(value.get("value") or value["array"])
    return f'"{value}"' if isinstance(value, str) else repr(value)


_STANDARD = ("base64", "os", "tempfile", "zlib")


def _sorted(imports: set[str]) -> list[str]:
    own = sorted(each for each in imports if each.split()[1] in _STANDARD)
    return [*own, *([""] if own else []), *sorted(imports - {*own})]
