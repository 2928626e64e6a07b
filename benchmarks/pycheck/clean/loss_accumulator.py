"""Several losses accumulated from a plain zero."""
import torch
import torch.nn.functional as F
from torch import nn


class MultiHead(nn.Module):
    def __init__(self, heads):
        super().__init__()
        self.heads = nn.ModuleList([nn.Linear(4, 2) for _ in range(heads)])

    def forward(self, x):
        return [head(x) for head in self.heads]


def multi_loss(outputs, target):
    loss = 0
    for logits in outputs:
        loss += F.cross_entropy(logits, target)
    return loss


def penalty(model):
    total = 0.0
    for parameter in model.parameters():
        total = total + parameter.pow(2).sum()
    return total


def epoch(model, optimizer, batches):
    running, correct, seen = 0, 0, 0
    for x, y in batches:
        outputs = model(x)
        loss = multi_loss(outputs, y) + 1e-4 * penalty(model)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        running += loss.detach()
        correct += (outputs[0].argmax(dim=1) == y).sum()
        seen += y.size(0)
    print(running.item() / len(batches), correct.item() / seen)


def main():
    model = MultiHead(3)
    optimizer = torch.optim.Adam(model.parameters())
    batches = [(torch.randn(8, 4), torch.randint(2, (8,))) for _ in range(3)]
    for _ in range(2):
        epoch(model, optimizer, batches)
    losses = sum(F.cross_entropy(out, batches[0][1]) for out in model(batches[0][0]))
    losses.backward()
    print(losses.item(), model.heads[0].weight.grad.norm().item())


if __name__ == "__main__":
    main()
