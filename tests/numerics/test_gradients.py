"""Hazards of gradients: where a derivative is infinite or NaN though the value is not, and a gradient flows."""

from __future__ import annotations

from written import Said, said

from mlvet.analyses.numerics.hazard import Outcome, Verdict


def of(body: str, **ranges: tuple[float, float]) -> Said:
    *_, last = (line for line in body.splitlines() if " = " in line)
    text = f"""
    parameter %w: f32[4] name="w"
    parameter %fixed: f32[4] name="fixed" frozen
    graph(%x: f32[4]) {{
      {body}
      return {last.split(" = ")[0].strip()}
    }}
    """
    return said(text, **{"x": (0, 1), "w": (0, 1), "fixed": (0, 1), **ranges})


def test_the_root_of_zero_has_no_finite_slope() -> None:
    found = of("%y = sqrt(%w)")
    assert found.forward == {}
    assert found.backward == {"y": "infinite-gradient"}
    assert found.verdict("y") is Verdict.SAFE
    assert found.hazard("y").outcome is Outcome.GRADIENT


def test_away_from_zero_it_has() -> None:
    assert of("%y = sqrt(%w)", w=(0.1, 1)).backward == {}


def test_without_a_trained_parameter_no_gradient_flows() -> None:
    assert of("%y = sqrt(%x)").backward == {}
    assert of("%y = sqrt(%fixed)").backward == {}


def test_it_flows_through_what_is_computed_from_one() -> None:
    assert of("%p = mul(%w, %x)\n%y = sqrt(%p)").backward == {"y": "infinite-gradient"}


def test_it_stops_where_it_is_stopped() -> None:
    assert of("%p = mul(%w, %x)\n%s = stop_gradient(%p)\n%y = sqrt(%s)").backward == {}
    assert of("%i = cast(%w) {to=i32}\n%f = cast(%i) {to=f32}\n%y = sqrt(%f)").backward == {}


def test_a_norm_of_zeros_has_none() -> None:
    assert list(of("%y = reduce_l2(%w, _) {keepdims=false}").backward) == ["y"]
    assert of("%y = reduce_l2(%w, _) {keepdims=false}", w=(0.1, 1)).backward == {}


def test_a_failure_of_the_value_is_told_once() -> None:
    found = of("%y = log(%w)")
    assert found.forward == {"y": "log-of-nonpositive"}
    assert found.backward == {}


def test_what_a_selection_discards_still_spoils_the_gradient() -> None:
    body = "constant %zero = f32[] [0.0]\n%c = greater({0}, %zero)\n%l = log({0})\n%y = where(%c, %l, %zero)"
    found = of(body.format("%w"))
    assert found.forward == {}
    assert found.verdict("l") is Verdict.GUARDED
    assert found.backward == {"l": "gradient-through-where"}
    assert of(body.format("%x")).backward == {}


def test_it_flows_into_and_out_of_regions() -> None:
    body = """
    constant %c = bool[] [true]
    %chosen = if(%c)
      do branch() {
        %a = abs(%w)
        return %a
      }
      do branch() {
        return %x
      }
    %y = sqrt(%chosen)"""
    assert of(body, w=(-1, 1)).backward == {"y": "infinite-gradient"}
    body = """
    constant %n = i64[] [4]
    constant %true = bool[] [true]
    %y = loop(%n, %true, %w)
      do loop(%i: i64[], %going: bool[], %carried: f32[4]) {
        %a = abs(%carried)
        %root = sqrt(%a)
        return %going, %root
      }"""
    text = f'parameter %w: f32[4] name="w"\ngraph(%x: f32[4]) {{\n{body}\n return %y\n}}'
    assert said(text, x=(0, 1), w=(0, 1)).backward == {"root": "infinite-gradient"}
