"""Sequences or classes are encoded item by item, or without need."""

from __future__ import annotations

from mlvet.core.grade import Severity
from mlvet.core.rule import Rule


class HostEncoding(Rule):
    """Sequences or classes are encoded item by item, or without need.

    ## What it does
    Suggests one statement for all items where a loop of Python writes the items of a sequence, or codes of zeros and a
    one, into an array one by one; rows that are written in place where each item is padded by itself and joined
    afterwards; rows taken out of a matrix where it is multiplied by such codes; and the numbers of the classes for a
    cross entropy of PyTorch that is given codes.

    ## Why it matters
    A single element costs about as much to write as a row. A product with codes multiplies by zeros, and the codes take
    as much memory for each item as there are classes.

    ## Example
        import torch
        import torch.nn.functional as F

        table = torch.rand(1000, 64)
        ids = torch.arange(128)
        for step in range(100):
            vectors = F.one_hot(ids, 1000).float() @ table
            print(vectors.sum())

    ## Use instead
        import torch
        import torch.nn.functional as F

        table = torch.rand(1000, 64)
        ids = torch.arange(128)
        for step in range(100):
            vectors = table[ids]
            print(vectors.sum())

    ## How sure
    Likely. Short sequences, and few classes, are not reported where single writes and small products are as fast.
    """

    code = "EFF177"
    severity = Severity.SUGGESTION
