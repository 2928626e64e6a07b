"""How many bytes a value takes, with settings at their defaults and open sizes at the most they can be."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import inf, prod

from mlvet.domains.dims import Dim, evaluate, symbols
from mlvet.domains.tensors import Tensor, Unranked
from mlvet.ir.program import Setting

_USUAL_BITS = 32


class Open(Exception):
    """A size that hangs on something that has no default."""


@dataclass(slots=True)
class Sizes:
    """Sizes of one program; `assumed` has what they rest on, in words."""

    settings: Mapping[str, Setting]
    largest: Mapping[str, Dim]
    assumed: dict[str, None] = field(default_factory=dict)

    def bytes_of(self, tensor: Tensor, what: str) -> int:
        """The bytes of a tensor. Raises Open with the size that is not known."""
        if isinstance(tensor.shape, Unranked):
            raise Open(f"the rank of {what}")
        if tensor.dtype is None:
            self.assumed["elements of unknown type are float32"] = None
        bits = tensor.dtype.bits if tensor.dtype is not None else _USUAL_BITS
        return prod(self.number(dim, what) for dim in tensor.shape) * bits // 8

    def number(self, dim: Dim, what: str) -> int:
        """A size as a number."""
        if isinstance(dim, int):
            return int(dim)
        known: dict[str, int] = {}
        for each in symbols(dim):
            setting = self.settings.get(each.name)
            if setting is not None and setting.default is not None:
                known[each.name] = setting.default
                self.assumed[f"{setting.name} is {setting.default}, as by default"] = None
            elif each.name in self.largest:
                known[each.name] = self.number(self.largest[each.name], what)
                self.assumed[f"{each.name} is at most {known[each.name]}"] = None
            elif each.high < inf:
                known[each.name] = int(each.high)
            else:
                raise Open(f"the size {each.name} of {what}")
        try:
            return max(int(evaluate(dim, known)), 0)
        except ZeroDivisionError:
            raise Open(f"the size {dim} of {what}") from None


def written(count: int) -> str:
    """Bytes for people."""
    amount, unit = float(count), "B"
    for larger in ("KiB", "MiB", "GiB", "TiB"):
        if amount < 1000:
            break
        amount, unit = amount / 1024, larger
    return f"{amount:.3g} {unit}"
