"""Recognise movements from windows of an accelerometer with a sequential model."""

import numpy as np
from tensorflow import keras
from tensorflow.keras import layers
from tensorflow.keras.models import Sequential
from tensorflow.keras.utils import to_categorical

STEPS = 128
AXES = 9
SUBWINDOWS = 4
CLASSES = 6


def load(count, seed):
    rng = np.random.RandomState(seed)
    signals = rng.randn(count, AXES, STEPS)
    signals = np.transpose(signals, (0, 2, 1))
    labels = rng.randint(0, CLASSES, count)
    return signals.astype("float32"), to_categorical(labels, CLASSES)


def standardise(signals, mean=None, std=None):
    flat = signals.reshape(-1, AXES)
    mean = flat.mean(axis=0) if mean is None else mean
    std = flat.std(axis=0) if std is None else std
    scaled = (flat - mean) / std
    return scaled.reshape((-1, STEPS, AXES)), mean, std


def conv_lstm():
    model = Sequential()
    model.add(keras.Input(shape=(SUBWINDOWS, STEPS // SUBWINDOWS, AXES)))
    model.add(layers.TimeDistributed(layers.Conv1D(24, 3, activation="relu")))
    model.add(layers.TimeDistributed(layers.MaxPooling1D(2)))
    model.add(layers.TimeDistributed(layers.Flatten()))
    model.add(layers.LSTM(32))
    model.add(layers.Dense(32, activation="relu"))
    model.add(layers.Dense(CLASSES, activation="softmax"))
    return model


def cnn():
    model = Sequential()
    model.add(keras.Input(shape=(STEPS, AXES)))
    model.add(layers.Conv1D(32, 5, activation="relu"))
    model.add(layers.MaxPooling1D(2))
    model.add(layers.Conv1D(32, 5, activation="relu"))
    model.add(layers.GlobalAveragePooling1D())
    model.add(layers.Dense(CLASSES, activation="softmax"))
    return model


def picture_cnn():
    model = Sequential()
    model.add(keras.Input(shape=(STEPS, AXES)))
    model.add(layers.Reshape((16, 8, AXES)))
    model.add(layers.Conv2D(16, (3, 3), activation="relu"))
    model.add(layers.Flatten())
    model.add(layers.Dense(CLASSES, activation="softmax"))
    return model


def fit(model, x, y, test):
    model.compile(loss="categorical_crossentropy", optimizer="adam", metrics=["accuracy"])
    model.fit(x, y, epochs=1, batch_size=16, verbose=0)
    return model.predict(test, verbose=0)


x_train, y_train = load(64, 0)
x_test, y_test = load(24, 1)
x_train, mean, std = standardise(x_train)
x_test, _, _ = standardise(x_test, mean, std)

split_train = x_train.reshape((x_train.shape[0], SUBWINDOWS, 32, AXES))
split_test = x_test.reshape((x_test.shape[0], SUBWINDOWS, 32, AXES))
votes = [
    fit(cnn(), x_train, y_train, x_test),
    fit(picture_cnn(), x_train, y_train, x_test),
    fit(conv_lstm(), split_train, y_train, split_test),
]
together = np.stack(votes).mean(axis=0)
loss = -np.sum(y_test * np.log(together + 1e-9), axis=1)
print("loss", loss.mean(), "accuracy", (together.argmax(axis=1) == y_test.argmax(axis=1)).mean())
