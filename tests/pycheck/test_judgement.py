"""What is shown by default and what is not: small programs, one run of the real command over all of them."""

from __future__ import annotations

import json
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

CRASHES = {
    "module attribute": ("import os\nos.pth.join('a')  # missing-attribute\n"),
    "imported name": ("from collections import Mapping  # missing-attribute\n"),
    "missing submodule": ("import logging.handler  # missing-module\n"),
    "misspelt package": ("import nunpy  # missing-module\n"),
    "python 2 module": ("import cPickle  # missing-module\n"),
    "own class": """\
        class Model:
            def __init__(self):
                self.weights = []

            def size(self):
                return len(self.wieghts)  # missing-attribute
    """,
    "layer that is never made": """\
        from torch import nn

        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.conv1 = nn.Conv2d(1, 2, 3)

            def forward(self, x):
                return self.conv2(x)  # missing-attribute
    """,
    "layer of another class": """\
        from torch import nn

        class Generator(nn.Module):
            def __init__(self):
                super().__init__()
                self.main = nn.Linear(1, 2)

        class Discriminator(nn.Module):
            def __init__(self):
                super().__init__()
                self.net = nn.Linear(1, 2)

            def forward(self, x):
                return self.main(x)  # missing-attribute
    """,
    "network built wrongly": """\
        from torch import nn

        class Net(nn.Module):
            def __init__(self, width):
                super().__init__()
                self.layer = nn.Linear(width, 2)

            def forward(self, x):
                return self.layer(x)

        net = Net(depth=3)  # argument-mismatch
    """,
    "network called wrongly": """\
        from torch import nn

        class Net(nn.Module):
            def forward(self, x):
                return x

        net = Net().eval()
        print(net(1, 2))  # argument-mismatch
    """,
    "forgotten return": """\
        def build():
            model = {"a": 1}

        model = build()
        model.keys()  # missing-attribute
    """,
    "method in place": "names = ['b', 'a'].sort()\nnames.append('c')  # missing-attribute\n",
    "enum member": """\
        from enum import Enum

        class Phase(Enum):
            TRAIN = 1

        print(Phase.TEST)  # missing-attribute
    """,
    "keyword of an overloaded function": "import subprocess\nsubprocess.run(['a'], capture_outputs=True)  # argument\n",
    "loop that reads first": """\
        def best(losses):
            for loss in losses:
                if loss < lowest:  # undefined-variable
                    lowest = loss
            return lowest
    """,
    "exception after its clause": """\
        def load(path):
            try:
                return open(path)
            except OSError as error:
                print("failed")
            print(error)  # undefined-variable
    """,
    "name for type checkers": """\
        from typing import TYPE_CHECKING

        if TYPE_CHECKING:
            from fractions import Fraction

        def half():
            return Fraction(1, 2)  # undefined-variable
    """,
    "handler that fails itself": """\
        try:
            print(1)
        except Exception as error:
            print(eror)  # undefined-variable
    """,
    "key": "CONFIG = {'lr': 1}\nprint(CONFIG['rate'])  # missing-key\n",
    "text and number": "steps = 3\nprint('steps: ' + steps)  # type-mismatch\n",
    "unpacking": "def pair():\n    return 1, 2, 3\n\n\na, b = pair()  # unpacking-mismatch\n",
    "name of a callable": "layers = [1, 2]\nlayers(3)  # not-callable-or-iterable\n",
    "module instead of its function": "import copy\ncopy([1])  # not-callable-or-iterable\n",
    "index": "shape = (1, 2)\nprint(shape[2])  # index-out-of-range\n",
}

FINE = {
    "optional": """\
        import re

        def first(text):
            return re.match("a", text).group()
    """,
    "accumulator": """\
        def total(losses, parse):
            loss = 0
            for value in losses:
                loss += parse(value)
            return loss.item()
    """,
    "attribute set elsewhere": """\
        class Trainer:
            def __init__(self):
                self.best = 0

            def step(self, value):
                self.best = value

            def report(self):
                return self.best.shape
    """,
    "global set elsewhere": """\
        model = None

        def load(factory):
            global model
            model = factory()

        def predict():
            return model.run()
    """,
    "attributes from a dictionary": """\
        class Config:
            def __init__(self, **options):
                self.__dict__.update(options)

        print(Config(lr=1).lr)
    """,
    "monkey patch": "import math\nmath.answer = 42\nprint(math.answer)\n",
    "fallback import": "try:\n    import cPickle as pickle\nexcept ImportError:\n    import pickle\nprint(pickle)\n",
    "other version": "import sys\nif sys.version_info[0] == 2:\n    range = xrange\n",
    "not installed": "import torchvision\nprint(torchvision.models.resnet18())\n",
    "package of its own name": "import torchx\nprint(torchx)\n",
    "annotation that is never read": "def f():\n    x: Optional[int] = None\n    return x\n",
    "declared too narrowly": """\
        def resize(size: int = 3):
            size = (size, size)
            return size[0]

        def pool(kernel: int):
            return kernel[0]
    """,
    "carried through a loop": """\
        def pairs(values):
            first = True
            for value in values:
                if not first:
                    yield last
                first = False
                last = value
    """,
    "first use of a container": """\
        def grid(sizes, crop):
            found = set()
            for size in sizes:
                if crop:
                    found.add((size, 1.0, "crop"))
                else:
                    found.add((size, 1.0))
            return [a for a, b in found]
    """,
    "overridden with more parameters": """\
        class Base:
            def fit(self, data):
                return self.step(data, 1)

            def step(self, data):
                return data

        class Derived(Base):
            def step(self, data, rate):
                return data * rate
    """,
    "unpacked arguments": "def f(a, b, c):\n    return a\n\n\nf(*range(2), 3)\n",
    "functions in a table": """\
        def one(a):
            return a

        def two(a, b):
            return b

        table = {"one": one, "two": two}
        print(table["two"](1, b=2))
    """,
    "defined twice": """\
        import sys

        if sys.argv:
            def open_log(path):
                return path
        else:
            def open_log(path, mode):
                return mode

        open_log("a")
    """,
    "decorated with other parameters": """\
        def with_default(function):
            def call(*given):
                return function(*given, 1)
            call.__wrapped__ = function
            return call

        @with_default
        def scale(value, factor):
            return value * factor

        print(scale(2))
    """,
    "expected to fail": """\
        import unittest

        class Checks(unittest.TestCase):
            def test(self):
                with self.assertRaises(TypeError):
                    one(1, 2)

        def one(a):
            return a
    """,
    "asked for before": "import math\nif hasattr(math, 'exactly'):\n    print(math.exactly(1))\n",
    "partial under another name": """\
        import functools

        def split(value, ways):
            return value / ways

        def build(function, ways):
            if ways:
                function = functools.partial(split, ways=ways)
            return function(1)
    """,
    "percent of a text": """\
        def train(steps):
            done = 0
            while True:
                print("step %i" % done)
                if done >= steps:
                    break
                done += 1
    """,
    "attributes from a decorator": """\
        def store_arguments(function):
            def build(self, *values):
                for name, value in zip(function.__code__.co_varnames[1:], values):
                    setattr(self, name, value)
            return build

        class Worker:
            @store_arguments
            def __init__(self, policy):
                pass

            def act(self):
                return self.policy
    """,
    "made by exec": "exec('answer = 42')\nprint(answer)\n",
    "another tool's comment": "print(nothing_here)  # noqa: F821\n",
    "comparison of objects": """\
        class Vector:
            def __eq__(self, other):
                return self

            def all(self):
                return True

        print((Vector() == Vector()).all())
    """,
    "wrapped attribute": """\
        import functools

        class validated:
            def __init__(self, function):
                functools.update_wrapper(self, function)

        @validated
        def train():
            pass

        print(train.__name__)
    """,
}


@pytest.fixture(scope="module")
def shown(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[tuple[int, str, str]]]:
    """What is shown for each program, by its title."""
    folder = tmp_path_factory.mktemp("programs")
    titles: dict[str, str] = {}
    for number, (title, text) in enumerate({**CRASHES, **FINE}.items()):
        home = folder / f"program{number}"
        home.mkdir()
        (home / "main.py").write_text(textwrap.dedent(text), encoding="utf-8")
        titles[f"program{number}/main.py"] = title
    empty = folder / "env"
    (empty / "lib" / f"python3.{sys.version_info.minor}" / "site-packages").mkdir(parents=True)
    command = [sys.executable, "-m", "mlvet", "check", ".", "--output-format", "json", "--python", "env"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    found: dict[str, list[tuple[int, str, str]]] = {title: [] for title in titles.values()}
    for finding in json.loads(done.stdout)["findings"]:
        where = finding["location"]
        found[titles[where["path"]]].append((where["line"], finding["rule"], finding["certainty"]))
    return found


@pytest.mark.parametrize("title", CRASHES)
def test_a_crash_is_shown_at_its_line(title: str, shown: dict[str, list[tuple[int, str, str]]]) -> None:
    lines = textwrap.dedent(CRASHES[title]).splitlines()
    (line,) = [number for number, text in enumerate(lines, 1) if "  # " in text]
    expected = lines[line - 1].rpartition("# ")[2]
    assert [found for found, _, _ in shown[title]] == [line]
    assert expected in {shown[title][0][1], "argument"}


@pytest.mark.parametrize("title", FINE)
def test_nothing_is_shown_of_what_may_run(title: str, shown: dict[str, list[tuple[int, str, str]]]) -> None:
    assert shown[title] == []


def test_files_that_were_not_named_complete_the_facts(tmp_path: Path) -> None:
    (tmp_path / "net.py").write_text(
        "class Net:\n    def scaled(self, x):\n        return x * self.scale\n", encoding="utf-8"
    )
    alone = _lines(tmp_path, "net.py")
    (tmp_path / "train.py").write_text("from net import Net\n\nnet = Net()\nnet.scale = 2.0\n", encoding="utf-8")
    assert (alone, _lines(tmp_path, "net.py")) == ([3], [])


def test_programs_side_by_side_do_not_mix(tmp_path: Path) -> None:
    for name, parameters in (("first", "path"), ("second", "path, split")):
        (tmp_path / name).mkdir()
        (tmp_path / name / "data.py").write_text(f"def load({parameters}):\n    return path\n", encoding="utf-8")
        (tmp_path / name / "train.py").write_text("import data\n\ndata.load('a', 'b')\n", encoding="utf-8")
    assert _paths(tmp_path, ".") == ["first/train.py"]


def test_notebooks_are_checked_cell_by_cell(tmp_path: Path) -> None:
    cells = ["import os\n%matplotlib inline\n!ls", "print(os.getcwd())", "files = !ls\nfiles.sort()\nprint(undefined)"]
    document = {"cells": [{"cell_type": "code", "source": text} for text in cells], "metadata": {}, "nbformat": 4}
    for name in ("a b.ipynb", "a-b.ipynb"):
        (tmp_path / name).write_text(json.dumps(document), encoding="utf-8")
    found = _check(tmp_path, ".")
    assert [(f["location"]["path"], f["location"]["cell"], f["location"]["line"]) for f in found] == [
        ("a b.ipynb", 3, 3),
        ("a-b.ipynb", 3, 3),
    ]


@pytest.mark.parametrize("name", [".hidden.py", "glob[ab]*.py", "back\\slash.py", "with space.py", "ünïcode.py"])
def test_odd_file_names_are_checked(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_text("import os\nos.pth\n", encoding="utf-8")
    (tmp_path / "plain.py").write_text("import os\nos.pth\n", encoding="utf-8")
    assert sorted(_paths(tmp_path, ".")) == sorted([name, "plain.py"])


def test_a_future_import_may_start_any_cell(tmp_path: Path) -> None:
    cells = ["import os", "from __future__ import division\nprint(os.name)"]
    document = {"cells": [{"cell_type": "code", "source": text} for text in cells], "metadata": {}, "nbformat": 4}
    (tmp_path / "cells.ipynb").write_text(json.dumps(document), encoding="utf-8")
    assert _check(tmp_path, ".") == []


def test_a_project_in_a_folder_with_an_odd_name_resolves_its_imports(tmp_path: Path) -> None:
    project = tmp_path / "my [first] project"
    project.mkdir()
    (project / "mlvet.toml").write_text("", encoding="utf-8")
    (project / "data.py").write_text("def load(path):\n    return path\n", encoding="utf-8")
    (project / "train.py").write_text("import data\n\ndata.load()\n", encoding="utf-8")
    assert _paths(project, ".") == ["train.py"]


def test_many_findings_cost_no_more_than_a_few_each(tmp_path: Path) -> None:
    (tmp_path / "many.py").write_text("\n".join(f"print(name_{n})" for n in range(3000)), encoding="utf-8")
    assert len(_check(tmp_path, "many.py")) == 3000


def _check(folder: Path, *arguments: str) -> list[dict[str, dict[str, object]]]:
    command = [sys.executable, "-m", "mlvet", "check", *arguments, "--output-format", "json"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False, timeout=120)
    found: list[dict[str, dict[str, object]]] = json.loads(done.stdout)["findings"]
    return found


def _lines(folder: Path, *arguments: str) -> list[object]:
    return [finding["location"]["line"] for finding in _check(folder, *arguments)]


def _paths(folder: Path, *arguments: str) -> list[object]:
    return [finding["location"]["path"] for finding in _check(folder, *arguments)]
