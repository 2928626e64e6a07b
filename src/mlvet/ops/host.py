"""Operators that act on the host: they print, stop the program or call Python. And the one that nothing is known of."""

from __future__ import annotations

from mlvet.ops.op import Effects, Op, register

print_ = register(Op("print", "host", danger=(), effects=Effects.HOST))
assert_ = register(Op("assert", "host", danger=(), effects=Effects.HOST))
py_func = register(Op("py_func", "host", effects=Effects.HOST))
host_callback = register(Op("host_callback", "host", effects=Effects.HOST))
opaque = register(Op("opaque", "host"))
