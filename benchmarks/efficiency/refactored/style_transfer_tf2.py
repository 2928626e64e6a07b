"""Neural style transfer with Keras feature extractors over a small fixed convolutional network."""

import argparse
import math

import keras
import numpy as np
import tensorflow as tf

STYLE_LAYERS = ["conv1", "conv2", "conv3", "conv4"]
CONTENT_LAYERS = ["conv3"]


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--scale", type=int, default=1, help="multiplies the number of pixels")
    parser.add_argument("--steps", type=int, default=30)
    parser.add_argument("--save", default="")
    return parser.parse_args()


def make_image(side, seed):
    rng = np.random.default_rng(seed)
    waves = rng.uniform(1, 6, (3, 2))
    grid = np.stack(np.meshgrid(np.linspace(0, 3, side), np.linspace(0, 3, side)), axis=-1)
    return tf.constant(np.sin(grid @ waves.T)[None], dtype=tf.float32)


def make_backbone(side):
    keras.utils.set_random_seed(8)
    image = keras.Input((side, side, 3))
    current = image
    for index, width in enumerate([16, 32, 48, 64], start=1):
        layer = keras.layers.Conv2D(
            width, 3, padding="same", activation="relu", kernel_initializer="he_normal", name=f"conv{index}"
        )
        current = layer(current)
        if index < 4:
            current = keras.layers.AveragePooling2D(pool_size=2)(current)
    backbone = keras.Model(image, current)
    backbone.trainable = False
    return backbone


def gram(features):
    flat = tf.reshape(features, [-1, features.shape[-1]])
    return tf.matmul(flat, flat, transpose_a=True) / tf.cast(tf.size(flat), tf.float32)


class Transfer:
    def __init__(self, backbone, content, style, style_weight=50.0):
        names = list(dict.fromkeys(STYLE_LAYERS + CONTENT_LAYERS))
        self.extractor = keras.Model(backbone.input, {name: backbone.get_layer(name).output for name in names})
        self.style_weight = style_weight
        wanted_content, wanted_style = self.extractor(content), self.extractor(style)
        self.content_targets = [wanted_content[name] for name in CONTENT_LAYERS]
        self.style_targets = [gram(wanted_style[name]) for name in STYLE_LAYERS]
        self.image = tf.Variable(content)
        self.optimizer = keras.optimizers.Adam(0.02)
        self.optimizer.build([self.image])

    def content_loss(self, features):
        losses = []
        for name, target in zip(CONTENT_LAYERS, self.content_targets):
            losses.append(tf.reduce_mean(tf.square(features[name] - target)))
        return tf.add_n(losses)

    def style_loss(self, features):
        losses = []
        for name, target in zip(STYLE_LAYERS, self.style_targets):
            losses.append(tf.reduce_mean(tf.square(gram(features[name]) - target)))
        return self.style_weight * tf.add_n(losses)

    @tf.function
    def step(self):
        with tf.GradientTape() as tape:
            features = self.extractor(self.image)
            loss = self.content_loss(features) + self.style_loss(features)
        slope = tape.gradient(loss, self.image)
        self.optimizer.apply_gradients([(slope, self.image)])
        self.image.assign(tf.clip_by_value(self.image, -1.5, 1.5))
        return loss


def main():
    args = parse_arguments()
    side = round(256 * math.sqrt(args.scale) / 8) * 8
    transfer = Transfer(make_backbone(side), make_image(side, 99), make_image(side, 1))
    losses = []
    for _ in range(args.steps):
        losses.append(transfer.step())
    history = tf.stack(losses).numpy()
    print(f"loss {history[0]:.5f} to {history[-1]:.5f}")
    if args.save:
        np.save(args.save, history)


if __name__ == "__main__":
    main()
