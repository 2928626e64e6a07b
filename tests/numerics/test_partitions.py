"""Cells of a tensor through operators that move elements: what is apart stays apart where its boundary survives."""

from __future__ import annotations

import pytest
from written import Said, said

from mlvet.analyses.numerics.settings import NumericAbstraction, Settings, TensorAbstraction
from mlvet.domains.intervals import Interval

# Rows 0 and 1 are small and may be 0, rows 2 and 3 are in [5, 9].
PARTS = """
graph(%small: f32[2, 6], %large: f32[2, 6]) {{
  %all = concat(%small, %large) {{axis=0}}
{body}
  %inverse = reciprocal(%piece)
  return %inverse
}}
"""
INTERVALS = Settings(TensorAbstraction.PARTITIONING, NumericAbstraction.INTERVALS)


def of(body: str, settings: Settings | None = None) -> Said:
    return said(PARTS.format(body=body), settings, small=(-1, 1), large=(5, 9))


KEPT = {
    "slice": """
  constant %starts = i64[1] [2]
  constant %ends = i64[1] [4]
  constant %axes = i64[1] [0]
  %piece = slice(%all, %starts, %ends, %axes)""",
    "slice with a step": """
  constant %starts = i64[1] [3]
  constant %ends = i64[1] [1]
  constant %axes = i64[1] [0]
  constant %steps = i64[1] [-1]
  %piece = slice(%all, %starts, %ends, %axes, %steps)""",
    "split": """
  %first, %piece = split(%all) {axis=0, num_outputs=2}""",
    "uneven split": """
  constant %sizes = i64[2] [3, 1]
  %first, %piece = split(%all, %sizes) {axis=0}""",
    "gather": """
  constant %rows = i64[3] [3, 2, 3]
  %piece = gather(%all, %rows) {axis=0}""",
    "gather of one": """
  constant %row = i64[] [-1]
  %piece = gather(%all, %row) {axis=0}""",
    "transpose": """
  %turned = transpose(%all) {perm=(1, 0)}
  constant %columns = i64[2] [2, 3]
  %piece = gather(%turned, %columns) {axis=1}""",
    "pointwise": """
  constant %one = f32[] [1.0]
  %more = add(%all, %one)
  %exp = exp(%more)
  %root = sqrt(%exp)
  %first, %piece = split(%root) {axis=0, num_outputs=2}""",
    "pointwise with other boundaries": """
  constant %scale = f32[6] [1.0, 1.0, 2.0, 2.0, 3.0, 3.0]
  %scaled = mul(%all, %scale)
  %first, %piece = split(%scaled) {axis=0, num_outputs=2}""",
    "concat of concats": """
  %twice = concat(%all, %small) {axis=0}
  %again = concat(%small, %twice) {axis=0}
  constant %rows = i64[2] [4, 5]
  %piece = gather(%again, %rows) {axis=0}""",
    "stack": """
  %both = stack(%small, %large) {axis=1}
  constant %one = i64[] [1]
  %piece = gather(%both, %one) {axis=1}""",
    "unsqueeze and squeeze": """
  constant %axis = i64[1] [0]
  %deep = unsqueeze(%all, %axis)
  %flat = squeeze(%deep, %axis)
  %first, %piece = split(%flat) {axis=0, num_outputs=2}""",
    "reshape that splits the axis at the boundary": """
  constant %shape = i64[3] [2, 2, 6]
  %cut = reshape(%all, %shape)
  constant %one = i64[] [1]
  %piece = gather(%cut, %one) {axis=0}""",
    "reshape that merges axes": """
  constant %shape = i64[1] [24]
  %flat = reshape(%all, %shape)
  constant %starts = i64[1] [12]
  constant %ends = i64[1] [24]
  %piece = slice(%flat, %starts, %ends)""",
    "expand": """
  constant %shape = i64[3] [5, 4, 6]
  %wide = expand(%all, %shape)
  constant %rows = i64[1] [2]
  %piece = gather(%wide, %rows) {axis=1}""",
    "flip": """
  %back = flip(%all) {axes=(0,)}
  %piece, %last = split(%back) {axis=0, num_outputs=2}""",
    "reduction of another axis": """
  constant %axis = i64[1] [1]
  %best = reduce_max(%all, %axis) {keepdims=true}
  %first, %piece = split(%best) {axis=0, num_outputs=2}""",
}


@pytest.mark.parametrize("body", KEPT.values(), ids=KEPT)
@pytest.mark.parametrize("settings", [Settings(), INTERVALS], ids=["affine", "intervals"])
def test_the_boundary_is_kept(body: str, settings: Settings) -> None:
    found = of(body, settings)
    assert found["piece"].low > 1
    assert found.forward == {}


@pytest.mark.parametrize("body", KEPT.values(), ids=KEPT)
def test_one_cell_per_tensor_merges_the_parts(body: str) -> None:
    found = of(body, Settings(TensorAbstraction.SMASHING))
    assert ("inverse" in found.forward) is ("%exp" not in body)


LOST = {
    "the wrong part": """
  %piece, %last = split(%all) {axis=0, num_outputs=2}""",
    "a piece of both": """
  constant %rows = i64[2] [1, 2]
  %piece = gather(%all, %rows) {axis=0}""",
    "reshape across the boundary": """
  constant %shape = i64[2] [3, 8]
  %cut = reshape(%all, %shape)
  constant %rows = i64[1] [1]
  %piece = gather(%cut, %rows) {axis=0}""",
    "reduction across the boundary": """
  constant %axis = i64[1] [0]
  %piece = reduce_min(%all, %axis) {keepdims=true}""",
}


@pytest.mark.parametrize("body", LOST.values(), ids=LOST)
def test_a_piece_with_small_elements_is_an_alarm(body: str) -> None:
    assert of(body).forward == {"inverse": "division-by-zero"}


def test_unknown_indices_merge_the_cells_of_their_axis_only() -> None:
    text = """
    graph(%small: f32[2, 4], %large: f32[2, 4], %index: i64[3]) {
      %all = concat(%small, %large) {axis=0}
      %rows = gather(%all, %index) {axis=0}
      %columns = gather(%all, %index) {axis=1}
      %first, %last = split(%columns) {axis=0, num_outputs=2}
      return %rows, %last
    }
    """
    found = said(text, small=(-1, 1), large=(5, 9), index=(0, 3))
    assert found["rows"] == Interval(-1, 9)
    assert found["last"] == Interval(5, 9)


def test_gathers_by_different_unknown_indices_are_not_equal() -> None:
    text = """
    graph(%x: f32[5], %i: i64[2], %j: i64[2]) {
      %a = gather(%x, %i) {axis=0}
      %b = gather(%x, %j) {axis=0}
      %c = gather(%x, %i) {axis=0}
      %different = sub(%a, %b)
      %same = sub(%a, %c)
      return %different, %same
    }
    """
    found = said(text, x=(-5, 5), i=(0, 4), j=(0, 4))
    assert found["different"] == Interval(-10, 10)
    assert found["same"] == Interval(0, 0)


def test_a_gather_takes_its_bounds_from_all_cells_that_it_may_meet() -> None:
    text = """
    graph(%p: f32[2], %q: f32[2], %i: i64[2]) {
      constant %one = f32[] [1.0]
      %all = concat(%p, %q) {axis=0}
      %squashed = tanh(%all)
      %seen = add(%squashed, %one)
      %some = gather(%squashed, %i) {axis=0}
      %more = add(%some, %one)
      return %seen, %more
    }
    """
    found = said(text, p=(1, 2), q=(-2, 2), i=(0, 3))
    assert found["more"].low < 0.1


def test_the_first_and_the_last_rows_of_an_unknown_number_are_not_the_same() -> None:
    text = """
    graph(%x: f32[n, 8]) {
      constant %last = i64[2] [-3, 3]
      constant %far = i64[2] [1000000, 5]
      constant %first = i64[2] [0, 3]
      constant %near = i64[2] [3, 5]
      constant %axes = i64[2] [0, 1]
      %a = slice(%x, %last, %far, %axes)
      %b = slice(%x, %first, %near, %axes)
      %difference = sub(%a, %b)
      return %difference
    }
    """
    assert said(text, x=(-5, 5))["difference"] == Interval(-10, 10)


def test_constants_are_cut_where_their_elements_change() -> None:
    text = """
    graph(%x: f32[4]) {
      constant %weights = f32[4] [0.0, 0.0, 2.0, 3.0]
      %product = mul(%x, %weights)
      constant %one = f32[] [1.0]
      %some = add(%product, %one)
      %a, %b = split(%some) {axis=0, num_outputs=2}
      return %a, %b
    }
    """
    found = said(text, x=(0, 1))
    assert found["a"] == Interval(1, 1)
    assert found["b"] == Interval(1, 4)
