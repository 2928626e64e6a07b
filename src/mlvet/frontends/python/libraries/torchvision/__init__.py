"""torchvision: data sets of images, transforms, models."""

from __future__ import annotations

from mlvet.frontends.python.libraries import torch as torch
from mlvet.frontends.python.libraries.binding import TENSORS
from mlvet.frontends.python.libraries.torch.tensor import Tensor
from mlvet.frontends.python.libraries.torchvision import datasets as datasets
from mlvet.frontends.python.libraries.torchvision import models as models
from mlvet.frontends.python.libraries.torchvision import operators as operators
from mlvet.frontends.python.libraries.torchvision import pictures as pictures
from mlvet.frontends.python.libraries.torchvision import transforms as transforms

TENSORS["torchvision"] = Tensor
