"""The tokens of the text form of a graph, read from the first to the last."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any, NoReturn, TypeAlias

from mlvet.core.errors import UnsupportedInput
from mlvet.ir.text import NAME, WORD

_STRING = r'"(?:[^"\\\n]|\\.)*"'
_TOKEN = re.compile(
    rf"""(?P<space>[ \t\r]+) | (?P<line>\n) | (?P<string>{_STRING}) | (?P<size>`[^`\n]*`)
    | (?P<value>%(?:{NAME.pattern}|{_STRING})) | (?P<node>@(?:{NAME.pattern}|{_STRING}))
    | (?P<number>-?[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?) | (?P<rest>\.\.\.) | (?P<head>mlvet-graph)
    | (?P<word>-inf|{WORD.pattern}) | (?P<mark>[][(){{}}<>=:,?+*/%-])""",
    re.VERBOSE | re.ASCII,
)

Token: TypeAlias = tuple[str, str, int, int]
"""Kind, text, offset of the first character, number of the line."""


class Tokens:
    """The tokens of a text and how far they are read; what does not fit raises UnsupportedInput with its line."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.tokens = _tokens(text)
        self.position = 0

    def fail(self, message: str, line: int | None = None) -> NoReturn:
        number = self.tokens[self.position][3] if line is None else line
        raise UnsupportedInput(f"line {number} of the text form of a graph: {message}")

    def take(self, kind: str, text: str | None = None) -> str:
        found, content, _, _ = self.tokens[self.position]
        if found != kind or (text is not None and content != text):
            self.fail(f"expected {text or kind}, but found {content or found!r}")
        self.position += 1
        return content

    def sees(self, kind: str, text: str | None = None, ahead: int = 0) -> bool:
        found, content, _, _ = self.tokens[min(self.position + ahead, len(self.tokens) - 1)]
        return found == kind and (text is None or content == text)

    def accept(self, kind: str, text: str | None = None) -> bool:
        if self.sees(kind, text):
            self.position += 1
            return True
        return False

    def several(self, closing: str, item: Callable[[], Any]) -> list[Any]:
        """Items between commas up to a closing mark; one comma may follow the last."""
        found = []
        while not self.accept("mark", closing):
            found.append(item())
            if not self.sees("mark", closing):
                self.take("mark", ",")
        return found

    def end(self) -> None:
        if not self.sees("end"):
            self.take("line")

    def string(self) -> str:
        return self.unquote(self.take("string"))

    def unquote(self, content: str) -> str:
        try:
            return str(json.loads(content, strict=False))
        except ValueError:
            self.fail(f"{content} is not a string")

    def word(self) -> str:
        return self.string() if self.sees("string") else self.take("word")

    def number(self) -> int | float:
        content = self.take("number")
        try:
            return int(content) if content.lstrip("-").isdigit() else float(content)
        except ValueError:
            self.fail("a number is too long")

    def whole(self) -> int:
        number = self.number()
        if not isinstance(number, int):
            self.fail(f"{number} is not a whole number")
        return number

    def named(self, kind: str) -> str:
        content = self.take(kind)[1:]
        return self.unquote(content) if content.startswith('"') else content

    def choice(self, words: tuple[str, ...]) -> str:
        word = self.take("word")
        if word not in words:
            self.position -= 1
            self.fail(f"expected one of {', '.join(words)}, but found {word}")
        return word

    def blank(self) -> None:
        while self.accept("line"):
            pass


def _tokens(text: str) -> list[Token]:
    tokens: list[Token] = []
    position, line = 0, 1
    while position < len(text):
        match = _TOKEN.match(text, position)
        if match is None:
            raise UnsupportedInput(f"line {line} of the text form of a graph: unexpected {text[position]!r}")
        kind = match.lastgroup or ""
        if kind != "space":
            tokens.append((kind, match.group(), position, line))
        line += kind == "line"
        position = match.end()
    tokens.append(("end", "", position, line))
    return tokens
