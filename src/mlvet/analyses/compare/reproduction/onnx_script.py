"""A script that shows a defect of an ONNX operator on two runtimes."""

from __future__ import annotations

from collections.abc import Mapping

from mlvet.analyses.compare.reproduction.literals import SHORT, array_text
from mlvet.analyses.compare.reproduction.onnx_case import OnnxCase
from mlvet.analyses.compare.reproduction.places import place_of
from mlvet.analyses.compare.reproduction.reduction import Shown

RUNTIMES: Mapping[str, tuple[str, str]] = {
    "onnxruntime": (
        "import onnxruntime",
        'onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"]).run(None, inputs)',
    ),
    "onnxruntime-noopt": (
        "import onnxruntime",
        "onnxruntime.InferenceSession(model.SerializeToString(), plain, "
        'providers=["CPUExecutionProvider"]).run(None, inputs)',
    ),
    "openvino": (
        "import openvino",
        'core.compile_model(core.read_model(model.SerializeToString()), "CPU", '
        '{"INFERENCE_PRECISION_HINT": "f32"})(inputs)',
    ),
    "onnx-reference": (
        "import onnx.reference",
        "onnx.reference.ReferenceEvaluator(model).run(None, inputs)",
    ),
}
"""What a script imports for a backend, and how it then runs `model` on `inputs`."""
_FIRST = {
    "openvino": ["core = openvino.Core()"],
    "onnxruntime-noopt": [
        "plain = onnxruntime.SessionOptions()",
        "plain.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL",
    ],
}


def onnx_script(case: OnnxCase, shown: Shown, wrong: str, right: str, versions: Mapping[str, str]) -> str:
    """The text of the script. It needs no files where the model and its arrays are short."""
    runtimes = {name: RUNTIMES[name.partition("@")[0]] for name in (wrong, right)}
    text = _text(case)
    imports = {"import numpy as np", "import onnx", *(each for each, _ in runtimes.values())}
    imports |= {"import onnx.parser"} if text else {"import os"}
    place = place_of(shown)
    lines = [f'"""{case.node.op_type} {"is wrong" if shown.wrong else "fails"} on {wrong}; {right} is right.', ""]
    lines += [*dict.fromkeys(versions[name] for name in (wrong, right)), '"""', "", *_sorted(imports), ""]
    if text:
        lines += [f'model = onnx.parser.parse_model("""{text}""")', f"inputs = {{{_arrays(case)}}}"]
    else:
        lines += [
            "folder = os.path.dirname(os.path.abspath(__file__))",
            'model = onnx.load(os.path.join(folder, "model.onnx"))',
            'inputs = dict(np.load(os.path.join(folder, "input.npz")))',
        ]
    expected = f'print("{"expected":<18}", "{place.expected}")'
    if not shown.wrong:
        lines.append(expected)
        runtimes = {name: runtimes[name] for name in (right, wrong)}
    for name, (_, run) in runtimes.items():
        lines += _FIRST.get(name.partition("@")[0], [])
        lines += [f"y = {run}[{place.output}]", f'print("{name:<18}", {place.seen("y")})']
    return "\n".join([*lines, *([expected] if shown.wrong else []), ""])


def _text(case: OnnxCase) -> str | None:
    """The model in the textual form of ONNX, if it is short and is read as it was written."""
    import onnx.parser
    import onnx.printer

    if sum(array.size for array in (*case.inputs.values(), *case.weights.values())) > SHORT:
        return None
    model = case.whole()
    try:
        text = str(onnx.printer.to_text(model))
        again = onnx.parser.parse_model(text)
    except Exception:
        return None
    same = [(each.op_type, list(each.input)) for each in again.graph.node]
    return (
        text if same == [(each.op_type, list(each.input)) for each in model.graph.node] and '"""' not in text else None
    )


def _arrays(case: OnnxCase) -> str:
    return ", ".join(f'"{name}": {array_text(array)}' for name, array in case.inputs.items())


def _sorted(imports: set[str]) -> list[str]:
    own = sorted(each for each in imports if each == "import os")
    return [*own, *([""] if own else []), *sorted(imports - {*own})]
