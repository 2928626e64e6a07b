"""Tensors of one operator are on different devices."""

from __future__ import annotations

from mlvet.core.grade import Severity
from mlvet.core.rule import Rule


class DeviceDiffers(Rule):
    """Tensors of one operator are on different devices.

    ## What it does
    Follows where a PyTorch program puts its tensors and modules, and reports operators that get tensors of two
    devices, places on a GPU that index a tensor on the CPU, and `numpy()` of a tensor that is not on the CPU.

    ## Why it matters
    PyTorch moves nothing by itself, so the operator raises. A machine without a GPU does not show it.

    ## Example
        import torch
        from torch import nn

        device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        model = nn.Linear(10, 2).to(device)
        batch = torch.randn(4, 10)
        scores = model(batch)

    ## Use instead
        import torch
        from torch import nn

        device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        model = nn.Linear(10, 2).to(device)
        batch = torch.randn(4, 10, device=device)
        scores = model(batch)

    ## How sure
    Proved if it is so on every path. Likely if it hangs on the machine or on an option: on a GPU that is there, on the
    default of `--device`. A device that is not known is not reported, and neither is what libraries move by
    themselves, such as `DataParallel`.
    """

    code = "SHP122"
    severity = Severity.ERROR
