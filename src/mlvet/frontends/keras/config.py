"""Model configurations of Keras 1, 2 and 3 in one form: layers, their applications, the inputs and the outputs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from mlvet.core.errors import UnsupportedInput

_MODELS = ("Functional", "Model", "Sequential")
_NO_TENSOR = "_CONSTANT_VALUE"


@dataclass(frozen=True, slots=True)
class Ref:
    """A tensor of the model: an output of one application of a layer. `shape` and `dtype` are what the file says."""

    layer: str
    call: int
    output: int
    shape: tuple[int | None, ...] | None = field(default=None, compare=False)
    dtype: str | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class Application:
    """One call of a layer; `Ref` stands wherever a tensor was passed."""

    args: tuple[Any, ...]
    kwargs: Mapping[str, Any]

    def refs(self) -> list[Ref]:
        return [*leaves(self.args), *leaves(self.kwargs)]


@dataclass(frozen=True, slots=True)
class LayerConfig:
    """A layer as the file describes it. `source` names it for the user, `native` says that Keras itself defines it."""

    name: str
    kind: str
    config: Mapping[str, Any]
    source: str
    native: bool
    module: str = ""
    calls: tuple[Application, ...] = ()
    build_shape: tuple[int | None, ...] | None = None

    @property
    def is_model(self) -> bool:
        return "layers" in self.config and (self.kind in _MODELS or "input_layers" in self.config)

    @property
    def is_operation(self) -> bool:
        """Whether it is a function of `keras.ops` rather than a layer."""
        return ".ops." in f"{self.module}." and not self.module.startswith("keras.layers")


@dataclass(frozen=True, slots=True)
class ModelConfig:
    """A functional or sequential model; a sequential one has no applications, its layers follow each other."""

    name: str
    layers: tuple[LayerConfig, ...]
    sequential: bool
    inputs: tuple[Ref, ...] = ()
    outputs: tuple[Ref, ...] = ()
    input_shape: tuple[int | None, ...] | None = None


def layer_config(raw: Any) -> LayerConfig:
    """A serialised layer in any of its historic forms."""
    if not isinstance(raw, Mapping) or not isinstance(raw.get("class_name"), str):
        raise UnsupportedInput("the model configuration has a layer without a class name")
    kind: str = raw["class_name"]
    config = raw.get("config", {})
    if isinstance(config, Sequence) and not isinstance(config, str):
        config = {"layers": config}
    config = config if isinstance(config, Mapping) else {}
    name = raw.get("name") or config.get("name") or kind.lower()
    module = raw.get("module")
    registered = raw.get("registered_name")
    native = (module is None or str(module).split(".")[0] == "keras") and ">" not in kind
    source = kind
    if isinstance(registered, str) and ">" in registered:
        source, native = registered, False
    elif not native and ">" not in kind:
        source = f"custom>{kind}"
    build = raw.get("build_config")
    shape = shape_of(build.get("input_shape")) if isinstance(build, Mapping) else None
    return LayerConfig(str(name), kind, config, source, native, str(module or ""), (), shape)


def model_config(layer: LayerConfig) -> ModelConfig:
    """The parts of a layer that is a model."""
    raw_layers = layer.config.get("layers")
    if not layer.is_model or not isinstance(raw_layers, Sequence):
        raise UnsupportedInput(f"`{layer.source}` is a subclassed model: its architecture is Python code, not data")
    layers = [layer_config(raw) for raw in raw_layers]
    if layer.kind == "Sequential" and "input_layers" not in layer.config:
        return ModelConfig(layer.name, tuple(layers), True, input_shape=_sequential_shape(layer, layers))
    names = {each.name for each in layers}
    applied = [
        LayerConfig(
            each.name, each.kind, each.config, each.source, each.native, each.module,
            _applications(raw.get("inbound_nodes", ()), names), each.build_shape,
        )
        for each, raw in zip(layers, raw_layers, strict=True)
    ]  # fmt: skip
    ends = [tuple(leaves(_refs_in(layer.config.get(key), names))) for key in ("input_layers", "output_layers")]
    return ModelConfig(layer.name, tuple(applied), False, ends[0], ends[1])


def leaves(tree: Any) -> Iterator[Ref]:
    """The tensors in a structure of arguments, in order; that of a dictionary is by key."""
    if isinstance(tree, Ref):
        yield tree
    elif isinstance(tree, Mapping):
        for key in sorted(tree):
            yield from leaves(tree[key])
    elif isinstance(tree, list | tuple):
        for item in tree:
            yield from leaves(item)


def shape_of(raw: Any) -> tuple[int | None, ...] | None:
    """A shape as the file gives it, or None if it is none."""
    if not isinstance(raw, list | tuple):
        return None
    if not all(
        dim is None or (isinstance(dim, int) and not isinstance(dim, bool) and 0 <= dim < 1 << 40) for dim in raw
    ):
        return None
    return tuple(raw)


def _sequential_shape(layer: LayerConfig, layers: Sequence[LayerConfig]) -> tuple[int | None, ...] | None:
    first = layers[0] if layers else None
    while first is not None and first.is_model and first.kind == "Sequential" and first.config["layers"]:
        first = layer_config(first.config["layers"][0])
    return (input_shape(first) if first else None) or shape_of(layer.config.get("build_input_shape"))


def input_shape(layer: LayerConfig) -> tuple[int | None, ...] | None:
    """The shape that a layer's own options say its input has."""
    for key in ("batch_shape", "batch_input_shape"):
        shape = shape_of(layer.config.get(key))
        if shape is not None:
            return shape
    return None


def _applications(raw: Any, names: set[str]) -> tuple[Application, ...]:
    if not isinstance(raw, list):
        raise UnsupportedInput("the model configuration has inbound nodes that are not a list")
    return tuple(_application(node, names) for node in raw)


def _application(node: Any, names: set[str]) -> Application:
    if isinstance(node, Mapping):
        args = _refs_in(node.get("args", ()), names, loose=False)
        kwargs = _refs_in(node.get("kwargs", {}), names, loose=False)
        passed = tuple(args) if isinstance(args, list | tuple) else ()
        return Application(passed, kwargs if isinstance(kwargs, Mapping) else {})
    if _is_entry(node):
        return Application((_entry(node),), _kwargs(node, names))
    if isinstance(node, list) and all(_is_entry(entry) for entry in node):
        tensors = [_entry(entry) for entry in node]
        kwargs = _kwargs(node[0], names) if node else {}
        return Application((tensors[0] if len(tensors) == 1 else tensors,) if tensors else (), kwargs)
    if isinstance(node, list):
        return Application((_refs_in(node, names),), {})
    raise UnsupportedInput("the model configuration has an inbound node of unknown form")


def _is_entry(node: Any) -> bool:
    """Whether this is `[layer, call, output]`, perhaps with a dictionary of further arguments."""
    return (
        isinstance(node, list)
        and len(node) in (3, 4)
        and isinstance(node[0], str)
        and isinstance(node[1], int)
        and (isinstance(node[2], int) or node[0] == _NO_TENSOR)
        and (len(node) == 3 or isinstance(node[3], Mapping))
    )


def _entry(node: list[Any]) -> Any:
    return node[2] if node[0] == _NO_TENSOR else Ref(node[0], node[1], node[2])


def _kwargs(node: list[Any], names: set[str]) -> Mapping[str, Any]:
    kwargs = _refs_in(node[3], names) if len(node) == 4 else {}
    return kwargs if isinstance(kwargs, Mapping) else {}


def _refs_in(tree: Any, names: set[str], *, loose: bool = True) -> Any:
    """The structure with its tensors as `Ref`; only loose forms know `[layer, call, output]`."""
    if isinstance(tree, Mapping):
        if tree.get("class_name") == "__keras_tensor__" and isinstance(tree.get("config"), Mapping):
            return _keras_tensor(tree["config"])
        return {key: _refs_in(item, names, loose=loose) for key, item in tree.items()}
    if loose and _is_entry(tree) and (tree[0] in names or tree[0] == _NO_TENSOR):
        return _entry(tree)
    if isinstance(tree, list):
        return [_refs_in(item, names, loose=loose) for item in tree]
    return tree


def _keras_tensor(config: Mapping[str, Any]) -> Ref:
    history = config.get("keras_history")
    if not _is_entry(history) or history is None:
        raise UnsupportedInput("the model configuration has a tensor that no layer yields")
    dtype = config.get("dtype")
    return Ref(
        history[0], history[1], history[2], shape_of(config.get("shape")), dtype if isinstance(dtype, str) else None
    )
