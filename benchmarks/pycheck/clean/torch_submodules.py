"""Everything through the one name `torch`."""
import os

import torch

torch.backends.cudnn.benchmark = False
torch.backends.cudnn.deterministic = True
torch.set_num_threads(1)


def init_distributed():
    if not torch.distributed.is_available():
        return 0, 1
    if torch.distributed.is_initialized():
        return torch.distributed.get_rank(), torch.distributed.get_world_size()
    return int(os.environ.get("RANK", "0")), int(os.environ.get("WORLD_SIZE", "1"))


def loader(rank, world):
    dataset = torch.utils.data.TensorDataset(torch.randn(16, 3), torch.randn(16, 1))
    sampler = torch.utils.data.distributed.DistributedSampler(dataset, num_replicas=world, rank=rank)
    return torch.utils.data.DataLoader(dataset, batch_size=4, sampler=sampler)


def main():
    torch.manual_seed(0)
    rank, world = init_distributed()
    model = torch.nn.Sequential(
        torch.nn.Linear(3, 8),
        torch.nn.ReLU(),
        torch.nn.Linear(8, 1),
    )
    torch.nn.init.xavier_uniform_(model[0].weight)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    scheduler = torch.optim.lr_scheduler.MultiStepLR(optimizer, milestones=[1])
    for x, y in loader(rank, world):
        loss = torch.nn.functional.mse_loss(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
    scheduler.step()
    vector = torch.nn.utils.parameters_to_vector(model.parameters())
    print(rank, world, vector.numel(), torch.linalg.norm(vector).item() > 0)
    if torch.cuda.is_available():
        print(torch.cuda.get_device_name(0), torch.cuda.memory_allocated())
    print(torch.fft.rfft(torch.ones(8)).shape, torch.distributions.Normal(0.0, 1.0).mean.item())


if __name__ == "__main__":
    main()
