"""Means of clusters in NumPy."""

import numpy as np

rng = np.random.default_rng(1)
points = rng.normal(size=(500, 2))
centres = points[:8].copy()

for iteration in range(20):
    distances = ((points[:, None, :] - centres[None, :, :]) ** 2).sum(axis=2)
    nearest = distances.argmin(axis=1)
    member = (nearest[:, None] == np.arange(8)[None, :]).astype(np.float64)
    count = member.sum(axis=0)
    centres = member.T @ points / np.maximum(count, 1)[:, None]

print(centres)
