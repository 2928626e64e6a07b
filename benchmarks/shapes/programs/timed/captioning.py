"""Train a small captioning model: a residual encoder of images and a transformer decoder of words, on made-up data."""

import argparse
import math
import random
from dataclasses import dataclass

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.nn.utils.rnn import pad_sequence
from torch.utils.data import DataLoader, Dataset, random_split

PAD, START, END = 0, 1, 2


@dataclass
class Settings:
    image_size: int = 64
    vocabulary: int = 500
    longest: int = 20
    width: int = 128
    heads: int = 4
    encoder_blocks: tuple = (2, 2, 2)
    decoder_layers: int = 3
    dropout: float = 0.1


class Captions(Dataset):
    """Random images with random sentences of different lengths."""

    def __init__(self, count, settings):
        self.count = count
        self.settings = settings

    def __len__(self):
        return self.count

    def __getitem__(self, index):
        settings = self.settings
        generator = torch.Generator().manual_seed(index)
        image = torch.rand(3, settings.image_size, settings.image_size, generator=generator)
        length = int(torch.randint(4, settings.longest - 2, (1,), generator=generator))
        words = torch.randint(3, settings.vocabulary, (length,), generator=generator)
        caption = torch.cat([torch.tensor([START]), words, torch.tensor([END])])
        return image, caption


def collate(items):
    images = torch.stack([image for image, _ in items])
    captions = pad_sequence([caption for _, caption in items], batch_first=True, padding_value=PAD)
    return images, captions


class ResidualBlock(nn.Module):
    def __init__(self, channels_in, channels_out, stride=1):
        super().__init__()
        self.conv1 = nn.Conv2d(channels_in, channels_out, 3, stride=stride, padding=1, bias=False)
        self.norm1 = nn.BatchNorm2d(channels_out)
        self.conv2 = nn.Conv2d(channels_out, channels_out, 3, padding=1, bias=False)
        self.norm2 = nn.BatchNorm2d(channels_out)
        if stride != 1 or channels_in != channels_out:
            self.shortcut = nn.Sequential(
                nn.Conv2d(channels_in, channels_out, 1, stride=stride, bias=False),
                nn.BatchNorm2d(channels_out),
            )
        else:
            self.shortcut = nn.Identity()

    def forward(self, x):
        y = F.relu(self.norm1(self.conv1(x)))
        y = self.norm2(self.conv2(y))
        return F.relu(y + self.shortcut(x))


class ImageEncoder(nn.Module):
    """Turn an image into a sequence of vectors, one for each place of the last feature map."""

    def __init__(self, settings):
        super().__init__()
        self.stem = nn.Sequential(
            nn.Conv2d(3, 32, 5, stride=2, padding=2, bias=False),
            nn.BatchNorm2d(32),
            nn.ReLU(inplace=True),
        )
        stages = []
        channels = 32
        for number, blocks in enumerate(settings.encoder_blocks):
            wider = 32 * 2**number
            for block in range(blocks):
                stride = 2 if block == 0 and number > 0 else 1
                stages.append(ResidualBlock(channels, wider, stride))
                channels = wider
        self.stages = nn.Sequential(*stages)
        self.project = nn.Conv2d(channels, settings.width, 1)
        places = (settings.image_size // 2 // 2 ** (len(settings.encoder_blocks) - 1)) ** 2
        self.position = nn.Parameter(torch.randn(1, places, settings.width) * 0.02)

    def forward(self, images):
        x = self.stages(self.stem(images))
        x = self.project(x)
        x = x.flatten(2).transpose(1, 2)
        return x + self.position


class Attention(nn.Module):
    def __init__(self, width, heads, dropout):
        super().__init__()
        self.heads = heads
        self.query = nn.Linear(width, width)
        self.key = nn.Linear(width, width)
        self.value = nn.Linear(width, width)
        self.out = nn.Linear(width, width)
        self.dropout = nn.Dropout(dropout)

    def split(self, x):
        batch, length, width = x.shape
        return x.view(batch, length, self.heads, width // self.heads).transpose(1, 2)

    def forward(self, x, memory, mask=None):
        batch, length, width = x.shape
        q, k, v = self.split(self.query(x)), self.split(self.key(memory)), self.split(self.value(memory))
        scores = q @ k.transpose(-2, -1) / math.sqrt(width // self.heads)
        if mask is not None:
            scores = scores.masked_fill(mask, float("-inf"))
        weights = self.dropout(scores.softmax(dim=-1))
        y = (weights @ v).transpose(1, 2).reshape(batch, length, width)
        return self.out(y)


class DecoderLayer(nn.Module):
    def __init__(self, settings):
        super().__init__()
        width = settings.width
        self.self_attention = Attention(width, settings.heads, settings.dropout)
        self.cross_attention = Attention(width, settings.heads, settings.dropout)
        self.feed_forward = nn.Sequential(
            nn.Linear(width, 4 * width),
            nn.GELU(),
            nn.Dropout(settings.dropout),
            nn.Linear(4 * width, width),
        )
        self.norm1 = nn.LayerNorm(width)
        self.norm2 = nn.LayerNorm(width)
        self.norm3 = nn.LayerNorm(width)

    def forward(self, x, memory, mask):
        y = self.norm1(x)
        x = x + self.self_attention(y, y, mask)
        x = x + self.cross_attention(self.norm2(x), memory)
        return x + self.feed_forward(self.norm3(x))


class Sinusoids(nn.Module):
    def __init__(self, width, longest):
        super().__init__()
        position = torch.arange(longest).unsqueeze(1)
        rates = torch.exp(torch.arange(0, width, 2) * (-math.log(10000.0) / width))
        table = torch.zeros(longest, width)
        table[:, 0::2] = torch.sin(position * rates)
        table[:, 1::2] = torch.cos(position * rates)
        self.register_buffer("table", table)

    def forward(self, x):
        return x + self.table[: x.size(1)]


class WordDecoder(nn.Module):
    def __init__(self, settings):
        super().__init__()
        self.embedding = nn.Embedding(settings.vocabulary, settings.width, padding_idx=PAD)
        self.position = Sinusoids(settings.width, settings.longest)
        self.layers = nn.ModuleList([DecoderLayer(settings) for _ in range(settings.decoder_layers)])
        self.norm = nn.LayerNorm(settings.width)
        self.head = nn.Linear(settings.width, settings.vocabulary, bias=False)
        self.head.weight = self.embedding.weight

    def forward(self, words, memory):
        length = words.size(1)
        future = torch.triu(torch.ones(length, length, dtype=torch.bool, device=words.device), diagonal=1)
        padding = (words == PAD)[:, None, None, :]
        mask = future | padding
        x = self.position(self.embedding(words) * math.sqrt(self.embedding.embedding_dim))
        for layer in self.layers:
            x = layer(x, memory, mask)
        return self.head(self.norm(x))


class Captioner(nn.Module):
    def __init__(self, settings):
        super().__init__()
        self.settings = settings
        self.encoder = ImageEncoder(settings)
        self.decoder = WordDecoder(settings)

    def forward(self, images, words):
        return self.decoder(words, self.encoder(images))

    @torch.no_grad()
    def caption(self, images):
        """Choose the likeliest word again and again."""
        memory = self.encoder(images)
        words = torch.full((images.size(0), 1), START, dtype=torch.long, device=images.device)
        for _ in range(self.settings.longest - 1):
            logits = self.decoder(words, memory)[:, -1]
            likeliest = logits.argmax(dim=-1, keepdim=True)
            words = torch.cat([words, likeliest], dim=1)
            if bool((likeliest == END).all()):
                break
        return words


def loss_and_hits(logits, targets, smoothing):
    vocabulary = logits.size(-1)
    flat, wanted = logits.reshape(-1, vocabulary), targets.reshape(-1)
    loss = F.cross_entropy(flat, wanted, ignore_index=PAD, label_smoothing=smoothing)
    known = wanted != PAD
    hits = (flat.argmax(dim=-1) == wanted)[known].float().mean()
    return loss, hits


class WarmUp:
    """Raise the learning rate linearly, then lower it with the inverse root of the step."""

    def __init__(self, optimizer, width, steps):
        self.optimizer = optimizer
        self.width = width
        self.steps = steps
        self.step_number = 0

    def step(self):
        self.step_number += 1
        rate = self.width**-0.5 * min(self.step_number**-0.5, self.step_number * self.steps**-1.5)
        for group in self.optimizer.param_groups:
            group["lr"] = rate
        return rate


def train_epoch(model, loader, optimizer, schedule, device, smoothing):
    model.train()
    total, right = 0.0, 0.0
    for images, captions in loader:
        images, captions = images.to(device), captions.to(device)
        logits = model(images, captions[:, :-1])
        loss, hits = loss_and_hits(logits, captions[:, 1:], smoothing)
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        schedule.step()
        optimizer.step()
        total += loss.item()
        right += hits.item()
    return total / len(loader), right / len(loader)


@torch.no_grad()
def evaluate(model, loader, device):
    model.eval()
    total = 0.0
    for images, captions in loader:
        images, captions = images.to(device), captions.to(device)
        loss, _ = loss_and_hits(model(images, captions[:, :-1]), captions[:, 1:], 0.0)
        total += loss.item()
    return total / len(loader)


def sentence(words):
    """The words up to the end of the sentence."""
    names = []
    for number in words.tolist():
        if number == END:
            break
        if number not in (PAD, START):
            names.append(f"w{number}")
    return " ".join(names)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--images", type=int, default=48)
    parser.add_argument("--batch-size", type=int, default=8)
    parser.add_argument("--epochs", type=int, default=1)
    parser.add_argument("--width", type=int, default=128)
    parser.add_argument("--warm-up", type=int, default=400)
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    random.seed(args.seed)
    torch.manual_seed(args.seed)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    settings = Settings(width=args.width)
    data = Captions(args.images, settings)
    held_back = args.images // 4
    train_data, test_data = random_split(data, [args.images - held_back, held_back])
    train_loader = DataLoader(train_data, batch_size=args.batch_size, shuffle=True, collate_fn=collate)
    test_loader = DataLoader(test_data, batch_size=args.batch_size, collate_fn=collate)
    model = Captioner(settings).to(device)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4, betas=(0.9, 0.98))
    schedule = WarmUp(optimizer, settings.width, args.warm_up)
    for epoch in range(args.epochs):
        loss, hits = train_epoch(model, train_loader, optimizer, schedule, device, smoothing=0.1)
        print(f"epoch {epoch}: loss {loss:.3f}, words {hits:.3f}, held back {evaluate(model, test_loader, device):.3f}")
    images, _ = next(iter(test_loader))
    for words in model.caption(images.to(device)):
        print(sentence(words))


if __name__ == "__main__":
    main()
