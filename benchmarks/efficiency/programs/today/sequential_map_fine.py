"""A tf.data pipeline that decodes and normalises records, and the mean of its batches."""

import argparse

import numpy as np
import tensorflow as tf


def make_records(count, size, seed=0):
    rng = np.random.default_rng(seed)
    return rng.integers(0, 256, (count, size)).astype(np.uint8)


def normalise(record):
    values = tf.cast(record, tf.float32) / 255.0
    return (values - tf.reduce_mean(values, -1, keepdims=True)) / tf.math.reduce_std(values, -1, keepdims=True)


def make_batches(records, batch):
    dataset = tf.data.Dataset.from_tensor_slices(records)
    dataset = dataset.batch(batch)
    return dataset.map(normalise, num_parallel_calls=tf.data.AUTOTUNE).prefetch(tf.data.AUTOTUNE)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--records", type=int, default=30000)
    parser.add_argument("--save", default="")
    args = parser.parse_args()
    peaks = []
    for values in make_batches(make_records(args.records, 256), 100):
        peaks.append(tf.reduce_max(values))
    result = tf.stack(peaks).numpy()
    print(f"mean peak {result.mean():.4f}")
    if args.save:
        np.save(args.save, result)


if __name__ == "__main__":
    main()
