"""jax.example_libraries.stax: a layer is a pair of functions.

The first takes a key and the shape of the input and yields the shape of the result and the parameters; the second takes
the parameters and the input.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from mlvet.domains.dims import Dim, product
from mlvet.frontends.python.active import machine
from mlvet.frontends.python.arrays.arithmetic import binary
from mlvet.frontends.python.emission import demand, emit
from mlvet.frontends.python.libraries.binding import as_items, as_sizes
from mlvet.frontends.python.libraries.jax.array import Array, as_jax
from mlvet.frontends.python.libraries.jax.lax.windows import (
    conv_general_dilated,
    conv_transpose,
    pads_of,
    reduce_window,
    steps,
    transposed_length,
)
from mlvet.frontends.python.libraries.jax.nn.functions import standardize
from mlvet.frontends.python.libraries.jax.nn.initializers import Initializer
from mlvet.frontends.python.libraries.jax.numpy.products import dot
from mlvet.frontends.python.libraries.jax.numpy.shaping import concatenate, reshape
from mlvet.frontends.python.libraries.registry import find, model
from mlvet.frontends.python.values.containers import ListValue
from mlvet.frontends.python.values.tensors import dims_of

Layer = tuple[Callable[..., Any], Callable[..., Any]]

STAX = "jax.example_libraries.stax"
IMAGES = ("NHWC", "HWIO", "NHWC")


def _weight(initial: Any, rng: Any, shape: tuple[Any, ...]) -> Any:
    return machine().call(Initializer() if initial is None else initial, rng, shape)


def _plain(init: Callable[..., Any], apply: Callable[..., Any]) -> Layer:
    """A layer without parameters: what it does to a shape, and to an array."""

    def init_fun(rng: Any, input_shape: Any) -> Any:
        return init(input_shape), ()

    def apply_fun(params: Any, inputs: Any, **_: Any) -> Any:
        return apply(inputs)

    return init_fun, apply_fun


@model(f"{STAX}.Dense")
def dense(out_dim: Any, W_init: Any = None, b_init: Any = None) -> Any:
    def init_fun(rng: Any, input_shape: Any) -> Any:
        *before, features = as_sizes(input_shape)
        weight = _weight(W_init, rng, (features, out_dim))
        return (*before, out_dim), (weight, _weight(b_init, rng, (out_dim,)))

    def apply_fun(params: Any, inputs: Any, **_: Any) -> Any:
        weight, bias = as_items(params)
        return binary("add", dot(as_jax(inputs), weight), bias, kind=Array)

    return init_fun, apply_fun


def _convolution(length: Callable[..., Any], convolve: Callable[..., Any]) -> Callable[..., Layer]:
    """A layer of a convolution, given what it makes of a length and of an array."""

    def make(
        dimension_numbers: Any, out_chan: Any, filter_shape: Any, strides: Any = None, padding: Any = "VALID",
        W_init: Any = None, b_init: Any = None,
    ) -> Layer:  # fmt: skip
        data, kernel, out = as_items(dimension_numbers)
        window = as_sizes(filter_shape)
        by = as_sizes(strides) if strides is not None else (1,) * len(window)
        pads = pads_of(padding)

        def init_fun(rng: Any, input_shape: Any) -> Any:
            given = dict(zip(data, as_sizes(input_shape), strict=True))
            space = [letter for letter in kernel if letter not in "IO"]
            sizes = {**dict(zip(space, window, strict=True)), "I": given["C"], "O": out_chan}
            made: dict[str, Dim] = {"N": given["N"], "C": out_chan}
            for place, letter in enumerate(each for each in data if each not in "NC"):
                pad = pads if isinstance(pads, str) else pads[place]
                made[letter] = length(given[letter], sizes[letter], by[place], pad)
            weight = _weight(W_init, rng, tuple(sizes[letter] for letter in kernel))
            bias = _weight(b_init, rng, tuple(out_chan if letter == "C" else 1 for letter in out))
            return tuple(made[letter] for letter in out), (weight, bias)

        def apply_fun(params: Any, inputs: Any, **_: Any) -> Any:
            weight, bias = as_items(params)
            made = convolve(as_jax(inputs), weight, by, padding, dimension_numbers=dimension_numbers)
            return binary("add", made, bias, kind=Array)

        return init_fun, apply_fun

    return make


_conv, _conv_transpose = _convolution(steps, conv_general_dilated), _convolution(transposed_length, conv_transpose)
model(f"{STAX}.GeneralConv")(_conv)
model(f"{STAX}.GeneralConvTranspose")(_conv_transpose)
model(f"{STAX}.Conv")(partial(_conv, IMAGES))
model(f"{STAX}.ConvTranspose")(partial(_conv_transpose, IMAGES))
model(f"{STAX}.Conv1DTranspose")(partial(_conv_transpose, ("NHC", "HIO", "NHC")))


@model(f"{STAX}.BatchNorm")
def batch_norm(
    axis: Any = (0, 1, 2), epsilon: Any = 1e-5, center: Any = True, scale: Any = True, beta_init: Any = None,
    gamma_init: Any = None,
) -> Any:  # fmt: skip
    gone = (axis,) if isinstance(axis, int) else as_items(axis)

    def init_fun(rng: Any, input_shape: Any) -> Any:
        kept = tuple(dim for place, dim in enumerate(as_sizes(input_shape)) if place not in gone)
        beta = _weight(beta_init or Initializer(value=0), rng, kept) if center else ()
        gamma = _weight(gamma_init or Initializer(value=1), rng, kept) if scale else ()
        return input_shape, (beta, gamma)

    def apply_fun(params: Any, inputs: Any, **_: Any) -> Any:
        beta, gamma = as_items(params)
        made = standardize(as_jax(inputs), gone, epsilon=epsilon)
        for op, factor in (("mul", gamma if scale else None), ("add", beta if center else None)):
            if factor is not None:
                made = binary(op, made, emit("unsqueeze", factor, tuple(gone)), kind=Array)
        return made

    return init_fun, apply_fun


@model(f"{STAX}.elementwise")
def elementwise(fun: Any, **fun_kwargs: Any) -> Any:
    return _plain(lambda shape: shape, lambda inputs: machine().call(fun, inputs, **fun_kwargs))


def _named(function: str, **keywords: Any) -> Layer:
    return _plain(lambda shape: shape, lambda inputs: machine().call(find(function), inputs, **keywords))


for _name, _function in (
    ("Tanh", "jax.numpy.tanh"), ("Relu", "jax.nn.relu"), ("Exp", "jax.numpy.exp"),
    ("LogSoftmax", "jax.nn.log_softmax"), ("Softmax", "jax.nn.softmax"), ("Softplus", "jax.nn.softplus"),
    ("Sigmoid", "jax.nn.sigmoid"), ("Elu", "jax.nn.elu"), ("LeakyRelu", "jax.nn.leaky_relu"),
    ("Selu", "jax.nn.selu"), ("Gelu", "jax.nn.gelu"),
):  # fmt: skip
    model(f"{STAX}.{_name}")(_named(_function))


@model(f"{STAX}.MaxPool", f"{STAX}.SumPool", f"{STAX}.AvgPool")
def pooling(window_shape: Any, strides: Any = None, padding: Any = "VALID", spec: Any = None) -> Any:
    window, by = as_sizes(window_shape), as_sizes(strides) if strides is not None else ()
    by = by or (1,) * len(window)
    for place in (0, len(window) + 1) if spec is None else sorted((spec.index("N"), spec.index("C"))):
        window, by = (*window[:place], 1, *window[place:]), (*by[:place], 1, *by[place:])
    pads = pads_of(padding)

    def init(shape: Any) -> Any:
        sizes = zip(as_sizes(shape), window, by, strict=True)
        return tuple(steps(*each, pads if isinstance(pads, str) else pads[place]) for place, each in enumerate(sizes))

    return _plain(init, lambda inputs: reduce_window(as_jax(inputs), 0.0, None, window, by, padding))


def _flattened(inputs: Any) -> Any:
    array = as_jax(inputs)
    dims = dims_of(array)
    return reshape(array, (dims[0] if dims else -1, -1))


model(f"{STAX}.Flatten")(_plain(lambda shape: (as_sizes(shape)[0], product(as_sizes(shape)[1:])), _flattened))
model(f"{STAX}.Identity")(_plain(lambda shape: shape, lambda inputs: inputs))


@model(f"{STAX}.FanOut")
def fan_out(num: Any) -> Any:
    return _plain(lambda shape: ListValue((shape,) * num), lambda inputs: ListValue((inputs,) * num))


def _sum(inputs: Any) -> Any:
    total, *others = as_items(inputs)
    for each in others:
        total = binary("add", as_jax(total), as_jax(each), kind=Array)
    return total


model(f"{STAX}.FanInSum")(_plain(lambda shapes: as_items(shapes)[0], _sum))


@model(f"{STAX}.FanInConcat")
def fan_in_concat(axis: Any = -1) -> Any:
    def init(shapes: Any) -> Any:
        first, *others = (as_sizes(each) for each in as_items(shapes))
        place = axis % len(first)
        return (*first[:place], sum((each[place] for each in others), start=first[place]), *first[place + 1 :])

    return _plain(init, lambda inputs: concatenate(inputs, axis))


@model(f"{STAX}.Dropout")
def dropout(rate: Any, mode: Any = "train") -> Any:
    def apply_fun(params: Any, inputs: Any, **named: Any) -> Any:
        demand(named.get("rng") is not None, "Dropout needs a key as the argument rng", "illegal-argument")
        return inputs

    return (lambda rng, input_shape: (input_shape, ())), apply_fun


@model(f"{STAX}.serial")
def serial(*layers: Any) -> Any:
    pairs = [as_items(each) for each in layers]

    def init_fun(rng: Any, input_shape: Any) -> Any:
        params = []
        for init, _ in pairs:
            input_shape, made = as_items(machine().call(init, rng, input_shape))
            params.append(made)
        return input_shape, ListValue(params)

    def apply_fun(params: Any, inputs: Any, **named: Any) -> Any:
        for (_, apply), own in zip(pairs, as_items(params), strict=False):
            inputs = machine().call(apply, own, inputs, **named)
        return inputs

    return init_fun, apply_fun


@model(f"{STAX}.parallel")
def parallel(*layers: Any) -> Any:
    pairs = [as_items(each) for each in layers]

    def init_fun(rng: Any, input_shape: Any) -> Any:
        made = [
            as_items(machine().call(init, rng, shape))
            for (init, _), shape in zip(pairs, as_items(input_shape), strict=False)
        ]
        return tuple(shape for shape, _ in made), tuple(params for _, params in made)

    def apply_fun(params: Any, inputs: Any, **named: Any) -> Any:
        given = zip(pairs, as_items(params), as_items(inputs), strict=False)
        return ListValue(machine().call(apply, own, x, **named) for (_, apply), own, x in given)

    return init_fun, apply_fun


@model(f"{STAX}.shape_dependent")
def shape_dependent(make_layer: Any) -> Any:
    def made(shape: Any) -> tuple[Any, ...]:
        return as_items(machine().call(make_layer, shape))

    def init_fun(rng: Any, input_shape: Any) -> Any:
        return machine().call(made(input_shape)[0], rng, input_shape)

    def apply_fun(params: Any, inputs: Any, **named: Any) -> Any:
        return machine().call(made(dims_of(as_jax(inputs)))[1], params, inputs, **named)

    return init_fun, apply_fun
