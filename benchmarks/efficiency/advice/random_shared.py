"""Uncertainty from dropout: two runs of a TF1 graph and two calls of a PyTorch network, each with its own mask."""

import argparse

import numpy as np
import tensorflow.compat.v1 as tf
import torch
from torch import nn

tf.disable_v2_behavior()


def graph_spread(inputs, rounds):
    """The spread of the output between two passes whose dropout differs, by a TF1 graph."""
    rows, size = inputs.shape
    rng = np.random.default_rng(1)
    data = tf.placeholder(tf.float32, [rows, size])
    hidden = tf.nn.relu(tf.matmul(data, tf.constant(rng.standard_normal((size, 256)).astype(np.float32))))
    dropped = tf.nn.dropout(hidden, rate=0.5)
    output = tf.matmul(dropped, tf.constant(rng.standard_normal((256, 1)).astype(np.float32)))
    spreads = []
    with tf.Session() as session:
        for _ in range(rounds):
            first = second = session.run(output, feed_dict={data: inputs})
            spreads.append(np.mean((first - second) ** 2))
    return np.array(spreads)


class DropoutNetwork(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(size, 256), nn.ReLU(), nn.Dropout(0.5), nn.Linear(256, 1))

    def forward(self, inputs):
        return self.body(inputs)


@torch.no_grad()
def network_spread(inputs, rounds):
    network = DropoutNetwork(inputs.shape[1]).train()
    values = torch.from_numpy(inputs)
    spreads = []
    for _ in range(rounds):
        first = network(values)
        second = first
        spreads.append((first - second).square().mean())
    return torch.stack(spreads).numpy()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=50)
    parser.add_argument("--save", default="")
    args = parser.parse_args()
    torch.manual_seed(0)
    tf.set_random_seed(0)
    inputs = np.random.default_rng(0).standard_normal((200, 40)).astype(np.float32)
    spreads = np.stack([graph_spread(inputs, args.rounds), network_spread(inputs, args.rounds)])
    print("mean spreads", spreads.mean(1))
    if args.save:
        np.save(args.save, spreads)


if __name__ == "__main__":
    main()
