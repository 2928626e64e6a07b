"""Optimise an image so that its Gram matrices match a style image."""
import torch
from torch import nn

STYLE_WEIGHT = 1e3
CONTENT_WEIGHT = 1.0


class FeatureExtractor(nn.Module):
    def __init__(self, widths=(4, 8)):
        super().__init__()
        self.slices = nn.ModuleList()
        channels = 3
        for width in widths:
            self.slices.append(nn.Sequential(nn.Conv2d(channels, width, 3, padding=1), nn.ReLU()))
            channels = width
        for parameter in self.parameters():
            parameter.requires_grad_(False)

    def extract(self, image, layers):
        features = {}
        out = image
        for index, block in enumerate(slices):
            out = block(out)
            if index in layers:
                features[index] = out
        return features

    def forward(self, image):
        return self.extract(image, layers={0, 1})


def gram(features):
    batch, channels, height, width = features.shape
    flat = features.view(batch, channels, height * width)
    return flat @ flat.transpose(1, 2) / (channels * height * width)


def style_loss(current, reference):
    return sum((gram(current[key]) - gram(reference[key])).pow(2).mean() for key in reference)


def content_loss(current, reference, layer):
    return (current[layer] - reference[layer]).pow(2).mean()


def stylize(content, style, steps):
    network = FeatureExtractor()
    style_features = network(style)
    content_features = network(content)
    image = content.clone().requires_grad_(True)
    optimizer = torch.optim.Adam([image], lr=0.02)
    for step in range(steps):
        current = network(image)
        loss = STYLE_WEIGHT * style_loss(current, style_features)
        loss = loss + CONTENT_WEIGHT * content_loss(current, content_features, layer=1)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if step % 2 == 0:
            print("step", step, "loss", loss.item())
    return image.detach().clamp(0, 1)


if __name__ == "__main__":
    torch.manual_seed(0)
    result = stylize(torch.rand(1, 3, 12, 12), torch.rand(1, 3, 12, 12), steps=4)
    print(tuple(result.shape))
