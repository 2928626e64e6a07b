"""Calls are remembered by their arguments and what they read, and by nothing less."""

from __future__ import annotations

from typing import Any

from mlvet.frontends.python.program import Interpreted, interpret_text


def run(text: str) -> tuple[Interpreted, dict[str, Any]]:
    found = interpret_text(text)
    return found, found.names


def test_an_equal_call_is_not_run_again() -> None:
    found, names = run("def fib(n):\n    return n if n < 2 else fib(n - 1) + fib(n - 2)\nlast = fib(30)\n")
    assert names["last"] == 832040
    assert found.recalled >= 28
    assert found.steps < 5000


def test_a_changed_global_is_seen() -> None:
    _, names = run("rate = 2\ndef f(x):\n    return x * rate\na = f(3)\nrate = 5\nb = f(3)\n")
    assert (names["a"], names["b"]) == (6, 15)


def test_a_changed_closure_is_seen() -> None:
    _, names = run(
        "def outer():\n    n = 1\n    def get():\n        return n\n    a = get()\n    n = 2\n    return a, get()\n"
        "pair = outer()\n"
    )
    assert names["pair"] == (1, 2)


def test_effects_happen_each_time() -> None:
    _, names = run("log = []\ndef f(x):\n    log.append(x)\n    return x\nf(1)\nf(1)\nsize = len(log)\n")
    assert names["size"] == 2


def test_a_global_container_that_changes_is_seen() -> None:
    _, names = run("table = {'a': 1}\ndef f(k):\n    return table[k]\na = f('a')\ntable['a'] = 7\nb = f('a')\n")
    assert (names["a"], names["b"]) == (1, 7)


def test_two_random_sizes_are_two() -> None:
    _, names = run("import random\ndef size():\n    return random.randint(1, 9)\na, b = size(), size()\n")
    assert str(names["a"]) != str(names["b"])


def test_every_call_adds_its_operators() -> None:
    found, _ = run("import torch\ndef f(n):\n    return torch.zeros(n)\na = f(3)\nb = f(3)\n")
    assert sum(node.op == "constant_of_shape" for node in found.graph.nodes()) == 2


def test_defaults_are_those_of_the_function_at_hand() -> None:
    _, names = run("x = 3\nfor _ in range(2):\n    x = (lambda n, m=x: n - m)(0)\n")
    assert names["x"] == 3
