"""Image classifier driven by one module-level configuration."""
import keras
import numpy as np

CONFIG = {
    "image_size": 12,
    "classes": 2,
    "filters": (4, 8),
    "lr": 3e-4,
    "batch_size": 8,
    "epochs": 1,
}


def stripes(count, size, seed=0):
    rng = np.random.default_rng(seed)
    images = rng.normal(scale=0.1, size=(count, size, size, 1))
    labels = rng.integers(0, 2, size=count)
    for image, label in zip(images, labels):
        if label:
            image[::2] += 1.0
        else:
            image[:, ::2] += 1.0
    return images.astype("float32"), labels


def conv_block(tensor, filters):
    tensor = keras.layers.Conv2D(filters, 3, padding="same", use_bias=False)(tensor)
    tensor = keras.layers.BatchNormalization()(tensor)
    tensor = keras.layers.ReLU()(tensor)
    return keras.layers.MaxPooling2D()(tensor)


def build():
    size = CONFIG["image_size"]
    inputs = keras.Input((size, size, 1))
    x = inputs
    for filters in CONFIG["filters"]:
        x = conv_block(x, filters)
    x = keras.layers.GlobalAveragePooling2D()(x)
    return keras.Model(inputs, keras.layers.Dense(CONFIG["classes"], activation="softmax")(x))


def main():
    model = build()
    optimizer = keras.optimizers.Adam(CONFIG["learning_rate"])
    model.compile(optimizer=optimizer, loss="sparse_categorical_crossentropy", metrics=["accuracy"])
    images, labels = stripes(32, CONFIG["image_size"])
    model.fit(images, labels, batch_size=CONFIG["batch_size"], epochs=CONFIG["epochs"], verbose=0)
    print("accuracy", model.evaluate(images, labels, verbose=0)[1])


if __name__ == "__main__":
    main()
