"""The commands and options, as the contract states them."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import TYPE_CHECKING, NoReturn

from mlvet import __version__
from mlvet.cli.streams import put
from mlvet.core.config import LARGEST, NUMERIC_ABSTRACTIONS, SPECULATIONS, TENSOR_ABSTRACTIONS, memory_of
from mlvet.core.errors import UsageError
from mlvet.core.grade import Certainty, Grade, Severity
from mlvet.report import FORMATS

if TYPE_CHECKING:
    from _typeshed import SupportsWrite

EPILOGUE = "exit codes: 0 clean, 1 findings, 2 bad usage or bad input"


class Parser(argparse.ArgumentParser):
    """An ArgumentParser whose complaints are one line."""

    def error(self, message: str) -> NoReturn:
        raise UsageError(f"{message} (`{self.prog} --help` shows the options)")

    def print_help(self, file: SupportsWrite[str] | None = None) -> None:
        del file
        put(self.format_help())


def parse(arguments: list[str]) -> argparse.Namespace:
    """The options of one command, with the function that runs it as `run`."""
    return _parser().parse_args(arguments)


def _parser() -> Parser:
    parser = Parser("mlvet", description="Vets machine-learning programs from source to output.", epilog=EPILOGUE)
    parser.add_argument("-V", "--version", action="version", version=f"mlvet {__version__}")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True, parser_class=Parser)
    _check(commands.add_parser("check", help="run every static analysis that applies", epilog=EPILOGUE))
    _compare(
        commands.add_parser("compare", help="run a model on several backends and find who is wrong", epilog=EPILOGUE)
    )
    _trace(commands)
    _why(commands.add_parser("why", help="explain an output of a traced program", epilog=EPILOGUE))
    _baseline(commands.add_parser("baseline", help="remember today's findings, so that only new ones are shown"))
    _rule(commands.add_parser("rule", help="explain a rule, or list all rules"))
    _shapes(
        commands.add_parser(
            "shapes", help="print what every line of a program or operator of a model yields", epilog=EPILOGUE
        )
    )
    _libraries(commands.add_parser("libraries", help="list what mlvet knows of libraries"))
    _ops(commands.add_parser("ops", help="list the operators and what mlvet knows of each"))
    _clean(commands.add_parser("clean", help="delete mlvet's cache"))
    return parser


def _check(parser: argparse.ArgumentParser) -> None:
    from mlvet.cli import check

    _inputs(parser)
    _output(parser)
    fixes = parser.add_argument_group("fixes")
    fixes.add_argument("--fix", action="store_true", help="apply safe fixes")
    fixes.add_argument(
        "--unsafe-fixes", action="store_true", help="apply also fixes that may change what the program means"
    )
    fixes.add_argument("--diff", action="store_true", help="show what the fixes would change, and change nothing")
    parser.add_argument("--watch", action="store_true", help="check again whenever a file changes")
    parser.set_defaults(run=check.run)


def _output(parser: argparse.ArgumentParser) -> None:
    """How commands that have findings report them, and when they fail."""
    output = parser.add_argument_group("output")
    output.add_argument(
        "--output-format", default=None, metavar="FORMAT", help=f"one of {', '.join(FORMATS)} (default: full)"
    )
    output.add_argument("--output", metavar="FILE", help="write the report to FILE instead of standard output")
    output.add_argument("--statistics", action="store_true", help="count findings by rule instead of listing them")
    output.add_argument(
        "--color", choices=("auto", "always", "never"), default="auto", help="colours in the report (default: auto)"
    )
    _outcome(parser)


def _outcome(parser: argparse.ArgumentParser) -> None:
    outcome = parser.add_argument_group("outcome")
    outcome.add_argument("--exit-zero", action="store_true", help="exit 0 even if there are findings")
    outcome.add_argument(
        "--fail-on",
        metavar=_listed(Severity),
        type=_grade(Severity),
        help="the least severity that makes exit code 1 (default: warning)",
    )


def _compare(parser: argparse.ArgumentParser) -> None:
    from mlvet.cli import compare

    parser.add_argument("model", metavar="MODEL", help="a model: .keras, .h5, .onnx, .tflite, .pt2, .pt, SavedModel")
    what = parser.add_argument_group("what to run")
    what.add_argument("--data", metavar="FILE", help=".npz file with one array for each input (default: made inputs)")
    what.add_argument("--labels", metavar="FILE", help=".npy file of the right classes, or outputs for a regression")
    what.add_argument(
        "--backends", metavar="NAMES", type=_names,
        help="backends to compare (default: those that run the file itself; all: those behind converters too)",
    )  # fmt: skip
    what.add_argument(
        "--env", metavar="NAME=PYTHON", action="append", help="an interpreter with other versions; BACKEND@NAME uses it"
    )
    what.add_argument("--build", metavar="MODULE:FUNCTION", help="builds the model of a file that holds only weights")
    what.add_argument("--examples", metavar="N", type=_number(int), help="how many inputs are made (default: 32)")
    what.add_argument("--seed", metavar="N", type=int, default=0, help="seed of made inputs (default: 0)")
    what.add_argument("--gradients", action="store_true", help="compare the gradients of a step of training too")
    what.add_argument(
        "--bisect",
        metavar="PACKAGE=V1..V2",
        help="find the version of a package with which a finding comes or goes",
    )
    when = parser.add_argument_group("when backends disagree")
    when.add_argument("--k", metavar="N", type=_number(int), help="ranks that count (default: 5)")
    when.add_argument("--class-threshold", metavar="T", type=_number(float), help="class distance (default: 8)")
    when.add_argument("--mad-threshold", metavar="T", type=_number(float), help="MAD distance (default: 0.2)")
    when.add_argument("--share", metavar="P", type=_share, help="share of inputs (default: one input at least)")
    more = parser.add_argument_group("beyond the model at hand")
    more.add_argument(
        "--reproduce", metavar="FOLDER", help="write the least model that shows each defect, with a script, into FOLDER"
    )
    more.add_argument(
        "--mutate",
        metavar="MINUTES",
        type=_number(float),
        help="search for defects in variants and mutants of the model",
    )
    how = parser.add_argument_group("how to run")
    how.add_argument("--batch", metavar="N", type=_number(int), default=32, help="examples at once (default: 32)")
    how.add_argument("--timeout", metavar="SECONDS", type=_number(float), default=300.0, help="limit for each request")
    how.add_argument("--memory", metavar="SIZE", type=_memory, help="limit for each process, such as 4G")
    how.add_argument(
        "--states-memory", metavar="SIZE", type=_memory, help="room for states that are held at once (default: 500M)"
    )
    how.add_argument("--map", action="store_true", help="show the map of every pair, also of those that agree")
    _output(parser)
    parser.set_defaults(run=compare.run)


def _why(parser: argparse.ArgumentParser) -> None:
    from mlvet.cli import why
    from mlvet.report.explanation import FORMATS as ANSWERS

    parser.add_argument("log", metavar="LOG", help="a log of `mlvet trace`")
    asked = parser.add_argument_group("what is asked")
    asked.add_argument(
        "--of", metavar="EXPR", action="append", required=True,
        help="the output: an expression over what the script leaves, return@FUNCTION or NAME@FUNCTION:LINE",
    )  # fmt: skip
    asked.add_argument(
        "--inputs", metavar="SPEC", action="append", default=[],
        help="what counts as input: NAME@FUNCTION:LINE for a variable, NAME@FUNCTION for a parameter",
    )  # fmt: skip
    asked.add_argument("--against", metavar="LOG2", help="an earlier run: what changed since, and why")
    shown = parser.add_argument_group("what is shown")
    shown.add_argument("--top", metavar="N", type=_number(int), default=20, help="inputs to list (default: 20)")
    shown.add_argument("--paths", action="store_true", help="through which named values inputs act")
    shown.add_argument("--histogram", action="store_true", help="how many inputs have how much influence")
    shown.add_argument(
        "--taint", action="store_true", help="how many inputs the output hangs on at all, for comparison"
    )
    flips = parser.add_argument_group("comparisons that turn")
    flips.add_argument(
        "--delta", metavar="D", type=_number(float),
        help="how far an input may move (default: a thousandth of its value; tried if the program is quick)",
    )  # fmt: skip
    flips.add_argument(
        "--max-derivative", metavar="D", type=_number(float), help="leave out margins above D times --delta"
    )
    flips.add_argument(
        "--flips", metavar="N", type=_number(int, or_none=True), default=5,
        help="comparisons to look for and try (default: 5; 0 for none, which is quicker)",
    )  # fmt: skip
    how = parser.add_argument_group("how to run")
    how.add_argument("--timeout", metavar="SECONDS", type=_number(float), help="limit for each replay (default: none)")
    how.add_argument("--memory", metavar="SIZE", type=_memory, help="room for sweeps over many outputs (default: 1G)")
    output = parser.add_argument_group("output")
    output.add_argument(
        "--output-format", default="full", metavar="FORMAT", help=f"one of {', '.join(ANSWERS)} (default: full)"
    )
    output.add_argument("--output", metavar="FILE", help="write the answer to FILE instead of standard output")
    output.add_argument(
        "--color", choices=("auto", "always", "never"), default="auto", help="colours in the report (default: auto)"
    )
    _outcome(parser)
    parser.set_defaults(run=why.run)


def _trace(commands: argparse._SubParsersAction[Parser]) -> None:
    from mlvet.cli import trace

    trace.options_of(commands.add_parser("trace", help=trace.ABOUT))


def _share(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = -1
    if not 0 <= value <= 1:
        raise argparse.ArgumentTypeError(f"`{text}` is no share from 0 to 1")
    return value


def _baseline(parser: argparse.ArgumentParser) -> None:
    from mlvet.cli import baseline

    _inputs(parser)
    parser.add_argument(
        "--output", metavar="FILE", help="where to write it (default: mlvet-baseline.json in the project)"
    )
    parser.set_defaults(run=baseline.run)


def _rule(parser: argparse.ArgumentParser) -> None:
    from mlvet.cli import rule

    parser.add_argument(
        "name", nargs="?", metavar="NAME", help="a rule's name or code; without it all rules are listed"
    )
    _text_or_json(parser)
    parser.set_defaults(run=rule.run)


def _shapes(parser: argparse.ArgumentParser) -> None:
    from mlvet.cli import shapes

    parser.add_argument(
        "file", metavar="FILE", help="a program, a notebook, a model file, or the folder of a SavedModel"
    )
    _text_or_json(parser)
    parser.set_defaults(run=shapes.run)


def _libraries(parser: argparse.ArgumentParser) -> None:
    from mlvet.cli import libraries

    parser.add_argument("name", nargs="?", metavar="NAME", help="a library or module; without it all are counted")
    _text_or_json(parser)
    parser.set_defaults(run=libraries.run)


def _ops(parser: argparse.ArgumentParser) -> None:
    from mlvet.cli import ops

    _text_or_json(parser)
    parser.set_defaults(run=ops.run)


def _text_or_json(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--output-format", choices=("text", "json"), default="text", help="how to print (default: text)"
    )


def _clean(parser: argparse.ArgumentParser) -> None:
    from mlvet.cli import clean

    parser.set_defaults(run=clean.run)


def _inputs(parser: argparse.ArgumentParser) -> None:
    """What the commands that analyse have in common."""
    parser.add_argument("paths", nargs="*", metavar="PATH", help="files and folders (default: the current folder)")
    parser.add_argument("--stdin-paths", action="store_true", help="read further paths from standard input, one a line")
    parser.add_argument(
        "--config", metavar="FILE", help="configuration file (default: the nearest mlvet.toml or pyproject.toml)"
    )
    which = parser.add_argument_group("what to report")
    which.add_argument(
        "--select", metavar="RULES", type=_names, action="extend", help="rules to report: names, codes, prefixes, `all`"
    )
    which.add_argument("--ignore", metavar="RULES", type=_words, action="extend", help="rules not to report")
    which.add_argument(
        "--min-certainty",
        metavar=_listed(Certainty),
        type=_grade(Certainty),
        help="report only what is at least that sure (default: likely)",
    )
    which.add_argument(
        "--min-severity",
        metavar=_listed(Severity),
        type=_grade(Severity),
        help="report only what is at least that severe",
    )
    which.add_argument(
        "--baseline", metavar="FILE", help="known findings (default: mlvet-baseline.json in the project)"
    )
    which.add_argument(
        "--memory", metavar="SIZE", type=_memory, help="memory of the device that programs train on, such as 16G"
    )
    _numerics(parser.add_argument_group("numbers in models"))
    _efficiency(parser.add_argument_group("efficiency of programs"))
    how = parser.add_argument_group("how to run")
    how.add_argument(
        "--confirm", action="store_true", help="make failing tensor calls again with the installed library, alone"
    )
    how.add_argument(
        "--measure",
        metavar="TARGET",
        help="run `FILE ARGS...` or `FILE:FUNCTION` as it is and with the edit of each suggestion, and tell the ratio",
    )
    how.add_argument(
        "--checkers",
        metavar="NAMES",
        type=_names,
        action="extend",
        help="Python checkers to run (default: ruff,pyrefly)",
    )
    how.add_argument("--python", metavar="PATH", help="interpreter or environment whose packages the program uses")
    how.add_argument("--engine", default="local", help="where to run: local, dask://ADDRESS or ray://ADDRESS")
    how.add_argument("--jobs", type=_number(int), metavar="N", help="processes at once (default: one per core)")
    how.add_argument(
        "--timeout", type=_number(float), metavar="SECONDS", help="limit for each checker run (default: 120)"
    )


def _numerics(group: argparse._ArgumentGroup) -> None:
    """What is assumed of the numbers in models, and how closely they are followed."""
    from mlvet.cli.numerics import read_range

    group.add_argument(
        "--range",
        dest="ranges",
        metavar="NAME=LO:HI",
        type=read_range,
        action="append",
        help="what the elements of an input or parameter can be; -inf and inf mean without a limit",
    )
    group.add_argument(
        "--data", metavar="FILE", help=".npz file of samples; their extremes are the ranges of inputs of the same names"
    )
    group.add_argument(
        "--tensor-abstraction",
        choices=TENSOR_ABSTRACTIONS,
        help=f"how many numbers stand for a tensor (default: {TENSOR_ABSTRACTIONS[0]})",
    )
    group.add_argument(
        "--numeric-abstraction",
        choices=NUMERIC_ABSTRACTIONS,
        help=f"what is known of those numbers (default: {NUMERIC_ABSTRACTIONS[0]})",
    )
    group.add_argument(
        "--witness-seconds",
        type=_seconds,
        metavar="SECONDS",
        help="how long to search each model for inputs that make NaN or infinity (default: 5; 0: do not)",
    )


def _words(text: str) -> list[str]:
    return [word.strip() for word in text.split(",") if word.strip()]


def _names(text: str) -> list[str]:
    if not (words := _words(text)):
        raise argparse.ArgumentTypeError("names nothing")
    return words


def _listed(scale: type[Grade]) -> str:
    return f"{{{','.join(scale)}}}"


def _grade(scale: type[Grade]) -> Callable[[str], Grade]:
    def read(text: str) -> Grade:
        if text not in list(scale):
            raise argparse.ArgumentTypeError(f"`{text}` is not one of {', '.join(scale)}")
        return scale(text)

    return read


def _number(kind: Callable[[str], float], *, or_none: bool = False) -> Callable[[str], float]:
    """A number above zero; with `or_none`, also 0."""

    def read(text: str) -> float:
        try:
            value = kind(text)
        except ValueError:
            value = -1
        if not 0 < value <= LARGEST and not (or_none and value == 0):
            raise argparse.ArgumentTypeError(f"`{text}` is not a number above zero, at most {LARGEST}")
        return value

    return read


def _efficiency(group: argparse._ArgumentGroup) -> None:
    listed = ", ".join((*SPECULATIONS, "all"))
    group.add_argument(
        "--speculate",
        metavar="NAMES",
        type=_speculations,
        action="extend",
        help=f"what suggestions may take for granted: {listed} (default: all)",
    )
    group.add_argument(
        "--no-speculate",
        metavar="NAMES",
        type=_speculations,
        action="extend",
        help="what suggestions must not take for granted",
    )


def _speculations(text: str) -> list[str]:
    names = _names(text)
    for name in names:
        if name != "all" and name not in SPECULATIONS:
            raise argparse.ArgumentTypeError(f"`{name}` is not one of {', '.join((*SPECULATIONS, 'all'))}")
    return names


def _memory(text: str) -> int:
    try:
        return memory_of(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(f"`{text}` {error}") from error


def _seconds(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = -1
    if not 0 <= value <= LARGEST:
        raise argparse.ArgumentTypeError(f"`{text}` is not a number of seconds, at most {LARGEST}, or 0")
    return value
