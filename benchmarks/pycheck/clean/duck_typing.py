"""Functions that accept nearly anything."""
import collections.abc
import numbers
from pathlib import Path

import numpy as np
import torch


def to_numpy(value):
    if isinstance(value, torch.Tensor):
        return value.detach().cpu().numpy()
    if hasattr(value, "to_numpy"):
        return value.to_numpy()
    if isinstance(value, (list, tuple)):
        return np.stack([to_numpy(item) for item in value])
    return np.asarray(value)


def to_device(batch, device):
    if isinstance(batch, dict):
        return {key: to_device(item, device) for key, item in batch.items()}
    elif isinstance(batch, (list, tuple)):
        return type(batch)(to_device(item, device) for item in batch)
    elif torch.is_tensor(batch):
        return batch.to(device)
    else:
        return batch


def first(value):
    try:
        return value[0]
    except (TypeError, IndexError, KeyError):
        return next(iter(value)) if isinstance(value, collections.abc.Iterable) else value


def read(source):
    if isinstance(source, (str, Path)):
        return Path(source).read_text()
    return source.read()


def describe(x):
    if x is None:
        return "nothing"
    if callable(x):
        return x.__name__
    if isinstance(x, numbers.Number):
        return f"number {x + 1}"
    if type(x) is str:
        return x.upper()
    return len(x)


class Frame:
    def __init__(self, values):
        self.values = values

    def to_numpy(self):
        return np.array(self.values)


class Stream:
    def read(self):
        return "stream"


if __name__ == "__main__":
    mixed = [torch.ones(2), np.zeros(2), [3.0, 4.0], Frame([5, 6])]
    print(to_numpy(mixed).shape, to_device({"x": (torch.ones(1), "id")}, "cpu"))
    print(first([1]), first({2, 2}), first(3), read(Stream()), len(read(__file__)) > 10)
    print([describe(x) for x in (None, len, 2.5, "abc", [1, 2], {"a": 1})])
