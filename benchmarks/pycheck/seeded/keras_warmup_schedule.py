"""Keras fit with a warm-up cosine schedule and a CSV log."""
import csv
import math
import tempfile
from pathlib import Path

import keras
import numpy as np

BASE_LR = 0.1
EPOCHS = 3


def warmup_cosine(epoch, base_lr, total_epochs, warmup_epochs, floor=1e-5):
    """Linear warm-up for `warmup_epochs`, then half a cosine down to `floor`."""
    if epoch < warmup_epochs:
        return base_lr * (epoch + 1) / warmup_epochs
    progress = (epoch - warmup_epochs) / max(1, total_epochs - warmup_epochs)
    return floor + 0.5 * (base_lr - floor) * (1 + math.cos(math.pi * progress))


def dataset(count=40):
    rng = np.random.default_rng(0)
    x = rng.uniform(-1, 1, size=(count, 2)).astype("float32")
    return x, (x[:, 0] * x[:, 1] > 0).astype("float32")


def build():
    model = keras.Sequential([
        keras.Input((2,)),
        keras.layers.Dense(8, activation="relu"),
        keras.layers.Dense(1, activation="sigmoid"),
    ])
    model.compile(optimizer=keras.optimizers.SGD(BASE_LR), loss="binary_crossentropy")
    return model


def read_losses(path):
    with open(path, newline="") as handle:
        return [float(row["loss"]) for row in csv.DictReader(handle)]


def main():
    x, y = dataset()
    rates = [warmup_cosine(epoch, BASE_LR, total_epochs=EPOCHS) for epoch in range(EPOCHS)]
    schedule = keras.callbacks.LearningRateScheduler(lambda epoch, lr: rates[epoch])
    with tempfile.TemporaryDirectory() as folder:
        log = Path(folder) / "train.csv"
        callbacks = [schedule, keras.callbacks.CSVLogger(str(log))]
        build().fit(x, y, epochs=EPOCHS, callbacks=callbacks, verbose=0)
        print("losses", read_losses(log))


if __name__ == "__main__":
    main()
