"""Layers that put a border around the last dims."""

from __future__ import annotations

from typing import ClassVar

from mlvet.frontends.python.libraries.binding import Number, SizeOrSizes, Tensor
from mlvet.frontends.python.libraries.registry import model
from mlvet.frontends.python.libraries.torch.nn.functions import F
from mlvet.frontends.python.libraries.torch.nn.module import Module


class Padding(Module):
    """A border of so many elements before and after each of the last dims."""

    __slots__ = ()
    mode: ClassVar[str] = "constant"
    space: ClassVar[int] = 1

    def __init__(self, padding: SizeOrSizes) -> None:
        super().__init__()
        self.padding = padding if isinstance(padding, tuple) else (padding,) * (2 * self.space)

    def forward(self, input: Tensor) -> Tensor:
        if self.mode != "constant":
            return F.pad(input, self.padding, self.mode)
        return F.pad(input, self.padding, "constant", self.cells.get("value", 0))


@model("torch.nn.ZeroPad1d")
class ZeroPad1d(Padding):
    __slots__ = ()
    mode: ClassVar[str] = "constant"
    space: ClassVar[int] = 1


@model("torch.nn.ZeroPad2d")
class ZeroPad2d(Padding):
    __slots__ = ()
    mode: ClassVar[str] = "constant"
    space: ClassVar[int] = 2


@model("torch.nn.ZeroPad3d")
class ZeroPad3d(Padding):
    __slots__ = ()
    mode: ClassVar[str] = "constant"
    space: ClassVar[int] = 3


@model("torch.nn.ReflectionPad1d")
class ReflectionPad1d(Padding):
    __slots__ = ()
    mode: ClassVar[str] = "reflect"
    space: ClassVar[int] = 1


@model("torch.nn.ReflectionPad2d")
class ReflectionPad2d(Padding):
    __slots__ = ()
    mode: ClassVar[str] = "reflect"
    space: ClassVar[int] = 2


@model("torch.nn.ReflectionPad3d")
class ReflectionPad3d(Padding):
    __slots__ = ()
    mode: ClassVar[str] = "reflect"
    space: ClassVar[int] = 3


@model("torch.nn.ReplicationPad1d")
class ReplicationPad1d(Padding):
    __slots__ = ()
    mode: ClassVar[str] = "replicate"
    space: ClassVar[int] = 1


@model("torch.nn.ReplicationPad2d")
class ReplicationPad2d(Padding):
    __slots__ = ()
    mode: ClassVar[str] = "replicate"
    space: ClassVar[int] = 2


@model("torch.nn.ReplicationPad3d")
class ReplicationPad3d(Padding):
    __slots__ = ()
    mode: ClassVar[str] = "replicate"
    space: ClassVar[int] = 3


@model("torch.nn.CircularPad1d")
class CircularPad1d(Padding):
    __slots__ = ()
    mode: ClassVar[str] = "circular"
    space: ClassVar[int] = 1


@model("torch.nn.CircularPad2d")
class CircularPad2d(Padding):
    __slots__ = ()
    mode: ClassVar[str] = "circular"
    space: ClassVar[int] = 2


@model("torch.nn.CircularPad3d")
class CircularPad3d(Padding):
    __slots__ = ()
    mode: ClassVar[str] = "circular"
    space: ClassVar[int] = 3


@model("torch.nn.ConstantPad1d")
class ConstantPad1d(Padding):
    __slots__ = ()
    mode: ClassVar[str] = "constant"
    space: ClassVar[int] = 1

    def __init__(self, padding: SizeOrSizes, value: Number) -> None:
        super().__init__(padding)
        self.value = value


@model("torch.nn.ConstantPad2d")
class ConstantPad2d(Padding):
    __slots__ = ()
    mode: ClassVar[str] = "constant"
    space: ClassVar[int] = 2

    def __init__(self, padding: SizeOrSizes, value: Number) -> None:
        super().__init__(padding)
        self.value = value


@model("torch.nn.ConstantPad3d")
class ConstantPad3d(Padding):
    __slots__ = ()
    mode: ClassVar[str] = "constant"
    space: ClassVar[int] = 3

    def __init__(self, padding: SizeOrSizes, value: Number) -> None:
        super().__init__(padding)
        self.value = value
