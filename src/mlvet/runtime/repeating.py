"""The worker that makes calls of libraries again: a request in JSON on each line of its input, an answer on its output.

It is run as a file by an interpreter that has the libraries, and needs nothing of mlvet. It calls nothing but what a
request names, and only functions of the libraries that it lists. Tensors are ones, or zeros where they may be indices.
"""

from __future__ import annotations

import contextlib
import importlib
import json
import operator
import os
import re
import sys
from typing import Any

LIBRARIES = ("torch", "numpy", "tensorflow", "keras", "jax", "flax", "optax", "einops")
_MEMORY = 2 << 30
"""The address space that a call may take beyond what its libraries hold."""
_OF_BINDING = re.compile(
    r"unexpected keyword|positional argument|required argument|required positional|multiple values for|"
    r"invalid combination of arguments|must be [\w., ]+, not |is not subscriptable|not callable"
)
_NODE = re.compile(r"\{\{function_node [^}]*\}\} ?")
_LAZY = "flax.linen."
"""Layers that take whatever they are given first, which they were given elsewhere."""
_CALLS = ("__call__", "call", "forward")


class NotRebuilt(Exception):
    """A request asks for something that this environment cannot make."""


def main() -> None:
    """Answer requests until there are no more."""
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    for line in sys.stdin:
        answers.write(json.dumps(answer(json.loads(line))) + "\n")
        answers.flush()


def answer(request: dict[str, Any]) -> dict[str, Any]:
    """What comes of a call: that it raises, that it does not, or why it cannot be made."""
    try:
        versions = _import(request)
        _limit_memory()
        function, args, keywords = _prepared(request)
    except NotRebuilt as problem:
        return {"outcome": "unknown", "reason": str(problem)}
    except Exception as error:
        return {"outcome": "unknown", "reason": f"making its arguments fails: {_words(error)}"}
    try:
        _call(function, args, keywords)
    except (MemoryError, NotImplementedError, ImportError) as error:
        return {"outcome": "unknown", "reason": f"the trial could not be made: {_words(error)}"}
    except Exception as error:
        if isinstance(error, TypeError | AttributeError) and _OF_BINDING.search(str(error)):
            return {"outcome": "unknown", "reason": f"the trial could not be made: {_words(error)}"}
        return {"outcome": "raises", "exception": type(error).__name__, "words": _message(error), "library": versions}
    if any(name.startswith(_LAZY) for name in _mentioned(request)):
        return {"outcome": "unknown", "reason": "the layer has parameters made for other inputs, perhaps"}
    return {"outcome": "accepts", "library": versions}


def _call(function: Any, args: list[Any], keywords: dict[str, Any]) -> None:
    """Make a call; a function of which tensors have a method of that name may have been called as that method."""
    try:
        function(*args, **keywords)
    except TypeError as error:
        method = getattr(args[0], getattr(function, "__name__", ""), None) if args else None
        if method is None or not _OF_BINDING.search(str(error)):
            raise
        method(*args[1:], **keywords)


def _import(request: dict[str, Any]) -> str:
    """Import the libraries that a request speaks of; the first of them with its version."""
    tops = list(dict.fromkeys(name.split(".")[0] for name in _mentioned(request)))
    for top in tops:
        if top not in LIBRARIES:
            raise NotRebuilt(f"{top} is not a library whose calls are tried")
        try:
            importlib.import_module(top)
        except ImportError:
            raise NotRebuilt(f"{top} is not installed") from None
    if not tops:
        raise NotRebuilt("it is no call of a library")
    first = sys.modules[tops[0]]
    return f"{tops[0]} {getattr(first, '__version__', '')}".strip()


def _mentioned(value: Any) -> list[str]:
    """The names in a request: of functions and classes, one of each, and of kinds of tensors."""
    found: list[str] = []
    if isinstance(value, dict):
        for key, each in value.items():
            if key in ("names", "name"):
                found += each[:1]
            elif key == "tensor":
                found.append(each)
            elif key not in ("dims", "value", "dtype"):
                found += _mentioned(each)
    elif isinstance(value, list):
        for each in value:
            found += _mentioned(each)
    return found


def _limit_memory() -> None:
    try:
        import resource

        with open("/proc/self/statm", encoding="ascii") as file:
            held = int(file.read().split()[0]) * resource.getpagesize()
        _, hard = resource.getrlimit(resource.RLIMIT_AS)
        wanted = held + _MEMORY
        resource.setrlimit(resource.RLIMIT_AS, (wanted if hard < 0 else min(wanted, hard), hard))
    except (ImportError, OSError, ValueError):
        return


def _prepared(request: dict[str, Any]) -> tuple[Any, list[Any], dict[str, Any]]:
    maker = Maker(request)
    args, keywords = maker.arguments(request)
    if request["names"]:
        return _resolved(request["names"]), args, keywords
    method = request["method"]
    first = request["args"][0]
    if isinstance(first, dict) and "object" in first:
        return _method_of_object(args[0], method), args[1:], keywords
    if method.startswith("__"):
        plain = getattr(operator, method, None)
        if plain is not None:
            return plain, args, keywords
        swapped = getattr(operator, f"__{method[3:]}", None) if method.startswith("__r") else None
        if swapped is None:
            raise NotRebuilt(f"{method} is no operator")
        return swapped, args[::-1], keywords
    if not hasattr(args[0], method):
        raise NotRebuilt(f"the installed version has no method `{method}`")
    return getattr(args[0], method), args[1:], keywords


def _method_of_object(found: Any, method: str) -> Any:
    """A method of a layer or another object; modules of Flax have no parameters until they are initialised."""
    if method not in _CALLS:
        return getattr(found, method)
    if hasattr(found, "init_with_output"):
        random: Any = importlib.import_module("jax.random")
        return lambda *args, **keywords: found.init_with_output(random.key(0), *args, **keywords)
    return found


def _resolved(names: list[str]) -> Any:
    """The first of some dotted names that the installed libraries have."""
    for dotted in names:
        top, *rest = dotted.split(".")
        if top not in LIBRARIES:
            continue
        try:
            found: Any = importlib.import_module(top)
        except ImportError:
            continue
        path = top
        for part in rest:
            path = f"{path}.{part}"
            if not hasattr(found, part):
                with contextlib.suppress(ImportError):
                    importlib.import_module(path)
            found = getattr(found, part, None)
            if found is None:
                break
        if found is not None:
            return found
    raise NotRebuilt(f"the installed version has no `{names[0]}`")


class Maker:
    """The arguments of one request as objects of the libraries."""

    def __init__(self, request: dict[str, Any]) -> None:
        mentioned = _mentioned(request)
        self._library = mentioned[0].split(".")[0]

    def arguments(self, given: dict[str, Any]) -> tuple[list[Any], dict[str, Any]]:
        args = [self._value(each) for each in given["args"]]
        return args, {name: self._value(each) for name, each in given["keywords"].items()}

    def _value(self, value: Any) -> Any:
        if not isinstance(value, dict):
            return value
        if "tensor" in value:
            return tensor(value["tensor"], value)
        for key, make in (
            ("dtype", self._dtype), ("name", _resolved), ("object", self._object),
            ("list", lambda each: [self._value(item) for item in each]),
            ("tuple", lambda each: tuple(self._value(item) for item in each)),
            ("dict", lambda each: {self._value(name): self._value(item) for name, item in each}),
            ("slice", lambda each: slice(*map(self._value, each))),
            ("ellipsis", lambda _: Ellipsis),
        ):  # fmt: skip
            if key in value:
                return make(value[key])
        raise NotRebuilt("an argument is of an unknown kind")

    def _dtype(self, name: str) -> Any:
        if self._library == "torch":
            return getattr(sys.modules["torch"], name)
        return name

    def _object(self, made: dict[str, Any]) -> Any:
        """An object made as the program makes it, called once before if the program did, with the state it had."""
        args, keywords = self.arguments(made)
        found = _resolved(made["names"])(*args, **keywords)
        if made["first"] is not None and made["names"][0].split(".")[0] in ("keras", "tensorflow"):
            before, named = self.arguments(made["first"])
            found(*before, **named)
        for name, wanted in made["state"].items():
            held = getattr(found, name, None)
            if held is None or not hasattr(held, "shape"):
                continue
            if list(held.shape) != wanted["dims"]:
                raise NotRebuilt(f"the program changes `{name}` of the object after it is made")
            dtype = str(held.dtype).rpartition(".")[2]
            if dtype != wanted["dtype"] and hasattr(found, "to") and "float" in wanted["dtype"]:
                found = found.to(getattr(sys.modules["torch"], wanted["dtype"]))
        return found


def tensor(kind: str, wanted: dict[str, Any]) -> Any:
    """A tensor of a library with these sizes and this element type."""
    numpy: Any = importlib.import_module("numpy")
    dims, dtype = wanted["dims"], wanted["dtype"]
    plain = numpy.float32 if dtype == "bfloat16" else dtype
    if dtype == "object":
        raise NotRebuilt("it works on text")
    if "value" in wanted:
        array = numpy.asarray(wanted["value"]).astype(plain).reshape(dims)
    else:
        array = (numpy.ones if numpy.issubdtype(plain, numpy.inexact) else numpy.zeros)(dims, plain)
    top = kind.split(".")[0]
    library: Any = importlib.import_module("jax.numpy" if top == "jax" else top)
    match top:
        case "numpy":
            return array
        case "torch":
            return library.from_numpy(array).to(getattr(library, dtype))
        case "tensorflow":
            made = library.constant(array, dtype=dtype)
            return library.Variable(made) if kind.endswith("Variable") else made
        case "jax":
            return library.asarray(array, dtype=dtype)
        case "keras" if kind.endswith("Variable"):
            return library.Variable(array, dtype=dtype)
        case "keras":
            return library.ops.convert_to_tensor(array, dtype=dtype)
    raise NotRebuilt(f"tensors of {top} are not made")


def _message(error: BaseException) -> str:
    """What an exception says, its first lines in one."""
    lines = [line.strip() for line in _NODE.sub("", str(error)).splitlines() if line.strip()]
    return " ".join(lines[:4])[:400]


def _words(error: BaseException) -> str:
    return f"{type(error).__name__}: {_message(error)}"


if __name__ == "__main__":
    main()
