"""Compose NumPy feature transforms and inspect the outcome."""
import argparse

import numpy as np


def centre(batch):
    return batch - batch.mean(axis=0)


def whiten(batch, eps=1e-6):
    centred = centre(batch)
    covariance = centred.T @ centred / len(batch)
    values, vectors = np.linalg.eigh(covariance)
    return centred @ vectors / np.sqrt(values + eps)


def clip(batch, limit=3.0):
    return np.clip(batch, -limit, limit)


def random_projection(outputs, seed):
    rng = np.random.default_rng(seed)

    def project(batch):
        matrix = rng.normal(size=(batch.shape[1], outputs)) / np.sqrt(outputs)
        return batch @ matrix

    return project


def apply_stack(batch, outputs, seed):
    layers = [centre, clip, whiten, random_projection(outputs, seed)]
    return layers(batch)


def describe(batch):
    return f"shape {batch.shape}, mean {batch.mean():.3f}, std {batch.std():.3f}"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--rows", type=int, default=40)
    parser.add_argument("--outputs", type=int, default=2)
    args = parser.parse_args()
    batch = np.random.default_rng(0).gamma(2.0, size=(args.rows, 5))
    print("before:", describe(batch))
    print("after: ", describe(apply_stack(batch, args.outputs, seed=1)))


if __name__ == "__main__":
    main()
