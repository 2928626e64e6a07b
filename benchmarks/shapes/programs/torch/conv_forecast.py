"""Forecast several sensors with a convolution over time followed by a GRU."""

import numpy as np
import torch
from torch import nn

WINDOW = 48
HORIZON = 6
SENSORS = 5


def make_series(steps, rng):
    time = np.arange(steps)[:, None]
    periods = np.array([12, 17, 24, 31, 50])[None, :]
    series = np.sin(2 * np.pi * time / periods) + 0.1 * rng.standard_normal((steps, SENSORS))
    return series.astype(np.float32)


def windows(series):
    starts = range(len(series) - WINDOW - HORIZON)
    inputs = np.stack([series[s : s + WINDOW] for s in starts])
    targets = np.stack([series[s + WINDOW : s + WINDOW + HORIZON] for s in starts])
    return torch.from_numpy(inputs), torch.from_numpy(targets)


class Forecaster(nn.Module):
    def __init__(self, hidden=24):
        super().__init__()
        self.conv = nn.Sequential(
            nn.Conv1d(SENSORS, 16, kernel_size=5, padding=2),
            nn.ReLU(),
            nn.MaxPool1d(2),
            nn.Conv1d(16, 32, kernel_size=3, padding=1),
            nn.ReLU(),
        )
        self.gru = nn.GRU(32, hidden, num_layers=2, batch_first=True, dropout=0.1)
        self.attention = nn.Linear(hidden, 1)
        self.head = nn.Sequential(
            nn.Linear(2 * hidden, 64),
            nn.Tanh(),
            nn.Linear(64, HORIZON * SENSORS),
        )
        self.skip = nn.Linear(WINDOW, HORIZON)

    def forward(self, x):
        features = self.conv(x.transpose(1, 2))
        states, last = self.gru(features.transpose(1, 2))
        weights = torch.softmax(self.attention(states).squeeze(-1), dim=1)
        context = torch.bmm(weights.unsqueeze(1), states).squeeze(1)
        joined = torch.cat([context, last[-1]], dim=1)
        forecast = self.head(joined).view(-1, HORIZON, SENSORS)
        linear = self.skip(x.permute(0, 2, 1)).permute(0, 2, 1)
        return forecast + linear


def quantile_loss(forecast, target, quantile=0.5):
    error = (target - forecast).reshape(target.size(0), HORIZON * SENSORS)
    return torch.maximum(quantile * error, (quantile - 1) * error).mean()


def main():
    rng = np.random.default_rng(0)
    series = make_series(300, rng)
    mean, std = series.mean(axis=0, keepdims=True), series.std(axis=0, keepdims=True)
    inputs, targets = windows((series - mean) / std)
    split = int(0.8 * len(inputs))
    model = Forecaster()
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
    for epoch in range(2):
        model.train()
        order = torch.randperm(split)
        for chunk in order.split(32):
            forecast = model(inputs[chunk])
            loss = quantile_loss(forecast, targets[chunk]) + 0.1 * nn.functional.mse_loss(forecast, targets[chunk])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        model.eval()
        with torch.no_grad():
            forecast = model(inputs[split:])
            scale = torch.from_numpy(std).view(1, 1, SENSORS)
            error = ((forecast - targets[split:]) * scale).abs().mean(dim=(0, 1))
        print(f"epoch {epoch} error per sensor {error.tolist()}")


if __name__ == "__main__":
    main()
