"""Runs programs with the libraries that they import and prints what came of each, one JSON a line.

python real_side.py < JOBS             the answers of agreement cases: a job is [text, program, sizes of each run]
python real_side.py --names < NAMES    those of the dotted names that do not exist

It runs in side environments too, whose Python may be as old as 3.7, and so imports nothing of this project.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import re
import sys
import tempfile
import types
import warnings
from collections.abc import Iterable, Mapping
from importlib import import_module
from itertools import islice
from typing import Any

os.environ.update({"TF_CPP_MIN_LOG_LEVEL": "3", "CUDA_VISIBLE_DEVICES": "-1", "JAX_PLATFORMS": "cpu"})
os.environ.update(
    {"TF_ENABLE_ONEDNN_OPTS": "0", "MPLBACKEND": "agg", "KERAS_BACKEND": "tensorflow", "HF_HUB_OFFLINE": "1"}
)

ANSWER = "answer"
"""The name that a program gives to what is asked of it."""
MOST = 20
"""Of longer iterators and arrays the elements are not told."""

Json = Any


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
    if value is None:
        return {"kind": "none"}
    if isinstance(value, (bool, int, str)):
        return {"kind": type(value).__name__ if type(value) in (bool, int, str) else "object", "value": value}
    if isinstance(value, (float, complex, bytes)):
        return {"kind": type(value).__name__, "value": repr(value)}
    if isinstance(value, slice):
        return {"kind": "slice"}
    module = type(value).__module__.partition(".")[0]
    if type(value).__name__ in ("dtype", "DType") or (module in ("numpy", "torch") and hasattr(value, "itemsize")):
        return {"kind": "dtype", "value": _type_name(value)}
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
    if isinstance(value, (list, tuple, dict, str)) or not (hasattr(value, "shape") and hasattr(value, "dtype")):
        return None
    if kind in ("TensorSpec", "DataFrame", "Series", "ShapeDtypeStruct", "InputSpec", "RaggedTensor", "SparseTensor"):
        return {"kind": "object", "type": kind}
    try:
        dims = None if value.shape is None else [_size(dim) for dim in value.shape]
    except (TypeError, ValueError):
        dims = None
    dtype = _type_name(value.dtype)
    form: Json = {"kind": "tensor", "dtype": dtype, "shape": dims}
    if any(base.__name__ == "generic" and base.__module__ == "numpy" for base in type(value).__mro__):
        form["scalar"] = True
    if dims is not None and None not in dims and kind != "KerasTensor" and ("int" in dtype or "bool" in dtype):
        with contextlib.suppress(Exception):
            import numpy as np

            elements = np.asarray(value).reshape(-1).tolist()
            if len(elements) <= MOST and all(isinstance(each, (bool, int)) for each in elements):
                form["elements"] = elements
    return form


def _size(dim: Any) -> int | None:
    dim = getattr(dim, "value", dim)
    return None if dim is None else int(dim)


def _type_name(dtype: Any) -> str:
    return re.sub(r"^torch\.|_ref$", "", str(getattr(dtype, "name", dtype)))


def _container(value: Any, depth: int) -> Json | None:
    def all_of(items: Iterable[Any]) -> list[Json] | None:
        found = list(islice(iter(items), MOST + 1))
        return [described(each, depth + 1) for each in found] if len(found) <= MOST else None

    if isinstance(value, (tuple, list)):
        return {"kind": "tuple" if isinstance(value, tuple) else "list", "items": all_of(value)}
    if isinstance(value, (set, frozenset)):
        return {"kind": "set", "items": None}
    if isinstance(value, dict):
        return {"kind": "dict", "keys": all_of(value.keys()), "items": all_of(value.values())}
    if isinstance(value, range):
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
            return described(names[ANSWER])
    except (NameError, ImportError, SyntaxError) as error:
        return {"kind": "faulty", "type": type(error).__name__, "message": _message(error)}
    except Exception as error:
        return {"kind": "raises", "type": type(error).__name__, "message": _message(error)}


def _message(error: Exception) -> str:
    """The beginning of what an error says, without the paths of this machine."""
    return re.sub(r"(/[\w.+-]+){2,}/?", "...", str(error))[:120]


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
                    thing = _imported(".".join(parts[:index]), part)
                except Exception:
                    found.append(name)
                    break
            except LookupError:  # it is there, but its data are not
                break
    return found


def _imported(module: str, name: str) -> Any:
    """What an import statement finds by a name that is no attribute of the same path."""
    try:
        return import_module(f"{module}.{name}")
    except ImportError:
        return getattr(import_module(module), name)


def main(arguments: list[str]) -> None:
    output = sys.stdout
    if arguments == ["--names"]:
        with contextlib.redirect_stdout(io.StringIO()), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            absent = missing(sys.stdin.read().split())
        print(json.dumps(absent), file=output)
        return
    jobs = [json.loads(line) for line in sys.stdin]
    with tempfile.TemporaryDirectory() as scratch:
        os.chdir(scratch)
        for text, program, draws in jobs:
            told = [outcome(program, sizes) for sizes in draws]
            print(json.dumps([text, told], separators=(",", ":")), file=output, flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
