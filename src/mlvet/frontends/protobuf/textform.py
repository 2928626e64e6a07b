"""The text form of protocol buffers, read by the same schema into the same records as the binary form."""

from __future__ import annotations

import re
from typing import Any

from mlvet.frontends.protobuf.schema import FIXED, VARINTS, Field, Message
from mlvet.frontends.protobuf.wire import DEEPEST, Malformed, Record

_GAP = re.compile(r"(?:\s+|#[^\n]*)*")
_TOKEN = re.compile(
    r"""(?P<name>[A-Za-z_][\w]*)
    |(?P<number>-?\s*(?:0[xX][0-9a-fA-F]+|(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?[fF]?|inf(?:inity)?\b|nan\b))
    |(?P<string>"[^"\\\n]*(?:\\.[^"\\\n]*)*"|'[^'\\\n]*(?:\\.[^'\\\n]*)*')
    |(?P<mark>[{}<>\[\]:;,./-])""",
    re.VERBOSE | re.DOTALL,
)
_ESCAPE = re.compile(rb"\\(?:([0-7]{1,3})|[xX]([0-9a-fA-F]{1,2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|(.))", re.DOTALL)
_LETTERS = {b"a": b"\a", b"b": b"\b", b"f": b"\f", b"n": b"\n", b"r": b"\r", b"t": b"\t", b"v": b"\v"}
_CLOSES = {"{": "}", "<": ">"}
_BOUNDS = {"int32": (-(1 << 31), (1 << 31) - 1), "uint32": (0, (1 << 32) - 1), "uint64": (0, (1 << 64) - 1)}


def parse(text: str, message: Message) -> Record:
    """The message that a text holds; unknown fields are passed over, and a mistake is told with its line."""
    reader = _Reader(text)
    record = reader.fields(message, "", 0)
    if reader.kind != "end":
        raise reader.wrong("expected the name of a field")
    return record


class _Reader:
    """One token of look-ahead over the text; nesting is bounded as in the binary form."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._end = 0
        self._start = 0
        self.kind = ""
        self.token = ""
        self._advance()

    def wrong(self, what: str) -> Malformed:
        line = self._text.count("\n", 0, self._start) + 1
        found = "the end of the file" if self.kind == "end" else f"`{self.token[:40]}`"
        return Malformed(f"line {line}: {what}, found {found}")

    def fields(self, message: Message | None, close: str, depth: int) -> Record:
        """The fields up to `close`; those of an unknown message are only passed over."""
        if depth > DEEPEST:
            raise self.wrong(f"messages are nested deeper than {DEEPEST}")
        record = Record(message) if message is not None else Record(Message("unknown"))
        while not (self.kind == "end" or (self.kind == "mark" and self.token == close)):
            item = self._field_name(message)
            self._field(record, item, depth)
            if self.kind == "mark" and self.token in ",;":
                self._advance()
        if close and self.kind == "end":
            raise self.wrong(f"expected `{close}`")
        return record

    def _field_name(self, message: Message | None) -> Field | None:
        if self._is("["):
            while not self._is("]"):
                if self.kind == "end":
                    raise self.wrong("expected `]`")
                self._advance()
            self._advance()
            return None
        if self.kind != "name":
            raise self.wrong("expected the name of a field")
        name = self.token
        self._advance()
        return message.by_name.get(name) if message is not None else None

    def _field(self, record: Record, item: Field | None, depth: int) -> None:
        colon = self._is(":")
        if colon:
            self._advance()
        if self._is("["):
            self._advance()
            while not self._is("]"):
                self._value(record, item, depth)
                if self._is(","):
                    self._advance()
                elif not self._is("]"):
                    raise self.wrong("expected `,` or `]`")
            self._advance()
        elif colon or (self.kind == "mark" and self.token in _CLOSES):
            self._value(record, item, depth)
        else:
            raise self.wrong("expected `:` or `{`")

    def _value(self, record: Record, item: Field | None, depth: int) -> None:
        if self.kind == "mark" and self.token in _CLOSES:
            close = _CLOSES[self.token]
            if item is not None and item.kind != "message":
                raise self.wrong(f"expected a {item.kind} for {item.name}")
            self._advance()
            inner = self.fields(item.message if item is not None else None, close, depth + 1)
            self._advance()
            if item is not None:
                self._store(record, item, inner)
            return
        if item is None:
            self._skip_scalar()
        elif item.kind == "message":
            raise self.wrong(f"expected `{{` for {item.name}")
        else:
            self._store(record, item, self._scalar(item))

    def _store(self, record: Record, item: Field, value: Any) -> None:
        values = record.__dict__
        if item.name in record._type.maps:
            values.setdefault(item.name, {})[value.key] = value.value
        elif item.repeated:
            values.setdefault(item.name, []).append(value)
        else:
            values[item.name] = value

    def _skip_scalar(self) -> None:
        if self._is("-"):
            self._advance()
        if self.kind not in ("name", "number", "string"):
            raise self.wrong("expected a value")
        string = self.kind == "string"
        self._advance()
        while string and self.kind == "string":
            self._advance()

    def _scalar(self, item: Field) -> Any:
        if item.kind in ("string", "bytes"):
            return self._string(item)
        token, kind = self.token.replace(" ", ""), self.kind
        value: Any = None
        if item.kind == "enum" and kind == "name":
            value = (item.values or {}).get(token, 0)
        elif item.kind == "bool" and token in ("true", "True", "t", "1", "false", "False", "f", "0"):
            value = token in ("true", "True", "t", "1")
        elif item.kind in ("float", "double"):
            value = _float(token)
        elif item.kind in FIXED or item.kind in VARINTS:
            value = _integer(token, item.kind)
        if value is None:
            raise self.wrong(f"expected a {item.kind} for {item.name}")
        self._advance()
        return value

    def _string(self, item: Field) -> Any:
        if self.kind != "string":
            raise self.wrong(f"expected a quoted text for {item.name}")
        parts = []
        while self.kind == "string":
            parts.append(_unescaped(self.token[1:-1]))
            self._advance()
        joined = b"".join(parts)
        if item.kind == "bytes":
            return memoryview(joined)
        try:
            return joined.decode("utf-8")
        except UnicodeDecodeError:
            raise self.wrong(f"{item.name} is no text") from None

    def _is(self, mark: str) -> bool:
        return self.kind == "mark" and self.token == mark

    def _advance(self) -> None:
        gap = _GAP.match(self._text, self._end)
        self._start = gap.end() if gap else self._end
        if self._start >= len(self._text):
            self.kind, self.token = "end", ""
            return
        match = _TOKEN.match(self._text, self._start)
        if match is None:
            self.kind, self.token = "mark", self._text[self._start]
            raise self.wrong("expected a name, a number, a text or a bracket")
        self._end = match.end()
        self.kind, self.token = str(match.lastgroup), match.group()


def _unescaped(text: str) -> bytes:
    raw = text.encode("utf-8", "surrogatepass")
    return _ESCAPE.sub(_escape, raw) if b"\\" in raw else raw


def _escape(match: re.Match[bytes]) -> bytes:
    octal, hexadecimal, short, long, letter = match.groups()
    if octal is not None:
        return bytes([int(octal, 8) & 0xFF])
    if hexadecimal is not None:
        return bytes([int(hexadecimal, 16)])
    if short is not None or long is not None:
        code = int(short or long, 16)
        return chr(code).encode("utf-8", "surrogatepass") if code < 0x110000 else b"?"
    return _LETTERS.get(letter, letter)


def _float(token: str) -> float | None:
    try:
        return float(token) if token[-1:] not in "fF" or token.endswith("inf") else float(token[:-1])
    except ValueError:
        return None


def _integer(token: str, kind: str) -> int | None:
    sign, digits = (-1, token[1:]) if token.startswith("-") else (1, token)
    if len(digits) > 30 or not digits[:1].isdigit():
        return None
    try:
        base = 16 if digits[:2] in ("0x", "0X") else 8 if digits.startswith("0") else 10
        value = sign * int(digits, base)
    except ValueError:
        return None
    low, high = _BOUNDS.get(kind, (-(1 << 63), (1 << 64) - 1))
    return value if low <= value <= high else None
