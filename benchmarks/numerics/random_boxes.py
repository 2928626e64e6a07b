"""Boxes for the inputs of random graphs, constants for their stored values, and the points of a box that are run."""

from __future__ import annotations

import math
import random
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from mlvet.domains.dtypes import DType, Kind

Array: TypeAlias = NDArray[Any]
Box: TypeAlias = tuple[float, float]
"""The least and the greatest value of every element."""

POINTS = ("low", "high", "middle", "zero", *["corners"] * 5, *["uniform"] * 6, *["near"] * 3, *["magnitudes"] * 4)
"""How the elements of the inputs are chosen, one entry per run."""


def random_box(rng: random.Random, dtype: DType) -> Box:
    """A box of an element type: mostly moderate, else from a point to the whole type, around critical values."""
    if dtype.kind is Kind.BOOL:
        return rng.choice([(0, 1), (0, 1), (0, 1), (1, 1), (0, 0)])
    if dtype.is_integer:
        return _integer_box(rng, dtype)
    largest = float(dtype.largest)
    kind = rng.random()
    if kind < 0.45:
        low = rng.choice([-10.0, -4.0, -1.0, -0.5, 0.0, 0.0, 0.1, 0.5, 1.0, 2.0])
        box = low, low + rng.choice([0.5, 1.0, 3.0, 10.0, 20.0])
    elif kind < 0.55:
        value = rng.choice(critical(dtype)) * rng.choice([1.0, 1.0, -1.0, 0.5, 2.0])
        box = value, value
    elif kind < 0.9:
        centre = rng.choice(critical(dtype)) * rng.choice([1.0, -1.0])
        width = 10.0 ** rng.uniform(-40, 38)
        below, above = rng.choice([(0.0, 1.0), (1.0, 0.0), (1.0, 1.0), (0.1, 1.0)])
        box = centre - below * width, centre + above * width
    elif kind < 0.95:
        small, large = sorted(10.0 ** rng.uniform(-38, 38) for _ in range(2))
        box = (small, large) if rng.random() < 0.5 else (-large, -small)
    else:
        box = rng.choice([(-largest, largest), (0.0, largest), (dtype.smallest, largest), (-largest, -dtype.smallest)])
    return _fitted(box, dtype)


def critical(dtype: DType) -> list[float]:
    """Values of a float type near which operators fail or relations break."""
    largest = float(dtype.largest)
    return [
        0.0, 0.0, 0.0, 1.0, 1.0, 0.5, 2.0, math.pi / 2, dtype.epsilon, 1 - dtype.epsilon, 1 + dtype.epsilon,
        math.log(largest), math.log2(largest), math.sqrt(largest), largest, largest / 2, dtype.smallest,
        dtype.smallest * dtype.epsilon, math.sqrt(dtype.smallest), 1e-10, 1e-5, 100.0, 1e4,
    ]  # fmt: skip


def _integer_box(rng: random.Random, dtype: DType) -> Box:
    low = rng.choice([0, 0, 0, 1, -1, -5, 2])
    box: Box = low, low + rng.choice([0, 1, 3, 5, 100])
    if rng.random() < 0.1:
        box = rng.choice([(dtype.least, dtype.largest), (0, dtype.largest), (dtype.largest - 2, dtype.largest)])
    return max(box[0], dtype.least), max(min(box[1], dtype.largest), dtype.least)


def _fitted(box: Box, dtype: DType) -> Box:
    least, largest = float(dtype.least), float(dtype.largest)
    low, high = (float(np.float64(min(max(end, least), largest)).astype(dtype.numpy)) for end in box)
    low, high = (min(max(end, least), largest) for end in (low, high))
    return (low, high) if low <= high else (high, low)


def random_constant(rng: random.Random, shape: tuple[int, ...], dtype: DType) -> Array:
    """Elements of a stored tensor: moderate, all alike, of all magnitudes, or with zeros and infinities among them."""
    numbers = np.random.default_rng(rng.getrandbits(32))
    if dtype.kind is Kind.BOOL:
        return numbers.integers(0, 2, shape).astype(np.bool_)
    if dtype.is_integer:
        return elements("uniform", numbers, (0, 5), shape, dtype)
    kind = rng.random()
    if kind < 0.5:
        return numbers.uniform(-2, 2, shape).astype(dtype.numpy)
    if kind < 0.6:
        return numbers.uniform(0.1, 3, shape).astype(dtype.numpy)
    if kind < 0.75:
        return np.full(shape, rng.choice([0.0, 1.0, -1.0, 1e-5, 1e-12, 1e-40, 0.5, 100.0])).astype(dtype.numpy)
    if kind < 0.85:
        return elements("magnitudes", numbers, (float(dtype.least), float(dtype.largest)), shape, dtype)
    array = numbers.uniform(-2, 2, shape).astype(dtype.numpy)
    array[numbers.random(shape) < 0.3] = rng.choice([0.0, 0.0, -np.inf, -np.inf, float(dtype.largest), np.inf])
    return array


def elements(how: str, numbers: np.random.Generator, box: Box, shape: tuple[int, ...], dtype: DType) -> Array:
    """An array within a box, chosen in one of the ways of POINTS."""
    low, high = box
    if dtype.is_integer or dtype.kind is Kind.BOOL:
        return _whole_elements(how, numbers, (int(low), int(high)), shape, dtype)
    match how:
        case "low" | "high":
            found = np.full(shape, low if how == "low" else high)
        case "middle":
            found = np.full(shape, low / 2 + high / 2)
        case "zero":
            found = np.full(shape, min(max(0.0, low), high))
        case "corners":
            found = numbers.choice([low, high], shape)
        case "near":
            found = _near(numbers, box, shape, dtype)
        case "magnitudes":
            found = _magnitudes(numbers, box, shape, dtype)
        case _:
            share = numbers.random(shape)
            found = low * (1 - share) + high * share
    with np.errstate(all="ignore"):
        held = np.asarray(found, dtype=np.float64).astype(dtype.numpy)
    return np.asarray(np.clip(held, dtype.numpy.type(low), dtype.numpy.type(high))).astype(dtype.numpy)


def _whole_elements(
    how: str, numbers: np.random.Generator, box: tuple[int, int], shape: tuple[int, ...], dtype: DType
) -> Array:
    low, high = box
    match how:
        case "low" | "high":
            return np.full(shape, low if how == "low" else high).astype(dtype.numpy)
        case "middle":
            return np.full(shape, (low + high) // 2).astype(dtype.numpy)
        case "zero":
            return np.full(shape, min(max(0, low), high)).astype(dtype.numpy)
        case "corners":
            return np.where(numbers.random(shape) < 0.5, low, high).astype(dtype.numpy)
    if dtype.kind is Kind.BOOL or dtype.bits < 8:
        return numbers.integers(low, high + 1, shape).astype(dtype.numpy)
    return np.asarray(numbers.integers(low, high, shape, dtype=dtype.numpy, endpoint=True))


def _near(numbers: np.random.Generator, box: Box, shape: tuple[int, ...], dtype: DType) -> Array:
    """Elements a relative step or two apart around one number of the box, so that differences nearly cancel."""
    low, high = box
    share = numbers.random()
    centre = numbers.choice([low, high, low * (1 - share) + high * share])
    steps = numbers.integers(-2, 3, shape) * dtype.epsilon
    with np.errstate(over="ignore"):
        return np.asarray(centre * (1 + steps))


def _magnitudes(numbers: np.random.Generator, box: Box, shape: tuple[int, ...], dtype: DType) -> Array:
    """Elements of all magnitudes and both signs that the box has."""
    low, high = box
    tiny = dtype.smallest * dtype.epsilon
    sign = np.where(numbers.random(shape) < 0.5, -1.0, 1.0)
    if low >= 0 or high <= 0:
        sign = np.full(shape, 1.0 if low >= 0 else -1.0)
    most = np.where(sign > 0, high, -low)
    least = np.maximum(np.where(sign > 0, low, -high), tiny)
    most = np.maximum(most, least)
    return np.asarray(sign * np.exp(numbers.uniform(np.log(least), np.log(most))))
