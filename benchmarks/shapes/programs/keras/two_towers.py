"""Rate pictures with their captions: a functional model with two inputs and two outputs."""

import keras
import numpy as np
from keras import layers

PIXELS = 24
WORDS = 16
VOCAB = 300
CLASSES = 5


def make_data(count, rng):
    pictures = rng.random((count, PIXELS, PIXELS, 3)).astype("float32")
    captions = rng.integers(1, VOCAB, size=(count, WORDS))
    kinds = rng.integers(0, CLASSES, size=(count,))
    scores = rng.random((count, 1)).astype("float32")
    return {"picture": pictures, "caption": captions}, {"kind": kinds, "score": scores}


def picture_tower(inputs):
    x = layers.Rescaling(2.0, offset=-1.0)(inputs)
    x = layers.Conv2D(16, 3, padding="same", activation="relu")(x)
    x = layers.MaxPooling2D(2)(x)
    x = layers.Conv2D(32, 3, padding="same", activation="relu")(x)
    shortcut = layers.Conv2D(32, 1)(layers.MaxPooling2D(2)(inputs))
    x = layers.add([x, shortcut])
    x = layers.MaxPooling2D(2)(x)
    patches = layers.Reshape((36, 32))(x)
    pooled = layers.GlobalAveragePooling2D()(x)
    return patches, pooled


def caption_tower(inputs):
    x = layers.Embedding(VOCAB, 32)(inputs)
    x = layers.Conv1D(32, 3, padding="same", activation="relu")(x)
    x = layers.Bidirectional(layers.GRU(16, return_sequences=True))(x)
    return x


def build():
    picture = keras.Input(shape=(PIXELS, PIXELS, 3), name="picture")
    caption = keras.Input(shape=(WORDS,), dtype="int32", name="caption")
    patches, pooled = picture_tower(picture)
    words = caption_tower(caption)
    scores = layers.Dot(axes=2)([words, patches])
    weights = layers.Softmax(axis=-1)(scores)
    seen = layers.Dot(axes=(2, 1))([weights, patches])
    joined = layers.Concatenate(axis=-1)([words, seen])
    turned = layers.Permute((2, 1))(joined)
    mixed = layers.Dense(WORDS, activation="relu")(turned)
    mixed = layers.Permute((2, 1))(mixed)
    flat = layers.Flatten()(mixed)
    x = layers.Concatenate()([flat, pooled])
    x = layers.Dense(64, activation="relu")(x)
    x = layers.Dropout(0.2)(x)
    kind = layers.Dense(CLASSES, activation="softmax", name="kind")(x)
    score = layers.Dense(1, activation="sigmoid", name="score")(x)
    return keras.Model([picture, caption], {"kind": kind, "score": score})


def main():
    rng = np.random.default_rng(0)
    inputs, targets = make_data(64, rng)
    test_inputs, test_targets = make_data(16, rng)
    model = build()
    model.compile(
        optimizer=keras.optimizers.Adam(1e-3),
        loss={"kind": "sparse_categorical_crossentropy", "score": "mse"},
        loss_weights={"kind": 1.0, "score": 0.5},
    )
    model.fit(inputs, targets, batch_size=16, epochs=1, verbose=2)
    print(model.evaluate(test_inputs, test_targets, batch_size=8, verbose=0))
    predicted = model.predict(test_inputs, verbose=0)
    ranking = np.argsort(predicted["score"].reshape(16))[::-1]
    confusion = np.zeros((CLASSES, CLASSES))
    for truth, guess in zip(test_targets["kind"], predicted["kind"].argmax(axis=1)):
        confusion[truth, guess] += 1
    print(ranking[:5], confusion.trace())


if __name__ == "__main__":
    main()
