"""A hierarchy that bends Liskov's rule without breaking at run time."""
import abc

import torch
from torch import nn


class Dataset(abc.ABC):
    @abc.abstractmethod
    def __getitem__(self, index):
        ...

    def load(self, path):
        return [path]

    def transform(self, item):
        return item


class Images(Dataset):
    def __init__(self, count):
        self.count = count

    def __getitem__(self, index, augment=False):
        item = torch.full((2, 2), float(index))
        return self.transform(item, flip=augment)

    def __len__(self):
        return self.count

    def load(self, path, *, mode="rb", limit=None):
        return {"path": path, "mode": mode, "limit": limit}

    def transform(self, item, flip=False):
        return item.flip(0) if flip else item


class Encoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(2, 2)

    def forward(self, x):
        return self.linear(x)


class Conditional(Encoder):
    def forward(self, x, condition=None, *, return_hidden=False):
        hidden = super().forward(x)
        if condition is not None:
            hidden = hidden + condition
        return (hidden.sum(), hidden) if return_hidden else hidden.sum()

    def train(self, mode=True, freeze=False):
        super().train(mode)
        for parameter in self.parameters():
            parameter.requires_grad_(not freeze)
        return self

    def state_dict(self, *args, **kwargs):
        state = super().state_dict(*args, **kwargs)
        return {f"model.{key}": value for key, value in state.items()}


if __name__ == "__main__":
    images = Images(3)
    print(images[1].mean().item(), images.__getitem__(1, augment=True).shape, images.load("a", limit=3))
    model = Conditional().train(freeze=True)
    total, hidden = model(images[2], condition=torch.ones(2), return_hidden=True)
    print(hidden.shape, model(images[0]).item() == model(images[0]).item(), sorted(model.state_dict()))
