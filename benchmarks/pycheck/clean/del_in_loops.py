"""Memory-conscious loops that delete what they used."""
import gc

import numpy as np


def batches(count):
    rng = np.random.default_rng(0)
    for _ in range(count):
        yield rng.normal(size=(64, 8))


class Cache:
    def __init__(self):
        self.items = {}
        self.buffer = None

    def fill(self):
        self.buffer = np.zeros(4)

    def flush(self):
        total = self.buffer.sum()
        del self.buffer
        self.fill()
        return total + self.buffer.sum()


def main():
    total = 0.0
    for index, batch in enumerate(batches(3)):
        features = batch * 2
        del batch
        total += features.mean()
        if index % 2 == 0:
            del features
            gc.collect()
        else:
            total += features.std()
            del features
    result = total
    del total
    total = round(result, 3)

    cache = Cache()
    for key in ("a", "b", "c"):
        cache.items[key] = len(cache.items)
    for key in list(cache.items):
        if cache.items[key] % 2:
            del cache.items[key]
    cache.fill()
    print(total, cache.items, cache.flush())

    weights, optimizer = np.ones(3), {"m": np.zeros(3)}
    snapshot = {"w": weights.copy(), **optimizer}
    del weights, optimizer["m"]
    weights = snapshot["w"]
    values = list(range(10))
    del values[::2]
    print(weights.sum(), optimizer, values)


if __name__ == "__main__":
    main()
