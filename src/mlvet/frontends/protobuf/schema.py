"""Message types from .proto texts that hold the fields we read, with the numbers their owners published."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files

from mlvet.core.errors import InternalError

VARINTS = frozenset({"int32", "int64", "uint32", "uint64", "bool", "enum"})
FIXED = {"float": ("<f4", 4), "double": ("<f8", 8), "fixed32": ("<u4", 4), "fixed64": ("<u8", 8)}


@dataclass(slots=True)
class Field:
    """One field of a message. `kind` is a scalar type, `enum`, or `message`, whose type is then `message`."""

    name: str
    number: int
    kind: str
    repeated: bool = False
    message: Message | None = None
    values: dict[str, int] | None = None


@dataclass(slots=True)
class Message:
    """A message type; a map field is a repeated message of `key` and `value`."""

    name: str
    fields: dict[int, Field] = field(default_factory=dict)
    by_name: dict[str, Field] = field(default_factory=dict)
    maps: frozenset[str] = frozenset()


@cache
def load(name: str) -> dict[str, Message]:
    """The message types of a .proto text beside this file."""
    text: str = (files(__package__) / f"{name}.proto").read_text(encoding="utf-8")
    return _Parser(text).messages


_TOKEN = re.compile(r'//[^\n]*|"[^"]*"|[A-Za-z_][\w.]*|-?\d+|[{}=;<>,\[\]]')


class _Parser:
    """Reads the part of the language that the texts use: messages, enums, oneofs, maps and fields."""

    def __init__(self, text: str) -> None:
        self._tokens: list[str] = [token for token in _TOKEN.findall(text) if not token.startswith("//")]
        self._next = 0
        self.messages: dict[str, Message] = {}
        self._enums: dict[str, dict[str, int]] = {}
        self._unresolved: list[tuple[Field, str, str]] = []
        while self._next < len(self._tokens):
            self._declaration("")
        for item, kind, scope in self._unresolved:
            self._resolve(item, kind, scope)

    def _take(self) -> str:
        self._next += 1
        token: str = self._tokens[self._next - 1]
        return token

    def _until(self, end: str) -> list[str]:
        start = self._next
        while self._take() != end:
            pass
        return self._tokens[start : self._next - 1]

    def _declaration(self, scope: str) -> None:
        match self._take():
            case "message":
                self._message(scope)
            case "enum":
                self._enum(scope)
            case _:
                self._until(";")

    def _message(self, scope: str) -> None:
        name = f"{scope}.{self._take()}".lstrip(".")
        self._take()
        self.messages[name] = Message(name)
        self._body(name)

    def _body(self, name: str) -> None:
        while (token := self._take()) != "}":
            if token == "message":
                self._message(name)
            elif token == "enum":
                self._enum(name)
            elif token == "oneof":
                self._until("{")
                self._body(name)
            else:
                self._field(name, [token, *self._until(";")])

    def _field(self, name: str, tokens: list[str]) -> None:
        message = self.messages[name]
        if tokens[0] == "map":
            _, _, key, _, value, _, label, _, number = tokens
            entry = self.messages[f"{name}.{label}"] = Message(f"{name}.{label}")
            self._add(entry, Field("key", 1, key), key, name)
            self._add(entry, Field("value", 2, value), value, name)
            item = Field(label, int(number), "message", repeated=True, message=entry)
            message.fields[item.number] = message.by_name[label] = item
            message.maps |= {label}
            return
        repeated = tokens[0] == "repeated"
        kind, label, _, number = [token for token in tokens if token not in ("repeated", "optional")][:4]
        self._add(message, Field(label, int(number), kind, repeated), kind, name)

    def _add(self, message: Message, item: Field, kind: str, scope: str) -> None:
        message.fields[item.number] = message.by_name[item.name] = item
        if kind not in VARINTS and kind not in FIXED and kind not in ("string", "bytes"):
            self._unresolved.append((item, kind, scope))

    def _enum(self, scope: str) -> None:
        name = f"{scope}.{self._take()}".lstrip(".")
        self._take()
        tokens = [token for token in self._until("}") if token not in "=;"]
        self._enums[name] = dict(zip(tokens[::2], map(int, tokens[1::2]), strict=True))

    def _resolve(self, item: Field, kind: str, scope: str) -> None:
        for candidate in _scopes(scope, kind):
            if candidate in self.messages:
                item.kind, item.message = "message", self.messages[candidate]
                return
            if candidate in self._enums:
                item.kind, item.values = "enum", self._enums[candidate]
                return
        raise InternalError(f"the schema has no type {kind}")


def _scopes(scope: str, kind: str) -> Iterator[str]:
    parts = scope.split(".")
    for length in range(len(parts), -1, -1):
        yield ".".join([*parts[:length], kind])
