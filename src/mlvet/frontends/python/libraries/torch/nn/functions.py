"""torch.nn.functional as layers use it: `F.relu(x)` is the model of that name, found when it is called."""

from __future__ import annotations

from collections.abc import Callable

from mlvet.frontends.python.active import machine
from mlvet.frontends.python.libraries.binding import Tensor
from mlvet.frontends.python.libraries.registry import Overloads, find
from mlvet.frontends.python.values.unknown import Reason, Undecided


class Functions:
    """The functions under one dotted name."""

    def __init__(self, prefix: str) -> None:
        self._prefix = prefix

    def __getattr__(self, name: str) -> Callable[..., Tensor]:
        try:
            found = find(f"{self._prefix}.{name}")
        except KeyError:
            raise Undecided(Reason.UNMODELLED_CALL, f"{self._prefix}.{name}") from None
        if isinstance(found, Overloads):
            return lambda *args, **keywords: machine().call(found, *args, **keywords)
        return found


F = Functions("torch.nn.functional")
torch = Functions("torch")
