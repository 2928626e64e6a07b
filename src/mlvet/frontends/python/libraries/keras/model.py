"""keras.Model: subclassed models, and functional ones that are a part of the graph."""

from __future__ import annotations

from typing import Any

from mlvet.domains.dims import equal, symbol
from mlvet.domains.tensors import Tensor as Known
from mlvet.frontends.python.active import machine, store
from mlvet.frontends.python.arrays.arithmetic import cast
from mlvet.frontends.python.arrays.operators import become
from mlvet.frontends.python.emission import demand, opaque
from mlvet.frontends.python.libraries.keras.held import held, keep
from mlvet.frontends.python.libraries.keras.inputs import InputLayer, placeholder_of, unlisted
from mlvet.frontends.python.libraries.keras.layer import Layer, inside, label, sublayers
from mlvet.frontends.python.libraries.keras.replay import between, replayed
from mlvet.frontends.python.libraries.keras.settings import floats
from mlvet.frontends.python.libraries.keras.tensor import KerasTensor, array
from mlvet.frontends.python.libraries.keras.training import Trainer
from mlvet.frontends.python.libraries.registry import model
from mlvet.frontends.python.values.containers import DictValue, ListValue, Repeated
from mlvet.frontends.python.values.tensors import TensorValue, dims_of, dtype_of, tensor_of
from mlvet.frontends.python.values.unknown import Reason, Undecided, Unknown

FEW = 3
"""So many calls of a functional model on tensors of one type are written out."""


@model("keras.Model", "keras.models.Model")
class Model(Trainer, Layer):
    """A model: the program's own by its `call`, or one from input to output tensors."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        inputs, outputs = (
            kwargs.pop("inputs", kwargs.pop("input", None)),
            kwargs.pop("outputs", kwargs.pop("output", None)),
        )
        given = list(args)
        if given and inputs is None:
            inputs = given.pop(0)
        if given and outputs is None:
            outputs = given.pop(0)
        known = {name: kwargs[name] for name in ("name", "trainable", "dtype") if name in kwargs}
        super().__init__(**known)
        if outputs is not None and inputs is not None:
            connect(self, inputs, outputs)

    def call(self, inputs: Any, training: Any = None, mask: Any = None) -> Any:
        del training, mask
        if "@outputs" not in self.cells:
            raise Undecided(Reason.UNMODELLED_CALL, f"{label(self)} has no `call`")
        return functional_call(self, inputs)

    @property
    def _casts(self) -> bool:
        return False

    @property
    def inputs(self) -> Any:
        return ListValue(_leaves(self._known("@inputs")))

    @property
    def outputs(self) -> Any:
        return ListValue(_leaves(self._known("@outputs")))

    @property
    def input(self) -> Any:
        return self._known("@inputs")

    @property
    def output(self) -> Any:
        return self._known("@outputs")

    @property
    def input_shape(self) -> Any:
        found = _leaves(self._known("@inputs"))
        return found[0].shape if len(found) == 1 else ListValue(each.shape for each in found)

    @property
    def output_shape(self) -> Any:
        found = _leaves(self._known("@outputs"))
        return found[0].shape if len(found) == 1 else ListValue(each.shape for each in found)

    @property
    def input_names(self) -> Any:
        return ListValue(each.name for each in _leaves(self._known("@inputs")))

    @property
    def output_names(self) -> Any:
        return ListValue(_layer_name(each) for each in _leaves(self._known("@outputs")))

    def _known(self, key: str) -> Any:
        if key not in self.cells:
            raise Undecided(Reason.DYNAMIC_ATTRIBUTE, f"{key[1:]} of a model that is not functional")
        return held(self)[key]

    @property
    def layers(self) -> Any:
        return ListValue(sublayers(self))

    def get_layer(self, name: Any = None, index: Any = None) -> Any:
        found = list(sublayers(self))
        if isinstance(index, int) and -len(found) <= index < len(found):
            return found[index]
        for each in found:
            if name is not None and label(each) == name:
                return each
        raise Undecided(Reason.UNKNOWN_DISPATCH, f"layer {name!r}")

    def build(self, input_shape: Any = None) -> None:
        del input_shape
        self.built = True

    def summary(self, *args: Any, **kwargs: Any) -> None:
        del args, kwargs

    def save(self, filepath: Any = None, *args: Any, **kwargs: Any) -> None:
        del args, kwargs
        keep(filepath, self)

    save_weights = export = load_weights = summary

    def to_json(self, **kwargs: Any) -> Any:
        del kwargs
        return Unknown(Reason.EXTERNAL_DATA, "the configuration of a model")

    def reset_states(self) -> None:
        return None

    def get_config(self) -> Any:
        return DictValue(self._settings())

    @classmethod
    def from_config(cls, config: Any, custom_objects: Any = None) -> Any:
        del config, custom_objects
        raise Undecided(Reason.EXTERNAL_DATA, "a model from its configuration")


def _layer_name(output: Any) -> str:
    """The name of the layer that makes an output, by which losses and labels are given."""
    maker = machine().builder.maker(output.graph_value)
    found = "" if maker is None else maker.module.partition(".")[0]
    return found or str(output.name)


def connect(it: Layer, inputs: Any, outputs: Any) -> None:
    """Make a model one of a part of the graph; its layers are those that were called between."""
    if isinstance(inputs, Unknown) or isinstance(outputs, Unknown):
        return
    store(it.cells, "@inputs", inputs)
    store(it.cells, "@outputs", outputs)
    store(it.cells, "built", True)
    starts, ends = ([each.graph_value for each in _leaves(side)] for side in (inputs, outputs))
    for each in unlisted(starts, ends)[:1]:
        demand(False, f"an output is made of the input `{each.name}`, which is not among the inputs of the model")
    store(it.cells, "@layers", tuple(_called(inputs, outputs)))


def _called(inputs: Any, outputs: Any) -> list[Any]:
    """The layers that stand between inputs and outputs, first called first, after a layer for each input."""
    found: dict[int, Any] = {}
    for each in _leaves(inputs):
        made = InputLayer(input_tensor=each, name=each.name)
        found[id(made)] = made
    known: dict[Any, Any] = machine().constants
    starts, ends = ([each.graph_value for each in _leaves(side)] for side in (inputs, outputs))
    for node in between(tuple(starts), tuple(ends)):
        layer = known.get(("keras", "layer", node.module.partition(".")[0]))
        if layer is not None and node.op != "sizes":
            found.setdefault(id(layer), layer)
    return list(found.values())


def functional_call(it: Layer, inputs: Any) -> Any:
    """The outputs of a functional model for other inputs."""
    wanted = held(it)["@inputs"]
    places = _leaves(wanted)
    given = _matched(wanted, inputs)
    if len(given) != len(places):
        certain = all(isinstance(each, TensorValue) for side in (inputs, wanted) for each in inside(side))
        certain = certain and not _is_open(inputs) and not _is_open(wanted)
        demand(not certain, f"model `{label(it)}` takes {len(places)} inputs but is given {len(given)}")
        return held(it)["@outputs"]
    passed = [_checked(it, place, array(each)) for place, each in zip(places, given, strict=True)]
    outputs = _ends(held(it)["@outputs"])
    ends = tuple(each.graph_value for each in places), tuple(each.graph_value for each in outputs)
    kinds = [type(each) for each in passed if not isinstance(each, KerasTensor)]
    kind = kinds[0] if kinds else KerasTensor
    results = _applied(label(it), ends, passed, kind)
    return _rebuilt(held(it)["@outputs"], iter(results))


def _applied(name: str, ends: tuple[Any, Any], passed: list[Any], kind: Any) -> list[Any]:
    """The outputs for these inputs. After a few calls on tensors of one type, paths that were taken back not
    counted, a further call is one node.
    """
    here = machine()
    known: dict[Any, Any] = here.constants
    types = tuple((tensor_of(each).dtype, tensor_of(each).shape) for each in passed)
    key = ("keras", "called", ends, types)
    made: tuple[Any, ...] = known.get(key, ())
    if len(made) >= FEW:
        return [opaque(name, passed, each, kind) for each in made[0]]
    if ("keras", "nodes", ends) not in known:
        known["keras", "nodes", ends] = between(*ends)
    values = replayed(*ends, tuple(each.graph_value for each in passed), known["keras", "nodes", ends])
    here.trail.write(known, key, (*made, [value.declared.without_value() for value in values]))
    return [kind.of(value) for value in values]


def _is_open(value: Any) -> bool:
    """Whether a structure holds an unknown number of parts."""
    if isinstance(value, ListValue):
        return not isinstance(value.items, tuple) or any(_is_open(each) for each in value.items)
    if isinstance(value, DictValue):
        return value.rest is not None or any(_is_open(each) for each in value.cells.values())
    return isinstance(value, tuple) and any(_is_open(each) for each in value)


def _matched(wanted: Any, inputs: Any) -> list[Any]:
    """The given tensors in the order of the model's inputs; dictionaries go by name."""
    if isinstance(inputs, DictValue):
        names = list(wanted.cells) if isinstance(wanted, DictValue) else [each.name for each in _leaves(wanted)]
        if all(name in inputs.cells for name in names):
            return [inputs.cells[name] for name in names]
    return [each for each in inside(inputs) if each is not None]


def _checked(it: Layer, place: Any, given: Any) -> Any:
    """The given tensor as the model's input: its dims must be those of the input where both are known.

    Keras leaves a last dim of one out of account, on either side; what such a tensor does not fit is then a layer.
    """
    wanted, actual = dims_of(place), dims_of(given)
    if wanted is None:
        return given
    if actual is None:
        sizes = [dim if isinstance(dim, int) else symbol(machine().fresh(_plain(dim))) for dim in wanted]
        made = opaque("assumed rank", [given], Known(dtype_of(given), tuple(sizes)), type(given))
        become(given, made)
        return cast(made, dtype_of(place))
    if len(actual) == len(wanted) - 1 and wanted[-1] == 1:
        from mlvet.frontends.python.emission import emit

        given = emit("unsqueeze", given, (-1,))
        actual = dims_of(given) or ()
    if len(actual) == len(wanted) + 1 and actual[-1] == 1:
        from mlvet.frontends.python.emission import emit

        given = emit("squeeze", given, (-1,))
        actual = dims_of(given) or ()
    last = len(wanted) - 1 if 1 in (*wanted[1:][-1:], *actual[1:][-1:]) else len(wanted)
    fits = len(actual) == len(wanted) and all(
        not (isinstance(want, int) and equal(want, have) is False)
        for want, have in zip(wanted[1:last], actual[1:last], strict=True)
    )
    given = cast(given, dtype_of(place)) if fits and dtype_of(given) is not None else given
    if not fits and (isinstance(it, Sequential) or "tensorflow.compat.v1" in machine().modules):
        return given  # A Sequential, and all of Keras at that time, runs its layers on what it is given.
    demand(fits, f"model `{label(it)}` expects {tensor_of(place)} but gets {tensor_of(given)}", "dims-differ")
    return given if fits else place


def _plain(dim: Any) -> str:
    """The name of a size that is one symbol, without its number."""
    name = str(dim)
    return name.rstrip("0123456789").rstrip("_") if name.isidentifier() else "n"


def _leaves(value: Any) -> list[Any]:
    return [each for each in inside(value) if isinstance(each, TensorValue)]


def _ends(outputs: Any) -> list[Any]:
    """The tensors of a structure, one for all of a list of unknown length or under names that are not known."""
    match outputs:
        case TensorValue():
            return [outputs]
        case tuple():
            return [end for each in outputs for end in _ends(each)]
        case ListValue():
            items = outputs.items
            return _ends(items.element if isinstance(items, Repeated) else items)
        case DictValue():
            return [end for each in (*outputs.cells.values(), outputs.rest) for end in _ends(each)]
    return []


def _rebuilt(like: Any, parts: Any) -> Any:
    if isinstance(like, TensorValue):
        return next(parts)
    if isinstance(like, ListValue) and isinstance(like.items, tuple):
        return ListValue([_rebuilt(each, parts) for each in like.items])
    if isinstance(like, ListValue) and isinstance(like.items, Repeated):
        return ListValue(Repeated(_rebuilt(like.items.element, parts), like.items.length))
    if isinstance(like, tuple):
        return tuple(_rebuilt(each, parts) for each in like)
    if isinstance(like, DictValue):
        made = {key: _rebuilt(each, parts) for key, each in like.cells.items()}
        return DictValue(made, _rebuilt(like.rest, parts))
    return like


@model("keras.Sequential", "keras.models.Sequential")
class Sequential(Model):
    """Layers one after the other; with the shape of its input known they run as they are added."""

    def __init__(self, layers: Any = None, trainable: Any = True, name: Any = None) -> None:
        Layer.__init__(self, name=name, trainable=trainable)
        store(self.cells, "@layers", ())
        if layers is None:
            return
        items = machine().items(layers)
        if not isinstance(items, tuple):
            store(self.cells, "@unknown", True)
            return
        for each in items:
            self.add(each)

    def add(self, layer: Any, rebuild: Any = True) -> None:
        del rebuild
        if isinstance(layer, InputLayer):
            layer = layer.output
        if isinstance(layer, TensorValue):
            store(self.cells, "@inputs", layer)
            store(self.cells, "@outputs", layer)
            self.built = True
            return
        known = held(self)["@layers"]
        if isinstance(layer, Unknown) or not isinstance(known, tuple):
            store(self.cells, "@unknown", True)
            return
        if not known and "@inputs" not in self.cells and isinstance(layer, Layer):
            self._begin(layer)
        store(self.cells, "@layers", (*known, layer))
        if "@outputs" in self.cells:
            store(self.cells, "@outputs", machine().call(layer, held(self)["@outputs"]))

    def _begin(self, layer: Layer) -> None:
        """The first layer may say the shape of the input, or be a model that has one."""
        shape, batch = held(layer).get("@input_shape"), held(layer).get("@batch_input_shape")
        if shape is not None or batch is not None:
            made: Any = placeholder_of(shape, batch, None, floats(), f"{label(layer)}_input")
        elif "@inputs" in layer.cells and isinstance(held(layer)["@inputs"], TensorValue):
            inner = held(layer)["@inputs"]
            dims = dims_of(inner)
            if dims is None:
                return
            made = placeholder_of(None, dims, None, tensor_of(inner).dtype or floats(), inner.name)
        else:
            return
        store(self.cells, "@inputs", made)
        store(self.cells, "@outputs", made)
        self.built = True

    def pop(self, rebuild: Any = True) -> Any:
        del rebuild
        *rest, last = held(self)["@layers"]
        store(self.cells, "@layers", tuple(rest))
        if "@inputs" in self.cells:
            current = held(self)["@inputs"]
            for each in rest:
                current = machine().call(each, current)
            store(self.cells, "@outputs", current)
        return last

    def call(self, inputs: Any, training: Any = None, mask: Any = None) -> Any:
        del training, mask
        if held(self).get("@unknown") or not isinstance(held(self)["@layers"], tuple):
            raise Undecided(Reason.DYNAMIC_CONTAINER, "layers in a list of unknown length")
        if isinstance(inputs, tuple | ListValue) and len(found := _leaves(inputs)) == 1:
            inputs = found[0]
        if "@inputs" in self.cells and isinstance(inputs, TensorValue):
            inputs = _checked(self, held(self)["@inputs"], inputs)
        result = inputs
        for each in held(self)["@layers"]:
            result = machine().call(each, result)
        if "@inputs" not in self.cells and isinstance(inputs, TensorValue):
            store(self.cells, "@inputs", inputs)
            store(self.cells, "@outputs", result)
        return result

    def _built_for(self, args: list[Any], kwargs: dict[str, Any]) -> None:
        del args, kwargs
        self.built = True

    def build(self, input_shape: Any = None) -> None:
        if "@inputs" in self.cells or input_shape is None or isinstance(input_shape, Unknown):
            self.built = True
            return
        made: Any = placeholder_of(None, input_shape, None, floats(), "input")
        store(self.cells, "@inputs", made)
        for each in held(self)["@layers"]:
            made = machine().call(each, made)
        store(self.cells, "@outputs", made)
        self.built = True
