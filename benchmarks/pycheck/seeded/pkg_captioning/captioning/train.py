"""Train the toy captioning decoder."""
import argparse

import keras
import numpy as np

from .attentions import AdditiveAttention
from .vocabulary import CAPTIONS, Vocabulary


def build_decoder(vocab_size, length, regions, width):
    image = keras.Input((regions, width), name="regions")
    tokens = keras.Input((length,), dtype="int32", name="tokens")
    states = keras.layers.Embedding(vocab_size, width)(tokens)
    states = keras.layers.GRU(width, return_sequences=True)(states)
    context = AdditiveAttention(width)([states, image])
    joined = keras.layers.concatenate([states, context])
    logits = keras.layers.Dense(vocab_size)(joined)
    return keras.Model({"regions": image, "tokens": tokens}, logits)


def make_batch(vocabulary, regions, width):
    rng = np.random.default_rng(0)
    ids = vocabulary.encode_all(CAPTIONS)
    images = rng.normal(size=(len(ids), regions, width)).astype("float32")
    return {"regions": images, "tokens": ids[:, :-1]}, ids[:, 1:]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--width", type=int, default=8)
    parser.add_argument("--epochs", type=int, default=1)
    args = parser.parse_args()
    vocabulary = Vocabulary(CAPTIONS)
    inputs, targets = make_batch(vocabulary, regions=5, width=args.width)
    model = build_decoder(len(vocabulary), targets.shape[1], 5, args.width)
    model.compile("adam", keras.losses.SparseCategoricalCrossentropy(from_logits=True))
    print(model.fit(inputs, targets, epochs=args.epochs, verbose=0).history)


if __name__ == "__main__":
    main()
