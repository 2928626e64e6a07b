"""Runs the agreement cases of one library with the library itself and prints what came of each, one JSON a line.

python real_side.py LIBRARY            the answers of its cases
python real_side.py --names NAME ...   those of the dotted names that do not exist
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import sys
import tempfile
import types
import warnings
from collections.abc import Iterable, Mapping
from importlib import import_module
from itertools import islice
from typing import Any

os.environ |= {"TF_CPP_MIN_LOG_LEVEL": "3", "CUDA_VISIBLE_DEVICES": "-1", "JAX_PLATFORMS": "cpu"}
os.environ |= {"TF_ENABLE_ONEDNN_OPTS": "0", "MPLBACKEND": "agg", "HF_HUB_OFFLINE": "1"}
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import library_cases

MOST = 20
"""Of longer iterators and arrays the elements are not told."""

Json = dict[str, Any]


def described(value: Any, depth: int = 0) -> Json:
    """What the comparison asks of a value, in plain JSON."""
    if depth > 8:
        return {"kind": "anything"}
    for of in (_array, _plain, _container):
        found = of(value, depth)
        if found is not None:
            return found
    if isinstance(value, type) or (callable(value) and not hasattr(value, "__dict__")):
        return {"kind": "callable", "type": getattr(value, "__name__", "")}
    if isinstance(value, types.ModuleType):
        return {"kind": "module", "type": value.__name__}
    return {"kind": "object", "type": type(value).__name__}


def _plain(value: Any, depth: int) -> Json | None:
    del depth
    match value:
        case None:
            return {"kind": "none"}
        case bool() | int() | str():
            return {"kind": type(value).__name__ if type(value) in (bool, int, str) else "object", "value": value}
        case float() | complex() | bytes():
            return {"kind": type(value).__name__, "value": repr(value)}
        case slice():
            return {"kind": "slice"}
    module = type(value).__module__.partition(".")[0]
    if type(value).__name__ in ("dtype", "DType") or (module in ("numpy", "torch") and hasattr(value, "itemsize")):
        return {"kind": "dtype", "value": str(getattr(value, "name", value)).removeprefix("torch.")}
    if isinstance(value, type) and value.__module__ in ("numpy", "jax.numpy", "ml_dtypes"):
        return {"kind": "dtype", "value": value.__name__}
    return None


def _array(value: Any, depth: int) -> Json | None:
    """A tensor, array or NumPy scalar: its element type, its shape, and its elements if they are few integers."""
    del depth
    if isinstance(value, type):
        return None
    kind = type(value).__name__
    if kind == "TensorShape":
        return described(None if value.rank is None else tuple(value.as_list()))
    if isinstance(value, list | tuple | dict | str) or not (hasattr(value, "shape") and hasattr(value, "dtype")):
        return None
    if kind in ("TensorSpec", "DataFrame", "Series", "ShapeDtypeStruct", "InputSpec", "RaggedTensor", "SparseTensor"):
        return {"kind": "object", "type": kind}
    try:
        dims = None if value.shape is None else [None if dim is None else int(dim) for dim in value.shape]
    except (TypeError, ValueError):
        dims = None
    dtype = str(getattr(value.dtype, "name", value.dtype)).removeprefix("torch.")
    form: Json = {"kind": "tensor", "dtype": dtype, "shape": dims}
    if any(base.__name__ == "generic" and base.__module__ == "numpy" for base in type(value).__mro__):
        form["scalar"] = True
    if dims is not None and None not in dims and kind != "KerasTensor" and ("int" in dtype or "bool" in dtype):
        with contextlib.suppress(Exception):
            import numpy as np

            elements = np.asarray(value).reshape(-1).tolist()
            if len(elements) <= MOST:
                form["elements"] = elements
    return form


def _container(value: Any, depth: int) -> Json | None:
    def all_of(items: Iterable[Any]) -> list[Json] | None:
        found = list(islice(iter(items), MOST + 1))
        return [described(each, depth + 1) for each in found] if len(found) <= MOST else None

    match value:
        case tuple():
            return {"kind": "tuple", "items": all_of(value)}
        case list():
            return {"kind": "list", "items": all_of(value)}
        case set() | frozenset():
            return {"kind": "set", "items": None}
        case Mapping() if isinstance(value, dict):
            return {"kind": "dict", "keys": all_of(value.keys()), "items": all_of(value.values())}
        case range():
            return {"kind": "iterator", "items": all_of(value)}
    kind = type(value).__name__
    views = ("dict_keys", "dict_values", "dict_items", "generator", "map", "zip", "filter", "enumerate", "reversed")
    if type(value).__module__ in ("builtins", "itertools") and (kind in views or kind.endswith("iterator")):
        return {"kind": "iterator", "items": all_of(value)}
    return None


def outcome(program: str, sizes: Mapping[str, int]) -> Json:
    """The description of what a program puts into `answer`, or of what it raises."""
    names: dict[str, Any] = dict(sizes)
    silent = io.StringIO()
    try:
        with warnings.catch_warnings(), contextlib.redirect_stdout(silent), contextlib.redirect_stderr(silent):
            warnings.simplefilter("ignore")
            exec(compile(program, "<case>", "exec"), names)
            return described(names[library_cases.ANSWER])
    except (NameError, ImportError, SyntaxError) as error:
        return {"kind": "faulty", "type": type(error).__name__, "message": str(error)[:200]}
    except Exception as error:
        return {"kind": "raises", "type": type(error).__name__, "message": str(error)[:200]}


def missing(names: Iterable[str]) -> list[str]:
    """The dotted names that the installed libraries do not have; those of libraries that are not installed are left."""
    found = []
    for name in names:
        parts = name.split(".")
        try:
            thing: Any = import_module(parts[0])
        except ImportError:
            continue
        for index, part in enumerate(parts[1:], 1):
            try:
                thing = getattr(thing, part)
            except (AttributeError, ImportError):
                try:
                    thing = import_module(".".join(parts[: index + 1]))
                except ImportError:
                    found.append(name)
                    break
    return found


def main(arguments: list[str]) -> None:
    output = sys.stdout
    if arguments[0] == "--names":
        with contextlib.redirect_stdout(io.StringIO()), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            absent = missing(arguments[1:] or sys.stdin.read().split())
        print(json.dumps(absent), file=output)
        return
    with tempfile.TemporaryDirectory() as scratch:
        os.chdir(scratch)
        for file in library_cases.files(arguments[0]):
            for case in library_cases.cases(file):
                told = [outcome(case.program, sizes) for sizes in library_cases.draws(case)]
                print(json.dumps([case.place, told]), file=output, flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
