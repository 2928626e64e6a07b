"""Transforms made of other transforms or of functions."""

from __future__ import annotations

from typing import Any

from mlvet.frontends.python.active import machine
from mlvet.frontends.python.interpretation.joining import all_joined
from mlvet.frontends.python.libraries.registry import model
from mlvet.frontends.python.libraries.torch.nn.module import Module
from mlvet.frontends.python.values.containers import Repeated
from mlvet.frontends.python.values.unknown import Reason, Undecided


class Transform(Module):
    """What all transforms are: `transform` is applied to the image, further arguments stay as they are."""

    __slots__ = ()

    def forward(self, *inputs: Any) -> Any:
        first, *rest = inputs
        changed = self.transform(first)
        return (changed, *rest) if rest else changed

    def transform(self, image: Any) -> Any:
        return image


model("torchvision.transforms.v2.Transform", "torchvision.transforms.Transform")(Transform)


@model("torchvision.transforms.Compose")
class Compose(Transform):
    __slots__ = ()

    def __init__(self, transforms: Any) -> None:
        super().__init__()
        self.transforms = transforms

    def forward(self, *inputs: Any) -> Any:
        found = machine().items(self.transforms)
        if isinstance(found, Repeated):
            raise Undecided(Reason.DYNAMIC_CONTAINER, "an unknown number of transforms")
        for each in found:
            made = machine().call(each, *inputs)
            inputs = made if len(inputs) > 1 and isinstance(made, tuple) else (made,)
        return inputs if len(inputs) > 1 else inputs[0]


@model("torchvision.transforms.Lambda")
class Lambda(Transform):
    __slots__ = ()

    def __init__(self, lambd: Any, *types: Any) -> None:
        super().__init__()
        self.lambd = lambd

    def transform(self, image: Any) -> Any:
        return machine().call(self.lambd, image)


@model("torchvision.transforms.RandomApply")
class RandomApply(Transform):
    """The image either as it was or changed."""

    __slots__ = ()

    def __init__(self, transforms: Any, p: Any = 0.5) -> None:
        super().__init__()
        self.transforms = transforms

    def transform(self, image: Any) -> Any:
        changed = Compose(self.transforms).forward(image)
        return all_joined(machine(), [image, changed])


@model("torchvision.transforms.RandomOrder")
class RandomOrder(Compose):
    __slots__ = ()


@model("torchvision.transforms.RandomChoice")
class RandomChoice(Transform):
    __slots__ = ()

    def __init__(self, transforms: Any, p: Any = None) -> None:
        super().__init__()
        self.transforms = transforms

    def transform(self, image: Any) -> Any:
        found = machine().items(self.transforms)
        each = (found.element,) if isinstance(found, Repeated) else found
        return all_joined(machine(), [machine().call(one, image) for one in each])
