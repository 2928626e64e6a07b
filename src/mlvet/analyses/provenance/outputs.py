"""What an output's expression stands for at the end of a replay."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from mlvet.core.errors import UsageError
from mlvet.runtime.provenance import arrays, functions
from mlvet.runtime.provenance import inputs as naming
from mlvet.runtime.provenance.replaying import Replay
from mlvet.runtime.provenance.scalars import ANY_TRACED
from mlvet.runtime.provenance.specification import Specification, specification
from mlvet.runtime.provenance.tape import TAPE

_MOST = 200_000
_SUBSCRIPT = re.compile(r"^(?P<parent>.*)\[(?P<key>[^\[\]]*)\]$", re.S)


@dataclass(frozen=True, slots=True)
class Output:
    """One number to explain, with its place: 0 if it hangs on no input."""

    name: str
    value: float
    place: int


def specifications(texts: tuple[str, ...]) -> tuple[Specification, ...]:
    """Those outputs that are caught while the program runs."""
    return tuple(each for each in map(specification, texts) if each is not None)


def outputs(texts: tuple[str, ...], replay: Replay) -> list[Output]:
    """The numbers that the expressions stand for; all numbers of a container."""
    with _reading(replay):
        return _found(texts, replay)


@contextmanager
def _reading(replay: Replay) -> Iterator[None]:
    """While expressions are evaluated, functions carry derivatives as they did in the program."""
    functions.installed(replay.found.wrapped)
    arrays.install()
    try:
        yield
    finally:
        arrays.uninstall()
        functions.removed()
        TAPE.close()


def _found(texts: tuple[str, ...], replay: Replay) -> list[Output]:
    found: list[Output] = []
    caught = {each.text: number for number, each in enumerate(replay.outputs)}
    for text in texts:
        spec = specification(text)
        if spec is not None:
            if caught[text] not in replay.kept:
                raise UsageError(f"--of {text}: the program never came there")
            name = text.removesuffix(spec.rest) if spec.rest else text
            value = replay.kept[caught[text]]
            value = _evaluated(f"value{spec.rest}", {"value": value}, text) if spec.rest else value
            found += numbers(value, (text if spec.rest else name,), text)
        else:
            found += numbers(_evaluated(text, _namespace(replay), text), (text,), text)
    return found


def _namespace(replay: Replay) -> dict[str, Any]:
    from mlvet import provenance

    return {**provenance.OUTPUTS, **replay.namespace}


def _evaluated(text: str, namespace: Mapping[str, Any], asked: str) -> Any:
    try:
        return eval(text, dict(namespace))
    except SyntaxError as error:
        raise UsageError(f"--of {asked}: not an expression: {error.msg}") from error
    except NameError as error:
        name = error.name or ""
        names = [each for each in namespace if not each.startswith("__")]
        raise UsageError(f"--of {asked}: the program leaves no name `{name}`{_near(name, names)}") from error
    except (KeyError, IndexError, AttributeError, TypeError) as error:
        raise UsageError(f"--of {asked}: {_lacks(asked, namespace, error)}") from error
    except Exception as error:  # properties and functions of the program may fail in their own way
        raise UsageError(f"--of {asked}: {type(error).__name__}: {error}") from error


def _near(name: str, names: list[str]) -> str:
    near = difflib.get_close_matches(name, names, 3, 0.5)
    if near:
        return f"; did you mean {' or '.join(near)}?"
    return f"; it leaves {', '.join(names[:10])}" if names else ""


def _lacks(asked: str, namespace: Mapping[str, Any], error: Exception) -> str:
    """Which key or attribute is missing, with the nearest ones that are there."""
    found = _SUBSCRIPT.match(asked)
    if isinstance(error, KeyError) and found:
        try:
            parent = eval(found["parent"], dict(namespace))
            wanted = naming.written_key(error.args[0]) if error.args else found["key"]
            keys = [naming.written_key(each) for _, each in zip(range(_MOST), parent, strict=False)]
        except Exception:  # any expression of the user's may fail in its own way
            return f"there is no {error}"
        near = difflib.get_close_matches(wanted, keys, 3, 0.5) or keys[:3]
        return f"`{found['parent']}` has no key {wanted}; the nearest are {', '.join(near)}"
    return f"{type(error).__name__}: {error}"


def numbers(value: Any, path: naming.Path, asked: str) -> list[Output]:
    """A number, or all numbers of a container."""
    found = list(_numbers(value, path, 0))
    if not found:
        raise UsageError(f"--of {asked}: is {type(value).__name__}, which holds no numbers")
    return found


def _numbers(value: Any, path: naming.Path, depth: int) -> Iterator[Output]:
    kind = type(value)
    if kind in ANY_TRACED:
        yield Output(naming.written(path), float(value.v), value.i)
    elif isinstance(value, int | float) and kind is not bool:
        yield Output(naming.written(path), float(value), 0)
    elif isinstance(value, Mapping) and depth < 6:
        for key, each in value.items():
            yield from _numbers(each, (path, "[", key), depth + 1)
    elif isinstance(value, list | tuple) and depth < 6:
        for index, each in enumerate(value):
            yield from _numbers(each, (path, "[", index), depth + 1)
    elif kind.__module__.partition(".")[0] in ("numpy", "scipy", "pandas", "torch", "jax", "jaxlib", "mlvet"):
        from mlvet.runtime.provenance import array_inputs

        for at, number, place in array_inputs.elements(value):
            yield Output(naming.written(naming.element(path, at)), number, place)
    elif hasattr(value, "__dict__") and depth < 3 and not callable(value):
        for name, each in vars(value).items():
            yield from _numbers(each, (path, ".", name), depth + 1)
