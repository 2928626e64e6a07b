"""Correlations of columns in NumPy."""

import numpy as np

rng = np.random.default_rng(2)
table = np.maximum(rng.normal(size=(200, 12)), 0.0)


def correlation(table):
    centred = table - table.mean(axis=0)
    scaled = centred / centred.std(axis=0)  # NUM
    return scaled.T @ scaled / len(table)


matrix = correlation(table)
print(np.abs(matrix - np.eye(12)).max())
