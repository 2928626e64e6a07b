"""The program works with few values of a setting only."""

from __future__ import annotations

from mlvet.core.grade import Severity
from mlvet.core.rule import Rule


class RestrictedSetting(Rule):
    """The program works with few values of a setting only.

    ## What it does
    Reports options of the command line, flags and entries of a configuration that tensors of the program leave a few
    values, or only multiples of a number.

    ## Why it matters
    The option looks free, but all other values fail, often after the job has waited for its turn.

    ## Example
        import argparse

        import torch

        parser = argparse.ArgumentParser()
        parser.add_argument("--batch-size", type=int, default=64)
        args = parser.parse_args()
        images = torch.zeros(args.batch_size, 3, 32, 32)
        groups = images.view(-1, 32, 3, 32, 32)

    ## Use instead
        import argparse

        import torch

        parser = argparse.ArgumentParser()
        parser.add_argument("--groups", type=int, default=2)
        args = parser.parse_args()
        images = torch.zeros(32 * args.groups, 3, 32, 32)
        groups = images.view(-1, 32, 3, 32, 32)

    ## How sure
    Proved: the solver shows that no other value meets what the operator demands.
    """

    code = "SHP115"
    severity = Severity.WARNING
