"""Operators that act on the host: they print, report, stop the program or call Python; and the unknown one."""

from __future__ import annotations

from mlvet.domains.dtypes import text
from mlvet.domains.tensors import Tensor
from mlvet.ops.op import Effects, Op, register
from mlvet.ops.require import Require


def infer_summary(*_: Tensor, require: Require) -> Tensor:
    """One record for a log of training."""
    return Tensor(text, ())


print_ = register(Op("print", "host", danger=(), effects=Effects.HOST))
assert_ = register(Op("assert", "host", danger=(), effects=Effects.HOST))
summary = register(Op("summary", "host", infer=infer_summary, danger=(), effects=Effects.PURE))
py_func = register(Op("py_func", "host", effects=Effects.HOST))
host_callback = register(Op("host_callback", "host", effects=Effects.HOST))
opaque = register(Op("opaque", "host"))
