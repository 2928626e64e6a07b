"""Every epoch reads, decodes or tokenises the same again."""

from __future__ import annotations

from mlvet.core.grade import Severity
from mlvet.core.rule import Rule


class RepeatedHostWork(Rule):
    """Every epoch reads, decodes or tokenises the same again.

    ## What it does
    Suggests to read files and to tokenise texts before a loop in which they do not change, or to keep what was read for
    each of the items that every epoch goes through: in the loop itself, in functions and generators that it runs, in
    the data set or the `collate_fn` of a loader. For files that `tf.data` decodes it suggests `.cache()`.

    ## Why it matters
    Reading, decoding and tokenising takes long beside computing, and the model waits for it in each epoch.

    ## Example
        import numpy as np
        import torch

        model = torch.nn.Linear(8, 1)
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        for epoch in range(10):
            features = np.load("features.npy")
            optimizer.zero_grad()
            model(torch.from_numpy(features).float()).mean().backward()
            optimizer.step()

    ## Use instead
        import numpy as np
        import torch

        model = torch.nn.Linear(8, 1)
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        features = np.load("features.npy")
        for epoch in range(10):
            optimizer.zero_grad()
            model(torch.from_numpy(features).float()).mean().backward()
            optimizer.step()

    ## How sure
    Likely, if nobody writes the file while the loop runs; loops that write such files or wait are not reported, nor is
    what depends on a draw. Where all items are kept, that they fit into memory is a condition.
    """

    code = "EFF178"
    severity = Severity.SUGGESTION
