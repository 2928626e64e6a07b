"""Control flow. The nodes carry regions, which an analysis interprets, so there is no shape rule here."""

from __future__ import annotations

from mlvet.ops.op import Op, pure


def _control(name: str) -> Op:
    """An operator that does nothing but run the regions of its node; their dangers and effects are theirs."""
    return pure(name, family="control")


if_ = _control("if")
loop = _control("loop")
while_ = _control("while")
scan = _control("scan")
call = _control("call")
switch = _control("switch")
