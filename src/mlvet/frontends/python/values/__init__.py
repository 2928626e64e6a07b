"""What names of the analysed program stand for.

Constants are Python's own: None, truth values, int (`Int` where its origin is known), float, str, bytes, tuple, slice,
builtin types and exceptions. A symbolic integer is an `Expr`. Everything else has a class of its own here.
"""
