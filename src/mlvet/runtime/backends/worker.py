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
from collections import OrderedDict
from typing import Any, Callable, Dict, List, Optional, Tuple

import numpy as np

_UNSUPPORTED = re.compile(
    r"not (yet )?(been )?(support|implement)|unsupported|does not support|no (op(erator)?|kernel) (is )?registered|"
    r"could not find an implementation|unknown (layer|operator|opset|op)|could not locate (class|function)|"
    r"NOT_IMPLEMENTED|not recogni[sz]ed|is not a registered|unrecogni[sz]ed keyword|no conversion rule|"
    r"Lambda.{0,80}(unsafe|safe_mode)|don't know how to|opset.{0,40}(is|are) not|is under development",
    re.IGNORECASE | re.DOTALL,
)
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
            "memory": _resident(),
        }  # fmt: skip

    def on_run(self, request: Dict[str, Any]) -> Dict[str, Any]:
        """The whole model as its users run it, in batches; `target` is a value of it, or the file of a part of it."""
        given = OrderedDict((name, np.load(path, mmap_mode="r")) for name, path in request["inputs"].items())
        driver = self._open()
        driver.ready(request.get("target"))
        began = time.time()
        results = driver.run(given, request.get("batch", 32), request.get("target"))
        seconds = time.time() - began
        return {"outputs": _written(results, request["to"]), "seconds": seconds, "memory": _resident()}

    def on_step(self, request: Dict[str, Any]) -> Dict[str, Any]:
        """One node alone, on the values that are given."""
        given = {value: _read(path) for value, path in request["inputs"].items()}
        began = time.time()
        results = self._open().step(request["node"], given)
        seconds = time.time() - began
        return {"outputs": _written(results, request["to"]), "seconds": seconds}

    def on_gradients(self, request: Dict[str, Any]) -> Dict[str, Any]:
        """The gradient of the sum of weighted outputs, by parameters and inputs: of the model, or of one node."""
        given = OrderedDict((name, _read(path)) for name, path in request["inputs"].items())
        weights = [np.load(path) for path in request["weights"]]
        results = self._open().gradients(request.get("node"), given, weights, request.get("moved"))
        return {"names": list(results), "outputs": _written(list(results.values()), request["to"])}

    def _open(self) -> "Driver":
        if self.driver is None:
            raise ValueError("no model is open")
        return self.driver


class Driver:
    """One way to run a model. Values are named by strings; the inputs of the model have the names it gives them."""

    version = ""

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

    def run(self, given: Dict[str, Any], batch: int, target: Optional[str] = None) -> List[Any]:
        raise NotImplementedError

    def step(self, node: str, given: Dict[str, Any]) -> List[Any]:
        raise NotImplementedError

    def gradients(
        self, node: Optional[str], given: Dict[str, Any], weights: List[Any], moved: Optional[int]
    ) -> Dict[str, Any]:
        raise Unsupported("this backend has no gradients")


def _failure(error: Exception) -> Dict[str, Any]:
    words = " ".join(str(error).split())
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
            np.save(path, np.asarray(value))
            if mask is not None:
                np.save(path + _MASK, np.asarray(mask))
        except OSError as error:
            raise Unwritten("no room for a result: {}".format(error.strerror or error))
        paths.append(path)
    return paths


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


def _imported(name: str) -> Any:
    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise Unsupported("{} cannot be imported: {}".format(name, error))


# Keras


class Keras(Driver):
    """A model of Keras 3, on the backend that KERAS_BACKEND names."""

    def open(self, request: Dict[str, Any]) -> None:
        self.keras = _imported("keras")
        self.tree = getattr(self.keras, "tree", None) or _imported("tree")
        self.version = "keras {} on {}{}".format(
            self.keras.__version__, self.keras.backend.backend(), _library(self.keras)
        )
        model = _keras_model(self.keras, request)
        if request.get("double"):
            model = self._doubled(model)
        self.model = model
        self.double = bool(request.get("double"))
        self.calls: "Dict[str, Tuple[Any, Dict[int, str], List[str]]]" = OrderedDict()
        self.names: "Dict[int, str]" = {}
        self.cut: Dict[str, Any] = {}
        inner = _functional(model)
        if inner is None:
            self.input_names = ["input"]
            self.output_names = [model.name]
            return
        tensors = self.tree.flatten(inner.inputs)
        self.input_names = [tensor.name for tensor in tensors]
        self.names.update((id(tensor), tensor.name) for tensor in tensors)
        self._flatten(inner, "")
        self.output_names = [self.names[id(tensor)] for tensor in self.tree.flatten(inner.outputs)]

    def _doubled(self, model: Any) -> Any:
        """The same model in double precision: the policies of its configuration rewritten, its weights kept."""
        self.keras.config.set_floatx("float64")
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
        inner = _functional(self.model)
        if inner is None:
            return [{"name": "input", "shape": None, "dtype": "float32"}]
        tensors = self.tree.flatten(inner.inputs)
        return [{"name": tensor.name, "shape": list(tensor.shape), "dtype": str(tensor.dtype)} for tensor in tensors]

    def outputs(self) -> List[str]:
        return self.output_names

    def nodes(self) -> List[Node]:
        return [
            {
                "name": name, "kind": type(node.operation).__name__,
                "inputs": list(OrderedDict.fromkeys(inputs.values())),
                "outputs": outputs, "config": _plain_config(node.operation),
            }
            for name, (node, inputs, outputs) in self.calls.items()
        ]  # fmt: skip

    def run(self, given: Dict[str, Any], batch: int, target: Optional[str] = None) -> List[Any]:
        model = self.model if target is None else self._until(target)
        values = [self._cast(each) for each in given.values()]
        found = model.predict(values[0] if len(values) == 1 else values, batch_size=batch, verbose=0)
        return [np.asarray(each) for each in _listed(found)]

    def _until(self, target: str) -> Any:
        """The model that ends with a value; its calls are made once more, those of models inside it among them."""
        if target not in self.cut:
            inputs = self.tree.flatten(_functional(self.model).inputs)
            table = {self.names[id(tensor)]: tensor for tensor in inputs}
            for node, names, outputs in self.calls.values():
                args, kwargs = node.arguments.fill_in({key: table[value] for key, value in names.items()})
                table.update(zip(outputs, self.tree.flatten(node.operation(*args, **kwargs))))
                if target in outputs:
                    break
            self.cut[target] = self.keras.Model(inputs, table[target])
        return self.cut[target]

    def _cast(self, array: Any) -> Any:
        array = np.asarray(array)
        return array.astype("float64") if self.double and array.dtype.kind == "f" else array

    def step(self, node: str, given: Dict[str, Any]) -> List[Any]:
        call, inputs, _ = self.calls[node]
        table: Dict[int, Any] = {}
        for key, value in inputs.items():
            array, mask = given[value]
            tensor = self.keras.ops.convert_to_tensor(self._cast(array))
            if mask is not None:
                _set_mask(tensor, self.keras.ops.convert_to_tensor(mask))
            table[key] = tensor
        args, kwargs = call.arguments.fill_in(table)
        found = call.operation(*args, **kwargs)
        return [(self._array(each), self._mask(each)) for each in self.tree.flatten(found)]

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
            tensors = list(table.values())
            return self.model(tensors[0] if len(tensors) == 1 else tensors, training=False)
        call, inputs, _ = self.calls[node]
        args, kwargs = call.arguments.fill_in({key: table[value] for key, value in inputs.items()})
        return call.operation(*args, **kwargs)

    def _array(self, tensor: Any) -> Any:
        return np.asarray(self.keras.ops.convert_to_numpy(tensor))

    def _mask(self, tensor: Any) -> Any:
        mask = _get_mask(tensor)
        return None if mask is None else self._array(mask)


def _library(keras: Any) -> str:
    module = sys.modules.get(keras.backend.backend())
    found = getattr(module, "__version__", "")
    return " {}".format(found) if found else ""


def _keras_model(keras: Any, request: Dict[str, Any]) -> Any:
    """The model of a file; one that holds weights alone goes into what the user's function builds."""
    if not request.get("build"):
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


def _double_policy(found: Dict[str, Any]) -> Dict[str, Any]:
    single = ("float32", "float16", "bfloat16", "mixed_float16", "mixed_bfloat16")
    if found.get("class_name") == "DTypePolicy":
        found["config"] = dict(found["config"], name="float64")
    elif found.get("dtype") in single:
        found["dtype"] = "float64"
    return found


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
        known = {name for port in loaded.inputs for name in port.names}
        found = loaded({name: array for name, array in given.items() if name in known})
        return [np.array(found[port]) for port in loaded.outputs]


class OnnxReference(Graphs):
    def prepare(self, request: Dict[str, Any]) -> None:
        self.library = _imported("onnx.reference")
        self.version = "onnx {}".format(_imported("onnx").__version__)

    def load(self, path: str) -> Any:
        return self.library.ReferenceEvaluator(path)

    def apply(self, loaded: Any, given: Dict[str, Any]) -> List[Any]:
        return list(loaded.run(None, {name: array for name, array in given.items() if name in loaded.input_names}))


class LiteRt(Graphs):
    """TFLite files, with the kernels that are used by default or with the plain ones that are their reference."""

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
        return [each["name"] for each in self.whole.get_output_details()]


class Mlvet(Graphs):
    """The references of the operators, in the precision of the model or in double precision."""

    def prepare(self, request: Dict[str, Any]) -> None:
        self.reference = _imported("mlvet.runtime.reference")
        self.layers = _imported("mlvet.runtime.layers")
        self.models = _imported("mlvet.frontends.models")
        self.version = "mlvet {}".format(_imported("mlvet").__version__)

    def load(self, path: str) -> Any:
        from pathlib import Path

        try:
            return self.models.read_model(Path(path), path)
        except _imported("mlvet.core.errors").UnsupportedInput as error:
            raise Unsupported(str(error))

    def apply(self, loaded: Any, given: Dict[str, Any]) -> List[Any]:
        found = self.reference.evaluate(loaded, given, double=bool(self.request.get("double")))
        return [np.asarray(found[value.name]) for value in loaded.outputs]

    def step(self, node: str, given: Dict[str, Any]) -> List[Any]:
        """The file of a part, or a layer of the model, which knows no masks."""
        if os.path.exists(node):
            return Graphs.step(self, node, given)
        if any(mask is not None for _, mask in given.values()):
            raise Unsupported("the references of operators know no masks")
        cut = self.layers.LayerByLayer(self.whole)
        arrays = OrderedDict((name, array) for name, (array, _) in given.items())
        return [np.asarray(each) for each in cut.run(node, arrays, double=bool(self.request.get("double")))]


DRIVERS = {
    "keras": _keras_of_this_environment,
    "keras2": Keras2,
    "onnxruntime": OnnxRuntime,
    "openvino": OpenVino,
    "onnx-reference": OnnxReference,
    "litert": LiteRt,
    "mlvet": Mlvet,
}


if __name__ == "__main__":
    main()
