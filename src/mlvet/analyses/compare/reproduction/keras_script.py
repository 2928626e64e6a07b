"""A script that shows a defect of a Keras layer on two backends, each in a process of its own."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mlvet.analyses.compare.reproduction.keras_case import KerasCase, said
from mlvet.analyses.compare.reproduction.literals import SHORT, arguments_text, array_text, plain
from mlvet.analyses.compare.reproduction.places import Place, place_of
from mlvet.analyses.compare.reproduction.reduction import Shown

_HEAD = '''\
"""{kind} {does} on {wrong}; {right} is right.

{versions}
"""

import os
import subprocess
import sys

if "KERAS_BACKEND" not in os.environ:
    for name in ("{first}", "{second}"):
        subprocess.run([sys.executable, __file__], env={{**os.environ, "KERAS_BACKEND": name{more}}})
    print("expected    ", "{expected}")
    sys.exit()

import keras
import numpy as np

'''


_AS_COMPARED = ', "TF_ENABLE_ONEDNN_OPTS": "0"'
"""TensorFlow is compared without kernels of oneDNN, some of which are right where its own are wrong."""


def keras_script(case: KerasCase, shown: Shown, wrong: str, right: str, versions: Mapping[str, str]) -> str:
    """The text of the script. It needs no files where the layer and its arrays are short."""
    place = place_of(shown)
    head = _HEAD.format(
        does="is wrong" if shown.wrong else "fails", kind=title(case), wrong=wrong, right=right,
        first=wrong.partition("@")[0], second=right.partition("@")[0],
        more=_AS_COMPARED if "tensorflow" in (wrong.partition("@")[0], right.partition("@")[0]) else "",
        versions="\n".join(dict.fromkeys(versions[name] for name in (wrong, right))), expected=place.expected,
    )  # fmt: skip
    body = _inline(case) if short(case) else _from_files(case, place)
    return f'{head}{body}print(f"{{keras.backend.backend():<12}}", {place.seen("keras.ops.convert_to_numpy(y)")})\n'


def title(case: KerasCase) -> str:
    """The layer or operation as people call it."""
    call = case.call
    return f"keras.layers.{call.kind}" if call.layer.get("module") == "keras.layers" else call.kind


def short(case: KerasCase) -> bool:
    """Whether the layer and its arrays can be written into a script."""
    call = case.call
    arrays = [*case.inputs.values(), *case.architecture.weights.values()]
    return (
        call.layer.get("module") == "keras.layers"
        and all(written_as(each) for each in (*call.args, *call.kwargs.values()))
        and len(call.outputs) == 1
        and sum(array.size for array in arrays) <= SHORT
        and all(map(plain, said(call).values()))
    )


def _inline(case: KerasCase) -> str:
    weights = case.architecture.weights_of(case.call)
    lines = [f"{name} = {array_text(array)}" for name, array in case.inputs.items()]
    given = [written_as(each) for each in case.call.args]
    given += [f"{name}={written_as(each)}" for name, each in case.call.kwargs.items()]
    lines += [f"layer = keras.layers.{case.call.kind}({arguments_text(said(case.call))})"]
    if weights:
        first = written_as(case.call.args[0])
        shape = f"{first}.shape" if first in case.inputs else f"[each.shape for each in {first}]"
        alone = len(case.call.args) == 1
        lines += [
            f"layer.build({shape})" if alone else f"layer({', '.join(given)})  # builds it",
            f"layer.set_weights([{', '.join(map(array_text, weights))}])",
        ]
    return "\n".join([*lines, f"y = layer({', '.join(given)})", ""])


def written_as(template: Any) -> str:
    """An argument of a call, of values and plain numbers, as it is written; nothing if there is more in it."""
    if isinstance(template, list):
        each = [written_as(one) for one in template]
        return f"[{', '.join(each)}]" if each and all(each) else ""
    if {*template} == {"plain"}:
        return repr(template["plain"]) if plain(template["plain"]) else ""
    return str(template["value"]) if {*template} == {"value"} else ""


def _from_files(case: KerasCase, place: Place) -> str:
    names = ", ".join(f'arrays["{name}"]' for name in case.inputs)
    given = names if len(case.inputs) == 1 else f"[{names}]"
    return (
        "folder = os.path.dirname(os.path.abspath(__file__))\n"
        'model = keras.models.load_model(os.path.join(folder, "model.keras"), compile=False)\n'
        'arrays = np.load(os.path.join(folder, "input.npz"))\n'
        f"y = keras.tree.flatten(model({given}))[{place.output}]\n"
    )
