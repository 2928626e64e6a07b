"""Subclassed Keras model with a custom attention pooling layer."""
import keras
import numpy as np
from keras import ops

STEPS, FEATURES, CLASSES = 6, 4, 3


class AttentionPool(keras.layers.Layer):
    def __init__(self, units, **kwargs):
        super().__init__(**kwargs)
        self.score = keras.layers.Dense(units, activation="tanh")
        self.weight = keras.layers.Dense(1)

    def call(self, sequence):
        weights = ops.softmax(self.weight(self.score(sequence)), axis=1)
        return ops.sum(weights * sequence, axis=1)


class SequenceClassifier(keras.Model):
    def __init__(self, units, num_classes, **kwargs):
        super().__init__(**kwargs)
        self.pool = AttentionPool(units)
        self.dense1 = keras.layers.Dense(units, activation="relu")
        self.dense2 = keras.layers.Dense(units, activation="relu")
        self.dropout = keras.layers.Dropout(0.2)
        self.classifier = keras.layers.Dense(num_classes)

    def call(self, inputs, training=False):
        x = self.pool(inputs)
        x = self.dense1(x)
        x = self.dropout(x, training=training)
        x = self.dense3(x)
        return self.classifier(x)


def make_data(count):
    rng = np.random.default_rng(4)
    sequences = rng.normal(size=(count, STEPS, FEATURES)).astype("float32")
    labels = np.argmax(sequences.mean(axis=1)[:, :CLASSES], axis=1)
    return sequences, labels


def main():
    sequences, labels = make_data(32)
    model = SequenceClassifier(8, CLASSES)
    logits = model(sequences[:2])
    print("logits", logits.shape)
    loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    model.compile(optimizer="adam", loss=loss, metrics=["accuracy"])
    model.fit(sequences, labels, epochs=1, verbose=0)


if __name__ == "__main__":
    main()
