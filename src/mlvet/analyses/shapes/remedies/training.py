"""Steps of a training loop that are missing: gradients cleared, a model set to be evaluated, dropout that is told."""

from __future__ import annotations

import ast

from mlvet.analyses.shapes.remedies.layouts import last_argument
from mlvet.analyses.shapes.remedies.proposal import Kind, Proposal, Proposals
from mlvet.analyses.text import Text, last_name
from mlvet.core.location import Location

_CLEARED = "gradients no longer add up over batches; perhaps that is wanted"
_EVALUATED = "results no longer hang on chance; perhaps dropout is wanted there"
_TOLD = "the dropout then ends with eval(); perhaps it is wanted there"


def cleared(text: Text, stepped: Location, derived: Location | None) -> Proposals:
    """The optimiser's `zero_grad()` before gradients are computed."""
    step = text.at(stepped)
    match step:
        case ast.Call(func=ast.Attribute(attr="step", value=ast.Name() | ast.Attribute() as optimiser), args=[]):
            name = text.of(optimiser)
        case _:
            return
    node = None if derived is None else text.at(derived)
    statement = None if node is None else text.statement(node)
    if statement is None or not text.begins_line(statement) or text.function(statement) is not text.function(step):
        return
    line = f"{name}.zero_grad()\n{text.indentation(statement)}"
    edit = text.inserted(text.start(statement), line)
    yield Proposal(
        Kind.SLIP, "zero_grad", f"call `{name}.zero_grad()` before the gradients are computed", (edit,), _CLEARED
    )


def evaluated(text: Text, called: Location) -> Proposals:
    """A model that is set to be evaluated before the block without gradients, and to train behind it."""
    call = text.at(called)
    match call:
        case ast.Call(func=ast.Name() | ast.Attribute() as model):
            name = text.of(model)
        case _:
            return
    blocks = [each for each in text.around(call) if isinstance(each, ast.With) and _without_gradients(each)]
    if not blocks or not text.begins_line(blocks[-1]):
        return
    block = blocks[-1]
    indentation = text.indentation(block)
    last = block.end_lineno or block.lineno
    before = text.inserted(text.start(block), f"{name}.eval()\n{indentation}")
    ended = len(text.line(last).rstrip("\r\n")) + 1
    after = text.inserted((last, ended), f"\n{indentation}{name}.train()")
    title = f"call `{name}.eval()` before and `{name}.train()` behind the block without gradients"
    yield Proposal(Kind.SLIP, "eval", title, (before, after), _EVALUATED)


def _without_gradients(block: ast.With) -> bool:
    return any(last_name(each.context_expr) in ("no_grad", "inference_mode") for each in block.items)


def told(text: Text, dropped: Location) -> Proposals:
    """A dropout that is told whether its module trains."""
    call = text.at(dropped)
    if not isinstance(call, ast.Call) or not last_name(call).startswith("dropout"):
        return
    function = text.function(call)
    if function is None or not function.args.args or function.args.args[0].arg != "self":
        return
    if len(call.args) < 3 and not any(each.arg == "training" for each in call.keywords):
        edit = text.inserted(last_argument(text, call), ", training=self.training")
        yield Proposal(Kind.SLIP, "training", "pass training=self.training", (edit,), _TOLD)
