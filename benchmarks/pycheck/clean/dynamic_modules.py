"""Modules whose members are created by name."""
import torch
from torch import nn


class Normalise(nn.Module):
    def __init__(self, features):
        super().__init__()
        self.register_buffer("mean", torch.zeros(features))
        self.register_buffer("var", torch.ones(features))
        self.register_parameter("gain", nn.Parameter(torch.ones(features)))

    def forward(self, x):
        if self.training:
            self.mean.mul_(0.9).add_(0.1 * x.mean(0).detach())
            self.var.mul_(0.9).add_(0.1 * x.var(0).detach())
        return self.gain * (x - self.mean) / (self.var + 1e-5).sqrt()


class Pyramid(nn.Module):
    def __init__(self, widths):
        super().__init__()
        self.depth = len(widths) - 1
        for level, (before, after) in enumerate(zip(widths, widths[1:])):
            self.add_module(f"level{level}", nn.Linear(before, after))
            setattr(self, f"norm{level}", Normalise(after))
        for name in ("left", "right"):
            setattr(self, name, nn.Linear(widths[-1], 2))
        self.extras = nn.ModuleDict({"aux": nn.Linear(widths[0], 2)})

    def forward(self, x):
        skip = self.extras["aux"](x)
        for level in range(self.depth):
            x = getattr(self, f"level{level}")(x)
            x = getattr(self, "norm%d" % level)(x)
        return self.left(x) + self.right(x) + skip

    def first_weight(self):
        return self.level0.weight


def main():
    model = Pyramid((4, 6, 3))
    out = model(torch.randn(8, 4))
    print(out.shape, model.norm1.mean.shape, model.first_weight().shape)
    for parameter in model.parameters():
        parameter.requires_grad_(False)
    print(sorted(name for name, _ in model.named_buffers()))
    model.eval()
    model.note = "frozen"
    print(model.note, model.left.bias.numel())


if __name__ == "__main__":
    main()
