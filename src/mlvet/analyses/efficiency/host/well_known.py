"""Methods of tensors by whose name an object is taken for a tensor, and which change nothing."""

from __future__ import annotations

METHODS = frozenset(
    (
        "t", "transpose", "permute", "reshape", "view", "flatten", "squeeze", "unsqueeze", "expand", "repeat",
        "contiguous", "matmul", "mm", "bmm", "dot", "mul", "div", "pow", "exp", "log", "sqrt", "abs", "neg", "sum",
        "mean", "std", "var", "max", "min", "argmax", "argmin", "softmax", "log_softmax", "sigmoid", "tanh", "relu",
        "norm", "clamp", "float", "double", "half", "int", "long", "bool", "to", "cpu", "cuda", "detach", "numpy",
        "size", "dim", "numel", "item", "tolist", "astype", "copy", "clone", "cumsum", "cumprod", "gather", "scatter",
        "index_select", "masked_fill", "type", "eq", "ne", "lt", "gt", "le", "ge", "ravel", "get_shape", "nonzero",
    )
)  # fmt: skip
