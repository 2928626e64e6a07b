"""Load a saved Keras model when there is one, build it otherwise."""
import argparse
import os

import keras
import numpy as np


def build(units):
    model = keras.Sequential([
        keras.Input((4,)),
        keras.layers.Dense(units, activation="relu"),
        keras.layers.Dense(1),
    ])
    model.compile(optimizer="adam", loss="mse")
    return model


def load_or_build(path):
    if os.path.exists(path):
        print("loading", path)
        model = keras.models.load_model(path)
    else:
        print("building a new model")
        model = build(units=8)


def make_data(count):
    rng = np.random.default_rng(0)
    x = rng.normal(size=(count, 4)).astype("float32")
    return x, x @ np.array([1.0, 0.0, -1.0, 2.0], dtype="float32")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--path", default="model.keras")
    parser.add_argument("--epochs", type=int, default=1)
    args = parser.parse_args()

    x, y = make_data(32)
    model = load_or_build(args.path)
    model.summary(print_fn=lambda line, **kwargs: None)
    model.fit(x, y, epochs=args.epochs, verbose=0)
    model.save(args.path)
    print("saved", os.path.getsize(args.path) > 0)


if __name__ == "__main__":
    main()
