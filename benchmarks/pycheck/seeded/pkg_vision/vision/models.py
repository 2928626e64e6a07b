"""Model zoo."""
from torch import nn

WIDTHS = {"tiny": 4, "small": 16}


def build_model(arch, num_classes):
    width = WIDTHS[arch]
    return nn.Sequential(
        nn.Conv2d(3, width, 3, padding=1),
        nn.ReLU(),
        nn.AdaptiveAvgPool2d(1),
        nn.Flatten(),
        nn.Linear(width, num_classes),
    )
