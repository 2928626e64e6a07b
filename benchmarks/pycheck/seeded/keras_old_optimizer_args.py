"""Choose an optimiser by name and fit a small ranking model."""
import argparse

import keras
import numpy as np

OPTIMIZERS = {
    "sgd": lambda lr: keras.optimizers.SGD(learning_rate=lr, momentum=0.9),
    "rmsprop": lambda lr: keras.optimizers.RMSprop(learning_rate=lr),
    "adam": lambda lr: keras.optimizers.Adam(lr=lr),
}


def interactions(users, items, count, seed=0):
    rng = np.random.default_rng(seed)
    user = rng.integers(0, users, size=count)
    item = rng.integers(0, items, size=count)
    clicked = ((user + item) % 3 == 0).astype("float32")
    return user, item, clicked


def build(users, items, dims):
    user = keras.Input((), dtype="int32", name="user")
    item = keras.Input((), dtype="int32", name="item")
    left = keras.layers.Embedding(users, dims)(user)
    right = keras.layers.Embedding(items, dims)(item)
    score = keras.layers.Dot(axes=-1)([left, right])
    return keras.Model([user, item], keras.layers.Activation("sigmoid")(score))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--optimizer", choices=sorted(OPTIMIZERS), default="adam")
    parser.add_argument("--lr", type=float, default=0.01)
    parser.add_argument("--epochs", type=int, default=1)
    args = parser.parse_args()

    user, item, clicked = interactions(20, 30, count=64)
    model = build(20, 30, dims=4)
    model.compile(optimizer=OPTIMIZERS[args.optimizer](args.lr), loss="binary_crossentropy")
    history = model.fit([user, item], clicked, epochs=args.epochs, verbose=0)
    print("loss", history.history["loss"][-1])


if __name__ == "__main__":
    main()
