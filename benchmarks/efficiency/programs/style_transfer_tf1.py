"""Neural style transfer over a small fixed convolutional network in a TF1 graph."""

import argparse
import math

import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()

WIDTHS = {"conv1": 16, "conv2": 32, "conv3": 48, "conv4": 64}
CONTENT_LAYER = "conv3"
STYLE_LAYERS = ("conv1", "conv2", "conv3", "conv4")


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
    return np.sin(grid @ waves.T)[None].astype(np.float32)


def make_filters(seed=8):
    rng = np.random.default_rng(seed)
    filters, channels = {}, 3
    for name, width in WIDTHS.items():
        filters[name] = rng.normal(0, math.sqrt(2 / (9 * channels)), (3, 3, channels, width)).astype(np.float32)
        channels = width
    return filters


def build_network(image, filters):
    layers, current = {}, image
    for name in WIDTHS:
        current = tf.nn.relu(tf.nn.conv2d(current, tf.constant(filters[name]), strides=1, padding="SAME"))
        layers[name] = current
        if name != "conv4":
            current = tf.nn.avg_pool2d(current, 2, 2, "SAME")
    return layers


def gram(features):
    flat = tf.reshape(features, [-1, features.shape[-1]])
    return tf.matmul(flat, flat, transpose_a=True) / tf.cast(tf.size(flat), tf.float32)


def style_targets(side, filters, styles):
    """The mean Gram matrix of each style layer over all style images."""
    targets = {}
    with tf.Graph().as_default(), tf.Session() as session:
        image = tf.placeholder(tf.float32, [1, side, side, 3])
        layers = build_network(image, filters)
        grams = {name: gram(layers[name]) for name in STYLE_LAYERS}
        for style in styles:
            for name in STYLE_LAYERS:
                value = session.run(grams[name], feed_dict={image: style})
                targets[name] = targets.get(name, 0) + value / len(styles)
    return targets


def content_target(side, filters, content):
    with tf.Graph().as_default(), tf.Session() as session:
        image = tf.placeholder(tf.float32, [1, side, side, 3])
        layer = build_network(image, filters)[CONTENT_LAYER]
        return session.run(layer, feed_dict={image: content})


def transfer(side, filters, content, styles, steps, style_weight=50.0):
    wanted_style = style_targets(side, filters, styles)
    wanted_content = content_target(side, filters, content)
    history = []
    with tf.Graph().as_default(), tf.Session() as session:
        image = tf.Variable(content)
        layers = build_network(image, filters)
        content_loss = tf.reduce_mean(tf.square(layers[CONTENT_LAYER] - wanted_content))
        style_loss = tf.constant(0.0)
        for name in STYLE_LAYERS:
            style_loss += style_weight * tf.reduce_mean(tf.square(gram(layers[name]) - wanted_style[name]))
        total_loss = content_loss + style_loss
        train = tf.train.AdamOptimizer(0.02).minimize(total_loss)
        session.run(tf.global_variables_initializer())
        for step in range(steps):
            session.run(train)
            content_value = session.run(content_loss)
            style_value = session.run(style_loss)
            total_value = session.run(total_loss)
            history.append((content_value, style_value, total_value))
            print(f"step {step}: content {content_value:.5f} style {style_value:.5f} total {total_value:.5f}")
    return np.asarray(history, dtype=np.float32)


def main():
    args = parse_arguments()
    side = round(256 * math.sqrt(args.scale) / 8) * 8
    styles = [make_image(side, seed) for seed in range(24)]
    history = transfer(side, make_filters(), make_image(side, 99), styles, args.steps)
    if args.save:
        np.save(args.save, history)


if __name__ == "__main__":
    main()
