"""Keras training with a hand-written snapshot callback."""
import tempfile
from pathlib import Path

import keras
import numpy as np


class Snapshot(keras.callbacks.Callback):
    """Keeps the weights of the best epochs on disk."""

    def __init__(self, folder, monitor="val_loss", keep=2):
        super().__init__()
        self.folder = Path(folder)
        self.monitor = monitor
        self.keep = keep
        self.best = float("inf")
        self.files = []

    def on_train_begin(self, logs=None):
        self.folder.mkdir(exist_ok=True)

    def prune(self):
        while len(self.files) > self.keep:
            self.files.pop(0).unlink()

    def on_epoch_end(self, epoch, logs=None):
        value = (logs or {})[self.monitor]
        if value < self.best_loss:
            self.best = value
            target = self.folder / f"epoch{epoch:03d}.weights.h5"
            self.model.save_weights(target)
            self.files.append(target)
            self.prune()


def build(units):
    model = keras.Sequential([
        keras.layers.Input((5,)),
        keras.layers.Dense(units, activation="tanh"),
        keras.layers.Dense(1),
    ])
    model.compile(optimizer=keras.optimizers.SGD(0.05), loss="mse")
    return model


def main():
    rng = np.random.default_rng(0)
    x = rng.normal(size=(48, 5)).astype("float32")
    y = x.mean(axis=1)
    with tempfile.TemporaryDirectory() as folder:
        snapshot = Snapshot(Path(folder) / "snapshots")
        build(8).fit(x, y, epochs=3, validation_split=0.25, callbacks=[snapshot], verbose=0)
        print("kept", [path.name for path in snapshot.files], "best", snapshot.best)


if __name__ == "__main__":
    main()
