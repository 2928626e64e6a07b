"""Inspect a network through hooks and state dictionaries."""
from collections import OrderedDict, defaultdict

import torch
from torch import nn

captured = {}
counts = defaultdict(int)


def capture(name):
    def hook(module, inputs, output):
        captured[name] = output.detach()
        counts[name] += 1
    return hook


def make():
    return nn.Sequential(OrderedDict([
        ("conv", nn.Conv2d(1, 2, 3, padding=1)),
        ("act", nn.ReLU()),
        ("flat", nn.Flatten()),
        ("fc", nn.Linear(2 * 4 * 4, 3)),
    ]))


def partial_load(model, state):
    own = model.state_dict()
    matching = {k: v for k, v in state.items() if k in own and own[k].shape == v.shape}
    own.update(matching)
    model.load_state_dict(own)
    return sorted(matching)


class Wrapper(nn.Module):
    def __init__(self, module):
        super().__init__()
        self.module = module

    def forward(self, x):
        return self.module(x)

    def __getattr__(self, name):
        try:
            return super().__getattr__(name)
        except AttributeError:
            return getattr(self.module, name)


def main():
    model = make()
    handles = [module.register_forward_hook(capture(name)) for name, module in model.named_children()]
    out = model(torch.randn(2, 1, 4, 4))
    out.sum().backward()
    for handle in handles:
        handle.remove()
    print(captured["conv"].shape, dict(counts), model.fc.weight.grad.abs().sum().item() > 0)
    print(partial_load(make(), {**model.state_dict(), "fc.weight": torch.zeros(1)}))
    wrapped = Wrapper(model)
    print(wrapped.fc.out_features, wrapped.module.conv.in_channels, model[:2](torch.ones(1, 1, 4, 4)).shape)
    model[-1].weight.data.fill_(0.5)
    model.fc.bias.data[:] = 0
    for name, parameter in wrapped.named_parameters():
        if name.endswith("bias"):
            parameter.requires_grad = False
    total = sum(p.numel() for p in filter(lambda p: p.requires_grad, wrapped.parameters()))
    print(total, next(wrapped.parameters()).device.type)


if __name__ == "__main__":
    main()
