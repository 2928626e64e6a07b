"""Mixed-precision training loop with gradient accumulation."""
import argparse
import contextlib

import torch
from torch import nn


class Regressor(nn.Module):
    def __init__(self, inputs, hidden):
        super().__init__()
        self.layers = nn.ModuleList([nn.Linear(inputs, hidden), nn.Linear(hidden, hidden)])
        self.out = nn.Linear(hidden, 1)

    def forward(self, x):
        for layer in self.layers:
            x = torch.nn.functional.gelu(layer(x))
        return self.out(x).squeeze(-1)


def batches(count, size):
    for _ in range(count):
        x = torch.randn(size, 8)
        yield x, x.pow(2).sum(dim=1)


def autocast_for(device, enabled):
    if not enabled:
        return contextlib.nullcontext()
    return torch.autocast(device_type=device.type, dtype=torch.bfloat16)


def train(args, device):
    model = Regressor(8, args.hidden).to(device)
    optimizer = torch.optim.AdamW(model.parameters(), lr=args.lr)
    scaler = torch.amp.GradScalar("cpu", enabled=args.amp)
    step = 0
    for x, y in batches(args.steps, args.batch_size):
        x, y = x.to(device), y.to(device)
        with autocast_for(device, args.amp):
            loss = nn.functional.smooth_l1_loss(model(x), y) / args.accumulate
        scaler.scale(loss).backward()
        step += 1
        if step % args.accumulate == 0:
            scaler.unscale_(optimizer)
            nn.utils.clip_grad_norm_(model.parameters(), max_norm=1.0)
            scaler.step(optimizer)
            scaler.update()
            optimizer.zero_grad()
            print("step", step, "loss", loss.item() * args.accumulate)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--hidden", type=int, default=16)
    parser.add_argument("--lr", type=float, default=1e-3)
    parser.add_argument("--steps", type=int, default=4)
    parser.add_argument("--batch-size", type=int, default=8)
    parser.add_argument("--accumulate", type=int, default=2)
    parser.add_argument("--amp", action="store_true")
    train(parser.parse_args(), torch.device("cpu"))
