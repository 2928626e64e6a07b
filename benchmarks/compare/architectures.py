"""Architectures of models of which only the weights are stored, for `mlvet compare --build`."""

from __future__ import annotations

from typing import Any


def lenet1() -> Any:
    return _lenet(4, 12)


def lenet4() -> Any:
    return _lenet(6, 16, 84)


def lenet5() -> Any:
    return _lenet(6, 16, 120, 84)


def _lenet(first: int, second: int, *dense: int) -> Any:
    """The networks of DeepXplore for MNIST."""
    import keras
    from keras import layers

    image = keras.Input((28, 28, 1), name="input_1")
    x = layers.Conv2D(first, 5, activation="relu", padding="same", name="block1_conv1")(image)
    x = layers.MaxPooling2D(2, name="block1_pool1")(x)
    x = layers.Conv2D(second, 5, activation="relu", padding="same", name="block2_conv1")(x)
    x = layers.MaxPooling2D(2, name="block2_pool1")(x)
    x = layers.Flatten(name="flatten")(x)
    for number, units in enumerate(dense, 1):
        x = layers.Dense(units, activation="relu", name=f"fc{number}")(x)
    x = layers.Dense(10, name="before_softmax")(x)
    return keras.Model(image, layers.Activation("softmax", name="predictions")(x))


def write_betago(weights: str, path: str) -> None:
    """The move predictor of BetaGo; its weights were stored by the first Keras, channels first."""
    import h5py
    import keras
    from keras import layers

    board = keras.Input((19, 19, 7), name="board")
    x = layers.Conv2D(32, 3, activation="relu", name="convolution2d_1")(board)
    x = layers.Conv2D(32, 3, activation="relu", name="convolution2d_2")(x)
    x = layers.MaxPooling2D(2, name="maxpooling2d_1")(x)
    x = layers.Permute((3, 1, 2), name="channels_first")(x)
    x = layers.Flatten(name="flatten_1")(x)
    x = layers.Dense(256, activation="relu", name="dense_1")(x)
    model = keras.Model(board, layers.Dense(361, activation="softmax", name="dense_2")(x))
    with h5py.File(weights, "r") as file:
        for name in ("convolution2d_1", "convolution2d_2", "dense_1", "dense_2"):
            kernel, bias = file[name][f"{name}_W"][:], file[name][f"{name}_b"][:]
            model.get_layer(name).set_weights([kernel.transpose(2, 3, 1, 0) if kernel.ndim == 4 else kernel, bias])
    model.save(path)


if __name__ == "__main__":
    import sys

    write_betago(*sys.argv[1:])
