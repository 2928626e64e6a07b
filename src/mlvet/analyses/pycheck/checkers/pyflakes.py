"""pyflakes: names and format strings. It prints syntax errors to its error stream, where nothing reads them."""

from __future__ import annotations

import re
from collections.abc import Iterator

from mlvet.analyses.pycheck.checker import Checker, Diagnosis, Request
from mlvet.analyses.pycheck.columns import from_bytes

KINDS = {
    "UndefinedName": "undefined-variable",
    "UndefinedLocal": "undefined-variable",
    "UndefinedExport": "missing-attribute",
    "ImportStarNotPermitted": "syntax-error",
    "DuplicateArgument": "syntax-error",
    "LateFutureImport": "syntax-error",
    "FutureFeatureNotDefined": "syntax-error",
    "ReturnOutsideFunction": "syntax-error",
    "YieldOutsideFunction": "syntax-error",
    "ContinueOutsideLoop": "syntax-error",
    "BreakOutsideLoop": "syntax-error",
    "DefaultExceptNotLast": "syntax-error",
    "TwoStarredExpressions": "syntax-error",
    "TooManyExpressionsInStarredAssignment": "syntax-error",
    "RaiseNotImplemented": "invalid-raise",
    "InvalidPrintSyntax": "type-mismatch",
    "StringDotFormatMissingArgument": "bad-format-string",
    "StringDotFormatMixingAutomatic": "bad-format-string",
    "StringDotFormatInvalidFormat": "bad-format-string",
    "PercentFormatInvalidFormat": "bad-format-string",
    "PercentFormatMixedPositionalAndNamed": "bad-format-string",
    "PercentFormatUnsupportedFormatCharacter": "bad-format-string",
    "PercentFormatPositionalCountMismatch": "bad-format-string",
    "PercentFormatMissingArgument": "bad-format-string",
    "PercentFormatExpectedMapping": "bad-format-string",
    "PercentFormatExpectedSequence": "bad-format-string",
    "PercentFormatStarRequiresSequence": "bad-format-string",
}

# pyflakes prints no codes: these are the names of its message classes, by how their text reads.
_MESSAGES = (
    (re.compile(r"^undefined name .* in __all__$"), "UndefinedExport"),
    (re.compile(r"^undefined name "), "UndefinedName"),
    (re.compile(r"^local variable .* referenced before assignment$"), "UndefinedLocal"),
    (re.compile(r"^'from .* import \*' only allowed at module level$"), "ImportStarNotPermitted"),
    (re.compile(r"^duplicate argument "), "DuplicateArgument"),
    (re.compile(r"^from __future__ imports must occur"), "LateFutureImport"),
    (re.compile(r"^future feature not defined|^future feature .* is not defined"), "FutureFeatureNotDefined"),
    (re.compile(r"^'return' outside function"), "ReturnOutsideFunction"),
    (re.compile(r"^'yield' outside function"), "YieldOutsideFunction"),
    (re.compile(r"^'continue' not properly in loop"), "ContinueOutsideLoop"),
    (re.compile(r"^'break' outside loop"), "BreakOutsideLoop"),
    (re.compile(r"^an 'except:' block as not the last"), "DefaultExceptNotLast"),
    (re.compile(r"^two starred expressions"), "TwoStarredExpressions"),
    (re.compile(r"^too many expressions in star-unpacking"), "TooManyExpressionsInStarredAssignment"),
    (re.compile(r"^'raise NotImplemented'"), "RaiseNotImplemented"),
    (re.compile(r"^use of >> is invalid with print"), "InvalidPrintSyntax"),
    (re.compile(r"^'\.\.\.'\.format.* is missing argument"), "StringDotFormatMissingArgument"),
    (re.compile(r"^'\.\.\.'\.format.* mixes automatic"), "StringDotFormatMixingAutomatic"),
    (re.compile(r"^'\.\.\.'\.format.* has invalid format"), "StringDotFormatInvalidFormat"),
    (re.compile(r"^'\.\.\.' % .* has invalid format"), "PercentFormatInvalidFormat"),
    (re.compile(r"^'\.\.\.' % .* has mixed positional"), "PercentFormatMixedPositionalAndNamed"),
    (re.compile(r"^'\.\.\.' % .* has unsupported format"), "PercentFormatUnsupportedFormatCharacter"),
    (re.compile(r"^'\.\.\.' % .* placeholder\(s\) but"), "PercentFormatPositionalCountMismatch"),
    (re.compile(r"^'\.\.\.' % .* is missing argument"), "PercentFormatMissingArgument"),
    (re.compile(r"^'\.\.\.' % .* expected mapping"), "PercentFormatExpectedMapping"),
    (re.compile(r"^'\.\.\.' % .* expected sequence"), "PercentFormatExpectedSequence"),
    (re.compile(r"^'\.\.\.' % .* specifier requires sequence"), "PercentFormatStarRequiresSequence"),
)
_LINE = re.compile(r"^(?P<path>.+?):(?P<line>\d+):(?P<column>\d+):? (?P<message>.*)$")


def _arguments(request: Request) -> list[str]:
    return ["--", *map(str, request.files)]


def _parse(output: str, request: Request) -> Iterator[Diagnosis]:
    del request
    for text in output.splitlines():
        found = _LINE.match(text)
        if found is None:
            continue
        path, message, line = found["path"], found["message"], int(found["line"])
        code = next((name for pattern, name in _MESSAGES if pattern.search(message)), None)
        if code is not None:
            yield Diagnosis(
                "pyflakes",
                code,
                KINDS[code],
                path,
                line,
                from_bytes(path, line, int(found["column"]) - 1),
                line,
                0,
                message,
            )


CHECKER = Checker("pyflakes", _arguments, _parse, KINDS, python_module="pyflakes")
