"""Fetched programs as modules, with stand-ins for packages that are not here and play no part in what is tried."""

from __future__ import annotations

import ast
import importlib.util
import io
import re
import runpy
import sys
from collections.abc import Callable
from contextlib import redirect_stdout
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any
from unittest.mock import MagicMock


def stand_in(*names: str) -> None:
    """Let modules that are not here be imported; whatever is asked of them does nothing."""
    for name in names:
        sys.modules.setdefault(name, MagicMock(name=name))


def loaded(file: Path, name: str = "program") -> ModuleType:
    """A file as a module; what it does only as a script is not done."""
    sys.path.insert(0, str(file.parent))
    spec = importlib.util.spec_from_file_location(name, file)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def as_script(file: Path, *arguments: str) -> dict[str, Any]:
    """The names of a file after it ran as a script."""
    sys.path.insert(0, str(file.parent))
    sys.argv = [str(file), *arguments]
    return runpy.run_path(str(file), run_name="__main__")


def repaired(file: Path, wrong: str, right: str) -> None:
    """Mend a slip for which a program does not start, in both versions alike."""
    file.write_text(file.read_text(encoding="utf-8").replace(wrong, right), encoding="utf-8")


def picked(file: Path, *names: str, given: dict[str, Any] | None = None) -> dict[str, Any]:
    """The names of a file of which only the imports run and the statements that define or set some names.

    For files that do all their work when they are imported, and need data or pictures for it.
    """
    tree = ast.parse(file.read_text(encoding="utf-8"))
    tree.body = [each for each in tree.body if isinstance(each, ast.Import | ast.ImportFrom) or _sets(each) & {*names}]
    namespace: dict[str, Any] = {"__name__": "program", **(given or {})}
    exec(compile(tree, str(file), "exec"), namespace)
    return namespace


def passage(file: Path, first: str, last: str) -> CodeType:
    """The statements of one body of a file from one to another, by how these begin.

    For the part of a long script or function in which a suggestion lies.
    """
    text = file.read_text(encoding="utf-8")
    for node in ast.walk(ast.parse(text)):
        body = getattr(node, "body", None)
        begun = [str(ast.get_source_segment(text, each)) for each in body] if isinstance(body, list) else []
        start = next((index for index, each in enumerate(begun) if each.startswith(first)), None)
        if isinstance(body, list) and start is not None:
            end = next(index for index, each in enumerate(begun) if index >= start and each.startswith(last))
            return compile(ast.Module(body[start : end + 1], []), str(file), "exec")
    raise LookupError(f"no statement begins with {first}")


def printed(call: Callable[[], object]) -> list[float]:
    """The numbers that are printed in a call, for programs that keep their results in no other place."""
    with redirect_stdout(io.StringIO()) as text:
        call()
    return [float(each) for each in re.findall(r"-?\d+\.?\d*(?:e[-+]\d+)?", text.getvalue())]


def _sets(statement: ast.stmt) -> set[str]:
    match statement:
        case ast.FunctionDef(name=name) | ast.ClassDef(name=name):
            return {name}
        case ast.Assign(targets=targets):
            return {each.id for target in targets for each in ast.walk(target) if isinstance(each, ast.Name)}
    return set()


def pictures(count: int, *shape: int, labelled: bool = False) -> Any:
    """A data set of random pictures, with numbers as labels where they are asked for."""
    import numpy as np
    import tensorflow as tf

    found = np.random.default_rng(0).integers(0, 256, (count, *shape), dtype=np.uint8)
    return tf.data.Dataset.from_tensor_slices((found, np.arange(count) % 10) if labelled else found)


def sums(dataset: Any, count: int) -> list[Any]:
    """The sum of each of the first items of a data set, which are pictures or start with one."""
    return [float((item[0] if isinstance(item, tuple) else item).numpy().sum()) for item in dataset.take(count)]
