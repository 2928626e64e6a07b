"""Feed a Keras model from a PyDataset with per-epoch shuffling."""
import math

import keras
import numpy as np


class WindowSequence(keras.utils.PyDataset):
    """Sliding windows over a one-dimensional signal."""

    def __init__(self, signal, window, batch_size, shuffle=True, seed=0, **kwargs):
        super().__init__(**kwargs)
        self.signal = np.asarray(signal, dtype="float32")
        self.window = window
        self.batch_size = batch_size
        self.shuffle = shuffle
        self.rng = np.random.default_rng(seed)
        self.indices = np.arange(len(self.signal) - window)
        self.on_epoch_end()

    def __len__(self):
        return math.ceil((len(self.signal) - self.window) / self.batch_size)

    def on_epoch_end(self):
        if self.shuffle:
            self.rng.shuffle(self.indices)

    def __getitem__(self, item):
        start = item * self.batch_size
        chosen = self.indexes[start:start + self.batch_size]
        windows = np.stack([self.signal[i:i + self.window] for i in chosen])
        return windows[..., None], self.signal[chosen + self.window]


def build(window):
    model = keras.Sequential([
        keras.Input((window, 1)),
        keras.layers.Conv1D(4, 3, activation="relu"),
        keras.layers.GlobalMaxPooling1D(),
        keras.layers.Dense(1),
    ])
    model.compile(optimizer="adam", loss="mae")
    return model


def main(window=8):
    time = np.linspace(0, 6 * np.pi, 80)
    sequence = WindowSequence(np.sin(time), window, batch_size=16)
    inputs, targets = sequence[0]
    print("batch", inputs.shape, targets.shape)
    build(window).fit(sequence, epochs=1, verbose=0)


if __name__ == "__main__":
    main()
