"""Input pipeline: synthetic images through tf.data with augmentation."""
import argparse

import numpy as np
import tensorflow as tf

AUTOTUNE = tf.data.AUTOTUNE


def decode(raw, label):
    image = tf.cast(raw, tf.float32) / 255.0
    return image, tf.one_hot(label, 3)


def augment(image, label):
    image = tf.image.random_flip_left_right(image)
    image = tf.image.random_brightness(image, max_delta=0.1)
    return tf.clip_by_value(image, 0.0, 1.0), label


def raw_arrays(count, seed=0):
    rng = np.random.default_rng(seed)
    images = rng.integers(0, 256, size=(count, 8, 8, 3), dtype=np.uint8)
    labels = rng.integers(0, 3, size=count)
    return images, labels


def make_pipeline(images, labels, batch_size, training):
    dataset = tf.data.Dataset.from_tensor_slice((images, labels))
    dataset = dataset.map(decode, num_parallel_calls=AUTOTUNE)
    if training:
        dataset = dataset.shuffle(len(images)).map(augment, num_parallel_calls=AUTOTUNE)
    return dataset.batch(batch_size).prefetch(AUTOTUNE)


def statistics(dataset):
    total, count = 0.0, 0
    for images, _ in dataset:
        total += float(tf.reduce_sum(images))
        count += int(tf.size(images))
    return total / count


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--count", type=int, default=20)
    parser.add_argument("--batch-size", type=int, default=4)
    args = parser.parse_args()
    images, labels = raw_arrays(args.count)
    for training in (True, False):
        pipeline = make_pipeline(images, labels, args.batch_size, training)
        print("training" if training else "validation", "mean", statistics(pipeline))


if __name__ == "__main__":
    main()
