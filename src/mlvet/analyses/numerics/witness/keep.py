"""Writes a witness to disk: its inputs, and a script of a few lines that shows what they do."""

from __future__ import annotations

import re
import subprocess
import sys
from os.path import abspath
from pathlib import Path
from typing import Any
from zipfile import ZIP_DEFLATED, ZipFile

import numpy as np
from numpy.typing import NDArray

from mlvet.analyses.numerics.hazard import Hazard
from mlvet.analyses.numerics.witness.found import FLUSHED, REFERENCE, Witness
from mlvet.domains import dtypes
from mlvet.ir.graph import Graph
from mlvet.ir.text import to_text

PATIENCE = 120
"""Seconds for which a script may run to show that it works."""
_LETTERS = 80
"""The most letters of a file's name, without ending and number."""

ORT = '''"""{title}"""

import numpy as np
import onnx
import onnxruntime

model = onnx.load({model!r})
model.graph.output.append(onnx.ValueInfoProto(name={value!r}))
options = onnxruntime.SessionOptions()
options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
session = onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
with np.load({inputs!r}) as given:
    wanted = {{each.name: given[each.name] for each in session.get_inputs()}}
(found,) = session.run([{value!r}], wanted)
print("NaN:", np.isnan(found).sum(), "infinite:", np.isinf(found).sum(), "of", found.size, "elements of", {value!r})
raise SystemExit(0 if not np.isfinite(found).all() else 1)
'''

SCRIPT = '''"""{title}"""

from pathlib import Path

import numpy as np

from mlvet.analyses.numerics.witness import replay
from mlvet.frontends.models import read_model

graph = read_model(Path({model!r}), {model!r})
with np.load({inputs!r}) as given:
    inputs = dict(given)
print(replay(graph, {node!r}, inputs, rule={rule!r}, outcome={outcome!r}, operand={operand!r}, flush={flush!r}))
'''


def save(
    witness: Witness, graph: Graph, hazard: Hazard, folder: Path | str, patience: float = PATIENCE
) -> tuple[Path, Path]:
    """Write the inputs and the script that shows the hazard; returns the two paths.

    The model is named in the script by the graph's path, made absolute, the inputs by the script's own folder. ONNX
    models run in onnxruntime where that shows the hazard, which is tried here for `patience` seconds;
    everything else, and half precision, which onnxruntime computes in float32 on a CPU, runs in mlvet's reference.
    """
    where = Path(folder)
    where.mkdir(parents=True, exist_ok=True)
    stem = _free_stem(where, hazard)
    inputs, script = where / f"{stem}.npz", where / f"{stem}.py"
    _write_arrays(inputs, witness.inputs)
    title = f"{hazard.rule} at {hazard.node.op} of node {hazard.node.name}: {witness.outcome}"
    told = {
        "title": title.replace('"', "'").replace("\\", "/").replace("\n", " "),
        "model": abspath(graph.path or _written(graph, where / f"{stem}.mlvet")),
        "inputs": abspath(inputs),
        "value": witness.value.partition("#")[0],
        "node": hazard.node.name,
        "rule": hazard.rule,
        "outcome": hazard.outcome.value,
        "operand": hazard.operand,
        "flush": witness.executed_with == FLUSHED,
    }
    if patience > 0 and _runs_elsewhere(witness, graph, hazard):
        script.write_text(ORT.format(**told), encoding="utf-8")
        if _works(script, patience):
            return inputs, script
    script.write_text(SCRIPT.format(**told), encoding="utf-8")
    return inputs, script


def _written(graph: Graph, path: Path) -> Path:
    """A graph that came from no file, as one."""
    path.write_text(to_text(graph), encoding="utf-8")
    return path


def _runs_elsewhere(witness: Witness, graph: Graph, hazard: Hazard) -> bool:
    """Whether onnxruntime can be expected to show it: a value of the body of an ONNX file, in float32 or float64."""
    free = {value.name for value in graph.inputs}
    wide = all(
        value.declared.dtype not in (dtypes.f16, dtypes.bf16)
        for value in (*hazard.node.inputs, *hazard.node.outputs)
        if value
    )
    return (
        graph.format == "onnx"
        and witness.executed_with == REFERENCE
        and witness.outcome in ("NaN", "inf", "-inf")
        and hazard.node in graph.body.nodes
        and set(witness.inputs) <= free
        and "half" not in hazard.rule
        and wide
    )


def _works(script: Path, patience: float) -> bool:
    try:
        done = subprocess.run([sys.executable, str(script)], capture_output=True, timeout=patience)
    except (OSError, subprocess.TimeoutExpired):
        return False
    return done.returncode == 0


def _free_stem(folder: Path, hazard: Hazard) -> str:
    """A file name of the node and the rule that is not taken; of a long name of a node the last words."""
    node = re.sub(r"[^A-Za-z0-9_.-]+", "-", hazard.node.name).strip("-.")
    room = _LETTERS - len(hazard.rule) - 1
    if len(node) > room:
        node = re.sub(r"^[^-_./]*[-_./]+", "", node[-room - 1 :]) or node[-room:]
    wanted = f"{node}-{hazard.rule}".strip("-.")
    stem, number = wanted, 1
    while (folder / f"{stem}.npz").exists():
        number += 1
        stem = f"{wanted}-{number}"
    return stem


def _write_arrays(path: Path, arrays: dict[str, NDArray[Any]]) -> None:
    """An .npz file with any names; element types that NumPy lacks are written as float32, which holds them all."""
    with ZipFile(path, "w", ZIP_DEFLATED) as archive:
        for name, array in arrays.items():
            plain = array if array.dtype.kind in "biuf" else array.astype(np.float32)
            with archive.open(f"{name}.npy", "w") as entry:
                np.lib.format.write_array(entry, np.asarray(plain), allow_pickle=False)
