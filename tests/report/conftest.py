"""Runs built by hand from core values: what the pipeline would hand to the reports."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from mlvet.core.evidence import Assumption, Evidence, Related
from mlvet.core.finding import Finding
from mlvet.core.fix import Applicability, Edit, Fix
from mlvet.core.grade import Certainty, Severity
from mlvet.core.location import Location
from mlvet.core.result import Hidden, Problem, Summary, Vetting
from mlvet.core.rule import Rule
from mlvet.core.source import Source

ROOT = "/home/ada/project"
BASE = "/home/ada/project/jobs"

TRAIN = """\
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        self.fc1 = nn.Linear(1024, 128)

    def forward(self, x):
        x = self.fc1(torch.flatten(x, 1))
        return x.softmx()
"""


class MatmulInnerDims(Rule):
    """Inner dimensions of a matrix product differ.

    ## What it does
    Reports a product whose inner dimensions differ.

    ## Why it matters
    The program stops with an error when it reaches the line.

    ## Example
        torch.ones(2, 3) @ torch.ones(4, 5)  # <inner> 3, 4

    ## Use instead
        torch.ones(2, 3) @ torch.ones(3, 5)

    ## How sure
    proved.
    """

    name = "matmul-inner-dims"
    code = "SHP101"
    severity = Severity.ERROR


class MissingAttribute(Rule):
    """An attribute that does not exist."""

    name = "missing-attribute"
    code = "PY102"
    severity = Severity.ERROR


CATALOGUE: dict[str, type[Rule]] = {rule.name: rule for rule in (MatmulInnerDims, MissingAttribute)}


def mismatch() -> Finding:
    return Finding(
        rule="matmul-inner-dims",
        code="SHP101",
        severity=Severity.ERROR,
        certainty=Certainty.PROVED,
        message="`Linear` expects 1024 features but gets 64*12*12 = 9216",
        location=Location("train.py", 10, 13, 10, 21),
        related=(
            Related("1024 is set here", Location("train.py", 7, 30, 7, 34)),
            Related("x is f32[batch, 64, 12, 12]"),
        ),
        assumptions=(Assumption("the batch is not empty"),),
        fix=Fix(
            "nn.Linear(9216, 128)",
            (Edit(Location("train.py", 7, 30, 7, 34), "9216"),),
            Applicability.UNSAFE,
            "the checkpoint may hold 1024 features",
        ),
        fingerprint="0123456789abcdef0123",
    )


def typo() -> Finding:
    checkers = [
        {"name": "pyrefly", "code": "missing-attribute", "message": "no attribute softmx"},
        {"name": "ruff", "code": "F821", "message": "undefined"},
    ]
    return Finding(
        rule="missing-attribute",
        code="PY102",
        severity=Severity.WARNING,
        certainty=Certainty.LIKELY,
        message="`Tensor` has no attribute `softmx`",
        location=Location("train.py", 11, 18, 11, 24),
        evidence=Evidence("checkers", {"checkers": checkers}),
        fix=Fix("softmax", (Edit(Location("train.py", 11, 18, 11, 24), "softmax"),), Applicability.SAFE),
        fingerprint="1123456789abcdef0123",
    )


def in_model() -> Finding:
    return Finding(
        rule="log-of-nonpositive",
        code="NUM101",
        severity=Severity.WARNING,
        certainty=Certainty.OBSERVED,
        message="`Log` receives [0, inf], so the result can be -inf",
        location=Location("model.onnx", node="/head/Log_3"),
        evidence=Evidence("interval", {"low": 0.0, "high": float("inf"), "witness": [float("nan")]}),
        fix=Fix("use log_softmax"),
        fingerprint="2123456789abcdef0123",
    )


def in_notebook() -> Finding:
    return Finding(
        rule="matmul-inner-dims",
        code="SHP101",
        severity=Severity.SUGGESTION,
        certainty=Certainty.POSSIBLE,
        message="`a @ b` may fail",
        location=Location("explore.ipynb", 2, 5, 2, 10, cell=3),
        fix=Fix("b @ a", (Edit(Location("explore.ipynb", 2, 5, 2, 10, cell=3), "b @ a"),), Applicability.SAFE),
        fingerprint="3123456789abcdef0123",
    )


Make = Callable[..., Vetting]


@pytest.fixture
def make() -> Make:
    """Build a run from findings and the texts of its files."""

    def build(
        *findings: Finding, sources: dict[str, str] | None = None, summary: Summary | None = None, base: str = BASE
    ) -> Vetting:
        texts = {path: Source(path, text) for path, text in (sources or {}).items()}
        return Vetting(findings, summary or Summary(files=1, seconds=0.84), texts, CATALOGUE, ROOT, base)

    return build


@pytest.fixture
def vetting() -> Vetting:
    """A run with one finding of every kind of place, every kind of note and every reason to hide."""
    notebook = Source("explore.ipynb", "import torch\na = 1\nx = a @ b\nprint(x)\n", cells=((1, 1), (3, 2), (4, 4)))
    summary = Summary(
        files=14,
        seconds=0.84,
        operators_analysed=120,
        operators_unanalysed=3,
        hidden=Hidden(unsure={Certainty.POSSIBLE: 4, Certainty.LIKELY: 1}, severity=1, suppressed=2, baseline=7),
        notes=("pyrefly did not answer within 60 s",),
        problems=(Problem("broken.onnx", "not a model: truncated"),),
    )
    return Vetting(
        (in_notebook(), in_model(), mismatch(), typo()),
        summary,
        {"train.py": Source("train.py", TRAIN), "explore.ipynb": notebook},
        CATALOGUE,
        ROOT,
        BASE,
    )


@pytest.fixture
def clean() -> Vetting:
    return Vetting((), Summary(files=14, seconds=0.84), {}, CATALOGUE, ROOT, BASE)


HOSTILE = '</script><img src=x onerror=alert(1)>\x1b[2J\x00\x9b31m\u202e\ud800\x07\r\n::error::pwned & "q" \''


@pytest.fixture
def hostile() -> Vetting:
    """A run in which every text that a file can influence tries to break out."""
    path = f"{HOSTILE}.py"
    place = Location(path, 1, 1, 1, 5)
    finding = Finding(
        rule="matmul-inner-dims",
        code="SHP101",
        severity=Severity.ERROR,
        certainty=Certainty.PROVED,
        message=HOSTILE,
        location=place,
        related=(Related(HOSTILE, place),),
        evidence=Evidence(
            "checkers", {"checkers": [{"name": HOSTILE, "code": HOSTILE, "message": HOSTILE}], HOSTILE: 1}
        ),
        assumptions=(Assumption(HOSTILE),),
        fix=Fix(HOSTILE, (Edit(place, HOSTILE),), Applicability.UNSAFE, HOSTILE),
        fingerprint="4123456789abcdef0123",
    )
    node = Finding(
        rule=HOSTILE,
        code=HOSTILE,
        severity=Severity.WARNING,
        certainty=Certainty.LIKELY,
        message=HOSTILE,
        location=Location("model.onnx", node=HOSTILE),
        fingerprint=HOSTILE,
    )
    summary = Summary(files=1, notes=(HOSTILE,), problems=(Problem(path, HOSTILE),))
    return Vetting((finding, node), summary, {path: Source(path, HOSTILE)}, CATALOGUE, ROOT, BASE)
