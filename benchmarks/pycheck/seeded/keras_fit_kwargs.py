"""Hyper-parameters from JSON, then a Keras fit and a short report."""
import json
from dataclasses import dataclass

import keras
import numpy as np

SETTINGS = '{"units": [8, 4], "epochs": 2, "batch_size": 8, "optimizer": "adam"}'


@dataclass(frozen=True)
class Settings:
    units: list
    epochs: int
    batch_size: int
    optimizer: str = "sgd"

    @classmethod
    def from_json(cls, text):
        return cls(**json.loads(text))


def build(settings: Settings) -> keras.Model:
    inputs = keras.Input((3,))
    x = inputs
    for units in settings.units:
        x = keras.layers.Dense(units, activation="selu")(x)
    model = keras.Model(inputs, keras.layers.Dense(1)(x))
    model.compile(optimizer=settings.optimizer, loss="huber")
    return model


def make_data(count=32):
    rng = np.random.default_rng(1)
    x = rng.normal(size=(count, 3)).astype("float32")
    return x, np.abs(x).sum(axis=1)


def train(settings: Settings):
    model = build(settings)
    x, y = make_data()
    history = model.fit(x, y, batch_size=settings.batch_size, epoch=settings.epochs, verbose=0)
    return model, history


def main():
    settings = Settings.from_json(SETTINGS)
    model, history = train(settings)
    print(model.count_params(), "parameters")
    for epoch, loss in enumerate(history.history["loss"]):
        print(f"epoch {epoch}: {loss:.4f}")


if __name__ == "__main__":
    main()
