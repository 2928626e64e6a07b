"""keras.layers.Layer: built on its first call, then called; variables and layers found in its attributes."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Iterator
from contextvars import ContextVar
from typing import Any

from mlvet.domains.dims import Dim, Expr, product
from mlvet.domains.dtypes import DType
from mlvet.frontends.keras.stored import snake_case
from mlvet.frontends.python.active import machine, store
from mlvet.frontends.python.arrays.arithmetic import cast
from mlvet.frontends.python.emission import demand, demand_same
from mlvet.frontends.python.libraries.element_types import dtype_named
from mlvet.frontends.python.libraries.keras.held import held
from mlvet.frontends.python.libraries.keras.initializers import initialiser_of, sampled
from mlvet.frontends.python.libraries.keras.settings import DTypePolicy, floats, policy_of
from mlvet.frontends.python.libraries.keras.tensor import Variable, array, parameter
from mlvet.frontends.python.libraries.registry import model
from mlvet.frontends.python.values.containers import DictValue, ListValue, Repeated
from mlvet.frontends.python.values.objects import BoundMethod, ClassValue, FunctionValue, Object, mro
from mlvet.frontends.python.values.tensors import TensorValue, dims_of, dtype_of
from mlvet.frontends.python.values.unknown import Reason, Undecided, Unknown
from mlvet.ir.graph import Initialiser

TRAINING: ContextVar[Any] = ContextVar("training", default=None)
"""Whether the layers being called are in training, None where nobody has said."""


@model("keras.layers.Layer", "keras.Layer")
class Layer(Object):
    """A layer. Subclasses here and in programs define `build` and `call`."""

    def __init__(
        self, *, activity_regularizer: Any = None, trainable: Any = True, dtype: Any = None, autocast: Any = True,
        name: Any = None, **kwargs: Any,
    ) -> None:  # fmt: skip
        del autocast
        self.name = name if isinstance(name, str) else named(self)
        self.trainable = trainable
        self.activity_regularizer = activity_regularizer
        self.dtype_policy = policy_of(dtype)
        self.built = False
        if "input_dim" in kwargs and "input_shape" not in kwargs:
            kwargs["input_shape"] = (kwargs["input_dim"],)
        for key in ("input_shape", "batch_input_shape", "batch_shape"):
            if kwargs.get(key) is not None:
                store(self.cells, f"@{key}", kwargs[key])

    # Calls.

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        here = machine()
        kwargs = dict(kwargs)
        given = [self._converted(each) for each in args]
        kwargs = {name: self._converted(each) for name, each in kwargs.items()}
        outer, path = TRAINING.get(), here.module_path
        here.module_path = (*path, label(self))
        training = self._resolve_training(given, kwargs, outer)
        token = TRAINING.set(training)
        try:
            given = self._prepared(given)
            self._pass_mask(given, kwargs)
            self._built_for(given, kwargs)
            result = here.send(self, "call", *given, **kwargs)
            self._hand_on_mask(given, result)
            self._remember(given, result)
            return result
        finally:
            TRAINING.reset(token)
            here.module_path = path

    def call(self, *args: Any, **kwargs: Any) -> Any:
        del args, kwargs
        raise Undecided(Reason.UNMODELLED_CALL, f"`call` of {label(self)}")

    def build(self, *args: Any, **kwargs: Any) -> None:
        del args, kwargs
        self.built = True

    def compute_output_shape(self, *args: Any, **kwargs: Any) -> Any:
        del args, kwargs
        raise Undecided(Reason.UNMODELLED_CALL, "compute_output_shape")

    def compute_mask(self, inputs: Any, previous_mask: Any = None) -> Any:
        del inputs
        return previous_mask

    def _converted(self, value: Any) -> Any:
        """Arrays as tensors, floats in the type in which the layer computes."""
        if isinstance(value, TensorValue):
            made = array(value)
            known, wanted = dtype_of(made), self._compute
            return cast(made, wanted) if self._casts and known is not None and known.is_float else made
        if isinstance(value, ListValue) and isinstance(value.items, tuple) and _holds_tensor(value):
            return ListValue(self._converted(each) for each in value.items)
        if isinstance(value, tuple) and _holds_tensor(value):
            return tuple(self._converted(each) for each in value)
        if isinstance(value, DictValue) and _holds_tensor(value):
            return DictValue({key: self._converted(each) for key, each in value.cells.items()}, value.rest)
        return value

    @property
    def _casts(self) -> bool:
        """Whether floats given to the layer are cast; those of the program may say otherwise."""
        return True

    def _prepared(self, args: list[Any]) -> list[Any]:
        """The arguments as the layer needs them, before it is built for them."""
        return args

    def _remember(self, args: list[Any], result: Any) -> None:
        """Note the first call, by which `input` and `output` go, and which layer goes by this name."""
        store(machine().constants, ("keras", "layer", label(self)), self)
        if "@output" not in self.cells and args:
            store(self.cells, "@input", args[0])
            store(self.cells, "@output", result)

    def _resolve_training(self, args: list[Any], kwargs: dict[str, Any], outer: Any) -> Any:
        taken = parameters(self, "call")
        places = [name for name in taken if name != "*"]
        given = kwargs.get("training")
        if given is None and "training" in places and places.index("training") < len(args):
            return args[places.index("training")]
        training = given if given is not None else outer
        if "training" in taken:
            if training is not None:
                kwargs["training"] = training
            elif taken["training"] is inspect.Parameter.empty:
                kwargs["training"] = False
            else:
                kwargs.pop("training", None)
        elif "**" not in taken or given is None:
            kwargs.pop("training", None)
        return training

    def _pass_mask(self, args: list[Any], kwargs: dict[str, Any]) -> None:
        taken = parameters(self, "call")
        if "mask" not in taken:
            kwargs.pop("mask", None)
            return
        if "mask" in kwargs or [*taken].index("mask") < len(args):
            return
        masks = [held(each).get("@mask") for each in _tensors(args)]
        if any(mask is not None for mask in masks):
            kwargs["mask"] = masks[0] if args and isinstance(args[0], TensorValue) else ListValue(masks)

    def _hand_on_mask(self, args: list[Any], result: Any) -> None:
        if not isinstance(result, TensorValue) or not args or result.cells.get("@mask") is not None:
            return
        first = args[0]
        before = first.cells.get("@mask") if isinstance(first, TensorValue) else None
        if isinstance(first, TensorValue) and (before is not None or self._makes_mask):
            mask = machine().send(self, "compute_mask", first, before) if self._masks() else None
            if isinstance(mask, TensorValue):
                store(result.cells, "@mask", mask)

    @property
    def _makes_mask(self) -> bool:
        """Whether the result has a mask though the argument has none."""
        return False

    def _masks(self) -> bool:
        return bool(held(self).get("supports_masking")) or method(self, "compute_mask") is not Layer.compute_mask

    def _built_for(self, args: list[Any], kwargs: dict[str, Any]) -> None:
        if held(self).get("built") is True:
            return
        wanted = [name for name in parameters(self, "build") if name not in ("*", "**")]
        taken = [name for name in parameters(self, "call") if name not in ("*", "**")]
        by_name = {**dict(zip(taken, args, strict=False)), **kwargs}
        named_shapes = {f"{name}_shape": shape_of(value) for name, value in by_name.items() if _tensors([value])}
        if len(wanted) > 1 and all(name in named_shapes for name in wanted):
            machine().send(self, "build", **{name: named_shapes[name] for name in wanted})
        else:
            first = args[0] if args else next((value for value in kwargs.values() if _tensors([value])), None)
            machine().send(self, "build", shape_of(first))
        self.built = True

    # Variables and layers.

    def add_weight(
        self, first: Any = None, /, initializer: Any = None, dtype: DType | None = None, trainable: Any = True,
        autocast: Any = True, regularizer: Any = None, constraint: Any = None, aggregation: Any = "none",
        overwrite_with_gradient: Any = False, name: Any = None, *, shape: Any = None, **rest: Any,
    ) -> Any:  # fmt: skip
        """First comes the shape; before Keras 3 it was the name. In `call` floats are as the layer computes in."""
        del regularizer, constraint, aggregation, overwrite_with_gradient, rest
        from mlvet.frontends.python.libraries.binding import as_size, as_sizes

        if isinstance(first, str):
            name = first
        elif first is not None:
            shape = first
        sizes = () if shape is None else (shape,) if isinstance(shape, int | Expr) else as_sizes(shape, name or "n")
        sizes = tuple(as_size(each) for each in sizes)
        wanted = dtype or dtype_named(self._policy.variable_dtype) or floats()
        if wanted.is_float and autocast is not False and self._policy.compute_dtype != self._policy.variable_dtype:
            wanted = dtype_named(self._policy.compute_dtype) or wanted
        sampled(initializer, sizes, wanted)
        start = initialiser_of(
            initializer if initializer is not None else "glorot_uniform" if wanted.is_float else "zeros"
        )
        return self._kept(name if isinstance(name, str) else "variable", sizes, wanted, start, trainable is not False)

    def _weight(self, name: str, sizes: tuple[Dim, ...], initializer: Any = None, trainable: bool = True) -> Variable:
        """A variable made in `build` of a layer of the library, which is an attribute of the layer too."""
        from mlvet.frontends.python.libraries.keras.inputs import is_open

        shape = f"[{', '.join(map(str, sizes))}]"
        because = f"`{name}` of `{label(self)}` would be {shape}, but weights need sizes that are known beforehand"
        demand(not any(map(is_open, sizes)), because, "illegal-argument")
        wanted = dtype_named(self._policy.variable_dtype) or floats()
        made = self._kept(name, sizes, wanted, initialiser_of(initializer), trainable)
        store(self.cells, name, made)
        return made

    def _kept(
        self, name: str, sizes: tuple[Dim, ...], dtype: DType, start: Initialiser | None, trainable: bool
    ) -> Variable:
        """A variable of this layer, the same one if another path made it already."""
        held_before = held(self).get("@weights", ())
        before: tuple[Variable, ...] = held_before if isinstance(held_before, tuple) else ()
        known: dict[Any, Any] = machine().constants
        key = ("keras", "weight", id(self), tuple(map(id, before)), name, sizes, dtype)
        if key not in known:
            made = parameter(f"{label(self)}/{name}", sizes, dtype, start, trainable)
            known[key] = (self, made, (*before, made))
        _, made, all_made = known[key]
        store(self.cells, "@weights", all_made)
        found: Variable = made
        return found

    def _read(self, name: str) -> Any:
        """A variable as an operand, in the type in which the layer computes."""
        return cast(held(self)[name], self._compute)

    @property
    def _policy(self) -> DTypePolicy:
        found = held(self).get("dtype_policy")
        return found if isinstance(found, DTypePolicy) else policy_of(None)

    @property
    def _compute(self) -> DType:
        return dtype_named(self._policy.compute_dtype) or floats()

    @property
    def compute_dtype(self) -> str:
        return self._policy.compute_dtype

    @property
    def variable_dtype(self) -> str:
        return self._policy.variable_dtype

    @property
    def dtype(self) -> str:
        return self._policy.variable_dtype

    @property
    def weights(self) -> Any:
        return ListValue(variables(self))

    variables = weights

    @property
    def trainable_weights(self) -> Any:
        return ListValue(each for each in variables(self) if held(each).get("trainable", True))

    trainable_variables = trainable_weights

    @property
    def non_trainable_weights(self) -> Any:
        return ListValue(each for each in variables(self) if not held(each).get("trainable", True))

    non_trainable_variables = non_trainable_weights

    @property
    def losses(self) -> Any:
        return ListValue(held(self).get("@losses", ()))

    @property
    def path(self) -> str:
        return "/".join((*machine().module_path, label(self)))

    def add_loss(self, loss: Any) -> None:
        store(self.cells, "@losses", (*held(self).get("@losses", ()), loss))

    def add_metric(self, *args: Any, **kwargs: Any) -> None:
        del args, kwargs

    def get_weights(self) -> Any:
        return ListValue(each.numpy() for each in variables(self))

    def set_weights(self, weights: Any) -> None:
        mine = variables(self)
        given = list(weights.items) if isinstance(weights, ListValue) and isinstance(weights.items, tuple) else []
        if not given or not mine or not all(isinstance(each, TensorValue) for each in given):
            return
        demand(len(given) == len(mine), f"`{label(self)}` has {len(mine)} weights, but is given {len(given)}")
        for one, own in zip(given, mine, strict=False):
            left, right = dims_of(one), dims_of(own)
            if left is not None and right is not None:
                what = f"a weight of `{label(self)}` is {list(right)}, but is set to {list(left)}"
                demand_same(left, right, what, of=[one])

    def count_params(self) -> Any:
        total: Dim = 0
        for each in variables(self):
            total = total + product(dims_of(each) or ())
        return total

    # Configuration.

    def get_config(self) -> Any:
        """The settings that all layers have; those of layers of the library are more."""
        more = None if type(self).__init__ is Layer.__init__ else Unknown(Reason.EXTERNAL_DATA, "a setting of a layer")
        return DictValue(self._settings(), rest=more)

    def _settings(self) -> dict[str, Any]:
        known = {key: self.cells[key] for key in ("name", "trainable") if key in self.cells}
        return known | {"dtype": self._policy.name}

    @classmethod
    def from_config(cls, config: Any) -> Any:
        known = config.cells if isinstance(config, DictValue) else {}
        return cls(**{str(key): value for key, value in known.items()})

    def get_build_config(self) -> Any:
        return {}

    def build_from_config(self, config: Any) -> None:
        del config

    def save_own_variables(self, store: Any) -> None:
        del store

    def load_own_variables(self, store: Any) -> None:
        del store

    def quantize(self, *args: Any, **kwargs: Any) -> None:
        del args, kwargs

    def stateless_call(self, trainable_variables: Any, non_trainable_variables: Any, *args: Any, **kwargs: Any) -> Any:
        del trainable_variables
        kwargs.pop("return_losses", None)
        return machine().call(self, *args, **kwargs), non_trainable_variables

    @property
    def input(self) -> Any:
        return self._remembered("@input")

    @property
    def output(self) -> Any:
        return self._remembered("@output")

    def _remembered(self, key: str) -> Any:
        found = held(self).get(key)
        if found is None:
            raise Undecided(Reason.DYNAMIC_ATTRIBUTE, f"{key[1:]} of a layer that was not called")
        return found


def named(layer: Object) -> str:
    """The name that Keras gives a layer: its class in snake case, with a number from the second on."""
    kind = layer.kind.name if layer.kind is not None else type(layer).__name__
    counts: dict[Any, Any] = machine().constants
    count = counts[("keras", "count", kind)] = counts.get(("keras", "count", kind), -1) + 1
    plain = snake_case(kind)
    return plain if count == 0 else f"{plain}_{count}"


def label(layer: Object) -> str:
    found = held(layer).get("name")
    return found if isinstance(found, str) else snake_case(layer.kind.name if layer.kind else type(layer).__name__)


def method(receiver: Object, name: str) -> Any:
    """The function that a method is, the program's own before the library's."""
    for each in mro(receiver):
        if isinstance(each, ClassValue):
            if name in each.cells:
                return each.cells[name]
        elif isinstance(each, type) and hasattr(each, name):
            return getattr(each, name)
    return None


def parameters(receiver: Object, name: str) -> dict[str, Any]:
    """The parameters of a method and their defaults; `*` and `**` where it takes any others."""
    function = method(receiver, name)
    while isinstance(function, BoundMethod):
        function = function.function
    if isinstance(function, FunctionValue):
        return _written(function.node.args)
    if not callable(function):
        return {"*": None, "**": None}
    found: dict[str, Any] = {}
    stars: dict[Any, str] = {inspect.Parameter.VAR_POSITIONAL: "*", inspect.Parameter.VAR_KEYWORD: "**"}
    for each in list(inspect.signature(function).parameters.values())[1:]:
        found[stars.get(each.kind, each.name)] = each.default
    return found


def _written(arguments: ast.arguments) -> dict[str, Any]:
    plain = [*arguments.posonlyargs, *arguments.args]
    optional = len(plain) - len(arguments.defaults)
    found: dict[str, Any] = {
        each.arg: inspect.Parameter.empty if place < optional else None for place, each in enumerate(plain)
    }
    found = dict(list(found.items())[1:])
    found |= {each.arg: None for each in arguments.kwonlyargs}
    return found | ({"*": None} if arguments.vararg else {}) | ({"**": None} if arguments.kwarg else {})


def shape_of(value: Any) -> Any:
    """What `build` is told of an argument: a shape, or shapes in the structure of the argument."""
    if isinstance(value, TensorValue):
        dims = dims_of(value)
        if dims is None:
            return Unknown(Reason.EXTERNAL_DATA, "the shape of a tensor of unknown rank", "input_shape")
        return dims
    if isinstance(value, ListValue) and isinstance(value.items, tuple):
        return ListValue(shape_of(each) for each in value.items)
    if isinstance(value, tuple):
        return tuple(shape_of(each) for each in value)
    if isinstance(value, DictValue):
        return DictValue({key: shape_of(each) for key, each in value.cells.items()})
    return Unknown(Reason.UNMODELLED_ARGUMENTS, "the shape of an argument that is no tensor", "input_shape")


def inside(value: Any) -> Iterator[Any]:
    """The parts of a structure of lists, tuples and dictionaries."""
    if isinstance(value, ListValue):
        items = value.items
        for each in items if isinstance(items, tuple) else (items.element,):
            yield from inside(each)
    elif isinstance(value, tuple | list):
        for each in value:
            yield from inside(each)
    elif isinstance(value, DictValue):
        for each in value.cells.values():
            yield from inside(each)
    elif isinstance(value, Repeated):
        yield from inside(value.element)
    else:
        yield value


def _tensors(values: Any) -> list[TensorValue]:
    return [each for each in inside(tuple(values)) if isinstance(each, TensorValue)]


def _holds_tensor(value: Any) -> bool:
    return any(isinstance(each, TensorValue) for each in inside(value))


def sublayers(layer: Object) -> Iterator[Any]:
    """The layers in the attributes of a layer, each once, in the order in which they were set."""
    seen: set[int] = set()
    for name, value in list(layer.cells.items()):
        if isinstance(name, str) and name.startswith("@") and name not in ("@layers", "@operations"):
            continue
        for each in inside(value):
            if isinstance(each, Layer) and id(each) not in seen and each is not layer:
                seen.add(id(each))
                yield each


def every_layer(layer: Object, seen: set[int] | None = None) -> Iterator[Any]:
    """The layers in a layer, and those in them, each once."""
    seen = {id(layer)} if seen is None else seen
    for each in sublayers(layer):
        if id(each) not in seen:
            seen.add(id(each))
            yield each
            yield from every_layer(each, seen)


def variables(layer: Object, seen: set[int] | None = None) -> list[Any]:
    """The variables of a layer and of the layers in it; those of a frozen layer are not trainable."""
    seen = set() if seen is None else seen
    if id(layer) in seen:
        return []
    seen.add(id(layer))
    found: list[Any] = []
    weights = held(layer).get("@weights", ())
    own = list(weights) if isinstance(weights, tuple) else []
    own += [each for value in list(layer.cells.values()) for each in inside(value) if isinstance(each, Variable)]
    for each in own:
        if not any(each is other for other in found):
            found.append(each)
    for each in sublayers(layer):
        found += [one for one in variables(each, seen) if not any(one is other for other in found)]
    return found
