"""Logistic regression in NumPy."""

import numpy as np

rng = np.random.default_rng(0)
x = rng.standard_normal((1000, 30))
y = (x[:, 0] + x[:, 1] > 0).astype(np.float64)
weights = rng.standard_normal((30, 1)) * 0.01


def predict(x, weights):
    scores = (x @ weights).ravel()
    return 1.0 / (1.0 + np.exp(-np.clip(scores, -50, 50)))


for step in range(2000):
    p = predict(x, weights)
    gradient = x.T @ (p - y)[:, None] / len(x)
    weights -= 0.5 * gradient
    if step % 100 == 0:
        loss = -np.mean(y * np.log(p) + (1 - y) * np.log(1 - p))  # NUM
        print(step, loss)
