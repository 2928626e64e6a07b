"""A flat Keras script, run from top to bottom."""
import keras
import numpy as np
from keras import layers

BATCH_SIZE = 8
EPOCHS = 1
LENGTH = 20


def build_classifier(length, filters=8, kernel=5):
    inputs = keras.Input((length, 1))
    x = layers.Conv1D(filters, kernel, padding="same", activation="relu")(inputs)
    x = layers.MaxPooling1D(2)(x)
    x = layers.Bidirectional(layers.LSTM(4))(x)
    outputs = layers.Dense(1, activation="sigmoid")(x)
    return keras.Model(inputs, outputs, name="waves")


def make_waves(count, length, seed):
    rng = np.random.default_rng(seed)
    time = np.linspace(0, 2 * np.pi, length)
    fast = rng.integers(0, 2, size=count)
    phase = rng.uniform(0, np.pi, size=(count, 1))
    waves = np.sin(time * np.where(fast, 5, 2)[:, None] + phase)
    return waves[..., None].astype("float32"), fast.astype("float32")


x_train, y_train = make_waves(32, LENGTH, seed=0)
x_test, y_test = make_waves(16, LENGTH, seed=1)
print("train", x_train.shape, "test", x_test.shape)

model = biuld_classifier(LENGTH)
model.compile(
    optimizer=keras.optimizers.Adam(3e-3),
    loss=keras.losses.BinaryCrossentropy(),
    metrics=[keras.metrics.BinaryAccuracy(name="accuracy")],
)
model.fit(x_train, y_train, batch_size=BATCH_SIZE, epochs=EPOCHS, verbose=0)

results = model.evaluate(x_test, y_test, return_dict=True, verbose=0)
for key, value in results.items():
    print(f"{key}: {value:.4f}")
