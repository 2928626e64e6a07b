"""Faults of one Keras layer, written in `keras.ops` so that they run on every backend, compiled or not.

A fault takes the layer, its right way to compute, and what it is called with; faults of weights change them when the
model is loaded. What a fault changes is written down: the root mean square of wrong less right.
"""

import inspect
import json
import os

import numpy as np

CALLS = {}
WEIGHTS = {}


def install(keras):
    """Make models that are loaded from now on wrong."""
    right = keras.models.load_model

    def load_model(*args, **kwargs):
        model = right(*args, **kwargs)
        with open(os.environ["MLVET_FAULT"]) as file:
            fault = json.load(file)
        if fault:
            _infect(keras, model, fault)
        return model

    keras.models.load_model = keras.saving.load_model = load_model


def _infect(keras, model, fault):
    layer = next(each for each in _layers(model) if each.name == fault["layer"])
    settings = fault.get("settings", {})
    if fault["kind"] in WEIGHTS:
        _record_weights(keras, layer, fault, settings)
        return
    call, wrong = layer.call, CALLS[fault["kind"]]

    def infected(*args, **kwargs):
        found = wrong(keras.ops, layer, call, settings, *args, **kwargs)
        if not any(isinstance(each, keras.KerasTensor) for each in keras.tree.flatten((args, kwargs))):
            _record(keras, fault, found, lambda: call(*args, **kwargs))
        return found

    infected.__signature__ = inspect.signature(call)
    object.__setattr__(layer, "call", infected)


def _record_weights(keras, layer, fault, settings):
    right = [each.copy() for each in layer.get_weights()]
    wrong = WEIGHTS[fault["kind"]]([each.copy() for each in right], settings)
    layer.set_weights(wrong)
    call = layer.call

    def recorded(*args, **kwargs):
        found = call(*args, **kwargs)
        if _eager(keras, found):
            layer.set_weights(right)
            _record(keras, fault, found, lambda: call(*args, **kwargs))
            layer.set_weights(wrong)
        return found

    recorded.__signature__ = inspect.signature(call)
    object.__setattr__(layer, "call", recorded)


def _eager(keras, found):
    first = keras.tree.flatten(found)[0]
    return "Tracer" not in type(first).__name__ and (hasattr(first, "numpy") or "Array" in type(first).__name__ or
                                                    isinstance(first, np.ndarray))  # fmt: skip


def _record(keras, fault, found, right):
    """The size of the error, when the layer is run on arrays and not traced."""
    if not _eager(keras, found):
        return
    try:
        one = np.asarray(keras.ops.convert_to_numpy(keras.tree.flatten(found)[0]), np.float64)
        other = np.asarray(keras.ops.convert_to_numpy(keras.tree.flatten(right())[0]), np.float64)
    except (NotImplementedError, RuntimeError, TypeError):
        return
    if one.shape == other.shape:
        off = float(np.sqrt(np.mean((one - other) ** 2)))
        with open(fault["record"], "a") as file:
            file.write(json.dumps(off) + "\n")


def _layers(model):
    for layer in model.layers:
        yield layer
        if hasattr(layer, "layers"):
            yield from _layers(layer)


def of_calls(function):
    CALLS[function.__name__] = function
    return function


def of_weights(function):
    WEIGHTS[function.__name__] = function
    return function


# Meaning


def _pads(size, kernel, stride):
    total = max(0, (-(-size // stride) - 1) * stride + kernel - size)
    return total // 2, total - total // 2


def _finished(ops, layer, x):
    if layer.use_bias:
        x = x + ops.reshape(layer.bias, (1,) * (len(x.shape) - 1) + (-1,))
    return layer.activation(x) if layer.activation is not None else x


@of_calls
def pads_the_other_side(ops, layer, call, settings, x, **_):
    """SAME padding with the odd element before and not after."""
    widths = [_pads(s, k, t)[::-1] for s, k, t in zip(x.shape[1:-1], layer.kernel_size, layer.strides, strict=True)]
    padded = ops.pad(x, [(0, 0), *widths, (0, 0)])
    return _finished(ops, layer, ops.conv(padded, layer.kernel, strides=layer.strides, padding="valid"))


@of_calls
def average_counts_padding(ops, layer, call, settings, x, **_):
    widths = [_pads(s, k, t) for s, k, t in zip(x.shape[1:-1], layer.pool_size, layer.strides, strict=True)]
    padded = ops.pad(x, [(0, 0), *widths, (0, 0)])
    return ops.average_pool(padded, layer.pool_size, layer.strides, padding="valid")


@of_calls
def pools_with_zeros(ops, layer, call, settings, x, **_):
    """The border of a maximum is 0 where it should be nothing."""
    widths = [_pads(s, k, t) for s, k, t in zip(x.shape[1:-1], layer.pool_size, layer.strides, strict=True)]
    padded = ops.pad(x - settings["shift"], [(0, 0), *widths, (0, 0)])
    return ops.max_pool(padded, layer.pool_size, layer.strides, padding="valid") + settings["shift"]


@of_calls
def epsilon_outside_the_root(ops, layer, call, settings, x, **_):
    spread = ops.sqrt(layer.moving_variance) + layer.epsilon
    return (x - layer.moving_mean) / spread * layer.gamma + layer.beta


@of_calls
def no_epsilon(ops, layer, call, settings, x, **_):
    mean = ops.mean(x, axis=-1, keepdims=True)
    spread = ops.sqrt(ops.mean(ops.square(x - mean), axis=-1, keepdims=True))
    return (x - mean) / spread * layer.gamma + layer.beta


@of_calls
def normalises_another_axis(ops, layer, call, settings, x, **_):
    mean = ops.mean(x, axis=-2, keepdims=True)
    spread = ops.sqrt(ops.mean(ops.square(x - mean), axis=-2, keepdims=True) + layer.epsilon)
    return (x - mean) / spread * layer.gamma + layer.beta


@of_calls
def softmax_over_examples(ops, layer, call, settings, x, **_):
    return ops.softmax(x, axis=0)


@of_calls
def gelu_by_tanh(ops, layer, call, settings, x, **_):
    return ops.gelu(x, approximate=True)


@of_calls
def slope_of_default(ops, layer, call, settings, x, **_):
    return ops.leaky_relu(x, negative_slope=0.01)


@of_calls
def ignores_dilation(ops, layer, call, settings, x, **_):
    return _finished(ops, layer, ops.conv(x, layer.kernel, strides=layer.strides, padding=layer.padding))


@of_calls
def one_off_crop(ops, layer, call, settings, x, **_):
    """Cuts one more before and one less after."""
    found = call(x)
    (top, _), (left, _) = layer.cropping
    return x[:, top + 1 : top + 1 + found.shape[1], left : left + found.shape[2], :] if top else (
        ops.roll(x, -1, axis=1)[:, : found.shape[1], left : left + found.shape[2], :])  # fmt: skip


@of_calls
def hard_sigmoid(ops, layer, call, settings, x, **_):
    return ops.hard_sigmoid(x)


@of_calls
def nearest_for_bilinear(ops, layer, call, settings, x, **_):
    return ops.repeat(ops.repeat(x, layer.size[0], axis=1), layer.size[1], axis=2)


@of_weights
def flips_kernel(weights, settings):
    weights[0] = weights[0][::-1, ::-1] if weights[0].ndim == 4 else weights[0][::-1]
    return weights


@of_weights
def swaps_gates(weights, settings):
    """Two gates of a recurrent layer in the other order."""
    gates, first, second = settings["gates"], *settings["swapped"]
    order = list(range(gates))
    order[first], order[second] = order[second], order[first]
    return [np.concatenate([np.split(each, gates, axis=-1)[index] for index in order], axis=-1) for each in weights]


# Numerics


def _random(ops, settings, like):
    """Signs and sizes that look random and depend on the place alone."""
    drawn = np.random.default_rng(settings["seed"]).normal(size=like.shape[1:])
    return ops.convert_to_tensor((drawn / np.sqrt(np.mean(drawn**2))).astype("float32"))


@of_calls
def times_noise(ops, layer, call, settings, *args, **kwargs):
    """An error of so many times the noise of the layer, at random."""
    found = call(*args, **kwargs)
    return found + _random(ops, settings, found) * settings["times"] * settings["noise"]


@of_calls
def biased_noise(ops, layer, call, settings, *args, **kwargs):
    """All results too large by so many times the noise of the layer."""
    found = call(*args, **kwargs)
    return found + settings["times"] * settings["noise"]


@of_calls
def one_channel_off(ops, layer, call, settings, *args, **kwargs):
    """One channel is off so far that the whole is off by so many times the noise of the layer."""
    found = call(*args, **kwargs)
    width = found.shape[-1]
    at = np.zeros(width, np.float32)
    at[settings["seed"] % width] = settings["times"] * settings["noise"] * np.sqrt(width)
    return found + ops.convert_to_tensor(at)


def _fewer_bits(ops, x, bits):
    """Rounded to so many binary digits (Veltkamp's splitting)."""
    carried = x * (2.0 ** (24 - bits) + 1)
    return carried - (carried - x)


@of_calls
def rounds_inputs(ops, layer, call, settings, x, *args, **kwargs):
    return call(_fewer_bits(ops, x, settings["bits"]), *args, **kwargs)


@of_calls
def rounds_results(ops, layer, call, settings, *args, **kwargs):
    return _fewer_bits(ops, call(*args, **kwargs), settings["bits"])


@of_calls
def half_precision(ops, layer, call, settings, x, *args, **kwargs):
    """Inputs and results pass through half precision."""
    found = call(ops.cast(ops.cast(x, "float16"), "float32"), *args, **kwargs)
    return ops.cast(ops.cast(found, "float16"), "float32")


@of_calls
def fast_exp(ops, layer, call, settings, x, **_):
    """exp(x) as (1 + x / 2^n)^(2^n)."""
    power = ops.clip(1 + (x - ops.max(x, axis=-1, keepdims=True)) / 2.0 ** settings["doublings"], 0.0, 1.0)
    for _ in range(settings["doublings"]):
        power = power * power
    return power / ops.sum(power, axis=-1, keepdims=True)


@of_calls
def fast_root(ops, layer, call, settings, x, **_):
    """The reciprocal root by a guess that is off and steps of Newton."""
    variance = layer.moving_variance + layer.epsilon
    guess = (1 + settings["off"]) / ops.sqrt(variance)
    for _ in range(settings["steps"]):
        guess = guess * (1.5 - 0.5 * variance * guess * guess)
    return (x - layer.moving_mean) * guess * layer.gamma + layer.beta


@of_calls
def cancelling_variance(ops, layer, call, settings, x, **_):
    """The variance as mean of squares less square of mean, of values that are far from 0."""
    moved = x + settings["shift"]
    mean = ops.mean(moved, axis=-1, keepdims=True)
    variance = ops.mean(moved * moved, axis=-1, keepdims=True) - mean * mean
    return (moved - mean) / ops.sqrt(variance + layer.epsilon) * layer.gamma + layer.beta


@of_calls
def flushes_small_values(ops, layer, call, settings, *args, **kwargs):
    found = call(*args, **kwargs)
    return ops.where(ops.abs(found) < settings["below"], ops.zeros_like(found), found)


# Layout


@of_weights
def transposes_weights(weights, settings):
    weights[0] = np.ascontiguousarray(np.swapaxes(weights[0], *settings["axes"]))
    return weights


@of_weights
def swaps_channels(weights, settings):
    """Two input channels of a kernel in the other order."""
    first, second = settings["swapped"]
    kernel = weights[0]
    kernel[..., [first, second], :] = kernel[..., [second, first], :]
    return weights


@of_weights
def rolls_bias(weights, settings):
    weights[-1] = np.roll(weights[-1], 1)
    return weights


@of_weights
def reshapes_kernel(weights, settings):
    """The buffer of a kernel read with its axes in another order."""
    kernel = weights[0]
    weights[0] = np.ascontiguousarray(np.moveaxis(kernel, -1, 0)).reshape(kernel.shape)
    return weights


@of_calls
def flattens_channels_first(ops, layer, call, settings, x, **_):
    return call(ops.reshape(ops.transpose(x, (0, 3, 1, 2)), x.shape if x.shape[0] else (-1, *x.shape[1:])))


@of_calls
def reshapes_columns_first(ops, layer, call, settings, x, **_):
    turned = ops.transpose(x, (0, *range(len(x.shape) - 1, 0, -1)))
    return call(ops.reshape(turned, (-1, *x.shape[1:])))


@of_calls
def last_example_is_the_first(ops, layer, call, settings, *args, **kwargs):
    found = call(*args, **kwargs)
    return ops.concatenate([found[:-1], found[:1]], axis=0)


@of_calls
def examples_share_state(ops, layer, call, settings, *args, **kwargs):
    """An example takes a part of what the one before it left."""
    found = call(*args, **kwargs)
    return found + settings["share"] * ops.concatenate([ops.zeros_like(found[:1]), found[:-1]], axis=0)


@of_calls
def last_columns_unwritten(ops, layer, call, settings, *args, **kwargs):
    """The rest of a row that does not fill a vector stays 0."""
    found = call(*args, **kwargs)
    width = found.shape[-1]
    keep = (np.arange(width) < width - settings["rest"]).astype(np.float32)
    return found * ops.convert_to_tensor(keep)


@of_calls
def joins_in_other_order(ops, layer, call, settings, inputs, **_):
    return call(list(inputs)[::-1])


@of_calls
def runs_backwards(ops, layer, call, settings, x, *args, **kwargs):
    return call(ops.flip(x, axis=1), *args, **kwargs)


@of_calls
def mixes_halves(ops, layer, call, settings, *args, **kwargs):
    """Channels that were kept in two halves are taken in turn."""
    found = call(*args, **kwargs)
    width = found.shape[-1]
    order = np.arange(width - width % 2).reshape(2, -1).T.reshape(-1)
    order = np.concatenate([order, np.arange(width - width % 2, width)])
    return ops.take(found, ops.convert_to_tensor(order.astype("int32")), axis=-1)


@of_calls
def forgets_a_row(ops, layer, call, settings, *args, **kwargs):
    """An object of another shape than the next layer was made for."""
    return call(*args, **kwargs)[:, 1:]
