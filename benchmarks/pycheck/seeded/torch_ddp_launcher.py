"""Single-node launcher for data-parallel training over the gloo backend."""
import argparse
import os
import tempfile

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, TensorDataset
from torch.utils.data.distributed import DistributedSampler


def setup(rank, world_size, store):
    dist.init_process_group("gloo", init_method=f"file://{store}", rank=rank, worldsize=world_size)


def cleanup():
    if dist.is_initialized():
        dist.destroy_process_group()


def make_dataset(size=32):
    features = torch.randn(size, 6)
    return TensorDataset(features, (features.sum(1) > 0).long())


def average(value):
    tensor = torch.tensor([value])
    dist.all_reduce(tensor, op=dist.ReduceOp.SUM)
    return tensor.item() / dist.get_world_size()


def train(rank, world_size, args, store):
    setup(rank, world_size, store)
    dataset = make_dataset()
    sampler = DistributedSampler(dataset, num_replicas=world_size, rank=rank)
    loader = DataLoader(dataset, batch_size=args.batch_size, sampler=sampler)
    model = DistributedDataParallel(nn.Linear(6, 2))
    optimizer = torch.optim.SGD(model.parameters(), lr=args.lr)
    for epoch in range(args.epochs):
        sampler.set_epoch(epoch)
        for features, target in loader:
            loss = nn.functional.cross_entropy(model(features), target)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        mean = average(loss.item())
        if rank == 0:
            print("epoch", epoch, "loss", mean)
    cleanup()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--epochs", type=int, default=1)
    parser.add_argument("--batch-size", type=int, default=8)
    parser.add_argument("--lr", type=float, default=0.1)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        store = os.path.join(folder, "store")
        rank = int(os.environ.get("RANK", 0))
        train(rank, 1, args, store)


if __name__ == "__main__":
    main()
