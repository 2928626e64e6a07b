"""Character-level LSTM language model with truncated backpropagation."""
import math

import torch
import torch.nn as nn

TEXT = "the quick brown fox jumps over the lazy dog. " * 8


class CharLM(nn.Module):
    def __init__(self, vocab_size, embed_size=16, hidden_size=32, num_layers=2):
        super().__init__()
        self.hidden_size = hidden_size
        self.num_layers = num_layers
        self.embed = nn.Embedding(vocab_size, embed_size)
        self.rnn = nn.LSTM(embed_size, hidden_size, num_layers)
        self.decoder = nn.Linear(hidden_size, vocab_size)

    def init_hidden(self, batch_size, device):
        shape = (self.num_layers, batch_size, self.hidden_size)
        return torch.zeros(shape, device=device), torch.zeros(shape, device=device)

    def forward(self, tokens, hidden=None):
        if hidden is None:
            hidden = self.init_hidden(tokens.size(1))
        output, hidden = self.rnn(self.embed(tokens), hidden)
        return self.decoder(output), hidden


def batchify(text, batch_size):
    vocab = sorted(set(text))
    lookup = {ch: i for i, ch in enumerate(vocab)}
    ids = torch.tensor([lookup[ch] for ch in text])
    usable = ids.numel() // batch_size * batch_size
    return ids[:usable].view(batch_size, -1).t().contiguous(), vocab


def detach(hidden):
    return tuple(h.detach() for h in hidden)


def train(model, data, bptt, lr):
    optimizer = torch.optim.Adam(model.parameters(), lr=lr)
    criterion = nn.CrossEntropyLoss()
    hidden, total, count = None, 0.0, 0
    for start in range(0, data.size(0) - 1, bptt):
        length = min(bptt, data.size(0) - 1 - start)
        source = data[start:start + length]
        target = data[start + 1:start + 1 + length].reshape(-1)
        logits, hidden = model(source, hidden)
        loss = criterion(logits.view(-1, logits.size(-1)), target)
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 0.25)
        optimizer.step()
        hidden = detach(hidden)
        total, count = total + loss.item(), count + 1
    return total / count


if __name__ == "__main__":
    data, vocab = batchify(TEXT, batch_size=4)
    net = CharLM(len(vocab))
    for epoch in range(2):
        mean = train(net, data, bptt=12, lr=3e-3)
        print(f"epoch {epoch}: perplexity {math.exp(mean):.2f}")
