"""Arguments that travel through several layers of calls."""
import torch
from torch import nn

OPTIMIZERS = {"sgd": torch.optim.SGD, "adam": torch.optim.Adam, "adamw": torch.optim.AdamW}


class Block(nn.Linear):
    def __init__(self, *args, activation="relu", **kwargs):
        super().__init__(*args, **kwargs)
        self.activation = getattr(torch, activation)

    def forward(self, *inputs, **kwargs):
        return self.activation(super().forward(*inputs, **kwargs))


class Base:
    def __init__(self, *, name="base", **options):
        super().__init__(**options)
        self.name = name


class Tagged:
    def __init__(self, tag=None):
        self.tag = tag


class Job(Base, Tagged):
    def __init__(self, steps, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.steps = steps


def build_optimizer(model, name, **options):
    return OPTIMIZERS[name](model.parameters(), **options)


def call(function, *args, retries=1, **kwargs):
    for _ in range(retries):
        result = function(*args, **kwargs)
    return result


def train(model, *, x, y, optimizer="sgd", loss=nn.functional.mse_loss, **optimizer_options):
    opt = build_optimizer(model, optimizer, **optimizer_options)
    value = loss(model(x), y, reduction="mean")
    value.backward()
    opt.step()
    return value.item()


if __name__ == "__main__":
    net = nn.Sequential(Block(3, 4, bias=False), Block(4, 1, activation="tanh"))
    data = {"x": torch.randn(5, 3), "y": torch.zeros(5, 1)}
    print(call(train, net, retries=2, optimizer="adam", lr=1e-3, betas=(0.8, 0.9), **data))
    settings = dict(optimizer="sgd", lr=0.1, momentum=0.9, **data)
    print(train(net, **settings))
    job = Job(3, name="nightly", tag="x")
    print(job.steps, job.name, job.tag)
    print(call(max, *[3, 1], 2), call(sorted, [2, 1], reverse=True))
