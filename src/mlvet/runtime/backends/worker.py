"""A process that holds one model on one backend: requests in JSON on its input, one a line, answers on its output.

It is run as a file by any interpreter from Python 3.6 on and needs nothing but numpy and the backend; only the backend
`mlvet` needs mlvet. Arrays are .npy files, named in requests and answers; the mask of a value lies beside it. A model
is a chain of nodes (layers, or operators of a graph), each of which can be run alone on given values.
"""

import contextlib
import importlib
import inspect
import json
import os
import re
import sys
import time
import traceback
import zipfile
from collections import OrderedDict
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple

import numpy as np

_UNSUPPORTED = re.compile(
    r"not (yet )?(been )?(support|implement)|unsupported|does not support|no (op(erator)?|kernel) (is )?registered|"
    r"no implementation for (operator|node)|could not find an implementation|"
    r"unknown (layer|operator|opset|op|activation)|could not locate (class|function)|"
    r"NOT_IMPLEMENTED|only supports|not recogni[sz]ed|is not a registered|unrecogni[sz]ed keyword|no conversion rule|"
    r"Lambda.{0,80}(unsafe|safe_mode)|don't know how to|didn't find op|opset.{0,40}(is|are) not|is under development",
    re.IGNORECASE | re.DOTALL,
)
_PART_OUTPUT = "mlvet_output_"
_UNCONVERTED = re.compile(
    r"UnsupportedOperator|no onnx function|no decomposition|custom implementation|failed to legalize|SELECT_TF_OPS|"
    r"could not translate|not a registered|cannot be converted|dynamic.{0,40}not allowed",
    re.IGNORECASE | re.DOTALL,
)
"""What converters say of models that they do not know how to convert."""

_MASK = ".mask.npy"

Node = Dict[str, Any]


class Unsupported(Exception):
    """This version of the backend cannot take the model, a layer or an operator; no defect."""


class Unwritten(Exception):
    """What was found could not be stored."""


class BadModel(Exception):
    """The file is no model that anything could run."""


def main() -> None:
    """Answer requests until there are no more. What libraries print goes to standard error."""
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    session = Session()
    for line in sys.stdin:
        answers.write(json.dumps(session.answer(json.loads(line))) + "\n")
        answers.flush()


class Session:
    """The model that is open, if any."""

    def __init__(self) -> None:
        self.driver: "Optional[Driver]" = None

    def answer(self, request: Dict[str, Any]) -> Dict[str, Any]:
        try:
            return dict(getattr(self, "on_" + request["do"])(request))
        except BadModel as error:
            return {"failure": "model", "words": str(error)}
        except Unwritten as error:
            return {"failure": "disk", "words": str(error)}
        except MemoryError:
            return {"failure": "memory", "words": "out of memory"}
        except Exception as error:
            return _failure(error)

    def on_open(self, request: Dict[str, Any]) -> Dict[str, Any]:
        _limit_memory(request.get("memory"))
        began = time.time()
        driver = DRIVERS[request["driver"]]()
        driver.open(request)
        self.driver = driver
        return {
            "version": driver.version, "python": sys.version.split()[0], "inputs": driver.inputs(),
            "outputs": driver.outputs(), "nodes": driver.nodes(), "seconds": time.time() - began,
            "memory": _resident(), "precision": driver.precision(),
        }  # fmt: skip

    def on_run(self, request: Dict[str, Any]) -> Dict[str, Any]:
        """The whole model as its users run it, in batches; `target` is a value of it, or the file of a part of it.

        `precise` is a run in single precision where users get less.
        """
        given = OrderedDict((name, np.load(path, mmap_mode="r")) for name, path in request["inputs"].items())
        driver = self._open()
        driver.ready(request.get("target"))
        began = time.time()
        with driver.precisely() if request.get("precise") else _as_it_is():
            results = driver.run(given, request.get("batch", 32), request.get("target"))
        seconds = time.time() - began
        return {"outputs": _written(results, request["to"]), "seconds": seconds, "memory": _resident()}

    def on_step(self, request: Dict[str, Any]) -> Dict[str, Any]:
        """One node alone, on the values that are given."""
        given = {value: _read(path) for value, path in request["inputs"].items()}
        began = time.time()
        self._open().wanted = request.get("outputs", [])
        driver = self._open()
        driver.unmasked = []
        results = driver.step(request["node"], given)
        seconds = time.time() - began
        return {"outputs": _written(results, request["to"]), "seconds": seconds, "unmasked": driver.unmasked}

    def on_steps(self, request: Dict[str, Any]) -> Dict[str, Any]:
        """Some nodes, each alone; one that fails does not keep the others from being run."""
        answers = []
        for index, each in enumerate(request["steps"]):
            to = "{}-{}".format(request["to"], index)
            answers.append(self.answer({"do": "step", "node": each["node"], "inputs": each["inputs"], "to": to}))
        return {"steps": answers}

    def on_architecture(self, request: Dict[str, Any]) -> Dict[str, Any]:
        """The model as a chain of calls that another one can be built of, and its weights."""
        return self._open().architecture(request["to"])

    def on_build(self, request: Dict[str, Any]) -> Dict[str, Any]:
        """A model of a chain of calls, saved as a file."""
        return self._open().build(request)

    def on_calls(self, request: Dict[str, Any]) -> Dict[str, Any]:
        """Some nodes as calls of operators, each with its arguments, or why a node is none; what they store."""
        arrays: "Dict[str, Any]" = OrderedDict()
        calls: "Dict[str, Any]" = OrderedDict()

        def keep(array: Any) -> Dict[str, str]:
            name = "w{}".format(len(arrays))
            arrays[name] = np.array(array)
            return {"array": name}

        for node in request["nodes"]:
            try:
                calls[node] = self._open().call(node, keep)
            except Exception as error:
                calls[node] = {"refused": str(error)}
        np.savez(request["to"], **arrays)
        return {"calls": calls}

    def on_gradients(self, request: Dict[str, Any]) -> Dict[str, Any]:
        """The gradient of the sum of weighted outputs, by parameters and inputs: of the model, or of one node."""
        given = OrderedDict((name, _read(path)) for name, path in request["inputs"].items())
        weights = [np.load(path) for path in request["weights"]]
        results = self._open().gradients(request.get("node"), given, weights, request.get("moved"))
        return {"names": list(results), "outputs": _written(list(results.values()), request["to"])}

    def on_part(self, request: Dict[str, Any]) -> Dict[str, Any]:
        """A part of the model as a file of its own."""
        self._open().part(request["values"], request["given"], request["file"])
        return {}

    def on_convert(self, request: Dict[str, Any]) -> Dict[str, Any]:
        """The model, or the part of it that ends with a value, written by a converter."""
        given = OrderedDict((name, np.load(path)) for name, path in request["inputs"].items())
        try:
            return self._open().convert(request["converter"], request["file"], given, request.get("target"))
        except Exception as error:
            if _UNCONVERTED.search("{} {}".format(type(error).__name__, error)):
                raise Unsupported("{}: {}".format(request["converter"], error))
            raise

    def _open(self) -> "Driver":
        if self.driver is None:
            raise ValueError("no model is open")
        return self.driver


class Driver:
    """One way to run a model. Values are named by strings; the inputs of the model have the names it gives them."""

    version = ""
    wanted: "Sequence[str]" = ()
    """The names of what the next step is to yield."""
    unmasked: "Sequence[str]" = ()
    """The values whose masks the last step took away: what comes after it sees them without."""

    def open(self, request: Dict[str, Any]) -> None:
        raise NotImplementedError

    def inputs(self) -> List[Dict[str, Any]]:
        raise NotImplementedError

    def outputs(self) -> List[str]:
        raise NotImplementedError

    def nodes(self) -> List[Node]:
        raise NotImplementedError

    def ready(self, target: Optional[str] = None) -> None:
        """Load what the next run needs and is not to be timed."""

    def precision(self) -> str:
        """The precision in which the plain model is computed, if it is less than that of its numbers."""
        return ""

    def precisely(self) -> Any:
        """While this is entered, the plain model is computed in the precision of its numbers."""
        return _as_it_is()

    def run(self, given: Dict[str, Any], batch: int, target: Optional[str] = None) -> List[Any]:
        raise NotImplementedError

    def step(self, node: str, given: Dict[str, Any]) -> List[Any]:
        raise NotImplementedError

    def gradients(
        self, node: Optional[str], given: Dict[str, Any], weights: List[Any], moved: Optional[int]
    ) -> Dict[str, Any]:
        raise Unsupported("this backend has no gradients")

    def part(self, values: List[str], given: List[str], to: str) -> None:
        raise Unsupported("this backend writes no parts of models")

    def convert(self, converter: str, to: str, given: Dict[str, Any], target: Optional[str]) -> Dict[str, Any]:
        """The version of a converter that has written the model, and the names of the inputs in what it wrote."""
        raise Unsupported("this backend has no converter {}".format(converter))

    def architecture(self, to: str) -> Dict[str, Any]:
        raise Unsupported("this backend does not tell how a model is built")

    def call(self, node: str, keep: "Callable[[Any], Dict[str, str]]") -> Dict[str, Any]:
        """A node as a call of an operator: its kind, its arguments and their defaults; `keep` stores an array.

        In arguments {"value": name} is what enters, {"number": name} a number that does, {"array": name} is stored.
        """
        raise Unsupported("this backend does not tell how an operator is called")

    def build(self, request: Dict[str, Any]) -> Dict[str, Any]:
        raise Unsupported("this backend builds no models")


@contextlib.contextmanager
def _as_it_is() -> Any:
    yield


def _failure(error: Exception) -> Dict[str, Any]:
    words = " ".join(re.sub("\x1b\\[[0-9;]*m", "", str(error)).split())
    own = type(error).__name__ in ("UnsupportedInput", "NoReference", "UsageError")
    refused = own or isinstance(error, (Unsupported, NotImplementedError, ImportError)) or _UNSUPPORTED.search(words)
    place = traceback.extract_tb(error.__traceback__)[-1]
    return {
        "failure": "unsupported" if refused else "crash", "exception": type(error).__name__,
        "words": words[:600] or type(error).__name__,
        "place": "{}:{}".format(os.path.basename(place.filename), place.lineno),
    }  # fmt: skip


def _read(path: str) -> Tuple[Any, Any]:
    """A value and its mask, if it has one."""
    mask = np.load(path + _MASK) if os.path.exists(path + _MASK) else None
    return np.load(path), mask


def _written(results: List[Any], to: str) -> List[str]:
    """The files in which some values are stored now; a value may be a pair with a mask."""
    paths = []
    for index, result in enumerate(results):
        value, mask = result if isinstance(result, tuple) else (result, None)
        path = "{}.{}.npy".format(to, index)
        try:
            np.save(path, _in_a_known_type(np.asarray(value)))
            if mask is not None:
                np.save(path + _MASK, np.asarray(mask))
        except OSError as error:
            raise Unwritten("no room for a result: {}".format(error.strerror or error))
        paths.append(path)
    return paths


def _in_a_known_type(array: Any) -> Any:
    """Numbers of 16 bits that numpy does not know by itself, as those of single precision that have the same value."""
    return array.astype(np.float32) if array.dtype.name == "bfloat16" else array


def _limit_memory(limit: Optional[int]) -> None:
    if limit:
        with contextlib.suppress(ImportError, OSError, ValueError):
            import resource

            resource.setrlimit(resource.RLIMIT_DATA, (limit, limit))


def _resident() -> int:
    """The most memory that this process has held, in bytes."""
    try:
        import resource

        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    except ImportError:
        return 0


def _batches(given: Dict[str, Any], batch: int) -> Any:
    count = max(len(each) for each in given.values()) if given else 1
    for start in range(0, count, batch):
        yield OrderedDict((name, np.ascontiguousarray(each[start : start + batch])) for name, each in given.items())


def _joined(parts: List[List[Any]]) -> List[Any]:
    return [np.concatenate(pieces) if len(pieces) > 1 else pieces[0] for pieces in zip(*parts)]


def _listed(value: Any) -> List[Any]:
    if isinstance(value, dict):
        return list(value.values())
    return list(value) if isinstance(value, (list, tuple)) else [value]


def _with_values(template: Any, leaf: "Callable[[Dict[str, Any]], Any]") -> Any:
    """The arguments of a call with its values in their places."""
    if isinstance(template, list):
        return [_with_values(each, leaf) for each in template]
    return leaf(template) if isinstance(template, dict) else template


def _function_of(names: List[str], run: "Callable[[Dict[str, Any]], Any]", bound: bool) -> Any:
    """A function of arguments that have names, as exporters want to see them; `bound` to an object that it ignores."""
    listed = ", ".join(names)
    pairs = ", ".join("{0!r}: {0}".format(name) for name in names)
    text = "def forward({}{}):\n    return run({{{}}})\n".format("self, " if bound else "", listed, pairs)
    space: Dict[str, Any] = {"run": run}
    exec(text, space)
    return space["forward"]


def _loaded(path: str) -> "Dict[str, Any]":
    with np.load(path) as archive:
        return OrderedDict((name, archive[name]) for name in archive.files)


def _imported(name: str) -> Any:
    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise Unsupported("{} cannot be imported: {}".format(name, error))


# Keras


class Keras(Driver):
    """A model of Keras 3, on the backend that KERAS_BACKEND names."""

    def open(self, request: Dict[str, Any]) -> None:
        self.request = request
        self.keras = _imported("keras")
        self.tree = getattr(self.keras, "tree", None) or _imported("tree")
        self.version = "keras {} on {}{}".format(
            self.keras.__version__, self.keras.backend.backend(), _library(self.keras)
        )
        model = _keras_model(self.keras, request)
        if request.get("double"):
            model = self._doubled(model, request)
        self.model = model
        self.double = bool(request.get("double"))
        self.calls: "Dict[str, Tuple[Any, Dict[int, str], List[str]]]" = OrderedDict()
        self.names: "Dict[int, str]" = {}
        self.cut: Dict[str, Any] = {}
        self.inner = inner = _functional(model) or self._unrolled(model)
        if inner is None:
            self.input_names = ["input"]
            self.output_names = [model.name]
            return
        tensors = self.tree.flatten(inner.inputs)
        self.input_names = [tensor.name for tensor in tensors]
        self.names.update((id(tensor), tensor.name) for tensor in tensors)
        self._flatten(inner, "")
        self.output_names = [self.names[id(tensor)] for tensor in self.tree.flatten(inner.outputs)]

    def _unrolled(self, model: Any) -> Any:
        """The layers that a subclassed model calls, as a functional model; None where that cannot be followed."""
        shapes = list((getattr(model, "_build_shapes_dict", None) or {}).values())
        if len(shapes) != 1 or not shapes[0] or not all(each is None or isinstance(each, int) for each in shapes[0]):
            return None
        try:
            place = self.keras.Input(shape=tuple(shapes[0][1:]), name="input")
            return self.keras.Model(place, model.call(place))
        except Exception as error:
            sys.stderr.write("the layers cannot be followed: {}\n".format(error))
            return None

    def _doubled(self, model: Any, request: Dict[str, Any]) -> Any:
        """The same model in double precision; layers of the user's own are built anew under that policy."""
        self.keras.config.set_floatx("float64")
        _keep_double(self.keras)
        try:
            return self._reconfigured(model)
        except Exception:
            if not request.get("build"):
                raise
        self.keras.config.set_dtype_policy("float64")
        self.keras.utils.clear_session()
        found = _keras_model(self.keras, request)
        if any(str(each.dtype) in _SINGLE for each in found.weights):
            raise Unsupported("the model keeps single precision whatever the policy is")
        return found

    def _reconfigured(self, model: Any) -> Any:
        """The policies of the configuration rewritten, the weights kept."""
        saving = self.keras.saving
        config = json.loads(json.dumps(saving.serialize_keras_object(model)), object_hook=_double_policy)
        found = saving.deserialize_keras_object(config, safe_mode=False)
        if not found.built and getattr(model, "input_shape", None) is not None:
            found.build(model.input_shape)
        found.set_weights(model.get_weights())
        return found

    def _flatten(self, model: Any, prefix: str) -> None:
        """Number the calls of a functional model, those of the models inside it in their place."""
        for depth in sorted(model._nodes_by_depth, reverse=True):
            for node in model._nodes_by_depth[depth]:
                if node.is_input or not node.operation:
                    continue
                inner = _functional(node.operation)
                if inner is not None:
                    outside = [self.names[id(tensor)] for tensor in node.input_tensors]
                    held = self.tree.flatten(inner.inputs)
                    self.names.update(zip(map(id, held), outside))
                    self._flatten(inner, prefix + node.operation.name + "/")
                    results = [self.names[id(tensor)] for tensor in self.tree.flatten(inner.outputs)]
                    self.names.update(zip(map(id, node.outputs), results))
                    continue
                name = _fresh(prefix + node.operation.name, self.calls)
                inputs = {id(tensor): self.names[id(tensor)] for tensor in node.input_tensors}
                outputs = [name if not index else "{}:{}".format(name, index) for index in range(len(node.outputs))]
                self.names.update(zip(map(id, node.outputs), outputs))
                self.calls[name] = (node, inputs, outputs)

    def inputs(self) -> List[Dict[str, Any]]:
        if self.inner is None:
            return [{"name": "input", "shape": None, "dtype": "float32"}]
        tensors = self.tree.flatten(self.inner.inputs)
        return [{"name": tensor.name, "shape": list(tensor.shape), "dtype": str(tensor.dtype)} for tensor in tensors]

    def outputs(self) -> List[str]:
        return self.output_names

    def nodes(self) -> List[Node]:
        return [
            {
                "name": name, "kind": type(node.operation).__name__,
                "inputs": list(OrderedDict.fromkeys(inputs.values())),
                "outputs": outputs, "config": _plain_config(node.operation),
                "masked": any(_get_mask(each) is not None for each in node.outputs),
                "precision": next((str(each.dtype) for each in node.outputs if str(each.dtype) in _HALF), ""),
            }
            for name, (node, inputs, outputs) in self.calls.items()
        ]  # fmt: skip

    def run(self, given: Dict[str, Any], batch: int, target: Optional[str] = None) -> List[Any]:
        model = self.model if target is None else self._until(target)
        values = [self._cast(each) for each in given.values()]
        try:
            found = model.predict(self._structured(model, values), batch_size=batch, verbose=0)
        except Exception:
            self._open_anew()
            raise
        return [np.asarray(each) for each in self.tree.flatten(found)]

    def _structured(self, model: Any, values: List[Any]) -> Any:
        """What goes into a model in the form in which the model takes it: one value, a list, or names for each."""
        form = getattr(_functional(model), "_inputs_struct", None)
        pack = getattr(self.tree, "pack_sequence_as", None) or self.tree.unflatten_as
        if form is None or len(self.tree.flatten(form)) != len(values):
            return values[0] if len(values) == 1 else values
        return pack(form, values)

    def _open_anew(self) -> None:
        """Keras on JAX takes the weights out of a model while that runs, and does not put them back if it fails."""
        if self.keras.backend.backend() == "jax":
            with contextlib.suppress(Exception):
                self.open(self.request)

    def precision(self) -> str:
        if self.keras.backend.backend() != "openvino":
            return ""
        found = _imported("openvino").Core().get_property("CPU", "INFERENCE_PRECISION_HINT").to_string()
        return {"bf16": "bfloat16", "f16": "float16"}.get(found, "")

    @contextlib.contextmanager
    def precisely(self) -> Any:
        """Keras hands no precision to OpenVINO when it compiles a model, so it is handed over here."""
        library = _imported("openvino")
        honest = library.compile_model
        library.compile_model = lambda model, device: honest(model, device, {"INFERENCE_PRECISION_HINT": "f32"})
        self.model.ov_compiled_model = None
        try:
            yield
        finally:
            library.compile_model = honest
            self.model.ov_compiled_model = None

    def _until(self, target: str) -> Any:
        """The model that ends with a value; its calls are made once more, those of models inside it among them."""
        if target not in self.cut:
            inputs = self.tree.flatten(self.inner.inputs)
            table = {self.names[id(tensor)]: tensor for tensor in inputs}
            for node, names, outputs in self.calls.values():
                args, kwargs = node.arguments.fill_in({key: table[value] for key, value in names.items()})
                table.update(zip(outputs, self.tree.flatten(node.operation(*args, **kwargs))))
                if target in outputs:
                    break
            self.cut[target] = self.keras.Model(inputs, table[target])
        return self.cut[target]

    def convert(self, converter: str, to: str, given: Dict[str, Any], target: Optional[str]) -> Dict[str, Any]:
        model = self.model if target is None else self._until(target)
        model.predict(self._structured(model, list(given.values())), verbose=0)
        if converter in ("tf2onnx", "torch.onnx"):
            model.export(to, format="onnx", verbose=False)
            made_by = "tf2onnx" if converter == "tf2onnx" else "torch"
            version = _version_of(made_by).replace("torch ", "torch.onnx ")
            return {"version": version, "inputs": _inputs_of_onnx(to)}
        folder = to if converter == "keras export" else to + ".saved"
        model.export(folder, verbose=False)
        if converter == "keras export":
            taken = _inputs_of_saved(folder)
            ports = {_plain_name(each["name"]): each["name"] for each in self.inputs()}
            named = {ports.get(_plain_name(name), name): name for name in taken}
            return {"version": "keras export {}".format(self.keras.__version__), "inputs": taken, "named": named}
        return _tflite_of_saved(folder, to)

    def _cast(self, array: Any) -> Any:
        array = np.asarray(array)
        return array.astype("float64") if self.double and array.dtype.kind == "f" else array

    def step(self, node: str, given: Dict[str, Any]) -> List[Any]:
        call, inputs, _ = self.calls[node]
        table: Dict[int, Any] = {}
        halved = {id(tensor) for tensor in call.input_tensors if str(tensor.dtype) == "bfloat16"}
        for key, value in inputs.items():
            array, mask = given[value]
            tensor = self.keras.ops.convert_to_tensor(self._cast(array), "bfloat16" if key in halved else None)
            if mask is not None:
                _set_mask(tensor, self.keras.ops.convert_to_tensor(mask))
            table[key] = tensor
        found = self.tree.flatten(_at_inference(call, table))
        masked = {value: table[key] for key, value in inputs.items() if given[value][1] is not None}
        self.unmasked = [value for value, tensor in masked.items() if _get_mask(tensor) is None]
        return [(self._array(each), self._mask(each)) for each in found]

    def gradients(
        self, node: Optional[str], given: Dict[str, Any], weights: List[Any], moved: Optional[int]
    ) -> Dict[str, Any]:
        """Gradients by trainable parameters and by inputs; `moved` seeds parameters that are a rounding off."""
        differentiate = _DIFFERENTIATE.get(self.keras.backend.backend())
        if differentiate is None:
            raise Unsupported("keras has no gradients on {}".format(self.keras.backend.backend()))
        arrays = OrderedDict((name, (self._cast(array), mask)) for name, (array, mask) in given.items())
        by = [name for name, (array, _) in arrays.items() if array.dtype.kind == "f"]
        owner = self.model if node is None else self.calls[node][0].operation
        variables = list(getattr(owner, "trainable_variables", ()))
        layers = self.model._flatten_layers() if node is None else [owner]
        if any(getattr(each, "compute_dtype", None) in ("float16", "bfloat16") for each in layers):
            raise Unsupported("gradients in half precision are not compared")

        def weighted(tensors: List[Any]) -> Any:
            exchanged = dict(zip(by, tensors))
            table = {}
            for name, (array, mask) in arrays.items():
                tensor = exchanged[name] if name in exchanged else self.keras.ops.convert_to_tensor(array)
                if mask is not None:
                    _set_mask(tensor, self.keras.ops.convert_to_tensor(mask))
                table[name] = tensor
            found = self.tree.flatten(self._called(node, table))
            pairs = [(each, weight) for each, weight in zip(found, weights) if weight.size and _is_float(each)]
            if not pairs:
                raise Unsupported("nothing that comes out can be differentiated")
            ops = self.keras.ops
            return sum(ops.sum(each * ops.cast(ops.convert_to_tensor(weight), each.dtype)) for each, weight in pairs)

        with _moved(variables, moved):
            tensors = [self.keras.ops.convert_to_tensor(arrays[name][0]) for name in by]
            found = differentiate(self.keras, weighted, variables, tensors) if variables or tensors else []
        names = _distinct([getattr(each, "path", each.name) for each in variables]) + ["input " + name for name in by]
        return OrderedDict((name, self._array(each)) for name, each in zip(names, found))

    def _called(self, node: Optional[str], table: Dict[str, Any]) -> Any:
        if node is None:
            return self.model(self._structured(self.model, list(table.values())), training=False)
        call, inputs, _ = self.calls[node]
        return _at_inference(call, {key: table[value] for key, value in inputs.items()})

    def _array(self, tensor: Any) -> Any:
        return np.asarray(self.keras.ops.convert_to_numpy(tensor))

    def _mask(self, tensor: Any) -> Any:
        mask = _get_mask(tensor)
        return None if mask is None else self._array(mask)

    def architecture(self, to: str) -> Dict[str, Any]:
        if not self.calls:
            raise Unsupported("the model has no layers that can be taken apart")
        calls, weights, known = [], {}, {}  # type: List[Node], Dict[str, Any], Dict[int, str]
        for name, (node, inputs, outputs) in self.calls.items():
            layer = node.operation
            first = known.setdefault(id(layer), name)
            for index, array in enumerate(layer.get_weights() if hasattr(layer, "get_weights") else ()):
                weights["{}:{}".format(first, index)] = array
            calls.append({
                "name": name, "layer": json.loads(json.dumps(self.keras.saving.serialize_keras_object(layer))),
                "args": _template(self.keras, node.arguments.args, inputs),
                "kwargs": _template(self.keras, node.arguments.kwargs, inputs),
                "inputs": list(OrderedDict.fromkeys(inputs.values())), "outputs": outputs, "same": first,
                "shapes": [list(tensor.shape) for tensor in node.outputs], "defaults": _defaults(layer),
                "masks": _takers_of_masks(node, inputs),
            })  # fmt: skip
        np.savez(to, **weights)
        return {"inputs": self.inputs(), "outputs": self.outputs(), "calls": calls, "weights": to}

    def build(self, request: Dict[str, Any]) -> Dict[str, Any]:
        """Calls that fail are told and left out, with all that needs them."""
        given = dict(np.load(request["weights"])) if request.get("weights") else {}
        tensors = OrderedDict()  # type: Dict[str, Any]
        for port in request["inputs"]:
            tensors[port["name"]] = self.keras.Input(
                port["shape"][1:], batch_size=port["shape"][0], dtype=port["dtype"], name=port["name"]
            )
        entering = list(tensors.values())
        layers, failed, told = {}, {}, {}  # type: Dict[str, Any], Dict[str, str], Dict[str, Node]
        for call in request["calls"]:
            name, same = call["name"], call["same"]
            if any(value not in tensors for value in call["inputs"]):
                failed.setdefault(name, "what enters it is missing")
                continue
            try:
                if same not in layers:
                    layers[same] = _layer_of(self.keras, call["layer"], same)
                args, kwargs = (_filled(self.keras, call[part], tensors) for part in ("args", "kwargs"))
                found = self.keras.tree.flatten(layers[same](*args, **kwargs))
                outputs = [name if not index else "{}:{}".format(name, index) for index in range(len(found))]
                tensors.update(zip(outputs, found))
                told[name] = {
                    "outputs": outputs, "shapes": [list(tensor.shape) for tensor in found],
                    "defaults": _defaults(layers[same]), "config": _plain_config(layers[same]),
                    "weights": _set_weights(layers[same], same, given, request.get("seed", 0)),
                }  # fmt: skip
            except Exception as error:
                failed[name] = " ".join(str(error).split())[:400]
        leaving = [tensors[value] for value in request["outputs"] or [v for t in told.values() for v in t["outputs"]]
                   if value in tensors]  # fmt: skip
        if not leaving:
            return {"calls": {}, "failed": failed}
        self.keras.Model(entering, leaving).save(request["to"])
        kept = {name: layer.get_weights() for name, layer in layers.items() if hasattr(layer, "get_weights")}
        np.savez(
            request["to"] + ".npz", **{"{}:{}".format(n, i): w for n, ws in kept.items() for i, w in enumerate(ws)}
        )
        return {"calls": told, "failed": failed}


def _at_inference(node: Any, table: Dict[int, Any]) -> Any:
    """The call of a layer by a model that predicts; layers that vary pictures would train if nothing were said."""
    args, kwargs = node.arguments.fill_in(table)
    if getattr(node.operation, "_call_has_training_arg", False):
        kwargs = dict(kwargs, training=False)
    return node.operation(*args, **kwargs)


def _template(keras: Any, given: Any, names: Dict[int, str]) -> Any:
    """Arguments of a call as plain data, with the names of values in place of tensors."""
    if isinstance(given, dict):
        return {key: _template(keras, value, names) for key, value in given.items()}
    if isinstance(given, (list, tuple)):
        return [_template(keras, value, names) for value in given]
    if id(given) in names:
        return {"value": names[id(given)]}
    return {"plain": json.loads(json.dumps(keras.saving.serialize_keras_object(given)))}


def _takers_of_masks(node: Any, names: Dict[int, str]) -> Dict[str, Any]:
    """The arguments that Keras hands masks of values to, each with the name of the value, or a list of such names."""
    try:
        signature = inspect.signature(node.operation.call)
        given = signature.bind(*node.arguments.args, **node.arguments.kwargs).arguments
    except (AttributeError, TypeError, ValueError):
        return {}
    found = OrderedDict()  # type: Dict[str, Any]
    for name, value in given.items():
        listed = isinstance(value, (list, tuple)) and bool(value) and all(id(each) in names for each in value)
        if listed or id(value) in names:
            found[name] = [names[id(each)] for each in value] if listed else names[id(value)]
    if len(found) == 1:
        return {"mask": next(iter(found.values()))} if "mask" in signature.parameters else {}
    return {name + "_mask": each for name, each in found.items() if name + "_mask" in signature.parameters}


def _filled(keras: Any, template: Any, tensors: Dict[str, Any]) -> Any:
    if isinstance(template, list):
        return [_filled(keras, each, tensors) for each in template]
    if set(template) == {"value"}:
        return tensors[template["value"]]
    if set(template) == {"plain"}:
        return keras.saving.deserialize_keras_object(template["plain"])
    return {key: _filled(keras, each, tensors) for key, each in template.items()}


def _layer_of(keras: Any, told: Node, name: str) -> Any:
    """A fresh layer, built when it is called: what it was built for before may not fit."""
    config = json.loads(json.dumps(told), object_hook=_as_new)
    config["config"] = dict(config.get("config") or {}, name=name.replace("/", "--"))
    return keras.saving.deserialize_keras_object(config, safe_mode=False)


def _as_new(found: Dict[str, Any]) -> Dict[str, Any]:
    """A configuration without the shapes it was built for, and without first weights that take long to compute."""
    kept = {key: value for key, value in found.items() if key != "build_config"}
    return {key: "zeros" if key.endswith("_initializer") and kept[key] else kept[key] for key in kept}


def _set_weights(layer: Any, name: str, given: Dict[str, Any], seed: int) -> List[List[int]]:
    """Give a layer its weights; where there are none that fit, others that are neither constant nor large."""
    variables = list(getattr(layer, "weights", ()))
    random = np.random.RandomState((sum(map(ord, name)) + seed) % 2**32)
    for index, variable in enumerate(variables):
        array, shape = given.get("{}:{}".format(name, index)), tuple(variable.shape)
        if array is None or array.shape != shape:
            if "float" not in str(variable.dtype):
                continue
            spread = 1.0 / max(1.0, np.prod(shape[:-1]) ** 0.5)
            array = random.normal(size=shape) * spread
            if "variance" in variable.path:
                array = 0.5 + random.uniform(size=shape)
        variable.assign(array.astype(str(variable.dtype)))
    return [list(variable.shape) for variable in variables]


def _defaults(layer: Any) -> Dict[str, Any]:
    """The values that the parameters of a layer have if nothing is said."""
    found = {}
    for kind in reversed(type(layer).__mro__):
        if "__init__" in vars(kind):
            for name, parameter in inspect.signature(vars(kind)["__init__"]).parameters.items():
                if isinstance(parameter.default, (int, float, str, bool, type(None), tuple)):
                    found[name] = parameter.default
    return dict(json.loads(json.dumps(found)))


def _version_of(name: str) -> str:
    module = _imported(name)
    return "{} {}".format(name, getattr(module, "__version__", "")).strip()


def _inputs_of_onnx(path: str) -> List[str]:
    graph = _imported("onnx").load(path).graph
    stored = {each.name for each in graph.initializer}
    return [each.name for each in graph.input if each.name not in stored]


def _plain_name(name: str) -> str:
    """A name as TensorFlow writes those of arguments."""
    return re.sub(r"[^A-Za-z0-9_]", "_", name)


def _inputs_of_saved(folder: str) -> List[str]:
    signature = _imported("tensorflow").saved_model.load(folder).signatures["serving_default"]
    return list(signature.structured_input_signature[1])


def _tflite_of_saved(folder: str, to: str) -> Dict[str, Any]:
    tensorflow = _imported("tensorflow")
    converter = tensorflow.lite.TFLiteConverter.from_saved_model(folder)
    with open(to, "wb") as file:
        file.write(converter.convert())
    made = _imported("ai_edge_litert.interpreter").Interpreter(model_path=to)
    version = "tflite converter of tensorflow {}".format(tensorflow.__version__)
    ends = [each["name"] for each in made.get_output_details()]
    order = list(range(len(ends)))
    if all(re.search(r":\d+$", name) for name in ends):
        order.sort(key=lambda index: _number_at_end(ends[index]))
    taken = [each["name"] for each in made.get_input_details()]
    return {"version": version, "inputs": taken, "named": _named_by_signature(made), "order": order}


def _named_by_signature(made: Any) -> Dict[str, str]:
    """The tensors of a TFLite file by the names that its signature has for what goes in."""
    keys = list(made.get_signature_list())
    if len(keys) != 1:
        return {}
    return {name: told["name"] for name, told in made.get_signature_runner(keys[0]).get_input_details().items()}


def _library(keras: Any) -> str:
    module = sys.modules.get(keras.backend.backend())
    found = getattr(module, "__version__", "")
    return " {}".format(found) if found else ""


def _keras_model(keras: Any, request: Dict[str, Any]) -> Any:
    """The model of a file; one that holds weights alone goes into what the user's function builds."""
    if not request.get("build"):
        if request["model"].endswith(".keras") and not zipfile.is_zipfile(request["model"]):
            raise BadModel("no model of Keras: the file is damaged or no .keras file")
        try:
            return keras.models.load_model(request["model"], compile=False)
        except Exception as error:
            written = _written_by(request["model"])
            if written and written.split(".")[0] != keras.__version__.split(".")[0]:
                words = " ".join(str(error).split())
                raise Unsupported(
                    "keras {} does not open a file of keras {}: {}".format(keras.__version__, written, words[:400])
                )
            raise
    module, _, function = request["build"].partition(":")
    sys.path.insert(0, request.get("folder") or os.getcwd())
    model = getattr(importlib.import_module(module), function)()
    if not hasattr(model, "load_weights"):
        raise BadModel("{} returns {}, which is no model of Keras".format(request["build"], type(model).__name__))
    model.load_weights(request["model"])
    return model


def _written_by(path: str) -> str:
    """The version of Keras that wrote a file of HDF5; nothing if it does not tell."""
    try:
        with importlib.import_module("h5py").File(path, "r") as file:
            found = file.attrs.get("keras_version", "")
    except (ImportError, OSError):
        return ""
    return found.decode() if isinstance(found, bytes) else str(found)


def _functional(model: Any) -> Any:
    """The functional form of a model, if it has one."""
    if hasattr(model, "_nodes_by_depth") and hasattr(model, "inputs") and type(model).__name__ != "Sequential":
        return model
    return getattr(model, "_functional", None) if type(model).__name__ == "Sequential" else None


_HALF = ("float16", "bfloat16")
_SINGLE = ("float32", *_HALF)


def _double_policy(found: Dict[str, Any]) -> Dict[str, Any]:
    if found.get("class_name") == "DTypePolicy":
        found["config"] = dict(found["config"], name="float64")
    elif found.get("dtype") in (*_SINGLE, "mixed_float16", "mixed_bfloat16"):
        found["dtype"] = "float64"
    return found


def _keep_double(keras: Any) -> None:
    """No rounding to single precision on the way.

    Where Keras joins types it takes float32 for float64, except on TensorFlow, and JAX, TensorFlow and NumPy take the
    softmax of attention in float32 whatever they are given, so that is computed by its definition.
    """
    with contextlib.suppress(ImportError):
        types = importlib.import_module("keras.src.backend.common.dtypes")
        getattr(types, "BIT64_TO_BIT32_DTYPE", {})["float64"] = "float64"
    functions = getattr(importlib.import_module("keras.src.backend"), "nn", None)
    if functions is None or keras.backend.backend() not in ("jax", "tensorflow", "numpy"):
        return
    ops = keras.ops

    def attention(
        query: Any, key: Any, value: Any, bias: Any = None, mask: Any = None, scale: Any = None,
        is_causal: bool = False, **left: Any
    ) -> Any:  # fmt: skip
        left.pop("flash_attention", None)
        if any(each is not None for each in left.values()):
            raise Unsupported("attention with {} is not known in double precision".format(", ".join(left)))
        query, key, value = [ops.convert_to_tensor(each, "float64") for each in (query, key, value)]
        shared = query.shape[2] // key.shape[2]
        if shared > 1:
            key, value = ops.repeat(key, shared, axis=2), ops.repeat(value, shared, axis=2)
        factor = ops.convert_to_tensor(float(key.shape[3]) ** -0.5 if scale is None else scale, "float64")
        logits = ops.einsum("btnh,bsnh->bnts", query, key) * factor
        if bias is not None:
            logits = logits + ops.cast(bias, "float64")
        seen = [] if mask is None else [ops.cast(mask, "bool")]
        if is_causal:
            seen.append(ops.tril(ops.ones(ops.shape(logits)[2:], dtype="bool")))
        for each in seen:
            logits = ops.where(each, logits, ops.convert_to_tensor(-1e300, "float64"))
        return ops.einsum("bnts,bsnh->btnh", ops.softmax(logits, axis=-1), value)

    functions.dot_product_attention = attention


def _plain_config(operation: Any) -> Dict[str, Any]:
    """What of a layer's configuration decides what it computes, as plain values."""
    try:
        config = operation.get_config()
    except Exception:
        return {}
    left = ("name", "dtype", "trainable", "batch_shape", "batch_input_shape")
    ending = ("_initializer", "_regularizer", "_constraint")
    kept = {}
    for key, value in config.items():
        if key not in left and not key.endswith(ending) and isinstance(value, (int, float, str, bool, list, tuple)):
            kept[key] = value
    return dict(json.loads(json.dumps(kept, default=str)))


def _fresh(name: str, known: Dict[str, Any]) -> str:
    found, count = name, 1
    while found in known:
        count += 1
        found = "{}@{}".format(name, count)
    return found


def _set_mask(tensor: Any, mask: Any) -> None:
    try:
        importlib.import_module("keras.src.backend.common.masking").set_keras_mask(tensor, mask)
    except ImportError:
        tensor._keras_mask = mask


def _get_mask(tensor: Any) -> Any:
    try:
        return importlib.import_module("keras.src.backend.common.masking").get_keras_mask(tensor)
    except ImportError:
        return getattr(tensor, "_keras_mask", None)


def _is_float(tensor: Any) -> bool:
    return "float" in str(tensor.dtype)


def _distinct(names: List[str]) -> List[str]:
    known: Dict[str, Any] = {}
    for name in names:
        known[_fresh(name, known)] = None
    return list(known)


@contextlib.contextmanager
def _moved(variables: List[Any], seed: Optional[int]) -> Any:
    """Parameters that are off by no more than one rounding of single precision, while it lasts."""
    if seed is None:
        yield
        return
    random = np.random.RandomState(seed)
    kept = [np.array(each.numpy()) for each in variables]
    try:
        for variable, array in zip(variables, kept):
            variable.assign(array * (1 + 2.0**-24 * random.uniform(-1, 1, array.shape)))
        yield
    finally:
        for variable, array in zip(variables, kept):
            variable.assign(array)


def _by_tensorflow(_: Any, weighted: Any, variables: List[Any], tensors: List[Any]) -> List[Any]:
    tensorflow = _imported("tensorflow")
    held = [each.value for each in variables]
    with tensorflow.GradientTape(watch_accessed_variables=False) as tape:
        tape.watch(held + tensors)
        total = tensorflow.convert_to_tensor(weighted(tensors))
    found = tape.gradient(total, held + tensors, unconnected_gradients=tensorflow.UnconnectedGradients.ZERO)
    return [tensorflow.convert_to_tensor(each) for each in found]


def _by_jax(keras: Any, weighted: Any, variables: List[Any], tensors: List[Any]) -> List[Any]:
    def total(values: List[Any], given: List[Any]) -> Any:
        with keras.StatelessScope(state_mapping=list(zip(variables, values))):
            return weighted(given)

    found = _imported("jax").grad(total, argnums=(0, 1))([each.value for each in variables], tensors)
    return list(found[0]) + list(found[1])


def _by_torch(_: Any, weighted: Any, variables: List[Any], tensors: List[Any]) -> List[Any]:
    torch = _imported("torch")
    leaves = [each.detach().clone().requires_grad_() for each in tensors]
    held = [each.value for each in variables] + leaves
    with torch.enable_grad():
        total = weighted(leaves)
    if not getattr(total, "requires_grad", False):
        return [torch.zeros_like(each) for each in held]
    found = torch.autograd.grad(total, held, allow_unused=True)
    return [torch.zeros_like(one) if each is None else each for one, each in zip(held, found)]


_DIFFERENTIATE = {"tensorflow": _by_tensorflow, "jax": _by_jax, "torch": _by_torch}


class Keras2(Driver):
    """A model of Keras 2.0 to 2.3, on the backend that KERAS_BACKEND names: TensorFlow 1, Theano or CNTK."""

    def open(self, request: Dict[str, Any]) -> None:
        self.keras = _imported("keras")
        if _release(self.keras) >= (2, 4):
            raise Unsupported("keras {} is a part of TensorFlow".format(self.keras.__version__))
        if request.get("double"):
            raise Unsupported("keras {} has no double precision on every backend".format(self.keras.__version__))
        library = self.keras.backend.backend() + _library(self.keras)
        self.version = "keras {} on {}".format(self.keras.__version__, library)
        self.model = _keras_model(self.keras, request)
        self.calls: "Dict[str, Tuple[Any, List[str], List[str]]]" = OrderedDict()
        self.names: "Dict[int, str]" = {}
        self.functions: "Dict[Any, Callable[[List[Any]], List[Tuple[Any, Any]]]]" = {}
        if type(self.model).__name__ == "Sequential" and not self.model.built:
            self.model.build()
        if not request.get("build"):
            _name_as_in_file(self.model, request["model"])
        self.graph = hasattr(self.model, "_nodes_by_depth")
        if self.graph:
            self.names.update((id(tensor), _maker(tensor).name) for tensor in self.model.inputs)
            self._flatten(self.model, "")

    def _flatten(self, model: Any, prefix: str) -> None:
        """Number the calls of a model, those of the models inside it in their place."""
        for depth in sorted(model._nodes_by_depth, reverse=True):
            for node in model._nodes_by_depth[depth]:
                layer = node.outbound_layer
                if not node.inbound_layers:
                    continue
                inputs = [self.names[id(tensor)] for tensor in node.input_tensors]
                if hasattr(layer, "_nodes_by_depth"):
                    self.names.update(zip(map(id, layer.inputs), inputs))
                    self._flatten(layer, prefix + layer.name + "/")
                    outputs = [self.names[id(tensor)] for tensor in layer.outputs]
                else:
                    name = _fresh(prefix + layer.name, self.calls)
                    count = len(node.output_tensors)
                    outputs = [name if not index else "{}:{}".format(name, index) for index in range(count)]
                    self.calls[name] = (node, inputs, outputs)
                self.names.update(zip(map(id, node.output_tensors), outputs))

    def inputs(self) -> List[Dict[str, Any]]:
        if not self.graph:
            return [{"name": "input", "shape": None, "dtype": "float32"}]
        backend = self.keras.backend
        return [
            {"name": _maker(each).name, "shape": list(backend.int_shape(each)), "dtype": backend.dtype(each)}
            for each in self.model.inputs
        ]

    def outputs(self) -> List[str]:
        return [self.names[id(tensor)] for tensor in self.model.outputs] if self.graph else [self.model.name]

    def nodes(self) -> List[Node]:
        return [
            {
                "name": name, "kind": type(node.outbound_layer).__name__, "inputs": list(OrderedDict.fromkeys(inputs)),
                "outputs": outputs, "config": _plain_config(node.outbound_layer),
            }
            for name, (node, inputs, outputs) in self.calls.items()
        ]  # fmt: skip

    def run(self, given: Dict[str, Any], batch: int, target: Optional[str] = None) -> List[Any]:
        if target is not None:
            return _joined([self._to(target, part) for part in _batches(given, batch)])
        values = [np.asarray(each) for each in given.values()]
        found = self.model.predict(values[0] if len(values) == 1 else values, batch_size=batch, verbose=0)
        return [np.asarray(each) for each in _listed(found)]

    def _to(self, target: str, given: Dict[str, Any]) -> List[Any]:
        """A value of the model, or of a model inside it; the calls before the latter are then made once more."""
        if target not in self.functions:
            nodes = [node for level in self.model._nodes_by_depth.values() for node in level]
            held = {self.names[id(tensor)]: tensor for node in nodes for tensor in node.output_tensors}
            places = OrderedDict((_maker(each).name, (each, None)) for each in self.model.inputs)
            table = {target: (held[target], None)} if target in held else self._again(target, places)
            self.functions[target] = self._function(places, [table[target]])
        return [value for value, _ in self.functions[target](list(given.values()))]

    def _again(self, target: str, table: Dict[str, Tuple[Any, Any]]) -> Dict[str, Tuple[Any, Any]]:
        table = dict(table)
        for name, (_, _, outputs) in self.calls.items():
            table.update(self._applied(name, table))
            if target in outputs:
                break
        return table

    def step(self, node: str, given: Dict[str, Any]) -> List[Any]:
        call, inputs, outputs = self.calls[node]
        masked = tuple(given[value][1] is not None for value in inputs)
        if (node, masked) not in self.functions:
            places: "Dict[str, Tuple[Any, Any]]" = OrderedDict()
            for value, tensor, has_mask in zip(inputs, call.input_tensors, masked):
                places[value] = (self._place(tensor), self._place_of_mask(tensor) if has_mask else None)
            found = self._applied(node, places)
            self.functions[node, masked] = self._function(places, [found[value] for value in outputs])
        fed = [each for value in OrderedDict.fromkeys(inputs) for each in given[value] if each is not None]
        return self.functions[node, masked](fed)

    def _applied(self, name: str, table: Dict[str, Tuple[Any, Any]]) -> Dict[str, Tuple[Any, Any]]:
        """What one call gives for other tensors, with masks, than those that the model was built of."""
        node, inputs, outputs = self.calls[name]
        layer = node.outbound_layer
        tensors, masks = ([table[value][part] for value in inputs] for part in (0, 1))
        exchanged = dict(zip(map(id, node.input_tensors), tensors))
        arguments = {key: _exchange(value, exchanged) for key, value in (node.arguments or {}).items() if key != "mask"}
        data, mask = (tensors[0], masks[0]) if len(tensors) == 1 else (tensors, masks)
        if "mask" in inspect.signature(layer.call).parameters:
            arguments["mask"] = mask
        found = _listed(layer.call(data, **arguments))
        for tensor, shape in zip(found, node.output_shapes):
            tensor._keras_shape = shape
        found_masks = layer.compute_mask(data, mask)
        return dict(zip(outputs, zip(found, [None] * len(found) if found_masks is None else _listed(found_masks))))

    def _place(self, tensor: Any) -> Any:
        backend = self.keras.backend
        return backend.placeholder(shape=backend.int_shape(tensor), dtype=backend.dtype(tensor))

    def _place_of_mask(self, tensor: Any) -> Any:
        backend = self.keras.backend
        kind = "float32" if backend.backend() == "cntk" else "bool"
        return backend.placeholder(shape=backend.int_shape(tensor)[:2], dtype=kind)

    def _function(
        self, places: Dict[str, Tuple[Any, Any]], wanted: List[Tuple[Any, Any]]
    ) -> Callable[[List[Any]], List[Tuple[Any, Any]]]:
        """A function of arrays that gives the wanted values and their masks as when the model predicts."""
        backend = self.keras.backend
        phase = backend.learning_phase()
        phases = [] if isinstance(phase, int) else [phase]
        fed = [each for pair in places.values() for each in pair if each is not None]
        tensors = [backend.identity(each) for pair in wanted for each in pair if each is not None]
        function = backend.function(fed + phases, tensors)

        def apply(arrays: List[Any]) -> List[Tuple[Any, Any]]:
            found = iter(function(list(arrays) + [0] * len(phases)))
            return [(next(found), None if mask is None else np.asarray(next(found)) != 0) for _, mask in wanted]

        return apply


def _release(keras: Any) -> Tuple[int, int]:
    major, minor = keras.__version__.split(".")[:2]
    return int(major), int(minor)


def _name_as_in_file(model: Any, path: str) -> None:
    """Before 2.2.3 a sequential model inside another one loses its name when it is loaded."""
    with _imported("h5py").File(path, "r") as file:
        stored = [name.decode() for name in file["model_weights"].attrs["layer_names"]]
    loaded = {layer.name for layer in model.layers}
    lost = [layer for layer in model.layers if layer.name not in stored]
    for layer, name in zip(lost, [name for name in stored if name not in loaded]):
        layer.name = name


def _maker(tensor: Any) -> Any:
    """The layer of Keras 2 that gives a tensor."""
    return tensor._keras_history[0]


def _exchange(value: Any, tensors: Dict[int, Any]) -> Any:
    """An argument with other tensors in place of those that it holds."""
    if isinstance(value, (list, tuple)):
        return [_exchange(each, tensors) for each in value]
    return tensors.get(id(value), value)


def _keras_of_this_environment() -> "Driver":
    return Keras2() if _release(_imported("keras")) < (3, 0) else Keras()


# Graphs in files


class Graphs(Driver):
    """A graph in a file, and files that hold parts of it. Loaded parts are kept, the last few of them."""

    kept = 8

    def open(self, request: Dict[str, Any]) -> None:
        self.request = request
        self.path = request["model"]
        self.loaded: "OrderedDict[str, Any]" = OrderedDict()
        self.prepare(request)
        self.whole = self.load(self.path)

    def prepare(self, request: Dict[str, Any]) -> None:
        raise NotImplementedError

    def load(self, path: str) -> Any:
        raise NotImplementedError

    def apply(self, loaded: Any, given: Dict[str, Any]) -> List[Any]:
        raise NotImplementedError

    def inputs(self) -> List[Dict[str, Any]]:
        return []

    def outputs(self) -> List[str]:
        return []

    def nodes(self) -> List[Node]:
        return []

    def ready(self, target: Optional[str] = None) -> None:
        self._part(target)

    def run(self, given: Dict[str, Any], batch: int, target: Optional[str] = None) -> List[Any]:
        loaded = self._part(target)
        if not batch:
            return self.apply(loaded, {name: np.array(each) for name, each in given.items()})
        return _joined([self.apply(loaded, part) for part in _batches(given, batch)])

    def step(self, node: str, given: Dict[str, Any]) -> List[Any]:
        return self.apply(self._part(node), {name: array for name, (array, _) in given.items()})

    def _part(self, path: Optional[str]) -> Any:
        if path is None:
            return self.whole
        if path not in self.loaded:
            self.loaded[path] = self.load(path)
            while len(self.loaded) > self.kept:
                self.loaded.popitem(last=False)
        return self.loaded[path]


class OnnxRuntime(Graphs):
    def prepare(self, request: Dict[str, Any]) -> None:
        self.library = _imported("onnxruntime")
        self.version = "onnxruntime {}".format(self.library.__version__)

    def load(self, path: str) -> Any:
        options = self.library.SessionOptions()
        options.log_severity_level = 3
        if self.request.get("threads"):
            options.intra_op_num_threads = self.request["threads"]
        level = self.library.GraphOptimizationLevel
        options.graph_optimization_level = level.ORT_DISABLE_ALL if self.request.get("plain") else level.ORT_ENABLE_ALL
        return self.library.InferenceSession(path, options, providers=["CPUExecutionProvider"])

    def apply(self, loaded: Any, given: Dict[str, Any]) -> List[Any]:
        known = {each.name for each in loaded.get_inputs()}
        return list(loaded.run(None, {name: array for name, array in given.items() if name in known}))


class OpenVino(Graphs):
    """Reads ONNX and TFLite files, SavedModels and its own format."""

    def prepare(self, request: Dict[str, Any]) -> None:
        self.library = _imported("openvino")
        self.version = "openvino {}".format(self.library.__version__.split("-")[0])
        self.core = self.library.Core()

    def load(self, path: str) -> Any:
        settings = {"INFERENCE_PRECISION_HINT": "f32"}
        if self.request.get("threads"):
            settings["INFERENCE_NUM_THREADS"] = self.request["threads"]
        return self.core.compile_model(self.core.read_model(path), "CPU", settings)

    def apply(self, loaded: Any, given: Dict[str, Any]) -> List[Any]:
        found = loaded(_by_port(loaded.inputs, given))
        by_name = loaded is self.whole and os.path.isdir(self.path)
        return [np.array(found[port]) for port in _in_order(loaded.outputs, by_name)]


def _by_port(ports: Any, given: Dict[str, Any]) -> Dict[Any, Any]:
    """What enters each port: by its names, and by order where an operator that does nothing has taken these."""
    fed: Dict[Any, Any] = {}
    left = dict(given)
    for port in ports:
        name = next((each for each in left if each in port.names or each + ":0" in port.names), None)
        if name is not None:
            fed[port] = left.pop(name)
    nameless = [port for port in ports if port not in fed]
    if len(nameless) == len(left):
        fed.update(zip(nameless, left.values()))
    return fed


def _in_order(ports: Any, by_name: bool) -> List[Any]:
    """Outputs of a SavedModel by their names, those of a part of one by their numbers, others as they stand."""
    if by_name:
        return sorted(ports, key=lambda port: min(port.names))

    def number(port: Any) -> int:
        return next((_number_at_end(each.split(":")[0]) for each in port.names if each.startswith(_PART_OUTPUT)), 0)

    return sorted(ports, key=number)


class OnnxReference(Graphs):
    def prepare(self, request: Dict[str, Any]) -> None:
        self.library = _imported("onnx.reference")
        self.version = "onnx {}".format(_imported("onnx").__version__)

    def load(self, path: str) -> Any:
        return self.library.ReferenceEvaluator(path)

    def apply(self, loaded: Any, given: Dict[str, Any]) -> List[Any]:
        return list(loaded.run(None, {name: array for name, array in given.items() if name in loaded.input_names}))


class LiteRt(Graphs):
    """TFLite files, with the kernels that are used by default or with the plain ones that are their reference.

    Nodes are the operators that depend on an input; what they take of stored numbers alone is computed with them.
    """

    def prepare(self, request: Dict[str, Any]) -> None:
        self.library = _imported("ai_edge_litert.interpreter")
        self.version = "litert {}".format(getattr(_imported("ai_edge_litert"), "__version__", "")).strip()

    def load(self, path: str) -> Any:
        plain = self.library.OpResolverType.BUILTIN_REF
        normal = self.library.OpResolverType.AUTO
        resolver = plain if self.request.get("plain") else normal
        return self.library.Interpreter(model_path=path, experimental_op_resolver_type=resolver)

    def apply(self, loaded: Any, given: Dict[str, Any]) -> List[Any]:
        for place in loaded.get_input_details():
            array = given[place["name"]]
            if tuple(place["shape"]) != array.shape:
                loaded.resize_tensor_input(place["index"], array.shape)
        loaded.allocate_tensors()
        for place in loaded.get_input_details():
            loaded.set_tensor(place["index"], given[place["name"]])
        loaded.invoke()
        return [loaded.get_tensor(place["index"]) for place in loaded.get_output_details()]

    def inputs(self) -> List[Dict[str, Any]]:
        return [
            {
                "name": each["name"],
                "shape": [int(n) if n >= 0 else None for n in each["shape_signature"]],
                "dtype": np.dtype(each["dtype"]).name,
            }
            for each in self.whole.get_input_details()
        ]

    def outputs(self) -> List[str]:
        if not self._parse():
            return [each["name"] for each in self.whole.get_output_details()]
        return [self.names[index] for index in self.graph.outputs]

    def _parse(self) -> bool:
        """Whether the operators and tensors of the file are known, each tensor under a name of its own."""
        if hasattr(self, "names"):
            return True
        try:
            importlib.import_module("flatbuffers")
            schema = importlib.import_module("ai_edge_litert.schema_py_generated")
        except ImportError:
            return False
        with open(self.path, "rb") as file:
            self.file = schema.ModelT.InitFromPackedBuf(file.read(), 0)
        self.graph = self.file.subgraphs[0]
        kinds = {code: name for name, code in vars(schema.BuiltinOperator).items() if isinstance(code, int)}
        self.kinds = [
            kinds.get(max(each.builtinCode, each.deprecatedBuiltinCode), "") for each in self.file.operatorCodes
        ]
        self.names: "List[str]" = []
        for index, tensor in enumerate(self.graph.tensors):
            name = (tensor.name or b"").decode("utf-8", "replace") or str(index)
            self.names.append(name if name not in self.names else "{}@{}".format(name, index))
        return True

    def nodes(self) -> List[Node]:
        if not self._parse() or len(self.file.subgraphs) > 1:
            return []
        made = set(self.graph.inputs)
        for each in self.graph.operators:
            if made.intersection(each.inputs):
                made.update(each.outputs)
        return [
            {
                "name": self.names[each.outputs[0]], "kind": self.kinds[each.opcodeIndex],
                "inputs": list(OrderedDict.fromkeys(self.names[index] for index in each.inputs if index in made)),
                "outputs": [self.names[index] for index in each.outputs], "config": self._config(each),
            }
            for each in self.graph.operators
            if made.intersection(each.outputs)
        ]  # fmt: skip

    def _config(self, node: Any) -> Dict[str, Any]:
        found = _plain_options(node)
        if self.kinds[node.opcodeIndex] in ("CONV_2D", "DEPTHWISE_CONV_2D", "TRANSPOSE_CONV"):
            found["kernel_size"] = [int(size) for size in self.graph.tensors[node.inputs[1]].shape[1:3]]
        return found

    def part(self, values: List[str], given: List[str], to: str) -> None:
        import copy

        if not self._parse():
            raise Unsupported("the schema of TFLite is not there")
        model = copy.copy(self.file)
        graph = copy.copy(self.graph)
        model.subgraphs, model.signatureDefs, model.metadata, model.metadataBuffer = [graph], None, None, None
        place = {name: index for index, name in enumerate(self.names)}
        needed, kept = {place[name] for name in values}, []
        for node in reversed(self.graph.operators):
            if needed & set(node.outputs) - {place[name] for name in given}:
                kept.append(node)
                needed |= {index for index in node.inputs if index >= 0}
        graph.operators = kept[::-1]
        graph.inputs, graph.outputs = [place[name] for name in given], [place[name] for name in values]
        graph.tensors = [copy.copy(tensor) for tensor in self.graph.tensors]
        for tensor, name in zip(graph.tensors, self.names):
            tensor.name = name
        with open(to, "wb") as file:
            file.write(_packed(model))

    def call(self, node: str, keep: "Callable[[Any], Dict[str, str]]") -> Dict[str, Any]:
        """An operator with its options. The template is a file that holds it alone."""
        made, named = set(self.graph.inputs), {name: index for index, name in enumerate(self.names)}
        for each in self.graph.operators:
            if made.intersection(each.inputs):
                made.update(each.outputs)
        found = next(each for each in self.graph.operators if each.outputs[0] == named[node])
        taken = [self._taken(index, index in made, keep) for index in found.inputs]
        options = _plain_options(found)
        plain = vars(type(found.builtinOptions)()) if options else {}
        defaults = {name: plain[name] for name, value in options.items() if plain[name] or not _SIZE.match(name)}
        return {
            "kind": self.kinds[found.opcodeIndex], "arguments": dict(options, inputs=taken), "defaults": defaults,
            "template": keep(np.frombuffer(self._cut_out(found), np.uint8)),
        }  # fmt: skip

    def _taken(self, index: int, enters: bool, keep: "Callable[[Any], Dict[str, str]]") -> Any:
        if index < 0 or enters:
            return None if index < 0 else {"value": self.names[index]}
        data = self.file.buffers[self.graph.tensors[index].buffer].data
        if data is None:
            raise Unsupported("`{}` is computed from what is stored".format(self.names[index]))
        place = next(each for each in self.whole.get_tensor_details() if each["index"] == index)
        return keep(np.frombuffer(bytes(bytearray(data)), place["dtype"]).reshape(tuple(place["shape"])))

    def _cut_out(self, node: Any) -> bytes:
        """A file of one operator and the tensors that it takes and yields, without what they store."""
        import copy

        model, graph, alone = copy.copy(self.file), copy.copy(self.graph), copy.copy(node)
        used = [index for index in OrderedDict.fromkeys(list(node.inputs) + list(node.outputs)) if index >= 0]
        graph.tensors = [copy.copy(self.graph.tensors[index]) for index in used]
        alone.inputs = [used.index(index) if index >= 0 else -1 for index in node.inputs]
        alone.outputs = [used.index(index) for index in node.outputs]
        model.operatorCodes, alone.opcodeIndex = [self.file.operatorCodes[node.opcodeIndex]], 0
        model.buffers = [copy.copy(self.file.buffers[0])]
        model.buffers[0].data = None
        for tensor in graph.tensors:
            tensor.buffer = 0
        graph.operators, graph.outputs, graph.inputs = [alone], alone.outputs, []
        model.subgraphs, model.signatureDefs, model.metadata, model.metadataBuffer = [graph], None, None, None
        return _packed(model)

    def build(self, request: Dict[str, Any]) -> Dict[str, Any]:
        """A file of one operator. What it yields has the sizes that an interpreter finds."""
        schema = _imported("ai_edge_litert.schema_py_generated")
        arrays, call = _loaded(request["arrays"]), request["call"]
        model = schema.ModelT.InitFromPackedBuf(arrays[call["template"]["array"]].tobytes(), 0)
        graph = model.subgraphs[0]
        node = graph.operators[0]
        names: "Dict[int, str]" = {}
        for index, each in zip(node.inputs, call["arguments"]["inputs"]):
            if each is None:
                continue
            names[index] = each.get("value") or each["array"]
            tensor, array = graph.tensors[index], arrays[names[index]]
            tensor.name, tensor.shape, tensor.shapeSignature = names[index], list(array.shape), None
            if "array" in each:
                stored = schema.BufferT()
                stored.data = np.frombuffer(array.tobytes(), np.uint8)
                model.buffers.append(stored)
                tensor.buffer = len(model.buffers) - 1
        graph.inputs = [index for index, name in names.items() if name in request["inputs"]]
        for index, place in enumerate(node.outputs):
            graph.tensors[place].name, graph.tensors[place].shapeSignature = "y{}".format(index), None
        for name, value in call["arguments"].items():
            if name != "inputs":
                setattr(node.builtinOptions, name, value)
        trial = self.library.Interpreter(model_content=_packed(model))
        trial.allocate_tensors()
        for place, found in zip(node.outputs, trial.get_output_details()):
            graph.tensors[place].shape = [int(size) for size in found["shape"]]
        with open(request["to"], "wb") as file:
            file.write(_packed(model))
        return {}


_SIZE = re.compile("stride|filter|dilation|block|depth")
"""Options of TFLite that cannot be zero, though that is what they are if nothing is said."""


def _packed(model: Any) -> bytes:
    builder = _imported("flatbuffers").Builder(1024)
    builder.Finish(model.Pack(builder), b"TFL3")
    return bytes(builder.Output())


def _plain_options(node: Any) -> Dict[str, Any]:
    """What a TFLite file says of an operator, as plain values."""
    found = vars(node.builtinOptions) if node.builtinOptions is not None else {}
    return {name: value for name, value in found.items() if isinstance(value, (int, float, bool))}


class OnnxTorch(Graphs):
    """ONNX by the operators of torch, one node after the other. What has no plain counterpart there is unsupported."""

    def prepare(self, request: Dict[str, Any]) -> None:
        self.torch = _imported("torch")
        self.onnx = _imported("onnx")
        self.operators = _TorchOperators(self.torch)
        self.version = "torch {}".format(self.torch.__version__)

    def load(self, path: str) -> Any:
        model = self.onnx.load(path)
        opset = max([each.version for each in model.opset_import if each.domain in ("", "ai.onnx")] or [0])
        stored = {each.name: self._tensor(self.onnx.numpy_helper.to_array(each)) for each in model.graph.initializer}
        unknown = {each.op_type for each in model.graph.node if not self.operators.knows(each.op_type, each.domain)}
        if unknown:
            raise Unsupported("no plain operators of torch for {}".format(", ".join(sorted(unknown))))
        return model.graph, opset, stored

    def apply(self, loaded: Any, given: Dict[str, Any]) -> List[Any]:
        graph, opset, stored = loaded
        table = dict(stored)
        table.update((name, self._tensor(array)) for name, array in given.items())
        with self.torch.no_grad():
            for node in graph.node:
                table.update(zip(node.output, self._results(node, opset, table)))
        return [table[each.name].numpy() for each in graph.output]

    def _results(self, node: Any, opset: int, table: Dict[str, Any]) -> List[Any]:
        attributes = {each.name: self._plain(self.onnx.helper.get_attribute_value(each)) for each in node.attribute}
        inputs = [table[name] if name else None for name in node.input]
        try:
            return self.operators.apply(node.op_type, opset, inputs, attributes, len(node.output))
        except MemoryError:
            raise
        except Exception as error:
            raise Unsupported("{} is not mapped to torch in this form: {}".format(node.op_type, error))

    def _plain(self, value: Any) -> Any:
        if isinstance(value, self.onnx.TensorProto):
            return self._tensor(self.onnx.numpy_helper.to_array(value))
        return value.decode() if isinstance(value, bytes) else value

    def _tensor(self, array: Any) -> Any:
        try:
            return self.torch.from_numpy(np.array(array))
        except TypeError as error:
            raise Unsupported(str(error))


_REDUCTIONS = {
    "ReduceSum": "sum", "ReduceMean": "mean", "ReduceMax": "amax", "ReduceMin": "amin", "ReduceProd": "prod",
    "ReduceL1": "l1", "ReduceL2": "l2", "ReduceSumSquare": "square", "ReduceLogSumExp": "logsumexp",
}  # fmt: skip


class _TorchOperators:
    """What a node of ONNX is in torch: a method `on_Name`, or an expression in the tables."""

    def __init__(self, torch: Any) -> None:
        self.torch = torch
        self.functional = torch.nn.functional
        one, two = self._of_one(), self._of_two()
        self.plain = {name: self._strict(function, 1) for name, function in one.items()}
        self.plain.update((name, self._strict(function, 2)) for name, function in two.items())

    def _of_one(self) -> Dict[str, Callable[..., Any]]:
        torch, functional = self.torch, self.functional
        names = (
            "Abs Neg Ceil Floor Round Sqrt Exp Log Sin Cos Tan Asin Acos Atan Sinh Cosh Tanh Asinh Acosh Atanh Erf"
            " Sigmoid Relu Sign Reciprocal"
        ).split()
        found: Dict[str, Callable[..., Any]] = {name: getattr(torch, name.lower()) for name in names}
        found.update({
            "Identity": lambda x: x, "Not": torch.logical_not, "IsNaN": torch.isnan, "BitwiseNot": torch.bitwise_not,
            "Softplus": lambda x: functional.softplus(x, threshold=1000.0), "Softsign": functional.softsign,
            "Mish": functional.mish, "HardSwish": functional.hardswish, "GlobalAveragePool": self._pooled(torch.mean),
            "GlobalMaxPool": self._pooled(torch.amax), "Det": torch.linalg.det,
            "Size": lambda x: torch.tensor(x.numel()),
        })  # fmt: skip
        return found

    def _of_two(self) -> Dict[str, Callable[..., Any]]:
        torch = self.torch
        return {
            "Add": torch.add, "Sub": torch.sub, "Mul": torch.mul, "MatMul": torch.matmul, "Pow": self._power,
            "Div": self._quotient, "Equal": torch.eq, "Greater": torch.gt, "GreaterOrEqual": torch.ge,
            "Less": torch.lt, "LessOrEqual": torch.le, "And": torch.logical_and, "Or": torch.logical_or,
            "Xor": torch.logical_xor, "BitwiseAnd": torch.bitwise_and, "BitwiseOr": torch.bitwise_or,
            "BitwiseXor": torch.bitwise_xor, "PRelu": lambda x, slope: torch.where(x < 0, slope * x, x),
            "Expand": lambda x, shape: x.broadcast_to(torch.broadcast_shapes(x.shape, shape.tolist())).contiguous(),
            "Tile": lambda x, repeats: x.repeat(*repeats.tolist()),
        }  # fmt: skip

    def knows(self, name: str, domain: str) -> bool:
        reduces = name in _REDUCTIONS
        return domain in ("", "ai.onnx") and (name in self.plain or reduces or hasattr(self, "on_" + name))

    def apply(self, name: str, opset: int, inputs: List[Any], attributes: Dict[str, Any], count: int) -> List[Any]:
        """Results of a node; an attribute that nobody reads makes it unsupported."""
        self.opset = opset
        left = dict(attributes)
        if name in _REDUCTIONS:
            found = self._reduced(name, inputs, left)
        elif name in self.plain:
            found = self.plain[name](*inputs)
        else:
            found = getattr(self, "on_" + name)(left, *inputs)
        if left:
            raise Unsupported("attributes {}".format(", ".join(sorted(left))))
        results = list(found) if isinstance(found, (list, tuple)) else [found]
        if len(results) < count:
            raise Unsupported("{} results".format(count))
        return results

    def _strict(self, function: Callable[..., Any], count: int) -> Callable[..., Any]:
        def apply(*inputs: Any) -> Any:
            if len(inputs) != count:
                raise Unsupported("{} operands".format(len(inputs)))
            return function(*inputs)

        return apply

    def _pooled(self, reduce: Callable[..., Any]) -> Callable[[Any], Any]:
        return lambda x: reduce(x, dim=tuple(range(2, x.dim())), keepdim=True)

    def _power(self, x: Any, y: Any) -> Any:
        return self.torch.pow(x, y.to(x.dtype)) if x.is_floating_point() else self.torch.pow(x, y).to(x.dtype)

    def _quotient(self, x: Any, y: Any) -> Any:
        return self.torch.div(x, y, rounding_mode=None if x.is_floating_point() else "trunc")

    def _reduced(self, name: str, inputs: List[Any], left: Dict[str, Any]) -> Any:
        torch, x = self.torch, inputs[0]
        axes = left.pop("axes", None)
        if len(inputs) > 1 and inputs[1] is not None:
            axes = inputs[1].tolist()
        keep, idle = bool(left.pop("keepdims", 1)), left.pop("noop_with_empty_axes", 0)
        if not axes:
            if idle:
                return x
            axes = list(range(x.dim()))
        how = _REDUCTIONS[name]
        if how == "prod":
            for axis in sorted((each % x.dim() for each in axes), reverse=True):
                x = x.prod(dim=axis, keepdim=keep)
            return x
        if how in ("l1", "l2", "square"):
            total = torch.sum(x.abs() if how == "l1" else x * x, dim=axes, keepdim=keep)
            return total.sqrt() if how == "l2" else total
        found = getattr(torch, how)(x, dim=axes, keepdim=keep)
        return found.to(x.dtype)

    def on_Constant(self, left: Dict[str, Any]) -> Any:
        ((name, value),) = left.items()
        left.clear()
        kinds = {"value_int": "int64", "value_ints": "int64", "value_float": "float32", "value_floats": "float32"}
        return value if name == "value" else self.torch.tensor(value, dtype=getattr(self.torch, kinds[name]))

    def on_ConstantOfShape(self, left: Dict[str, Any], shape: Any) -> Any:
        value = left.pop("value", self.torch.zeros(1))
        return value.reshape(()).expand(shape.tolist()).clone()

    def on_Shape(self, left: Dict[str, Any], x: Any) -> Any:
        return self.torch.tensor(list(x.shape)[left.pop("start", 0) : left.pop("end", None)], dtype=self.torch.int64)

    def on_Cast(self, left: Dict[str, Any], x: Any) -> Any:
        kinds = {1: "float32", 2: "uint8", 3: "int8", 5: "int16", 6: "int32", 7: "int64", 9: "bool", 10: "float16",
                 11: "float64", 16: "bfloat16"}  # fmt: skip
        left.pop("saturate", None)
        wanted = getattr(self.torch, kinds[left.pop("to")])
        if x.is_floating_point() and not wanted.is_floating_point and wanted is not self.torch.bool:
            limits = self.torch.iinfo(wanted)
            if not bool(((x > limits.min - 1.0) & (x < limits.max + 1.0)).all()):
                raise Unsupported("numbers outside of {}".format(wanted))
        return x.to(wanted)

    def on_Clip(self, left: Dict[str, Any], x: Any, low: Any = None, high: Any = None) -> Any:
        low, high = left.pop("min", low), left.pop("max", high)
        return x if low is None and high is None else self.torch.clamp(x, low, high)

    def _folded(self, function: Callable[[Any, Any], Any], inputs: Any) -> Any:
        found = inputs[0]
        for each in inputs[1:]:
            found = function(found, each)
        return found

    def on_Max(self, left: Dict[str, Any], *inputs: Any) -> Any:
        return self._folded(self.torch.maximum, inputs)

    def on_Min(self, left: Dict[str, Any], *inputs: Any) -> Any:
        return self._folded(self.torch.minimum, inputs)

    def on_Sum(self, left: Dict[str, Any], *inputs: Any) -> Any:
        return self._folded(self.torch.add, inputs)

    def on_Mean(self, left: Dict[str, Any], *inputs: Any) -> Any:
        return self._folded(self.torch.add, inputs) / len(inputs)

    def on_Mod(self, left: Dict[str, Any], x: Any, y: Any) -> Any:
        return self.torch.fmod(x, y) if left.pop("fmod", 0) else self.torch.remainder(x, y)

    def on_Where(self, left: Dict[str, Any], chosen: Any, x: Any, y: Any) -> Any:
        return self.torch.where(chosen, x, y)

    def on_LeakyRelu(self, left: Dict[str, Any], x: Any) -> Any:
        return self.functional.leaky_relu(x, left.pop("alpha", 0.01))

    def on_Elu(self, left: Dict[str, Any], x: Any) -> Any:
        return self.functional.elu(x, left.pop("alpha", 1.0))

    def on_Celu(self, left: Dict[str, Any], x: Any) -> Any:
        return self.functional.celu(x, left.pop("alpha", 1.0))

    def on_Selu(self, left: Dict[str, Any], x: Any) -> Any:
        if left:
            raise Unsupported("constants of its own")
        return self.functional.selu(x)

    def on_Gelu(self, left: Dict[str, Any], x: Any) -> Any:
        return self.functional.gelu(x, approximate=left.pop("approximate", "none"))

    def on_HardSigmoid(self, left: Dict[str, Any], x: Any) -> Any:
        return self.torch.clamp(left.pop("alpha", 0.2) * x + left.pop("beta", 0.5), 0, 1)

    def on_ThresholdedRelu(self, left: Dict[str, Any], x: Any) -> Any:
        return self.functional.threshold(x, left.pop("alpha", 1.0), 0.0)

    def on_Softmax(self, left: Dict[str, Any], x: Any) -> Any:
        return self._by_rows(left, x, self.functional.softmax)

    def on_LogSoftmax(self, left: Dict[str, Any], x: Any) -> Any:
        return self._by_rows(left, x, self.functional.log_softmax)

    def _by_rows(self, left: Dict[str, Any], x: Any, function: Callable[..., Any]) -> Any:
        axis = left.pop("axis", -1 if self.opset >= 13 else 1)
        if self.opset >= 13:
            return function(x, dim=axis)
        return function(x.flatten(axis % x.dim()), dim=-1).reshape(x.shape)

    def on_Dropout(self, left: Dict[str, Any], x: Any, ratio: Any = None, training: Any = None) -> Any:
        left.pop("ratio", None), left.pop("seed", None)
        if training is not None and bool(training):
            raise Unsupported("training")
        return [x, self.torch.ones_like(x, dtype=self.torch.bool)]

    def on_ArgMax(self, left: Dict[str, Any], x: Any) -> Any:
        return self._place_of(self.torch.argmax, left, x)

    def on_ArgMin(self, left: Dict[str, Any], x: Any) -> Any:
        return self._place_of(self.torch.argmin, left, x)

    def _place_of(self, function: Callable[..., Any], left: Dict[str, Any], x: Any) -> Any:
        if left.pop("select_last_index", 0):
            raise Unsupported("the last of several places")
        return function(x, dim=left.pop("axis", 0), keepdim=bool(left.pop("keepdims", 1)))

    def on_TopK(self, left: Dict[str, Any], x: Any, k: Any) -> Any:
        axis, largest, ordered = left.pop("axis", -1), left.pop("largest", 1), left.pop("sorted", 1)
        if not ordered:
            raise Unsupported("no order")
        found = self.torch.sort(x, dim=axis, descending=bool(largest), stable=True)
        return [each.narrow(axis, 0, int(k)).contiguous() for each in found]

    def on_CumSum(self, left: Dict[str, Any], x: Any, axis: Any) -> Any:
        return self.torch.cumsum(x, dim=int(axis)).to(x.dtype) if not left else self._no("its attributes")

    def on_Transpose(self, left: Dict[str, Any], x: Any) -> Any:
        return x.permute(*left.pop("perm", range(x.dim())[::-1])).contiguous()

    def on_Reshape(self, left: Dict[str, Any], x: Any, shape: Any) -> Any:
        kept = left.pop("allowzero", 0)
        return x.reshape([x.shape[i] if n == 0 and not kept else n for i, n in enumerate(shape.tolist())])

    def on_Concat(self, left: Dict[str, Any], *inputs: Any) -> Any:
        return self.torch.cat(inputs, dim=left.pop("axis"))

    def on_Split(self, left: Dict[str, Any], x: Any, sizes: Any = None) -> Any:
        axis, count = left.pop("axis", 0), left.pop("num_outputs", None)
        given = left.pop("split", None if sizes is None else sizes.tolist())
        if given is None:
            given = -(-x.shape[axis] // count)
        return [each.contiguous() for each in self.torch.split(x, given, dim=axis)]

    def on_Flatten(self, left: Dict[str, Any], x: Any) -> Any:
        axis = left.pop("axis", 1)
        return x.reshape(int(np.prod(x.shape[:axis])), -1) if x.numel() else self._no("no elements")

    def on_Squeeze(self, left: Dict[str, Any], x: Any, axes: Any = None) -> Any:
        places = left.pop("axes", None if axes is None else axes.tolist())
        return x.squeeze() if places is None else x.squeeze(tuple(places))

    def on_Unsqueeze(self, left: Dict[str, Any], x: Any, axes: Any = None) -> Any:
        places = left.pop("axes", None if axes is None else axes.tolist())
        for axis in sorted(each % (x.dim() + len(places)) for each in places):
            x = x.unsqueeze(axis)
        return x

    def on_Gather(self, left: Dict[str, Any], x: Any, places: Any) -> Any:
        axis = left.pop("axis", 0) % x.dim()
        flat = places.reshape(-1).long()
        found = x.index_select(axis, self.torch.where(flat < 0, flat + x.shape[axis], flat))
        return found.reshape(list(x.shape[:axis]) + list(places.shape) + list(x.shape[axis + 1 :]))

    def on_GatherElements(self, left: Dict[str, Any], x: Any, places: Any) -> Any:
        axis = left.pop("axis", 0)
        return self.torch.gather(x, axis, self.torch.where(places < 0, places + x.shape[axis], places).long())

    def on_Slice(self, left: Dict[str, Any], x: Any, *given: Any) -> Any:
        lists: List[Any] = [None if each is None else each.tolist() for each in given]
        lists = lists or [left.pop("starts"), left.pop("ends"), left.pop("axes", None)]
        starts, ends, axes, steps = lists + [None] * (4 - len(lists))
        steps = steps or [1] * len(starts)
        for axis, start, end, step in zip(axes or range(len(starts)), starts, ends, steps):
            places = range(x.shape[axis])[slice(start, None if step < 0 and end < -x.shape[axis] else end, step)]
            x = x.index_select(axis, self.torch.tensor(list(places), dtype=self.torch.int64))
        return x

    def on_Pad(self, left: Dict[str, Any], x: Any, pads: Any = None, value: Any = None, axes: Any = None) -> Any:
        widths = left.pop("pads", None if pads is None else pads.tolist())
        mode, number = left.pop("mode", "constant"), left.pop("value", 0.0 if value is None else value.item())
        if mode != "constant" or axes is not None:
            raise Unsupported("mode {}".format(mode))
        return self._padded(x, widths, number)

    def _padded(self, x: Any, widths: List[int], number: Any) -> Any:
        """Widths as in ONNX: those before each axis, then those after."""
        half = len(widths) // 2
        order = [width for axis in reversed(range(half)) for width in (widths[axis], widths[half + axis])]
        return self.functional.pad(x, order, value=number) if any(order) else x

    def on_Gemm(self, left: Dict[str, Any], a: Any, b: Any, c: Any = None) -> Any:
        alpha, beta = left.pop("alpha", 1.0), left.pop("beta", 1.0)
        a, b = (a.t() if left.pop("transA", 0) else a), (b.t() if left.pop("transB", 0) else b)
        product = a @ b if alpha == 1.0 else alpha * (a @ b)
        return product if c is None else product + (c if beta == 1.0 else beta * c)

    def on_Einsum(self, left: Dict[str, Any], *inputs: Any) -> Any:
        return self.torch.einsum(left.pop("equation"), *inputs)

    def on_BatchNormalization(self, left: Dict[str, Any], x: Any, scale: Any, bias: Any, mean: Any, var: Any) -> Any:
        left.pop("momentum", None)
        if left.pop("training_mode", 0):
            raise Unsupported("training")
        return self.functional.batch_norm(x, mean, var, scale, bias, eps=left.pop("epsilon", 1e-5))

    def on_LayerNormalization(self, left: Dict[str, Any], x: Any, scale: Any, bias: Any = None) -> Any:
        axis = left.pop("axis", -1) % x.dim()
        left.pop("stash_type", None)
        if scale.shape != x.shape[axis:]:
            raise Unsupported("a scale of another shape")
        return self.functional.layer_norm(x, x.shape[axis:], scale, bias, left.pop("epsilon", 1e-5))

    def on_InstanceNormalization(self, left: Dict[str, Any], x: Any, scale: Any, bias: Any) -> Any:
        return self.functional.instance_norm(x, weight=scale, bias=bias, eps=left.pop("epsilon", 1e-5))

    def on_LRN(self, left: Dict[str, Any], x: Any) -> Any:
        size, k = left.pop("size"), left.pop("bias", 1.0)
        if not size % 2:
            raise Unsupported("an even size")
        return self.functional.local_response_norm(x, size, left.pop("alpha", 1e-4), left.pop("beta", 0.75), k)

    def on_Conv(self, left: Dict[str, Any], x: Any, kernel: Any, bias: Any = None) -> Any:
        rank = x.dim() - 2
        left.pop("kernel_shape", None)
        strides, dilations = left.pop("strides", [1] * rank), left.pop("dilations", [1] * rank)
        pads = self._pads(left, x, kernel.shape[2:], strides, dilations)
        convolve = getattr(self.functional, "conv{}d".format(rank))
        if pads[:rank] != pads[rank:]:
            x, pads = self._padded(x, [0, 0] + pads[:rank] + [0, 0] + pads[rank:], 0.0), [0] * (2 * rank)
        return convolve(x, kernel, bias, list(strides), pads[:rank], list(dilations), left.pop("group", 1))

    def on_ConvTranspose(self, left: Dict[str, Any], x: Any, kernel: Any, bias: Any = None) -> Any:
        rank = x.dim() - 2
        left.pop("kernel_shape", None)
        pads, extra = list(left.pop("pads", [0] * 2 * rank)), list(left.pop("output_padding", [0] * rank))
        if left.pop("auto_pad", "NOTSET") != "NOTSET" or "output_shape" in left or pads[:rank] != pads[rank:]:
            raise Unsupported("padding by the size of the result")
        strides, dilations = left.pop("strides", [1] * rank), left.pop("dilations", [1] * rank)
        convolve = getattr(self.functional, "conv_transpose{}d".format(rank))
        group = left.pop("group", 1)
        return convolve(x, kernel, bias, list(strides), pads[:rank], extra, group, list(dilations))

    def on_MaxPool(self, left: Dict[str, Any], x: Any) -> Any:
        rank = x.dim() - 2
        sizes, strides = list(left.pop("kernel_shape")), list(left.pop("strides", [1] * rank))
        dilations, ordered = list(left.pop("dilations", [1] * rank)), left.pop("storage_order", 0)
        pads = self._pads(left, x, sizes, strides, dilations)
        if left.pop("ceil_mode", 0) or ordered:
            raise Unsupported("sizes rounded up, or places by columns")
        pool = getattr(self.functional, "max_pool{}d".format(rank))
        if any(pads):
            return pool(
                self._padded(x, [0, 0] + pads[:rank] + [0, 0] + pads[rank:], -float("inf")),
                sizes,
                strides,
                0,
                dilations,
            )
        found, places = pool(x, sizes, strides, 0, dilations, return_indices=True)
        volume = int(np.prod(x.shape[2:]))
        start = self.torch.arange(x.shape[0] * x.shape[1]).reshape([*x.shape[:2]] + [1] * rank) * volume
        return [found, places + start]

    def on_AveragePool(self, left: Dict[str, Any], x: Any) -> Any:
        rank = x.dim() - 2
        sizes, strides = list(left.pop("kernel_shape")), list(left.pop("strides", [1] * rank))
        counted = bool(left.pop("count_include_pad", 0))
        dilations = list(left.pop("dilations", [1] * rank))
        pads = self._pads(left, x, sizes, strides, dilations)
        if left.pop("ceil_mode", 0) or any(each != 1 for each in dilations):
            raise Unsupported("sizes rounded up, or dilation")
        pool = getattr(self.functional, "avg_pool{}d".format(rank))
        widths = [0, 0] + pads[:rank] + [0, 0] + pads[rank:]
        found = pool(self._padded(x, widths, 0.0), sizes, strides)
        if counted or not any(pads):
            return found
        return found / pool(self._padded(self.torch.ones_like(x), widths, 0.0), sizes, strides)

    def _pads(self, left: Dict[str, Any], x: Any, sizes: Any, strides: Any, dilations: Any) -> List[int]:
        given, auto = list(left.pop("pads", [0] * (2 * len(sizes)))), left.pop("auto_pad", "NOTSET")
        if auto in ("NOTSET", "VALID"):
            return given if auto == "NOTSET" else [0] * len(given)
        before, after = [], []
        for has, size, stride, dilation in zip(x.shape[2:], sizes, strides, dilations):
            total = max(0, (-(-has // stride) - 1) * stride + (size - 1) * dilation + 1 - has)
            small, large = total // 2, total - total // 2
            before.append(small if auto == "SAME_UPPER" else large)
            after.append(large if auto == "SAME_UPPER" else small)
        return before + after

    def _no(self, what: str) -> Any:
        raise Unsupported(what)


class Mlvet(Graphs):
    """The references of the operators, in the precision of the model or in double precision."""

    def prepare(self, request: Dict[str, Any]) -> None:
        self.reference = _imported("mlvet.runtime.reference")
        self.layers = _imported("mlvet.runtime.layers")
        self.models = _imported("mlvet.frontends.models")
        self.version = "mlvet {}".format(_imported("mlvet").__version__)

    def open(self, request: Dict[str, Any]) -> None:
        """A file with an operator that is not known is still open: parts of it may be known."""
        try:
            Graphs.open(self, request)
        except Unsupported as reason:
            if not request["model"].endswith((".onnx", ".tflite", ".pb")):
                raise
            self.whole, self.reason = None, reason

    def ready(self, target: Optional[str] = None) -> None:
        if target is None and self.whole is None:
            raise self.reason
        Graphs.ready(self, target)

    def load(self, path: str) -> Any:
        from pathlib import Path

        try:
            return self.models.read_model(Path(path), path)
        except _imported("mlvet.core.errors").UnsupportedInput as error:
            raise Unsupported(str(error))

    def apply(self, loaded: Any, given: Dict[str, Any]) -> List[Any]:
        found = self.reference.evaluate(loaded, given, double=bool(self.request.get("double")))
        names = [value.name for value in loaded.outputs]
        if all(name.startswith(_PART_OUTPUT) for name in names):
            names.sort(key=_number_at_end)
        return [np.asarray(found[name]) for name in names]

    def step(self, node: str, given: Dict[str, Any]) -> List[Any]:
        """The file of a part, or a layer of the model, which knows no masks."""
        if os.path.exists(node):
            return Graphs.step(self, node, given)
        if any(mask is not None for _, mask in given.values()):
            raise Unsupported("the references of operators know no masks")
        arrays = OrderedDict((name, array) for name, (array, _) in given.items())
        if self.whole.format == "pt2":
            return list(self.layers.between(self.whole, arrays, self.wanted, double=bool(self.request.get("double"))))
        cut = self.layers.LayerByLayer(self.whole)
        return [np.asarray(each) for each in cut.run(node, arrays, double=bool(self.request.get("double")))]


# Programs of torch


class Exported(Driver):
    """A program of torch.export. Its nodes are the calls of operators; what the exporter only checks is no node.

    The `way` is empty (the program as its users run it), `eager` (one call after the other, without the kernels of
    oneDNN) or `compile` (what torch.compile makes of it).
    """

    _CHECKS = ("_assert", "sym_constrain_range", "_functional_assert", "_functional_sym", "_make_dep_token", "_print")

    def open(self, request: Dict[str, Any]) -> None:
        self.torch = torch = _imported("torch")
        self.version = "torch {}".format(torch.__version__)
        self.way = request.get("way", "")
        self.double = bool(request.get("double"))
        if self.way == "eager":
            torch.backends.mkldnn.set_flags(False)
        self.program = torch.export.load(request["model"])
        self.graph = self.program.graph_module.graph
        self.calls = OrderedDict((node.name, node) for node in self.graph.nodes if self._counts(node))
        self.held = self._held()
        self.module: Any = None

    def _counts(self, node: Any) -> bool:
        if node.op != "call_function" or self._picks(node):
            return False
        return not getattr(node.target, "__name__", "").startswith(self._CHECKS)

    def _picks(self, node: Any) -> bool:
        import operator

        return node.target is operator.getitem and isinstance(node.args[0], self.torch.fx.Node)

    def _held(self) -> Dict[str, Any]:
        """What the program stores, by the names that its graph has for it."""
        program, found = self.program, {}
        for spec in program.graph_signature.input_specs:
            name = spec.arg.name
            if spec.kind.name == "USER_INPUT":
                if hasattr(spec.arg, "value"):
                    found[name] = spec.arg.value
                continue
            value = program.state_dict[spec.target] if spec.target in program.state_dict else None
            found[name] = self._wide(program.constants[spec.target] if value is None else value)
        for node in self.graph.nodes:
            if node.op == "get_attr":
                value = program.graph_module
                for part in str(node.target).split("."):
                    value = getattr(value, part)
                found[node.name] = self._wide(value)
        return found

    def _wide(self, value: Any) -> Any:
        """A value as this run holds it: in double precision, if that is asked."""
        torch = self.torch
        if self.double and isinstance(value, torch.dtype):
            return torch.float64 if value in (torch.float32, torch.float16, torch.bfloat16) else value
        if self.double and isinstance(value, torch.Tensor) and value.is_floating_point():
            return value.detach().double()
        return value.detach() if isinstance(value, torch.Tensor) else value

    def inputs(self) -> List[Dict[str, Any]]:
        places = {node.name: node for node in self.graph.nodes if node.op == "placeholder"}
        names = [name for name in self.program.graph_signature.user_inputs if isinstance(name, str) and name in places]
        found = []
        for name in names:
            value = places[name].meta.get("val")
            if not isinstance(value, self.torch.Tensor):
                if name in self.held:
                    continue
                raise Unsupported("the input `{}` is no tensor".format(name))
            sizes = [int(size) if isinstance(size, int) else None for size in value.shape]
            found.append({"name": name, "shape": sizes, "dtype": str(value.dtype).replace("torch.", "")})
        return found

    def outputs(self) -> List[str]:
        return [name for name in self.program.graph_signature.user_outputs if isinstance(name, str)]

    def nodes(self) -> List[Node]:
        if not all(self._safe(node) for node in self.calls.values()):
            return []
        return [
            {
                "name": name, "kind": getattr(node.target, "__name__", str(node.target)).split(".")[0],
                "inputs": [each.name for each in node.all_input_nodes if each.name not in self.held],
                "outputs": self._results(node), "config": self._config(node),
            }
            for name, node in self.calls.items()
        ]  # fmt: skip

    def _safe(self, node: Any) -> bool:
        """Whether a call can be run alone: it changes nothing in place that is looked at again."""
        schema = getattr(node.target, "_schema", None)
        if schema is None or not schema.is_mutable:
            return True
        changed = node.args[0] if node.args else None
        if not isinstance(changed, self.torch.fx.Node) or len(changed.users) > 1 or changed.op != "call_function":
            return False
        before = getattr(changed.target, "_schema", None)
        if before is None:
            return False
        return before.is_mutable or all(each.alias_info is None for each in before.returns)

    def _results(self, node: Any) -> List[str]:
        value = node.meta.get("val")
        if not isinstance(value, (list, tuple)):
            return [node.name]
        picked = {user.args[1]: user.name for user in node.users if self._picks(user)}
        return [picked.get(index, "{}_unused_{}".format(node.name, index)) for index in range(len(value))]

    def _config(self, node: Any) -> Dict[str, Any]:
        schema = getattr(node.target, "_schema", None)
        names = [each.name for each in schema.arguments] if schema is not None else []
        given = dict(zip(names, node.args))
        given.update(node.kwargs)
        nodes = self.torch.fx.Node
        found = {
            name: json.loads(json.dumps(value, default=str))
            for name, value in given.items()
            if not isinstance(value, nodes)
            and not (isinstance(value, (list, tuple)) and any(isinstance(each, nodes) for each in value))
        }
        weight = given.get("weight")
        if isinstance(weight, nodes) and weight.name in self.held:
            found.update(_kernel_size(getattr(node.target, "__name__", ""), self.held[weight.name]))
        return found

    def ready(self, target: Optional[str] = None) -> None:
        if self.module is None and target is None and not self.double and self.way != "eager":
            try:
                self.module = self.program.module(check_guards=False)
            except TypeError:
                self.module = self.program.module()
            if self.way == "compile":
                self.module = self._compiled(self.module)

    def _compiled(self, module: Any) -> Any:
        try:
            _imported("torch._inductor.cpp_builder").get_cpp_compiler()
        except Exception as error:
            raise Unsupported("torch.compile finds no C++ compiler: {}".format(error))
        return self.torch.compile(module)

    def run(self, given: Dict[str, Any], batch: int, target: Optional[str] = None) -> List[Any]:
        parts = _batches(given, batch) if batch else [given]
        return _joined([self._apply(part, target) for part in parts])

    def _apply(self, given: Dict[str, Any], target: Optional[str]) -> List[Any]:
        torch = self.torch
        tensors = {name: self._wide(torch.from_numpy(np.array(array))) for name, array in given.items()}
        with torch.no_grad():
            if self.module is None or target is not None:
                return [each.numpy() for each in self._interpreted(tensors, target)]
            leaves = [tensors.get(name, self.held.get(name)) for name in self._entering()]
            tree = torch.utils._pytree
            args, kwargs = tree.tree_unflatten(leaves, self.program.call_spec.in_spec)
            found = tree.tree_leaves(self.module(*args, **kwargs))
        return [each.numpy() for each in found if isinstance(each, torch.Tensor)]

    def _entering(self) -> List[str]:
        return [spec.arg.name for spec in self.program.graph_signature.input_specs if spec.kind.name == "USER_INPUT"]

    def _interpreted(self, tensors: Dict[str, Any], target: Optional[str]) -> List[Any]:
        """The outputs, or one value, by one call after the other."""
        table = dict(self.held, **tensors)
        for node in self.graph.nodes:
            if self._picks(node):
                table[node.name] = table[node.args[0].name][node.args[1]]
            elif node.name in self.calls:
                table[node.name] = self._called(node, table)
            if target is not None and (node.name == target or target in self._results(node)):
                found = table[node.name]
                return [found[self._results(node).index(target)] if isinstance(found, (list, tuple)) else found]
        return [table[name] for name in self.outputs()]

    def _called(self, node: Any, table: Dict[str, Any]) -> Any:
        args, kwargs = self.torch.fx.node.map_aggregate(
            (tuple(node.args), dict(node.kwargs)),
            lambda each: table[each.name] if isinstance(each, self.torch.fx.Node) else self._wide(each),
        )
        return node.target(*args, **kwargs)

    def step(self, node: str, given: Dict[str, Any]) -> List[Any]:
        torch, call = self.torch, self.calls[node]
        table = dict(self.held)
        for each in call.all_input_nodes:
            if each.name not in table:
                array = given[each.name][0]
                number = not isinstance(each.meta.get("val"), torch.Tensor)
                table[each.name] = array.item() if number else self._wide(torch.from_numpy(np.array(array)))
        with torch.no_grad():
            found = self._called(call, table)
        listed = found if isinstance(found, (list, tuple)) else [found]
        return [each.numpy() if isinstance(each, torch.Tensor) else np.asarray(each) for each in listed]

    def convert(self, converter: str, to: str, given: Dict[str, Any], target: Optional[str]) -> Dict[str, Any]:
        torch = self.torch
        with torch.no_grad():
            program = self.program if target is None else self._until(target, given)
            torch.onnx.export(program, f=to, dynamo=True, verbose=False)
        return {"version": "torch.onnx {}".format(torch.__version__), "inputs": _inputs_of_onnx(to)}

    def _until(self, target: str, given: Dict[str, Any]) -> Any:
        """The program that ends with a value, exported again on examples."""
        torch = self.torch
        module = self.program.module(check_guards=False)
        last = next((node for node in module.graph.nodes if node.name == target), None)
        if last is None:
            raise Unsupported("the module has no value `{}`".format(target))
        tree = torch.utils._pytree
        codegen, after = module.graph._codegen, list(module.graph.nodes)
        codegen.pytree_info = codegen.pytree_info._replace(out_spec=tree.tree_structure((0,)))
        after[-1].args = ((last,),)
        for node in reversed(after[after.index(last) + 1 : -1]):
            module.graph.erase_node(node)
        module.graph.eliminate_dead_code()
        module.recompile()
        tensors = [torch.from_numpy(np.array(given[name])) for name in self._entering() if name in given]
        open_dims = [[index for index, size in enumerate(port["shape"]) if size is None] for port in self.inputs()]
        shapes = tuple(dict.fromkeys(dims, torch.export.Dim.AUTO) for dims in open_dims)
        return torch.export.export(module, tuple(tensors), dynamic_shapes=shapes, strict=False)

    def call(self, node: str, keep: "Callable[[Any], Dict[str, str]]") -> Dict[str, Any]:
        called = self.calls[node]
        schema = getattr(called.target, "_schema", None)
        if schema is None:
            raise Unsupported("`{}` is no operator of torch".format(node))
        given = dict(zip([each.name for each in schema.arguments], called.args))
        given.update(called.kwargs)

        def told(value: Any) -> Any:
            if isinstance(value, self.torch.fx.Node) and value.name not in self.held:
                number = not isinstance(value.meta.get("val"), self.torch.Tensor)
                return {"number" if number else "value": value.name}
            if isinstance(value, (list, tuple)):
                return [told(each) for each in value]
            return _torch_told(self.torch, self.held.get(str(getattr(value, "name", "")), value), keep)

        return _torch_call(self.torch, str(called.target), {name: told(value) for name, value in given.items()})

    def build(self, request: Dict[str, Any]) -> Dict[str, Any]:
        torch = self.torch
        model, tensors = _torch_model(torch, request)
        with torch.no_grad():
            torch.export.save(torch.export.export(model, tensors, strict=False), request["to"])
        return {}


def _torch_told(torch: Any, value: Any, keep: "Callable[[Any], Dict[str, str]]") -> Any:
    """An argument of torch as JSON has it."""
    if isinstance(value, torch.Tensor):
        return keep(value.numpy())
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    if isinstance(value, (list, tuple)):
        return [_torch_told(torch, each, keep) for each in value]
    if isinstance(value, torch.device):
        return str(value)
    return {"torch": str(value).replace("torch.", "")}


def _torch_call(torch: Any, kind: str, arguments: Dict[str, Any]) -> Dict[str, Any]:
    """A call of an operator of torch; of one that works in place, the call of the one that does not."""
    operation = _torch_operator(torch, kind)
    if operation._schema.is_mutable:
        space, name, overload = kind.split(".")
        kind = ".".join((space, name.rstrip("_"), overload))
        operation = _torch_operator(torch, kind)
    known = [each for each in operation._schema.arguments if each.name in arguments]
    defaults = {
        each.name: _torch_told(torch, each.default_value, lambda _: {}) for each in known if each.has_default_value()
    }
    return {"kind": kind, "arguments": {each.name: arguments[each.name] for each in known}, "defaults": defaults}


def _torch_operator(torch: Any, kind: str) -> Any:
    found = torch.ops
    for part in kind.split("."):
        found = getattr(found, part)
    return found


def _torch_model(torch: Any, request: Dict[str, Any]) -> "Tuple[Any, Tuple[Any, ...]]":
    """A module of one call, and what enters it."""
    call, names = request["call"], request["inputs"]
    arrays = OrderedDict((name, torch.from_numpy(array)) for name, array in _loaded(request["arrays"]).items())
    operation = _torch_operator(torch, call["kind"])

    def run(given: Dict[str, Any]) -> Any:
        def leaf(each: Dict[str, Any]) -> Any:
            if "torch" in each:
                return getattr(torch, each["torch"])
            return given[each["value"]] if "value" in each else getattr(model, each["array"])

        left = OrderedDict((name, _with_values(value, leaf)) for name, value in call["arguments"].items())
        first = []
        for each in operation._schema.arguments:
            if each.name not in left or each.kwarg_only:
                break
            first.append(left.pop(each.name))
        return operation(*first, **left)

    model = type("Model", (torch.nn.Module,), {"forward": _function_of(names, run, bound=True)})()
    for name, tensor in arrays.items():
        if name not in names:
            model.register_buffer(name, tensor)
    return model.eval(), tuple(arrays[name] for name in names)


def _kernel_size(kind: str, weight: Any) -> Dict[str, Any]:
    """The places that the kernel of a convolution covers, which torch has in the shape of its weight."""
    return {"kernel_size": list(weight.shape[2:])} if "conv" in kind else {}


class Scripted(Driver):
    """A module of TorchScript: by the executor of its users, or (`eager`) by one that neither profiles nor joins.

    Its nodes are the calls of the frozen module that yield tensors; each runs alone in the same executor.
    """

    def open(self, request: Dict[str, Any]) -> None:
        self.torch = torch = _imported("torch")
        self.version = "torch {}".format(torch.__version__)
        if request.get("way") == "eager":
            torch._C._jit_set_profiling_executor(False)
            torch._C._jit_set_texpr_fuser_enabled(False)
            torch.backends.mkldnn.set_flags(False)
        self.plain = request.get("way") == "eager"
        try:
            self.module = torch.jit.load(request["model"], map_location="cpu").eval()
        except RuntimeError as error:
            raise BadModel("no TorchScript: {}".format(str(error).splitlines()[0]))
        self.double = bool(request.get("double"))
        self.calls = self._taken_apart()
        if self.double:
            self.module.double()
        self.functions: "OrderedDict[Tuple[str, ...], Any]" = OrderedDict()

    def _taken_apart(self) -> "Optional[_ScriptCalls]":
        names = [each["name"] for each in self.inputs()]
        try:
            return _ScriptCalls(self.torch, self.module, names)
        except Exception as error:
            sys.stderr.write("the module cannot be taken apart: {}\n".format(error))
            return None

    def inputs(self) -> List[Dict[str, Any]]:
        """The arguments of the module, whose sizes and element types a file of TorchScript does not tell."""
        arguments = self.module.forward.schema.arguments[1:]
        needed = [each for each in arguments if not each.has_default_value()]
        if any(str(each.type) != "Tensor" for each in needed):
            raise Unsupported("an argument that is no tensor")
        return [{"name": each.name, "shape": None, "dtype": ""} for each in needed]

    def outputs(self) -> List[str]:
        return ["output"] if self.calls is None else self.calls.outputs

    def nodes(self) -> List[Node]:
        return [] if self.calls is None else self.calls.nodes

    def run(self, given: Dict[str, Any], batch: int, target: Optional[str] = None) -> List[Any]:
        parts = _batches(given, batch) if batch else [given]
        if self.calls is None or (target is None and not self.double):
            return _joined([self._apply(self.module, part) for part in parts])
        wanted = self.outputs() if target is None else [target]
        return _joined([self.between(wanted, part) for part in parts])

    def step(self, node: str, given: Dict[str, Any]) -> List[Any]:
        return self.between(self._made_by(node), OrderedDict((name, array) for name, (array, _) in given.items()))

    def _made_by(self, node: str) -> List[str]:
        return [name for each in self.nodes() if each["name"] == node for name in each["outputs"]]

    def between(self, wanted: List[str], given: Dict[str, Any]) -> List[Any]:
        """Values of the module, computed from arrays for earlier ones."""
        return self._apply(self.function(wanted, list(given)), given)

    def function(self, wanted: List[str], given: List[str]) -> Any:
        """What leads from some values to others; the last few functions are kept."""
        if self.calls is None:
            raise Unsupported("the module cannot be taken apart")
        key = tuple(wanted) + ("",) + tuple(given)
        if key not in self.functions:
            self.functions[key] = self.calls.function(wanted, given, self.double)
            while len(self.functions) > Graphs.kept:
                self.functions.popitem(last=False)
        return self.functions[key]

    def tensors(self, given: Dict[str, Any]) -> List[Any]:
        found = [self.torch.from_numpy(np.array(array)) for array in given.values()]
        return [each.double() if self.double and each.is_floating_point() else each for each in found]

    def _apply(self, function: Any, given: Dict[str, Any]) -> List[Any]:
        torch = self.torch
        with torch.no_grad(), torch.jit.optimized_execution(not self.plain):
            try:
                found = torch.utils._pytree.tree_leaves(function(*self.tensors(given)))
            except RuntimeError as error:
                raise RuntimeError(_script_cause(str(error)))
        return [each.numpy() for each in found if isinstance(each, torch.Tensor)]

    def convert(self, converter: str, to: str, given: Dict[str, Any], target: Optional[str]) -> Dict[str, Any]:
        """By the exporter that takes modules of TorchScript; the first dim of every input stays open."""
        torch, names = self.torch, list(given)
        module = self.module if target is None else self.function([target], names)
        open_dims = {name: {0: "n"} for name in names}
        tensors = tuple(self.tensors(given))
        with torch.no_grad():
            torch.onnx.export(module, tensors, to, dynamo=False, input_names=names, dynamic_axes=open_dims)
        return {"version": "torch.onnx {}".format(torch.__version__), "inputs": _inputs_of_onnx(to)}

    def call(self, node: str, keep: "Callable[[Any], Dict[str, str]]") -> Dict[str, Any]:
        if self.calls is None:
            raise Unsupported("the module cannot be taken apart")
        return self.calls.call(self._made_by(node)[0], keep)

    def build(self, request: Dict[str, Any]) -> Dict[str, Any]:
        model, tensors = _torch_model(self.torch, request)
        with self.torch.no_grad():
            self.torch.jit.trace(model, tensors, check_trace=False).save(request["to"])
        return {}


class MlvetScripted(Scripted):
    """The references of the operators that torch calls where it runs a module of TorchScript on given values."""

    def open(self, request: Dict[str, Any]) -> None:
        Scripted.open(self, dict(request, double=False))
        self.wide = bool(request.get("double"))
        self.frontend = _imported("mlvet.frontends.torch_export")
        self.reference = _imported("mlvet.runtime.reference")
        self.version = "mlvet {}".format(_imported("mlvet").__version__)
        self.graphs: "OrderedDict[Tuple[Any, ...], Any]" = OrderedDict()

    def run(self, given: Dict[str, Any], batch: int, target: Optional[str] = None) -> List[Any]:
        wanted = self.outputs() if target is None else [target]
        return _joined([self.between(wanted, part) for part in (_batches(given, batch) if batch else [given])])

    def between(self, wanted: List[str], given: Dict[str, Any]) -> List[Any]:
        shapes = tuple((name, np.shape(array), str(np.asarray(array).dtype)) for name, array in given.items())
        key = tuple(wanted) + shapes
        if key not in self.graphs:
            self.graphs[key] = self._called(wanted, given)
            while len(self.graphs) > Graphs.kept:
                self.graphs.popitem(last=False)
        graph = self.graphs[key]
        entering = {value.name: array for value, array in zip(graph.inputs, given.values())}
        found = self.reference.evaluate(graph, entering, double=self.wide)
        return [np.asarray(found[value.name]) for value in graph.outputs]

    def _called(self, wanted: List[str], given: Dict[str, Any]) -> Any:
        """The operators that torch calls; tracing them is no part of the model, so where it fails nobody is wrong."""
        tensors = self.tensors(OrderedDict((name, _single(array)) for name, array in given.items()))
        function = self.function(wanted, list(given))
        try:
            return self.frontend.from_calls(function, tensors)
        except Exception as error:
            raise Unsupported("the calls of torch cannot be traced: {}".format(_script_cause(str(error))))


def _single(array: Any) -> Any:
    return np.asarray(array, np.float32) if np.asarray(array).dtype == np.float64 else array


class _ScriptCalls:
    """The calls of a frozen module of TorchScript, and functions that are made of some of them.

    A node is a call that yields tensors and depends on an input. Sizes, lists and tuples that it takes are computed
    with it, from the tensors that they depend on.
    """

    def __init__(self, torch: Any, module: Any, inputs: List[str]) -> None:
        self.torch = torch
        graph = torch.jit.freeze(module, optimize_numerics=False).graph
        held, places = next(graph.inputs()), list(graph.inputs())[1:]
        self.order = list(graph.nodes())
        self.used = [list(OrderedDict.fromkeys(each.debugName() for each in _script_uses(node))) for node in self.order]
        self.made = [[each.debugName() for each in node.outputs()] for node in self.order]
        if held.uses() or not all(self._harmless(node) for node in self.order):
            raise Unsupported("it changes values in place that are looked at again")
        self.inside = OrderedDict((name, place.debugName()) for name, place in zip(inputs, places))
        self.moving = {place.debugName() for place in places}
        self.nodes: List[Node] = []
        self._name_calls()
        outside = {inside: name for name, inside in self.inside.items()}
        self.outputs = [outside[name] for end in graph.outputs() for name in _script_tensors(end)]

    def _harmless(self, node: Any) -> bool:
        """Whether a call changes no value that another one may look at."""
        if any("!" in inner.schema() for block in node.blocks() for inner in _script_nodes(block)):
            return False
        if "!" not in node.schema():
            return True
        changed = next(node.inputs())
        maker = changed.node()
        shares = "(a" in maker.schema() and "!" not in maker.schema()
        return len(changed.uses()) == 1 and maker.kind().startswith("aten::") and not shares

    def _name_calls(self) -> None:
        tensors: Dict[str, None] = OrderedDict.fromkeys(self.moving)
        known: Dict[str, Any] = {}
        for node, used, made in zip(self.order, self.used, self.made):
            if not self.moving.intersection(used):
                continue
            self.moving.update(made)
            yielded = [each.debugName() for each in node.outputs() if _script_is_tensor(each)]
            if not yielded:
                continue
            kind = self._kind(node)
            name = _fresh("/".join(filter(None, (_script_path(node), kind))), known)
            names = [name if not index else "{}:{}".format(name, index) for index in range(len(yielded))]
            outside = {inside: outer for outer, inside in self.inside.items()}
            entering = [outside[each] for each in self._cut(yielded, list(tensors))[1]]
            known[name] = None
            self.inside.update(zip(names, yielded))
            tensors.update(dict.fromkeys(yielded))
            config = self._config(node)
            self.nodes.append({"name": name, "kind": kind, "inputs": entering, "outputs": names, "config": config})

    def _kind(self, node: Any) -> str:
        """The operator; for what takes a result apart, the one that it is the result of."""
        taken = next(node.inputs()).node() if node.kind().endswith("Unpack") else node
        return str(taken.kind()).split("::")[-1]

    def _config(self, node: Any) -> Dict[str, Any]:
        found = {}
        for name, value in zip(self._arguments(node), node.inputs()):
            if value.node().kind() == "prim::Constant" and not _script_is_tensor(value):
                plain = value.toIValue()
                if isinstance(plain, (bool, int, float, str)) or _plain_numbers(plain):
                    found[name] = plain
            elif name == "weight" and value.node().kind() == "prim::Constant":
                found.update(_kernel_size(self._kind(node), value.toIValue()))
        return found

    def _arguments(self, node: Any) -> List[str]:
        if not node.kind().startswith("aten::"):
            return []
        return [each.name for each in self.torch._C.parse_schema(node.schema()).arguments]

    def call(self, name: str, keep: "Callable[[Any], Dict[str, str]]") -> Dict[str, Any]:
        """The call of ATen that yields a value."""
        torch = self.torch
        node = next(each for each, made in zip(self.order, self.made) if self.inside[name] in made)
        if node.kind().endswith("Unpack"):
            node = next(node.inputs()).node()
        if not node.kind().startswith("aten::"):
            raise Unsupported("`{}` is no operator of torch".format(name))
        outside = {inside: outer for outer, inside in self.inside.items()}

        def told(argument: str, value: Any) -> Any:
            if value.debugName() in outside:
                return {"value": outside[value.debugName()]}
            if value.node().kind() == "prim::ListConstruct":
                return [told(argument, each) for each in value.node().inputs()]
            if value.node().kind() != "prim::Constant":
                raise Unsupported("`{}` takes what is computed on the way".format(name))
            plain = value.toIValue()
            if argument == "dtype" and isinstance(plain, int):
                return {"torch": _SCRIPT_TYPES[plain]}
            return _torch_told(torch, plain, keep)

        arguments = {
            argument: told(argument, value)
            for argument, value in zip(self._arguments(node), node.inputs())
            if argument not in ("layout", "device", "pin_memory", "memory_format")
        }
        space, _, called = node.schema().partition("(")[0].partition("::")
        kind = "{}.{}{}".format(space, called, "" if "." in called else ".default")
        return _torch_call(torch, kind, arguments)

    def _cut(self, wanted: List[str], given: List[str]) -> "Tuple[List[Any], List[str]]":
        """The calls that lead to some values, and which of those that are given they need."""
        needed, kept = set(wanted), []
        for node, used, made in zip(reversed(self.order), reversed(self.used), reversed(self.made)):
            if needed.intersection(made).difference(given):
                kept.append(node)
                needed.update(used)
        return kept[::-1], [name for name in given if name in needed]

    def function(self, wanted: List[str], given: List[str], double: bool) -> Any:
        """A function of tensors, made of the calls between some values and others."""
        torch, table = self.torch, {}
        graph = torch._C.Graph()
        inner = [self.inside[name] for name in given]
        for name in inner:
            table[name] = graph.addInput()
            table[name].setType(torch._C.TensorType.get())
        for node in self._cut([self.inside[name] for name in wanted], inner)[0]:
            for value, twin in zip(node.outputs(), self._copied(graph, node, table, double)):
                table.setdefault(value.debugName(), twin)
        results = [table[self.inside[name]] for name in wanted]
        together = graph.insertNode(graph.create("prim::TupleConstruct", results, 1)).output()
        together.setType(torch._C.TupleType([torch._C.TensorType.get() for _ in results]))
        graph.registerOutput(together)
        return torch._C._create_function_from_graph("forward", graph)

    def _copied(self, graph: Any, node: Any, table: Dict[str, Any], double: bool) -> List[Any]:
        """What a call yields in another graph; in double precision its constants and element types are wide."""
        if double and node.kind() == "prim::Constant":
            value = node.output().toIValue()
            wide = self._wide(value)
            if wide is not value:
                return [graph.insertConstant(wide)]
        twin = graph.insertNode(graph.createClone(node, lambda value: table[value.debugName()]))
        if double and "dtype" in self._arguments(node):
            place = self._arguments(node).index("dtype")
            asked = list(node.inputs())[place]
            if asked.node().kind() == "prim::Constant" and asked.toIValue() in _SCRIPT_FLOATS:
                with graph.insert_point_guard(twin):
                    twin.replaceInput(place, graph.insertConstant(_SCRIPT_DOUBLE))
        return list(twin.outputs())

    def _wide(self, value: Any) -> Any:
        torch = self.torch
        if isinstance(value, torch.Tensor) and value.is_floating_point():
            return value.double()
        if isinstance(value, list) and value and all(isinstance(each, torch.Tensor) for each in value):
            return [self._wide(each) for each in value]
        return value


_SCRIPT_FLOATS = (5, 6, 15)
_SCRIPT_DOUBLE = 7
_SCRIPT_TYPES = {
    0: "uint8", 1: "int8", 2: "int16", 3: "int32", 4: "int64", 5: "float16", 6: "float32", 7: "float64", 11: "bool",
    15: "bfloat16",
}  # fmt: skip
"""The numbers that TorchScript has for half, single and brain floats, and for double precision."""


def _script_cause(words: str) -> str:
    """What failed in TorchScript; it tells the way there first."""
    if not words.startswith("The following operation failed in the TorchScript interpreter"):
        return words
    return words.rpartition("Error:")[2].strip() or words.splitlines()[0]


def _script_is_tensor(value: Any) -> bool:
    return bool(value.type().kind() == "TensorType")


def _script_nodes(block: Any) -> Any:
    """The calls in a block and in the blocks inside it."""
    for node in block.nodes():
        yield node
        for inner in node.blocks():
            for each in _script_nodes(inner):
                yield each


def _script_uses(node: Any) -> Any:
    """What a call takes, by itself or in its blocks."""
    for value in node.inputs():
        yield value
    for block in node.blocks():
        for value in block.outputs():
            yield value
        for inner in block.nodes():
            for value in _script_uses(inner):
                yield value


def _script_tensors(value: Any) -> List[str]:
    """The tensors that a result of the module consists of, in the order in which a caller finds them."""
    if _script_is_tensor(value):
        return [value.debugName()]
    maker, parts = value.node(), list(value.node().inputs())
    if maker.kind() in ("prim::TupleConstruct", "prim::ListConstruct", "prim::DictConstruct"):
        held = parts[1::2] if maker.kind() == "prim::DictConstruct" else parts
        return [name for each in held for name in _script_tensors(each)]
    if maker.kind() == "prim::Constant" and value.type().kind() in ("NoneType", "IntType", "FloatType", "BoolType"):
        return []
    raise Unsupported("the results of the module are not told one by one")


def _script_path(node: Any) -> str:
    """The module that a call belongs to, as its users name it."""
    told = node.getModuleHierarchy() if hasattr(node, "getModuleHierarchy") else ""
    parts = re.findall(r"(\w+)\([^()]*\)", told)
    return ".".join(part for part in parts if part not in ("SELF", "TOP", "UNKNOWN_INSTANCE"))


def _plain_numbers(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(each, (bool, int, float)) for each in value)


# SavedModels


class SavedModel(Graphs):
    """A SavedModel by its first signature, and files with parts of its frozen graph.

    Nodes are the operators that depend on an input. In a part they take placeholders that are named as the values
    are, and end in outputs that are numbered.
    """

    def prepare(self, request: Dict[str, Any]) -> None:
        self.tensorflow = _imported("tensorflow")
        self.version = "tensorflow {}".format(self.tensorflow.__version__)
        self.frozen: Any = None

    def load(self, path: str) -> Any:
        if not os.path.isdir(path):
            return self._loaded_part(path)
        model = self.tensorflow.saved_model.load(path)
        names = [name for name in model.signatures if name != "__saved_model_init_op"]
        if not names:
            raise Unsupported("the SavedModel has no signature")
        self.signature_name = "serving_default" if "serving_default" in names else names[0]
        self.signature = model.signatures[self.signature_name]
        self.model = model
        return lambda given: self.signature(**given)

    def _loaded_part(self, path: str) -> Any:
        tf = self.tensorflow
        definition = tf.compat.v1.GraphDef()
        with open(path, "rb") as file:
            definition.ParseFromString(file.read())
        function = tf.compat.v1.wrap_function(lambda: tf.import_graph_def(definition, name=""), [])
        places = [node.name for node in definition.node if node.op == "Placeholder"]
        ends = sorted((node.name for node in definition.node if node.name.startswith(_PART_OUTPUT)), key=_number_at_end)
        graph = function.graph
        pruned = function.prune([graph.get_tensor_by_name(name + ":0") for name in places],
                                [graph.get_tensor_by_name(name + ":0") for name in ends])  # fmt: skip
        return lambda given: dict(enumerate(pruned(*[given[name] for name in places])))

    def apply(self, loaded: Any, given: Dict[str, Any]) -> List[Any]:
        found = loaded({name: self.tensorflow.constant(array) for name, array in given.items()})
        return [found[name].numpy() for name in sorted(found)]

    def inputs(self) -> List[Dict[str, Any]]:
        found = []
        for name, spec in self.signature.structured_input_signature[1].items():
            sizes = None if spec.shape.rank is None else list(spec.shape)
            found.append({"name": name, "shape": sizes, "dtype": spec.dtype.name})
        return found

    def outputs(self) -> List[str]:
        """The values of the frozen graph that are the outputs, in the order of their names in the signature."""
        order = sorted(self.signature.structured_outputs)
        if not self._freeze():
            return order
        ends = dict(zip(self._flat_names(), self.frozen.outputs))
        return [self._name(ends[name]) for name in order]

    def _flat_names(self) -> List[str]:
        """The outputs of the signature in the order in which its graph has them."""
        return list(self.tensorflow.nest.flatten({name: name for name in self.signature.structured_outputs}))

    def _freeze(self) -> bool:
        """Whether there is a graph with constants in the place of variables; one with tables cannot be made so."""
        if self.frozen is None:
            module = _imported("tensorflow.python.framework.convert_to_constants")
            try:
                self.frozen = module.convert_variables_to_constants_v2(self.signature, lower_control_flow=False)
                self.whole_graph = self.frozen.graph.as_graph_def()
                self._trace()
            except Exception as error:
                sys.stderr.write("the graph cannot be frozen: {}\n".format(error))
                self.frozen = False
        return bool(self.frozen)

    def _trace(self) -> None:
        """Name the values that depend on an input; what only passes a value on has none of its own."""
        keys = [spec.name for spec in self.signature.structured_input_signature[1].values()]
        named = dict(zip(keys, self.signature.structured_input_signature[1]))
        self.moving: Dict[str, str] = {}
        for place in self.frozen.inputs:
            self.moving[place.name] = named.get(place.op.name, place.op.name)
        for operation in self.frozen.graph.get_operations():
            if any(tensor.name in self.moving for tensor in operation.inputs):
                for index, tensor in enumerate(operation.outputs):
                    end = operation.name if not index else "{}__{}".format(operation.name, index)
                    alias = operation.type == "Identity"
                    self.moving[tensor.name] = self.moving[operation.inputs[0].name] if alias else end

    def _name(self, tensor: Any) -> str:
        return self.moving.get(tensor.name, str(tensor.op.name))

    def nodes(self) -> List[Node]:
        if not self._freeze():
            return []
        found = []
        wanted = {tensor.name for tensor in self.frozen.outputs}
        for operation in self.frozen.graph.get_operations():
            moving = [tensor for tensor in operation.inputs if tensor.name in self.moving]
            if operation.type == "Identity" or not moving:
                continue
            used = [each for each in operation.outputs if each.consumers() or each.name in wanted]
            if not used or used[0] is not operation.outputs[0]:
                continue
            found.append({
                "name": operation.name, "kind": operation.type,
                "inputs": list(OrderedDict.fromkeys(self.moving[each.name] for each in moving)),
                "outputs": [self.moving[each.name] for each in used], "config": _plain_attributes(operation),
            })  # fmt: skip
        return found

    def part(self, values: List[str], given: List[str], to: str) -> None:
        """Write the part of the frozen graph between values that are given and values that are wanted."""
        if not self._freeze():
            raise Unsupported("the graph cannot be frozen")
        operations = self.frozen.graph.get_operations()
        tensors: "Dict[str, Any]" = {}
        for operation in operations:
            for tensor in operation.outputs:
                tensors.setdefault(self._name(tensor), tensor)
        needed = {tensors[value].op.name for value in values if value not in given}
        for operation in reversed(operations):
            if operation.name in needed:
                needed |= {each.op.name for each in operation.inputs if self._name(each) not in given}
        definition = self.tensorflow.compat.v1.GraphDef(versions=self.whole_graph.versions)
        definition.library.CopyFrom(self.whole_graph.library)
        for name in given:
            place = definition.node.add(name=name, op="Placeholder")
            place.attr["dtype"].type = tensors[name].dtype.as_datatype_enum
            place.attr["shape"].shape.CopyFrom(tensors[name].shape.as_proto())

        def source(tensor: Any) -> str:
            name = self._name(tensor)
            at = ":{}".format(tensor.value_index) if tensor.value_index else ""
            return name if name in given else "{}{}".format(tensor.op.name, at)

        for operation in operations:
            if operation.name in needed:
                node = definition.node.add()
                node.CopyFrom(operation.node_def)
                del node.input[:]
                node.input.extend(source(each) for each in operation.inputs)
        for index, value in enumerate(values):
            end = definition.node.add(name=_PART_OUTPUT + str(index), op="Identity", input=[source(tensors[value])])
            end.attr["T"].type = tensors[value].dtype.as_datatype_enum
        with open(to, "wb") as file:
            file.write(definition.SerializeToString())

    def convert(self, converter: str, to: str, given: Dict[str, Any], target: Optional[str]) -> Dict[str, Any]:
        if converter != "tf2onnx" and target is None:
            return _tflite_of_saved(self.path, to)
        names = [each["name"] for each in self.inputs()]
        self.part(self.outputs() if target is None else [target], names, to + ".pb")
        if converter != "tf2onnx":
            raise Unsupported("parts are not converted to TFLite")
        definition = self.tensorflow.compat.v1.GraphDef()
        with open(to + ".pb", "rb") as file:
            definition.ParseFromString(file.read())
        places = [node.name + ":0" for node in definition.node if node.op == "Placeholder"]
        ends = sorted((node.name for node in definition.node if node.name.startswith(_PART_OUTPUT)), key=_number_at_end)
        _imported("tf2onnx").convert.from_graph_def(
            definition, input_names=places, output_names=[name + ":0" for name in ends], output_path=to
        )
        return {"version": _version_of("tf2onnx"), "inputs": _inputs_of_onnx(to)}

    def call(self, node: str, keep: "Callable[[Any], Dict[str, str]]") -> Dict[str, Any]:
        """An operator as the function of tf.raw_ops that makes it."""
        operation = self.frozen.graph.get_operation_by_name(node)
        known = inspect.signature(self._raw(operation.type)).parameters
        left, own = iter(operation.inputs), operation.op_def
        defined = {each.name for each in list(own.input_arg) + list(own.attr)} | {"name"}
        others = iter([name for name in known if name not in defined])
        arguments: "Dict[str, Any]" = OrderedDict()
        for each in own.input_arg:
            name = each.name if each.name in known else next(others)
            if each.number_attr or each.type_list_attr:
                count = operation.get_attr(each.number_attr or each.type_list_attr)
                many = count if isinstance(count, int) else len(count)
                arguments[name] = [self._taken(next(left), keep) for _ in range(many)]
            else:
                arguments[name] = self._taken(next(left), keep)
        defaults = {}
        for each in own.attr:
            if each.name in known and each.name not in arguments:
                arguments[each.name] = self._plain(operation.get_attr(each.name))
                default = known[each.name].default
                if default is not inspect.Parameter.empty:
                    defaults[each.name] = self._plain(default)
        return {"kind": operation.type, "arguments": arguments, "defaults": defaults}

    def _raw(self, kind: str) -> Any:
        found = getattr(self.tensorflow.raw_ops, kind, None)
        if found is None:
            raise Unsupported("tf.raw_ops has no {}".format(kind))
        return found

    def _taken(self, tensor: Any, keep: "Callable[[Any], Dict[str, str]]") -> Dict[str, str]:
        if tensor.name in self.moving:
            return {"value": self.moving[tensor.name]}
        known = self.tensorflow.get_static_value(tensor)
        return keep(self.frozen.prune([], tensor)().numpy() if known is None else known)

    def _plain(self, value: Any) -> Any:
        """An attribute as JSON has it."""
        tf = self.tensorflow
        if isinstance(value, tf.DType):
            return {"tf": value.name}
        if isinstance(value, tf.TensorShape):
            return None if value.rank is None else value.as_list()
        if isinstance(value, (list, tuple)):
            return [self._plain(each) for each in value]
        if isinstance(value, bytes):
            return value.decode("utf-8")
        if value is None or isinstance(value, (bool, int, float, str)):
            return value
        raise Unsupported("an attribute that cannot be written down")

    def build(self, request: Dict[str, Any]) -> Dict[str, Any]:
        """A SavedModel of one operator."""
        tf, call = self.tensorflow, request["call"]
        arrays, operator = _loaded(request["arrays"]), self._raw(call["kind"])

        def run(given: Dict[str, Any]) -> Any:
            def leaf(each: Dict[str, Any]) -> Any:
                if "tf" in each:
                    return getattr(tf, each["tf"])
                return given[each["value"]] if "value" in each else tf.constant(arrays[each["array"]])

            found = _listed(operator(**_arguments_with(call["arguments"], leaf)))
            return {"y{}".format(index): each for index, each in enumerate(found)}

        names = request["inputs"]
        specs = [tf.TensorSpec(arrays[name].shape, arrays[name].dtype, name=name) for name in names]
        function = tf.function(_function_of(names, run, bound=False), input_signature=specs)
        tf.saved_model.save(tf.Module(), request["to"], signatures=function)
        return {}


def _arguments_with(arguments: Dict[str, Any], leaf: "Callable[[Dict[str, Any]], Any]") -> Dict[str, Any]:
    return {name: _with_values(value, leaf) for name, value in arguments.items()}


def _number_at_end(name: str) -> int:
    return int(re.findall(r"\d+$", name)[0])


def _plain_attributes(operation: Any) -> Dict[str, Any]:
    found = {}
    for name in operation.node_def.attr:
        try:
            value = operation.get_attr(name)
        except ValueError:
            continue
        if name.startswith("_") or not isinstance(value, (int, float, str, bytes, bool, list)):
            continue
        found[name] = value.decode("utf-8", "replace") if isinstance(value, bytes) else value
    return dict(json.loads(json.dumps(found, default=str)))


DRIVERS = {
    "keras": _keras_of_this_environment,
    "keras2": Keras2,
    "onnxruntime": OnnxRuntime,
    "openvino": OpenVino,
    "onnx-reference": OnnxReference,
    "onnx-torch": OnnxTorch,
    "litert": LiteRt,
    "exported": Exported,
    "saved-model": SavedModel,
    "scripted": Scripted,
    "mlvet": Mlvet,
    "mlvet-scripted": MlvetScripted,
}


if __name__ == "__main__":
    main()
