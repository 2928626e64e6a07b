"""Small Keras models of several kinds with seeded weights and their data; one is trained for a moment.

It is run as a process of its own, because Keras knows one backend a process: python keras_models.py FOLDER
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

os.environ.setdefault("KERAS_BACKEND", "jax")

import keras
import numpy as np
from keras import layers

EXAMPLES = 32
Made = tuple[Any, dict[str, Any], Any]


def digits(random: Any) -> Made:
    """A LeNet on real digits, trained until it is mostly right."""
    from sklearn.datasets import load_digits

    pictures, labels = load_digits(return_X_y=True)
    pictures = np.kron(pictures.reshape(-1, 8, 8), np.ones((3, 3)))[..., None].astype(np.float32) / 16
    image = keras.Input((24, 24, 1), name="image")
    x = layers.Conv2D(6, 5, padding="same", activation="tanh", name="conv1")(image)
    x = layers.AveragePooling2D(2, name="pool1")(x)
    x = layers.Conv2D(12, 5, activation="relu", name="conv2")(x)
    x = layers.MaxPooling2D(2, name="pool2")(x)
    x = layers.Flatten(name="flat")(x)
    x = layers.Dense(64, activation="relu", name="dense1")(x)
    x = layers.Dense(64, activation="sigmoid", name="dense2")(x)
    x = layers.Dense(10, name="scores")(x)
    model = keras.Model(image, layers.Softmax(name="classes")(x))
    _seeded(model, random)
    model.compile(keras.optimizers.Adam(2e-3), "sparse_categorical_crossentropy")
    model.fit(pictures[:1400], labels[:1400], batch_size=64, epochs=6, shuffle=False, verbose=0)
    chosen = slice(1400, 1400 + EXAMPLES)
    return model, {"image": pictures[chosen]}, labels[chosen]


def residual(random: Any) -> Made:
    """Convolutions with batch normalisation and shortcuts."""
    image = keras.Input((20, 20, 3), name="image")
    x = layers.Conv2D(8, 3, strides=2, padding="same", use_bias=False, name="stem")(image)
    x = layers.BatchNormalization(epsilon=1e-3, name="stem_norm")(x)
    x = layers.ReLU(name="stem_relu")(x)
    for number in (1, 2):
        y = layers.Conv2D(8, 3, padding="same", use_bias=False, name=f"a{number}")(x)
        y = layers.BatchNormalization(epsilon=1e-6 if number == 2 else 1e-3, name=f"a{number}_norm")(y)
        y = layers.LeakyReLU(negative_slope=0.2, name=f"a{number}_relu")(y)
        y = layers.Conv2D(8, 3, padding="same", dilation_rate=2, name=f"b{number}")(y)
        x = layers.Add(name=f"sum{number}")([x, y])
    x = layers.AveragePooling2D(3, strides=1, padding="same", name="smooth")(x)
    x = layers.MaxPooling2D(3, strides=2, padding="same", name="largest")(x)
    x = layers.GlobalAveragePooling2D(name="mean")(x)
    return keras.Model(image, layers.Dense(10, activation="softmax", name="classes")(x)), _pictures(random, 20, 3), None


def separable(random: Any) -> Made:
    """Depthwise and separable convolutions."""
    image = keras.Input((24, 24, 3), name="image")
    x = layers.ZeroPadding2D(((0, 1), (0, 1)), name="border")(image)
    x = layers.Conv2D(6, 3, strides=2, name="stem")(x)
    x = layers.BatchNormalization(name="norm1")(x)
    x = layers.ReLU(max_value=6.0, name="relu6")(x)
    x = layers.DepthwiseConv2D(3, padding="same", depth_multiplier=2, name="depthwise")(x)
    x = layers.BatchNormalization(name="norm2")(x)
    x = layers.Activation("swish", name="swish")(x)
    x = layers.SeparableConv2D(10, 3, padding="same", name="separable")(x)
    x = layers.PReLU(shared_axes=[1, 2], name="prelu")(x)
    x = layers.Cropping2D(1, name="crop")(x)
    x = layers.GlobalMaxPooling2D(name="largest")(x)
    x = layers.Dense(10, activation="elu", name="hidden")(x)
    return keras.Model(image, layers.Dense(8, activation="softmax", name="classes")(x)), _pictures(random, 24, 3), None


def steering(random: Any) -> Made:
    """A steering angle from a picture of the road."""
    image = keras.Input((32, 48, 3), name="road")
    x = layers.Rescaling(2.0, offset=-1.0, name="scaled")(image)
    x = layers.Conv2D(8, 5, strides=2, activation="elu", name="conv1")(x)
    x = layers.Conv2D(12, 5, strides=2, activation="elu", name="conv2")(x)
    x = layers.Conv2D(16, 3, activation="elu", name="conv3")(x)
    x = layers.Flatten(name="flat")(x)
    x = layers.Dense(32, activation="elu", name="dense1")(x)
    x = layers.Dense(32, activation="softplus", name="dense2")(x)
    x = layers.Dense(1, activation="tanh", name="turn")(x)
    return keras.Model(image, layers.Rescaling(2.0, name="angle")(x)), _pictures(random, (32, 48), 3, "road"), None


def tokens(random: Any) -> Made:
    """Recurrent layers on tokens."""
    words = keras.Input((12,), dtype="int32", name="words")
    x = layers.Embedding(50, 12, name="embedding")(words)
    x = layers.LSTM(10, return_sequences=True, name="lstm")(x)
    x = layers.LayerNormalization(name="norm")(x)
    x = layers.TimeDistributed(layers.Dense(12, activation="tanh"), name="each")(x)
    x = layers.GRU(8, name="gru")(x)
    model = keras.Model(words, layers.Dense(6, activation="softmax", name="classes")(x))
    return model, {"words": random.integers(1, 50, (EXAMPLES, 12)).astype(np.int32)}, None


def attention(random: Any) -> Made:
    """A transformer of one block."""
    words = keras.Input((10, 16), name="vectors")
    x = layers.LayerNormalization(epsilon=5e-7, name="norm1")(words)
    y = layers.MultiHeadAttention(2, 8, name="attention")(x, x)
    x = layers.Add(name="sum1")([words, y])
    y = layers.LayerNormalization(epsilon=1e-3, name="norm2")(x)
    y = layers.Dense(32, name="wide")(y)
    y = layers.Activation("gelu", name="gelu")(y)
    y = layers.Dense(16, name="narrow")(y)
    x = layers.Add(name="sum2")([x, y])
    x = layers.GlobalAveragePooling1D(name="mean")(x)
    x = layers.Dense(16, name="square")(x)
    x = layers.Concatenate(name="both")([x, layers.Dense(16, activation="tanh", name="gate")(x)])
    model = keras.Model(words, layers.Dense(7, activation="softmax", name="classes")(x))
    return model, {"vectors": random.normal(size=(EXAMPLES, 10, 16)).astype(np.float32)}, None


def audio(random: Any) -> Made:
    """Sound by convolutions along time."""
    wave = keras.Input((256, 1), name="wave")
    x = layers.Conv1D(8, 9, strides=2, padding="same", name="conv1")(wave)
    x = layers.BatchNormalization(name="norm1")(x)
    x = layers.Activation("relu", name="relu1")(x)
    x = layers.AveragePooling1D(2, name="pool1")(x)
    x = layers.Conv1D(12, 5, padding="causal", dilation_rate=2, name="conv2")(x)
    x = layers.Activation("sigmoid", name="sigmoid")(x)
    x = layers.MaxPooling1D(2, name="pool2")(x)
    x = layers.Permute((2, 1), name="turned")(x)
    x = layers.Reshape((32, 12), name="rows")(x)
    x = layers.Conv1DTranspose(6, 3, strides=2, padding="valid", name="wider")(x)
    x = layers.GlobalAveragePooling1D(name="mean")(x)
    time = np.arange(256) / 256
    pitch = 2.0 ** (1 + 5 * random.random((EXAMPLES, 3, 1)))
    waves = np.sin(2 * np.pi * pitch * time).sum(axis=1)[..., None] / 3
    model = keras.Model(wave, layers.Dense(5, activation="softmax", name="classes")(x))
    return model, {"wave": waves.astype(np.float32)}, None


def mask_of_picture(random: Any) -> Made:
    """Down and up again: a picture from a picture."""
    image = keras.Input((16, 16, 3), name="image")
    x = layers.Conv2D(8, 3, padding="same", activation="relu", name="down1")(image)
    y = layers.MaxPooling2D(2, name="pool")(x)
    y = layers.Conv2D(12, 3, padding="same", activation="relu", name="down2")(y)
    y = layers.GroupNormalization(3, name="groups")(y)
    y = layers.Conv2DTranspose(8, 3, strides=2, padding="valid", name="up")(y)
    y = layers.Cropping2D(((0, 1), (0, 1)), name="crop")(y)
    y = layers.Concatenate(name="skip")([x, y])
    y = layers.UpSampling2D(2, interpolation="bilinear", name="larger")(y)
    y = layers.Conv2D(1, 1, activation="sigmoid", name="mask")(y)
    return keras.Model(image, y), _pictures(random, 16, 3), None


MODELS: dict[str, Callable[[Any], Made]] = {
    "digits": digits, "residual": residual, "separable": separable, "steering": steering, "tokens": tokens,
    "attention": attention, "audio": audio, "mask": mask_of_picture,
}  # fmt: skip


def _pictures(random: Any, size: int | tuple[int, int], channels: int, name: str = "image") -> dict[str, Any]:
    height, width = size if isinstance(size, tuple) else (size, size)
    down, across = np.mgrid[0:height, 0:width] / max(height, width)
    found = np.zeros((EXAMPLES, height, width, channels))
    for index in range(EXAMPLES):
        for _ in range(4):
            y, x, spread = random.random(), random.random(), 0.05 + 0.3 * random.random()
            found[index] += np.exp(-((down - y) ** 2 + (across - x) ** 2) / spread**2)[..., None] * random.random(
                channels
            )
    found += 0.2 * random.random(found.shape)
    return {name: (found / found.max(axis=(1, 2, 3), keepdims=True)).astype(np.float32)}


def _seeded(model: Any, random: Any) -> None:
    """Weights of the size that trained ones have; spreads of batch normalisation are positive."""
    for layer in model.layers:
        drawn = []
        for variable in layer.weights:
            shape = tuple(variable.shape)
            if "variance" in variable.path or "gamma" in variable.path:
                drawn.append(random.uniform(0.2, 1.8, shape))
            elif len(shape) > 1:
                drawn.append(random.normal(size=shape) * np.sqrt(2.0 / np.prod(shape[:-1])))
            else:
                drawn.append(random.normal(size=shape) * 0.2)
        layer.set_weights([each.astype(np.float32) for each in drawn])


def write(folder: Path, seed: int) -> None:
    """NAME.keras, NAME.npz and, where labels are known, NAME.npy for every model."""
    for number, (name, make) in enumerate(MODELS.items()):
        random = np.random.default_rng([seed, number])
        model, data, labels = make(random)
        if labels is None:
            _seeded(model, random)
        else:
            np.save(folder / f"{name}.npy", labels)
        model.save(folder / f"{name}.keras")
        np.savez(folder / f"{name}.npz", **data)


if __name__ == "__main__":
    write(Path(sys.argv[1]), int(sys.argv[2]))
