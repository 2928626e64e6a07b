"""`mlvet trace`: run a program and keep what is needed to explain its output later."""

from __future__ import annotations

import argparse

from mlvet.core.errors import UsageError
from mlvet.runtime.provenance.launching import launch
from mlvet.runtime.provenance.request import Request

ABOUT = "run a program and log what explains its output later"
MODES = ("default", "full")


def options_of(parser: argparse.ArgumentParser) -> None:
    """The options; all that comes after the script is the script's."""
    parser.add_argument("script", metavar="SCRIPT", help="the program, or a folder with __main__.py")
    parser.add_argument("arguments", nargs=argparse.REMAINDER, metavar="ARGS", help="its arguments")
    parser.add_argument("--output", metavar="LOG", help="where the log goes (default: SCRIPT.mlvet-trace)")
    parser.add_argument(
        "--log", choices=MODES, default="default",
        help="full: also outcomes of branches, operands, state and files, for when the inputs will be gone",
    )  # fmt: skip
    parser.add_argument(
        "--inputs", metavar="NAME@FUNCTION[:LINE]", action="append", default=[],
        help="what counts as input; functions that it cannot reach are left alone",
    )  # fmt: skip
    parser.add_argument("--delta", type=float, default=1e-3, help="variation of inputs (default: 0.001)")
    parser.add_argument("--max-derivative", type=float, default=1.0, help="largest derivative expected (default: 1)")
    parser.add_argument("--quiet", action="store_true", help="do not tell where the log is")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Become the traced program; returns only by an error."""
    if not options.delta >= 0 or not options.max_derivative >= 0:
        raise UsageError("--delta and --max-derivative are not negative")
    launch(
        Request(
            options.script, tuple(options.arguments), options.output or "", options.log, tuple(options.inputs),
            options.delta, options.max_derivative, options.quiet,
        )
    )  # fmt: skip
