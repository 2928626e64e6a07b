"""Learn to copy a sequence with a transformer whose attention is written out."""

import math

import torch
import torch.nn as nn

VOCAB = 20
LENGTH = 12
D_MODEL = 48
HEADS = 4
LAYERS = 2


class Attention(nn.Module):
    def __init__(self, d_model, heads):
        super().__init__()
        self.heads = heads
        self.d_head = d_model // heads
        self.query = nn.Linear(d_model, d_model)
        self.key = nn.Linear(d_model, d_model)
        self.value = nn.Linear(d_model, d_model)
        self.output = nn.Linear(d_model, d_model)

    def split(self, x):
        batch, length, _ = x.shape
        return x.view(batch, length, self.heads, self.d_head).transpose(1, 2)

    def forward(self, x, memory, mask=None):
        q = self.split(self.query(x))
        k = self.split(self.key(memory))
        v = self.split(self.value(memory))
        scores = torch.matmul(q, k.transpose(-2, -1)) / math.sqrt(self.d_head)
        if mask is not None:
            scores = scores.masked_fill(mask == 0, float("-inf"))
        weights = scores.softmax(dim=-1)
        y = torch.matmul(weights, v)
        y = y.transpose(1, 2).contiguous().view(x.size(0), -1, self.heads * self.d_head)
        return self.output(y)


class FeedForward(nn.Sequential):
    def __init__(self, d_model):
        super().__init__(nn.Linear(d_model, 4 * d_model), nn.GELU(), nn.Linear(4 * d_model, d_model))


class Block(nn.Module):
    def __init__(self, d_model, heads, crossing):
        super().__init__()
        self.norm1 = nn.LayerNorm(d_model)
        self.attend = Attention(d_model, heads)
        self.crossing = crossing
        if crossing:
            self.norm2 = nn.LayerNorm(d_model)
            self.cross = Attention(d_model, heads)
        self.norm3 = nn.LayerNorm(d_model)
        self.feed = FeedForward(d_model)

    def forward(self, x, memory=None, mask=None):
        h = self.norm1(x)
        x = x + self.attend(h, h, mask)
        if self.crossing:
            x = x + self.cross(self.norm2(x), memory)
        return x + self.feed(self.norm3(x))


class Transformer(nn.Module):
    def __init__(self):
        super().__init__()
        self.tokens = nn.Embedding(VOCAB, D_MODEL)
        self.positions = nn.Parameter(torch.zeros(1, LENGTH, D_MODEL))
        self.encoder = nn.ModuleList([Block(D_MODEL, HEADS, crossing=False) for _ in range(LAYERS)])
        self.decoder = nn.ModuleList([Block(D_MODEL, HEADS, crossing=True) for _ in range(LAYERS)])
        self.head = nn.Linear(D_MODEL, VOCAB)
        causal = torch.tril(torch.ones(LENGTH, LENGTH)).view(1, 1, LENGTH, LENGTH)
        self.register_buffer("causal", causal)

    def embed(self, tokens):
        return self.tokens(tokens) + self.positions[:, : tokens.size(1)]

    def forward(self, source, target):
        memory = self.embed(source)
        for block in self.encoder:
            memory = block(memory)
        x = self.embed(target)
        length = target.size(1)
        for block in self.decoder:
            x = block(x, memory, self.causal[:, :, :length, :length])
        return self.head(x)


def batch(size):
    source = torch.randint(1, VOCAB, (size, LENGTH))
    start = torch.zeros(size, 1, dtype=torch.long)
    target = torch.cat([start, source[:, :-1]], dim=1)
    return source, target, source


def greedy(model, source):
    made = torch.zeros(source.size(0), 1, dtype=torch.long)
    for _ in range(LENGTH - 1):
        logits = model(source, made)
        following = logits[:, -1].argmax(dim=-1, keepdim=True)
        made = torch.cat([made, following], dim=1)
    return made


if __name__ == "__main__":
    torch.manual_seed(3)
    model = Transformer()
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3, betas=(0.9, 0.98))
    criterion = nn.CrossEntropyLoss(label_smoothing=0.05)
    for step in range(6):
        source, target, answer = batch(16)
        logits = model(source, target)
        loss = criterion(logits.reshape(-1, VOCAB), answer.reshape(-1))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        print(f"step {step} loss {loss.item():.3f}")
    model.eval()
    with torch.no_grad():
        source, _, _ = batch(4)
        right = (greedy(model, source)[:, 1:] == source[:, :-1]).float().mean()
        print(f"copied {right.item():.2f}")
