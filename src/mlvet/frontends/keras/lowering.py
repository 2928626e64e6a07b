"""From a model's configuration and its stored arrays to a graph of operators."""

from __future__ import annotations

import heapq
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mlvet.core.errors import UnsupportedInput
from mlvet.core.location import Location
from mlvet.domains import dtypes
from mlvet.domains.dims import Dim, symbol
from mlvet.domains.dtypes import DType
from mlvet.domains.tensors import Tensor, UnknownRank, constant, unknown
from mlvet.frontends.keras.application import NUMPY_NAMES, Call, Module, NotLowered, policy, values_in
from mlvet.frontends.keras.config import LayerConfig, ModelConfig, Ref, input_shape, layer_config, model_config
from mlvet.frontends.keras.layers import LAYERS, OPERATIONS, lower_tf_function
from mlvet.frontends.keras.stored import Stored
from mlvet.ir.builder import Builder
from mlvet.ir.graph import OPAQUE, Graph, Value
from mlvet.ops import REGISTRY
from mlvet.ops.require import Require

_SELF_CASTING = ("Embedding", "InputLayer", "IntegerLookup", "StringLookup", "Hashing", "TextVectorization")


def lower_model(raw: Any, stored: Stored, *, shown: str, format: str, version: str, notes: Sequence[str] = ()) -> Graph:
    """The graph of a serialised model. `version` is that of the Keras that wrote it."""
    layer = layer_config(raw)
    model = model_config(layer)
    lowering = Lowering(layer.name, shown, version)
    inputs = lowering.inputs_of(model)
    outputs = lowering.model(model, Module(layer, "", stored), [inputs])
    return lowering.builder.graph(
        list(values_in(outputs)), path=shown, format=format, producer=f"keras {version}",
        notes=[*notes, *dict.fromkeys(lowering.notes)],
    )  # fmt: skip


class Lowering:
    """The graph under construction, and what is known so far of the tensors in it."""

    def __init__(self, name: str, shown: str, version: str) -> None:
        self.builder = Builder(name=name)
        self.shown = shown
        self.version = version
        self.notes: list[str] = []
        self._known: dict[Value, Tensor] = {}
        self._frozen: list[str] = []

    @property
    def legacy(self) -> bool:
        """Whether Keras 1 or 2 wrote the model."""
        return self.version.split(".")[0] in ("0", "1", "2")

    def tensor(self, value: Value) -> Tensor:
        """What is known of a value: what the operators tell, else what the file says."""
        return self._known.get(value, value.declared)

    def trainable(self, path: str) -> bool:
        """Whether no model around the layer is frozen."""
        return not any(path.startswith(f"{frozen}/") for frozen in self._frozen)

    def note(self, text: str) -> None:
        self.notes.append(text)

    # operators

    def constant(self, name: str, data: NDArray[Any] | Sequence[int] | int | float) -> Value:
        value = self.builder.constant(name, data)
        if isinstance(data, np.ndarray):
            self._known[value] = constant(data)
        return value

    def emit(
        self,
        module: Module,
        name: str,
        op: str,
        inputs: Sequence[Value | None],
        outputs: int,
        attributes: Mapping[str, Any],
    ) -> tuple[Value, ...]:
        """Add an operator that belongs to a layer."""
        node = self.builder.node(
            op, inputs, outputs, attributes, name=name, source_op=module.layer.source, module=module.path,
            location=Location(self.shown, node=module.path),
        )  # fmt: skip
        for value, tensor in zip(node.outputs, self._infer(node.name, op, inputs, attributes), strict=False):
            self._known[value] = tensor
        return node.outputs

    def _infer(
        self, name: str, op: str, inputs: Sequence[Value | None], attributes: Mapping[str, Any]
    ) -> tuple[Tensor, ...]:
        known = REGISTRY.get(op)
        if known is None or known.infer is None:
            return ()
        operands = [None if value is None else self.tensor(value) for value in inputs]
        try:
            result = known.infer(*operands, require=Require(name), **attributes)
        except (UnknownRank, OverflowError):
            return ()
        return result if isinstance(result, tuple) else (result,)

    def opaque(
        self, module: Module, args: Sequence[Any], kwargs: Mapping[str, Any], declared: Sequence[Tensor]
    ) -> tuple[Value, ...]:
        """Add a layer that no table knows, with its arrays as operands and the results that the file declares."""
        arrays: list[Value | None] = []
        for name, data in module.stored.everything().items():
            if name not in module.variables:
                module.variables[name] = self.builder.parameter(
                    f"{module.path}/{name}", Tensor(data.dtype, data.shape), module=module.path, data=data
                )
            arrays.append(module.variables[name])
        outputs = [self.builder.value(module.path, tensor) for tensor in declared]
        self.builder.node(
            OPAQUE, [*values_in(args), *values_in(kwargs), *arrays], outputs, name=module.path,
            source_op=module.layer.source, module=module.path, location=Location(self.shown, node=module.path),
        )  # fmt: skip
        return tuple(outputs)

    # models

    def inputs_of(self, model: ModelConfig) -> list[Value]:
        """The graph's inputs, as the model's input layers declare them."""
        if model.sequential:
            first = model.layers[0] if model.layers else None
            name = first.name if first is not None and first.kind == "InputLayer" else "input"
            dtype = (
                policy(first.config.get("dtype"))[0] if first is not None and first.kind == "InputLayer" else dtypes.f32
            )
            if first is not None and first.kind == "Embedding":
                dtype = dtypes.f32 if self.legacy else dtypes.i32
            return [self._input(name, model.input_shape, dtype)]
        by_name = {layer.name: layer for layer in model.layers}
        values = []
        for ref in model.inputs:
            layer = by_name.get(ref.layer)
            config = layer.config if layer is not None else {}
            shape = input_shape(layer) if layer is not None else None
            values.append(self._input(ref.layer, shape, policy(config.get("dtype"))[0]))
        return values

    def _input(self, name: str, shape: tuple[int | None, ...] | None, dtype: DType) -> Value:
        return self.builder.input(
            name, unknown(name, dtype) if shape is None else Tensor(dtype, dims_of(shape, name, "batch"))
        )

    def model(self, model: ModelConfig, module: Module, args: Sequence[Any]) -> tuple[Value, ...]:
        """Lower the layers of a model, inlined under the path of its module."""
        if module.layer.config.get("trainable") is False and module.path:
            self._frozen.append(module.path)
        stored = module.stored.layers([(each.name, each.kind) for each in model.layers if not each.is_operation])
        for each in model.layers:
            if each.name not in module.parts:
                path = f"{module.path}/{each.name}" if module.path else each.name
                module.parts[each.name] = Module(each, path, stored.get(each.name, module.stored.part(each.name)))
        given = list(values_in(args))
        if model.sequential:
            return self._sequence(model, module, given)
        return self._functional(model, module, given)

    def _sequence(self, model: ModelConfig, module: Module, given: Sequence[Value]) -> tuple[Value, ...]:
        values: tuple[Value, ...] = tuple(given)
        for each in model.layers:
            if each.kind != "InputLayer":
                args = [values[0] if len(values) == 1 else list(values)]
                values = self.layer(module.parts[each.name], args, {}, [unknown(module.parts[each.name].path)])
        return values

    def _functional(self, model: ModelConfig, module: Module, given: Sequence[Value]) -> tuple[Value, ...]:
        results: dict[tuple[str, int], tuple[Value, ...]] = {}
        entries = [ref.layer for ref in model.inputs]
        if len(entries) != len(given):
            raise UnsupportedInput(f"model `{model.name}` takes {len(entries)} inputs but is given {len(given)}")
        for ref, value in zip(model.inputs, given, strict=True):
            results[ref.layer, ref.call] = (value,)
        declared = _declared(model)
        jobs = [
            (each, index)
            for each in model.layers
            if each.name not in entries
            for index in range(max(len(each.calls), 1))
        ]
        counts = {each.name: len(each.calls) for each in model.layers}
        for each, index in _in_order(jobs, counts, set(results)):
            call = each.calls[index] if each.calls else None
            args = _resolved(call.args, results, counts) if call else []
            kwargs = _resolved(call.kwargs, results, counts) if call else {}
            path = module.parts[each.name].path
            wanted = declared.get((each.name, index), [unknown(path)])
            results[each.name, index] = self.layer(module.parts[each.name], args, kwargs, wanted)
        return tuple(_pick(ref, results, counts) for ref in model.outputs)

    # layers

    def layer(
        self, module: Module, args: Sequence[Any], kwargs: Mapping[str, Any], declared: Sequence[Tensor]
    ) -> tuple[Value, ...]:
        """Lower one application of a layer; what cannot be said in operators becomes an opaque node."""
        layer = module.layer
        if layer.is_model:
            return self.model(model_config(layer), module, [args, kwargs])
        self._believe_build_shape(layer, args)
        lower = self._rule(layer)
        if lower is None:
            return self.opaque(module, args, kwargs, declared)
        call = Call(self, module, args, kwargs)
        try:
            if layer.kind not in _SELF_CASTING and not self._is_operation(layer):
                call.args = self._autocast(call, args)
            result = lower(call)
        except (NotLowered, UnknownRank):
            return self.opaque(module, args, kwargs, declared)
        results = result if isinstance(result, tuple) else (result,)
        for value, tensor in zip(results, declared, strict=False):
            if tensor.ranked and not self.tensor(value).ranked:
                self._known[value] = tensor
        return results

    def _believe_build_shape(self, layer: LayerConfig, args: Sequence[Any]) -> None:
        """Where nothing better is known, an input has the shape that the layer was built for."""
        given = list(values_in(args))
        if layer.build_shape is not None and len(given) == 1 and not self.tensor(given[0]).ranked:
            dtype = self.tensor(given[0]).dtype
            self._known[given[0]] = Tensor(dtype, dims_of(layer.build_shape, given[0].name))

    def _rule(self, layer: LayerConfig) -> Any:
        if not layer.native or _is_rewritten(layer):
            return None
        if layer.kind in ("TFOpLambda", "SlicingOpLambda"):
            return lower_tf_function
        return OPERATIONS.get(layer.kind) if self._is_operation(layer) else LAYERS.get(layer.kind)

    def _is_operation(self, layer: LayerConfig) -> bool:
        """Whether it is a function of `keras.ops`; HDF5 files do not say so, but only layers can be trainable."""
        unsaid = not layer.module and not self.legacy and "trainable" not in layer.config
        return layer.is_operation or (unsaid and layer.kind in OPERATIONS)

    def _autocast(self, call: Call, tree: Any) -> Any:
        """The arguments with floats of other widths cast to the layer's element type, as a layer does on entry."""
        if isinstance(tree, Value):
            dtype = self.tensor(tree).dtype
            return call.cast(tree, call.compute) if dtype is not None and dtype.is_float else tree
        if isinstance(tree, list | tuple):
            return [self._autocast(call, item) for item in tree]
        if isinstance(tree, Mapping):
            return {key: self._autocast(call, item) for key, item in tree.items()}
        return tree


def _is_rewritten(layer: LayerConfig) -> bool:
    """Whether quantisation or low-rank training has changed what the layer computes and stores."""
    dtype = layer.config.get("dtype")
    kind = dtype.get("class_name") if isinstance(dtype, Mapping) else None
    return "Quantized" in str(kind) or bool(layer.config.get("lora_rank"))


def dims_of(shape: Sequence[int | None], name: str, first: str = "") -> tuple[Dim, ...]:
    """A shape with symbols for the sizes that it leaves open; `first` names that of the first dim."""
    return tuple(
        dim if dim is not None else symbol(first if first and axis == 0 else f"{name}.{axis}", 1)
        for axis, dim in enumerate(shape)
    )


def _declared(model: ModelConfig) -> dict[tuple[str, int], list[Tensor]]:
    """What the file says of the results of each application, from where they are used."""
    found: dict[tuple[str, int], dict[int, Tensor]] = {}
    refs = [ref for each in model.layers for call in each.calls for ref in call.refs()]
    for ref in (*model.outputs, *refs):
        if not 0 <= ref.output < 4096:
            raise UnsupportedInput(f"the model configuration uses output {ref.output} of layer `{ref.layer}`")
        name = f"{ref.layer}:{ref.output}" if ref.output else ref.layer
        dtype = NUMPY_NAMES.get(ref.dtype or "")
        tensor = unknown(name, dtype) if ref.shape is None else Tensor(dtype, dims_of(ref.shape, name))
        outputs = found.setdefault((ref.layer, ref.call), {})
        if ref.output not in outputs or ref.shape is not None:
            outputs[ref.output] = tensor
    return {
        key: [outputs.get(index, unknown(f"{key[0]}:{index}")) for index in range(max(outputs) + 1)]
        for key, outputs in found.items()
    }


def _in_order(
    jobs: Sequence[tuple[LayerConfig, int]], counts: Mapping[str, int], done: set[tuple[str, int]]
) -> list[tuple[LayerConfig, int]]:
    """The applications in an order in which they can run, near to that of the file."""
    places = {(each.name, index): place for place, (each, index) in enumerate(jobs)}
    waiting: dict[int, set[int]] = {}
    users: dict[int, list[int]] = {}
    for place, (each, index) in enumerate(jobs):
        needs = set()
        for ref in each.calls[index].refs() if each.calls else ():
            key = _key(ref, counts)
            if key in done:
                continue
            if key not in places:
                raise UnsupportedInput(f"layer `{each.name}` takes an output of `{ref.layer}`, which does not exist")
            needs.add(places[key])
            users.setdefault(places[key], []).append(place)
        waiting[place] = needs
    ready = [place for place, needs in waiting.items() if not needs]
    order: list[tuple[LayerConfig, int]] = []
    while ready:
        place = heapq.heappop(ready)
        order.append(jobs[place])
        for user in users.get(place, ()):
            if place in waiting[user]:
                waiting[user].discard(place)
                if not waiting[user]:
                    heapq.heappush(ready, user)
    if len(order) < len(jobs):
        stuck = next(jobs[place][0].name for place, needs in waiting.items() if needs)
        raise UnsupportedInput(f"layer `{stuck}` waits for its own output")
    return order


def _key(ref: Ref, counts: Mapping[str, int]) -> tuple[str, int]:
    """The application that a tensor comes from. A layer of one application is named by any index: old files count
    the making of a model as an application of it."""
    return ref.layer, 0 if counts.get(ref.layer) == 1 else ref.call


def _pick(ref: Ref, results: Mapping[tuple[str, int], tuple[Value, ...]], counts: Mapping[str, int]) -> Value:
    outputs = results.get((ref.layer, ref.call)) or results.get(_key(ref, counts))
    if outputs is None or ref.output >= len(outputs):
        raise UnsupportedInput(f"output {ref.output} of layer `{ref.layer}` is used but does not exist")
    return outputs[ref.output]


def _resolved(tree: Any, results: Mapping[tuple[str, int], tuple[Value, ...]], counts: Mapping[str, int]) -> Any:
    if isinstance(tree, Ref):
        return _pick(tree, results, counts)
    if isinstance(tree, Mapping):
        return {key: _resolved(item, results, counts) for key, item in tree.items()}
    if isinstance(tree, list | tuple):
        return [_resolved(item, results, counts) for item in tree]
    return tree
