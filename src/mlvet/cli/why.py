"""`mlvet why`: which inputs made an output what it is."""

from __future__ import annotations

import argparse
import json
import sys

from mlvet.analyses.provenance.asking import asked
from mlvet.analyses.provenance.question import Question
from mlvet.analyses.provenance.trying import tried


def options_of(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("log", metavar="LOG", help="a log of `mlvet trace`")
    parser.add_argument("--of", action="append", required=True, metavar="EXPR", help="the output to explain")
    parser.add_argument("--inputs", action="append", default=[], metavar="SPEC", help="NAME@FUNCTION:LINE or PARAMETER@FUNCTION")
    parser.add_argument("--top", type=int, default=20, help="inputs to show (default: 20)")
    parser.add_argument("--delta", type=float, help="how far an input may move")
    parser.add_argument("--max-derivative", type=float)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    question = Question(options.log, tuple(options.of), tuple(options.inputs), options.top, options.delta, options.max_derivative)
    answer = asked(question)
    tried(answer, question)
    json.dump(answer, sys.stdout, indent=1)
    return 0
