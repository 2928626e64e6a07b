"""Token classifier with sinusoidal positions and one attention block."""
import keras
import numpy as np
from keras import layers

VOCAB, LENGTH, WIDTH, TAGS = 30, 8, 16, 4


def positional_encoding(length, width):
    positions = np.arange(length)[:, None]
    rates = np.exp(-np.arange(0, width, 2) * (math.log(10000.0) / width))
    table = np.zeros((length, width), dtype="float32")
    table[:, 0::2] = np.sin(positions * rates)
    table[:, 1::2] = np.cos(positions * rates)
    return table[None]


class AddPositions(layers.Layer):
    def build(self, input_shape):
        self.table = positional_encoding(input_shape[1], input_shape[2])

    def call(self, inputs):
        return inputs + self.table


def transformer_block(tensor, heads, hidden):
    attended = layers.MultiHeadAttention(heads, key_dim=WIDTH // heads)(tensor, tensor)
    tensor = layers.LayerNormalization(epsilon=1e-6)(tensor + attended)
    fed = layers.Dense(WIDTH)(layers.Dense(hidden, activation="gelu")(tensor))
    return layers.LayerNormalization(epsilon=1e-6)(tensor + fed)


def build_tagger():
    tokens = keras.Input((LENGTH,), dtype="int32")
    x = layers.Embedding(VOCAB, WIDTH)(tokens)
    x = AddPositions()(x)
    x = transformer_block(x, heads=2, hidden=32)
    return keras.Model(tokens, layers.Dense(TAGS)(x))


def main():
    rng = np.random.default_rng(0)
    tokens = rng.integers(0, VOCAB, size=(16, LENGTH))
    tags = tokens % TAGS
    model = build_tagger()
    model.compile("adam", keras.losses.SparseCategoricalCrossentropy(from_logits=True))
    history = model.fit(tokens, tags, epochs=1, verbose=0)
    print("loss", history.history["loss"])


if __name__ == "__main__":
    main()
