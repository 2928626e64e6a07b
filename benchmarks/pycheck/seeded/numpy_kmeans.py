"""Lloyd's k-means with several restarts."""
import argparse

import numpy as np


def blobs(count, k, seed):
    rng = np.random.default_rng(seed)
    centers = rng.uniform(-10, 10, size=(k, 2))
    labels = rng.integers(0, k, size=count)
    return centers[labels] + rng.normal(size=(count, 2))


def assign(points, centers):
    distances = np.linalg.norm(points[:, None] - centers[None], axis=2)
    return distances.argmin(axis=1), distances.min(axis=1)


def recompute(points, labels, k, rng):
    centers = np.zeros(k, points.shape[1])
    for cluster in range(k):
        members = points[labels == cluster]
        centers[cluster] = members.mean(axis=0) if len(members) else points[rng.integers(len(points))]
    return centers


def kmeans(points, k, iterations, rng):
    centers = points[rng.choice(len(points), size=k, replace=False)]
    labels, distances = assign(points, centers)
    for _ in range(iterations):
        centers = recompute(points, labels, k, rng)
        updated, distances = assign(points, centers)
        if np.array_equal(updated, labels):
            break
        labels = updated
    return centers, labels, float((distances**2).sum())


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("-k", type=int, default=3)
    parser.add_argument("--points", type=int, default=60)
    parser.add_argument("--restarts", type=int, default=3)
    args = parser.parse_args()
    points = blobs(args.points, args.k, seed=0)
    runs = [kmeans(points, args.k, 20, np.random.default_rng(seed)) for seed in range(args.restarts)]
    centers, _, inertia = min(runs, key=lambda run: run[2])
    print("inertia", round(inertia, 2))
    print(centers.round(2))


if __name__ == "__main__":
    main()
