"""A restricted Boltzmann machine in PyTorch whose gradients are written by hand."""

import argparse

import numpy as np
import torch


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--scale", type=int, default=1)
    parser.add_argument("--steps", type=int, default=6, help="epochs")
    parser.add_argument("--save", default="")
    return parser.parse_args()


def make_digits(rows, pixels, seed=5):
    generator = torch.Generator().manual_seed(seed)
    prototypes = torch.rand(12, pixels, generator=generator) < 0.3
    chosen = prototypes[torch.randint(len(prototypes), (rows,), generator=generator)]
    flipped = torch.rand(rows, pixels, generator=generator) < 0.05
    return torch.logical_xor(chosen, flipped).float()


class RBM:
    def __init__(self, visible, hidden, seed=1):
        generator = torch.Generator().manual_seed(seed)
        self.weights = 0.01 * torch.randn(visible, hidden, generator=generator)
        self.visible_bias = torch.zeros(visible)
        self.hidden_bias = torch.zeros(hidden)

    def hidden_probability(self, visible):
        return torch.sigmoid(visible @ self.weights + self.hidden_bias)

    def visible_probability(self, hidden):
        return torch.sigmoid(hidden @ self.weights.T + self.visible_bias)

    def chain(self, visible, noise):
        """One Gibbs step that starts at the data; the noise decides the hidden states."""
        positive = self.hidden_probability(visible)
        recalled = self.visible_probability((positive > noise).float())
        return positive, recalled, self.hidden_probability(recalled)

    def weight_gradient(self, visible, noise):
        positive, recalled, negative = self.chain(visible, noise)
        return (visible.T @ positive - recalled.T @ negative) / len(visible)

    def visible_gradient(self, visible, noise):
        _, recalled, _ = self.chain(visible, noise)
        return (visible - recalled).mean(0)

    def hidden_gradient(self, visible, noise):
        positive, _, negative = self.chain(visible, noise)
        return (positive - negative).mean(0)

    def apply(self, gradients, rate):
        weight, visible, hidden = gradients
        self.weights += rate * weight
        self.visible_bias += rate * visible
        self.hidden_bias += rate * hidden

    def error(self, visible):
        return (visible - self.visible_probability(self.hidden_probability(visible))).abs().mean()


def train_epoch(model, images, batch, generator, rate=0.1):
    for rows in images.split(batch):
        noise = torch.rand(len(rows), len(model.hidden_bias), generator=generator)
        weight = model.weight_gradient(rows, noise)
        visible = model.visible_gradient(rows, noise)
        hidden = model.hidden_gradient(rows, noise)
        model.apply((weight, visible, hidden), rate)


def train(model, images, held_out, epochs, batch):
    generator = torch.Generator().manual_seed(0)
    errors = []
    for epoch in range(epochs):
        train_epoch(model, images, batch, generator)
        seen, unseen = model.error(images[:batch]), model.error(held_out)
        errors.append((seen.item(), unseen.item()))
        print(f"epoch {epoch}: error {errors[-1][0]:.4f}, held out {errors[-1][1]:.4f}")
    return np.asarray(errors, dtype=np.float32)


@torch.no_grad()
def main():
    args = parse_arguments()
    visible, hidden, batch = 784, 500, 128
    digits = make_digits(batch * (120 * args.scale + 1), visible)
    images, held_out = digits[batch:], digits[:batch]
    model = RBM(visible, hidden)
    errors = train(model, images, held_out, args.steps, batch)
    if args.save:
        np.save(args.save, errors)


if __name__ == "__main__":
    main()
