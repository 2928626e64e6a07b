"""Agreement cases: lines of Python that the real library and mlvet run with the same small sizes.

`cases/<library>/<topic>.txt` has one case per line: statements with `; ` between them, the last an expression, whose
value is the answer. A ` ;; ` stands for the end of a line, after a class or a block. The names a to e are sizes from 1
to 5. Lines that start with # are comments. Modules need no import where they go by their usual name.
"""

from __future__ import annotations

import ast
import builtins
import random
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

CASES = Path(__file__).parent / "cases"
SIZES = "abcde"
ANSWER = "answer"
MODULES = {
    "F": "import torch.nn.functional as F",
    "jnp": "import jax.numpy as jnp",
    "lax": "from jax import lax",
    "optimizers": "from jax.example_libraries import optimizers",
    "stax": "from jax.example_libraries import stax",
    "layers": "from keras import layers",
    "linen": "from flax import linen",
    "nn": "import torch.nn as nn",
    "nnx": "from flax import nnx",
    "np": "import numpy as np",
    "ops": "from keras import ops",
    "optim": "import torch.optim as optim",
    "partial": "from functools import partial",
    "pd": "import pandas as pd",
    "plt": "import matplotlib.pyplot as plt",
    "rearrange": "from einops import rearrange",
    "reduce": "from einops import reduce",
    "repeat": "from einops import repeat",
    "tf": "import tensorflow as tf",
}
"""What a name of a case stands for if the case itself does not define it."""
GRAPHS = "import tensorflow.compat.v1 as tf\ntf.disable_v2_behavior()\ntf.reset_default_graph()"
OTHER_MODULES = {
    "tensorflow_v1": {"tf": GRAPHS},
    "tensorflow_contrib": {"tf": "import tensorflow as tf\ntf.reset_default_graph()"},
    "tf_keras": {"keras": "import tf_keras as keras", "K": "from tf_keras import backend as K"},
    "tf_slim": {"tf": GRAPHS, "slim": f"{GRAPHS}\nimport tf_slim as slim"},
}
"""The same for the cases of one library."""
IMPORTED = {"python": "sys", "tensorflow_v1": "tensorflow"}
"""The module that the cases of a folder are about, if it has another name."""
THIRD_PARTY = {
    "PIL", "absl", "click", "cv2", "datasets", "einops", "flax", "gym", "gymnasium", "jax", "keras", "matplotlib",
    "ml_collections", "numpy",
    "optax", "pandas", "scipy", "sklearn", "tensorflow", "torch", "torchaudio", "torchtext", "torchvision", "tqdm",
    "transformers",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Case:
    """One line of a file and the program it makes, which puts the value of the last expression into `answer`."""

    file: Path
    line: int
    text: str
    program: str

    @property
    def place(self) -> str:
        return f"{self.file.parent.name}/{self.file.name}:{self.line}"


def libraries() -> list[str]:
    """The libraries that have cases."""
    return sorted(folder.name for folder in CASES.iterdir() if any(folder.glob("*.txt"))) if CASES.is_dir() else []


def files(library: str) -> list[Path]:
    return sorted((CASES / library).glob("*.txt"))


def cases(file: Path) -> Iterator[Case]:
    """The cases of a file; raises SyntaxError for a line that is none."""
    for number, text in enumerate(file.read_text(encoding="utf-8").splitlines(), 1):
        if text.strip() and not text.startswith("#"):
            yield Case(file, number, text, program(text, str(file), number, file.parent.name))


def program(text: str, file: str = "<case>", number: int = 1, library: str = "") -> str:
    """The program of a case: the imports that it takes for granted, its statements, and where the answer goes."""
    tree = ast.parse(text.replace(" ;; ", "\n"), file)
    last = tree.body[-1]
    if not isinstance(last, ast.Expr):
        raise SyntaxError(f"{file}:{number}: a case must end with an expression: {text}")  # noqa: TRY004
    tree.body[-1] = ast.Assign([ast.Name(ANSWER, ast.Store())], last.value)
    statements = [ast.unparse(ast.fix_missing_locations(statement)) for statement in tree.body]
    return "\n".join([*_imports(tree, library), *statements]) + "\n"


def draws(case: Case) -> list[dict[str, int]]:
    """Three choices of sizes: all the same, all different, and any; always the same for one text."""
    seed = random.Random(case.text)
    same = seed.randint(2, 4)
    different = seed.sample(range(1, 6), 5)
    anything = [seed.randint(1, 5) for _ in SIZES]
    return [dict(zip(SIZES, sizes, strict=True)) for sizes in ([same] * 5, different, anything)]


def _imports(tree: ast.Module, library: str) -> list[str]:
    found: dict[str, None] = {}
    modules = MODULES | OTHER_MODULES.get(library, {})
    bound = set(SIZES) | set(dir(builtins))
    for node in ast.walk(tree):
        match node:
            case ast.Name(name, ast.Store()) | ast.arg(name):
                bound.add(name)
            case ast.Import(names) | ast.ImportFrom(names=names):
                bound.update(each.asname or each.name.partition(".")[0] for each in names)
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and node.id not in bound:
            if node.id in modules:
                found[modules[node.id]] = None
            elif node.id in sys.stdlib_module_names or node.id in THIRD_PARTY:
                found[f"import {node.id}"] = None
    return list(found)
