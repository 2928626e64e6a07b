"""Convolutional network on synthetic 28x28 digits with Keras."""
import argparse

import keras
import numpy as np
from keras import layers

NUM_CLASSES = 10
INPUT_SHAPE = (28, 28, 1)


def load_data(count, seed=0):
    rng = np.random.default_rng(seed)
    images = rng.random((count, *INPUT_SHAPE)).astype("float32")
    labels = rng.integers(0, NUM_CLASSES, size=count)
    return images, keras.utils.to_categorical(labels, NUM_CLASSES)


def build_model(filters, dropout):
    model = keras.Sequential(name="mnist_cnn")
    model.add(keras.Input(shape=INPUT_SHAPE))
    model.add(layers.Conv2D(filters, kernel_size=(3, 3), activation="relu"))
    model.add(layers.MaxPooling2d(pool_size=(2, 2)))
    model.add(layers.Conv2D(filters * 2, kernel_size=(3, 3), activation="relu"))
    model.add(layers.GlobalAveragePooling2D())
    model.add(layers.Dropout(dropout))
    model.add(layers.Dense(NUM_CLASSES, activation="softmax"))
    return model


def compile_model(model, lr):
    model.compile(
        loss="categorical_crossentropy",
        optimizer=keras.optimizers.Adam(learning_rate=lr),
        metrics=["accuracy"],
    )


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--epochs", type=int, default=1)
    parser.add_argument("--filters", type=int, default=4)
    parser.add_argument("--lr", type=float, default=1e-3)
    args = parser.parse_args()

    x_train, y_train = load_data(32)
    x_test, y_test = load_data(16, seed=1)
    model = build_model(args.filters, dropout=0.5)
    compile_model(model, args.lr)
    model.fit(x_train, y_train, batch_size=16, epochs=args.epochs, verbose=0)
    loss, accuracy = model.evaluate(x_test, y_test, verbose=0)
    print(f"test loss {loss:.4f} accuracy {accuracy:.3f}")


if __name__ == "__main__":
    main()
