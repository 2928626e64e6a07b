"""What was seen at each place of the program: the value of calls and assignments, as far as it is known."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from mlvet.domains.dims import Dim, Expr, symbol, symbols
from mlvet.domains.tensors import Tensor, Unranked
from mlvet.frontends.python.values.choices import Choice
from mlvet.frontends.python.values.containers import DictValue, ListValue, Repeated
from mlvet.frontends.python.values.numbers import Scalar
from mlvet.frontends.python.values.tensors import TensorValue, tensor_of
from mlvet.frontends.python.values.unknown import Unknown


@dataclass(slots=True)
class Observation:
    """How often a place was evaluated, and what its value was the last time and in how many kinds of ways.

    It `varies` if it was a number or a text, and not the same one each time.
    """

    value: Any = None
    name: str = ""
    seen: Counter[str] = field(default_factory=Counter)
    unmodelled: str = ""
    varies: bool = False

    def add(self, value: Any) -> None:
        known = knowledge(value)
        if self.seen and any(isinstance(each, int | float | str) for each in (self.value, value)):
            self.varies = self.varies or type(self.value) is not type(value) or self.value != value
        if known != "unknown" or not self.seen:
            self.value = value
        self.seen[known] += 1

    @property
    def knowledge(self) -> str:
        """What was seen most often: `dims`, `rank` or `tensor` for tensors, `other` for what is none, `unknown`."""
        return max(self.seen, key=lambda each: (self.seen[each], -LEVELS.index(each))) if self.seen else "unknown"


LEVELS = ("dims", "other", "rank", "tensor", "unknown")
_DEEPEST = 4


def knowledge(value: Any, depth: int = 0) -> str:
    """How much is known of a value: of the least known tensor in it, if there is one."""
    match value:
        case TensorValue():
            shape = tensor_of(value).shape
            if isinstance(shape, Unranked):
                return "tensor"
            return "dims" if all(map(is_named, shape)) else "rank"
        case Unknown():
            return "unknown"
        case Choice():
            parts = [part for _, part in value.alternatives if part is not None]
        case tuple() | list():
            parts = list(value)
        case ListValue():
            items = value.cells["items"]
            parts = (
                [items.element] if isinstance(items, Repeated) else list(items) if isinstance(items, tuple) else [items]
            )
        case DictValue():
            parts = [*value.cells.values(), *([value.rest] if value.rest is not None else [])]
        case _:
            return "other"
    if depth >= _DEEPEST or not parts:
        return "other"
    levels = [knowledge(part, depth + 1) for part in parts[:64]]
    tensors = [level for level in levels if level in ("dims", "rank", "tensor")]
    if "unknown" in levels and not tensors:
        return "unknown"
    return max(tensors, key=LEVELS.index) if tensors else "other"


def is_named(dim: Dim) -> bool:
    """Whether a size is a number or made of symbols that the program or a data set names, none of them anonymous."""
    return isinstance(dim, int) or not any("." in each.name for each in symbols(dim))


def described(value: Any, depth: int = 0) -> str:
    """A value in the words of `mlvet shapes`; empty where there is nothing to say."""
    match value:
        case TensorValue():
            return str(_shown(tensor_of(value)))
        case Unknown():
            return f"? ({value.reason.value}{f': {value.detail}' if value.detail else ''})"
        case Choice():
            words = list(dict.fromkeys(described(part, depth + 1) or repr(part) for _, part in value.alternatives))
            return " | ".join(words[:4])
        case tuple() | list() if value and depth < 3:
            return f"({', '.join(described(part, depth + 1) or _plain(part) for part in value[:8])})"
        case ListValue() if depth < 3:
            items = value.cells["items"]
            if isinstance(items, Choice):
                return described(items, depth + 1)
            if isinstance(items, Repeated):
                inner = described(items.element, depth + 1) or _plain(items.element)
                return f"[{inner}] * {_named_or_not(items.length)}"
            if not any(described(part, depth + 1) for part in items[:8]):
                return ""
            rest = ", ..." if len(items) > 8 else ""
            return f"[{', '.join(described(part, depth + 1) or _plain(part) for part in items[:8])}{rest}]"
        case DictValue() if depth < 3 and value.cells:
            shown = [(key, described(part, depth + 1)) for key, part in list(value.cells.items())[:8]]
            if not any(text for _, text in shown):
                return ""
            return f"{{{', '.join(f'{key!r}: {text}' for key, text in shown if text)}}}"
        case Expr() if is_named(value):
            return str(value)
    return ""


def _shown(tensor: Tensor) -> Tensor:
    """A description for people, to whom the names of anonymous sizes say nothing."""
    if isinstance(tensor.shape, Unranked):
        return tensor.without_value()
    return Tensor(tensor.dtype, tuple(map(_named_or_not, tensor.shape)))


def _named_or_not(dim: Dim) -> Dim:
    return dim if is_named(dim) else symbol("?")


def _plain(value: Any) -> str:
    if isinstance(value, int | float | str | bool | Expr) or value is None:
        text = repr(value) if not isinstance(value, Expr) else str(_named_or_not(value))
        return text if len(text) < 30 else "..."
    if isinstance(value, Scalar):
        return value.kind.__name__
    return type(value).__name__
