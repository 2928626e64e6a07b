"""A loop of Python where the library has one."""

from __future__ import annotations

from mlvet.core.grade import Severity
from mlvet.core.rule import Rule


class PythonLoop(Rule):
    """A loop of Python where the library has one.

    ## What it does
    Suggests the library's own loop: `nn.RNN`, `nn.GRU` and `nn.LSTM` for a cell that gets one step after the other,
    `jax.lax.scan` for a loop over steps in a compiled function, `tf.while_loop` for one that builds a copy of its
    operators for every step, and one batched call, `vmap` or `tf.vectorized_map`, for a model or a function that gets
    one row after the other.

    ## Why it matters
    Each step is a round trip through Python with calls of its own. Where a loop is traced or builds a graph, what is
    compiled or built grows with the number of steps.

    ## Example
        import torch
        from torch import nn

        cell = nn.LSTMCell(64, 128)
        steps = torch.randn(200, 16, 64)
        hidden, memory = torch.zeros(16, 128), torch.zeros(16, 128)
        outputs = []
        for step in range(200):
            hidden, memory = cell(steps[step], (hidden, memory))
            outputs.append(hidden)

    ## Use instead
        import torch
        from torch import nn

        layer = nn.LSTM(64, 128)
        steps = torch.randn(200, 16, 64)
        outputs, (hidden, memory) = layer(steps)

    ## How sure
    Likely. Where a loop in the graph makes single runs slower, the finding says on what condition it pays: measured on
    a CPU, `tf.while_loop` is built 5 to 11 times as fast, and a run of it takes longer.
    """

    code = "EFF131"
    severity = Severity.SUGGESTION
