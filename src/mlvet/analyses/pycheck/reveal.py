"""The whole type of an expression, asked of the type checker by wrapping it in `reveal_type`.

A checker that says "`int` has no attribute `item`" does not say whether the object is an `int` or an `int | Tensor`.
Only the first is a crash. Copies of the files in question, with the receivers wrapped, are checked once more.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from mlvet.analyses.pycheck.checker import Diagnosis, Request
from mlvet.analyses.pycheck.overlay import overlay
from mlvet.core.source import Source, split_lines

Span = tuple[int, int, int, int]


@dataclass(frozen=True, slots=True)
class Question:
    """An expression of a file whose type is wanted; its span counts from 1 in characters."""

    path: str
    span: Span


@dataclass(frozen=True, slots=True)
class Look:
    """A second look at some files: what is asked of each, where its copy is, and the request that answers."""

    asked: Mapping[str, list[Question]]
    copies: Mapping[str, str]
    request: Request

    def types(self, answers: Iterable[Diagnosis]) -> dict[Question, str]:
        """The types learned from the checker's answers."""
        return _matched(self.asked, self.copies, answers)


def look_again(questions: Iterable[Question], sources: Mapping[str, Source], request: Request) -> Look:
    """Copies of the files in question with the expressions wrapped, ready to be checked."""
    by_path: dict[str, list[Question]] = defaultdict(list)
    for question in sorted(
        set(questions), key=lambda asked: (asked.path, asked.span[:2], [-end for end in asked.span[2:]])
    ):
        by_path[question.path].append(question)
    folder = request.workdir / "overlay"
    copies: dict[str, str] = {}
    for path, asked in by_path.items():
        copy = overlay(Path(path), request.base, folder)
        copy.write_text(_wrapped(sources[path].text, asked), encoding="utf-8")
        copies[str(copy)] = path
    first = tuple(
        folder / start.relative_to(request.base) if start.is_relative_to(request.base) else start
        for start in request.first
    )
    return Look(by_path, copies, replace(request, files=tuple(map(Path, copies)), base=folder, first=first))


def _wrapped(text: str, questions: list[Question]) -> str:
    """The text with `reveal_type(...)` around each expression; edits run from the end, inner before outer."""
    lines = split_lines(text)
    inserts: list[tuple[int, int, int, str]] = []
    for order, question in enumerate(questions):
        line, column, end_line, end_column = question.span
        inserts.append((line, column, order, "reveal_type("))
        inserts.append((end_line, end_column, -1 - order, ")"))
    for line, column, _, piece in sorted(inserts, reverse=True):
        lines[line - 1] = lines[line - 1][: column - 1] + piece + lines[line - 1][column - 1 :]
    return "".join(lines)


def _matched(
    by_path: Mapping[str, list[Question]], copies: Mapping[str, str], answers: Iterable[Diagnosis]
) -> dict[Question, str]:
    revealed: dict[str, list[Diagnosis]] = defaultdict(list)
    for answer in answers:
        if answer.code == "reveal-type" and answer.path in copies:
            revealed[copies[answer.path]].append(answer)
    types: dict[Question, str] = {}
    for path, asked in by_path.items():
        told = sorted(revealed[path], key=lambda answer: (answer.line, answer.column))
        if len(told) == len(asked):
            types.update({question: _type_of(answer) for question, answer in zip(asked, told, strict=True)})
    return types


def _type_of(answer: Diagnosis) -> str:
    return answer.message.removeprefix("revealed type: ").split("\n")[0]


def members(type_text: str) -> list[str]:
    """The members of a union at its top level: `dict[str, int | None] | None` has two."""
    found, depth, current = [], 0, ""
    for character in type_text:
        depth += (character in "[(") - (character in "])")
        if character == "|" and depth == 0:
            found.append(current.strip())
            current = ""
        else:
            current += character
    return [*found, current.strip()]


def class_name(type_text: str) -> str:
    """The class behind a type: `Literal['a']` is `str`, `list[int]` is `list`, `None` is `NoneType`."""
    literal = re.match(r"Literal\[(.*)\]$", type_text)
    if literal:
        first = literal.group(1).lstrip("-")
        if first.startswith(("b'", 'b"')):
            return "bytes"
        return "bool" if first in ("True", "False") else "int" if first[:1].isdigit() else "str"
    if type_text.startswith("type["):
        return f"type[{class_name(type_text[5:-1])}]"
    head = re.split(r"[\[(]", type_text, maxsplit=1)[0]
    name = {"None": "NoneType", "LiteralString": "str"}.get(head, head.rsplit(".", 1)[-1])
    return name if name.replace("Self@", "").isidentifier() else "Unknown"
