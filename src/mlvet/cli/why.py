"""`mlvet why`: which inputs made an output what it is."""

from __future__ import annotations

import argparse
import sys

from mlvet.analyses.provenance.asking import asked
from mlvet.analyses.provenance.question import Question
from mlvet.analyses.provenance.trying import tried
from mlvet.report.explanation import render


def options_of(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("log", metavar="LOG", help="a log of `mlvet trace`")
    parser.add_argument("--of", action="append", required=True, metavar="EXPR", help="the output to explain")
    parser.add_argument("--inputs", action="append", default=[], metavar="SPEC", help="NAME@FUNCTION:LINE or PARAMETER@FUNCTION")
    parser.add_argument("--top", type=int, default=20, help="inputs to show (default: 20)")
    parser.add_argument("--delta", type=float, help="how far an input may move")
    parser.add_argument("--max-derivative", type=float)
    parser.add_argument("--taint", action="store_true")
    parser.add_argument("--paths", action="store_true")
    parser.add_argument("--output-format", default="full")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    question = Question(options.log, tuple(options.of), tuple(options.inputs), options.top, options.delta, options.max_derivative, taint=options.taint, paths=options.paths)
    answer = tried(asked(question), question)
    told = render(options.output_format, answer.explanations)
    if isinstance(told, bytes):
        sys.stdout.buffer.write(told)
    else:
        sys.stdout.write(told)
    return 0
