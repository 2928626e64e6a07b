"""Coverage-guided fuzzing of the interpreter, outside the test suite.

    pip install atheris
    PYTHONPATH=src python tests/fuzz/atheris_interpreter.py [CORPUS] -max_total_time=300 -len_control=0 -max_len=300

Bytes choose statements from a list of templates and names to fill them with, so that nearly every input is a program.
Only a defect of ours ends the run: an exception that leaves the interpreter, or a program that is not bounded.
"""

from __future__ import annotations

import sys
import warnings

import atheris

with atheris.instrument_imports(include=["mlvet.frontends.python"]):
    from mlvet.frontends.python.machine import Limits
    from mlvet.frontends.python.program import interpret_text

HEAD = (
    "import torch\nimport torch.nn as nn\nimport torch.nn.functional as F\nimport numpy as np\nimport sys\n"
    "a = b = c = torch.zeros(2, 3)\nn = int(sys.argv[1])\n"
)
NAMES = ("a", "b", "c", "n", "f", "K", "k", "d", "z")
EXPRESSIONS = (
    "{}", "1", "-1", "3", "0", "2.5", "None", "'s'", "True", "[]", "{{}}", "()", "[{}, {}]", "({}, {})", "{{'k': {}}}",
    "{} + {}", "{} * {}", "{} @ {}", "{} // {}", "{} % {}", "{} ** 2", "{} < {}", "{} == {}", "{} and {}", "not {}",
    "{} if {} else {}", "{}.shape", "{}.shape[0]", "{}[0]", "{}[-1]", "{}[{}]", "{}[:, 1:]", "{}[..., None]", "{}.T",
    "{}.view(-1)", "{}.view({}, {})", "{}.reshape({}, -1)", "{}.sum({})", "{}.mean()", "{}.size()", "{}.size({})",
    "{}.permute(1, 0)", "{}.transpose({}, {})", "{}.unsqueeze({})", "{}.numpy()", "{}.item()", "len({})", "int({})",
    "range({})", "list({})", "tuple({})", "dict(k={})", "set([{}])", "sum({})", "max({}, {})", "sorted({})", "str({})",
    "f'{{{}}}'", "zip({}, {})", "enumerate({})", "map({}, {})", "iter({})", "next({})", "isinstance({}, int)",
    "getattr({}, 'shape')", "{}({})", "{}(*{})", "{}(**{})", "lambda x: {}", "[{} for x in {}]", "{{{}: {}}}",
    "torch.cat([{}, {}], {})", "torch.stack({})", "torch.zeros({})", "torch.zeros({}, {})", "torch.arange({})",
    "nn.Linear({}, {})", "nn.Linear({}, {})({})", "nn.Conv2d({}, {}, 3)({})", "nn.Sequential({}, {})", "F.relu({})",
    "F.softmax({}, {})", "F.cross_entropy({}, {})", "np.zeros({})", "np.array({})", "np.concatenate([{}, {}])",
    "np.mean({}, {})", "(yield {})", "super().__init__()", "self", "self.{}", "{}.{}", "*{}", "type({})",
    "{}.append({})", "{}.items()", "{}.get({})", "globals()", "eval({})", "open({})", "print({})", "id({})",
    "hash({})", "vars({})",
)  # fmt: skip
STATEMENTS = (
    "{n} = {e}", "{n}, {m} = {e}", "{n}, *{m} = {e}", "{n} += {e}", "{n}[{e}] = {e}", "{n}.{m} = {e}", "{e}", "del {n}",
    "if {e}:", "else:", "elif {e}:", "for {n} in {e}:", "while {e}:", "def {n}({m}, *args, **kw):", "class {n}({m}):",
    "class {n}(nn.Module):", "def __init__(self, {n}):", "def forward(self, {n}):", "def __getattr__(self, {n}):",
    "return {e}", "yield {e}", "break", "continue", "pass", "try:", "except Exception as {n}:", "finally:",
    "with {e} as {n}:", "raise {e}", "assert {e}", "global {n}", "nonlocal {n}", "import {n}", "match {e}:",
    "case {n}:", "@{n}", "<", "<", "async def {n}():",
)  # fmt: skip
LIMITS = Limits(steps=5_000, seconds=5.0)


def program(data: bytes) -> str:
    """The program that some bytes choose; `<` ends a block."""
    source = atheris.FuzzedDataProvider(data)

    def name() -> str:
        return NAMES[source.ConsumeIntInRange(0, len(NAMES) - 1)]

    def expression(depth: int = 0) -> str:
        if depth > 2:
            return name()
        template = EXPRESSIONS[source.ConsumeIntInRange(0, len(EXPRESSIONS) - 1)]
        parts = [f"({expression(depth + 1)})" for _ in range(template.count("{}"))]
        return template.format(*parts) if parts else template.replace("{{", "{").replace("}}", "}")

    lines, depth, due = [], 0, False
    while source.remaining_bytes() and len(lines) < 40:
        template = STATEMENTS[source.ConsumeIntInRange(0, len(STATEMENTS) - 1)]
        if template == "<":
            if due:
                lines.append("    " * depth + "pass")
            depth, due = max(0, depth - 1), False
            continue
        text = template
        for hole, make in (("{n}", name), ("{m}", name), ("{e}", expression)):
            while hole in text:
                text = text.replace(hole, make(), 1)
        lines.append("    " * depth + text)
        due = text.endswith(":")
        depth += due
    return HEAD + "\n".join(lines) + ("\n" + "    " * depth + "pass\n" if due else "\n")


def one(data: bytes) -> None:
    text = program(data)
    try:
        compile(text, "<drawn>", "exec")
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return
    try:
        interpret_text(text, {}, LIMITS)
    except BaseException:
        print(text, file=sys.stderr)
        raise


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    atheris.Setup(sys.argv, one)
    atheris.Fuzz()
