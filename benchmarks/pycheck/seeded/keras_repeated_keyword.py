"""Autoencoder for anomaly detection on sensor windows."""
import keras
import numpy as np


def normal_windows(count, length, seed):
    rng = np.random.default_rng(seed)
    time = np.linspace(0, 1, length)
    offsets = rng.uniform(0, 1, size=(count, 1))
    return np.sin(2 * np.pi * (time + offsets)).astype("float32")


def anomalies(count, length, seed):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(count, length)).astype("float32")


def build(length, code):
    model = keras.Sequential(name="autoencoder")
    model.add(keras.Input((length,)))
    model.add(keras.layers.Dense(16, activation="relu"))
    model.add(keras.layers.Dense(code, activation="relu", activation="tanh"))
    model.add(keras.layers.Dense(16, activation="relu"))
    model.add(keras.layers.Dense(length))
    model.compile(optimizer="adam", loss="mse")
    return model


def errors(model, windows):
    rebuilt = model.predict(windows, verbose=0)
    return ((rebuilt - windows) ** 2).mean(axis=1)


def threshold(model, windows, quantile):
    return float(np.quantile(errors(model, windows), quantile))


def main(length=24):
    train = normal_windows(64, length, seed=0)
    model = build(length, code=3)
    model.fit(train, train, epochs=2, batch_size=16, verbose=0)
    limit = threshold(model, train, quantile=0.95)
    flagged = errors(model, anomalies(10, length, seed=1)) > limit
    print(f"limit {limit:.3f}, flagged {int(flagged.sum())} of {len(flagged)}")


if __name__ == "__main__":
    main()
