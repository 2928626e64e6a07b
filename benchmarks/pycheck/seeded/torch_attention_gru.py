"""Sequence reversal with a GRU decoder and masked attention."""
import torch
from torch import nn

PAD, VOCAB = 0, 12


class Attention(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.project = nn.Linear(size, size, bias=False)

    def forward(self, query, keys, mask):
        scores = (self.project(query).unsqueeze(1) * keys).sum(dim=-1)
        weights = scores.masked_fill(mask, float("-inf")).softmax(dim=-1)
        return (weights.unsqueeze(-1) * keys).sum(dim=1)


class Decoder(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.embed = nn.Embedding(VOCAB, size, padding_idx=PAD)
        self.encoder = nn.GRU(size, size, batch_first=True)
        self.cell = nn.GRUCell(size * 2, size)
        self.attention = Attention(size)
        self.out = nn.Linear(size, VOCAB)

    def forward(self, source, target):
        mask = source == PAD
        memory, last = self.encoder(self.embed(source))
        hidden = last.squeeze(0)
        logits = []
        for position in range(target.size(1)):
            context = self.attention(hidden, memory)
            step = torch.cat([self.embed(target[:, position]), context], dim=-1)
            hidden = self.cell(step, hidden)
            logits.append(self.out(hidden))
        return torch.stack(logits, dim=1)


def batch(count, length):
    source = torch.randint(1, VOCAB, (count, length))
    return source, source.flip(1)


def main(steps=3):
    torch.manual_seed(0)
    model = Decoder(16)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    for step in range(steps):
        source, target = batch(8, 5)
        loss = nn.functional.cross_entropy(model(source, target).flatten(0, 1), target.flatten())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        print("step", step, "loss", loss.item())


if __name__ == "__main__":
    main()
