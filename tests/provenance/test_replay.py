"""Replays: a program traced as a process, then asked; derivatives are held against runs with an input changed."""

from __future__ import annotations

import json
import math
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Ask = Callable[..., dict[str, Any]]


def run(*arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "mlvet", *arguments]
    return subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False)


@pytest.fixture
def ask(tmp_path: Path) -> Ask:
    """Traces a program and asks about it."""

    def asked(program: str, of: str, *inputs: str, options: tuple[str, ...] = ()) -> dict[str, Any]:
        (tmp_path / "program.py").write_text(program, encoding="utf-8")
        traced = run("trace", "--quiet", "--output", "log", "program.py", cwd=tmp_path)
        assert traced.returncode == 0, traced.stderr
        given = [word for each in inputs for word in ("--inputs", each)]
        answer = run("why", "log", "--of", of, *given, "--output-format", "json", "--exit-zero", *options, cwd=tmp_path)
        assert answer.returncode == 0, answer.stderr
        document: dict[str, Any] = json.loads(answer.stdout)
        return document

    return asked


def derivatives(answer: dict[str, Any]) -> dict[str, float]:
    return {each["input"]: each["derivative"] for each in answer["influences"]}


EXPRESSIONS = [
    "a * b + c / a - b ** 2",
    "-(a - b) * (c + a) / (b * b)",
    "abs(a - c) * 2.5 + abs(b)",
    "max(a, b) * min(a, c)",
    "sum([a, b * 2, c]) / 3",
    "sum(x * x for x in (a, b, c))",
    "math.exp(a) * math.log(b) + math.sqrt(c)",
    "math.hypot(a, b) + math.atan2(a, c) + math.pow(a, b)",
    "a ** b + 2 ** a + a ** 3",
    "a % 0.7 + divmod(b, 0.4)[1]",
    "float(a) * float('2.5')",
    "statistics.mean([a, b, c]) + statistics.pstdev([a, b, c])",
    "functools.reduce(operator.mul, [a, b, c])",
    "sorted([a, b, c])[1] * 3",
    "(lambda p, q: p * q - p)(a, b)",
    "{'k': a * b}['k'] + [c, a][0]",
    "math.fsum([a, b, c]) * math.prod([a, b])",
    "(a if a < b else c) * b",
    "sum(itertools.accumulate([a, b, c]))",
    "n * a + 0.5 * n + b / n",
    "math.lgamma(a + 2) + math.erf(b) + math.tanh(c)",
    "round(a, 6) * 0 + b * -c",
]
PROGRAM = """import functools, itertools, math, operator, statistics

def f(a, b, c, n):
    return {expression}

a, b, c, n = 1.25, 2.5, 0.75, 3
result = f(a, b, c, n)
"""


@pytest.mark.parametrize("expression", EXPRESSIONS)
def test_the_derivative_is_that_of_a_finite_difference(expression: str, ask: Ask) -> None:
    program = PROGRAM.format(expression=expression)
    answer = ask(program, "result", "a@f", "b@f", "c@f", "n@f")
    namespace: dict[str, Any] = {}
    exec(program, namespace)
    values = {name: namespace[name] for name in "abcn"}
    assert answer["value"] == namespace["result"]
    found = derivatives(answer)
    for name in values:
        step = 1e-6
        up, down = (namespace["f"](**{**values, name: values[name] + sign * step}) for sign in (1, -1))
        assert found.get(name, 0.0) == pytest.approx((up - down) / (2 * step), rel=1e-6, abs=1e-7)


@pytest.mark.parametrize(("of", "by"), [("x - y", 2.25), ("math.log(x)", 1.6), ("sum([x, x, y])", 5.25)])
def test_an_output_may_be_an_expression_of_what_the_program_leaves(of: str, by: float, ask: Ask) -> None:
    program = "import math\n\ndef f(a):\n    return a * a, a / 4\n\nx, y = f(1.25)\n"
    assert derivatives(ask(program, of, "a@f")) == {"a": pytest.approx(by)}


STATEMENTS = """
class Model:
    def __init__(self, weights, bias):
        self.weights = weights
        self.__bias = bias

    def scores(self, rows):
        for row in rows:
            total = self.__bias
            for weight, value in zip(self.weights, row):
                total = total + weight * value
            yield total


def run(weights, bias):
    model = Model(list(weights), bias)
    kept = []
    count = 0
    try:
        for score in model.scores([[1.0, 2.0], [3.0, -4.0], [0.5, 0.25]]):
            count += 1
            if score < 0:
                continue
            kept = kept + [score * 2]
            if count > 2:
                raise ValueError(score)
    except ValueError as error:
        kept.append(error.args[0] / 3)
    table = {}
    for index, value in enumerate(kept):
        table[index % 2] = table.get(index % 2, 0.0) + value
    seen = 0.0
    while seen < 10:
        seen += table[0] / 4
    left = 1.0
    for each in kept:
        left -= each * 0.01
    return seen * left + table.get(1, 0.0)


weights = (0.5, 0.25)
bias = 0.125
result = run(weights, bias)
"""


def test_classes_generators_loops_exceptions_and_containers_keep_the_chain(ask: Ask) -> None:
    answer = ask(STATEMENTS, "result", "weights@run", "bias@run")
    namespace: dict[str, Any] = {}
    exec(STATEMENTS, namespace)
    step = 1e-6
    runs = {
        "weights[0]": lambda h: namespace["run"]((0.5 + h, 0.25), 0.125),
        "weights[1]": lambda h: namespace["run"]((0.5, 0.25 + h), 0.125),
        "bias": lambda h: namespace["run"]((0.5, 0.25), 0.125 + h),
    }
    found = derivatives(answer)
    assert answer["value"] == namespace["result"]
    for name, apply in runs.items():
        assert found[name] == pytest.approx((apply(step) - apply(-step)) / (2 * step), rel=1e-6)


def test_shares_add_up_and_order_the_inputs(ask: Ask) -> None:
    answer = ask("x, y, z = 2.0, 3.0, 0.0\nout = x * 5 + y + z\n", "out", *(f"{name}@<module>:1" for name in "xyz"))
    shares = [each["share"] for each in answer["influences"]]
    assert answer["influences"][0]["input"] == "x"
    assert shares == sorted(shares, reverse=True)
    assert sum(shares) + answer["residual_share"] == pytest.approx(1.0)
    assert answer["influences"][0]["elasticity"] == pytest.approx(10 / 13)


def test_names_of_inputs_are_expressions_of_the_program(ask: Ask) -> None:
    program = """
from collections import namedtuple

Point = namedtuple("Point", "x y")


class Box:
    def __init__(self):
        self.size = 2.0


data = {"a": {"b": 1.5}, ("p", 2): [0.5, 0.25], "o": Box(), "t": Point(1.0, 3.0)}
out = data["a"]["b"] * data["p", 2][1] + data["o"].size * data["t"].y
"""
    answer = ask(program, "out", "data@<module>")
    assert derivatives(answer) == {
        'data["a"]["b"]': 0.25, 'data["p", 2][1]': 1.5, 'data["o"].size': 3.0, 'data["t"].y': 2.0,
    }  # fmt: skip


def test_a_comparison_near_its_threshold_is_told_tried_and_confirmed(ask: Ask) -> None:
    program = """
def f(x):
    y = x * x
    if y > 4.0:
        return y + 100.0
    return y

x = 2.0000001
out = f(x)
"""
    answer = ask(program, "out", "x@<module>")
    (flip,) = answer["flips"]
    assert flip["line"] == 4
    assert flip["side"] == -1
    assert flip["confirmed"]
    assert flip["distance"] == pytest.approx(1e-7, rel=1e-3)
    assert flip["jump"] == pytest.approx(100.0)
    assert [each["rule"] for each in answer["findings"]] == ["unstable-predicate"]


def test_no_comparisons_are_looked_for_where_none_are_wanted(ask: Ask) -> None:
    program = "x = 2.0000001\nout = x if x > 2.0 else 0.0\n"
    assert ask(program, "out", "x@<module>")["flips"]
    assert not ask(program, "out", "x@<module>", options=("--flips", "0"))["flips"]


def test_sorting_and_draws_are_comparisons_too(ask: Ask) -> None:
    program = """
import random

random.seed(7)


def choose(p, scores):
    first = sorted(scores, reverse=True)[0]
    drawn = random.random()
    return first, 10.0 if drawn < p else 0.0, drawn


random.seed(7)
limit = random.random() + 1e-6
random.seed(7)
p = limit
first, out, drawn = choose(p, [1.0, 1.0000001])
"""
    answer = ask(program, "out", "p@choose", "scores@choose", options=("--delta", "0.001"))
    lines = {each["line"]: each for each in answer["flips"]}
    assert lines[10]["jump"] == 10.0
    assert lines[10]["input"] == "p"
    assert 8 in lines


def test_an_output_is_what_a_function_returned_or_assigned(ask: Ask) -> None:
    program = """
def f(x):
    middle = x * 3.0
    middle = middle + 1.0
    return {"r": middle * x}

x = 2.0
f(x)
"""
    assert derivatives(ask(program, 'return@f["r"]', "x@f")) == {"x": 13.0}
    assert derivatives(ask(program, "middle@f:3", "x@f")) == {"x": 3.0}


def test_marks_in_the_program_name_inputs_and_outputs(ask: Ask) -> None:
    program = """
import mlvet.provenance

table = mlvet.provenance.input({"a": 1.5, "b": 2.0}, "table")
mlvet.provenance.output(table["a"] * table["b"], "product")
"""
    assert derivatives(ask(program, "product")) == {'table["a"]': 2.0, 'table["b"]': 1.5}


def test_the_first_nan_is_told_with_its_line(ask: Ask) -> None:
    program = """
def f(a):
    big = a * 1e308 * 10
    rest = big - big
    return rest * 2

a = 3.0
out = f(a)
"""
    answer = ask(program, "out", "a@f")
    (finding,) = answer["findings"]
    assert (finding["rule"], finding["location"]["line"]) == ("nan-origin", 4)
    assert answer["value"] is None or math.isnan(float(answer["value"]))


def test_where_the_chain_breaks_is_told(ask: Ask) -> None:
    program = """
from fractions import Fraction

x = 0.5
out = float(Fraction(x) * 3) + x
"""
    answer = ask(program, "out", "x@<module>:4")
    assert [each["line"] for each in answer["breaks"]] == [5]


def test_tainting_counts_inputs_whatever_their_derivative(ask: Ask) -> None:
    program = "x, y, z = 1.0, 2.0, 3.0\nout = x * 2.0 + y * 0.0\n"
    answer = ask(program, "out", *(f"{name}@<module>:1" for name in "xyz"), options=("--taint",))
    assert answer["tainted"] == 2
    assert derivatives(answer) == {"x": 2.0}


def test_ways_go_through_named_values(ask: Ask) -> None:
    program = """
def f(x, y):
    middle = x * 2.0
    side = y * 0.001
    return middle + side

x, y = 1.0, 1.0
out = f(x, y)
"""
    answer = ask(program, "out", "x@f", "y@f", options=("--paths",))
    links = {(each["source"], each["target"]): each["derivative"] for each in answer["links"]}
    assert links["x", "middle"] == 2.0
    assert links["middle", "out"] == 1.0


def test_comparisons_of_arrays_turn_too(ask: Ask) -> None:
    program = """
import numpy as np

def f(x):
    return np.where(x > 1.0, x + 50.0, x).sum()

x = np.array([0.25, 1.0000001, 3.0])
out = f(x)
"""
    answer = ask(program, "out", "x@f")
    (flip,) = answer["flips"]
    assert (flip["input"], flip["side"], flip["confirmed"]) == ("x[1]", -1, True)
    assert flip["jump"] == pytest.approx(50.0)


LOOPS = """
def f(w):
    total = 0.0
    for row in w:
        for value in row:
            total += value * value
            for _ in range(2):
                total -= value * 0.25
    names = []
    first = 1.0
    for row in w:
        part = 0.0
        for value in row:
            part = part + value
            if value > 2.5:
                break
        else:
            part += 10.0
        first += part * total
        names += [part]
    count = 0
    while count < 3:
        count += 1
        first += count * names[0]
    return first


w = [[1.0, 2.0], [3.0, 4.0]]
out = f(w)
"""


def test_sums_in_nested_loops_are_those_of_the_program(ask: Ask) -> None:
    answer = ask(LOOPS, "out", "w@f")
    namespace: dict[str, Any] = {}
    exec(LOOPS, namespace)
    assert answer["value"] == namespace["out"]
    assert answer["notes"] == []
    found = derivatives(answer)
    for i in range(2):
        for j in range(2):
            step = 1e-6
            up, down = ([list(row) for row in namespace["w"]] for _ in range(2))
            up[i][j] += step
            down[i][j] -= step
            expected = (namespace["f"](up) - namespace["f"](down)) / (2 * step)
            assert found.get(f"w[{i}][{j}]", 0.0) == pytest.approx(expected, rel=1e-6)


def test_an_infinite_derivative_elsewhere_does_not_spoil_others(ask: Ask) -> None:
    program = """
import math

def f(x):
    root = math.sqrt(x * 0.0)
    return x * 3.0, root

x = 2.0
out, root = f(x)
"""
    assert derivatives(ask(program, "out", "x@f")) == {"x": 3.0}


def test_what_goes_through_compiled_code_of_scikit_learn_is_told(ask: Ask) -> None:
    program = """
import numpy as np
from sklearn.linear_model import LinearRegression

x = np.array([[1.0], [2.0], [1.25]])
out = LinearRegression().fit(x, [1.0, 2.0, 4.0]).coef_[0]
"""
    answer = ask(program, "out", "x@<module>:5")
    assert [(each["line"], each["what"]) for each in answer["breaks"]] == [(6, "scikit-learn")]
    assert not any(each["rule"] == "missing-dependency" for each in answer["findings"])


def test_a_frame_made_of_nested_dictionaries_keeps_the_chain(ask: Ask) -> None:
    program = """
import pandas as pd

table = {"a": {"x": 1.5, "y": 2.0}, "b": {"x": 4.0}}
frame = pd.DataFrame(table).fillna(0.5).T
out = float(frame.div(frame.sum(axis=1), axis=0).loc["a", "x"] * frame.loc["b", "x"])
"""
    found = derivatives(ask(program, "out", "table@<module>:4"))
    assert found['table["a"]["x"]'] == pytest.approx(4.0 * 2.0 / 3.5**2)
    assert found['table["b"]["x"]'] == pytest.approx(1.5 / 3.5)


def test_products_are_gathered_whatever_kinds_their_factors_have(ask: Ask) -> None:
    program = """
import numpy as np

def weighed(rates, amounts):
    total = 0.0
    for rate, amount in zip(rates, amounts):
        total += rate * amount
    return total

traced = {"a": 2.0, "b": 3.0}
rates = [traced["a"], traced["b"], 0.5, traced["a"], 4, traced["b"], 2, np.float64(0.25), True]
amounts = [traced["b"], 10.0, traced["a"], 7, traced["b"], np.float64(1.5), 3.0, traced["a"], traced["a"]]
result = weighed(rates, amounts)
"""
    a, b = 2.0, 3.0
    answer = ask(program, "result", "traced@<module>:10")
    assert answer["value"] == a * b + b * 10.0 + 0.5 * a + a * 7 + 4 * b + b * 1.5 + 6.0 + 0.25 * a + a
    expected = {'traced["a"]': b + 0.5 + 7 + 0.25 + 1, 'traced["b"]': a + 10 + 4 + 1.5}
    assert derivatives(answer) == pytest.approx(expected)


@pytest.mark.parametrize("first", ["np.float64(0.0)", "np.zeros(2)", "np.ones(2) * traced['b']", "traced['b']"])
def test_sums_of_products_may_begin_with_any_number(first: str, ask: Ask) -> None:
    program = f"""
import numpy as np

def weighed(total, rates):
    for rate in rates:
        total += rate * rates[0]
    return total

traced = {{"a": 2.0, "b": 3.0}}
begun = {first}
same = begun
result = weighed(begun, [traced["a"], 0.5, 4.0])
out = result if isinstance(result, float) else result[1]
"""
    answer = ask(program, "out", "traced@<module>:9")
    expected = {'traced["a"]': 2 * 2.0 + 0.5 + 4.0}
    if "traced" in first:
        expected['traced["b"]'] = 1.0
    found = {name: each for name, each in derivatives(answer).items() if each}
    assert found == pytest.approx(expected)


@pytest.mark.parametrize("first", ["np.int64(0)", "np.zeros(2, int)"])
def test_sums_of_whole_numbers_stay_whole(first: str, ask: Ask) -> None:
    program = f"""
import numpy as np

def counted(total, counts):
    for count in counts:
        total += count * 3
    return total

counts = [2, 5]
result = counted({first}, counts)
kind = str(np.asarray(result).dtype)
out = result + 0.5 if np.ndim(result) == 0 else result[0] + 0.5
row = list(range(100))[int(np.max(result))]
"""
    answer = ask(program, "out", "counts@<module>:9")
    assert answer["value"] == 21.5
    assert {name: each for name, each in derivatives(answer).items() if each} == {"counts[0]": 3.0, "counts[1]": 3.0}
