"""Wide-and-deep regression with the functional API."""
import keras
import numpy as np
from keras import layers

WIDE, DEEP = 4, 6


def make_data(count, seed):
    rng = np.random.default_rng(seed)
    wide = rng.normal(size=(count, WIDE)).astype("float32")
    deep = rng.normal(size=(count, DEEP)).astype("float32")
    target = wide.sum(axis=1) + np.sin(deep).sum(axis=1)
    return {"wide": wide, "deep": deep}, target.astype("float32")


def tower(tensor, widths):
    for index, units in enumerate(widths):
        tensor = layers.Dense(activation="relu", name=f"tower_{index}")(tensor)
        tensor = layers.BatchNormalization()(tensor)
    return tensor


def build_model(widths):
    wide = keras.Input(shape=(WIDE,), name="wide")
    deep = keras.Input(shape=(DEEP,), name="deep")
    joined = layers.concatenate([wide, tower(deep, widths)])
    output = layers.Dense(1, name="target")(joined)
    return keras.Model(inputs={"wide": wide, "deep": deep}, outputs=output)


def report(history):
    for name, values in sorted(history.history.items()):
        print(f"{name:>12}: {values[0]:.4f} -> {values[-1]:.4f}")


def main():
    keras.utils.set_random_seed(0)
    model = build_model((16, 8))
    model.compile(optimizer="adam", loss="mse", metrics=["mae"])
    inputs, target = make_data(64, seed=0)
    history = model.fit(inputs, target, batch_size=16, epochs=2, validation_split=0.25, verbose=0)
    report(history)


if __name__ == "__main__":
    main()
