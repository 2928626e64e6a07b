"""A loop makes numbers of the elements of a tensor one by one."""

from __future__ import annotations

from mlvet.core.grade import Severity
from mlvet.core.rule import Rule


class ItemPerStep(Rule):
    """A loop makes numbers of the elements of a tensor one by one.

    ## What it does
    Suggests `tolist()` before the loop in place of `x[i].item()`, `float(x[i])` or `x[i].numpy()` in it. In programs
    that use a GPU it suggests to add up losses and counts on the device, in place of `total += loss.item()` in every
    step.

    ## Why it matters
    Each of them makes a tensor of one element and asks the library for its value, some fifty times as slow as to read a
    list; of a tensor on a GPU it also waits for the device each time.

    ## Example
        import torch

        lengths = torch.randint(1, 20, (1000,))
        longest = 0
        for i in range(1000):
            longest = max(longest, lengths[i].item())
        print(longest)

    ## Use instead
        import torch

        lengths = torch.randint(1, 20, (1000,))
        longest = 0
        for length in lengths.tolist():
            longest = max(longest, length)
        print(longest)

    ## How sure
    Likely. A loss that is read in each step is reported only if the program can use a GPU, since on a processor it
    costs nothing; and only if no branch of the loop needs it and nothing else is read there.
    """

    code = "EFF172"
    severity = Severity.SUGGESTION
