"""Programs as people write them: names of inputs, and derivatives against runs with a literal moved."""

from __future__ import annotations

from pathlib import Path

import pytest
from asked_programs import check, explanations


def test_objects_that_cannot_be_assigned_to_hold_inputs(tmp_path: Path) -> None:
    program = """
from dataclasses import dataclass

@dataclass(frozen=True)
class Leg:
    length: float
    speed: float

@dataclass(frozen=True, slots=True)
class Trip:
    leg: Leg
    pause: float

class Guarded:
    __slots__ = ("rate",)
    def __init__(self, rate):
        object.__setattr__(self, "rate", rate)
    def __setattr__(self, name, value):
        raise TypeError(name)

trip = Trip(Leg({{trip.leg.length|120.0}}, {{trip.leg.speed|80.0}}), {{trip.pause|0.25}})
guarded = Guarded({{guarded.rate|19.5}})
cost = (trip.leg.length / trip.leg.speed + trip.pause) * guarded.rate
"""
    check(tmp_path, program, ["cost"], ["trip@<module>", "guarded@<module>"])


def test_named_tuples_name_their_fields(tmp_path: Path) -> None:
    program = """
from collections import namedtuple
from typing import NamedTuple

Point = namedtuple("Point", "x y")

class Body(NamedTuple):
    mass: float
    at: Point

bodies = [Body({{bodies[0].mass|2.0}}, Point({{bodies[0].at.x|0.5}}, 1.0)), Body(3.5, Point(-1.0, 2.25))]
centre = sum(each.mass * each.at.x for each in bodies) / sum(each.mass for each in bodies)
"""
    check(tmp_path, program, ["centre"], ["bodies@<module>"])


def test_a_tuple_that_is_met_twice_is_an_input_in_each_place(tmp_path: Path) -> None:
    program = """
corner = (1.5, 2.5)
path = [corner, (4.0, 1.0), corner]
length = sum((a[0] - b[0]) ** 2 + a[1] * b[1] for a, b in zip(path, path[1:])) * path[2][0]
"""
    (told,) = explanations(tmp_path, program, ["length"], ["path@<module>"])
    found = {each["input"]: each["derivative"] for each in told["influences"]}
    x, y, total = 1.5, 2.5, 2 * (2.5**2 + 2.5)
    assert found == {
        "path[0][0]": -2 * (4.0 - x) * x, "path[0][1]": x,
        "path[1][0]": 4 * (4.0 - x) * x, "path[1][1]": 2 * y * x,
        "path[2][0]": -2 * (4.0 - x) * x + total, "path[2][1]": x,
    }  # fmt: skip


def test_functions_of_math_take_elements_of_arrays(tmp_path: Path) -> None:
    program = """
import math, statistics
import numpy as np

x = np.array([{{x[0]|0.5}}, {{x[1]|1.5}}, {{x[2]|2.3}}])
roots = math.sqrt(x[0]) + math.log(x[1]) * math.hypot(x[0], x[2]) + math.exp(x[1])
sums = math.fsum(x) * math.prod(x) + math.dist(x, [0.0, 1.0, 0.0]) + math.pow(x[0], x[1])
spread = statistics.mean(x) * statistics.stdev(x) + statistics.fmean(list(x)) + type(x[0])(2.0) * x[2]
parts = math.modf(x[2])[0] + math.frexp(x[1])[0] + math.remainder(x[2], x[0]) + math.ldexp(x[0], 3)
"""
    check(tmp_path, program, ["roots", "sums", "spread", "parts"], ["x@<module>"])


def test_statistics_and_draws_keep_the_chain(tmp_path: Path) -> None:
    program = """
import random
import statistics as st

random.seed(4)
sample = [{{sample[0]|2.5}}, {{sample[1]|3.7}}, {{sample[2]|1.1}}, 4.4]
means = st.geometric_mean(sample) + st.harmonic_mean(sample, [1, 2, 1, 3]) * st.harmonic_mean(sample)
normal = st.NormalDist(st.mean(sample), st.stdev(sample))
chance = normal.pdf(3.0) + normal.cdf(2.0)
line = st.linear_regression([1.0, 2.0, 3.0, 4.0], sample)
fit = line.slope * line.intercept + st.correlation([1.0, 2.0, 3.0, 5.0], sample) + st.covariance(sample, sample)
drawn = random.lognormvariate(sample[0], sample[1] / 10) + random.gauss(sample[2], sample[0])
"""
    check(tmp_path, program, ["means", "chance", "fit", "drawn"], ["sample@<module>"])


def test_a_power_of_nothing_has_a_slope(tmp_path: Path) -> None:
    program = """
import math
x = {{x|0.0}}
y = math.pow(x, 1.0) * 3
"""
    check(tmp_path, program, ["y"], ["x@<module>"])


def test_numbers_of_other_classes_meet_traced_ones(tmp_path: Path) -> None:
    program = """
from enum import Enum, IntEnum

class Grade(float, Enum):
    HIGH = 1.5

class Step(IntEnum):
    TWO = 2

class Metres(float):
    pass

x = {{x|0.75}}
y = x * Grade.HIGH + x ** Step.TWO - Metres(2.0) / x + Step.TWO * x + Metres(0.5) * x + Grade.HIGH * x
"""
    check(tmp_path, program, ["y"], ["x@<module>"])


def test_functions_of_python_are_called_for_elements_of_arrays(tmp_path: Path) -> None:
    program = """
import numpy as np

x = np.array([{{x[0]|0.5}}, {{x[1]|-1.5}}, {{x[2]|2.5}}])
calls = []

def bent(a, b):
    calls.append(1)
    return a * b if a > 0 else a - b

both = np.vectorize(lambda a: (a * 2, a * a))
y = np.vectorize(bent)(x, 2.0).sum() + np.vectorize(bent, otypes=[float])(x, x).sum()
z = both(x)[1].sum() + np.vectorize(lambda t: t * x[0])([1.0, 2.0]).sum()
w = np.frompyfunc(lambda v: v * 3, 1, 1)(x).astype(float) @ x
print(len(calls))
"""
    check(tmp_path, program, ["y", "z", "w"], ["x@<module>"])


def test_rows_of_scikit_learn_are_normalized_with_derivatives(tmp_path: Path) -> None:
    pytest.importorskip("sklearn")
    program = """
import numpy as np
from scipy import sparse
from sklearn.preprocessing import normalize

v = [{{v[0]|1.0}}, {{v[1]|2.0}}, 1.5, {{v[3]|0.7}}, -1.0, 3.0]
A = sparse.csr_matrix((v, ([0, 0, 1, 2, 3, 3], [1, 2, 2, 0, 0, 2])), shape=(4, 4))
x = np.array([[v[0], 3.0], [2.0, v[3]]])
thin = normalize(A, axis=0, norm="l1")[3, 2] + normalize(A)[0, 1] + normalize(A, norm="max")[0, 1]
dense = normalize(x, norm="l1")[0, 1] + normalize(x, axis=0)[0, 1] + normalize(x, norm="max")[1, 1]
"""
    check(tmp_path, program, ["thin", "dense"], ["v@<module>"])


def test_sparse_systems_with_several_right_sides(tmp_path: Path) -> None:
    program = """
import numpy as np
from scipy import sparse
from scipy.sparse.linalg import factorized, splu, spsolve

v = [{{v[0]|1.0}}, {{v[1]|2.0}}, 1.5, {{v[3]|0.7}}]
A = (sparse.csr_matrix((v, ([0, 0, 1, 2], [1, 2, 2, 0])), shape=(3, 3)) + 4 * sparse.eye(3)).tocsc()
right = np.array([[1.0, v[0]], [0.5, 1.0], [v[3], 2.0]])
column = spsolve(A, right[:, :1])[1]
several = spsolve(A, right)[2, 1] + spsolve(A, sparse.csc_matrix(np.eye(3)[:, :2]))[2, 1]
factors = splu(A)
kept = factors.solve(right)[0, 1] + factors.solve(right[:, 0], "T")[2] + factorized(A)(right[:, 1])[0] + factors.nnz
"""
    check(tmp_path, program, ["column", "several", "kept"], ["v@<module>"])


def test_draws_of_numpy_move_with_their_parameters(tmp_path: Path) -> None:
    program = """
import numpy as np

m, s = {{m|0.7}}, {{s|1.3}}
rng = np.random.default_rng(3)
one = rng.normal(m, s) + rng.uniform(m, high=s) + rng.exponential(scale=s) + rng.lognormal(m, s) + rng.gamma(2.5, s)
many = (rng.normal(m, s, size=4) * rng.normal(np.array([m, s, 1.0, 2.0]), s)).sum() + rng.normal()
np.random.seed(2)
old = np.random.normal(m, s) + np.random.gamma([1.5, 2.0], scale=s).sum() + np.random.uniform(m, s, 3).sum()
steps = np.arange(m, 9.0, s)[2] + np.linspace(m, s, 5)[1] + np.linspace([m, s], 4.0, 3)[1, 0]
print(rng, type(rng).__name__, one, many, old)
"""
    check(tmp_path, program, ["one", "many", "old", "steps"], ["m@<module>", "s@<module>"])


def test_draws_that_jump_with_their_parameters_are_told(tmp_path: Path) -> None:
    program = """
import numpy as np

p = [0.2, 0.5, 0.3]
out = float(np.random.default_rng(3).choice(3, p=p)) + p[0]
"""
    (told,) = explanations(tmp_path, program, ["out"], ["p@<module>"])
    assert "numpy.random choice" in [each["what"] for each in told["breaks"]]


def test_what_is_added_to_in_a_loop_keeps_operators_of_its_own(tmp_path: Path) -> None:
    program = """
import numpy as np

class Mean:
    def __init__(self):
        self.count, self.mean = 0, 0.0

    def __iadd__(self, x):
        self.count += 1
        self.mean += (x - self.mean) / self.count
        return self

    def __isub__(self, x):
        self.count += 10
        self.mean -= 3 * x
        return self

def run(xs):
    mean, other, left, total = Mean(), Mean(), {1, 2, 3}, 0.0
    for x in xs:
        mean += x
        other -= x
    for at in range(2):
        left -= {at + 1}
    for x in xs:
        total = total + x * x
    row = np.zeros(2)
    for x in xs:
        row += x
    return mean.mean * mean.count + other.mean * len(left), other.count * total * row[1]

first, second = run([{{xs[0]|1.5}}, {{xs[1]|2.5}}, 4.0])
print(first, second)
"""
    told = check(tmp_path, program, ["first", "second"], ["xs@run"])
    assert [each["notes"] for each in told] == [[], []]
