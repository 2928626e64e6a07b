"""torchvision.transforms: images changed and made tensors."""

from __future__ import annotations

from mlvet.frontends.python.libraries.registry import alias
from mlvet.frontends.python.libraries.torchvision.transforms import composition as composition
from mlvet.frontends.python.libraries.torchvision.transforms import functional as functional
from mlvet.frontends.python.libraries.torchvision.transforms import geometry as geometry
from mlvet.frontends.python.libraries.torchvision.transforms import values as values

alias("torchvision.transforms.transforms", "torchvision.transforms")
alias("torchvision.transforms.v2.functional", "torchvision.transforms.functional")
alias("torchvision.transforms.v2", "torchvision.transforms")
alias("torchvision.transforms.autoaugment", "torchvision.transforms")
alias("torchvision.transforms.InterpolationMode", "torchvision.transforms.functional.InterpolationMode")
