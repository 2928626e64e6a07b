"""How scripts run a model of one call: for each format and backend what to import, and lines that end with `y`, a list.

In lines `{given}` are the inputs, `{listed}` a tuple of them, `{arrays}` the same as arrays, `{named}` a mapping.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Way:
    """What a script imports for a backend, and how it then runs the model."""

    imports: tuple[str, ...]
    lines: tuple[str, ...]


_F32 = '"CPU", {"INFERENCE_PRECISION_HINT": "f32"}'
_ON_OPENVINO = f"core.compile_model(core.read_model(path), {_F32.replace('{', '{{').replace('}', '}}')})"
_BY_NAME = "dict(zip([each.{name} for each in {runtime}], [{{arrays}}]))"
_ON_ONNXRUNTIME = (
    'session = onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"])',
    f"y = session.run(None, {_BY_NAME.format(name='name', runtime='session.get_inputs()')})",
)
_ON_OPENVINO_BY_NAME = (
    "core = openvino.Core()",
    f"compiled = {_ON_OPENVINO}",
    f"found = compiled({_BY_NAME.format(name='any_name', runtime='compiled.inputs')})",
    "y = [found[port] for port in compiled.outputs]",
)
_OPENVINO = ("import openvino",)
_LITERT = ("from ai_edge_litert import interpreter as litert",)
_ONNXRUNTIME = ("import onnxruntime",)


def _behind(imports: tuple[str, ...], *lines: str) -> dict[str, Way]:
    """The two runtimes of ONNX behind lines that write the file at `path`."""
    return {
        "onnxruntime": Way((*imports, *_ONNXRUNTIME), (*lines, *_ON_ONNXRUNTIME)),
        "openvino-onnx": Way((*imports, *_OPENVINO), (*lines, *_ON_OPENVINO_BY_NAME)),
    }


_EAGER = Way((), ("with torch.no_grad(), torch.backends.mkldnn.flags(enabled=False):", "    y = flat(model({given}))"))
_OPEN_FOLDER = ("folder = tempfile.mkdtemp()", "model.export(folder, verbose=False)")
_OF_LITERT = (
    "content = tf.lite.TFLiteConverter.from_saved_model(folder).convert()",
    "run = litert.Interpreter(model_content=content).get_signature_runner()",
    "found = run(**{named})",
    "y = [found[name] for name in sorted(found)]",
)
_TEMPORARY = 'path = os.path.join(tempfile.mkdtemp(), "model.onnx")'
_FILES = ("import os", "import tempfile")
_KERAS_AS_SAVED = Way(
    ("import tempfile", "import tensorflow as tf"),
    (
        *_OPEN_FOLDER,
        'serve = tf.saved_model.load(folder).signatures["serving_default"]',
        "found = serve(**{{name: tf.constant(value) for name, value in {named}.items()}})",
        "y = [found[name] for name in sorted(found)]",
    ),
)
_KERAS_AS_ONNX = _behind(_FILES, _TEMPORARY, 'model.export(path, format="onnx", verbose=False)')
WAYS: Mapping[str, Mapping[str, Way]] = {
    "keras": {
        **dict.fromkeys(
            ("tensorflow", "torch", "jax"), Way((), ("y = keras.tree.flatten(model.predict([{given}], verbose=0))",))
        ),
        **_KERAS_AS_ONNX,
        "onnxruntime-torch": _KERAS_AS_ONNX["onnxruntime"],
        "saved-model": _KERAS_AS_SAVED,
        "saved-model-jax": _KERAS_AS_SAVED,
        "litert": Way((*_LITERT, "import tempfile", "import tensorflow as tf"), (*_OPEN_FOLDER, *_OF_LITERT)),
    },
    "pt2": {
        "torch": Way((), ("y = flat(torch.export.export(model, {listed}).module()({given}))",)),
        "torch-eager": _EAGER,
        "torch-compile": Way((), ("y = flat(torch.compile(model)({given}))",)),
        **_behind(
            _FILES, _TEMPORARY,
            "torch.onnx.export(torch.export.export(model, {listed}), f=path, dynamo=True, verbose=False)",
        ),
    },
    "torchscript": {
        "torch": Way((), ("y = flat(torch.jit.trace(model, {listed})({given}))",)),
        "torch-eager": _EAGER,
        **_behind(
            _FILES, _TEMPORARY,
            "torch.onnx.export(torch.jit.trace(model, {listed}), {listed}, path, dynamo=False)",
        ),
    },
    "saved_model": {
        "tensorflow": Way((), ("y = tf.nest.flatten(model({given}))",)),
        "openvino": Way(_OPENVINO, ("path = folder", *_ON_OPENVINO_BY_NAME)),
        **_behind(
            ("import os", "import tf2onnx"), 'path = os.path.join(folder, "model.onnx")',
            "tf2onnx.convert.from_function(model, input_signature=model.input_signature, output_path=path)",
        ),
        "litert": Way(_LITERT, _OF_LITERT),
    },
    "tflite": {
        "litert": Way(
            _LITERT,
            ("y = interpreted({named}, litert.OpResolverType.AUTO)",),
        ),
        "litert-reference": Way(
            _LITERT,
            ("y = interpreted({named}, litert.OpResolverType.BUILTIN_REF)",),
        ),
        "openvino": Way(
            _OPENVINO,
            ("core = openvino.Core()", f"y = list({_ON_OPENVINO}({{named}}).values())"),
        ),
    },
}  # fmt: skip


def lines_of(way: Way, names: Collection[str]) -> list[str]:
    """The lines of a way for inputs with some names."""
    table = {
        "given": ", ".join(names), "listed": f"({', '.join(names)},)",
        "named": "{" + ", ".join(f'"{name}": {name}' for name in names) + "}",
        "arrays": ", ".join(f"np.asarray({name})" for name in names),
    }  # fmt: skip
    return [line.format(**table) if "{" in line else line for line in way.lines]


def way_of(format: str, backend: str) -> Way | None:
    """How a script runs a model on a backend; None for one that a script cannot show, such as mlvet's own."""
    return WAYS[format].get(backend.partition("@")[0])
