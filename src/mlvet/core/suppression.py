"""Comments that silence findings: `# mlvet: ignore[rule-name]`."""

from __future__ import annotations

import io
import re
import tokenize
from dataclasses import dataclass

from mlvet.core.source import Source

_COMMENT = re.compile(r"#\s*mlvet:\s*ignore(?:\[(?P<rules>[^\]]*)\])?(?=\s|#|$)")


@dataclass(frozen=True, slots=True)
class Suppression:
    """One comment: it covers flat lines `first` to `last` for `rules`, or for every rule if `rules` is None.

    `line`, `column` and `end_column` are the comment's own place.
    """

    rules: tuple[str, ...] | None
    first: int
    last: int
    line: int
    column: int
    end_column: int

    def covers(self, line: int) -> bool:
        return self.first <= line <= self.last


def suppressions(source: Source) -> list[Suppression]:
    """The suppressions of a file, in order.

    A comment after code covers the whole logical line that it ends or stands in. A comment on a line of
    its own covers the next logical line. From where a file is no longer Python, a comment covers its own line.
    """
    if "mlvet:" not in source.text:
        return []
    found: list[Suppression] = []
    comments: list[tuple[int, int, str]] = []
    start: int | None = None
    done = 0
    try:
        for token in tokenize.generate_tokens(io.StringIO(source.text, newline=None).readline):
            done = token.end[0]
            if token.type == tokenize.COMMENT:
                comments.append((*token.start, token.string))
            elif token.type == tokenize.NEWLINE:
                found += _parse(comments, start or token.start[0], token.end[0])
                comments, start = [], None
            elif token.type not in (tokenize.NL, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER):
                start = token.start[0] if start is None else start
    except (tokenize.TokenError, SyntaxError):
        rest = enumerate(source.lines[done:], done + 1)
        comments += [(number, line.index("#"), line[line.index("#") :]) for number, line in rest if "#" in line]
    for comment in comments:
        found += _parse([comment], comment[0], comment[0])
    return found


def _parse(comments: list[tuple[int, int, str]], first: int, last: int) -> list[Suppression]:
    parsed = []
    for line, column, text in comments:
        match = _COMMENT.search(text)
        if match:
            listed = match["rules"]
            rules = (
                None if listed is None else tuple(name.strip().lower() for name in listed.split(",") if name.strip())
            )
            parsed.append(Suppression(rules, first, last, line, column + match.start() + 1, column + match.end() + 1))
    return parsed
