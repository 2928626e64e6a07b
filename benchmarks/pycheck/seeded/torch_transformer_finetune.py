"""Fine-tune the top of a frozen transformer encoder on sentence labels."""
from dataclasses import dataclass, field

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


@dataclass
class EncoderConfig:
    vocab_size: int = 100
    d_model: int = 32
    n_heads: int = 4
    n_layers: int = 2
    dropout: float = 0.1
    max_length: int = 12
    labels: list = field(default_factory=lambda: ["neg", "neutral", "pos"])


def build_layer(config: EncoderConfig) -> nn.TransformerEncoderLayer:
    return nn.TransformerEncoderLayer(
        config.d_model,
        nhead=config.num_heads,
        dim_feedforward=4 * config.d_model,
        dropout=config.dropout,
        batch_first=True,
    )


class SentenceClassifier(nn.Module):
    def __init__(self, config: EncoderConfig):
        super().__init__()
        self.tokens = nn.Embedding(config.vocab_size, config.d_model)
        self.positions = nn.Embedding(config.max_length, config.d_model)
        self.encoder = nn.TransformerEncoder(build_layer(config), config.n_layers)
        self.classifier = nn.Linear(config.d_model, len(config.labels))

    def freeze_encoder(self):
        for parameter in self.encoder.parameters():
            parameter.requires_grad = False

    def forward(self, ids):
        positions = torch.arange(ids.size(1), device=ids.device)
        hidden = self.encoder(self.tokens(ids) + self.positions(positions))
        return self.classifier(hidden[:, 0])


def fine_tune(model, loader, epochs):
    trainable = [p for p in model.parameters() if p.requires_grad]
    optimizer = torch.optim.AdamW(trainable, lr=5e-4, weight_decay=0.01)
    for epoch in range(epochs):
        for ids, labels in loader:
            loss = nn.functional.cross_entropy(model(ids), labels)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        print("epoch", epoch, "loss", loss.item())


def main():
    config = EncoderConfig(n_layers=1)
    model = SentenceClassifier(config)
    model.freeze_encoder()
    ids = torch.randint(config.vocab_size, (16, config.max_length))
    labels = torch.randint(len(config.labels), (16,))
    fine_tune(model, DataLoader(TensorDataset(ids, labels), batch_size=8), epochs=2)


if __name__ == "__main__":
    main()
