"""Cures are told only if the analysis of the changed graph finds nothing wrong with them."""

from __future__ import annotations

import pytest

from mlvet.analyses.catalogue import catalogue
from mlvet.analyses.numerics.assumptions.ranges import Given
from mlvet.analyses.numerics.request import NumericsRequest
from mlvet.analyses.numerics.telling.cures import RECHECKED, epsilon
from mlvet.analyses.numerics.telling.judgement import findings
from mlvet.analyses.shapes.inference import infer
from mlvet.core.finding import Finding
from mlvet.core.fix import Applicability
from mlvet.domains import dtypes
from mlvet.ir.text import from_text


def judged(
    lines: str, header: str = "%x: f32[4, 5]", parameter: str = "", **ranges: tuple[float, float]
) -> list[Finding]:
    body = "\n".join(f"  {line.strip()}" for line in lines.strip().splitlines())
    graph = from_text(f'mlvet-graph 1 "net"\n{parameter}graph({header}) {{\n{body}\n}}\n')
    request = NumericsRequest(Given(ranges), witness_seconds=0)
    return findings(graph, infer(graph), catalogue(), request).findings


def cure(found: list[Finding]) -> str:
    (finding,) = found
    assert finding.fix is not None
    assert finding.fix.applicability is Applicability.MANUAL
    assert finding.fix.title.endswith(f"({RECHECKED})")
    assert finding.evidence is not None
    assert finding.evidence.data["cure"]["rechecked"] is True
    return str(finding.evidence.data["cure"]["words"])


CASES = {
    "log of softmax": (
        "%p = softmax(%x) @p\n%y = log(%p) @y\nreturn %y", "take log_softmax(x) in place of log(softmax(x))",
    ),
    "log of sigmoid": (
        "%p = sigmoid(%x) @p\n%y = log(%p) @y\nreturn %y", "take log_sigmoid(x) in place of log(sigmoid(x))",
    ),
    "log": ("%p = tanh(%x) @p\n%y = log(%p) @y\nreturn %y", "take log(max(p, 1e-07))"),
    "log1p": ("%p = tanh(%x) @p\n%y = log1p(%p) @y\nreturn %y", "take log1p(max(p, "),
    "root": ("%p = tanh(%x) @p\n%y = sqrt(%p) @y\nreturn %y", "take sqrt(max(p, 0))"),
    "reciprocal root": ("%p = sigmoid(%x) @p\n%y = rsqrt(%p) @y\nreturn %y", "add an epsilon: take rsqrt(p + 1e-07)"),
    "quotient of one sign": (
        "%p = sigmoid(%x) @p\n%q = tanh(%x) @q\n%y = div(%q, %p) @y\nreturn %y", "add an epsilon: divide by p + 1e-07",
    ),
    "quotient of both signs": (
        "%p = tanh(%x) @p\n%y = reciprocal(%p) @y\nreturn %y", "divide by where(|p| < 1e-07, 1e-07, p)",
    ),
    "exponential": ("%y = exp(%x) @y\nreturn %y", "take exp(min(x, 87))"),
    "softmax by hand": (
        "constant %a: i64[1] = i64[1] [1]\n%c = tanh(%x) @c\nconstant %k: f32[] = f32[] [200.0]\n%z = mul(%c, %k) @z\n"
        "%e = exp(%z) @e\n%s = reduce_sum(%e, %a) {keepdims=true} @s\n%y = div(%e, %s) @y\nreturn %y",
        "subtract the maximum first: exp(z - max(z))",
    ),
    "arc": (
        "constant %k: f32[] = f32[] [2.0]\n%t = tanh(%x) @t\n%z = mul(%t, %k) @z\n%y = acos(%z) @y\nreturn %y",
        "clip `z` to [-1, 1] before",
    ),
    "conversion": ("%y = cast(%x) {to=i32} @y\nreturn %y", "clip `x` to [-2.14748e+09, 2.14748e+09] before"),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_the_cure(name: str) -> None:
    lines, words = CASES[name]
    constants = [line for line in lines.splitlines() if line.startswith("constant")]
    ordered = [*constants, *(line for line in lines.splitlines() if line not in constants)]
    found = [each for each in judged("\n".join(ordered)) if each.fix is not None]
    assert cure(found[:1]).startswith(words)


def test_half_precision_is_computed_wider() -> None:
    found = judged("%y = mul(%x, %x) @y\nreturn %y", "%x: f16[4]")
    assert cure(found) == "compute `mul` in float32"


def test_masks_get_a_finite_number() -> None:
    found = judged(
        "constant %o: f32[] = f32[] [-inf]\n%t = tanh(%x) @t\n%s = where(%m, %t, %o) @s\n"
        "%y = softmax(%s) @y\nreturn %y",
        "%x: f32[3], %m: bool[3]",
    )
    assert cure(found) == "mask with -10000 or so in place of -inf"


def test_the_gradient_of_a_root_gets_an_epsilon() -> None:
    lines = "%q = mul(%w, %w) @q\n%y = sqrt(%q) @y\nreturn %y"
    found = judged(lines, parameter='parameter %w: f32[4] name="w"\n', w=(-2, 2))
    assert cure(found) == "add an epsilon: take sqrt(q + 1e-07)"


def test_a_proposal_with_a_hazard_of_its_own_is_passed_over() -> None:
    """sqrt(max(x, 0)) would have an infinite gradient, so that the next proposal is taken."""
    lines = "%t = tanh(%w) @t\n%y = sqrt(%t) @y\nreturn %y"
    found = judged(lines, parameter='parameter %w: f32[4] name="w"\n', w=(-2, 2))
    assert cure(found) == "take sqrt(max(t, 1e-07))"


def test_a_singular_matrix_has_none() -> None:
    (finding,) = judged("%t = tanh(%x) @t\n%y = inverse(%t) @y\nreturn %y", "%x: f32[3, 3]")
    assert finding.fix is None


def test_the_epsilon_fits_the_element_type() -> None:
    assert [epsilon(dtype) for dtype in (dtypes.f64, dtypes.f32, dtypes.f16)] == pytest.approx(
        [1e-16, 1e-7, 1e-4], rel=1e-3
    )
    for dtype in (dtypes.f64, dtypes.f32, dtypes.bf16, dtypes.f16):
        assert epsilon(dtype) >= dtype.smallest
