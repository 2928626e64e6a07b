"""Binary classifier with explicit train, validation and test splits."""
import argparse

import numpy as np

import keras


def synthesize(count, seed):
    rng = np.random.default_rng(seed)
    features = rng.normal(size=(count, 6)).astype("float32")
    labels = (features[:, 0] - features[:, 3] > 0).astype("float32")
    return features, labels


def standardize(train, *others):
    mean, std = train.mean(axis=0), train.std(axis=0) + 1e-8
    return [(array - mean) / std for array in (train, *others)]


def load_splits(count=80, seed=0):
    features, labels = synthesize(count, seed)
    first, second = int(0.6 * count), int(0.8 * count)
    x_train, x_val, x_test = standardize(features[:first], features[first:second], features[second:])
    y_train, y_val, y_test = labels[:first], labels[first:second], labels[second:]
    return (x_train, y_train), (x_val, y_val), (x_test, y_test)


def build_model(units, l2):
    regularizer = keras.regularizers.L2(l2)
    model = keras.Sequential([
        keras.Input((6,)),
        keras.layers.Dense(units, activation="relu", kernel_regularizer=regularizer),
        keras.layers.Dense(1, activation="sigmoid"),
    ])
    model.compile(optimizer="rmsprop", loss="binary_crossentropy", metrics=["accuracy"])
    return model


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--units", type=int, default=8)
    parser.add_argument("--l2", type=float, default=1e-4)
    parser.add_argument("--epochs", type=int, default=2)
    args = parser.parse_args()

    (x_train, y_train), (x_test, y_test) = load_splits()
    model = build_model(args.units, args.l2)
    model.fit(x_train, y_train, epochs=args.epochs, verbose=0)
    print(dict(zip(model.metrics_names, model.evaluate(x_test, y_test, verbose=0))))


if __name__ == "__main__":
    main()
