"""Loops over elements: which are told, which twins are not, and that the statement over whole arrays does the same."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from suggesting import edited, lines, results, told

from mlvet.core.fix import Applicability

RULE = "scalar-loop"
NUMPY = """\
import math
import numpy as np

draw = np.random.RandomState(0)
n = 1200
x, y = draw.rand(n), draw.rand(n)
z = np.zeros(n)
a, b, c = draw.rand(30, 40), draw.rand(40, 50), np.zeros((30, 50))
t, d = np.zeros((40, 30)), np.zeros(30)
labels = draw.randint(0, 10, n)
hot = np.zeros((n, 10))
s = 0.0
"""
TORCH = """\
import torch

torch.manual_seed(0)
x, y, z = torch.rand(1200), torch.rand(1200), torch.zeros(1200)
a, s = torch.rand(30, 40), torch.zeros(())
"""
JAX = """\
import jax.numpy as jnp

x, z = jnp.arange(1200.0), jnp.zeros(1200)
"""
ROWS = """\
p, q, w, m = draw.rand(n, 6), draw.rand(40, 6), draw.rand(6), draw.rand(n)
near = np.zeros((n, 40))
"""
TORCH_ROWS = "p, q, near = torch.rand(1200, 6), torch.rand(40, 6), torch.zeros(1200, 40)\n"
JAX_ROWS = "p, w = jnp.arange(7200.0).reshape(1200, 6) / 7200, jnp.arange(6.0)\n"
OVER_ROWS = "for i in range(n):\n    "
OVER_PAIRS = "for i in range(n):\n    for j in range(40):\n        "
SAME = [
    (NUMPY + ROWS, f"{OVER_ROWS}z[i] = np.dot(p[i], w)\n", "z[:] = p @ w"),
    (NUMPY + ROWS, f"{OVER_ROWS}z[i] = w @ p[i]\n", "z[:] = p @ w"),
    (NUMPY + ROWS, f"{OVER_ROWS}z[i] = p[i] @ p[i]\n", "z[:] = (p * p).sum(-1)"),
    (
        NUMPY + ROWS,
        f"{OVER_ROWS}z[i] = np.linalg.norm(p[i, :] - w) ** 2 + m[i]\n",
        "np.linalg.norm(p - w, axis=-1) ** 2",
    ),
    (NUMPY + ROWS, f"{OVER_ROWS}z[i] = (p[i] - m[i]).max() / 2\n", "z[:] = (p - m[:, None]).max(-1) / 2"),
    (NUMPY + ROWS, f"{OVER_ROWS}s += np.mean(np.exp(-p[i]))\n", "s += np.exp(-p).mean(-1).sum()"),
    (NUMPY + ROWS, f"{OVER_PAIRS}near[i, j] = p[i] @ q[j]\n", "near[:, :] = p @ q.T"),
    (NUMPY + ROWS, f"{OVER_PAIRS}near[i, j] = np.sum((p[i] - q[j]) ** 2)\n", "((p[:, None, :] - q) ** 2).sum(-1)"),
    (TORCH + TORCH_ROWS, "for i in range(1200):\n    z[i] = torch.sum(p[i] ** 2)\n", "z[:] = (p ** 2).sum(-1)"),
    (TORCH + TORCH_ROWS, "for i in range(1200):\n    z[i] = p[i].max()\n", "z[:] = torch.amax(p, -1)"),
    (
        TORCH + TORCH_ROWS,
        "for i in range(1200):\n    for j in range(40):\n        near[i, j] = torch.dist(p[i], q[j])\n",
        "near[:, :] = torch.linalg.norm(p[:, None, :] - q, dim=-1)",
    ),
    (JAX + JAX_ROWS, "for i in range(1200):\n    z = z.at[i].set(jnp.dot(p[i], w))\n", "z = z.at[:].set(p @ w)"),
    (NUMPY, "for i in range(n):\n    z[i] = math.exp(x[i]) * 2 - y[i]\n", "z[:] = (np.exp(x) * 2) - y"),
    (NUMPY, "for i in range(len(x)):\n    s += x[i] * y[i]\n", "s += x @ y"),
    (NUMPY, "for i in range(n):\n    s -= x[i] * y[i]\n", "s -= x @ y"),
    (NUMPY, "for i in range(n):\n    s = s + abs(x[i])\n", "s += np.abs(x).sum()"),
    (NUMPY, "for i in range(1, n):\n    z[i] = x[i] - x[i - 1]\n", "z[1:n] = x[1:n] - x[:n - 1]"),
    (NUMPY, "for i in range(n):\n    z[i] = x[i] if x[i] > y[i] else 0.0\n", "np.where(x > y, x, 0.0)"),
    (NUMPY, "for i in range(n):\n    z[i] = z[i] + x[i]\n", "z[:] = z + x"),
    (
        NUMPY,
        "for i in range(30):\n    for j in range(50):\n        for k in range(40):\n"
        "            c[i, j] += a[i, k] * b[k, j]\n",
        "c[:, :] += a @ b",
    ),
    (
        NUMPY,
        "for i in range(30):\n    for j in range(40):\n        t[j, i] = a[i, j] * x[j]\n",
        "t[:, :] = a.T * x[:40][:, None]",
    ),
    (NUMPY, "for i in range(30):\n    for j in range(40):\n        d[i] += a[i][j] ** 2\n", "d[:] += (a ** 2).sum(1)"),
    (NUMPY, "for i in range(n):\n    hot[i, labels[i]] = 1\n", "hot[np.arange(n), labels] = 1"),
    (
        NUMPY,
        "for i in range(n):\n    z[i] = max(x[i], 0.5) - min(x[i], y[i])\n",
        "np.maximum(x, 0.5) - np.minimum(x, y)",
    ),
    (NUMPY, "for i in range(n):\n    z[i] = x[i] * 2 ** -i\n", "z[:] = x * (2.0 ** -np.arange(n))"),
    (
        NUMPY,
        "for i in range(30):\n    for j in range(40):\n        t[j, i] = a[i, j] * i / (j + 1)\n",
        "t[:, :] = (a.T * np.arange(30)) / (np.arange(40)[:, None] + 1)",
    ),
    (TORCH, "for i in range(1200):\n    z[i] = max(x[i], 0.5) * i\n", "torch.clamp(x, min=0.5) * torch.arange(1200)"),
    (TORCH, "for i in range(1200):\n    z[i] = x[i] * 0.999 ** i\n", "torch.arange(1200, dtype=torch.float64)"),
    (TORCH, "for i in range(1200):\n    z[i] = min(x[i], y[i])\n", "z[:] = torch.minimum(x, y)"),
    (JAX, "for i in range(1200):\n    z = z.at[i].set(max(x[i], 3.0))\n", "z.at[:].set(jnp.maximum(x, 3.0))"),
    (NUMPY, "for i in range(n):\n    z[i] = x[labels[i]]\n", "z[:] = x[labels]"),
    (NUMPY, "for i in range(n):\n    z[i] = float(labels[i] != 3)\n", "z[:] = labels != 3"),
    (TORCH, "for i in range(1200):\n    z[i] = torch.sin(x[i]) + y[i]\n", "z[:] = torch.sin(x) + y"),
    (TORCH, "for i in range(30):\n    for j in range(40):\n        s += a[i, j] * x[j]\n", "s += (a * x[:40]).sum()"),
    (JAX, "for i in range(1200):\n    z = z.at[i].set(jnp.sin(x[i]))\n", "z = z.at[:].set(jnp.sin(x))"),
]


@pytest.mark.parametrize(("head", "loop", "wanted"), SAME, ids=[wanted for _, _, wanted in SAME])
def test_the_statement_does_what_the_loop_does(head: str, loop: str, wanted: str, tmp_path: Path) -> None:
    text = head + loop
    found = told(text, tmp_path, RULE)
    assert [each.location.line for each in found] == [head.count("\n") + 1]
    after = edited(text, found)
    assert wanted in after
    old, new = ran(text), ran(after)
    for name in (*"zscdt", "near"):
        if name in old:
            np.testing.assert_allclose(np.asarray(new[name]), np.asarray(old[name]), rtol=1e-4, atol=1e-6)
    if "hot" in old:
        np.testing.assert_array_equal(new["hot"], old["hot"])  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "loop",
    [
        "for i in range(1, n):\n    z[i] = z[i - 1] + x[i]\n",
        "for i in range(n):\n    z[i] = draw.rand()\n",
        "for i in range(n):\n    z[labels[i]] += x[i]\n",
        "for i in range(n):\n    z[0] = x[i]\n",
        "for i in range(n):\n    z[i] = x[i]\n    print(i)\n",
        "for i in range(20):\n    z[i] = x[i]\n",
        "for i in range(30):\n    for j in range(i):\n        t[j, i] = t[i, j]\n",
        "words = ['a'] * n\nfor i in range(n):\n    z[i] = len(words[i])\n",
        "for i in range(n):\n    s += s * x[i]\n",
        "for i in range(30):\n    d[i] = a[i].max()\n",
        "for i in range(n):\n    x[i] = x[n - 1 - i]\n",
        "part = x[1:]\nfor i in range(n - 1):\n    part[i] = x[i] * 0.5\n",
        "same = x.reshape(n)\nfor i in range(n - 1):\n    same[i + 1] = x[i] * 0.5\n",
        "one, two = x[1:], x[:-1]\nfor i in range(n - 1):\n    one[i] = two[i] * 0.5\n",
    ],
)
def test_what_hangs_on_another_iteration_is_not_told(loop: str, tmp_path: Path) -> None:
    assert lines(NUMPY + loop, tmp_path, RULE) == []


def test_pairs_of_many_rows_are_computed_row_by_row(tmp_path: Path) -> None:
    text = NUMPY + ROWS + "far = np.zeros((n, n))\n"
    text += "for i in range(n):\n    for j in range(n):\n        far[i, j] = np.linalg.norm(p[i] - p[j])\n"
    (found,) = told(text, tmp_path, RULE)
    assert found.location.line == text.count("\n") - 1
    assert "`far[i, :n] = np.linalg.norm(p[i] - p[:n], axis=-1)`" in found.message


@pytest.mark.parametrize(
    "loop",
    [
        "long = draw.rand(n, 5000)\nfor i in range(n):\n    z[i] = long[i].sum()\n",
        "cube = draw.rand(n, 6, 6)\nfor i in range(n):\n    z[i] = cube[i].sum()\n",
        "for i in range(1, n):\n    p[i, 0] = p[i - 1].sum()\n",
        "for i in range(n):\n    z[i] = np.sum(p[i], keepdims=True)[0]\n",
        "for i in range(n):\n    z[i] = sum(p[i])\n",
    ],
    ids=["long rows", "no rows", "rows that are written", "another form", "a sum by Python"],
)
def test_what_has_no_form_over_rows_is_not_told(loop: str, tmp_path: Path) -> None:
    assert lines(NUMPY + ROWS + loop, tmp_path, RULE) == []


TRIANGLE = """\
import jax.numpy as jnp
lower, other = jnp.arange(3600.0).reshape(60, 60) / 3600, jnp.ones((60, 70))
result = []
for i in range(60):
    total = 0.0
    {loop}
    result.append(total)
"""


@pytest.mark.parametrize(
    ("loop", "statement"),
    [
        (
            "for k in range(i):\n        total += lower[i, k] * lower[0, k]",
            "total += jnp.where(jnp.arange(lower.shape[1]) < i, lower[i, :] * lower[0, :], 0).sum()",
        ),
        (
            "for k in range(i, 60):\n        total = total - lower[k, i]",
            "total -= jnp.where((jnp.arange(lower.shape[0]) >= i) & (jnp.arange(lower.shape[0]) < 60), "
            "lower[:, i], 0).sum()",
        ),
    ],
)
def test_a_part_of_another_size_each_time_is_a_mask_for_jax(loop: str, statement: str, tmp_path: Path) -> None:
    text = TRIANGLE.format(loop=loop)
    found = told(text, tmp_path, RULE)
    assert [each.location.line for each in found] == [6]
    changed = edited(text, found)
    assert statement in changed
    np.testing.assert_allclose(*(np.asarray(results(each, tmp_path)) for each in (text, changed)), rtol=1e-4)


@pytest.mark.parametrize(
    "loop",
    [
        "for k in range(i):\n        total += lower[i, k] * other[i, k]",
        "for k in range(i):\n        total += lower[i, k + 1]",
        "for k in range(i):\n        lower = lower.at[i, k].set(1.0)",
    ],
)
def test_a_part_that_no_one_mask_fits_is_left_alone(loop: str, tmp_path: Path) -> None:
    assert lines(TRIANGLE.format(loop=loop), tmp_path, RULE) == []


def test_a_part_of_the_same_size_each_time_is_a_slice_for_jax(tmp_path: Path) -> None:
    text = TRIANGLE.format(loop="for k in range(40):\n        total += lower[i, k] * lower[0, k]")
    assert "lower[i, :40]" in edited(text, told(text, tmp_path, RULE))


def test_only_the_inner_loop_of_a_triangle_is_a_sum(tmp_path: Path) -> None:
    text = """\
import numpy as np

def cholesky(A):
    n = 60
    L = np.zeros((60, 60))
    for i in range(n):
        for j in range(i + 1):
            total = 0.0
            for k in range(j):
                total += L[i, k] * L[j, k]
            if i == j:
                L[i, j] = np.sqrt(A[i, i] - total)
            else:
                L[i, j] = (A[i, j] - total) / L[j, j]
    return L

draw = np.random.RandomState(0).rand(60, 60)
L = cholesky(draw @ draw.T + np.eye(60))
"""
    found = told(text, tmp_path, RULE)
    assert [each.location.line for each in found] == [9]
    after = edited(text, found)
    assert "total += L[i, :j] @ L[j, :j]" in after
    np.testing.assert_allclose(ran(after)["L"], ran(text)["L"], rtol=1e-9)  # type: ignore[arg-type]


def test_a_container_of_unknown_type_is_taken_to_hold_elements_of_one(tmp_path: Path) -> None:
    text = """\
import numpy as np
from elsewhere import load

def padded(lengths):
    out = np.zeros(500)
    for i in range(500):
        out[i] = lengths[i] * 2
    return out

padded(load())
"""
    found = told(text, tmp_path, RULE)
    assert [each.location.line for each in found] == [6]
    assert [each.text for each in found[0].assumptions] == ["the elements of `lengths` share one type"]
    assert found[0].fix is not None
    assert found[0].fix.applicability is Applicability.UNSAFE
    assert "out[:500] = np.asarray(lengths)[:500] * 2" in edited(text, found)


def test_rows_of_numbers_are_padded_whole(tmp_path: Path) -> None:
    text = """\
import numpy as np

def padded(sentences):
    out = np.zeros((len(sentences), 50), np.int32)
    for i, words in enumerate(sentences):
        for j in range(len(words)):
            out[i, j] = words[j]
    return out

table = padded([[1, 2, 3], [4, 5], list(range(50))])
"""
    found = told(text, tmp_path, RULE)
    assert [each.location.line for each in found] == [6]
    assert [each.text for each in found[0].assumptions][-1] == "the elements of `words` share one type"
    after = edited(text, found)
    assert "out[i, :len(words)] = np.asarray(words)" in after
    np.testing.assert_array_equal(ran(after)["table"], ran(text)["table"])  # type: ignore[arg-type]


def test_a_loop_variable_that_is_read_later_keeps_the_loop(tmp_path: Path) -> None:
    found = told(NUMPY + "for i in range(n):\n    z[i] = x[i] * 2\nprint(i)\n", tmp_path, RULE)
    assert found[0].fix is not None
    assert found[0].fix.applicability is Applicability.MANUAL


def ran(text: str) -> dict[str, object]:
    """The names of a program after it has run."""
    names: dict[str, object] = {}
    exec(compile(text, "program.py", "exec"), names)
    return names
